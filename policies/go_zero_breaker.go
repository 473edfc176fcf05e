package policies

import "cascadesim/sim"

// GoZeroBreaker holds a caller back by the share of its attempts that failed. Nothing can be set.
type GoZeroBreaker struct{}

var _ = builtin(Spec{
	Name: "go_zero_breaker",
	Doc: "Refuses an attempt, first tries too, with probability p * (40 - working)/40, p = (total - " +
		"5 - w * successes) / (total + 1), over the last 10 s in 40 buckets. It is the googleBreaker " +
		"of go-zero. w falls from 1.5 to 1.1 with the number of newest buckets in a row that held " +
		"failures and no success; `working` is the same for successes without a failure. While p is " +
		"above 0 one attempt passes whatever comes of it if none has for more than a second. Attempts " +
		"count as they end, refused ones at once. As in its RPC client 429, 500, 501, 503, 504, 521 " +
		"and no answer in time or at all are failures, but not what is given up because its caller has " +
		"gone or another copy was faster (CANCELLED). What a later policy of the " +
		"stack refuses counts as nothing. Its constants are the library's, which lets nobody set them.",
	Example:  "{}",
	Source:   "zeromicro/go-zero v1.10.3, core/breaker/googlebreaker.go and zrpc/internal/codes",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, GoZeroBreaker{}, func(GoZeroBreaker) []error {
	return nil
}, func(GoZeroBreaker) func() Policy {
	return func() Policy {
		b := &goZeroBreaker{k: 1.5, leastK: 1.1}
		return Policy{Gate: b, Observer: b}
	}
})

const (
	goZeroBuckets    = 40
	goZeroBucket     = 250 * sim.Millisecond
	goZeroProtection = 5
	goZeroForcePass  = sim.Second
)

// goZeroBreaker is a ring of buckets, of which the one of slot `slot` is the newest. The factors
// are fields because the library subtracts them as it runs, which rounds otherwise than a constant.
type goZeroBreaker struct {
	k, leastK float64
	ring      [goZeroBuckets]goZeroCell
	slot      int64
	last      sim.Time // when one passed while p was above 0
	passed    bool     // that has happened
}

type goZeroCell struct{ success, failure, drop int32 }

func (b *goZeroBreaker) Admit(now sim.Time, a *Attempt) bool {
	b.roll(now)
	draw := a.Chance.Float64()
	p, working := b.refusal()
	if p <= 0 {
		return true
	}
	if !(b.passed && now-b.last > goZeroForcePass) {
		p *= float64(goZeroBuckets-working) / goZeroBuckets
		if draw < p {
			b.newest().drop++
			return false
		}
	}
	b.last, b.passed = now, true
	return true
}

// refusal is p of the doc, and how many of the newest buckets have worked.
func (b *goZeroBreaker) refusal() (p float64, working int) {
	var accepts, total int64
	failing := 0
	for i := b.slot + 1; i <= b.slot+goZeroBuckets; i++ { // the oldest first
		c := &b.ring[i%goZeroBuckets]
		accepts += int64(c.success)
		total += int64(c.success) + int64(c.failure) + int64(c.drop)
		switch {
		case c.failure > 0:
			working = 0
		case c.success > 0:
			working++
		}
		switch {
		case c.success > 0:
			failing = 0
		case c.failure > 0:
			failing++
		}
	}
	w := max(b.leastK, b.k-float64((b.k-b.leastK)*float64(failing)/goZeroBuckets))
	return (float64(total-goZeroProtection) - float64(w*float64(accepts))) / float64(total+1), working
}

func (b *goZeroBreaker) Observe(now sim.Time, _ *Attempt, o Outcome) {
	b.roll(now)
	if o.letGo() || o.answered() && !o.is(429, 500, 501, 503, 504, 521) {
		b.newest().success++
	} else {
		b.newest().failure++
	}
}

func (b *goZeroBreaker) newest() *goZeroCell { return &b.ring[b.slot%goZeroBuckets] }

// roll empties the buckets that have become too old.
func (b *goZeroBreaker) roll(now sim.Time) {
	slot := int64(now / goZeroBucket)
	for i := max(b.slot, slot-goZeroBuckets) + 1; i <= slot; i++ {
		b.ring[i%goZeroBuckets] = goZeroCell{}
	}
	b.slot = slot
}
