package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// job is a slot in use.
type job struct{ a *attempt }

// work is time in a slot.
type work struct {
	a     *attempt
	step  int      // index of the work step, unless left was given
	whole sim.Time // how long it takes, once it has started
	left  sim.Time // negative: drawn when it starts
	begun sim.Time
	late  sim.Time // how much later it ends because its replica is or was frozen
	timer *event
	done  func()
}

// free tells whether a slot can be given to somebody.
func (r *replica) free() bool {
	if r.paused() && r.flows() != kernel.Finish {
		return false
	}
	slots := r.slotCount()
	return slots < 0 || len(r.slots) < slots
}

// take uses a slot.
func (r *replica) take(a *attempt) *job {
	j := &job{a: a}
	r.slots = append(r.slots, j)
	return j
}

// leave frees a slot and gives it to nobody yet.
func (r *replica) leave(j *job) {
	r.slots = slices.DeleteFunc(r.slots, func(x *job) bool { return x == j })
}

// seat gives an attempt a slot, now or when its turn has come, or turns it away.
func (r *replica) seat(a *attempt, start func(j *job)) {
	r.resize()
	behind := r.sizes() && len(r.line)+len(r.rejections) > 0
	if r.free() && !behind {
		if !r.turned(a, 0) {
			r.reject(a)
			r.leftLater()
			return
		}
		r.pace.judge(r, 0, 0)
		r.start(&wait{a: a, since: r.w.now, start: start})
		return
	}
	x := &wait{a: a, since: r.w.now, start: start}
	patience := sim.Never
	if r.HasPatience {
		s := a.ident.Draw(15)
		patience = r.Patience.Sample(&s)
	}
	limit := r.w.count(r.LineLimit)
	full := limit >= 0 && len(r.line) >= limit
	if full && (r.Discipline.String() != "drop_oldest" || len(r.line) == 0) {
		r.turn(a)
		if r.FullDrops && !r.tier().Async {
			a.unheard()
		}
		r.leftLater()
		return
	}
	first := append(r.line, x)[0].a
	r.line = append(r.line, x)
	a.trace(kernel.TraceRecord{What: kernel.TraceWait})
	if r.HasPatience {
		x.patience = r.w.at(r.w.now+patience, func() {
			r.reject(a)
			r.fill()
		})
	}
	r.await()
	switch {
	case full:
		r.turnAway(first)
	case behind:
		r.fill()
	}
}

// turnAway is what a full line does to somebody.
func (r *replica) turnAway(a *attempt) {
	r.turn(a)
	r.leftLater()
}

func (r *replica) turn(a *attempt) {
	if r.FullDrops {
		r.lose(a)
	} else {
		r.reject(a)
	}
}

// leftLater gives out the room that an attempt left that had begun, and slots that have come since
// somebody last asked for one.
func (r *replica) leftLater() {
	if r.tier().Async || r.sizes() {
		r.fill()
	}
}

// start lets somebody whose turn has come have a slot.
func (r *replica) start(x *wait) {
	x.patience.cancel()
	r.countWait(r.w.now - x.since)
	x.a.trace(kernel.TraceRecord{What: kernel.TraceStart, Wait: r.w.now - x.since})
	x.start(r.take(x.a))
}

// fill gives out all the room there is: slots to rejections, then to the line; then the flow
// limit's to the backlog.
func (r *replica) fill() {
	r.fillSlots()
	r.moveUp()
}

// fillSlots gives out slots, and tells whether somebody left without getting one.
func (r *replica) fillSlots() (left bool) {
	r.resize()
	for r.free() && len(r.rejections)+len(r.line) > 0 {
		if len(r.rejections) > 0 {
			x := r.rejections[0]
			r.rejections = r.rejections[1:]
			r.pay(x)
			continue
		}
		x := r.next()
		if r.pace.judge(r, r.w.now-x.since, len(r.line)-1) {
			r.turn(x.a)
			left = true
			if len(r.line) == 0 {
				r.pace.over()
			}
			continue
		}
		if r.tooLate(x.a) {
			r.lose(x.a)
			left = true
			continue
		}
		if !r.turned(x.a, r.w.now-x.since) {
			r.reject(x.a)
			left = true
			continue
		}
		r.line = slices.DeleteFunc(r.line, func(y *wait) bool { return y == x })
		r.start(x)
	}
	r.await()
	return left
}

// moveUp lets in who waits outside, as far as the flow limit allows.
func (r *replica) moveUp() {
	for len(r.backlog) > 0 && !r.full() && !r.closed() {
		a := r.backlog[0]
		r.backlog = r.backlog[1:]
		r.admit(a)
	}
}

// next is whose turn it is.
func (r *replica) next() *wait {
	best := r.line[0]
	for _, x := range r.line[1:] {
		switch r.Discipline.String() {
		case "lifo":
			best = x
		case "adaptive_lifo":
			if len(r.line) > r.SwitchAbove {
				best = x
			}
		case "edf":
			if x.a.deadline < best.a.deadline {
				best = x
			}
		case "priority":
			if x.a.rank > best.a.rank {
				best = x
			}
		}
	}
	return best
}

// tooLate tells whether the tier's deadline rule drops an attempt whose turn it is.
func (r *replica) tooLate(a *attempt) bool {
	if a.deadline == sim.Never {
		return false
	}
	switch r.tier().Deadline {
	case kernel.DropExpired:
		return a.deadline <= r.w.now
	case kernel.DropUnlikely:
		return r.w.now+a.endpoint().Expected > a.deadline
	}
	return false
}

// begin starts work in a slot that is held; a frozen replica puts it off to the end of the pause.
func (r *replica) begin(x *work) {
	if r.frozen() {
		r.putOff = append(r.putOff, x)
		x.timer = r.w.at(r.thaw(), func() {
			r.putOff = slices.DeleteFunc(r.putOff, func(y *work) bool { return y == x })
			r.begin(x)
		})
		return
	}
	if x.left < 0 {
		x.left = r.howLong(x.a, x.step)
	}
	x.whole, x.begun = x.left, r.w.now
	if r.shares() && (x.left > 0 || r.rejecting(x.a)) {
		r.shareOut(x)
		return
	}
	r.running = append(r.running, x)
	// The work of a rejection is an event even when its cost was taken back meanwhile.
	if r.rejecting(x.a) {
		x.timer = r.w.at(r.w.now+x.left, func() { r.end(x) })
		return
	}
	x.timer = r.w.after(x.left, func() { r.end(x) })
}

// end is where work would have ended had its replica not been frozen.
func (r *replica) end(x *work) {
	if late := x.late; late > 0 {
		x.late = 0
		x.timer = r.w.after(late, func() { r.end(x) })
		return
	}
	r.running = slices.DeleteFunc(r.running, func(y *work) bool { return y == x })
	x.a.worked += x.whole
	x.done()
}
