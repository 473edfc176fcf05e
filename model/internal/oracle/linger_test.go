package oracle

import (
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// lingering grants no retry, and lets its calls end 7 ms after that.
type lingering struct{}

func (lingering) Admit(_ sim.Time, a *policies.Attempt) bool { return a.N == 1 }

func (lingering) Linger(_ sim.Time, a *policies.Attempt, _ policies.Outcome) sim.Time {
	return sim.Time(a.N) * ms(7) / 2
}

// lingers is a lab whose only request fails at 2 ms, with that policy.
func lingers(atOnce bool, overall sim.Time) *lab {
	l := newLab(1)
	l.steps = []kernel.Step{Fail(1, 500)}
	l.edge.AtOnce, l.edge.Overall = atOnce, overall
	l.more = func(b *Builder) {
		e := &b.Plan.Edges[0]
		e.HasRetry = true
		e.RetryOn.Class[policies.Error] = true
		e.Stack = []kernel.Use{{Name: "lingering", Stride: 1}}
		b.Plan.States = []kernel.State{{Len: 1, New: func() policies.Policy {
			return policies.Policy{Gate: lingering{}, Lingerer: lingering{}}
		}}}
	}
	return l
}

// TestACallThatLingersEndsWithWhatItHad when the time is over, unless its deadline comes first.
func TestACallThatLingersEndsWithWhatItHad(t *testing.T) {
	lingers(false, 0).expect(t, "settle refused end", "2 settle error, 2 refused, 9 end error")
	lingers(false, ms(10)).expect(t, "settle refused end", "2 settle error, 2 refused, 9 end error")
	lingers(false, ms(9)).expect(t, "settle refused end",
		"2 settle error, 2 refused, 9 end timed_out")
	lingers(true, ms(9)).expect(t, "settle refused end",
		"2 settle error, 2 refused, 2 end timed_out")
}
