package oracle

import (
	"fmt"
	"slices"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// around is a wrapper that lets everything pass, and says what it is asked and told.
type around struct {
	name string
	told *[]string
}

func (x around) say(now sim.Time, what string) {
	*x.told = append(*x.told, fmt.Sprintf("%d %s %s", now/sim.Millisecond, x.name, what))
}

func (x around) Admit(now sim.Time, _ *policies.Attempt) bool {
	x.say(now, "asked")
	return true
}

func (x around) Unsent(now sim.Time, a *policies.Attempt, o policies.Outcome) {
	x.say(now, fmt.Sprintf("unsent %d %s %t", a.N, o.Class, o.Cancelled))
}

func (x around) Observe(now sim.Time, _ *policies.Attempt, o policies.Outcome) {
	x.say(now, o.Class.String())
}

// inner holds a try back for 4 ms, once, and then lets it pass or not.
type inner struct {
	passes bool
	held   map[int]bool
	told   around
}

func (x inner) Delay(now sim.Time, a *policies.Attempt) sim.Time {
	x.told.say(now, "asked to wait")
	if x.held[a.N] {
		return 0
	}
	x.held[a.N] = true
	return ms(4)
}

func (x inner) Admit(now sim.Time, _ *policies.Attempt) bool {
	x.told.say(now, "asked")
	return x.passes
}

// TestWhoStandsAroundALimiterHearsOfWhatItHolds: a breaker is asked before the limiter within it,
// and told what became of the try: that it went, was refused, or ended with its call.
func TestWhoStandsAroundALimiterHearsOfWhatItHolds(t *testing.T) {
	for _, c := range []struct {
		passes  bool
		perCall bool
		overall sim.Time
		want    []string
	}{
		{true, false, 0, []string{"0 b asked", "0 l asked to wait", "4 l asked to wait", "4 l asked",
			"16 b ok"}},
		{false, false, 0, []string{"0 b asked", "0 l asked to wait", "4 l asked to wait", "4 l asked",
			"4 b unsent 1 refused false"}},
		{true, false, ms(3), []string{"0 b asked", "0 l asked to wait", "3 b unsent 1 timed_out true"}},
		{false, true, 0, []string{"0 b asked", "0 l asked to wait", "4 l asked to wait", "4 l asked",
			"4 b unsent 0 refused false"}},
		{true, true, ms(3), []string{"0 b asked", "0 l asked to wait", "3 b unsent 0 timed_out true"}},
		{true, true, 0, []string{"0 b asked", "0 l asked to wait", "4 l asked to wait", "4 l asked",
			"16 b ok"}},
	} {
		l := newLab(1)
		l.edge.Overall = c.overall
		var told []string
		l.more = func(b *Builder) {
			e := &b.Plan.Edges[0]
			e.Stack = []kernel.Use{
				{Name: "breaker", Stride: 1, PerCall: c.perCall}, {Name: "limiter", Stride: 1, State: 1},
			}
			b.Plan.States = []kernel.State{
				{Name: "b", Len: 1, AtSend: true, New: func() policies.Policy {
					x := around{"b", &told}
					return policies.Policy{Gate: x, Wrapper: x, Observer: x}
				}},
				{Name: "l", Len: 1, AtSend: true, New: func() policies.Policy {
					x := inner{c.passes, map[int]bool{}, around{"l", &told}}
					return policies.Policy{Gate: x, Shaper: x}
				}},
			}
		}
		both(t, l.plan())
		half := len(told) / 2
		if !slices.Equal(told[:half], c.want) || !slices.Equal(told[half:], c.want) {
			t.Errorf("oracle, kernel: %q\nwant %q of each", told, c.want)
		}
	}
}
