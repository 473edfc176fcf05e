package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FailAtScale gives an attempt less time in a line that has stood for a while.
type FailAtScale struct {
	Window sim.Time `yaml:"window" doc:"N: how long a line must have stood; also the usual timeout."`
	Short  sim.Time `yaml:"short_timeout" doc:"M: the timeout in a line that has stood; below N."`
}

var _ = builtin(Spec{
	Name: "fail_at_scale",
	Doc: "Gives each attempt that arrives a queue timeout: short_timeout if the line has not been " +
		"empty at any time in the last `window`, else `window`. At its turn one that has waited " +
		"longer is turned away. It is the controlled delay of Facebook's article, known from the " +
		"article only and no exact copy of any program: there a request may be dropped when its " +
		"time is over, while here that is found out at its turn, which changes when its caller " +
		"hears of it but not who is served. The article combines it with an adaptive LIFO, which " +
		"is a discipline of the line. It acts on waits in line and sees no work time.",
	Example:  "{window: 100ms, short_timeout: 5ms}",
	Source:   "B. Maurer, Fail at Scale, ACM Queue 13(8), 2015",
	Sure:     FromDocument,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
}, FailAtScale{
	// Both are the article's, which found them to work for many services without tuning.
	Window: 100 * sim.Millisecond, Short: 5 * sim.Millisecond,
}, func(s FailAtScale) []error {
	var errs []error
	if s.Window <= 0 || s.Window > sim.Hour {
		errs = append(errs, fmt.Errorf("window: %s; above 0s to 1h", unit.FormatDuration(s.Window)))
	}
	if s.Short <= 0 || s.Short > max(s.Window, 0) {
		errs = append(errs, fmt.Errorf("short_timeout: %s; above 0s, at most the window",
			unit.FormatDuration(s.Short)))
	}
	return errs
}, func(s FailAtScale) func() Policy {
	return func() Policy {
		f := &failAtScale{FailAtScale: &s}
		return Policy{Admission: f, Turner: f, Finisher: f}
	}
})

// failAtScale counts who waits. The note of an attempt is its timeout, 0 once its turn has come.
type failAtScale struct {
	*FailAtScale
	waiting int
	empty   sim.Time // when the line was empty last, if it is not now
}

func (f *failAtScale) Enter(now sim.Time, a *Attempt) bool {
	if f.waiting == 0 {
		f.empty = now
	}
	f.waiting++
	*a.Note = uint64(f.timeout(now))
	return true
}

// timeout is what an attempt that arrives now gets.
func (f *failAtScale) timeout(now sim.Time) sim.Time {
	if f.empty < now-f.Window {
		return f.Short
	}
	return f.Window
}

func (f *failAtScale) Turn(now sim.Time, a *Attempt, waited sim.Time) bool {
	timeout := sim.Time(*a.Note)
	f.quit(now, a)
	return waited <= timeout
}

func (f *failAtScale) Finish(now sim.Time, a *Attempt, _ sim.Time, _ Outcome) {
	if *a.Note != 0 {
		f.quit(now, a) // it gave up in line, or the line was full
	}
}

func (f *failAtScale) quit(now sim.Time, a *Attempt) {
	*a.Note = 0
	f.waiting--
	if f.waiting == 0 {
		f.empty = now
	}
}
