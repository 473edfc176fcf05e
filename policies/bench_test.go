package policies

import (
	"testing"

	"cascadesim/sim"
)

// BenchmarkAsk is what one try costs in all roles of a caller that a policy plays.
func BenchmarkAsk(b *testing.B) {
	for _, k := range Builtins().Kinds() {
		if k.Callee {
			continue
		}
		b.Run(k.Name, func(b *testing.B) {
			p := k.New(nil)
			a := Attempt{Deadline: sim.Never, Note: new(uint64)}
			outcomes := [...]Outcome{{Class: OK}, {Class: Error, Status: 503}}
			for n := 0; b.Loop(); n++ {
				a.N = 1 + n&1
				ask(nil, p, sim.Time(n)*sim.Millisecond, &a, outcomes[n>>1&1])
				if a.Last = outcomes[n>>1&1]; a.N == 2 {
					*a.Note = 0
				}
			}
		})
	}
}
