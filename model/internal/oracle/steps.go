package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// failure is how a step failed; nil when it did not.
type failure = *policies.Outcome

// visit is an attempt in its program.
type visit struct {
	*attempt
	job *job // the slot that it holds throughout; nil when async
	end int  // the program's end
}

// begin runs the program, in a slot unless the tier is async.
func (a *attempt) begin(j *job) {
	a.serving = true
	if t, ok := a.w.duration(a.call.edge.Lease); ok && !a.settled && a.timer == nil {
		a.timer = a.w.at(a.w.now+t, a.timeout)
	}
	e := a.endpoint()
	first, end := e.First, e.First+e.Count
	if a.call.probe {
		first, end = a.call.edge.Health.Step, a.call.edge.Health.Step+1
	}
	v := &visit{attempt: a, job: j, end: end}
	if a.replica.tier().Keys != nil {
		store, endpoint := a.replica.store(), a.w.plan.Targets[a.target].Endpoint
		verdict, o := store.Begin(a.w.now, uint64(a.call.operation), uint64(endpoint))
		if verdict != policies.IdempotencyExecute {
			v.conclude(policies.Outcome{Class: o.Class, Status: o.Status, RetryAfter: o.RetryAfter})
			return
		}
		a.keyed = true
	}
	v.shake(func() { v.run(first) })
}

func (a *attempt) endpoint() *kernel.Endpoint {
	t := a.w.plan.Targets[a.target]
	return &a.w.plan.Tiers[t.Tier].Endpoints[t.Endpoint]
}

// run does step s and all that follow.
func (v *visit) run(s int) {
	if s >= v.end {
		v.finish(nil)
		return
	}
	step := v.w.plan.Programs[s]
	switch step.Verb {
	case kernel.Lookup:
		v.look(s)
		return
	case kernel.Store:
		v.found(s)
		return
	}
	next := s + 1
	if step.Verb == kernel.Parallel || step.Verb == kernel.Call {
		next += step.Count
	}
	v.step(s, func(f failure) {
		switch {
		case !v.serving:
		case f != nil && step.Verb == kernel.Call && step.OnFail == kernel.FailFallback:
			v.replica.cell(v.attempt).Fallbacks++
			v.degraded = true
			v.run(s + 1)
		case f != nil:
			v.finish(f)
		default:
			v.run(next)
		}
	})
}

// step does step s and then calls done, unless the attempt is gone by then.
func (v *visit) step(s int, done func(f failure)) {
	step := v.w.plan.Programs[s]
	switch step.Verb {
	case kernel.Work:
		v.work(s, done)
	case kernel.Call, kernel.Detach:
		if v.ident.Child(step.Luck).Share(10) >= step.Share {
			done(nil)
			return
		}
		if step.Verb == kernel.Detach {
			v.detachStep(s, done)
			return
		}
		v.callStep(s, 0, done)
	case kernel.Fail:
		if v.ident.Child(step.Luck).Share(10) < step.Share {
			done(&policies.Outcome{Class: policies.Error, Status: step.Status})
			return
		}
		done(nil)
	case kernel.Effect:
		v.replica.cell(v.attempt).Effects++
		op := v.call.operation.Child(step.Luck)
		if v.w.had[op] {
			v.replica.cell(v.attempt).Duplicates++
		}
		v.w.had[op] = true
		done(nil)
	case kernel.Parallel:
		v.parallel(s, done)
	}
}

// work is a work step; it needs a slot of its own when none is held throughout.
func (v *visit) work(s int, done func(f failure)) {
	r := v.replica
	if v.job != nil || r.shares() {
		r.begin(&work{a: v.attempt, left: -1, step: s, done: func() { done(nil) }})
		return
	}
	r.seat(v.attempt, func(j *job) {
		r.begin(&work{a: v.attempt, left: -1, step: s, done: func() {
			r.leave(j)
			if r.fillSlots() {
				r.moveUp()
			}
			if v.serving {
				done(nil)
			}
		}})
	})
}

// howLong draws the time of a work step that starts now.
func (r *replica) howLong(a *attempt, s int) sim.Time {
	step := r.w.plan.Programs[s]
	draw := a.ident.Child(step.Luck ^ r.w.labour).Draw(1)
	t := step.Time.Sample(&draw)
	r.w.result.Fingerprint.Add(r.w.now, 5, a.ident, 0)
	r.w.result.Fingerprint.AddDraw(a.ident, t)
	t += step.PerInFlight * sim.Time(len(r.system))
	slow := r.w.number(r.tier().Slow)
	if p := r.row(a).Slow; p >= 0 {
		slow *= r.w.number(p)
	}
	if u := step.Crowd; u != nil {
		n := float64(float64(r.working()) * u.Each)
		slow *= 1 + float64(u.Contention*(n-1)) + float64(u.Coherence*n*(n-1))
	}
	slow *= r.coldness()
	return whole(float64(t) * slow)
}

// working is how many attempts hold a slot, or share them with the one that begins.
func (r *replica) working() int {
	if r.shares() {
		return len(r.common.sharers) + 1
	}
	return len(r.slots)
}

// row is what a replica's faults for one endpoint are kept by.
func (r *replica) row(a *attempt) kernel.Row {
	return r.w.plan.Rows[r.Row+r.w.plan.Targets[a.target].Endpoint]
}

// fault is what the errors of faults do to an attempt that has not failed; nil for nothing. The
// causes are independent: one that names only this row acts where the other did not.
func (r *replica) fault(a *attempt) failure {
	e, row := a.endpoint(), r.row(a)
	u := a.ident.Share(11)
	share, status := r.w.number(e.Errors), e.ErrorStatus
	if u >= share && row.Errors >= 0 {
		share = 1 - float64((1-share)*(1-r.w.number(row.Errors)))
		status = row.ErrorStatus
	}
	if u >= share {
		return nil
	}
	return &policies.Outcome{Class: policies.Error, Status: r.w.count(status)}
}

// delay is how much later the answer leaves because of faults.
func (r *replica) delay(a *attempt) sim.Time {
	t := r.w.fields[r.tier().Delay].draw(a.ident.Draw(12))
	if p := r.row(a).Delay; p >= 0 {
		t += r.w.fields[p].draw(a.ident.Draw(12))
	}
	return t
}

// callStep makes call number rep of a call step, and those that are still to come after it.
func (v *visit) callStep(s, rep int, done func(f failure)) {
	step := v.w.plan.Programs[s]
	if rep >= step.Times {
		done(nil)
		return
	}
	c := &call{
		w: v.w, edge: v.w.edges[step.Edge], request: v.call.request, parent: v.attempt,
		maker: v.attempt, ident: v.ident.Child(step.Luck + 1 + uint64(rep)), target: step.Target,
		operation: v.call.operation.Child(step.Luck + 1 + uint64(rep)),
	}
	c.done = func(o policies.Outcome) {
		if o.Class == policies.OK {
			v.degraded = v.degraded || c.degraded
			v.callStep(s, rep+1, done)
			return
		}
		done(c.failed(step, o))
	}
	c.open()
}

// failed is what a failed call does to the attempt that made it.
func (c *call) failed(step kernel.Step, o policies.Outcome) failure {
	f := policies.Outcome{Class: policies.Error, RetryAfter: o.RetryAfter}
	switch {
	case step.OnFail == kernel.FailIgnore:
		return nil
	case step.OnFail == kernel.FailStatus:
		f.Status = step.Status
	case o.Class != policies.TimedOut && o.Class != policies.Dropped && o.Class != policies.Refused:
		f.Status = o.Status
	case c.proxy() != nil:
		f.Status = c.proxy()(o)
	case o.Class == policies.TimedOut:
		f.Status = 504
	case o.Class == policies.Dropped:
		f.Status = 502
	default:
		f.Status = 503
	}
	return &f
}

// proxy is what the first policy that has something to say about it makes of failures without a
// status.
func (c *call) proxy() func(policies.Outcome) int {
	for _, use := range c.edge.Stack {
		if as := c.roles(use).FailedAs; as != nil {
			return as
		}
	}
	return nil
}

// parallel starts all branches in order; when all have ended, the first failed one decides.
func (v *visit) parallel(s int, done func(f failure)) {
	n := v.w.plan.Programs[s].Count
	results := make([]failure, n)
	open := n
	for b := range n {
		if !v.serving {
			return
		}
		v.step(s+1+b, func(f failure) {
			results[b] = f
			if open--; open > 0 || !v.serving {
				return
			}
			for _, f := range results {
				if f != nil {
					done(f)
					return
				}
			}
			done(nil)
		})
	}
}

// finish is the end of the program: the attempt leaves, then what it made room for starts, then its
// answer leaves.
func (v *visit) finish(f failure) {
	o := policies.Outcome{Class: policies.OK}
	if f != nil {
		o = *f
	}
	v.conclude(o)
}

// conclude is finish with an outcome, which faults may still change.
func (v *visit) conclude(o policies.Outcome) {
	a, r := v.attempt, v.replica
	if o.Class == policies.OK {
		if f := r.fault(a); f != nil {
			o = *f
		}
	}
	r.countWork(a)
	r.cell(a).Completed++
	if a.wasted() {
		r.cell(a).Wasted++
	}
	r.evict(a, o)
	r.fill()
	a.answer(o, r.delay(a))
}
