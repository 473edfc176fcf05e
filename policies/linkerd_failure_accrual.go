package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// LinkerdFailureAccrual are the settings of Linkerd's circuit breaking.
type LinkerdFailureAccrual struct {
	Mode        string   `yaml:"mode" enum:"consecutive|unified" doc:"The first, or the alpha one, which has a success rate too."`
	MaxFailures int      `yaml:"max_failures" doc:"Failures in a row that take a replica out; 0 for none, of unified."`
	MinPenalty  sim.Time `yaml:"min_penalty" doc:"How long it is out first, before jitter; at least 1 ns."`
	MaxPenalty  sim.Time `yaml:"max_penalty" doc:"How long at most; at least min_penalty."`
	Jitter      float64  `yaml:"jitter_ratio" doc:"Jitter is up to this share of the penalty; 0 to 100."`

	Threshold unit.Ratio `yaml:"success_rate_threshold" doc:"Of unified: below this it is taken out; 0 for never."`
	Window    sim.Time   `yaml:"success_rate_window" doc:"Of unified: what is remembered; 10 ms to 24 h."`
	Least     int        `yaml:"success_rate_min_requests" scale:"s" doc:"Of unified: answers there must be; 0 to 1e6."`
}

var _ = builtin(Spec{
	Name: "linkerd_failure_accrual",
	Doc: "Keeps replicas that fail out of the choice, as a Linkerd proxy does, each for itself. " +
		"Failures are no answer and statuses from 500 on. `max_failures` in a row take a replica out " +
		"for `min_penalty`; then one request probes it, a success brings it back, a failure doubles " +
		"the penalty, up to `max_penalty`. To it comes U(0, jitter_ratio * penalty), of which only the " +
		"whole seconds of the penalty's whole seconds are kept, as the proxy's arithmetic has it: " +
		"penalties of 1 s and 2 s have no jitter at all at the default ratio. The first answer after " +
		"the penalty decides, even that of a request from before. What is given up because its caller " +
		"has gone or another copy was faster is not heard of. A probe that is never answered or given " +
		"up so keeps the replica out for good. Unlike elsewhere there is no panic threshold: when all " +
		"are out, requests wait in the proxy's queue and fail after 3 s; here they are turned away at " +
		"once. unified also takes out below `success_rate_threshold` of the last `success_rate_window` " +
		"(ten buckets) with at least `success_rate_min_requests`, where 429 counts as failure; a probe " +
		"answered 429 has failed. Not modelled: penalties of the balancer's load, Retry-After hints, " +
		"ejection protection.",
	Example:  "{max_failures: 7, min_penalty: 1s, max_penalty: 60s}",
	Source:   "linkerd/linkerd2-proxy@29637b64f http/breaker, exp-backoff; linkerd2@b24cd4059",
	Sure:     FromSource,
	Stateful: true,
}, LinkerdFailureAccrual{
	// The policy controller's defaults.
	Mode: "consecutive", MaxFailures: 7, MinPenalty: sim.Second, MaxPenalty: 60 * sim.Second,
	Jitter: 0.5, Threshold: 0.8, Window: 10 * sim.Second, Least: 5,
}, func(s LinkerdFailureAccrual) []error {
	fewest := 0
	if s.Mode == "consecutive" {
		fewest = 1
	}
	return mistakes(
		outside("max_failures", s.MaxFailures, fewest, 1e9),
		outsideTime("min_penalty", s.MinPenalty, 1, 24*sim.Hour),
		outsideTime("max_penalty", s.MaxPenalty, max(1, s.MinPenalty), 24*sim.Hour),
		outsideReal("jitter_ratio", s.Jitter, 0, 100),
		outsideReal("success_rate_threshold", float64(s.Threshold), 0, 1),
		outsideTime("success_rate_window", s.Window, 10*sim.Millisecond, 24*sim.Hour),
		outside("success_rate_min_requests", s.Least, 0, 1e6),
	)
}, func(s LinkerdFailureAccrual) func() Policy {
	t := &linkerdAccrualTerms{
		row:     s.MaxFailures,
		min:     s.MinPenalty,
		max:     s.MaxPenalty,
		jitter:  s.Jitter,
		unified: s.Mode == "unified",
		least:   s.Least,
		width:   s.Window / linkerdBuckets,
		failing: fails5xx,
	}
	if t.unified {
		// The proxy keeps it in hundredths of a percent.
		t.threshold = float64(int64(float64(float64(s.Threshold)*10_000)+0.5)) / 10_000
	}
	return func() Policy {
		l := &linkerdAccrual{terms: t, penalties: penalties{due: sim.Never}}
		return Policy{Ejector: l, Seed: l.seed, Level: l.level}
	}
})

const linkerdBuckets = 10

type linkerdAccrualTerms struct {
	row       int
	min, max  sim.Time
	jitter    float64
	unified   bool
	threshold float64
	least     int
	width     sim.Time // of a bucket
	failing   failing
}

// linkerdAccrual is one proxy's view of the replicas of a service.
type linkerdAccrual struct {
	penalties
	terms  *linkerdAccrualTerms
	counts []linkerdHost
	chance sim.Stream
}

type linkerdHost struct {
	tries    int // penalties since it was last open
	failures int // in a row
	rate     linkerdRate
}

func (l *linkerdAccrual) seed(chance sim.Stream) { l.chance = chance }

func (l *linkerdAccrual) Hosts(now sim.Time, n int) {
	l.resize(n)
	for len(l.counts) < n {
		l.counts = append(l.counts, linkerdHost{rate: linkerdRate{start: now}})
	}
	l.counts = l.counts[:n]
}

func (l *linkerdAccrual) Out(now sim.Time, host int) bool {
	l.look(now)
	return l.hosts[host].state.out()
}

func (l *linkerdAccrual) Report(now sim.Time, host int, o Outcome) {
	l.look(now)
	if host >= len(l.hosts) || o.letGo() {
		return // it has left meanwhile, or nobody was there to see what the answer was
	}
	h, failed := &l.counts[host], l.terms.failing.counts(o)
	limited := l.terms.unified && o.is(429)
	switch l.hosts[host].state {
	case hostOpen:
		if l.trips(now, h, failed, limited) {
			h.tries = 0
			l.eject(now, host)
		}
	case hostShut: // answers of before are not heard
	case hostProbation, hostProbed:
		if failed || limited {
			l.eject(now, host)
			return
		}
		l.set(host, hostOpen)
		*h = linkerdHost{rate: linkerdRate{start: now}}
	}
}

// trips counts an answer of an open replica and tells whether it is now taken out.
func (l *linkerdAccrual) trips(now sim.Time, h *linkerdHost, failed, limited bool) bool {
	t := l.terms
	if h.failures++; !failed {
		h.failures = 0
	}
	tripped := t.row > 0 && h.failures >= t.row
	if t.threshold > 0 {
		h.rate.record(now, t.width, !failed && !limited)
		good, all := h.rate.sum()
		tripped = tripped || all >= t.least && float64(good)/float64(all) < t.threshold
	}
	return tripped
}

func (l *linkerdAccrual) eject(now sim.Time, host int) {
	luck := 0.0
	if l.terms.jitter > 0 {
		luck = l.chance.Float64()
	}
	h := &l.counts[host]
	l.shut(host, now+l.terms.penalty(h.tries, luck))
	h.tries++
}

// penalty is how long a replica is out after so many failed probes; luck is a uniform in [0, 1).
// The proxy multiplies whole seconds and the rest by the same number, and cuts off each product.
func (t *linkerdAccrualTerms) penalty(probes int, luck float64) sim.Time {
	base := t.max
	if probes < 62 && t.min <= t.max>>probes {
		base = t.min << probes
	}
	factor := luck * t.jitter
	jitter := sim.Time(float64(base/sim.Second)*factor) * sim.Second
	jitter += sim.Time(float64(base%sim.Second) * factor)
	return base + min(jitter, t.max-base)
}

// linkerdRate counts answers in a ring of ten buckets.
type linkerdRate struct {
	buckets [linkerdBuckets]struct{ good, all uint32 }
	current int
	start   sim.Time // of the current bucket
}

func (r *linkerdRate) record(now, width sim.Time, good bool) {
	steps := int64((now - r.start) / width)
	r.start += sim.Time(steps) * width
	for range min(steps, linkerdBuckets) {
		r.current = (r.current + 1) % linkerdBuckets
		r.buckets[r.current] = struct{ good, all uint32 }{}
	}
	b := &r.buckets[r.current]
	b.all++
	if good {
		b.good++
	}
}

func (r *linkerdRate) sum() (good, all int) {
	for _, b := range r.buckets {
		good += int(b.good)
		all += int(b.all)
	}
	return good, all
}
