package policies

import "cascadesim/sim"

// K8sFlowcontrolBackoff is flowcontrol.Backoff of Kubernetes' client-go.
type K8sFlowcontrolBackoff struct {
	Initial sim.Time `yaml:"initial_duration" doc:"The first wait, before jitter."`
	Max     sim.Time `yaml:"max_duration" doc:"Longest wait; twice that of idleness forgets."`
	Jitter  float64  `yaml:"max_jitter_factor" doc:"Most that chance adds, as a share of the wait."`
	Reset   bool     `yaml:"reset_on_success" doc:"A success forgets the failures."`
}

var _ = builtin(Spec{
	Name: "k8s_flowcontrol_backoff",
	Doc: "Waits as flowcontrol.Backoff of client-go does, one entry for each state: the first " +
		"failure waits initial_duration, each further one twice the last up to max_duration, whichever " +
		"call fails; an entry that was idle for more than 2 * max_duration starts anew. Jitter adds " +
		"U(0, max_jitter_factor) of the last wait and is carried on. The client's users reset it when " +
		"they succeed, which reset_on_success does. It is a wait only, and one that calls share: ten " +
		"calls that fail together wait as ten failures of one.",
	Example:  "{initial_duration: 1s, max_duration: 60s}",
	Source:   "k8s.io/client-go v0.37.2, util/flowcontrol/backoff.go",
	Sure:     FromSource,
	Paces:    true,
	Observes: true,
	Stateful: true,
}, K8sFlowcontrolBackoff{
	// There are no defaults; 10 s to 5 min is what the kubelet restarts containers with.
	Initial: 10 * sim.Second, Max: 300 * sim.Second, Reset: true,
}, func(s K8sFlowcontrolBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.length("initial_duration", s.Initial, 1)
	b.length("max_duration", s.Max, 1)
	b.number("max_jitter_factor", s.Jitter, 0, 1000)
	return errs
}, func(s K8sFlowcontrolBackoff) func() Policy {
	return func() Policy {
		b := &k8sFlowcontrol{terms: &s}
		p := Policy{Pacer: b}
		if s.Reset {
			p.Observer = b
		}
		return p
	}
})

type k8sFlowcontrol struct {
	terms   *K8sFlowcontrolBackoff
	backoff sim.Time // 0: no entry
	updated sim.Time
}

func (b *k8sFlowcontrol) Wait(now sim.Time, a *Attempt, _ Outcome) sim.Time {
	added := 0.0
	if b.terms.Jitter > 0 {
		added = float64(a.Chance.Float64() * b.terms.Jitter)
	}
	b.next(now, added)
	return b.backoff
}

// next counts a failure; added is the share of the wait that chance adds. The first wait is not cut
// to the longest.
func (b *k8sFlowcontrol) next(now sim.Time, added float64) {
	if b.backoff == 0 || now-b.updated > 2*b.terms.Max {
		b.backoff = b.terms.Initial
		b.backoff = min(b.backoff+times(b.backoff, added), sim.MaxTime)
	} else {
		b.backoff = min(2*b.backoff+times(b.backoff, added), b.terms.Max)
	}
	b.updated = now
}

func (b *k8sFlowcontrol) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		b.backoff = 0
	}
}
