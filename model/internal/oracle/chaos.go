package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// chaos is a policy that plays any roles and whose every word depends on all that it was ever asked
// and told: two simulators agree on its words only if they ask the same in the same order.
type chaos struct {
	h     uint64
	until []sim.Time // by host: out of the choice until then
}

func (c *chaos) mix(xs ...uint64) uint64 {
	for _, x := range xs {
		c.h = (c.h ^ x) * 0x9E3779B97F4A7C15
		c.h ^= c.h >> 29
	}
	return c.h >> 8
}

// see takes in a question; which tells the roles apart.
func (c *chaos) see(which uint64, now sim.Time, a *policies.Attempt) uint64 {
	c.mix(which, uint64(now), uint64(a.N), uint64(a.Wait), uint64(a.Priority), uint64(a.Carried),
		uint64(a.Started), uint64(a.Deadline), a.Client, a.Chance.Uint64(), uint64(a.Waiting))
	c.hear(a.Last)
	if a.Note != nil {
		*a.Note = c.mix(*a.Note)
	}
	return c.mix()
}

func (c *chaos) hear(o policies.Outcome) {
	flags := uint64(0)
	if o.Unreached {
		flags = 1
	}
	if o.Cancelled {
		flags += 2
	}
	c.mix(uint64(o.Class), uint64(o.Status), uint64(o.RetryAfter), flags,
		math.Float64bits(o.Advice), uint64(o.Latency))
}

func (c *chaos) Retryable(now sim.Time, a *policies.Attempt, o policies.Outcome) bool {
	c.hear(o)
	return c.see(1, now, a)%4 > 0
}

func (c *chaos) Admit(now sim.Time, a *policies.Attempt) bool { return c.see(2, now, a)%8 > 0 }

func (c *chaos) Linger(now sim.Time, a *policies.Attempt, last policies.Outcome) sim.Time {
	c.hear(last)
	return sim.Time(c.see(20, now, a)%5) * 3 * sim.Millisecond
}

func (c *chaos) Unsent(now sim.Time, a *policies.Attempt, o policies.Outcome) {
	c.hear(o)
	c.see(21, now, a)
}

func (c *chaos) Place(now sim.Time, a *policies.Attempt) policies.Where {
	return policies.Where(c.see(3, now, a) % 4)
}

func (c *chaos) Delay(now sim.Time, a *policies.Attempt) sim.Time {
	if h := c.see(4, now, a); h%4 == 0 {
		return 1 + sim.Time(h>>2%16)*sim.Millisecond
	}
	return 0
}

func (c *chaos) Join(now sim.Time, a *policies.Attempt, ahead int) policies.QueueVerb {
	c.mix(uint64(ahead))
	switch h := c.see(22, now, a) % 8; {
	case h == 0:
		return policies.QueueRefuse
	case h <= 3:
		return policies.QueueWait
	}
	return policies.QueuePass
}

func (c *chaos) Start(now sim.Time, a *policies.Attempt) { c.see(5, now, a) }

func (c *chaos) Observe(now sim.Time, a *policies.Attempt, o policies.Outcome) {
	c.hear(o)
	c.see(6, now, a)
}

func (c *chaos) Close(now sim.Time, a *policies.Attempt, o policies.Outcome) {
	c.hear(o)
	c.see(7, now, a)
}

func (c *chaos) Sent(now sim.Time, a *policies.Attempt) policies.Hedge {
	h := c.see(8, now, a)
	return policies.Hedge{
		Verb:  policies.HedgeVerb(h % 3),
		Delay: sim.Time(h>>2%20) * sim.Millisecond,
	}
}

func (c *chaos) Failed(now sim.Time, a *policies.Attempt, o policies.Outcome) policies.Hedge {
	c.hear(o)
	h := c.see(9, now, a)
	return policies.Hedge{
		Verb:  policies.HedgeVerb(h % 4),
		Delay: sim.Time(h>>2%6) * sim.Millisecond,
	}
}

func (c *chaos) Hosts(now sim.Time, n int) {
	c.mix(10, uint64(now), uint64(n))
	for len(c.until) < n {
		c.until = append(c.until, 0)
	}
}

func (c *chaos) Picked(now sim.Time, host int) { c.mix(11, uint64(now), uint64(host)) }

func (c *chaos) Report(now sim.Time, host int, o policies.Outcome) {
	c.hear(o)
	if h := c.mix(12, uint64(now), uint64(host)); o.Class != policies.OK && h%3 == 0 {
		for len(c.until) <= host {
			c.until = append(c.until, 0)
		}
		c.until[host] = now + sim.Time(h>>2%60)*sim.Millisecond
	}
}

func (c *chaos) Out(now sim.Time, host int) bool {
	c.mix(13, uint64(now), uint64(host))
	return now < c.until[host]
}

func (c *chaos) Enter(now sim.Time, a *policies.Attempt) bool { return c.see(14, now, a)%8 > 0 }

func (c *chaos) Turn(now sim.Time, a *policies.Attempt, waited sim.Time) bool {
	c.mix(uint64(waited))
	return c.see(15, now, a)%8 > 0
}

func (c *chaos) Finish(now sim.Time, a *policies.Attempt, took sim.Time, o policies.Outcome) {
	c.mix(uint64(took))
	c.hear(o)
	c.see(16, now, a)
}

func (c *chaos) Advise(now sim.Time, a *policies.Attempt) float64 {
	return float64(c.see(17, now, a)%1000) / 8
}

func (c *chaos) Answer(now sim.Time, a *policies.Attempt, o policies.Outcome) policies.Outcome {
	c.hear(o)
	h := c.see(18, now, a)
	o.Status, o.RetryAfter = 500+int(h%5), sim.Time(h>>3%9-2)*sim.Millisecond
	return o
}

// Slots is the one answer that may not depend on what was asked before.
func (c *chaos) Slots(now sim.Time, inSystem int, up sim.Time) int {
	var fresh chaos
	return int(fresh.mix(19, uint64(now/(20*sim.Millisecond)), uint64(inSystem/3), uint64(up))%6) - 1
}

func (c *chaos) Until(now, up sim.Time) sim.Time {
	var fresh chaos
	h := fresh.mix(23, uint64(now/(7*sim.Millisecond)), uint64(up))
	if h%4 == 0 {
		return sim.Never
	}
	return now + 1 + sim.Time(1+h>>2%9)*sim.Millisecond
}

func (c *chaos) level(sim.Time) float64 { return float64(c.h>>8%100) / 100 }

// state is a level as breakers have it.
func (c *chaos) state(sim.Time) float64 { return float64(c.h>>8%3) / 2 }

// wild says which roles a policy of chaos plays.
type wild struct {
	condition, gate, placer, shaper, starter, observer, closer bool

	hedger, ejector, keeps, level bool
	breaker                       bool
	lingers, wraps, queues        bool
	enters, turner, finisher      bool
	adviser, answerer, sizer      bool
	seeded                        bool

	queueFor sim.Time
	salt     uint64 // another one's words are others
}

func (x wild) policy() policies.Policy {
	c := &chaos{h: x.salt}
	p := policies.Policy{KeepTimedOut: x.keeps, QueueFor: x.queueFor}
	if x.placer {
		p.Repicks = 2
		p.FailedAs = func(o policies.Outcome) int {
			if o.Unreached {
				return 510 + int(o.Class)
			}
			return 520 + int(o.Class)
		}
	}
	set := func(on bool, role func()) {
		if on {
			role()
		}
	}
	set(x.condition, func() { p.Condition = c })
	set(x.gate, func() { p.Gate = c })
	set(x.lingers, func() { p.Lingerer = c })
	set(x.wraps, func() { p.Wrapper = c })
	set(x.placer, func() { p.Placer = c })
	set(x.shaper, func() { p.Shaper = c })
	set(x.queues, func() { p.Queuer = c })
	set(x.starter, func() { p.Starter = c })
	set(x.observer, func() { p.Observer = c })
	set(x.closer, func() { p.Closer = c })
	set(x.hedger, func() { p.Hedger = c })
	set(x.ejector, func() { p.Ejector = c })
	set(x.level, func() { p.Level = c.level })
	set(x.breaker, func() { p.Level, p.Breaker = c.state, true })
	set(x.enters, func() { p.Admission = c })
	set(x.turner, func() { p.Turner = c })
	set(x.finisher, func() { p.Finisher = c })
	set(x.adviser, func() { p.Adviser = c })
	set(x.seeded, func() { p.Seed = func(s sim.Stream) { c.mix(s.Uint64()) } })
	set(x.sizer, func() { p.Sizer = c })
	set(x.answerer, func() { p.Answerer = c })
	return p
}

// chaos gives a stack entries of chaos.
func (m *maker) chaos(s *EdgeSpec, from int) {
	some := func() bool { return m.chance(0.4) }
	x := wild{
		seeded: some(), condition: some(), gate: some(), placer: some(), shaper: some(), starter: some(),
		observer: some(), closer: some(), keeps: m.rarely(), level: some(),
		wraps: some(), lingers: some(), queues: some(), ejector: some() && s.Balance != kernel.Local,
	}
	if some() {
		x.queueFor = m.time(20)
	}
	if x.hedger = m.chance(0.3); x.hedger {
		x.condition, x.keeps = false, false
	}
	s.Stack = append(s.Stack, m.entry(from, "chaos", x))
	if m.chance(0.5) {
		u := m.entry(from, "per-call", wild{
			gate: some(), wraps: some(), starter: some(), observer: true, closer: some(), level: some(),
			breaker: m.chance(0.5),
			shaper:  m.rarely(), queues: !x.queues && m.rarely(),
		})
		u.PerCall = m.chance(0.7)
		s.Stack = append(s.Stack, u)
	}
}

// entry is a stack entry of chaos with a state of its own.
func (m *maker) entry(from int, name string, x wild) kernel.Use {
	u := kernel.Use{
		Name: name, Scope: kernel.Scope(m.below(3)), Stride: 1, Carried: m.rarely(), Low: 0.3,
	}
	if !x.ejector && !x.placer && m.rarely() {
		u.Key = kernel.StateKey(m.below(5))
		u.Stride = 16
		m.fewReplicas(&u)
	}
	m.Plan.States = append(m.Plan.States, kernel.State{
		Name: name, New: x.policy, Len: 62 * u.Stride, Notes: m.chance(0.5),
		AtSend: m.chance(0.4), Own: m.own(u, x),
	})
	u.State = len(m.Plan.States) - 1
	return u
}

// guests is an admission entry of chaos, which may say how many slots there are.
func (m *maker) guests(sizes bool) kernel.Use {
	some := func() bool { return m.chance(0.5) }
	x := wild{seeded: some(), enters: some(), turner: some(), finisher: some(), adviser: some(),
		answerer: some(), sizer: m.rarely() && sizes}
	u := kernel.Use{Name: "chaos", Scope: kernel.ScopeReplica, Stride: 1}
	if m.rarely() {
		u.Key = []kernel.StateKey{kernel.KeyEndpoint, kernel.KeyPriority, kernel.KeyClient}[m.below(3)]
		u.Stride = 16
	}
	m.Plan.States = append(m.Plan.States, kernel.State{
		Name: "chaos", New: x.policy, Len: 62 * u.Stride, Notes: m.chance(0.5),
		Own: m.own(u, x),
	})
	u.State = len(m.Plan.States) - 1
	return u
}

// own gives some values of an entry's key a policy of their own.
func (m *maker) own(u kernel.Use, x wild) []func() policies.Policy {
	if u.Key != kernel.KeyClient || m.chance(0.3) {
		return nil
	}
	own := make([]func() policies.Policy, u.Stride)
	for i := range own {
		if m.chance(0.5) {
			x.salt = uint64(i) + 1
			own[i] = x.policy
		}
	}
	return own
}
