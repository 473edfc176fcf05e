package policies

import (
	"fmt"
	"math/bits"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FinagleBackoff is one of Finagle's lists of waits.
type FinagleBackoff struct {
	Kind       string   `yaml:"kind" enum:"const|exponential|linear|decorrelated_jittered|equal_jittered|exponential_jittered" doc:"Which list."`
	Start      sim.Time `yaml:"start" doc:"The first wait; above 0 where there is jitter."`
	Multiplier int      `yaml:"multiplier" doc:"Of exponential; 1 to 1000."`
	Offset     sim.Time `yaml:"offset" doc:"Of linear: what each wait adds."`
	Max        sim.Time `yaml:"max" doc:"Longest wait, at least start where there is jitter; none for no limit."`
	Take       int      `yaml:"take" doc:"How many waits the list has, and so retries a call; 0 for no end."`
	TakeUntil  sim.Time `yaml:"take_until" doc:"The list ends once its waits add up to this; 0 for no end."`
}

var _ = builtin(Spec{
	Name: "finagle_backoff",
	Doc: "Waits as Finagle's Backoff does, to the nanosecond, and refuses a retry when the list is " +
		"at its end. const waits start; exponential multiplies, and linear adds, until max. The " +
		"jittered kinds wait exactly start before the first retry, so clients that failed together " +
		"return together once. Then decorrelated_jittered waits U(previous, min(3 * previous, max)), " +
		"which only grows; equal_jittered h + U(0, h) of h = start * 2^(n-1); exponential_jittered " +
		"U(0, previous * 2^n), where shift and previous wait compound, which is not full jitter. Where " +
		"the last two reach max they wait exactly max ever after, all clients alike. An offset below " +
		"0, a multiplier of 0 and concat are not modelled.",
	Example: "{kind: equal_jittered, start: 100ms, max: 5s, take: 4}",
	Source:  "twitter/finagle@4feb34cb9 Backoff, RetryPolicy.tries",
	Sure:    FromSource,
	Gates:   true,
	Paces:   true,
	Refuses: true,
	Notes:   true,
}, FinagleBackoff{
	// RetryPolicy.tries(3): three tries is what its guide shows, the list is its own.
	Kind: "decorrelated_jittered", Start: 5 * sim.Millisecond, Max: 200 * sim.Millisecond, Take: 2,
	Multiplier: 2, Offset: 5 * sim.Millisecond, TakeUntil: 0,
}, checkFinagleBackoff, func(s FinagleBackoff) func() Policy {
	p := &finaglePacer{list: newFinagleList(s), take: s.Take, until: s.TakeUntil}
	return func() Policy { return Policy{Gate: p, Pacer: p} }
})

func checkFinagleBackoff(s FinagleBackoff) []error {
	var errs []error
	jittered := s.Kind != "const" && s.Kind != "exponential" && s.Kind != "linear"
	if s.Start < 0 || s.Start > sim.MaxTime || jittered && s.Start == 0 {
		errs = append(errs, fmt.Errorf("start: %s; not negative, and above 0 for a jittered list",
			unit.FormatDuration(s.Start)))
	}
	if s.Multiplier < 1 || s.Multiplier > 1000 {
		errs = append(errs, fmt.Errorf("multiplier: %d; 1 to 1000", s.Multiplier))
	}
	if s.Offset < 0 || s.Offset > sim.MaxTime {
		errs = append(errs, fmt.Errorf("offset: %s; not negative", unit.FormatDuration(s.Offset)))
	}
	if s.Max < 0 || jittered && s.Max < s.Start {
		errs = append(errs, fmt.Errorf("max: %s; not negative, and at least start for a jittered list",
			unit.FormatDuration(s.Max)))
	}
	if s.Take < 0 {
		errs = append(errs, fmt.Errorf("take: %d waits; 0 for a list without end", s.Take))
	}
	if s.TakeUntil < 0 {
		errs = append(errs, fmt.Errorf("take_until: %s; 0 for a list without end",
			unit.FormatDuration(s.TakeUntil)))
	}
	return errs
}

// finagleList computes the waits of one list. It holds nothing that changes.
type finagleList struct {
	next       func(l *finagleList, previous sim.Time, n int, luck uint64) sim.Time
	start      sim.Time
	multiplier sim.Time
	offset     sim.Time
	max        sim.Time
}

func newFinagleList(s FinagleBackoff) *finagleList {
	l := &finagleList{
		start: s.Start, multiplier: sim.Time(s.Multiplier), offset: s.Offset,
		max: min(s.Max, sim.MaxTime), // a longer wait ends after every run
	}
	switch s.Kind {
	case "const":
		l.next = (*finagleList).constant
	case "exponential":
		l.next = (*finagleList).exponential
	case "linear":
		l.next = (*finagleList).linear
	case "decorrelated_jittered":
		l.next = (*finagleList).decorrelated
	case "equal_jittered":
		l.next = (*finagleList).equal
	case "exponential_jittered":
		l.next = (*finagleList).exponentialJittered
	default:
		panic("policies: finagle_backoff has no kind " + s.Kind)
	}
	// Lists that begin at their end are constant, each kind in its own way.
	switch {
	case s.Kind == "exponential" && s.Multiplier == 1, s.Kind == "linear" && s.Offset == 0:
		l.next = (*finagleList).constant
	case s.Start >= l.max && s.Kind != "const":
		l.next, l.start = (*finagleList).constant, l.max
	}
	return l
}

// wait is number n of the list, from 1, after the previous one; luck is 64 random bits.
func (l *finagleList) wait(previous sim.Time, n int, luck uint64) sim.Time {
	if n <= 1 {
		return l.start
	}
	return l.next(l, previous, n-1, luck)
}

func (l *finagleList) constant(sim.Time, int, uint64) sim.Time { return l.start }

func (l *finagleList) exponential(previous sim.Time, _ int, _ uint64) sim.Time {
	if previous >= l.max/l.multiplier {
		return l.max
	}
	return previous * l.multiplier
}

func (l *finagleList) linear(previous sim.Time, _ int, _ uint64) sim.Time {
	if previous >= l.max-l.offset {
		return l.max
	}
	return previous + l.offset
}

func (l *finagleList) decorrelated(previous sim.Time, _ int, luck uint64) sim.Time {
	upper := 3 * previous
	if previous >= l.max/3 {
		upper = l.max
	}
	if upper <= previous {
		return previous
	}
	return previous + below(upper-previous, luck)
}

// equal is what follows value k of the list. Only a list that has become constant waits max.
func (l *finagleList) equal(previous sim.Time, k int, luck uint64) sim.Time {
	half := l.doubled(l.start, k-1)
	jitter := below(half, luck)
	if previous == l.max || half == l.max || half >= l.max-jitter {
		return l.max
	}
	return half + jitter
}

func (l *finagleList) exponentialJittered(previous sim.Time, k int, luck uint64) sim.Time {
	upper := l.doubled(previous, k)
	if previous == l.max || upper == l.max {
		return l.max
	}
	return below(upper, luck)
}

// doubled is t doubled so often, or max.
func (l *finagleList) doubled(t sim.Time, times int) sim.Time {
	shift := min(times, 62)
	if t >= l.max>>shift {
		return l.max
	}
	return t << shift
}

// below is a uniform whole number below n.
func below(n sim.Time, luck uint64) sim.Time {
	hi, _ := bits.Mul64(uint64(n), luck)
	return sim.Time(hi)
}

// finaglePacer is a list as a policy of a stack. The note is what its waits add up to.
type finaglePacer struct {
	list  *finagleList
	take  int
	until sim.Time
}

func (p *finaglePacer) Admit(_ sim.Time, a *Attempt) bool {
	if a.N == 1 {
		return true
	}
	return (p.take == 0 || a.N-1 <= p.take) && (p.until == 0 || sim.Time(*a.Note) < p.until)
}

func (p *finaglePacer) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	wait := p.list.wait(a.Wait, a.N-1, a.Chance.Uint64())
	*a.Note += uint64(wait)
	return wait
}
