package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// RateLimit makes a caller keep to a rate.
type RateLimit struct {
	Rate   unit.Rate `yaml:"rate" scale:"s" doc:"Attempts that may be sent in the long run."`
	Burst  int       `yaml:"burst" scale:"s" doc:"Attempts that may be sent at once; at least 1."`
	Excess string    `yaml:"excess" enum:"wait|refuse" doc:"What becomes of an attempt above it."`
}

var _ = builtin(Spec{
	Name: "rate_limit",
	Doc: "Limits what a caller sends, first tries too, with the bucket of Go's " +
		"golang.org/x/time/rate, to its last bit: tokens are a floating-point number that grows by the " +
		"time passed times `rate`, up to `burst`, with which it opens. An attempt asks for a token as " +
		"it is about to be sent, after any backoff. excess: wait makes it reserve one and wait until " +
		"it has flowed in; whoever comes first is served first, and one that could not be sent before " +
		"its call's deadline takes none and is refused at once, as Wait does. excess: refuse is Allow: " +
		"no token, no attempt. A limit per client does not bound what all clients send, and waiting " +
		"moves the line to the caller.",
	Example:  "{rate: 5/s, burst: 10}",
	Source:   "golang.org/x/time v0.16.0, rate/rate.go",
	Sure:     FromSource,
	Gates:    true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
	AtSend:   true,
}, RateLimit{
	// Those of Kubernetes' client-go, the best known client that limits itself.
	Rate: 5, Burst: 10, Excess: "wait",
}, func(s RateLimit) []error {
	return checkTokenBucket(TokenBucket{Rate: s.Rate, Burst: s.Burst})
}, func(s RateLimit) func() Policy {
	return func() Policy {
		l := &rateLimit{RateLimit: &s, tokens: float64(s.Burst)}
		p := Policy{Gate: l, Level: l.level}
		if s.Excess == "wait" {
			p.Shaper = l
		}
		return p
	}
})

// rateLimit holds what the library's Limiter does. The note of a call is when its waiting try may
// go, and above 48 bits the number of that try; or that it is hopeless.
type rateLimit struct {
	*RateLimit
	tokens float64 // below 0 when attempts wait
	last   sim.Time
}

// hopeless is the note of a try that could not be sent before its call's deadline.
const hopeless = ^uint64(0)

// Admit is asked when the waiting is over.
func (l *rateLimit) Admit(now sim.Time, a *Attempt) bool {
	if l.Excess == "refuse" {
		_, ok := l.reserve(now, 0)
		return ok
	}
	refused := *a.Note == hopeless
	*a.Note = 0
	return !refused
}

// Delay makes a try wait that has hope.
func (l *rateLimit) Delay(now sim.Time, a *Attempt) sim.Time {
	if try := uint64(a.N) << 48; *a.Note>>48 == try>>48 {
		at := sim.Time(*a.Note & uint64(sim.MaxTime))
		return max(0, at-now)
	}
	longest := a.Deadline
	if longest != sim.Never {
		longest -= now
	}
	wait, ok := l.reserve(now, longest)
	if !ok {
		*a.Note = hopeless
		return 0
	}
	wait = min(wait, sim.MaxTime-now)
	*a.Note = uint64(a.N)<<48 | uint64(now+wait)
	return wait
}

// reserve takes a token that will be there within the longest wait, and says after how long.
func (l *rateLimit) reserve(now, longest sim.Time) (wait sim.Time, ok bool) {
	wait, tokens := l.ask(now)
	if wait > longest {
		return wait, false
	}
	l.last, l.tokens = now, tokens
	return wait, true
}

// ask tells how long the next token takes, and how many are left once it is taken.
func (l *rateLimit) ask(now sim.Time) (wait sim.Time, left float64) {
	left = l.held(now) - 1
	if left >= 0 {
		return 0, left
	}
	const tooLong = float64(1 << 62)
	return sim.Time(min(-left/float64(l.Rate)*1e9, tooLong)), left
}

// held is what the bucket holds at now. Seconds and their fraction are added as time.Duration does.
func (l *rateLimit) held(now sim.Time) float64 {
	d := now - l.last
	seconds := float64(d/sim.Second) + float64(d%sim.Second)/1e9
	return min(float64(l.Burst), l.tokens+float64(seconds*float64(l.Rate)))
}

func (l *rateLimit) level(now sim.Time) float64 {
	return max(0, l.held(now)) / float64(l.Burst)
}
