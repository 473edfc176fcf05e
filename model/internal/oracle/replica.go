package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// replica is a station with its flow limit. All that it holds is in these lists.
type replica struct {
	kernel.Replica
	w     *world
	index int

	backlog    []*attempt   // outside, over the flow limit
	system     []*attempt   // admitted and not answered
	line       []*wait      // in the order in which they came
	rejections []*rejection // that cost work and wait for a slot
	slots      []*job       // in use
	running    []*work      // in the order in which it was started
	putOff     []*work      // that starts when the replica is no longer frozen
	pauses     []*pause
	crashes    uint64
	changed    sim.Time // when a pause last began or ended
	awaits     bool     // a time is set at which its sizer may have more slots
	began      sim.Time // when it was last new
	doubted    bool     // whether its memory suffices is about to be looked at
	sized      *int     // slots by its sizer; nil: none has said
	pace       controlled
	common     common
}

// wait is somebody's place in line.
type wait struct {
	a        *attempt
	since    sim.Time
	start    func(j *job)
	patience *event
}

// rejection is an answer that costs work.
type rejection struct {
	a *attempt
}

func (r *replica) tier() *kernel.Tier { return &r.w.plan.Tiers[r.Tier] }

// arrive is where a request message ends.
func (r *replica) arrive(a *attempt) {
	r.cell(a).Arrivals++
	if a.n > 1 && !a.spare {
		r.cell(a).Retries++
	}
	r.w.result.Fingerprint.Add(r.w.now, 4, a.ident, uint8(r.index))
	a.trace(kernel.TraceRecord{What: kernel.TraceArrive})
	a.reached = !r.paused() || r.flows() != kernel.Reset && r.flows() != kernel.Drop
	if r.paused() && r.flows() == kernel.Reset {
		r.cell(a).Dropped++
		a.answer(dropped, 0)
		return
	}
	if r.paused() && r.flows() == kernel.Drop {
		r.cell(a).Dropped++
		a.unheard()
		return
	}
	a.admitted = r.w.now
	if by := r.refusedBy(a); by >= 0 {
		r.left(a, by, r.turnedBack())
		r.reject(a)
		return
	}
	if !r.full() {
		r.admit(a)
		return
	}
	switch {
	case r.Over == kernel.OverDrop:
		r.left(a, len(a.notes), dropped)
		a.reached = false
		r.cell(a).Dropped++
		a.unheard()
	case r.Over == kernel.OverBacklog && len(r.backlog) < r.Backlog:
		a.holding = true
		r.backlog = append(r.backlog, a)
		r.doubt()
	default:
		r.left(a, len(a.notes), r.turnedBack())
		r.reject(a)
	}
}

func (r *replica) turnedBack() policies.Outcome {
	return policies.Outcome{
		Class: policies.Rejected, Status: r.w.count(r.tier().RejectStatus),
	}
}

// full tells whether the flow limit lets nobody in.
func (r *replica) full() bool {
	limit := r.w.count(r.InFlight)
	return limit >= 0 && len(r.system) >= limit
}

// admit lets an attempt into the system.
func (r *replica) admit(a *attempt) {
	a.holding, a.admitted = true, r.w.now
	r.system = append(r.system, a)
	r.doubt()
	r.resize()
	r.cell(a).Admitted++
	if r.tier().Async || r.shares() {
		a.begin(nil)
		return
	}
	r.seat(a, a.begin)
}

// onlyWaits tells whether all that an attempt does is wait in the backlog or in line once.
func (r *replica) onlyWaits(a *attempt) bool {
	if slices.Contains(r.backlog, a) {
		return true
	}
	places := 0
	for _, x := range r.line {
		if x.a == a {
			places++
		}
	}
	return places == 1 && !r.holdsSlot(a) && len(a.calls) == 0
}

func (r *replica) holdsSlot(a *attempt) bool {
	return slices.ContainsFunc(r.slots, func(j *job) bool { return j.a == a })
}

// rejecting tells whether an attempt is here only to be turned away.
func (r *replica) rejecting(a *attempt) bool {
	return a.holding && !slices.Contains(r.system, a) && !slices.Contains(r.backlog, a)
}

// evict takes an attempt out of everything, with an outcome for those who are told that it left,
// and ends its calls. What that makes room for is up to the caller.
func (r *replica) evict(a *attempt, o policies.Outcome) {
	if slices.Contains(r.system, a) {
		r.countCut(a)
	}
	if slices.Contains(r.system, a) || slices.Contains(r.backlog, a) {
		r.left(a, len(a.notes), o)
	}
	a.holding, a.serving = false, false
	r.backlog = slices.DeleteFunc(r.backlog, func(x *attempt) bool { return x == a })
	if slices.Contains(r.system, a) {
		r.system = slices.DeleteFunc(r.system, func(x *attempt) bool { return x == a })
		r.resize()
	}
	r.rejections = slices.DeleteFunc(r.rejections, func(x *rejection) bool { return x.a == a })
	r.slots = slices.DeleteFunc(r.slots, func(x *job) bool { return x.a == a })
	r.putOff = slices.DeleteFunc(r.putOff, func(x *work) bool {
		if x.a == a {
			x.timer.cancel()
		}
		return x.a == a
	})
	r.line = slices.DeleteFunc(r.line, func(x *wait) bool {
		if x.a == a {
			x.patience.cancel()
		}
		return x.a == a
	})
	r.running = slices.DeleteFunc(r.running, func(x *work) bool {
		if x.a == a {
			x.timer.cancel()
		}
		return x.a == a
	})
	r.stopSharing(func(s sharer) bool { return s.a == a })
	calls := a.calls
	a.calls = nil
	for _, c := range slices.Backward(calls) {
		c.kill()
	}
}

// lose drops an attempt that the replica holds without a word.
func (r *replica) lose(a *attempt) {
	r.cell(a).Dropped++
	r.evict(a, dropped)
}

// reject turns an attempt away, which may have been admitted.
func (r *replica) reject(a *attempt) {
	r.evict(a, r.turnedBack())
	r.cell(a).Rejected++
	if cost, _ := r.w.duration(r.tier().RejectCost); cost == 0 {
		r.turnedAway(a)
		return
	}
	a.holding = true
	x := &rejection{a: a}
	if r.free() {
		r.pay(x)
		return
	}
	r.rejections = append(r.rejections, x)
	r.await()
}

// pay is the work that a rejection costs.
func (r *replica) pay(x *rejection) {
	var j *job
	if !r.shares() {
		j = r.take(x.a)
	}
	cost, _ := r.w.duration(r.tier().RejectCost)
	r.begin(&work{a: x.a, left: cost, done: func() {
		x.a.holding = false
		r.leave(j)
		r.fill()
		r.turnedAway(x.a)
	}})
}

// turnedAway lets the answer to a rejection leave, which nothing but its delay holds up any more.
func (r *replica) turnedAway(a *attempt) {
	tier := r.tier()
	o := policies.Outcome{Class: policies.Rejected, Status: r.w.count(tier.RejectStatus)}
	o.RetryAfter, _ = r.w.duration(tier.RejectAfter)
	delay, _ := r.w.duration(tier.RejectDelay)
	a.answer(r.worded(a, o), delay)
}
