package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// depart takes an attempt from its caller's door onto the link: the operator's rule, the choice of
// a replica, and what the link does to it.
func (w *world) depart(aid uint32, a *attempt, c *call, e *Edge) {
	if share := w.value[e.BlockShare]; share > 0 && w.blocks(a, e, share) {
		w.turnAway(aid, policies.Outcome{
			Class: policies.Blocked, Status: int(w.value[e.BlockStatus]),
		})
		return
	}
	if !c.picked || c.replica < 0 || w.replicas[c.replica].paused {
		w.pick(c, e)
	}
	c.picked = false
	if c.replica < 0 {
		w.turnAway(aid, policies.Outcome{Class: policies.Rejected, Status: 503})
		return
	}
	a.replica = c.replica
	a.row = int32(w.p.Replicas[c.replica].Row) + c.endpoint
	switch LinkState(w.value[e.Link]) {
	case LinkUp:
	case LinkHeld:
		es := &w.edges[c.edge]
		es.held = append(es.held, held{attempt: aid})
		return
	case LinkLost:
		w.lose(aid)
		return
	case LinkRefused:
		w.turnAway(aid, policies.Outcome{Class: policies.Dropped})
		return
	}
	if loss := w.value[e.Loss]; loss > 0 && a.ident.Share(forLoss) < loss {
		w.lose(aid)
		return
	}
	w.hop(aid, a, e)
}

// hop carries an attempt over the link to its replica.
func (w *world) hop(aid uint32, a *attempt, e *Edge) {
	latency := w.latency(e, a)
	if latency == 0 {
		w.onArrive(aid)
		return
	}
	if w.fixed[e.Latency] >= 0 {
		w.after(&w.edges[a.edge].hop, latency, evArrive, aid)
		return
	}
	w.en.At(w.en.Now()+latency, evArrive, aid)
}

// latency is that of the request hop of an attempt.
func (w *world) latency(e *Edge, a *attempt) sim.Time {
	return w.sample(e.Latency, a.ident, forHop)
}

// turnAway ends an attempt at its caller's side: it never reached a replica.
func (w *world) turnAway(aid uint32, o policies.Outcome) {
	a := w.attempts.at(aid)
	id, n := a.call, int(a.n)
	o = w.conclude(aid, a, o)
	w.free(aid)
	w.resume(id, n, o)
}

// free gives an attempt's record back.
func (w *world) free(aid uint32) {
	a := w.attempts.at(aid)
	a.place, a.timer, a.event, a.cancel = nowhere, 0, 0, 0
	w.attempts.release(aid)
}

// lose makes sure that an attempt is never answered. Its caller's timer has it now; nobody needs it
// when the caller has gone.
func (w *world) lose(aid uint32) {
	a := w.attempts.at(aid)
	a.place = lost
	if a.call == 0 {
		w.free(aid)
	}
}

func (w *world) blocks(a *attempt, e *Edge, share float64) bool {
	who := a.ident
	switch e.BlockBy {
	case ByRequest:
		who = a.request
	case ByClient:
		who = w.clientIdent(int(a.client), a.identity)
	case ByAttempt, ByCall:
	}
	return who.Share(forBlock) < share
}

// clientIdent names one client.
func (w *world) clientIdent(class int, member uint32) sim.Ident {
	return w.clients[class].ident.Child(uint64(member) - uint64(w.p.Clients[class].First))
}

// keyIdent is the identity that keeps a pick; n is the attempt's number.
func (w *world) keyIdent(c *call, k Key) sim.Ident {
	switch k {
	case ByAttempt:
		return c.ident.Child(w.nextTry(c))
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
func (w *world) nextTry(c *call) uint64 {
	if c.attempt != 0 && w.attempts.at(c.attempt).replica < 0 {
		return uint64(c.n)
	}
	return uint64(c.n) + 1
}

// pick chooses tier, endpoint and replica for the next try of a call; replica -1: none is to be had.
func (w *world) pick(c *call, e *Edge) {
	last := int(c.replica)
	again := last >= 0 && c.n > 0
	if again && e.Balance.OnRetry == Same && w.inRotation(last) {
		return
	}
	t := w.resolve(c, int(c.target))
	other := -1
	if again && e.Balance.OnRetry == Other {
		other = last
	}
	r := w.balance(c, e, t.Tier, other)
	if r < 0 && e.Balance.Failover >= 0 {
		t = w.resolve(c, e.Balance.Failover)
		if r = w.balance(c, e, t.Tier, other); r >= 0 && w.replicas[r].paused {
			r = -1
		}
	}
	c.tier, c.endpoint, c.replica = int32(t.Tier), int32(t.Endpoint), int32(r)
}

// resolve follows a route to a tier.
func (w *world) resolve(c *call, target int) *Target {
	t := &w.p.Targets[target]
	if t.Route < 0 {
		return t
	}
	route := &w.p.Routes[t.Route]
	sum := w.routes[t.Route].sum
	draw := w.keyIdent(c, route.Key).Child(uint64(t.Route)).Share(forRoute)
	return &w.p.Targets[route.To[choose(sum, draw)]]
}

// choose is the first index whose running sum exceeds draw times the whole.
func choose(sum []float64, draw float64) int {
	x := draw * sum[len(sum)-1]
	for i, s := range sum {
		if s > x {
			return i
		}
	}
	return len(sum) - 1
}

func (w *world) inRotation(r int) bool {
	rep := &w.replicas[r]
	t := w.p.Replicas[r].Tier
	return !rep.paused && r-w.p.Tiers[t].First < w.tiers[t].active
}

// balance picks a replica of a tier, never the one given as other unless there is no second; -1
// when the pick is paused or none is in rotation.
func (w *world) balance(c *call, e *Edge, tier, other int) int {
	ts, pt := &w.tiers[tier], &w.p.Tiers[tier]
	b := &e.Balance
	switch b.Policy {
	case Hash:
		who := w.keyIdent(c, b.Key).Child(uint64(c.edge))
		return w.upOnly(pt.First + choose(ts.sum, who.Share(forBalance)))
	case Local:
		if n := w.callerNumber(c); n < ts.active {
			return w.upOnly(pt.First + n)
		}
		return -1
	}
	if len(ts.rotation) == 0 {
		return -1
	}
	if len(ts.rotation) == 1 {
		return int(ts.rotation[0])
	}
	skip := -1 // place in rotation of the replica that is left out
	if other >= 0 {
		skip = place32(ts.rotation, int32(other))
	}
	switch b.Policy {
	case RoundRobin:
		return w.turn(c, tier, skip)
	case Random:
		who := c.ident.Child(w.nextTry(c)).Child(uint64(c.edge))
		return w.weighed(ts, who.Share(forBalance), skip)
	case LeastRequest:
		return w.least(c, ts, b.Choices, skip)
	}
	panic("kernel: no such balancing policy")
}

// upOnly is r, or -1 while it is paused.
func (w *world) upOnly(r int) int {
	if w.replicas[r].paused {
		return -1
	}
	return r
}

func place32(list []int32, v int32) int {
	for i, x := range list {
		if x == v {
			return i
		}
	}
	return -1
}

// callerNumber is the calling replica's number in its tier; 0 for clients.
func (w *world) callerNumber(c *call) int {
	if c.parent == 0 {
		return 0
	}
	r := int(w.attempts.at(c.parent).replica)
	return r - w.p.Tiers[w.p.Replicas[r].Tier].First
}

// turn is the next replica in a calling replica's round.
func (w *world) turn(c *call, tier, skip int) int {
	ts := &w.tiers[tier]
	e := &w.edges[c.edge]
	i := w.callerNumber(c)*len(w.p.Tiers) + tier
	if !ts.even {
		return w.smoothTurn(&e.smooth[i], ts, tier, skip)
	}
	n := uint32(len(ts.rotation))
	k := e.turns[i] % n
	e.turns[i]++
	if int(k) == skip {
		k = e.turns[i] % n
		e.turns[i]++
	}
	return int(ts.rotation[k])
}

// smoothTurn is smooth weighted round robin (as nginx does it): each replica earns its weight, the
// richest is picked and pays the sum.
func (w *world) smoothTurn(current *[]float64, ts *tierState, tier, skip int) int {
	if *current == nil {
		*current = make([]float64, w.p.Tiers[tier].Count)
	}
	first := w.p.Tiers[tier].First
	best, sum := -1, 0.0
	for k, r := range ts.rotation {
		if k == skip {
			continue
		}
		weight := w.value[w.p.Replicas[r].Weight]
		i := int(r) - first
		(*current)[i] += weight
		sum += weight
		if best < 0 || (*current)[i] > (*current)[best] {
			best = i
		}
	}
	(*current)[best] -= sum
	return first + best
}

// weighed picks from the rotation by weight, leaving out place skip.
func (w *world) weighed(ts *tierState, draw float64, skip int) int {
	if skip < 0 {
		return int(ts.rotation[choose(ts.rotSum, draw)])
	}
	before := 0.0
	if skip > 0 {
		before = ts.rotSum[skip-1]
	}
	gap := ts.rotSum[skip] - before
	x := draw * (ts.rotSum[len(ts.rotSum)-1] - gap)
	for k, s := range ts.rotSum {
		if k == skip {
			continue
		}
		if k > skip {
			s -= gap
		}
		if s > x {
			return int(ts.rotation[k])
		}
	}
	return int(ts.rotation[(skip+1)%len(ts.rotation)])
}

// least draws some replicas with replacement and takes the one that holds the fewest attempts.
func (w *world) least(c *call, ts *tierState, choices, skip int) int {
	who := c.ident.Child(w.nextTry(c)).Child(uint64(c.edge))
	d := who.Draw(forBalance)
	n := len(ts.rotation)
	if skip >= 0 {
		n--
	}
	best := -1
	for range choices {
		k := int(d.Intn(uint64(n)))
		if skip >= 0 && k >= skip {
			k++
		}
		r := int(ts.rotation[k])
		if best < 0 || w.replicas[r].inSystem < w.replicas[best].inSystem {
			best = r
		}
	}
	return best
}

// rotate makes a tier's sums anew after weights, pauses or the number of active replicas changed.
func (w *world) rotate(tier int) {
	pt, ts := &w.p.Tiers[tier], &w.tiers[tier]
	ts.active = min(int(w.value[pt.Active]), pt.Count)
	ts.sum, ts.rotation, ts.rotSum = ts.sum[:0], ts.rotation[:0], ts.rotSum[:0]
	ts.even = true
	sum, rot, first := 0.0, 0.0, -1.0
	for r := pt.First; r < pt.First+ts.active; r++ {
		weight := w.value[w.p.Replicas[r].Weight]
		sum += weight
		ts.sum = append(ts.sum, sum)
		if w.replicas[r].paused || weight == 0 {
			continue
		}
		rot += weight
		ts.rotation = append(ts.rotation, int32(r))
		ts.rotSum = append(ts.rotSum, rot)
		if first < 0 {
			first = weight
		}
		ts.even = ts.even && weight == first
	}
}

// weighRoute makes a route's sums anew.
func (w *world) weighRoute(i int) {
	rs := &w.routes[i]
	rs.sum = rs.sum[:0]
	sum := 0.0
	for _, p := range w.p.Routes[i].Weights {
		sum += w.value[p]
		rs.sum = append(rs.sum, sum)
	}
}
