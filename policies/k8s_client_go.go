package policies

import "cascadesim/sim"

// K8sClientGo is what the REST client of Kubernetes' client-go retries by itself.
type K8sClientGo struct {
	MaxRetries int  `yaml:"max_retries" doc:"Retries beside the first try."`
	Get        bool `yaml:"get" doc:"The verb is GET, and broken connections are retried."`
}

var _ = builtin(Spec{
	Name: "k8s_client_go",
	Doc: "Retries as the REST client of client-go does: an answer only when it carries a " +
		"Retry-After and is 429 or 500 and above, after exactly that wait; and for GET a connection " +
		"that broke, as if it had asked for 1 s. Refused connections and timeouts are left to the " +
		"caller, and so is an error without a Retry-After: whoever wants those retried has a loop of " +
		"their own (k8s_wait_backoff, k8s_flowcontrol_backoff). Every try, the first too, passes the " +
		"client's limiter: add k8s_client_rate_limit. Watches retry otherwise and are not modelled.",
	Example: "{max_retries: 10}",
	Source:  "k8s.io/client-go v0.37.2, rest/with_retry.go and rest/request.go",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, K8sClientGo{
	// NewRequest; reads are most of what clients of an API server send.
	MaxRetries: 10, Get: true,
}, func(s K8sClientGo) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_retries", s.MaxRetries, 0)
	return errs
}, func(s K8sClientGo) func() Policy {
	r := &k8sClient{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// k8sClient holds nothing that changes, so one value serves every caller.
type k8sClient struct{ K8sClientGo }

func (r *k8sClient) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	if a.N > r.MaxRetries {
		return false
	}
	if !o.answered() {
		return r.Get && o.reset()
	}
	return o.hinted() && (o.Status == 429 || o.Status >= 500)
}

func (r *k8sClient) Wait(_ sim.Time, _ *Attempt, last Outcome) sim.Time {
	if !last.answered() {
		return sim.Second
	}
	return last.hint()
}
