package kernel

import (
	"math"

	"cascadesim/sim"
)

// Control moves settings through stages, up while all is well and back when it is not.
type Control struct {
	Name     string
	Entry    int      // of the timeline
	From     sim.Time // begins then
	Lasts    sim.Time // and ends so long after; Never: it stays
	Trigger  int      // unless 0: begins when the trigger of that number less one fires
	Stages   []Stage
	CoolDown sim.Time // after a step back, before the stage is observed
	ToBottom bool     // a step back is to the first stage, else to the one before
}

// Stage is what holds in one stage of a control.
type Stage struct {
	Name    string
	Layers  []Change // whose At means nothing; each on a param of its own
	Observe sim.Time // above 0
	Pass    []Watch  // all must be met over the time observed to go up, or to stay in the last stage
}

// StageMark is a stay of a control in a stage, from At to the mark that follows it.
type StageMark struct {
	Control, Stage int // Stage -1: it has ended
	At             sim.Time
	Back           bool // it began by a step back

	Looks, Misses int     // observations that ended, and those of them that did not pass
	Unmet         int     // of the last miss: the first condition of Stage.Pass that was not met
	Value         float64 // and its measure; NaN: of nothing
}

// controlState is where a control is.
type controlState struct {
	stage     int // -1: it has not begun, or has ended
	mark      int // of this stay
	key       sim.Key
	observing bool
	since     sim.Time  // when the observation began
	watches   [][]watch // by stage
	before    []sums    // of the stage's watches
}

func (w *world) initControls() {
	w.controls = make([]controlState, len(w.p.Controls))
	for i := range w.controls {
		s := &w.controls[i]
		s.stage = -1
		for k := range w.p.Controls[i].Stages {
			pass := w.p.Controls[i].Stages[k].Pass
			watches := make([]watch, len(pass))
			for j := range pass {
				w.initWatch(&watches[j], &pass[j])
			}
			s.watches = append(s.watches, watches)
		}
	}
}

// onControl begins a control, or goes on with it when its cool-down or observation is over.
func (w *world) onControl(id uint32, key sim.Key) {
	p, s := &w.p.Controls[id], &w.controls[id]
	switch {
	case s.stage < 0 && s.key == 0:
		w.enterStage(id, 0, false)
		if p.Lasts != sim.Never {
			w.atMost(w.now+p.Lasts, evControlEnd, id)
		}
	case s.key != key:
		return // it has ended
	case !s.observing:
		w.observeStage(id)
	case w.stagePasses(id):
		if s.stage+1 < len(p.Stages) {
			w.enterStage(id, s.stage+1, false)
		} else {
			w.observeStage(id)
		}
	case s.stage == 0:
		w.observeStage(id)
	case p.ToBottom:
		w.enterStage(id, 0, true)
	default:
		w.enterStage(id, s.stage-1, true)
	}
}

// enterStage puts a stage's settings in the place of those of the one before.
func (w *world) enterStage(id uint32, stage int, back bool) {
	p, s := &w.p.Controls[id], &w.controls[id]
	w.leaveStage(id, p.Stages[stage].Layers)
	s.stage = stage
	s.mark = len(w.res.Stages)
	w.res.Stages = append(w.res.Stages,
		StageMark{Control: int(id), Stage: stage, At: w.now, Back: back})
	if w.tracer != nil {
		w.traceText(p.Name + ": " + p.Stages[stage].Name)
	}
	for i := range p.Stages[stage].Layers {
		w.set(&p.Stages[stage].Layers[i])
	}
	if back && p.CoolDown > 0 {
		s.observing = false
		s.key = w.en.At(min(w.now+p.CoolDown, sim.MaxTime), evControl, id)
		return
	}
	w.observeStage(id)
}

// leaveStage lifts the settings of the present stage that the next one does not have.
func (w *world) leaveStage(id uint32, next []Change) {
	s := &w.controls[id]
	if s.stage < 0 {
		return
	}
	for _, c := range w.p.Controls[id].Stages[s.stage].Layers {
		kept := false
		for i := range next {
			kept = kept || next[i].Param == c.Param
		}
		if !kept {
			c.Op = Lift
			w.set(&c)
		}
	}
}

// observeStage begins an observation of the present stage.
func (w *world) observeStage(id uint32) {
	s := &w.controls[id]
	s.observing, s.since = true, w.now
	s.before = s.before[:0]
	for i := range s.watches[s.stage] {
		x := &s.watches[s.stage][i]
		x.now.Reset()
		s.before = append(s.before, w.sumsOf(x))
	}
	over := w.p.Controls[id].Stages[s.stage].Observe
	s.key = w.en.At(min(w.now+over, sim.MaxTime), evControl, id)
}

// stagePasses tells whether all conditions were met over the observation, and keeps that it ended.
func (w *world) stagePasses(id uint32) bool {
	s := &w.controls[id]
	m := &w.res.Stages[s.mark]
	m.Looks++
	for i := range s.watches[s.stage] {
		if value := w.observed(s, i); !s.watches[s.stage][i].p.met(value) {
			m.Misses++
			m.Unmet, m.Value = i, value
			return false
		}
	}
	return true
}

// observed is the measure of a stage's condition over the observation; NaN: of nothing.
func (w *world) observed(s *controlState, i int) float64 {
	x := &s.watches[s.stage][i]
	switch q := x.p.Quantile; {
	case q == 0:
		return x.p.value(s.before[i], w.sumsOf(x), w.now-s.since)
	case x.now.Count() == 0:
		return math.NaN()
	default:
		return float64(x.now.Quantile(q))
	}
}

// onControlEnd lifts all that a control has set.
func (w *world) onControlEnd(id uint32) {
	w.leaveStage(id, nil)
	s := &w.controls[id]
	s.stage, s.key = -1, ^sim.Key(0)
	w.res.Stages = append(w.res.Stages, StageMark{Control: int(id), Stage: -1, At: w.now})
}
