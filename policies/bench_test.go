package policies

import (
	"testing"

	"cascadesim/sim"
)

// BenchmarkAsk is what one try costs in all roles that a policy plays. Half of the tries are
// retries, half fail, and a try comes each millisecond; docs/performance.md has the figures.
func BenchmarkAsk(b *testing.B) {
	for _, k := range Builtins().Kinds() {
		b.Run(k.Name, func(b *testing.B) {
			p := ready(k.New(nil))
			a := Attempt{Deadline: sim.Never, Note: new(uint64)}
			outcomes := [...]Outcome{{Class: OK}, {Class: Error, Status: 503}}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				a.N = 1 + n&1
				now, o := sim.Time(n)*sim.Millisecond, outcomes[n>>1&1]
				if k.Callee {
					askCallee(p, now, &a, o)
				} else {
					ask(nil, p, now, &a, o)
				}
				if a.Last = o; a.N == 2 {
					*a.Note = 0
				}
			}
		})
	}
}
