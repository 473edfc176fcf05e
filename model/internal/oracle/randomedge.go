package oracle

import (
	"fmt"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// edge adds an edge to a target from a tier, or from the next client when from is -1.
func (m *maker) edge(name string, from, target int) int {
	s := EdgeSpec{Latency: m.dist(3, true), Home: -1}
	if t := m.Plan.Targets[target]; t.Route < 0 {
		s.Home = t.Tier
	}
	if m.chance(0.7) {
		s.Try = m.time(60)
	}
	if s.Try == 0 && m.chance(0.3) || m.chance(0.02) {
		s.Lease = m.time(40)
	}
	if m.rarely() || s.Try == 0 && m.chance(0.8) {
		s.Overall = m.time(120)
	}
	if m.rarely() {
		s.Loss = m.r.Float64() / 3
	}
	if m.rarely() {
		s.Resend = kernel.Resend{First: m.time(20), Factor: 1 + m.r.Float64(), Tries: 1 + m.below(3)}
	}
	if m.rarely() {
		s.RepliesLost = m.r.Float64() / 3
	}
	if m.rarely() {
		s.Block, s.BlockBy = m.r.Float64()/2, []kernel.Key{
			kernel.ByAttempt, kernel.ByRequest, kernel.ByClient,
		}[m.below(3)]
	}
	s.Propagate, s.Carry = m.rarely(), m.rarely()
	if m.chance(m.wild * 2) {
		s.Cancel = kernel.Cancel(m.below(3))
	}
	s.Balance = kernel.Pick(m.below(4))
	if m.chance(0.2) {
		s.Balance = kernel.LeastConnections
	}
	s.Rehash = m.chance(0.5)
	if from >= 0 && m.chance(0.2) {
		s.Balance = kernel.Local
	}
	s.Key, s.OnRetry = kernel.Key(m.below(4)), kernel.OnRetry(m.below(3))
	if m.rarely() {
		s.Failover = 1 + m.anyTarget(from)
		if len(m.routes) > 0 && from < len(m.Plan.Tiers)-2 && m.chance(0.5) {
			s.Failover = 1 + m.routes[0]
		}
	}
	if m.chance(0.7) {
		m.retries(&s, from)
	}
	if m.rarely() {
		s.CallPriority, s.RetryPriority = m.regrade(), m.regrade()
	}
	i := m.Edge(name, from, s)
	m.Plan.Edges[i].Balance.Choices = 1 + m.below(3)
	return i
}

// regrade says which priority each becomes; nil: the same.
func (m *maker) regrade() *kernel.Regrade {
	if m.chance(0.4) {
		return nil
	}
	var r kernel.Regrade
	for i := range r {
		r[i] = uint8(m.below(kernel.Priorities))
	}
	return &r
}

// retries gives an edge a stack. Tries are bounded, so that a plan ends.
func (m *maker) retries(s *EdgeSpec, from int) {
	for _, c := range []policies.Class{
		policies.TimedOut, policies.Dropped, policies.Rejected, policies.Error, policies.Blocked,
		policies.Refused,
	} {
		if m.chance(0.7) {
			s.RetryOn = append(s.RetryOn, c)
		}
	}
	for _, status := range []int{403, 404, 500, 502, 503, 504} {
		if m.rarely() {
			s.Statuses = append(s.Statuses, status)
		}
	}
	if m.rarely() {
		s.Disabled = m.r.Float64()
	}
	s.AtOnce = m.rarely()
	attempts := 1 + m.below(3)
	s.Stack = append(s.Stack, m.use(from, policies.MaxAttempts{Attempts: attempts}))
	if m.chance(0.3) {
		s.Stack = append(s.Stack, m.use(from, policies.AdaptiveThrottle{
			K: 1.1, Window: 200 * sim.Millisecond, Accepts: "answered",
		}))
	}
	switch m.below(3) {
	case 0:
		s.Stack = append(s.Stack, m.use(from, policies.TokenBudget{
			Ratio: 0.3, Burst: 1 + m.below(5), DepositOn: []string{"first_try", "success"}[m.below(2)],
			Needs: 1,
		}))
	case 1:
		s.Stack = append(s.Stack, m.use(from, policies.RatioBudget{
			Ratio: 0.4, Window: 100 * sim.Millisecond,
			Of: []string{"originals", "successes"}[m.below(2)], Min: 10,
		}))
	}
	switch m.below(5) {
	case 0:
		s.Stack = append(s.Stack, m.use(from, policies.Constant{
			Wait: m.dist(10, true), RetryAfter: m.chance(0.5),
		}))
	case 1:
		s.Stack = append(s.Stack, m.use(from, policies.Exponential{
			Base: m.time(10), Cap: 40 * sim.Millisecond, Multiplier: 2,
			Jitter: []string{"none", "full", "equal", "decorrelated"}[m.below(4)],
		}))
	case 2:
		s.Stack = append(s.Stack, m.use(from, policies.Orbit{Rate: 100}))
	}
	switch {
	case m.rarely():
		m.chaos(s, from)
	case m.rarely():
		s.Stack = append([]kernel.Use{m.use(from, policies.EnvoyCircuitBreaker{
			MaxRequests: 1 + m.below(6), Protocol: "http1", Connections: m.below(4),
			Pending: m.below(5),
		})}, s.Stack...)
	}
}

// use is an entry of a stack with these settings, and its state.
func (m *maker) use(from int, settings any) kernel.Use {
	name := map[string]string{
		"policies.MaxAttempts": "max_attempts", "policies.AdaptiveThrottle": "adaptive_throttle",
		"policies.TokenBudget": "token_budget", "policies.RatioBudget": "ratio_budget",
		"policies.Constant": "constant", "policies.Exponential": "exponential",
		"policies.Orbit": "orbit", "policies.EnvoyCircuitBreaker": "envoy_circuit_breaker",
	}[fmt.Sprintf("%T", settings)]
	k, ok := policies.Builtins().Lookup(name)
	if !ok {
		panic("oracle: no policy for " + fmt.Sprintf("%T", settings))
	}
	u := kernel.Use{
		Name: name, Scope: kernel.Scope(m.below(3)), Stride: 1, Carried: m.rarely(),
	}
	if k.Stateful && m.rarely() {
		u.Key = kernel.StateKey(m.below(4))
		u.Stride = 16 // above every count of endpoints and priorities
		m.fewReplicas(&u)
	}
	shared := pool{from: from, policy: name, stride: u.Stride}
	if state, ok := m.pools[shared]; ok && m.rarely() {
		u.State = state
		return u
	}
	u.State = m.state(k, settings, 62*u.Stride)
	if m.pools != nil {
		m.pools[shared] = u.State
	}
	return u
}

// fewReplicas keys no entry by replica where there are more of them than its key has values: those
// of the next member would be taken for them.
func (m *maker) fewReplicas(u *kernel.Use) {
	if u.Key == kernel.KeyReplica && len(m.Plan.Replicas) > u.Stride {
		u.Key = kernel.KeyEndpoint
	}
}

// client adds a client and its edge.
func (m *maker) client(i int) {
	target := m.anyTarget(-1)
	if len(m.routes) > 0 && m.chance(0.3) {
		target = m.routes[0]
	}
	name := fmt.Sprintf("c%d", i)
	c := kernel.Client{
		Name: name, Target: target, Edge: m.edge(name, -1, target), SlowAfter: m.time(50),
		Priority: uint8(m.below(3)), Process: kernel.Process(m.below(5)),
		Population: 1 + m.below(15), Burst: 1 + m.below(20), Together: m.chance(0.5),
	}
	for class := range c.Think {
		c.Think[class] = m.dist(60, false)
	}
	if m.rarely() {
		c.Profile = m.profile()
	}
	m.recording(&c)
	if m.rarely() {
		c.Outer = &kernel.Outer{Wait: m.dist(80, false), Times: m.below(4) - 1}
		for class := range c.Outer.On {
			c.Outer.On[class] = m.chance(0.7)
		}
	}
	if c.Process == kernel.Poisson && m.rarely() {
		for range 2 + m.below(2) {
			c.States = append(c.States, kernel.RateState{
				Factor: float64(m.below(6)) / 2, For: m.dist(60, false),
			})
		}
	}
	m.tokens(&c)
	rate := float64(10 + m.below(190))
	if m.grid {
		rate = []float64{50, 100, 200, 250}[m.below(4)]
	}
	m.Client(c, rate)
}

// profile is a curve of three pieces, of which one may be a ramp and one zero.
func (m *maker) profile() []kernel.Segment {
	a, b := m.time(200), m.time(300)
	high := 0.5 + m.r.Float64()
	slope := (high - 0.5) / b.Seconds()
	if m.chance(0.3) {
		return []kernel.Segment{{From: high}, {At: a, From: 0}, {At: a + b, From: high}}
	}
	return []kernel.Segment{{From: 0.5}, {At: a, From: 0.5, Slope: slope}, {At: a + b, From: high}}
}
