package kernel

import (
	"slices"

	"cascadesim/policies"
	"cascadesim/sim"
)

// depart takes an attempt from its caller's door onto the link: the operator's rule, the choice of
// a replica, and what the link does to it.
func (w *world) depart(a *attempt, c *call) {
	e := c.edge
	if e.live.block > 0 && w.blocks(a, e) {
		w.turnAway(a, policies.Outcome{
			Class: policies.Blocked, Status: int(w.value[e.p.BlockStatus]),
		})
		return
	}
	r := w.noChoice(c, e)
	if r == nil {
		if !c.picked || c.replica == nil || !w.keeps(c) {
			w.pick(c)
		}
		c.picked = false
		r = c.replica
	}
	if r == nil {
		w.turnAway(a, policies.Outcome{Class: policies.Rejected, Status: 503})
		return
	}
	if e.ejector >= 0 && r.tier == e.home {
		w.played(c, e.ejector).Ejector.Picked(w.now, r.number)
	}
	if e.repicks > 0 {
		w.tried[c.id] = append(w.tried[c.id], r)
	}
	a.replica, a.endpoint = r, c.endpoint
	a.cell = c.endpoint*int32(len(w.clients)) + int32(c.client)
	if e.probes != nil {
		w.extra(a).probe, a.cell = true, int32(len(r.present))-1
	}
	if e.live.direct {
		w.arrives(a)
		return
	}
	if e.pools != nil {
		w.takeConnection(a, c, e)
		return
	}
	w.cross(a, e)
}

// cross puts an attempt on the link.
func (w *world) cross(a *attempt, e *edge) {
	switch e.live.link {
	case LinkUp:
	case LinkHeld:
		e.held = append(e.held, held{attempt: a})
		return
	case LinkLost:
		w.unheard(a)
		return
	case LinkRefused:
		w.turnAway(a, policies.Outcome{Class: policies.Dropped})
		return
	}
	if w.lostOnWay(a, e.live.loss) {
		w.unheard(a)
		return
	}
	w.hop(a, e)
}

// hop carries an attempt over the link to its replica.
func (w *world) hop(a *attempt, e *edge) {
	if t := e.live.way; t > 0 && t == e.hop.delay {
		w.en.After(e.hop.lane, evArrive, a.id)
		return
	}
	latency := w.sample(e.p.Latency, a.ident, forHop)
	if latency == 0 {
		w.onArrive(a)
		return
	}
	if w.fixed[e.p.Latency] >= 0 {
		w.after(&e.hop, latency, evArrive, a.id)
		return
	}
	w.en.At(w.now+latency, evArrive, a.id)
}

// turnAway ends an attempt at its caller's side: it never reached a replica.
func (w *world) turnAway(a *attempt, o policies.Outcome) {
	c, n, r := w.callOf(a), int(a.n), w.host(a)
	w.conclude(a, &o)
	w.free(a)
	w.resume(c, n, r, o)
}

// lose makes sure that an attempt is never answered. Its caller's timer has it now; nobody needs it
// when the caller has gone.
func (w *world) lose(a *attempt) {
	a.place = lost
	if a.call == nil {
		w.free(a)
	}
}

func (w *world) blocks(a *attempt, e *edge) bool {
	who := a.ident
	switch e.p.BlockBy {
	case ByRequest:
		who = a.request
	case ByClient:
		who = w.clientIdent(int(a.client), a.identity)
	case ByAttempt, ByCall:
	}
	return who.Share(forBlock) < e.live.block
}

// clientIdent names one client.
func (w *world) clientIdent(class int, member uint32) sim.Ident {
	s := &w.clients[class]
	return s.members.Child(uint64(member) - uint64(s.p.First))
}

// keyIdent is the identity that keeps a pick.
func (w *world) keyIdent(c *call, k Key) sim.Ident {
	switch k {
	case ByAttempt:
		return c.ident.Child(c.nextTry())
	case ByCall:
		return c.ident
	case ByRequest:
		return c.request
	case ByClient:
		return w.clientIdent(int(c.client), c.identity)
	}
	panic("kernel: no such key")
}

// nextTry is the number of the try that a pick is for: the one being sent, or, when the pick comes
// before the gates, the one after the last.
func (c *call) nextTry() uint64 {
	if c.attempt != nil && c.attempt.replica == nil {
		return uint64(c.n)
	}
	return uint64(c.n) + 1
}

// pick chooses replica and endpoint for the next try of a call; a nil replica: none is to be had.
func (w *world) pick(c *call) {
	b, onRetry := &c.edge.p.Balance, c.onRetryOf()
	last := c.replica
	if !c.sent {
		last = nil // chosen for a first try that was not sent to it
	}
	if last != nil && onRetry == Same && last.active() && w.up(c, last) {
		return
	}
	t := w.resolve(c, int(c.target))
	r := w.pickOf(c, t.Tier, onRetry, last)
	if r == nil && b.Failover >= 0 {
		t = w.resolve(c, b.Failover)
		r = w.pickOf(c, t.Tier, onRetry, last)
	}
	c.replica, c.endpoint = r, int32(t.Endpoint)
}

// pickOf picks a replica of one tier.
func (w *world) pickOf(c *call, ti int, onRetry OnRetry, last *replica) *replica {
	switch onRetry {
	case Other:
		return w.balance(c, ti, last)
	case Fresh:
		return w.fresh(c, ti)
	case Any, Same:
	}
	return w.balance(c, ti, nil)
}

// resolve follows a route to a tier.
func (w *world) resolve(c *call, target int) *Target {
	return &w.p.Targets[w.routed(c, target)]
}

// routed is the number of the target that resolve leads to.
func (w *world) routed(c *call, target int) int {
	t := &w.p.Targets[target]
	if t.Route < 0 {
		return target
	}
	r := &w.routes[t.Route]
	draw := w.keyIdent(c, r.p.Key).Child(r.p.Luck).Share(forRoute)
	if r.p.Spill != NoSpill {
		return r.p.To[choose(w.spill(c, r), draw)]
	}
	return r.p.To[choose(r.sum, draw)]
}

func (r *replica) inRotation() bool { return !r.paused && r.number < r.tier.active }

// balance picks a replica of a tier, never the one given as other unless there is no second; nil
// when the pick is paused or none is in rotation.
func (w *world) balance(c *call, ti int, other *replica) *replica {
	t := &w.tiers[ti]
	b := &c.edge.p.Balance
	if c.edge.ejector >= 0 && t == c.edge.home || c.edge.health != nil {
		t = w.fitHosts(c, t)
	}
	switch b.Policy {
	case Hash:
		return w.byKey(c, t, other)
	case Local:
		return w.ownNumber(c, t)
	}
	if len(t.rotation) == 0 {
		return nil
	}
	if len(t.rotation) == 1 {
		return t.rotation[0]
	}
	skip := -1 // place in rotation of the replica that is left out
	if other != nil {
		skip = t.placeOf(other)
	}
	switch b.Policy {
	case RoundRobin:
		return w.turn(c, t, skip)
	case Random:
		return t.weighed(w.luck(c).Share(forBalance), skip)
	case LeastRequest:
		if !t.even {
			return w.leastWeighed(c, t, skip)
		}
		return t.least(w.luck(c), b.Choices, skip)
	case LeastConnections:
		return w.fewest(c, t, skip)
	}
	panic("kernel: no such balancing policy")
}

// upOnly is a tier's replica of a number, or nil while it is not up or not active.
func (w *world) upOnly(c *call, t *tier, number int) *replica {
	if number >= t.active {
		return nil
	}
	if r := &w.replicas[t.p.First+number]; w.up(c, r) {
		return r
	}
	return nil
}

// ownNumber is the replica of a caller's own number. A caller that is no longer active finishes
// what it holds beside the others of its number, active or not.
func (w *world) ownNumber(c *call, t *tier) *replica {
	if c.parent == nil {
		return w.upOnly(c, t, 0)
	}
	by := c.parent.replica
	if by.active() || by.number >= t.p.Count {
		return w.upOnly(c, t, by.number)
	}
	if r := &w.replicas[t.p.First+by.number]; w.up(c, r) {
		return r
	}
	return nil
}

// turn is the next replica in a calling replica's round.
func (w *world) turn(c *call, t *tier, skip int) *replica {
	e := c.edge
	i := w.roundOf(c, t)
	if !t.even {
		return w.smoothTurn(&e.smooth[i], t, skip)
	}
	n := uint32(len(t.rotation))
	k := e.turns[i] % n
	e.turns[i]++
	if int(k) == skip {
		k = e.turns[i] % n
		e.turns[i]++
	}
	return t.rotation[k]
}

// smoothTurn is smooth weighted round robin (as nginx does it): each replica earns its weight, the
// richest is picked and pays the sum.
func (w *world) smoothTurn(current *[]float64, t *tier, skip int) *replica {
	if *current == nil {
		*current = make([]float64, t.p.Count)
	}
	var best *replica
	sum := 0.0
	for k, r := range t.rotation {
		if k == skip {
			continue
		}
		weight := w.value[r.p.Weight]
		(*current)[r.number] += weight
		sum += weight
		if best == nil || (*current)[r.number] > (*current)[best.number] {
			best = r
		}
	}
	(*current)[best.number] -= sum
	return best
}

// placeOf is a replica's place in the rotation, or in what is left of it; -1: it has none.
func (t *tier) placeOf(r *replica) int {
	if k := r.place; k >= 0 && k < len(t.rotation) && t.rotation[k] == r {
		return k
	}
	return slices.Index(t.rotation, r)
}

// least draws some replicas with replacement and takes the one that holds the fewest attempts.
func (t *tier) least(who sim.Ident, choices, skip int) *replica {
	d := who.Draw(forBalance)
	n := len(t.rotation)
	if skip >= 0 {
		n--
	}
	var best *replica
	for range choices {
		k := int(d.Intn(uint64(n)))
		if skip >= 0 && k >= skip {
			k++
		}
		if r := t.rotation[k]; best == nil || r.inSystem < best.inSystem {
			best = r
		}
	}
	return best
}

// noChoice is the replica for the next try of a call where nothing can be chosen, as on most edges:
// the only one of its tier, or the one of the caller's own number. Nil: ask pick.
func (w *world) noChoice(c *call, e *edge) *replica {
	if e.choosy || c.n > 1 && c.onRetryOf() == Same {
		return nil // chosen already, perhaps when there was a choice, or elsewhere by failover
	}
	t := &w.targets[c.target]
	r := t.sole
	if e.p.Balance.Policy == Local {
		if t.tier == nil || c.parent == nil || c.parent.replica.number >= t.tier.active {
			return nil
		}
		r = &w.replicas[t.tier.p.First+c.parent.replica.number]
	}
	if r == nil || r.paused {
		return nil
	}
	c.replica, c.endpoint, c.picked = r, t.endpoint, false
	return r
}
