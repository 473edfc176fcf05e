package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// RetryAfter makes every rejection of a tier ask for a wait.
type RetryAfter struct {
	Base   sim.Time `yaml:"base" doc:"The shortest wait asked for; at most 24 h."`
	Jitter sim.Time `yaml:"jitter" doc:"Up to how much longer, drawn anew each time; to 24 h."`
	Whole  bool     `yaml:"whole_seconds" doc:"Round up to seconds, all that the header can say."`
}

var _ = builtin(Spec{
	Name: "retry_after",
	Doc: "Makes each rejection of its tier, whoever turned the attempt away, ask the caller to come " +
		"back after base + U(0, jitter). Without jitter all who were rejected at one moment come " +
		"back at one moment. The header of RFC 9110 counts whole seconds, so a jitter below one " +
		"second is lost with whole_seconds. A wait of 0 is asked for too: come back at once, which " +
		"OkHttp obeys and a gRPC client takes for a pushback of 0; what asks nothing is a tier " +
		"without this policy. It refuses nothing itself, and only callers whose pacer respects it " +
		"wait.",
	Example: "{base: 1s, jitter: 10s}",
	Source:  "RFC 9110 section 10.2.3 and RFC 6585; the jitter is this program's own",
	Sure:    Definition,
	Callee:  true,
}, RetryAfter{
	// A second, the same for everybody, is what the Kubernetes API server answered for years, and
	// the case to compare others with.
	Base: sim.Second, Whole: true,
}, func(s RetryAfter) []error {
	var errs []error
	for _, d := range []struct {
		name string
		t    sim.Time
	}{{"base", s.Base}, {"jitter", s.Jitter}} {
		if d.t < 0 || d.t > 24*sim.Hour {
			errs = append(errs, fmt.Errorf("%s: %s; 0s to 24h", d.name, unit.FormatDuration(d.t)))
		}
	}
	return errs
}, func(s RetryAfter) func() Policy {
	p := Policy{Answerer: &retryAfter{s}}
	return func() Policy { return p }
})

type retryAfter struct{ RetryAfter }

func (r *retryAfter) Answer(_ sim.Time, a *Attempt, o Outcome) Outcome {
	o.RetryAfter = r.wait(a.Chance.Float64())
	return o
}

// wait is what one rejection asks for. draw is in [0, 1).
func (r *retryAfter) wait(draw float64) sim.Time {
	wait := r.Base + sim.Time(draw*float64(r.Jitter))
	if r.Whole {
		wait = (wait + sim.Second - 1) / sim.Second * sim.Second
	}
	if wait == 0 {
		return RetryNow
	}
	return wait
}
