package kernel

import (
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// triggerState is what a trigger remembers.
type triggerState struct {
	watch watch
	fired sim.Time // Never: it has not
}

func (w *world) initTriggers() {
	w.triggers = make([]triggerState, len(w.p.Triggers))
	for i := range w.triggers {
		p, s := &w.p.Triggers[i], &w.triggers[i]
		s.fired = sim.Never
		if p.When != nil {
			w.initWatch(&s.watch, p.When)
		}
	}
}

// scheduleTriggers sets the first looks, so early that conditions can be met at From.
func (w *world) scheduleTriggers(end sim.Time) {
	for i := range w.p.Triggers {
		p := &w.p.Triggers[i]
		if p.When == nil || p.Chained {
			continue
		}
		if at := max(0, p.From-p.When.Over); at < end {
			w.en.At(at, evLook, uint32(i))
		}
	}
}

// onLook looks at a trigger's condition until it is met.
func (w *world) onLook(id uint32) {
	p, s := &w.p.Triggers[id], &w.triggers[id]
	if w.watched(&s.watch) && w.now >= p.From {
		w.fireIn(id, p.After)
		return
	}
	w.atMost(w.now+p.When.Over/Looks, evLook, id)
}

func (w *world) fireIn(id uint32, after sim.Time) {
	if after == 0 {
		w.onFire(id)
		return
	}
	w.atMost(w.now+after, evFire, id)
}

// onFire begins what waits for a trigger: changes and pauses that begin with it at once, in the
// order of the plan, the others at their times from now; then the triggers that follow it.
func (w *world) onFire(id uint32) {
	s := &w.triggers[id]
	s.fired = w.now
	shift := w.now - w.p.Triggers[id].Nominal
	mine := int(id) + 1
	if w.tracer != nil {
		w.traceText(w.p.Triggers[id].Name)
	}
	for i := range w.p.Changes {
		if c := &w.p.Changes[i]; c.Trigger == mine {
			w.startAt(c.At+shift, evChange, uint32(i))
		}
	}
	for i := range w.p.Pauses {
		if p := &w.p.Pauses[i]; p.Trigger == mine {
			w.startAt(p.From+shift, evPause, uint32(i))
			w.atMost(p.To+shift, evUnpause, uint32(i))
		}
	}
	for i := range w.p.Controls {
		if w.p.Controls[i].Trigger == mine {
			w.onControl(uint32(i), 0)
		}
	}
	for i := range w.p.Triggers {
		switch p := &w.p.Triggers[i]; {
		case p.When != nil && !p.Chained || p.Follows != int(id):
		case p.Chained:
			w.atMost(w.now+p.Arm, evLook, uint32(i))
		default:
			w.fireIn(uint32(i), p.After)
		}
	}
}

// startAt lets a change or pause happen now, or at its time.
func (w *world) startAt(at sim.Time, k sim.Kind, id uint32) {
	switch {
	case at > w.now:
		w.atMost(at, k, id)
	case k == evChange:
		w.onChange(id)
	default:
		w.onPause(id)
	}
}

// firedMarks are the marks of the plan with those of triggers that fired, in order of time.
func (w *world) firedMarks() []Mark {
	marks := w.p.Marks
	for i := range w.triggers {
		at, p := w.triggers[i].fired, &w.p.Triggers[i]
		if at == sim.Never {
			continue
		}
		m := Mark{At: at, End: sim.Never, Text: p.Name}
		if p.Lasts != sim.Never {
			m.End = at + p.Lasts
		}
		k := len(marks)
		for k > 0 && marks[k-1].At > at {
			k--
		}
		marks = append(marks[:k:k], append([]Mark{m}, marks[k:]...)...)
	}
	return marks
}

// recordTriggers keeps when triggers fired, and warns of those that never did.
func (w *world) recordTriggers() {
	w.res.Marks = w.firedMarks()
	for i := range w.triggers {
		p, at := &w.p.Triggers[i], w.triggers[i].fired
		w.res.Fired = append(w.res.Fired, at)
		if at == sim.Never {
			w.res.Warnings = append(w.res.Warnings, stats.Warning{Code: "never-begun",
				Where: "timeline." + p.Name,
				Text:  "what it waits for did not happen, so it never began"})
		}
	}
}
