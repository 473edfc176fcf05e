package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// noOutcome is a call that was left out: it went well.
var noOutcome = policies.Outcome{Class: policies.OK}

// step runs an attempt's steps from a.step on, until one takes time or they are done.
func (w *world) step(aid uint32) {
	for {
		a := w.attempts.at(aid)
		if a.step == a.end {
			w.complete(aid, policies.Outcome{Class: policies.OK})
			return
		}
		i := int(a.step)
		s := &w.p.Programs[i]
		switch s.Verb {
		case Work:
			w.beginWork(aid, a)
			return
		case Call:
			if w.happens(a, i, s.Share) {
				a.place = inCalls
				w.openChild(aid, i, 0)
				return
			}
			a.step++
		case Fail:
			if w.happens(a, i, s.Share) {
				w.complete(aid, policies.Outcome{Class: policies.Error, Status: s.Status})
				return
			}
			a.step++
		case Parallel:
			w.fork(aid, a, s)
			return
		}
	}
}

// happens draws whether a step with a share takes place.
func (w *world) happens(a *attempt, step int, share float64) bool {
	return share >= 1 || share > 0 && a.ident.Child(uint64(step)).Share(forChance) < share
}

// beginWork starts a work step; an async tier takes a slot for it first.
func (w *world) beginWork(aid uint32, a *attempt) {
	if w.p.Tiers[w.p.Replicas[a.replica].Tier].Async {
		w.seize(aid, a, &w.replicas[a.replica])
		return
	}
	w.work(aid, a)
}

// work takes the time of the step an attempt is at.
func (w *world) work(aid uint32, a *attempt) {
	i := int(a.step)
	r := &w.replicas[a.replica]
	t := w.duration(a, i, r)
	a.worked += t
	a.place = inWork
	a.frozen = r.frozenTotal
	if t == 0 {
		w.worked(aid, a, r)
		return
	}
	h := &w.steps[i].lane
	if w.steps[i].constant && (h.delay == t || h.delay < 0) {
		a.event = w.after(h, t, evWork, aid)
		return
	}
	a.event = w.en.At(w.en.Now()+t, evWork, aid)
}

// duration draws how long a work step takes from now.
func (w *world) duration(a *attempt, step int, r *replica) sim.Time {
	s := &w.p.Programs[step]
	d := a.ident.Child(uint64(step)).Draw(forWork)
	t := s.Time.Sample(&d)
	w.res.Fingerprint.Add(w.en.Now(), printWork, a.ident, 0)
	w.res.Fingerprint.AddDraw(a.ident, t)
	t += s.PerInFlight * sim.Time(r.inSystem)
	slow := w.value[w.p.Tiers[w.p.Replicas[a.replica].Tier].Slow]
	if own := w.p.Rows[a.row].Slow; own >= 0 {
		slow *= w.value[own]
	}
	if slow != 1 {
		t = stretch(t, slow)
	}
	return min(t, sim.MaxTime-w.en.Now()-1)
}

// stretch multiplies a time by a factor, rounded to the nearest nanosecond and at most MaxTime.
func stretch(t sim.Time, by float64) sim.Time {
	x := float64(t) * by
	if !(x < float64(sim.MaxTime)) {
		return sim.MaxTime
	}
	return sim.Time(x + 0.5)
}

func (w *world) onWork(ev sim.Event) {
	a := w.attempts.at(ev.ID)
	if a.event != ev.Key {
		return // ended meanwhile
	}
	r := &w.replicas[a.replica]
	if w.thaw(a, r, evWork, ev.ID) {
		return
	}
	a.event = 0
	w.worked(ev.ID, a, r)
}

// worked goes on after a work step. An async tier frees the slot, which goes to the next in line
// before the following step.
func (w *world) worked(aid uint32, a *attempt, r *replica) {
	a.step++
	if w.p.Tiers[w.p.Replicas[a.replica].Tier].Async {
		w.accrue(r)
		r.busy--
		a.slot = false
		a.place = inCalls
		w.fill(a.replica)
	}
	w.step(aid)
}

// openChild opens the call of a step, repetition rep.
func (w *world) openChild(aid uint32, step, rep int) {
	a := w.attempts.at(aid)
	s := &w.p.Programs[step]
	id := w.newChild(aid, a, step)
	c := w.calls.at(id)
	c.ident = a.ident.Child(uint64(step)<<16 | uint64(rep))
	c.edge, c.target, c.rep = int32(s.Edge), int32(s.Target), uint16(rep)
	w.open(id)
}

// newChild makes a call record and puts it on its attempt's list.
func (w *world) newChild(aid uint32, a *attempt, step int) uint32 {
	id := w.calls.take()
	c := w.calls.at(id)
	*c = call{}
	c.request, c.parent, c.next = a.request, aid, a.child
	c.identity, c.window, c.step = a.identity, w.window, int32(step)
	c.edge, c.tier, c.replica = -1, -1, -1
	c.client, c.priority = a.client, a.priority
	a.child = id
	return id
}

// fork starts all branches of a parallel step. The extra pending one keeps the attempt from going
// on while they are being started.
func (w *world) fork(aid uint32, a *attempt, s *Step) {
	first := int(a.step) + 1
	a.place = inCalls
	a.pending = uint16(s.Count) + 1
	a.failedAt = -1
	for i := first; i < first+s.Count; i++ {
		b := &w.p.Programs[i]
		a := w.attempts.at(aid)
		switch b.Verb {
		case Work:
			w.branchWork(aid, a, i)
		case Call:
			if w.happens(a, i, b.Share) {
				w.openChild(aid, i, 0)
				continue
			}
			w.join(aid, i, noOutcome)
		case Fail:
			o := noOutcome
			if w.happens(a, i, b.Share) {
				o = policies.Outcome{Class: policies.Error, Status: b.Status}
			}
			w.join(aid, i, o)
		case Parallel:
			panic("kernel: a parallel step inside a parallel step")
		}
	}
	w.join(aid, first-1, noOutcome)
}

// branchWork does the work of a branch: within the slot that the attempt holds.
func (w *world) branchWork(aid uint32, a *attempt, step int) {
	r := &w.replicas[a.replica]
	t := w.duration(a, step, r)
	a.worked += t
	if t == 0 {
		w.join(aid, step, noOutcome)
		return
	}
	id := w.newChild(aid, a, step)
	c := w.calls.at(id)
	c.start = r.frozenTotal // a branch's start holds the frozen time when it began
	c.wake = w.en.At(w.en.Now()+t, evBranch, id)
}

func (w *world) onBranch(ev sim.Event) {
	c := w.calls.at(ev.ID)
	if c.wake != ev.Key {
		return
	}
	aid := c.parent
	r := &w.replicas[w.attempts.at(aid).replica]
	if late := r.frozenTotal - c.start; late > 0 {
		c.start = r.frozenTotal
		c.wake = w.en.At(w.en.Now()+late, evBranch, ev.ID)
		return
	}
	step := int(c.step)
	c.wake = 0
	w.unlinkChild(aid, ev.ID)
	w.calls.release(ev.ID)
	w.join(aid, step, noOutcome)
}

// join ends a branch. When all have ended the attempt goes on, or fails as the first failed branch
// in the order of the steps says.
func (w *world) join(aid uint32, step int, o policies.Outcome) {
	a := w.attempts.at(aid)
	if o.Class != policies.OK && (a.failedAt < 0 || int32(step) < a.failedAt) {
		a.failedAt, a.status, a.wait = int32(step), int16(o.Status), o.RetryAfter
	}
	a.pending--
	if a.pending > 0 {
		return
	}
	if a.failedAt >= 0 {
		w.complete(aid, policies.Outcome{
			Class: policies.Error, Status: int(a.status), RetryAfter: a.wait,
		})
		return
	}
	a.step += int32(w.p.Programs[a.step].Count) + 1
	w.step(aid)
}

// childEnded goes on with an attempt after one of its calls ended.
func (w *world) childEnded(aid uint32, step int32, rep uint16, o policies.Outcome) {
	s := &w.p.Programs[step]
	a := w.attempts.at(aid)
	if o.Class == policies.OK && int(rep)+1 < s.Times {
		w.openChild(aid, int(step), int(rep)+1)
		return
	}
	o = failure(s, o)
	if a.step != step { // a branch of a parallel step
		w.join(aid, int(step), o)
		return
	}
	if o.Class != policies.OK {
		w.complete(aid, o)
		return
	}
	a.step++
	w.step(aid)
}

// failure is what a call's outcome means for the attempt that made it.
func failure(s *Step, o policies.Outcome) policies.Outcome {
	if o.Class == policies.OK || s.OnFail == FailIgnore {
		return noOutcome
	}
	f := policies.Outcome{Class: policies.Error, Status: o.Status, RetryAfter: o.RetryAfter}
	switch o.Class {
	case policies.TimedOut:
		f.Status = 504
	case policies.Dropped:
		f.Status = 502
	case policies.Refused:
		f.Status = 503
	}
	if s.OnFail == FailStatus {
		f.Status = s.Status
	}
	return f
}
