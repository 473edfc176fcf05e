package policies

import (
	"errors"

	"cascadesim/sim"
)

// HystrixBreaker are the settings of a Netflix Hystrix command.
type HystrixBreaker struct {
	Volume  int      `yaml:"request_volume_threshold" scale:"s" doc:"Calls in the window below which it never opens; at least 1."`
	Percent int      `yaml:"error_threshold_percentage" doc:"Percentage of errors that opens it; 1 to 100."`
	Sleep   sim.Time `yaml:"sleep_window" doc:"How long it stays open; whole ms, 1 ms to 1 h."`
	Window  sim.Time `yaml:"rolling_stats_time" doc:"How long calls are remembered; 1 ms to 1 h."`
	Every   sim.Time `yaml:"health_snapshot_interval" doc:"How often the window is judged; at least 1 ms."`
	Most    int      `yaml:"max_concurrent_requests" scale:"s" doc:"Calls under way above which it refuses; 0 for any number."`

	Breaker      string `yaml:"breaker" enum:"half_open|single_test" doc:"How an open one is tested."`
	ClientErrors string `yaml:"client_errors" enum:"failure|bad_request|success" doc:"What an answer of status 400 to 499 is."`
	OnCancel     string `yaml:"on_cancel" enum:"timeout|cancelled" doc:"What an attempt is that the deadline of its call ends."`
	Unsubscribe  bool   `yaml:"unsubscribe_reopens" doc:"Whether any command that ends reopens a half-open breaker, as in 1.5.13."`
}

var _ = builtin(Spec{
	Name: "hystrix_breaker",
	Doc: "The circuit breaker of Netflix Hystrix 1.5, with the semaphore or thread pool around a " +
		"command, whose rejections it counts as errors. Every `health_snapshot_interval` it looks at " +
		"the whole intervals of the last `rolling_stats_time`, and opens if they hold at least " +
		"`request_volume_threshold` calls and int(100 * errors / calls) is at least " +
		"`error_threshold_percentage`; until then everything passes. Later than `sleep_window` (whole " +
		"milliseconds) after that one call is let through: its success closes the breaker and empties " +
		"the window, anything else opens it again. Answers of calls from before the opening do the " +
		"same. That is half_open, the breaker of its documentation, of 1.5.12, and of 1.5.13 and the " +
		"last source, in which it has a mistake (unsubscribe_reopens): every command that ends while " +
		"the probe is under way reopens the breaker, even one that was short-circuited, and the " +
		"probe's success then closes nothing (issues 1781, 1853, 1861): with calls more frequent than " +
		"the probe is short it stays open for good. single_test is the breaker up to 1.5.11, to which " +
		"1.5.14 to 1.5.18, the last release, went back: it opens as the first call comes after such a " +
		"look; later than sleep_window after that, or after the last test began, one call is let " +
		"through as a test, whatever became of the one before; any success, of a call from before the " +
		"opening too, closes it and empties the window, and a failure changes nothing. A bad_request " +
		"is not counted, but reopens a half-open one. An attempt that the deadline of its call ends is " +
		"a timeout, or cancelled, as one always is whose caller has gone or that another copy beat: it " +
		"is unsubscribed, not counted, but reopens (in 1.5.12 it left the breaker half-open for good). " +
		"With `max_concurrent_requests` under way a call is refused, and counted as an error. The " +
		"command's timeout, 1 s, is the edge's; a thread is taken to be free when its call has " +
		"timed out. What a later policy of the stack refuses is an exception of the command. Not " +
		"modelled: a pool's queue (none by default), fallbacks, request caches, collapsing. At a scale " +
		"the volume is divided: below ten, single errors decide.",
	Example: "{sleep_window: 5s, max_concurrent_requests: 0}",
	Source: "Netflix/Hystrix@7c03bafe and v1.5.18, HystrixCircuitBreaker, HealthCountsStream, " +
		"AbstractCommand",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, HystrixBreaker{
	// The product's defaults (HystrixCommandProperties); 10 is both the semaphore's permits and the
	// thread pool's size. The breaker is the one that its documentation describes.
	Volume: 20, Percent: 50, Sleep: 5 * sim.Second, Window: 10 * sim.Second,
	Every: 500 * sim.Millisecond, Most: 10,
	Breaker: "half_open", ClientErrors: "failure", OnCancel: "timeout",
}, checkHystrixBreaker, func(s HystrixBreaker) func() Policy {
	t := &hystrixTerms{
		volume:      s.Volume,
		percent:     s.Percent,
		sleep:       int64(s.Sleep / sim.Millisecond),
		every:       s.Every,
		buckets:     int(s.Window / s.Every),
		most:        s.Most,
		badRequests: s.ClientErrors == "bad_request",
		forgives:    s.ClientErrors == "success",
		timeouts:    s.OnCancel == "timeout",
		singleTest:  s.Breaker == "single_test",
		unsubscribe: s.Unsubscribe,
	}
	return func() Policy {
		b := &hystrixBreaker{terms: t}
		b.health.past = make([]hystrixBucket, t.buckets)
		b.health.next = t.every
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level, Breaker: true, Seed: b.seed}
	}
})

func checkHystrixBreaker(s HystrixBreaker) []error {
	errs := mistakes(
		outside("request_volume_threshold", s.Volume, 1, 1e9),
		outside("error_threshold_percentage", s.Percent, 1, 100),
		outsideTime("sleep_window", s.Sleep, sim.Millisecond, sim.Hour),
		outsideTime("rolling_stats_time", s.Window, sim.Millisecond, sim.Hour),
		outsideTime("health_snapshot_interval", s.Every, max(sim.Millisecond, s.Window/maxBuckets),
			max(sim.Millisecond, s.Window)),
		outside("max_concurrent_requests", s.Most, 0, 1e9),
	)
	if s.Unsubscribe && s.Breaker != "half_open" {
		errs = append(errs, errors.New("unsubscribe_reopens: a breaker of "+s.Breaker+
			" is never half-open; write breaker: half_open"))
	}
	return errs
}

type hystrixTerms struct {
	volume, percent       int
	sleep                 int64 // ms
	every                 sim.Time
	buckets               int
	most                  int
	badRequests, forgives bool
	timeouts, unsubscribe bool
	singleTest            bool
}

type hystrixBreaker struct {
	terms    *hystrixTerms
	state    breakerState
	opened   int64 // ms; of the last opening, or of the last single test
	underway int
	health   hystrixHealth
}

// seed shifts the snapshots, which begin when a process first runs the command: those of a hundred
// processes are not at the same instants.
func (b *hystrixBreaker) seed(chance sim.Stream) {
	b.health.next = 1 + sim.Time(chance.Intn(uint64(b.terms.every)))
}

// Admit takes a thread, and makes the probe of who is it.
func (b *hystrixBreaker) Admit(now sim.Time, _ *Attempt) bool {
	b.look(now)
	if !b.passes(now) {
		if b.terms.unsubscribe {
			b.markNonSuccess(now) // the short-circuited command has ended
		}
		return false
	}
	b.probe(now) // the breaker comes before the pool
	if b.terms.most > 0 && b.underway >= b.terms.most {
		b.health.count(true)
		b.markNonSuccess(now)
		return false
	}
	b.underway++
	return true
}

// passes tells whether the breaker lets a call through. One of single tests looks only now whether
// it must open.
func (b *hystrixBreaker) passes(now sim.Time) bool {
	if b.terms.singleTest {
		b.trip(now)
	}
	return b.state == breakerClosed || b.state == breakerOpen && b.slept(now)
}

// Unsent: an exception of what the command wraps is a failure of the command.
func (b *hystrixBreaker) Unsent(now sim.Time, a *Attempt, o Outcome) { b.Observe(now, a, o) }

// slept tells whether an open breaker has been so, or untested, for longer than its sleep window.
func (b *hystrixBreaker) slept(now sim.Time) bool {
	return int64(now/sim.Millisecond) > b.opened+b.terms.sleep
}

// probe makes the first one after the sleep window the probe. A single test has the window begin
// again at once, so that another follows whatever becomes of it.
func (b *hystrixBreaker) probe(now sim.Time) {
	switch {
	case b.state != breakerOpen:
	case b.terms.singleTest:
		b.opened = int64(now / sim.Millisecond)
	default:
		b.state = breakerHalfOpen
	}
}

func (b *hystrixBreaker) Observe(now sim.Time, _ *Attempt, o Outcome) {
	b.look(now)
	b.underway--
	switch {
	case o.letGo(), o.Cancelled && !b.terms.timeouts:
		b.markNonSuccess(now)
	case o.Class == OK || b.terms.forgives && o.clientError():
		b.markSuccess(now)
		b.health.count(false)
	case b.terms.badRequests && o.clientError():
		b.markNonSuccess(now)
	default:
		b.markNonSuccess(now)
		b.health.count(true)
	}
}

// markSuccess closes a half-open breaker, or an open one of single tests. The count that follows is
// the first of the new window.
func (b *hystrixBreaker) markSuccess(now sim.Time) {
	if b.state == breakerHalfOpen || b.state == breakerOpen && b.terms.singleTest {
		b.state = breakerClosed
		b.health.restart(now + b.terms.every)
	}
}

func (b *hystrixBreaker) markNonSuccess(now sim.Time) {
	if b.state == breakerHalfOpen {
		b.state = breakerOpen
		b.opened = int64(now / sim.Millisecond)
	}
}

// look takes the snapshots that are due. One at this very instant comes first, as a timer does.
func (b *hystrixBreaker) look(now sim.Time) {
	h := &b.health
	for h.next <= now {
		at := h.next
		h.next += b.terms.every
		h.shift()
		if !b.terms.singleTest {
			b.trip(at)
		}
		if h.total == 0 && h.next <= now { // nothing changes until now
			h.next += (now - h.next) / b.terms.every * b.terms.every
		}
	}
}

// trip opens a closed breaker if the last snapshot wants it.
func (b *hystrixBreaker) trip(at sim.Time) {
	if b.state == breakerClosed && b.health.total >= b.terms.volume &&
		b.health.percentage() >= b.terms.percent {
		b.state = breakerOpen
		b.opened = int64(at / sim.Millisecond)
	}
}

func (b *hystrixBreaker) level(now sim.Time) float64 {
	if b.state == breakerOpen && b.slept(now) {
		return breakerHalfOpen.level()
	}
	return b.state.level()
}
