package oracle

import (
	"fmt"
	"math"
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// opinion is what one caller thinks of one replica that it probes over an edge.
type opinion struct {
	edge   *edge
	health *kernel.Health
	caller *replica // nil: a client, or all callers
	about  *replica
	target int // what a probe asks for
	ident  sim.Ident
	reseed func() // names it by the seed in force
	due    uint64 // probes that were due
	bad    bool
	since  []bool // how the probes ended since the opinion was formed or confirmed
}

// makeOpinions makes what all callers think and schedules their first probes.
func (w *world) makeOpinions() {
	for _, e := range w.edges {
		if e.Health == nil {
			continue
		}
		callers := []*replica{nil}
		if e.From >= 0 && !e.Health.Shared {
			t := w.plan.Tiers[e.From]
			callers = w.replicas[t.First : t.First+t.Count]
		}
		for n, caller := range callers {
			for _, target := range e.Health.Targets {
				w.makeOpinionsOf(e, caller, n, target)
			}
		}
	}
}

func (w *world) makeOpinionsOf(e *edge, caller *replica, n, target int) {
	t := w.plan.Tiers[w.plan.Targets[target].Tier]
	name := fmt.Sprintf("health/%s/%s", e.Name, t.Name)
	for k, r := range w.replicas[t.First : t.First+t.Count] {
		x := &opinion{
			edge: e, health: e.Health, caller: caller, about: r, target: target,
		}
		x.reseed = func() {
			x.ident = w.seed.Ident(name).Child(uint64(n)).Child(uint64(k))
		}
		x.reseed()
		e.opinions = append(e.opinions, x)
		first := float64(e.Health.Interval) * x.ident.Share(52)
		x.next(sim.Time(math.Floor(first)))
	}
}

// next schedules a probe, unless the run is over by then.
func (x *opinion) next(at sim.Time) {
	if w := x.edge.w; at < w.plan.End {
		w.at(at, x.probe)
	}
}

// probe is where a probe is due.
func (x *opinion) probe() {
	w := x.edge.w
	who := x.ident.Child(x.due)
	x.due++
	callerOut := x.caller != nil && (x.caller.paused() || !x.caller.isActive())
	switch {
	case !x.about.isActive():
		x.renew()
	case callerOut:
	default:
		w.result.Edges[x.edge.index].Probes[w.window(w.now)].Sent++
		if x.health.Check == kernel.CheckConnect {
			x.knock(who)
		} else {
			x.ask(who)
		}
	}
	extra := float64(float64(x.health.Interval)*x.health.Jitter) * who.Share(53)
	x.next(w.now + x.health.Interval + sim.Time(math.Floor(extra)))
}

// renew thinks well of the replica.
func (x *opinion) renew() { x.bad, x.since = false, nil }

// knock looks whether a door is open.
func (x *opinion) knock(who sim.Ident) {
	w, e, r := x.edge.w, x.edge, x.about
	back := whole(w.fields[e.ReplyLatency].bend(float64(w.fields[e.Latency].draw(who.Draw(3)))))
	trip := w.fields[e.Latency].draw(who.Draw(2)) + back
	unheard := e.link() != kernel.LinkUp || w.below(who, 4, e.Loss) ||
		r.paused() && r.flows() == kernel.Drop
	if unheard || trip >= x.health.Timeout {
		w.after(x.health.Timeout, func() { x.learn(false) })
		return
	}
	open := !(r.paused() && r.flows() == kernel.Reset)
	w.after(trip, func() { x.learn(open) })
}

// ask sends a probe that is work.
func (x *opinion) ask(who sim.Ident) {
	w := x.edge.w
	from := w.clients[0]
	q := &request{
		client: from, ident: who, person: from.people.Child(0), number: from.First, started: w.now,
	}
	c := &call{
		w: w, edge: x.edge.forProbes(), request: q, ident: who, target: x.target, operation: who,
		deadline: sim.Never, began: w.now, tries: 1, begun: true, probe: true,
	}
	c.done = func(o policies.Outcome) { x.learn(o.Class == policies.OK) }
	w.calls[c] = true
	w.sent++
	a := &attempt{
		w: w, call: c, ident: who.Child(1), n: 1, order: w.sent, sent: w.now, deadline: sim.Never,
		replica: x.about, target: x.target, rank: from.Priority,
	}
	c.live = []*attempt{a}
	w.attempts[a] = true
	w.result.Fingerprint.Add(w.now, 1, a.ident, 0)
	a.trace(kernel.TraceRecord{What: kernel.TraceSend})
	a.timer = w.at(w.now+x.health.Timeout, a.timeout)
	a.depart()
}

// forProbes is the edge as probes see it: its network and what becomes of abandoned work.
func (e *edge) forProbes() *edge {
	if e.bare == nil {
		e.bare = &edge{Edge: e.Edge, w: e.w, index: e.index}
		e.bare.Stack, e.bare.HasRetry, e.bare.Resend = nil, false, kernel.Resend{}
	}
	return e.bare
}

// learn is told how a probe ended.
func (x *opinion) learn(ok bool) {
	w := x.edge.w
	if !ok {
		w.result.Edges[x.edge.index].Probes[w.window(w.now)].Failed++
	}
	x.since = append(x.since, ok)
	length := x.health.Fall
	if x.bad {
		length = x.health.Rise
	}
	if len(x.since) < length {
		return
	}
	last := x.since[len(x.since)-length:]
	if slices.Contains(last, !x.bad) {
		return
	}
	x.bad, x.since = !x.bad, nil // all of them say otherwise
	if x.bad {
		w.result.Edges[x.edge.index].Probes[w.window(w.now)].TakenOut++
	}
}

// opinionOf is what the caller of a call thinks of a replica.
func (c *call) opinionOf(r *replica) *opinion {
	for _, x := range c.edge.opinions {
		own := x.caller == nil || x.caller == c.from()
		if own && x.about == r {
			return x
		}
	}
	panic("oracle: nobody probes a replica that is to be picked")
}

// calm is those active replicas of a tier that the caller of a call would use if it never panics.
func (c *call) calm(tier int) []*replica {
	var up []*replica
	for _, r := range c.w.active(tier) {
		switch {
		case c.edge.Health == nil && r.paused():
		case c.edge.Health != nil && (r.announced() || c.opinionOf(r).bad):
		default:
			up = append(up, r)
		}
	}
	return up
}

// announced tells whether a replica is out as an operator has told everybody.
func (r *replica) announced() bool { return r.paused() && r.flows() == kernel.Finish }

// up tells whether the caller of a call thinks that a replica is up, or does not care.
func (c *call) up(r *replica) bool {
	h := c.edge.Health
	switch {
	case h == nil:
		return !r.paused()
	case r.announced():
		return false
	}
	all, calm := c.w.active(r.Tier), c.calm(r.Tier)
	return !c.opinionOf(r).bad || float64(len(calm)) < float64(h.Panic*float64(len(all)))
}

// inView tells whether a replica is in rotation for the caller of a call.
func (c *call) inView(r *replica) bool { return r.isActive() && c.up(r) }

// keeps tells whether a replica that was picked early is still to be had.
func (c *call) keeps(r *replica) bool {
	if c.edge.Health == nil {
		return !r.paused()
	}
	return c.inView(r)
}

// spilled is a route's weights as its targets' health leaves them.
func (c *call) spilled(route kernel.Route, plain []float64) []float64 {
	var weights []float64
	given, sum := 0.0, 0.0
	for i, target := range route.To {
		tier := c.w.plan.Targets[target].Tier
		up := 0
		for _, r := range c.calm(tier) {
			if r.weight() != 0 {
				up++
			}
		}
		health := 0.0
		if n := len(c.w.active(tier)); n > 0 {
			health = min(1, float64(route.Overprovision*(float64(up)/float64(n))))
		}
		x := 0.0
		switch {
		case route.Spill == kernel.SpillAll:
			x = float64(plain[i] * health)
		case plain[i] > 0:
			x = min(health, 1-given)
			given += x
		}
		weights = append(weights, x)
		sum += x
	}
	if sum == 0 {
		return plain
	}
	return weights
}
