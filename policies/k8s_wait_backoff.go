package policies

import "cascadesim/sim"

// K8sWaitBackoff is wait.Backoff of Kubernetes' apimachinery, as retry.OnError uses it.
type K8sWaitBackoff struct {
	Steps    int      `yaml:"steps" doc:"Tries of one call, the first one included."`
	Duration sim.Time `yaml:"duration" doc:"The first wait, before jitter."`
	Factor   float64  `yaml:"factor" doc:"Growth of the wait; 0 is none."`
	Jitter   float64  `yaml:"jitter" doc:"Most that chance adds, as a share of the wait; 0: none."`
	Cap      sim.Time `yaml:"cap" doc:"Longest wait before jitter, which ends the tries; or none."`
}

var _ = builtin(Spec{
	Name: "k8s_wait_backoff",
	Doc: "Tries up to `steps` times and waits duration * factor^(n-1), each with U(0, jitter) of " +
		"itself added, as wait.ExponentialBackoff and retry.OnError of Kubernetes do. The wait is " +
		"truncated to nanoseconds at every step, and jitter is not carried on. Where the next wait " +
		"would exceed `cap` it becomes the cap and the steps end: the wait that was due is waited " +
		"and nothing is tried after it. This policy ends the call at once instead, since nobody " +
		"but the caller could tell. retry.DefaultBackoff is {steps: 4, duration: 10ms, factor: 5, " +
		"jitter: 0.1}. What is tried again is the caller's choice: a conflict, 409, for " +
		"retry.RetryOnConflict.",
	Example: "{steps: 4, duration: 10ms, factor: 5, jitter: 0.1}",
	Source:  "k8s.io/apimachinery v0.37.2, pkg/util/wait/backoff.go; client-go util/retry",
	Sure:    FromSource,
	Gates:   true,
	Paces:   true,
	Refuses: true,
}, K8sWaitBackoff{
	// retry.DefaultRetry: five tries, 10 ms apart.
	Steps: 5, Duration: 10 * sim.Millisecond, Factor: 1, Jitter: 0.1, Cap: sim.Never,
}, func(s K8sWaitBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.count("steps", s.Steps, 1)
	b.length("duration", s.Duration, 0)
	b.number("factor", s.Factor, 0, 1000)
	b.number("jitter", s.Jitter, 0, 1000)
	b.limit("cap", s.Cap, 1)
	return errs
}, func(s K8sWaitBackoff) func() Policy {
	w := newK8sWait(s)
	p := Policy{Gate: maxAttempts(w.tries), Pacer: w}
	if w.jitter == 0 && len(w.growth) == 1 {
		p.Fixed = w.growth[0]
	}
	return func() Policy { return p }
})

type k8sWait struct {
	growth growth
	jitter float64
	tries  int
}

func newK8sWait(s K8sWaitBackoff) *k8sWait {
	w := &k8sWait{jitter: s.Jitter, tries: s.Steps}
	if s.Factor == 0 { // nothing grows, and the cap is not looked at
		w.growth = growth{s.Duration}
		return w
	}
	step := 1 // of the wait that another is computed from
	w.growth = newGrowth(s.Duration, func(t sim.Time) sim.Time {
		then := times(t, s.Factor)
		if then > s.Cap {
			w.tries = min(w.tries, step)
			return t
		}
		step++
		return then
	})
	return w
}

func (w *k8sWait) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	t := w.growth.at(a.N - 2)
	if w.jitter > 0 {
		t += times(t, float64(a.Chance.Float64()*w.jitter))
	}
	return min(t, sim.MaxTime)
}
