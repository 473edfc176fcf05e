package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// shelf is one store of a cache.
type shelf struct {
	answers map[uint64]*answer
	fetches map[uint64]*fetch
	uses    int
}

// answer is what a store has for a key.
type answer struct {
	expires sim.Time
	status  int // of a failure; 0: a good answer
	used    int // when it was last used, in order
}

// fetch is a miss that others may wait for.
type fetch struct {
	shelf   *shelf
	key     uint64
	waiting []*search
	ended   bool // with this outcome
	lesser  bool
	outcome policies.Outcome
}

// search is an attempt's search for a key, from a miss on.
type search struct {
	*visit
	step  int // the Lookup
	cache *kernel.Cache
	shelf *shelf
	key   uint64
	fetch *fetch // nil: nobody can wait for it
	waits bool
	gone  bool
}

// shelf is the store that a replica looks into.
func (r *replica) shelf(cache int) *shelf {
	number := 0
	if r.w.plan.Caches[cache].PerReplica {
		number = r.number()
	}
	at := shelfKey{cache, number}
	if r.w.shelves[at] == nil {
		r.w.shelves[at] = &shelf{answers: map[uint64]*answer{}, fetches: map[uint64]*fetch{}}
	}
	return r.w.shelves[at]
}

type shelfKey struct{ cache, replica int }

// store keeps an answer, for which the one that was used longest ago may have to go.
func (s *shelf) store(key uint64, x answer, capacity int) {
	s.uses++
	x.used = s.uses
	if capacity == 0 {
		return
	}
	if s.answers[key] == nil && capacity > 0 && len(s.answers) >= capacity {
		var oldest uint64
		first := s.uses
		for k, y := range s.answers {
			if y.used < first {
				oldest, first = k, y.used
			}
		}
		delete(s.answers, oldest)
	}
	s.answers[key] = &x
}

// look is a Lookup step.
func (v *visit) look(s int) {
	w, step := v.w, v.w.plan.Programs[s]
	cache := &w.plan.Caches[step.Cache]
	draw := v.call.request.ident.Child(cache.Luck).Draw(41)
	x := &search{visit: v, step: s, cache: cache, shelf: v.replica.shelf(step.Cache)}
	x.key = uint64(float64(cache.Keys.Sample(&draw)-1) / cache.Each)
	cell := v.replica.cell(v.attempt)
	if y := x.shelf.answers[x.key]; y != nil && y.expires > w.now {
		cell.Hits++
		x.shelf.uses++
		y.used = x.shelf.uses
		if y.status != 0 {
			v.finish(&policies.Outcome{Class: policies.Error, Status: y.status})
			return
		}
		v.run(s + 1 + step.Count)
		return
	}
	delete(x.shelf.answers, x.key)
	v.search = x
	if f := x.shelf.fetches[x.key]; f != nil {
		cell.Joined++
		x.waits, x.fetch = true, f
		f.waiting = append(f.waiting, x)
		return
	}
	if cache.Join {
		x.fetch = &fetch{shelf: x.shelf, key: x.key}
		x.shelf.fetches[x.key] = x.fetch
	}
	cell.Misses++
	v.run(s + 1)
}

// found is a Store step: what follows a fetch that went well.
func (v *visit) found(s int) {
	x := v.search
	v.search = nil
	if !v.degraded {
		expires := sim.Never
		if x.cache.HasTTL {
			draw := v.ident.Child(v.w.plan.Programs[s].Luck).Draw(42)
			expires = v.w.now + x.cache.TTL.Sample(&draw)
		}
		x.shelf.store(x.key, answer{expires: expires}, x.cache.Capacity)
	}
	if x.fetch != nil {
		x.fetch.end(v.w, policies.Outcome{Class: policies.OK}, v.degraded)
	}
	v.run(s + 1)
}

// end ends a fetch; those who wait go on in an event of its own.
func (f *fetch) end(w *world, o policies.Outcome, lesser bool) {
	delete(f.shelf.fetches, f.key)
	f.ended, f.outcome, f.lesser = true, o, lesser
	if f.awaited() {
		w.at(w.now, f.goOn)
	}
}

// awaited tells whether somebody still waits.
func (f *fetch) awaited() bool {
	return slices.ContainsFunc(f.waiting, func(x *search) bool { return !x.gone })
}

// goOn lets those go on who waited, or the first of them fetch.
func (f *fetch) goOn() {
	for len(f.waiting) > 0 {
		x := f.waiting[0]
		f.waiting = f.waiting[1:]
		switch {
		case x.gone:
		case !f.ended:
			x.waits = false
			x.replica.cell(x.attempt).Misses++
			x.run(x.step + 1)
			return
		case f.outcome.Class == policies.OK:
			x.visit.search = nil
			x.degraded = x.degraded || f.lesser
			x.run(x.step + 1 + x.w.plan.Programs[x.step].Count)
		default:
			x.visit.search = nil
			o := f.outcome
			x.finish(&o)
		}
	}
	if !f.ended {
		delete(f.shelf.fetches, f.key)
	}
}

// stopSearch is told with what outcome an attempt leaves that is searching.
func (a *attempt) stopSearch(o policies.Outcome) {
	x := a.search
	a.search = nil
	if x.waits {
		x.gone = true
		return
	}
	failed := o.Class == policies.Error
	if failed && x.cache.Negative > 0 {
		x.shelf.store(x.key, answer{expires: a.w.now + x.cache.Negative, status: o.Status},
			x.cache.Capacity)
	}
	switch f := x.fetch; {
	case f == nil:
	case failed:
		f.end(a.w, o, false)
	case !f.awaited():
		delete(f.shelf.fetches, f.key)
	default:
		a.w.at(a.w.now, f.goOn)
	}
}

// emptyShelves forgets what the caches of replicas held that come back as new ones.
func (w *world) emptyShelves(all []*replica) {
	for k, s := range w.shelves {
		cache := w.plan.Caches[k.cache]
		if cache.Tier != all[0].Tier {
			continue
		}
		if !cache.PerReplica {
			if len(all) >= len(w.active(all[0].Tier)) {
				clear(s.answers)
			}
			continue
		}
		for _, r := range all {
			if r.number() == k.replica {
				clear(s.answers)
			}
		}
	}
}
