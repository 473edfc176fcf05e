package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// noOutcome is a call that was left out: it went well.
var noOutcome = policies.Outcome{Class: policies.OK}

// step runs an attempt's steps from a.step on, until one takes time or they are done.
func (w *world) step(a *attempt) {
	for a.step != a.end {
		i := int(a.step)
		s := &w.p.Programs[i]
		switch s.Verb {
		case Work:
			w.beginWork(a)
			return
		case Call:
			if happens(a, s) {
				a.place = inCalls
				w.openChild(a, i, 0)
				return
			}
			a.step += 1 + int32(s.Count)
		case Detach:
			if happens(a, s) && !w.detach(a, i) {
				return
			}
			a.step++
		case Fail:
			if happens(a, s) {
				w.complete(a, policies.Outcome{Class: policies.Error, Status: s.Status})
				return
			}
			a.step++
		case Parallel:
			w.fork(a, s)
			return
		case Effect:
			w.effect(a, s)
			a.step++
		case Lookup:
			w.look(a, s)
			return
		case Store:
			w.keep(a, s)
			a.step++
		case Enter:
			a.step = int32(a.replica.tier.p.Endpoints[a.endpoint].First)
		}
	}
	w.done(a)
}

// happens draws whether a step with a share takes place.
func happens(a *attempt, s *Step) bool {
	return s.Share >= 1 || s.Share > 0 && a.ident.Child(s.Luck).Share(forChance) < s.Share
}

// beginWork starts a work step; an async tier takes a slot for it first.
func (w *world) beginWork(a *attempt) {
	if r := a.replica; r.tier.p.Async && r.shared == nil {
		w.seize(a, r)
		return
	}
	w.work(a)
}

// work takes the time of the step an attempt is at.
func (w *world) work(a *attempt) {
	if r := a.replica; r.frozen {
		a.event = w.en.At(r.thaw, evBegin, a.id)
		a.place = inWork
		return
	}
	i := int(a.step)
	t := w.duration(a, i)
	a.term, a.since = t, w.now
	a.place = inWork
	a.frozen = a.replica.frozenTotal
	if t == 0 {
		w.worked(a)
		return
	}
	if a.replica.shared != nil {
		w.shareWork(a, t)
		return
	}
	s := &w.steps[i]
	if s.constant && (s.lane.delay == t || s.lane.delay < 0) {
		a.event = w.after(&s.lane, t, evWork, a.id)
		return
	}
	a.event = w.en.At(w.now+t, evWork, a.id)
}

// duration draws how long a work step takes from now.
func (w *world) duration(a *attempt, step int) sim.Time {
	s := &w.p.Programs[step]
	d := a.ident.Child(s.Luck ^ w.works).Draw(forWork)
	t := s.Time.Sample(&d)
	w.print.Add(w.now, printWork, a.ident, 0)
	w.print.AddDraw(a.ident, t)
	r := a.replica
	if s.PerInFlight > 0 {
		t += s.PerInFlight * sim.Time(r.inSystem)
	}
	slow := r.tier.live.slow
	if r.tier.live.rows {
		if own := w.row(a).Slow; own >= 0 {
			slow *= w.value[own]
		}
	}
	if s.Crowd != nil {
		slow *= s.Crowd.factor(r.working())
	}
	if r.tier.cold != nil {
		slow *= r.tier.cold.factor(w.now - r.born)
	}
	if slow != 1 {
		t = stretch(t, slow)
	}
	return min(t, sim.MaxTime-w.now-1)
}

// row is where an attempt's faults stand.
func (w *world) row(a *attempt) *Row { return &w.p.Rows[a.replica.p.Row+int(a.endpoint)] }

// stretch multiplies a time by a factor, rounded to the nearest nanosecond and at most MaxTime.
func stretch(t sim.Time, by float64) sim.Time {
	x := float64(float64(t) * by)
	if !(x < float64(sim.MaxTime)) {
		return sim.MaxTime
	}
	return sim.Time(x + 0.5)
}

// onBegin starts work that came up while the replica was frozen.
func (w *world) onBegin(a *attempt, key sim.Key) {
	if a.event == key {
		a.event = 0
		w.work(a)
	}
}

func (w *world) onWork(a *attempt, key sim.Key) {
	if a.event != key || w.thaw(a, evWork) {
		return // ended meanwhile, or it ends later
	}
	a.event = 0
	w.worked(a)
}

// worked goes on after a work step. An async tier frees the slot, which goes to the next in line
// before the following step.
func (w *world) worked(a *attempt) {
	a.step++
	a.worked += a.term
	a.term = 0
	if r := a.replica; r.tier.p.Async && r.shared == nil {
		r.freeSlot(w.now)
		a.slot = false
		a.place = inCalls
		w.fill(r)
	}
	w.step(a)
}

// openChild opens the call of a step, repetition rep.
func (w *world) openChild(a *attempt, step, rep int) {
	s := &w.p.Programs[step]
	e := &w.edges[s.Edge]
	if e.live.straight && int(a.step) == step && (!a.odd || w.extraOf(a).deadline == sim.Never) {
		w.express(w.loneChild(a, s, e, uint16(rep)))
		return
	}
	c := w.newChild(a, step)
	c.ident = a.ident.Child(s.Luck + 1 + uint64(rep))
	c.edge, c.target, c.rep = e, int32(s.Target), uint16(rep)
	w.openCall(c)
}

// fork starts all branches of a parallel step. The extra pending one keeps the attempt from going
// on before the last one starts; what follows when that ends at once follows inside it.
func (w *world) fork(a *attempt, s *Step) {
	first := int(a.step) + 1
	a.place = inCalls
	x := w.extra(a)
	x.pending, x.failedAt = uint16(s.Count)+1, -1
	for i := first; i < first+s.Count; i++ {
		if i == first+s.Count-1 {
			x.pending--
		}
		b := &w.p.Programs[i]
		switch b.Verb {
		case Work:
			w.branchWork(a, i)
		case Call:
			if happens(a, b) {
				w.openChild(a, i, 0)
				continue
			}
			w.join(a, i, noOutcome)
		case Detach:
			if happens(a, b) && !w.detach(a, i) {
				return
			}
			w.join(a, i, noOutcome)
		case Fail:
			o := noOutcome
			if happens(a, b) {
				o = policies.Outcome{Class: policies.Error, Status: b.Status}
			}
			w.join(a, i, o)
		case Effect:
			w.effect(a, b)
			w.join(a, i, noOutcome)
		case Parallel, Lookup, Store, Enter:
			panic("kernel: a parallel step has a branch that is more than one step")
		}
	}
}

// branchWork does the work of a branch: within the slot that the attempt holds.
func (w *world) branchWork(a *attempt, step int) {
	if r := a.replica; r.frozen {
		c := w.newChild(a, step)
		c.start = notBegun
		c.wake = w.en.At(r.thaw, evBranch, c.id)
		return
	}
	t := w.duration(a, step)
	if t == 0 {
		w.join(a, step, noOutcome)
		return
	}
	c := w.newChild(a, step)
	c.deadline, c.lastWait = w.now, t // of a branch: when its work began, and how long it takes
	if r := a.replica; r.shared != nil {
		w.share(r, sharer{need: t, a: a, branch: c})
		return
	}
	c.start = a.replica.frozenTotal // of a branch: the frozen time when it began
	c.wake = w.en.At(w.now+t, evBranch, c.id)
}

// notBegun stands in for the frozen time of a branch that waits for the end of a pause.
const notBegun = -1

func (w *world) onBranch(c *call, key sim.Key) {
	if c.wake != key {
		return
	}
	a := c.parent
	if c.start == notBegun {
		step := int(c.step)
		c.wake = 0
		c.unlink()
		w.freeCall(c)
		w.branchWork(a, step)
		return
	}
	if late := a.replica.frozenTotal - c.start; late > 0 {
		c.start = a.replica.frozenTotal
		c.wake = w.en.At(w.now+late, evBranch, c.id)
		return
	}
	w.branchWorked(c)
}

// branchWorked ends the work of a branch.
func (w *world) branchWorked(c *call) {
	a, step := c.parent, int(c.step)
	a.worked += c.lastWait
	c.wake = 0
	c.unlink()
	w.freeCall(c)
	w.join(a, step, noOutcome)
}

// join ends a branch. When all have ended the attempt goes on, or fails as the first failed branch
// in the order of the steps says.
func (w *world) join(a *attempt, step int, o policies.Outcome) {
	x := w.extra(a)
	if o.Class != policies.OK && (x.failedAt < 0 || int32(step) < x.failedAt) {
		x.failedAt, a.status, x.wait = int32(step), int16(o.Status), o.RetryAfter
	}
	x.pending--
	if x.pending > 0 {
		return
	}
	if x.failedAt >= 0 {
		w.complete(a, policies.Outcome{
			Class: policies.Error, Status: int(a.status), RetryAfter: x.wait,
		})
		return
	}
	a.step += int32(w.p.Programs[a.step].Count) + 1
	w.step(a)
}

// childEnded goes on with an attempt after one of its calls ended.
func (w *world) childEnded(a *attempt, step int32, rep uint16, o policies.Outcome) {
	s := &w.p.Programs[step]
	if o.Class == policies.OK && int(rep)+1 < s.Times {
		w.openChild(a, int(step), int(rep)+1)
		return
	}
	if o.Class != policies.OK && s.OnFail == FailFallback {
		w.fallBack(a)
		return
	}
	o = w.failure(s, o)
	if a.step != step { // a branch of a parallel step
		w.join(a, int(step), o)
		return
	}
	if o.Class != policies.OK {
		w.complete(a, o)
		return
	}
	a.step += 1 + int32(s.Count)
	w.step(a)
}

// failure is what a call's outcome means for the attempt that made it.
func (w *world) failure(s *Step, o policies.Outcome) policies.Outcome {
	if o.Class == policies.OK || s.OnFail == FailIgnore {
		return noOutcome
	}
	f := policies.Outcome{Class: policies.Error, Status: o.Status, RetryAfter: o.RetryAfter}
	switch o.Class {
	case policies.TimedOut, policies.Dropped, policies.Refused:
		f.Status = w.edges[s.Edge].failedAs(o)
	}
	if s.OnFail == FailStatus {
		f.Status = s.Status
	}
	return f
}
