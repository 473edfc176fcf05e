package policies

import (
	"fmt"
	"math"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// AWSAdaptive is the rate limiter that adaptive mode adds to standard mode.
type AWSAdaptive struct {
	Throttling  string    `yaml:"throttling" enum:"status_429|rejected" doc:"What throttles."`
	MinFillRate unit.Rate `yaml:"min_fill_rate" scale:"s" doc:"The lowest rate; from 0.001/s."`
}

var _ = builtin(Spec{
	Name: "aws_adaptive",
	Doc: "Holds attempts back, first tries too, as the client rate limiter of AWS SDKs in adaptive " +
		"mode; that mode is this policy beside aws_standard with the same `throttling`. It lets " +
		"everything pass until an attempt is throttled for the first time, and limits for good from " +
		"then on. Its bucket fills at a rate that follows the formulas of CUBIC: throttling " +
		"sets it to 0.7 of the lesser of the rate that it measures and the rate allowed; else it " +
		"grows as 0.4 * (t - K)^3 + wmax in the seconds t since, at most to twice the rate " +
		"measured, never below min_fill_rate. The rate is measured over half seconds, 0.8 new to " +
		"0.2 old. A 500 or a timeout is no throttling and lets it grow. An attempt that finds no " +
		"token waits for the time that one takes, and competes again: nobody queues. The limiter " +
		"belongs to a client: scope instance. Waits are rounded up to nanoseconds (the product " +
		"rounds down and asks again). The bucket holds at least one token, which a scaled run " +
		"does not divide.",
	Example: "{throttling: rejected}",
	Source: "aws-sdk-go-v2 v1.48.0 aws/retry/adaptive_ratelimit.go; botocore 1.43.67 " +
		"retries/adaptive.py, bucket.py and throttling.py",
	Sure:     FromSource,
	Observes: true,
	Stateful: true,
}, AWSAdaptive{
	// The rate is the SDKs'; 429 is the one status that says by itself that it throttles.
	Throttling: "status_429", MinFillRate: 0.5,
}, func(s AWSAdaptive) []error {
	if rate := float64(s.MinFillRate); !(rate >= 0.001 && rate <= 1e6) {
		return []error{fmt.Errorf("min_fill_rate: %s; 0.001/s to 1e6/s", s.MinFillRate)}
	}
	return nil
}, func(s AWSAdaptive) func() Policy {
	t := &adaptiveTerms{rejected: s.Throttling == "rejected", least: float64(s.MinFillRate)}
	return func() Policy {
		l := &awsAdaptive{terms: t}
		return Policy{Shaper: l, Observer: l, Level: l.level}
	}
})

// The constants of the limiter. They are variables of a fixed type: 1 minus a rounded 0.8 is what
// the products compute with.
const (
	cubicBeta   float64 = 0.7
	cubicScale  float64 = 0.4
	cubicSmooth float64 = 0.8
	// adaptiveBucket is the shortest time over which the rate is measured.
	adaptiveBucket = sim.Second / 2
)

type adaptiveTerms struct {
	rejected bool
	least    float64 // tokens per second
}

// awsAdaptive is the limiter of one client, which began at time 0. Rates are per second.
type awsAdaptive struct {
	terms   *adaptiveTerms
	enabled bool

	fill, capacity, tokens float64
	filled                 sim.Time // up to when the tokens have been added

	measured float64
	count    int64
	bucket   sim.Time // the half second that the last measure ended with

	wmax      float64
	throttled sim.Time // when last
}

// Delay takes a token, or says when there will be one. The tokens may fall short by what rounding
// takes, for which a nanosecond more is asked.
func (l *awsAdaptive) Delay(now sim.Time, _ *Attempt) sim.Time {
	if !l.enabled {
		return 0
	}
	l.refill(now)
	if l.tokens >= 1 {
		l.tokens--
		return 0
	}
	return max(1, sim.Time(math.Ceil((1-l.tokens)/l.fill*float64(sim.Second))))
}

func (l *awsAdaptive) refill(now sim.Time) {
	l.tokens, l.filled = l.held(now), now
}

func (l *awsAdaptive) held(now sim.Time) float64 {
	return min(l.tokens+float64((now-l.filled).Seconds()*l.fill), l.capacity)
}

// Observe adjusts the rate to how an attempt ended.
func (l *awsAdaptive) Observe(now sim.Time, _ *Attempt, o Outcome) {
	l.update(now, awsErrorOf(o, l.terms.rejected) == awsThrottling)
}

func (l *awsAdaptive) update(now sim.Time, throttled bool) {
	l.measure(now)
	var rate float64
	if throttled {
		l.wmax = l.measured
		if l.enabled {
			l.wmax = min(l.measured, l.fill)
		}
		l.throttled, l.enabled = now, true
		rate = l.wmax * cubicBeta
	} else {
		rate = cubicRate(l.wmax, now-l.throttled)
	}
	rate = min(rate, 2*l.measured)
	l.refill(now)
	l.fill = max(rate, l.terms.least)
	l.capacity = max(rate, 1)
	l.tokens = min(l.tokens, l.capacity)
}

// measure counts an answer, and averages when a half second has ended.
func (l *awsAdaptive) measure(now sim.Time) {
	l.count++
	bucket := now / adaptiveBucket
	if bucket <= l.bucket {
		return
	}
	rate := float64(l.count) / (float64(bucket-l.bucket) * 0.5)
	l.measured = float64(rate*cubicSmooth) + float64(l.measured*(1-cubicSmooth))
	l.count, l.bucket = 0, bucket
}

// cubicWindow is the time, in seconds, that a rate takes to come back to wmax.
func cubicWindow(wmax float64) float64 {
	return sim.Pow(wmax*(1-cubicBeta)/cubicScale, 1.0/3)
}

// cubicRate is the rate so long after throttling at wmax.
func cubicRate(wmax float64, since sim.Time) float64 {
	t := since.Seconds() - cubicWindow(wmax)
	return float64(cubicScale*(t*t*t)) + wmax
}

func (l *awsAdaptive) level(now sim.Time) float64 {
	if !l.enabled {
		return 1
	}
	return l.held(now) / l.capacity
}
