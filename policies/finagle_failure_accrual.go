package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FinagleFailureAccrual are the settings of Finagle's failure accrual.
type FinagleFailureAccrual struct {
	Policy   string     `yaml:"policy" enum:"both|consecutive_failures|success_rate" doc:"What marks a host dead."`
	Row      int        `yaml:"num_failures" doc:"Failures in a row that mark a host dead; at least 1."`
	Required unit.Ratio `yaml:"required_success_rate" doc:"The average below which it is marked dead; 0 to 1."`
	Window   sim.Time   `yaml:"success_rate_window" doc:"Mean age of the average; whole ms, 5 ms to 24 h."`
	Least    int        `yaml:"min_request_threshold" scale:"s" doc:"Requests in the window there must be."`
	Start    sim.Time   `yaml:"mark_dead_start" doc:"How long it is dead first; 1 ns to 24 h."`
	Most     sim.Time   `yaml:"mark_dead_max" doc:"How long at most; at least mark_dead_start."`
	Failures string     `yaml:"response_classifier" enum:"not_ok|5xx|transient|unanswered" doc:"What counts as failure; 5xx is ServerErrorsAsFailures, unanswered the Default."`
}

var _ = builtin(Spec{
	Name: "finagle_failure_accrual",
	Doc: "Keeps replicas that fail out of the choice, as Finagle's clients do, each for itself: " +
		"`num_failures` in a row (and at each further one without a success) or a success rate below " +
		"`required_success_rate` mark a host dead. The rate is an average whose weights fall by e in " +
		"each `success_rate_window`, on a clock of milliseconds: of several answers in one millisecond " +
		"only the first counts. It marks only once the host has been known for a whole window. The " +
		"time dead is equal-jittered: exactly `mark_dead_start` first, then h + U(0, h) of h = start * " +
		"2^(n-1) up to `mark_dead_max`; each policy has a list of its own, and the longer time wins. " +
		"After it one request probes the host: a success forgets everything, a failure asks the " +
		"policies again, of which the first five failures may say nothing. When every host is dead or " +
		"probed, all are in the choice. " + failingDoc + "What is given up because its caller has gone " +
		"or another copy was faster is ignored, and the probe that it was is made again; so it is over " +
		"mux and after a backup request, while over HTTP a caller that has gone counts as a failure. A " +
		"real balancer may still pick a dead host when few are left alive. Not modelled: that; other " +
		"responses to be ignored; other windows (of requests), other lists, marks by fail-fast.",
	Example:  "{policy: consecutive_failures, num_failures: 5}",
	Source:   "twitter/finagle@4feb34cb9 FailureAccrualFactory, FailureAccrualPolicy, Ema",
	Sure:     FromSource,
	Stateful: true,
}, FinagleFailureAccrual{
	// FailureAccrualFactory's defaultPolicy, and the classifier of its HTTP client.
	Policy: "both", Row: 5, Required: 0.8, Window: 30 * sim.Second, Least: 5,
	Start: 5 * sim.Second, Most: 300 * sim.Second, Failures: "5xx",
}, func(s FinagleFailureAccrual) []error {
	return mistakes(
		outside("num_failures", s.Row, 1, 1e9),
		outsideReal("required_success_rate", float64(s.Required), 0, 1),
		outsideTime("success_rate_window", s.Window, 5*sim.Millisecond, 24*sim.Hour),
		outside("min_request_threshold", s.Least, 0, 1e9),
		outsideTime("mark_dead_start", s.Start, 1, 24*sim.Hour),
		outsideTime("mark_dead_max", s.Most, max(1, s.Start), 24*sim.Hour),
	)
}, func(s FinagleFailureAccrual) func() Policy {
	t := &accrualTerms{
		row:      s.Row,
		required: float64(s.Required),
		window:   milliseconds(s.Window),
		least:    int64(s.Least),
		byRow:    s.Policy != "success_rate",
		byRate:   s.Policy != "consecutive_failures",
		failing:  parseFailing(s.Failures),
		list:     newFinagleList(FinagleBackoff{Kind: "equal_jittered", Start: s.Start, Max: s.Most}),
	}
	return func() Policy {
		a := &failureAccrual{terms: t, penalties: penalties{due: sim.Never}}
		return Policy{Ejector: a, Seed: a.seed, Level: a.level}
	}
})

type accrualTerms struct {
	row           int
	required      float64
	window        int64 // ms
	least         int64
	byRow, byRate bool
	failing       failing
	list          *finagleList
}

// failureAccrual is one client's view of its hosts.
type failureAccrual struct {
	penalties
	terms  *accrualTerms
	counts []accrualHost
	chance sim.Stream
}

// accrualHost is one host. It is made when the client first hears of it.
type accrualHost struct {
	failures int // in a row
	byRow    markDead

	start   int64 // ms; since when its success rate is known
	last    int64 // ms; of the last answer
	sampled bool  // there has been one
	average float64
	counts  accrualWindow
	byRate  markDead
}

// markDead is how far a policy has come in its list of times.
type markDead struct {
	n    int
	last sim.Time
}

// accrualWindow counts requests in five slices.
type accrualWindow struct {
	slices [accrualSlices - 1]int64
	ring   finagleRing
}

const accrualSlices = 5

func (a *failureAccrual) seed(chance sim.Stream) { a.chance = chance }

func (a *failureAccrual) Hosts(now sim.Time, n int) {
	a.resize(n)
	for len(a.counts) < n {
		a.counts = append(a.counts, newAccrualHost(now))
	}
	a.counts = a.counts[:n]
}

func (a *failureAccrual) Out(now sim.Time, host int) bool {
	a.look(now)
	return a.hosts[host].state.out() && a.out < len(a.hosts)
}

func (a *failureAccrual) Report(now sim.Time, host int, o Outcome) {
	a.look(now)
	if host >= len(a.hosts) {
		return // it has left meanwhile
	}
	state := a.hosts[host].state
	switch {
	case o.letGo():
		a.again(host)
	case !a.terms.failing.counts(o):
		a.succeeded(now, host)
	case state == hostOpen || state == hostProbed:
		if dead := a.failed(now, &a.counts[host]); dead > 0 {
			a.shut(host, now+dead)
		} else {
			a.again(host) // the policies were not sure
		}
	}
}

// again lets a host be probed again whose probe came to nothing.
func (a *failureAccrual) again(host int) {
	if a.hosts[host].state == hostProbed {
		a.set(host, hostProbation)
	}
}

func (a *failureAccrual) succeeded(now sim.Time, host int) {
	h := &a.counts[host]
	if a.hosts[host].state == hostProbed {
		a.set(host, hostOpen)
		*h = newAccrualHost(now)
	}
	h.failures = 0
	h.sample(milliseconds(now), 1, a.terms)
}

// failed asks both policies, and is how long the host is to be dead; 0 when neither fires.
func (a *failureAccrual) failed(now sim.Time, h *accrualHost) (dead sim.Time) {
	t := a.terms
	h.sample(milliseconds(now), 0, t)
	if t.byRate && milliseconds(now)-h.start >= t.window && h.average < t.required &&
		h.counts.ring.sum(h.counts.slices[:]) >= t.least {
		dead = a.next(&h.byRate)
	}
	h.failures++
	if t.byRow && h.failures >= t.row {
		dead = max(dead, a.next(&h.byRow))
	}
	return dead
}

func (a *failureAccrual) next(m *markDead) sim.Time {
	m.n++
	m.last = a.terms.list.wait(m.last, m.n, a.chance.Uint64())
	return m.last
}

// newAccrualHost is what a host begins with, and what a good probe makes of it.
func newAccrualHost(now sim.Time) accrualHost {
	h := accrualHost{start: milliseconds(now)}
	h.counts.ring.rolled = h.start
	return h
}

// sample puts an answer into the average, 1 or 0.
func (h *accrualHost) sample(ms int64, x float64, t *accrualTerms) {
	h.counts.ring.roll(h.counts.slices[:], ms, t.window/accrualSlices)
	h.counts.ring.written++
	if !h.sampled {
		h.sampled, h.average = true, x
	} else {
		w := sim.Exp(-float64(ms-h.last) / float64(t.window))
		h.average = float64(x*(1-w)) + float64(h.average*w)
	}
	h.last = ms
}
