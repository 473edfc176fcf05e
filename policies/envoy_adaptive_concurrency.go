package policies

import (
	"math"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyAdaptiveConcurrency limits what is inside by how times compare with the least load's.
type EnvoyAdaptiveConcurrency struct {
	Percentile unit.Ratio `yaml:"sample_aggregate_percentile" doc:"What a sample of times is."`
	Most       int        `yaml:"max_concurrency_limit" scale:"s" doc:"The limit's upper bound."`
	Update     sim.Time   `yaml:"concurrency_update_interval" doc:"Between updates; whole ms."`

	MinInterval sim.Time   `yaml:"min_rtt_interval" doc:"Between measurements of minRTT; whole ms."`
	MinFixed    sim.Time   `yaml:"min_rtt_fixed_value" doc:"A minRTT that is never measured; 0: none."`
	MinRequests int        `yaml:"min_rtt_request_count" scale:"s" doc:"Times of a measurement."`
	MinJitter   unit.Ratio `yaml:"min_rtt_jitter" doc:"Most of the interval that is added to it."`
	Least       int        `yaml:"min_concurrency" scale:"s" doc:"The limit's lower bound."`
	Buffer      unit.Ratio `yaml:"min_rtt_buffer" doc:"Growth over minRTT that is no congestion."`
}

var _ = builtin(Spec{
	Name: "envoy_adaptive_concurrency",
	Doc: "Lets an attempt enter while fewer than the limit are inside, waiting ones included. At " +
		"every update the limit is multiplied by minRTT * (1 + buffer) / sampleRTT, within 0.5 and " +
		"2, and its square root is added as headroom; an interval without times changes nothing. " +
		"Every min_rtt_interval, plus up to jitter of it, the limit falls to min_concurrency until " +
		"request_count times are in, of which minRTT is the percentile: while that lasts most of " +
		"the load is turned away. So it begins, and so it does at once after five updates in a row " +
		"at min_concurrency. Attempts that entered before a measurement began count in none, and " +
		"those that their caller gave up have no time; every answer has, errors and what a full " +
		"line turned away too. Times are whole microseconds in bins of two decimal digits, as in " +
		"Envoy's histogram. With a fixed minRTT nothing is measured. The square root does not " +
		"scale: a run at a smaller scale has more headroom. Envoy answers 503.",
	Example: "{concurrency_update_interval: 100ms, min_rtt_interval: 30s}",
	Source:  "Envoy, gradient_controller.cc (054694f9); libcircllhist, circllhist.c",
	Sure:    FromSource,
	Callee:  true,
	Refuses: true, Spends: true,
	Stateful: true,
}, EnvoyAdaptiveConcurrency{
	// Envoy's, but for the two intervals, which it demands: 100 ms and 60 s are the values of the
	// example in its documentation.
	Percentile: 0.5, Most: 1000, Update: 100 * sim.Millisecond, MinInterval: 60 * sim.Second,
	MinRequests: 50, MinJitter: 0.15, Least: 3, Buffer: 0.25,
}, checkEnvoyConcurrency, func(s EnvoyAdaptiveConcurrency) func() Policy {
	return func() Policy {
		c := &envoyGradient{
			terms: &s, limit: s.Least, minRTT: int64(s.MinFixed / sim.Microsecond),
			nextUpdate: s.Update, nextMin: sim.Never,
		}
		if s.MinFixed == 0 {
			c.measure(0)
		}
		return Policy{Admission: c, Finisher: c, Level: c.level}
	}
})

func checkEnvoyConcurrency(s EnvoyAdaptiveConcurrency) []error {
	var b bounds
	share := func(field string, r unit.Ratio, most float64) {
		if x := float64(r); !(x >= 0 && x <= most) {
			b.say(field, "%s; 0%% to %s", r, unit.Ratio(most))
		}
	}
	interval := func(field string, t sim.Time) {
		if t < sim.Millisecond || t > 10*sim.Hour || t%sim.Millisecond != 0 {
			b.say(field, "%s; 1ms to 10h in whole milliseconds", unit.FormatDuration(t))
		}
	}
	share("sample_aggregate_percentile", s.Percentile, 1)
	b.count("max_concurrency_limit", s.Most, 1)
	interval("concurrency_update_interval", s.Update)
	interval("min_rtt_interval", s.MinInterval)
	if s.MinFixed < 0 || s.MinFixed > sim.Hour || s.MinFixed%sim.Microsecond != 0 {
		b.say("min_rtt_fixed_value", "%s; 0 to 1h in whole microseconds",
			unit.FormatDuration(s.MinFixed))
	}
	b.count("min_rtt_request_count", s.MinRequests, 1)
	share("min_rtt_jitter", s.MinJitter, 1)
	b.count("min_concurrency", s.Least, 1)
	share("min_rtt_buffer", s.Buffer, 1)
	if s.Least > s.Most {
		b.say("min_concurrency", "%d; at most max_concurrency_limit, %d", s.Least, s.Most)
	}
	return b
}

// envoyGradient has Envoy's two timers: it catches up with them whenever it is asked, before it
// answers, for nothing can happen in between.
type envoyGradient struct {
	terms  *EnvoyAdaptiveConcurrency
	inside int
	limit  int

	minRTT     int64 // us
	measuring  bool
	after      int      // the limit once the measurement is over
	epoch      sim.Time // when the last measurement began
	nextUpdate sim.Time // Never while one goes on
	nextMin    sim.Time
	atLeast    int // updates in a row that left the limit at its lower bound
	times      decimalHistogram
}

func (c *envoyGradient) Enter(now sim.Time, _ *Attempt) bool {
	c.catchUp(now)
	if c.inside >= c.limit {
		return false
	}
	c.inside++
	return true
}

func (c *envoyGradient) Finish(now sim.Time, a *Attempt, took sim.Time, o Outcome) {
	c.catchUp(now)
	c.inside--
	if o.Class == Dropped || now-took < c.epoch {
		return
	}
	c.times.add(int64(took / sim.Microsecond))
	if c.measuring && c.times.count >= int64(c.terms.MinRequests) {
		c.measured(now, a.Chance.Uint64())
	}
}

// catchUp lets the timers fire that are due; an update before a measurement of the same instant.
func (c *envoyGradient) catchUp(now sim.Time) {
	for {
		switch next := min(c.nextUpdate, c.nextMin); {
		case next > now:
			return
		case c.nextUpdate > c.nextMin:
			c.measure(c.nextMin)
		case c.measuring:
			c.nextUpdate = sim.Never // until it is over
		case c.times.count == 0:
			// Updates without times change nothing: on to the last before anything else happens.
			until := min(now, c.nextMin)
			c.nextUpdate += (until - c.nextUpdate) / c.terms.Update * c.terms.Update
			c.nextUpdate += c.terms.Update
		default:
			c.update(c.nextUpdate)
			c.nextUpdate += c.terms.Update
		}
	}
}

func (c *envoyGradient) update(now sim.Time) {
	c.setLimit(now, envoyGradientLimit(c.limit, c.minRTT, c.sampled(), c.terms))
}

// envoyGradientLimit is the limit that follows one, of the least and the sampled time in us. It
// compares as the product does, so that no time at all is a gradient of 2.
func envoyGradientLimit(limit int, minRTT, rtt int64, s *EnvoyAdaptiveConcurrency) int {
	buffered := float64(minRTT) + float64(float64(minRTT)*float64(s.Buffer))
	gradient := 2.0
	if raw := buffered / float64(rtt); raw < gradient {
		gradient = max(0.5, raw)
	}
	l := float64(float64(limit) * gradient)
	return max(s.Least, min(s.Most, int(l+math.Sqrt(l))))
}

// sampled is the percentile of the times, which are then forgotten, in us.
func (c *envoyGradient) sampled() int64 {
	rtt := int64(c.times.quantile(float64(c.terms.Percentile)))
	c.times.clear()
	return rtt
}

// measure begins a measurement of minRTT.
func (c *envoyGradient) measure(now sim.Time) {
	c.measuring, c.after, c.nextMin = true, c.limit, sim.Never
	c.setLimit(now, c.terms.Least)
	c.times.clear()
	c.epoch = now
}

// measured ends it.
func (c *envoyGradient) measured(now sim.Time, draw uint64) {
	c.minRTT = c.sampled()
	c.setLimit(now, c.after)
	c.measuring = false
	c.nextMin = now + envoyJittered(c.terms.MinInterval, c.terms.MinJitter, draw)
	c.nextUpdate = now + c.terms.Update
}

// envoyJittered is an interval and a whole number of milliseconds of up to a share of it.
func envoyJittered(interval sim.Time, jitter unit.Ratio, draw uint64) sim.Time {
	if jitter == 0 {
		return interval
	}
	most := math.Ceil(float64(wholeMillis(interval)) * float64(jitter))
	return interval + sim.Time(draw%uint64(most))*sim.Millisecond
}

// setLimit also calls for a measurement when the limit has stayed at its lower bound for long.
func (c *envoyGradient) setLimit(now sim.Time, limit int) {
	if least := c.terms.Least; !c.measuring && c.limit == least && limit == least {
		c.atLeast++
	} else {
		c.atLeast = 0
	}
	if c.limit = limit; c.atLeast >= 5 && c.terms.MinFixed == 0 {
		c.nextMin = now
	}
}

func (c *envoyGradient) level(now sim.Time) float64 {
	c.catchUp(now)
	return float64(max(0, c.limit-c.inside)) / float64(c.limit)
}
