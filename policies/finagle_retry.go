package policies

import (
	"fmt"
	"math"
	"slices"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FinagleRetry is the retry module of a Finagle client: its filters, which share one budget.
type FinagleRetry struct {
	Filter string `yaml:"filter" enum:"requeue|retry|both" doc:"RequeueFilter, RetryFilter, or the second around the first."`

	TTL              sim.Time   `yaml:"ttl" doc:"Of the budget; 1 s to 60 s, whole ms."`
	MinRetriesPerSec unit.Rate  `yaml:"min_retries_per_sec" scale:"s" doc:"Of the budget; 0/s to 1M/s."`
	PercentCanRetry  unit.Ratio `yaml:"percent_can_retry" doc:"Of the budget; 0 to 1000."`

	MaxRetriesPerReq unit.Ratio `yaml:"max_retries_per_req" doc:"Share of the balance that one request may requeue; 0 to 1."`
	RequeueDelay     sim.Time   `yaml:"requeue_delay" doc:"Wait before each requeue."`
	RequeueTake      int        `yaml:"requeue_take" doc:"Waits in the list of requeues; 0 for no end, at most 63."`
	Nacks            bool       `yaml:"nacks" doc:"What the callee rejects is a nack, requeued as if never sent."`
	Classifier       string     `yaml:"response_classifier" enum:"server_errors_as_failures|default" doc:"Whether an answer of 5xx is a success that deposits."`

	RetryOn    []string `yaml:"retry_on" enum:"write_exceptions|timeouts|channel_closed|server_errors" doc:"What the RetryFilter tries again."`
	Backoff    string   `yaml:"backoff" enum:"const|exponential|linear|decorrelated_jittered|equal_jittered|exponential_jittered" doc:"Its list of waits, as in finagle_backoff."`
	Start      sim.Time `yaml:"start" doc:"Its first wait."`
	Multiplier int      `yaml:"multiplier" doc:"Of exponential; 1 to 1000."`
	Offset     sim.Time `yaml:"offset" doc:"Of linear."`
	Max        sim.Time `yaml:"max" doc:"Its longest wait; at most 4 min."`
	Take       int      `yaml:"take" doc:"Its retries of one request; 0 for no end, at most 63."`
}

var _ = builtin(Spec{
	Name: "finagle_retry",
	Doc: "Tries again as a Finagle client does, in place of retry_on and a wait. requeue is the " +
		"RequeueFilter that every client has: a connection that was refused or timed out before " +
		"anything was sent, and with `nacks` what the callee rejected, is sent again after " +
		"requeue_delay, at most ceil(max_retries_per_req * balance) times a request, of the balance at " +
		"its start; a request deposits at its end if it ended well. The order is Finagle's: what is " +
		"left of that number, then a withdrawal, then the list, so that a list at its end has cost a " +
		"token. retry is a RetryFilter with a list of one's own: a request deposits as it starts, " +
		"whatever becomes of it, and each retry withdraws once the list has given a wait. both is the " +
		"second around the first on one budget, from which the inner one only withdraws; a write that " +
		"it refuses to requeue is not tried again by the outer one, and each retry of the outer one " +
		"may requeue anew. Words: write_exceptions is what would be requeued, timeouts a try that ran " +
		"out of time at the callee, channel_closed a reset, server_errors an answer of 5xx, which the " +
		"filter of a client's stack never sees. That no replica is left is tried again by neither. An " +
		"answer below 5xx always deposits, and with the classifier default any answer. The budget is " +
		"that of finagle_budget, one for each client of a process (scope: instance). One request " +
		"requeues at most 4095 times here. Not modelled: requeues stop while the client's service is " +
		"not open, newClient acquires a session with 25 tries of no budget, and the admission control " +
		"of nacks.",
	Example:  "{filter: both, retry_on: [timeouts, channel_closed], backoff: equal_jittered, take: 2}",
	Source:   "twitter/finagle@4feb34cb9 Retries, RequeueFilter, RetryFilter, RetryPolicy, Backoff",
	Sure:     FromSource,
	Judges:   true,
	Gates:    true,
	Paces:    true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
}, FinagleRetry{
	// The budget is RetryBudget.apply(), the share and the endless list of 0 are those of Retries,
	// the classifier is that of its HTTP client, the list that of RetryPolicy.tries(3). Nacks are
	// off: only a callee that speaks Finagle's own headers sends them.
	Filter: "requeue", TTL: 10 * sim.Second, MinRetriesPerSec: 10, PercentCanRetry: 0.2,
	MaxRetriesPerReq: 0.2, RequeueDelay: 0, RequeueTake: 0, Nacks: false,
	Classifier: "server_errors_as_failures", RetryOn: []string{"write_exceptions"},
	Backoff: "decorrelated_jittered", Start: 5 * sim.Millisecond, Max: 200 * sim.Millisecond,
	Multiplier: 2, Offset: 5 * sim.Millisecond, Take: 2,
}, checkFinagleRetry, func(s FinagleRetry) func() Policy {
	t := newFinagleRetryTerms(s)
	return func() Policy {
		f := &finagleRetry{terms: t}
		f.budget.terms = t.budget
		p := Policy{Condition: f, Gate: f, Pacer: f, Starter: f, Level: f.budget.level}
		if !t.retries {
			p.Closer = f
		}
		return p
	}
})

func (s FinagleRetry) budget() FinagleBudget {
	return FinagleBudget{
		TTL: s.TTL, MinRetriesPerSec: s.MinRetriesPerSec, PercentCanRetry: s.PercentCanRetry,
	}
}

func (s FinagleRetry) list() FinagleBackoff {
	return FinagleBackoff{
		Kind: s.Backoff, Start: s.Start, Multiplier: s.Multiplier, Offset: s.Offset, Max: s.Max,
		Take: s.Take,
	}
}

func checkFinagleRetry(s FinagleRetry) []error {
	errs := append(checkFinagleBudget(s.budget()), checkFinagleBackoff(s.list())...)
	if p := float64(s.MaxRetriesPerReq); !(p >= 0 && p <= 1) {
		errs = append(errs, fmt.Errorf("max_retries_per_req: %v; 0 to 1", p))
	}
	if s.RequeueDelay < 0 || s.RequeueDelay > sim.MaxTime {
		errs = append(errs, fmt.Errorf("requeue_delay: %s; not negative",
			unit.FormatDuration(s.RequeueDelay)))
	}
	if s.RequeueTake < 0 || s.RequeueTake > finagleMost {
		errs = append(errs, fmt.Errorf("requeue_take: %d waits; 0 to %d", s.RequeueTake, finagleMost))
	}
	if s.Take > finagleMost {
		errs = append(errs, fmt.Errorf("take: %d waits; 0 to %d", s.Take, finagleMost))
	}
	if s.Start > finagleLongest {
		errs = append(errs, fmt.Errorf("start: %s; at most 4m", unit.FormatDuration(s.Start)))
	}
	if s.Max > finagleLongest {
		errs = append(errs, fmt.Errorf("max: %s; at most 4m", unit.FormatDuration(s.Max)))
	}
	return errs
}

// finagleRetryTerms are what all states of one place share.
type finagleRetryTerms struct {
	budget *finagleTerms

	requeues     bool // there is a RequeueFilter
	perRequest   float64
	requeueDelay sim.Time
	requeueTake  int
	nacks        bool
	anyAnswer    bool // deposits

	retries                       bool // there is a RetryFilter
	writes, late, closed, servers bool // its words
	list                          *finagleList
	take                          int
}

func newFinagleRetryTerms(s FinagleRetry) *finagleRetryTerms {
	return &finagleRetryTerms{
		budget:       newFinagleTerms(s.budget()),
		requeues:     s.Filter != "retry",
		perRequest:   float64(s.MaxRetriesPerReq),
		requeueDelay: s.RequeueDelay,
		requeueTake:  s.RequeueTake,
		nacks:        s.Nacks,
		anyAnswer:    s.Classifier == "default",
		retries:      s.Filter != "requeue",
		writes:       slices.Contains(s.RetryOn, "write_exceptions"),
		late:         slices.Contains(s.RetryOn, "timeouts"),
		closed:       slices.Contains(s.RetryOn, "channel_closed"),
		servers:      slices.Contains(s.RetryOn, "server_errors"),
		list:         newFinagleList(s.list()),
		take:         s.Take,
	}
}

// requeueable tells whether the request certainly did nothing at the callee: Finagle's
// RetryableWriteException.
func (t *finagleRetryTerms) requeueable(o Outcome) bool {
	if o.Unreached {
		return o.Class == Dropped || o.Class == TimedOut
	}
	return t.nacks && o.Class == Rejected
}

// retryable tells whether the RetryFilter's policy asks for a retry.
func (t *finagleRetryTerms) retryable(o Outcome) bool {
	switch {
	case t.requeueable(o):
		return t.writes
	case o.Class == TimedOut:
		return t.late
	case o.Class == Dropped:
		return t.closed
	}
	return t.servers && o.serverError()
}

// successful tells whether a request that ended so deposits at its end.
func (t *finagleRetryTerms) successful(o Outcome) bool {
	nack := t.nacks && o.Class == Rejected
	return o.answered() && !nack && (t.anyAnswer || !o.serverError())
}

// mayRequeue is how often one request may be requeued, as an integer of the JVM would have it.
func mayRequeue(share float64, balance int64) int64 {
	return int64(math.Ceil(share * float64(balance)))
}
