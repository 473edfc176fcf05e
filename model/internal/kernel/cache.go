package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// A Lookup step looks a key up. When the store has it, the steps that follow, which fetch it, are
// passed over; when not, they are done, and the Store step at their end stores the answer. Misses
// of a key that is being fetched may wait for that fetch instead of making their own.

// caches is what the Lookup steps of a plan hold.
type caches struct {
	stores  [][]keyStore // by cache, then by replica of its tier; or one
	lookups []lookup     // by attempt id, of those that are looking
	flights []*flight    // all that there ever were, by number
	idle    []*flight
}

// lookup is what an attempt is looking for. It fetches it, or waits for another that does.
type lookup struct {
	cache  int
	store  *keyStore
	key    uint32
	waits  bool
	place  int     // among those that wait
	flight *flight // nil: nobody else can wait for it
}

// flight is a fetch that others may wait for.
type flight struct {
	number  uint32
	store   *keyStore
	key     uint32
	led     bool // somebody fetches
	done    bool // it is over, with this outcome
	lesser  bool // and a fallback stood in
	outcome policies.Outcome
	waiting []*attempt // in the order in which they came; nil: it has left
	alive   int        // of those that wait
}

func (w *world) initCaches() {
	w.caches.stores = make([][]keyStore, len(w.p.Caches))
	for i := range w.p.Caches {
		c := &w.p.Caches[i]
		n := 1
		if c.PerReplica {
			n = w.p.Tiers[c.Tier].Count
		}
		w.caches.stores[i] = make([]keyStore, n)
		for k := range w.caches.stores[i] {
			s := &w.caches.stores[i][k]
			s.init(c.Capacity)
			s.flights = make(map[uint32]*flight)
		}
	}
}

// keyOf is what a request asks a cache for. Requests of a scaled run ask for as many keys as the
// real ones would, which stand for several each.
func (c *Cache) keyOf(request sim.Ident) uint32 {
	d := request.Child(c.Luck).Draw(forKey)
	return uint32(float64(c.Keys.Sample(&d)-1) / c.Each)
}

// look looks the key of an attempt's Lookup step up.
func (w *world) look(a *attempt, s *Step) {
	c := &w.p.Caches[s.Cache]
	stores := w.caches.stores[s.Cache]
	store := &stores[0]
	if c.PerReplica {
		store = &stores[a.replica.number]
	}
	key := c.keyOf(a.request)
	cell := w.tierCell(a)
	if k := store.get(key); k != nil && k.expires <= w.now {
		store.drop(key)
	} else if k != nil {
		cell.Hits++
		store.use(k)
		if k.status != 0 {
			w.complete(a, policies.Outcome{Class: policies.Error, Status: int(k.status)})
			return
		}
		a.step += 1 + int32(s.Count)
		w.step(a)
		return
	}
	for len(w.caches.lookups) <= int(a.id) {
		w.caches.lookups = append(w.caches.lookups, lookup{})
	}
	l := &w.caches.lookups[a.id]
	*l = lookup{cache: s.Cache, store: store, key: key}
	w.extra(a).looking = true
	if f := store.flights[key]; f != nil {
		cell.Joined++
		l.waits, l.place, l.flight = true, len(f.waiting), f
		f.waiting = append(f.waiting, a)
		f.alive++
		a.place = inCalls
		return
	}
	if c.Join {
		l.flight = w.takeFlight(store, key)
	}
	cell.Misses++
	a.step++
	w.step(a)
}

func (w *world) takeFlight(store *keyStore, key uint32) *flight {
	var f *flight
	if n := len(w.caches.idle); n > 0 {
		f = w.caches.idle[n-1]
		w.caches.idle = w.caches.idle[:n-1]
	} else {
		f = &flight{number: uint32(len(w.caches.flights))}
		w.caches.flights = append(w.caches.flights, f)
	}
	*f = flight{number: f.number, store: store, key: key, led: true, waiting: f.waiting[:0]}
	store.flights[key] = f
	return f
}

// keep stores what an attempt has fetched. What a fallback made is not kept.
func (w *world) keep(a *attempt, s *Step) {
	l := &w.caches.lookups[a.id]
	c := &w.p.Caches[l.cache]
	w.extra(a).looking = false
	if !a.degraded {
		l.store.put(l.key, 0, c.until(a.ident.Child(s.Luck), w.now))
	}
	if l.flight != nil {
		l.flight.lesser = a.degraded
		w.landed(l.flight, policies.Outcome{Class: policies.OK})
	}
}

// until is when an answer that is stored now expires.
func (c *Cache) until(who sim.Ident, now sim.Time) sim.Time {
	if !c.HasTTL {
		return sim.Never
	}
	d := who.Draw(forTTL)
	return now + min(c.TTL.Sample(&d), sim.MaxTime-now)
}

// stopLooking is told of an attempt that leaves its replica while it is looking for a key: it has
// failed, or it was cut off, when one of those that wait takes its place.
func (w *world) stopLooking(a *attempt, o policies.Outcome) {
	l := &w.caches.lookups[a.id]
	w.extra(a).looking = false
	if l.waits {
		l.flight.waiting[l.place] = nil
		l.flight.alive--
		return
	}
	failed := o.Class == policies.Error
	if negative := w.p.Caches[l.cache].Negative; failed && negative > 0 {
		l.store.put(l.key, int16(o.Status), w.now+negative)
	}
	switch f := l.flight; {
	case f == nil:
	case failed:
		w.landed(f, o)
	case f.alive == 0:
		delete(f.store.flights, f.key)
		w.caches.idle = append(w.caches.idle, f)
	default:
		f.led = false
		w.en.At(w.now, evJoined, f.number)
	}
}

// landed ends a fetch. Those who waited for it go on in an event of its own.
func (w *world) landed(f *flight, o policies.Outcome) {
	delete(f.store.flights, f.key)
	if f.alive == 0 {
		w.caches.idle = append(w.caches.idle, f)
		return
	}
	f.done, f.outcome = true, o
	w.en.At(w.now, evJoined, f.number)
}

// onJoined lets those go on who waited for a fetch: with what came of it, or, when it was cut off,
// the first of them fetches.
func (w *world) onJoined(number uint32) {
	f := w.caches.flights[number]
	for i := 0; i < len(f.waiting); i++ {
		a := f.waiting[i]
		if a == nil {
			continue
		}
		f.waiting[i] = nil
		f.alive--
		s := &w.p.Programs[a.step]
		switch {
		case !f.done:
			f.led = true
			w.caches.lookups[a.id].waits = false
			w.tierCell(a).Misses++
			a.step++
			w.step(a)
			return
		case f.outcome.Class == policies.OK:
			w.extra(a).looking = false
			a.degraded = a.degraded || f.lesser
			a.step += 1 + int32(s.Count)
			w.step(a)
		default:
			w.extra(a).looking = false
			w.complete(a, f.outcome)
		}
	}
	if !f.done {
		delete(f.store.flights, f.key)
	}
	w.caches.idle = append(w.caches.idle, f)
}

// emptyCaches forgets what the caches of replicas hold that come back as new ones. A tier's common
// cache survives while some of its replicas do.
func (w *world) emptyCaches(all []*replica) {
	for i := range w.p.Caches {
		c := &w.p.Caches[i]
		t := all[0].tier
		if c.Tier != t.index {
			continue
		}
		if !c.PerReplica {
			if len(all) >= t.active {
				w.caches.stores[i][0].clear()
			}
			continue
		}
		for k := range all {
			w.caches.stores[i][all[k].number].clear()
		}
	}
}
