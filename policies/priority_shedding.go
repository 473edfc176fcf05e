package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// PriorityShedding turns the least important away first.
type PriorityShedding struct {
	Capacity int        `yaml:"capacity" scale:"s" doc:"Attempts inside that are full utilisation."`
	Lowest   unit.Ratio `yaml:"lowest" doc:"Utilisation at which priority 0 is shed; to 10."`
	Highest  unit.Ratio `yaml:"highest" doc:"At which the most important is; from lowest to 10."`
	Levels   int        `yaml:"levels" doc:"Priorities there are: 0 to levels-1; 1 to 8."`
	Smooth   sim.Time   `yaml:"smoothing" doc:"Time constant of the utilisation; 0s for none."`
}

var _ = builtin(Spec{
	Name: "priority_shedding",
	Doc: "Turns an attempt away while the utilisation, attempts inside over `capacity`, smoothed " +
		"exponentially, is at or above the threshold of its priority: evenly spaced from `lowest` " +
		"for priority 0 to `highest` for levels-1. The Google SRE book sheds load by criticality " +
		"at thresholds of the utilisation of processors, but publishes neither the thresholds nor " +
		"the smoothing: these are this program's. It sheds lower priorities completely before it " +
		"touches a higher one, but what arrives within a time constant has entered before the " +
		"utilisation shows it. The tier's `reject` says what a rejection costs.",
	Example:  "{capacity: 100, lowest: 60%, highest: 100%}",
	Source:   "Google SRE book, chapter 21, Handling Overload",
	Sure:     Definition,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
}, PriorityShedding{
	// Four levels are the book's criticalities. 60 % is where shedding batch work costs little yet;
	// at 100 % everything inside is more than was planned for. A second of smoothing outlasts
	// bursts and is over well before callers time out.
	Capacity: 100, Lowest: 0.6, Highest: 1, Levels: 4, Smooth: sim.Second,
}, func(s PriorityShedding) []error {
	var errs []error
	if s.Capacity < 1 || s.Capacity > 1e9 {
		errs = append(errs, fmt.Errorf("capacity: %d attempts; 1 to 1e9", s.Capacity))
	}
	if low := float64(s.Lowest); !(low > 0 && low <= 10) {
		errs = append(errs, fmt.Errorf("lowest: %v; above 0 to 10, where 60%% is 0.6", low))
	}
	if high := float64(s.Highest); !(high >= max(0, float64(s.Lowest)) && high <= 10) {
		errs = append(errs, fmt.Errorf("highest: %v; lowest to 10, where 90%% is 0.9", high))
	}
	if s.Levels < 1 || s.Levels > 8 {
		errs = append(errs, fmt.Errorf("levels: %d; 1 to 8", s.Levels))
	}
	if s.Smooth < 0 || s.Smooth > sim.Hour {
		errs = append(errs, fmt.Errorf("smoothing: %s; 0s to 1h", unit.FormatDuration(s.Smooth)))
	}
	return errs
}, func(s PriorityShedding) func() Policy {
	return func() Policy {
		p := &priorityShedding{PriorityShedding: &s}
		return Policy{Admission: p, Finisher: p}
	}
})

type priorityShedding struct {
	*PriorityShedding
	inside   int
	smoothed float64 // attempts inside
	at       sim.Time
}

func (p *priorityShedding) Enter(now sim.Time, a *Attempt) bool {
	p.smooth(now)
	if p.smoothed >= p.threshold(a.Priority)*float64(p.Capacity) {
		return false
	}
	p.inside++
	p.settle()
	return true
}

func (p *priorityShedding) Finish(now sim.Time, _ *Attempt, _ sim.Time, _ Outcome) {
	p.smooth(now)
	p.inside--
	p.settle()
}

// threshold is the utilisation at which a priority is shed.
func (p *priorityShedding) threshold(priority int) float64 {
	top := p.Levels - 1
	priority = min(max(priority, 0), top)
	if priority == top {
		return float64(p.Highest)
	}
	share := float64(priority) / float64(top)
	return float64(p.Lowest) + float64(share*float64(p.Highest-p.Lowest))
}

// smooth brings the smoothed number up to now.
func (p *priorityShedding) smooth(now sim.Time) {
	if now > p.at && p.Smooth > 0 {
		inside := float64(p.inside)
		decay := sim.Exp(-float64(now-p.at) / float64(p.Smooth))
		p.smoothed = inside + float64((p.smoothed-inside)*decay)
	}
	p.at = now
}

// settle follows a change at once when nothing is smoothed.
func (p *priorityShedding) settle() {
	if p.Smooth == 0 {
		p.smoothed = float64(p.inside)
	}
}
