package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Purposes of draws; see docs/semantics.md.
const (
	forFirstProbe = 52
	forNextProbe  = 53
)

// health is what the callers of an edge know of replicas by probing them.
type health struct {
	p      *Health
	edge   *edge
	over   edge  // probes go over it: the edge without its policies and clocks
	first  []int // by tier: the watcher of the first caller and replica; -1: nobody probes it
	base   int   // of its watchers, the first
	each   int   // watchers of a caller
	copied Edge  // plan of over
}

// watcher is what one caller knows of one replica.
type watcher struct {
	of     *health
	from   *replica // the caller; nil: a client, or all callers together
	to     *replica
	target int32
	ident  sim.Ident
	probes uint64 // that were due so far
	row    int    // of those known to have gone against what it thinks, the last ones
	down   bool
	closed bool // it has found no door, which it does not know yet
}

func (w *world) initHealth() {
	spills := false
	for i := range w.routes {
		spills = spills || w.routes[i].p.Spill != NoSpill
	}
	for i := range w.edges {
		e := &w.edges[i]
		if e.p.Health != nil {
			w.watch(e)
		}
		e.choosy = e.p.PickFirst || e.ejector >= 0 || e.health != nil || e.p.Home < 0 && spills
	}
	w.nameWatchers()
}

// watch makes the watchers of an edge's callers.
func (w *world) watch(e *edge) {
	h := &health{p: e.p.Health, edge: e, first: make([]int, len(w.tiers)), copied: *e.p}
	e.health = h
	w.checked = append(w.checked, h)
	for i := range h.first {
		h.first[i] = -1
	}
	callers := []*replica{nil}
	if from := e.p.From; from >= 0 && !h.p.Shared {
		callers = callers[:0]
		t := &w.p.Tiers[from]
		for i := t.First; i < t.First+t.Count; i++ {
			callers = append(callers, &w.replicas[i])
		}
	}
	h.base = len(w.watchers)
	for n, from := range callers {
		for _, target := range h.p.Targets {
			t := &w.tiers[w.p.Targets[target].Tier]
			if n == 0 {
				h.first[t.index] = len(w.watchers)
			}
			for k := range t.p.Count {
				w.watchers = append(w.watchers, watcher{
					of: h, from: from, to: &w.replicas[t.p.First+k], target: int32(target),
				})
			}
		}
	}
	h.each = (len(w.watchers) - h.base) / len(callers)
	w.initProbes(h)
}

// nameWatchers gives all watchers the identities that the seed in force has for them.
func (w *world) nameWatchers() {
	for i := range w.watchers {
		x := &w.watchers[i]
		name := "health/" + x.of.edge.p.Name + "/" + x.to.tier.p.Name
		caller := (i - x.of.base) / x.of.each
		x.ident = w.seed.Ident(name).Child(uint64(caller)).Child(uint64(x.to.number))
	}
}

// initProbes makes the edge that probes go over. Nobody reads what is counted there.
func (w *world) initProbes(h *health) {
	p, o := &h.copied, &h.over
	p.Stack, p.HasRetry, p.Propagate, p.CarryAttempt = nil, false, false, false
	p.Resend = Resend{}
	o.p, o.index, o.probes, o.choosy = p, h.edge.index, h, true
	o.try, o.back, o.hop, o.pause = noRing, noRing, noRing, noRing
	o.roles = w.rolesOf(nil)
	o.series = &EdgeSeries{Cells: make([]EdgeCell, w.res.Windows)}
	o.present = []*EdgeCell{{}}
	o.latency.into = &o.series.Latency
}

// refreshProbes copies to an edge of probes what is in force on the edge that it stands beside.
func (h *health) refreshProbes() {
	l := &h.edge.live
	h.over.live = edgeLive{
		try: h.p.Timeout, overall: -1, lease: -1,
		loss: l.loss, repliesLost: l.repliesLost, link: l.link,
	}
}

// scheduleProbes schedules all first probes.
func (w *world) scheduleProbes() {
	for i := range w.watchers {
		x := &w.watchers[i]
		at := sim.Time(float64(x.ident.Share(forFirstProbe) * float64(x.of.p.Interval)))
		if at < w.p.End {
			w.en.At(at, evProbe, uint32(i))
		}
	}
}

// onProbe sends a probe that is due, if there is somebody to send it and somebody to go to.
func (w *world) onProbe(id uint32) {
	x := &w.watchers[id]
	p, who := x.of.p, x.ident.Child(x.probes)
	x.probes++
	switch {
	case !x.to.active():
		x.down, x.row = false, 0
	case x.from != nil && (x.from.paused || !x.from.active()):
	case p.Check == CheckSlot:
		x.of.edge.series.Probes[w.window].Sent++
		w.askForSlot(x, id, who)
	default:
		x.of.edge.series.Probes[w.window].Sent++
		w.connect(x, id, who)
	}
	wait := p.Interval + sim.Time(float64(float64(p.Interval)*p.Jitter)*who.Share(forNextProbe))
	if w.now < w.p.End-wait {
		w.en.At(w.now+wait, evProbe, id)
	}
}

// askForSlot sends a probe that is work.
func (w *world) askForSlot(x *watcher, id uint32, who sim.Ident) {
	e := &x.of.over
	c := w.takeCall()
	c.ident, c.request = who, who
	c.identity, c.window = uint32(w.p.Clients[0].First), w.window
	c.start, c.deadline = w.now, sim.Never
	c.edge, c.target, c.step = e, x.target, int32(id)
	c.priority = w.p.Clients[0].Priority
	c.replica, c.picked = x.to, true
	if w.p.Operations {
		w.callOperation(c)
	}
	w.send(c)
}

// probeStep gives a probe the one step that it has.
func (a *attempt) probeStep() {
	first := int32(a.edge.probes.p.Step)
	a.step, a.end = first, first+1
}

// probed follows the end of a probe's request.
func (w *world) probed(c *call, o policies.Outcome) {
	w.learn(&w.watchers[c.step], o.Class == policies.OK)
}

// connect looks whether a replica's door is open. That is known when an answer would be back, or
// when the probe has run into its timeout.
func (w *world) connect(x *watcher, id uint32, who sim.Ident) {
	e := x.of.edge
	there, back := w.sample(e.p.Latency, who, forHop), w.replyLatency(e, who)
	r := x.to
	wait := there + back
	x.closed = r.closed()
	if e.live.link != LinkUp || who.Share(forLoss) < e.live.loss || r.closed() && r.flows == Drop ||
		wait >= x.of.p.Timeout {
		wait, x.closed = x.of.p.Timeout, true
	}
	if wait == 0 {
		w.learn(x, !x.closed)
		return
	}
	w.en.At(w.now+wait, evConnected, id)
}

func (w *world) onConnected(id uint32) {
	x := &w.watchers[id]
	w.learn(x, !x.closed)
}

// learn tells a watcher how a probe ended.
func (w *world) learn(x *watcher, ok bool) {
	if !ok {
		x.of.edge.series.Probes[w.window].Failed++
	}
	if ok != x.down {
		x.row = 0
		return // as it thought
	}
	x.row++
	need := x.of.p.Fall
	if x.down {
		need = x.of.p.Rise
	}
	if x.row < need {
		return
	}
	x.down, x.row = !x.down, 0
	if x.down {
		x.of.edge.series.Probes[w.window].TakenOut++
	}
}

// viewOf is what the caller of a call knows of a replica.
func (h *health) viewOf(w *world, c *call, r *replica) *watcher {
	i := h.first[r.tier.index] + r.number
	if c.parent != nil && !h.p.Shared {
		i += c.parent.replica.number * h.each
	}
	return &w.watchers[i]
}

// up tells whether the caller of a call takes a replica for one that is up.
func (w *world) up(c *call, r *replica) bool {
	h := c.edge.health
	if h == nil {
		return !r.paused
	}
	return !r.drained() && (!h.viewOf(w, c, r).down || w.panics(c, r.tier))
}

// drained tells whether a replica is out of rotation as everybody was told.
func (r *replica) drained() bool { return r.paused && r.flows == Finish }

// inView is how many active replicas of a tier the caller of a call has in rotation, if it does not
// panic; weighed: without those of weight 0.
func (w *world) inView(c *call, t *tier, weighed bool) int {
	n := 0
	for i := range t.active {
		r := &w.replicas[t.p.First+i]
		up := !r.paused
		if h := c.edge.health; h != nil {
			up = !r.drained() && !h.viewOf(w, c, r).down
		}
		if up && !(weighed && w.value[r.p.Weight] == 0) {
			n++
		}
	}
	return n
}

// panics tells whether so few replicas of a tier are in view that it does not matter who is up.
func (w *world) panics(c *call, t *tier) bool {
	share := c.edge.health.p.Panic
	return share > 0 && float64(w.inView(c, t, false)) < float64(share*float64(t.active))
}

// keeps tells whether a replica that was picked before the gates were asked is still to be had.
func (w *world) keeps(c *call) bool {
	if c.edge.probes != nil {
		return true
	}
	return w.up(c, c.replica) && (c.edge.health == nil || c.replica.active())
}

// forgetProbes lets a caller that is as new think well of everybody.
func (w *world) forgetProbes(r *replica) {
	for _, h := range w.checked {
		if h.edge.p.From != r.tier.index || h.p.Shared {
			continue
		}
		for i := range w.watchers {
			if x := &w.watchers[i]; x.of == h && x.from == r {
				x.down, x.row = false, 0
			}
		}
	}
}
