package policies

import (
	"slices"

	"cascadesim/sim"
)

// driver plays one caller's stack as the kernel does, one call after another, each role with a
// chance of its own. What becomes of each try is told to it.
type driver struct {
	stack []Policy
	notes []uint64
	now   sim.Time
	calls uint64
	a     Attempt
}

// fates say how try n, sent at that time, ends; its Latency says when.
type fates func(n int, at sim.Time) Outcome

// course is what became of a call.
type course struct {
	sent    []sim.Time // when each try went out
	end     sim.Time
	outcome Outcome
}

// The purposes of chance, as docs/semantics.md numbers them.
const (
	toGates     = 13
	toCondition = 18
	toObservers = 19
	toShapers   = 20
	toStarters  = 22
	toClosers   = 23
	toHedger    = 24
)

func newDriver(stack ...Policy) *driver {
	return &driver{stack: stack, notes: make([]uint64, len(stack))}
}

// play makes a call at the driver's time and leaves it at the call's end.
func (d *driver) play(deadline sim.Time, becomes fates) course {
	d.calls++
	clear(d.notes)
	d.a = Attempt{Started: d.now, Deadline: deadline}
	c := course{outcome: Outcome{Class: Refused}}
	if d.admits(1) {
		if d.hedger() >= 0 {
			d.race(&c, becomes)
		} else {
			d.retry(&c, becomes)
		}
	}
	c.end = d.now
	d.each(len(c.sent), toClosers, func(p Policy) bool {
		if p.Closer != nil {
			p.Closer.Close(d.now, &d.a, c.outcome)
		}
		return true
	})
	return c
}

// retry makes tries one after the other until one is final.
func (d *driver) retry(c *course, becomes fates) {
	for n := 1; ; n++ {
		if !d.shaped(n) {
			c.outcome = d.late()
			return
		}
		d.start(c, n)
		o := becomes(n, d.now)
		d.now += o.Latency
		if d.now >= d.a.Deadline {
			c.outcome = d.late()
			d.observe(n, c.outcome)
			return
		}
		d.observe(n, o)
		c.outcome = o
		if o.Class == OK || !d.retryable(n, o) {
			return
		}
		d.a.Last = o
		if !d.admits(n + 1) {
			d.linger(o)
			return
		}
		d.a.Wait = d.pace(o)
		if !d.wait(d.a.Wait) {
			c.outcome = d.late()
			return
		}
	}
}

// race is a call whose copies may overlap.
type race struct {
	*driver
	course *course
	up     []flight
	due    sim.Time // of the next copy
}

// flight is a copy on its way, and how it will end.
type flight struct {
	n  int
	at sim.Time
	o  Outcome
}

// race sends copies as the hedger wants them. A reply comes before a copy that is due then.
func (d *driver) race(c *course, becomes fates) {
	r := &race{driver: d, course: c, due: d.now}
	for over := false; !over; {
		i := r.first()
		switch {
		case i >= 0 && r.up[i].at <= r.due:
			f := r.up[i]
			r.up = slices.Delete(r.up, i, i+1)
			over = r.land(f)
		case r.due == sim.Never:
			return
		default:
			r.now = r.due
			r.launch(becomes)
		}
	}
	left := Dropped
	if c.outcome.Class == TimedOut && d.now == d.a.Deadline {
		left = TimedOut
	}
	for _, f := range slices.Backward(r.up) {
		d.observe(f.n, Outcome{Class: left})
	}
}

// first is the index of the copy that is answered first, or -1.
func (r *race) first() int {
	first := -1
	for i, f := range r.up {
		if first < 0 || f.at < r.up[first].at {
			first = i
		}
	}
	return first
}

// launch sends the copy that is due, if the gates let it.
func (r *race) launch(becomes fates) {
	r.due = sim.Never
	n := len(r.course.sent) + 1
	if n > 1 && !r.admits(n) {
		return
	}
	r.start(r.course, n)
	o := becomes(n, r.now)
	r.up = append(r.up, flight{n, r.now + o.Latency, o})
	r.obey(r.ask(n, func(h Hedger) Hedge { return h.Sent(r.now, &r.a) }))
}

// land ends a copy in flight, and tells whether the call is over with it.
func (r *race) land(f flight) bool {
	if r.now = f.at; r.now >= r.a.Deadline {
		r.course.outcome = r.late()
		r.observe(f.n, r.course.outcome)
		return true
	}
	r.observe(f.n, f.o)
	r.course.outcome = f.o
	if f.o.Class == OK {
		return true
	}
	r.a.Last = f.o
	h := r.ask(f.n, func(h Hedger) Hedge { return h.Failed(r.now, &r.a, f.o) })
	r.obey(h)
	return h.Verb == HedgeFail
}

func (r *race) obey(h Hedge) {
	switch h.Verb {
	case HedgeNext:
		if r.due = r.now + h.Delay; r.due >= r.a.Deadline {
			r.due = sim.Never
		}
	case HedgeStop:
		r.due = sim.Never
	case HedgeWait, HedgeFail:
	}
}

// show is the attempt as a role sees it.
func (d *driver) show(n int, role uint64) {
	d.a.N = n
	d.a.Chance = sim.Seed(1).Ident("driver").Child(d.calls).Child(uint64(n)).Draw(role)
}

// each asks the policies in order until one says no.
func (d *driver) each(n int, role uint64, ask func(p Policy) bool) bool {
	d.show(n, role)
	for i, p := range d.stack {
		d.a.Note = &d.notes[i]
		if !ask(p) {
			return false
		}
	}
	return true
}

func (d *driver) admits(n int) bool {
	return d.each(n, toGates, func(p Policy) bool {
		return p.Gate == nil || p.Gate.Admit(d.now, &d.a)
	})
}

// linger passes the time that a refused call takes to end.
func (d *driver) linger(last Outcome) {
	for i, p := range d.stack {
		if p.Lingerer != nil {
			d.a.Note = &d.notes[i]
			d.wait(p.Lingerer.Linger(d.now, &d.a, last))
		}
	}
}

// pace goes on with the chance that the gates have left.
func (d *driver) pace(last Outcome) (wait sim.Time) {
	for i, p := range d.stack {
		if p.Pacer != nil {
			d.a.Note = &d.notes[i]
			wait = p.Pacer.Wait(d.now, &d.a, last)
		}
	}
	return wait
}

// shaped waits as long as the shapers want; false when that crosses the deadline.
func (d *driver) shaped(n int) bool {
	return d.each(n, toShapers, func(p Policy) bool {
		for p.Shaper != nil {
			delay := p.Shaper.Delay(d.now, &d.a)
			if delay == 0 {
				break
			}
			if !d.wait(delay) {
				return false
			}
		}
		return true
	})
}

// wait passes time, up to the deadline; false when it comes first.
func (d *driver) wait(t sim.Time) bool {
	d.now += t
	if d.now >= d.a.Deadline {
		d.now = d.a.Deadline
		return false
	}
	return true
}

func (d *driver) start(c *course, n int) {
	c.sent = append(c.sent, d.now)
	d.each(n, toStarters, func(p Policy) bool {
		if p.Starter != nil {
			p.Starter.Start(d.now, &d.a)
		}
		return true
	})
}

func (d *driver) observe(n int, o Outcome) {
	d.each(n, toObservers, func(p Policy) bool {
		if p.Observer != nil {
			p.Observer.Observe(d.now, &d.a, o)
		}
		return true
	})
}

// retryable asks the stack's condition; without one every failure is tried again.
func (d *driver) retryable(n int, o Outcome) bool {
	return d.each(n, toCondition, func(p Policy) bool {
		return p.Condition == nil || p.Condition.Retryable(d.now, &d.a, o)
	})
}

func (d *driver) late() Outcome {
	d.now = d.a.Deadline
	return Outcome{Class: TimedOut}
}

func (d *driver) hedger() int {
	return slices.IndexFunc(d.stack, func(p Policy) bool { return p.Hedger != nil })
}

func (d *driver) ask(n int, question func(Hedger) Hedge) Hedge {
	d.show(n, toHedger)
	i := d.hedger()
	d.a.Note = &d.notes[i]
	return question(d.stack[i].Hedger)
}
