package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Gobreaker are the settings of sony/gobreaker, version 2.
type Gobreaker struct {
	MaxRequests int      `yaml:"max_requests" doc:"Probes let through while half-open, and successes in a row that close; at least 1."`
	Interval    sim.Time `yaml:"interval" doc:"How often a closed breaker forgets its counts; 0 for never."`
	Bucket      sim.Time `yaml:"bucket_period" doc:"The interval is forgotten bucket by bucket of this length; 0 for all at once."`
	Timeout     sim.Time `yaml:"timeout" doc:"How long it stays open; at least 1 ns."`
	OnCancel    string   `yaml:"on_cancel" enum:"failure|excluded" doc:"What an attempt is that is given up because its call has ended."`

	Failures string `yaml:"failures" enum:"not_ok|5xx|transient|unanswered" doc:"Which outcomes are failures."`

	ReadyToTrip string     `yaml:"ready_to_trip" enum:"failures|ratio" doc:"What opens it: failures in a row, or their share."`
	Consecutive int        `yaml:"consecutive_failures" doc:"Of failures: it opens at more in a row than this."`
	MinRequests int        `yaml:"min_requests" scale:"s" doc:"Of ratio: requests that there must be; at least 1."`
	Ratio       unit.Ratio `yaml:"failure_ratio" doc:"Of ratio: share of failures that opens it; above 0 to 1."`
}

var _ = builtin(Spec{
	Name: "gobreaker",
	Doc: "The circuit breaker of sony/gobreaker v2. It opens when ready_to_trip says so, which is " +
		"asked after failures only: failures is more than `consecutive_failures` in a row; " +
		"ratio is " +
		"`failure_ratio` of at least `min_requests`, the example of its documentation. Later " +
		"than " +
		"`timeout` after that it is half-open: it lets `max_requests` through at a time, so many " +
		"successes in a row close it, and one failure opens it again. Each change of state, " +
		"and each " +
		"end of an interval, begins a generation; what becomes of attempts of older " +
		"generations is not " +
		"counted. With an interval of 0 a closed breaker never forgets. " + failingDoc + "An " +
		"attempt " +
		"that is given up, at the deadline of its call, because its caller has gone or because " +
		"another " +
		"copy was faster, has an error, a failure; or is excluded where IsExcluded knows a " +
		"context's " +
		"errors (on_cancel), without which copies that lose count as failures. What a later " +
		"policy of " +
		"the stack refuses is an error, and a failure. All breakers that opened together probe " +
		"together: there is no jitter. A probe that is never answered keeps its " +
		"place for good. At a scale min_requests is divided: below ten, single failures " +
		"decide. Not " +
		"modelled: the distributed breaker, and other functions for ReadyToTrip.",
	Example:  "{timeout: 30s, interval: 10s, ready_to_trip: ratio, min_requests: 20}",
	Source:   "sony/gobreaker v2.4.0, gobreaker.go and counter.go",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
	AtSend:   true,
}, Gobreaker{
	// The product's, except that min_requests and failure_ratio are those of its example.
	MaxRequests: 1, Timeout: 60 * sim.Second,
	ReadyToTrip: "failures", Consecutive: 5,
	MinRequests: 3, Ratio: 0.6,
	Failures: "not_ok", OnCancel: "failure",
}, checkGobreaker, func(s Gobreaker) func() Policy {
	t := &gobreakerTerms{
		maxRequests: uint32(s.MaxRequests),
		interval:    s.Interval,
		period:      s.Interval,
		timeout:     s.Timeout,
		byRatio:     s.ReadyToTrip == "ratio",
		row:         uint32(s.Consecutive),
		minRequests: uint32(s.MinRequests),
		ratio:       float64(s.Ratio),
		failing:     parseFailing(s.Failures),
		excludes:    s.OnCancel == "excluded",
	}
	if s.Interval > 0 && s.Bucket > 0 {
		// The product rounds the interval up to whole buckets.
		t.buckets = int((s.Interval + s.Bucket - 1) / s.Bucket)
		t.period = s.Bucket
		t.interval = sim.Time(t.buckets) * s.Bucket
	}
	return func() Policy {
		b := &gobreaker{terms: t}
		if t.buckets >= 2 {
			b.counts.buckets = make([]gobreakerCounts, t.buckets)
		}
		b.begin(0)
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level, Breaker: true}
	}
})

func checkGobreaker(s Gobreaker) []error {
	errs := mistakes(
		outside("max_requests", s.MaxRequests, 1, 1e9),
		outsideTime("interval", s.Interval, 0, sim.MaxTime),
		outsideTime("bucket_period", s.Bucket, 0, sim.MaxTime),
		outsideTime("timeout", s.Timeout, 1, sim.MaxTime),
		outside("consecutive_failures", s.Consecutive, 0, 1e9),
		outside("min_requests", s.MinRequests, 1, 1e9),
	)
	if !(s.Ratio > 0 && s.Ratio <= 1) {
		errs = append(errs, fmt.Errorf("failure_ratio: %s; above 0 to 1",
			unit.FormatRatio(s.Ratio)))
	}
	if s.Bucket > 0 && s.Interval/s.Bucket > maxBuckets {
		errs = append(errs, fmt.Errorf("bucket_period: %s makes more than %d buckets of %s",
			unit.FormatDuration(s.Bucket), maxBuckets, unit.FormatDuration(s.Interval)))
	}
	return errs
}

// maxBuckets bounds what a window may cost each state.
const maxBuckets = 100_000

type gobreakerTerms struct {
	maxRequests      uint32
	interval, period sim.Time // of a whole window, of a bucket
	buckets          int      // 0: a fixed window
	timeout          sim.Time
	byRatio          bool
	row, minRequests uint32
	ratio            float64
	failing          failing
	excludes         bool
}

type gobreaker struct {
	terms      *gobreakerTerms
	state      breakerState
	generation uint64
	start      sim.Time // of the generation
	expiry     sim.Time // when it ends by itself
	counts     gobreakerWindow
}

func (b *gobreaker) Admit(now sim.Time, a *Attempt) bool {
	b.look(now)
	if b.state == breakerOpen ||
		b.state == breakerHalfOpen && b.counts.all.valid() >= b.terms.maxRequests {
		return false
	}
	b.counts.request()
	lend(a.Note, a.N, b.generation)
	return true
}

// Unsent: an error of what it wraps is an error.
func (b *gobreaker) Unsent(now sim.Time, a *Attempt, o Outcome) { b.Observe(now, a, o) }

func (b *gobreaker) Observe(now sim.Time, a *Attempt, o Outcome) {
	ticket, lent := redeem(a.Note, a.N)
	b.look(now)
	if !lent || !sameGeneration(ticket, b.generation) {
		return
	}
	age := b.ageAt(now - o.Latency)
	switch {
	case b.terms.excludes && o.Cancelled:
		b.counts.exclude(age)
	case b.terms.failing.counts(o):
		b.fail(now, age)
	default:
		b.succeed(now, age)
	}
}

func (b *gobreaker) succeed(now sim.Time, age int64) {
	b.counts.succeed(age)
	if b.state == breakerHalfOpen && b.counts.all.successRow >= b.terms.maxRequests {
		b.turn(now, breakerClosed)
	}
}

func (b *gobreaker) fail(now sim.Time, age int64) {
	if b.state == breakerHalfOpen {
		b.turn(now, breakerOpen)
		return
	}
	b.counts.fail(age)
	if b.trips() {
		b.turn(now, breakerOpen)
	}
}

func (b *gobreaker) trips() bool {
	c, t := &b.counts.all, b.terms
	if !t.byRatio {
		return c.failureRow > t.row
	}
	return c.requests >= t.minRequests && float64(c.failures)/float64(c.requests) >= t.ratio
}

// look lets time change the state. All comparisons are strict: the breaker is still open, and an
// interval still runs, at the very nanosecond at which they end.
func (b *gobreaker) look(now sim.Time) {
	switch {
	case b.expiry < now && b.state == breakerClosed:
		b.begin(now)
	case b.expiry < now && b.state == breakerOpen:
		b.turn(now, breakerHalfOpen)
	case b.state == breakerClosed && b.terms.buckets >= 2:
		b.counts.grow(int64((now - b.start) / b.terms.period))
	}
}

func (b *gobreaker) turn(now sim.Time, to breakerState) {
	b.state = to
	b.begin(now)
}

// begin starts a generation.
func (b *gobreaker) begin(now sim.Time) {
	b.generation++
	b.start = now
	b.expiry = sim.Never
	b.counts.clear()
	switch b.state {
	case breakerClosed:
		if b.terms.interval > 0 && b.terms.buckets < 2 {
			b.expiry = now + b.terms.interval
		}
	case breakerOpen:
		b.expiry = now + b.terms.timeout
	case breakerHalfOpen:
	}
}

// ageAt is the bucket of an attempt of this generation that was sent then.
func (b *gobreaker) ageAt(sent sim.Time) int64 {
	if b.state != breakerClosed || b.terms.buckets < 2 || sent < b.start {
		return 0
	}
	return int64((sent - b.start) / b.terms.period)
}

func (b *gobreaker) level(now sim.Time) float64 {
	if b.state == breakerOpen && b.expiry < now {
		return breakerHalfOpen.level()
	}
	return b.state.level()
}
