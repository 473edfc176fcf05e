package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyLocalRateLimit admits what a bucket has tokens for.
type EnvoyLocalRateLimit struct {
	Max      int      `yaml:"max_tokens" scale:"s" doc:"Tokens it opens with and holds at most."`
	PerFill  int      `yaml:"tokens_per_fill" scale:"s" doc:"Tokens that each interval brings."`
	Interval sim.Time `yaml:"fill_interval" doc:"How often; 50 ms to 1 h."`
	Fill     string   `yaml:"fill" enum:"continuous|timer" doc:"Evenly as time passes, or at once."`
}

var _ = builtin(Spec{
	Name: "envoy_local_rate_limit",
	Doc: "Lets an attempt enter for a token, of which tokens_per_fill come in each fill_interval up " +
		"to max_tokens, with which the bucket opens. fill: continuous is Envoy today: tokens flow " +
		"in evenly, and a part of one is kept. fill: timer is older releases: they come all at once " +
		"at each interval, which lets a burst in at every tick; here the ticks count from the " +
		"beginning of the run, and one comes before the attempts of its instant. Envoy counts time " +
		"in seconds as floating point, this exactly. One bucket serves a process with all its " +
		"threads. Envoy answers 429 with x-envoy-ratelimited: say so in the tier's reject, and in " +
		"envoy_retry's ratelimited_codes at its callers. Not here: descriptors, buckets for each " +
		"connection.",
	Example: "{max_tokens: 100, tokens_per_fill: 100, fill_interval: 1s}",
	Source:  "Envoy, local_ratelimit_impl.cc (016c0c80), token_bucket_impl.cc",
	Sure:    FromSource,
	Callee:  true,
	Refuses: true, Spends: true,
	Stateful: true,
}, EnvoyLocalRateLimit{
	// One token in a second is a placeholder; Envoy demands both. tokens_per_fill 1 is its default.
	Max: 1, PerFill: 1, Interval: sim.Second, Fill: "continuous",
}, func(s EnvoyLocalRateLimit) []error {
	var b bounds
	b.count("max_tokens", s.Max, 1)
	b.count("tokens_per_fill", s.PerFill, 1)
	switch {
	case s.Interval < 50*sim.Millisecond || s.Interval > sim.Hour:
		b.say("fill_interval", "%s; 50ms to 1h", unit.FormatDuration(s.Interval))
	case s.Max > 0 && int64(s.Interval) > maxTokenParts/int64(s.Max):
		b.say("fill_interval", "%s; too long for %d tokens: at most %s",
			unit.FormatDuration(s.Interval), s.Max, unit.FormatDuration(maxTokenParts/sim.Time(s.Max)))
	}
	return b
}, func(s EnvoyLocalRateLimit) func() Policy {
	t := &envoyBucketTerms{
		token:   int64(s.Interval),
		full:    int64(s.Max) * int64(s.Interval),
		perNano: int64(s.PerFill),
		ticks:   s.Fill == "timer",
	}
	return func() Policy {
		b := &envoyBucket{terms: t, parts: t.full}
		return Policy{Admission: b, Level: b.level}
	}
})

// maxTokenParts bounds what a bucket may hold, so that one more interval does not overflow.
const maxTokenParts = 1 << 62

// envoyBucketTerms count a token as as many parts as its interval has nanoseconds: each nanosecond
// brings tokens_per_fill of them, and nothing is ever rounded.
type envoyBucketTerms struct {
	token   int64 // parts of one
	full    int64
	perNano int64
	ticks   bool // they come at the end of the interval
}

type envoyBucket struct {
	terms *envoyBucketTerms
	parts int64
	at    sim.Time // up to when parts have come in
}

func (b *envoyBucket) Enter(now sim.Time, _ *Attempt) bool {
	b.fill(now)
	if b.parts < b.terms.token {
		return false
	}
	b.parts -= b.terms.token
	return true
}

// fill brings in what is due. A bucket that is full by then is found so before anything is
// multiplied, or long times would overflow.
func (b *envoyBucket) fill(now sim.Time) {
	t := b.terms
	due := int64(now - b.at)
	if t.ticks {
		due = int64(now)/t.token*t.token - int64(b.at)/t.token*t.token
	}
	b.at = now
	if due > (t.full-b.parts)/t.perNano {
		b.parts = t.full
		return
	}
	b.parts += due * t.perNano
}

func (b *envoyBucket) level(now sim.Time) float64 {
	b.fill(now)
	return float64(b.parts) / float64(b.terms.full)
}
