package oracle

import (
	"fmt"
	"slices"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// listener is an ejector that ejects nobody.
type listener struct{ told *[]string }

func (listener) Hosts(sim.Time, int)    {}
func (listener) Picked(sim.Time, int)   {}
func (listener) Out(sim.Time, int) bool { return false }

func (x listener) Report(now sim.Time, _ int, o policies.Outcome) {
	*x.told = append(*x.told, fmt.Sprint(now/sim.Millisecond, " ", o.Class))
}

// TestAnEjectorHearsOnceOfATryThatGoesOnAfterItsTimeout: at its timeout, and nothing of the answer.
func TestAnEjectorHearsOnceOfATryThatGoesOnAfterItsTimeout(t *testing.T) {
	for keeps, want := range map[bool]string{true: "3 timed_out", false: "3 timed_out"} {
		l := newLab(1)
		l.edge.Try = ms(3)
		var told []string
		l.more = func(b *Builder) {
			b.Plan.Edges[0].Home = 0
			b.Plan.Edges[0].Stack = []kernel.Use{{Name: "listener", Stride: 1}}
			b.Plan.States = []kernel.State{{Len: 1, New: func() policies.Policy {
				return policies.Policy{Ejector: listener{&told}, KeepTimedOut: keeps}
			}}}
		}
		p := l.plan()
		for name, tp := range both(t, p) {
			if got := tp.tell("settle"); keeps && got != "12 settle ok" {
				t.Errorf("%s: %s, want it answered at 12 ms", name, got)
			}
		}
		if !slices.Equal(told, []string{want, want}) {
			t.Errorf("keeps %t: oracle and kernel told %q, want %q of each", keeps, told, want)
		}
	}
}
