package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// place is where an attempt goes: a replica (nil when none could be picked) and a target that is no
// route.
type place struct {
	replica *replica
	target  int
}

// round is the state of round robin for one caller, edge and called tier.
type round struct {
	next    int
	current map[*replica]float64 // of smooth weighted round robin
}

type roundKey struct{ edge, caller, tier int }

// pick chooses where try n goes; no replica when none may be asked.
func (c *call) pick(n int) place {
	target := c.target
	if c.begun && c.onRetry() == kernel.Same {
		if last := c.previous.replica; last != nil && c.inView(last) {
			return c.previous
		}
	}
	for _, asked := range []int{c.target, c.edge.Balance.Failover} {
		if asked < 0 {
			break
		}
		target = c.route(asked, n)
		if r := c.among(target, n); r != nil {
			return place{replica: r, target: target}
		}
	}
	return place{target: target}
}

// route follows a route to one of its targets.
func (c *call) route(target, n int) int {
	i := c.w.plan.Targets[target].Route
	if i < 0 {
		return target
	}
	route := c.w.plan.Routes[i]
	var weights []float64
	for _, param := range route.Weights {
		weights = append(weights, c.w.number(param))
	}
	if route.Spill != kernel.NoSpill {
		weights = c.spilled(route, weights)
	}
	u := c.keyed(route.Key, n).Child(route.Luck).Share(9)
	return route.To[weighted(weights, u)]
}

// weighted is the first index whose running sum exceeds the same share of the whole sum.
func weighted(weights []float64, share float64) int {
	sum := 0.0
	for _, x := range weights {
		sum += x
	}
	upTo := 0.0
	for i, x := range weights {
		if upTo += x; upTo > float64(share*sum) {
			return i
		}
	}
	return len(weights) - 1
}

// among picks among the replicas of a target's tier, over and over where a placer wants a replica
// that the call has not tried.
func (c *call) among(target, n int) *replica {
	who := c.ident.Child(uint64(n)).Child(c.edge.Luck)
	pick := c.once(target, n, who)
	keyed := c.edge.Balance.Policy == kernel.Hash || c.edge.Balance.Policy == kernel.Local
	if keyed || c.onRetry() != kernel.Fresh {
		return pick
	}
	for again := range c.repicks() {
		if slices.Contains(c.tried, pick) {
			pick = c.once(target, n, who.Child(uint64(again)+1))
		}
	}
	return pick
}

// once is one pick, by draws of a given identity unless it is by a key.
func (c *call) once(target, n int, who sim.Ident) *replica {
	tier := c.w.plan.Targets[target].Tier
	balance := c.edge.Balance
	switch balance.Policy {
	case kernel.Hash:
		who := c.keyed(balance.Key, n).Child(c.edge.Luck)
		hosts := c.fit(tier)
		r := byWeight(hosts, who.Share(8))
		if r != nil && !c.inView(r) {
			r = nil
		}
		left := c.eligible(c.inRotation(hosts), n)
		if balance.Rehash && len(left) > 0 && !slices.Contains(left, r) {
			r = byWeight(left, who.Share(50))
		}
		return r
	case kernel.Local:
		return c.local(tier)
	}
	all := c.inRotation(c.fit(tier))
	if len(all) == 0 {
		return nil
	}
	list := c.eligible(all, n)
	draw := who.Draw(8)
	switch balance.Policy {
	case kernel.Random:
		return byWeight(list, draw.Float64())
	case kernel.LeastRequest:
		if slices.ContainsFunc(all, func(r *replica) bool { return r.weight() != all[0].weight() }) {
			return leastWeighed(list, balance.Choices, draw)
		}
		return leastRequest(list, balance.Choices, draw)
	case kernel.LeastConnections:
		return c.leastConnections(all, list, tier)
	}
	return c.roundRobin(all, list, tier)
}

func byWeight(list []*replica, u float64) *replica {
	if len(list) == 0 {
		return nil
	}
	var weights []float64
	for _, r := range list {
		weights = append(weights, r.weight())
	}
	return list[weighted(weights, u)]
}

// local is the replica of the caller's own number unless it is paused; a client's is 0. Only who is
// no longer active itself may ask one that is not.
func (c *call) local(tier int) *replica {
	own, drained := 0, false
	if r := c.from(); r != nil {
		own, drained = r.number(), !r.isActive()
	}
	t := c.w.plan.Tiers[tier]
	for _, r := range c.w.replicas[t.First : t.First+t.Count] {
		if r.number() == own && c.up(r) && (drained || r.isActive()) {
			return r
		}
	}
	return nil
}

func (c *call) inRotation(list []*replica) []*replica {
	var up []*replica
	for _, r := range list {
		if c.inView(r) {
			up = append(up, r)
		}
	}
	return up
}

// eligible is who try n may go to, of those in rotation.
func (c *call) eligible(all []*replica, n int) []*replica {
	if !c.begun || c.onRetry() != kernel.Other {
		return all
	}
	var others []*replica
	for _, r := range all {
		if r != c.previous.replica {
			others = append(others, r)
		}
	}
	if len(others) == 0 {
		return all
	}
	return others
}

func leastRequest(list []*replica, choices int, draw sim.Stream) *replica {
	var best *replica
	for range choices {
		r := list[draw.Intn(uint64(len(list)))]
		if best == nil || len(r.system) < len(best.system) {
			best = r
		}
	}
	return best
}

func leastWeighed(list []*replica, choices int, draw sim.Stream) *replica {
	var best *replica
	for range choices {
		r := byWeight(list, draw.Float64())
		if best == nil || r.load(best.weight()) < best.load(r.weight()) {
			best = r
		}
	}
	return best
}

// load is what the replica would hold with one more, times the weight of the one it is compared
// with.
func (r *replica) load(other float64) float64 { return float64(len(r.system)+1) * other }

// leastConnections is who holds the fewest for its weight; of equals the first after the one that
// the caller picked last.
func (c *call) leastConnections(all, list []*replica, tier int) *replica {
	if len(all) == 1 {
		return all[0]
	}
	k := roundKey{edge: c.edge.index, caller: c.caller(), tier: tier}
	turn := c.w.rounds[k]
	if turn == nil {
		turn = &round{current: map[*replica]float64{}}
		c.w.rounds[k] = turn
	}
	var best *replica
	at := 0
	for i := range all {
		j := (turn.next + i) % len(all)
		r := all[j]
		if !slices.Contains(list, r) {
			continue
		}
		if best == nil || r.load(best.weight()) < best.load(r.weight()) {
			best, at = r, j
		}
	}
	turn.next = at + 1
	return best
}

// roundRobin takes turns among all in rotation, and passes over who is not on the list: plain when
// all weights are equal, else smooth weighted.
func (c *call) roundRobin(all, list []*replica, tier int) *replica {
	if len(all) == 1 {
		return all[0]
	}
	k := roundKey{edge: c.edge.index, caller: c.caller(), tier: tier}
	turn := c.w.rounds[k]
	if turn == nil {
		turn = &round{current: map[*replica]float64{}}
		c.w.rounds[k] = turn
	}
	equal, sum := true, 0.0
	for _, r := range all {
		equal = equal && r.weight() == all[0].weight()
	}
	for equal {
		r := all[turn.next%len(all)]
		turn.next++
		if slices.Contains(list, r) {
			return r
		}
	}
	var best *replica
	for _, r := range list {
		sum += r.weight()
		turn.current[r] += r.weight()
		if best == nil || turn.current[r] > turn.current[best] {
			best = r
		}
	}
	turn.current[best] -= sum
	return best
}

// caller is the index of the calling replica; a client as a whole is one caller of its own.
func (c *call) caller() int {
	if r := c.from(); r != nil {
		return r.index
	}
	return -1 - c.request.client.index
}

// active is the replicas of a tier that take part, paused or not.
func (w *world) active(tier int) []*replica {
	t := w.plan.Tiers[tier]
	n := min(max(w.count(t.Active), 0), t.Count)
	return w.replicas[t.First : t.First+n]
}

func (r *replica) inRotation() bool { return r.isActive() && !r.paused() }

func (r *replica) isActive() bool { return r.number() < len(r.w.active(r.Tier)) }

// number is the replica's place in its tier.
func (r *replica) number() int { return r.index - r.w.plan.Tiers[r.Tier].First }

func (r *replica) weight() float64 { return r.w.number(r.Weight) }
