package oracle

import (
	"fmt"
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// maker makes one random plan. Half of the plans live on a grid of milliseconds, where everything
// happens at once and only the order of scheduling decides; the others never see two events of one
// instant. A plan draws with a quarter of all features at first, so that most stay simple enough to
// be read when they fail.
type maker struct {
	*Builder
	r      *sim.Stream
	grid   bool
	wild   float64 // how likely each feature is
	routes []int   // targets
	pools  map[pool]int
}

// pool names what may share a state: entries of one policy in stacks of one caller.
type pool struct {
	from   int
	policy string
	stride int
}

// RandomPlan makes a small plan that ends: rates, depths and tries are bounded so that one run
// sends a few thousand attempts at most. The same stream gives the same plan.
func RandomPlan(r *sim.Stream) *kernel.Plan {
	end := sim.Time(100+r.Intn(900)) * sim.Millisecond
	m := &maker{Builder: NewBuilder(end), r: r, pools: map[pool]int{}}
	m.grid = m.chance(0.5)
	m.wild = []float64{0.05, 0.2, 0.4}[m.below(3)]
	p := m.Plan
	p.Window = sim.Time(10+m.below(90)) * sim.Millisecond
	p.Warmup = p.Window * sim.Time(m.below(3))
	if m.chance(0.5) {
		p.Drain = sim.Time(m.below(1000)) * sim.Millisecond
	}
	tiers := 1 + m.below(4)
	for i := range tiers {
		m.Tier(fmt.Sprintf("t%d", i), m.tier())
	}
	m.makeRoutes()
	for i := range tiers {
		for e := range p.Tiers[i].Endpoints {
			m.program(i, e)
		}
	}
	for i := range 1 + m.below(3) {
		m.client(i)
	}
	m.disturb()
	m.life()
	m.health()
	m.connections()
	m.reseeds()
	m.everything()
	return m.Build()
}

// everything asks for all series.
func (m *maker) everything() {
	all := slices.Repeat([]bool{true}, 100)
	m.Plan.Series = kernel.SeriesWanted{Clients: all, Edges: all, Wait: all, Service: all}
}

func (m *maker) below(n int) int { return int(m.r.Intn(uint64(n))) }

func (m *maker) chance(p float64) bool { return m.r.Float64() < p }

// rarely says whether the plan has a feature in some place.
func (m *maker) rarely() bool { return m.chance(m.wild) }

// time is a length of about so many milliseconds at most, never 0.
func (m *maker) time(ms int) sim.Time {
	if m.grid {
		return sim.Time(1+m.below(ms)) * sim.Millisecond
	}
	return 1 + sim.Time(m.r.Intn(uint64(ms)*uint64(sim.Millisecond)))
}

// dist is a distribution with a mean of that kind; now and then it is 0 where that may be.
func (m *maker) dist(ms int, zero bool) sim.Dist {
	t := m.time(ms)
	switch {
	case zero && m.chance(0.3):
		return sim.Dist{}
	case m.grid && m.chance(0.9):
		return must(sim.ConstDist(t))
	case m.chance(0.5):
		return must(sim.ExpDist(t))
	}
	return must(sim.UniformDist(t/2, t))
}

func must(d sim.Dist, err error) sim.Dist {
	if err != nil {
		panic(err)
	}
	return d
}

func (m *maker) tier() TierSpec {
	s := Station(1 + m.below(4))
	for range m.below(3) {
		s.Weights = append(s.Weights, 1)
	}
	if m.rarely() {
		for i := range s.Weights {
			s.Weights[i] = float64(1 + m.below(3))
		}
	}
	if m.chance(0.3) {
		s.Endpoints = append(s.Endpoints, "b")
		s.Endpoints[0] = "a"
	}
	if m.rarely() {
		s.Slots = -1
	}
	if m.chance(0.5) {
		s.Line = m.below(6)
	}
	s.Discipline = queue.Discipline(m.below(int(queue.PS) + 1))
	s.Above = m.below(4)
	s.Target, s.Interval = m.time(4), m.time(20)
	s.FullDrops = m.rarely()
	if m.rarely() {
		d := m.dist(30, true)
		s.Patience = &d
	}
	if m.rarely() {
		s.InFlight = 1 + m.below(8)
		s.Over = kernel.Over(m.below(3))
		s.Backlog = m.below(8)
	}
	s.Async = m.rarely()
	if m.rarely() {
		s.Deadline = kernel.DeadlineRule(m.below(3))
		s.Expected = m.time(10)
	}
	m.reject(&s)
	if m.rarely() {
		s.Admission = append(s.Admission, m.admission())
	}
	if m.rarely() {
		s.Admission = append(s.Admission, m.guests(s.Discipline != queue.PS))
	}
	if m.rarely() {
		s.Keys = &policies.Idempotency{
			Replay: policies.IdempotencyReplay(m.below(2)), TTL: m.time(200),
		}
	}
	return s
}

func (m *maker) reject(s *TierSpec) {
	if m.rarely() {
		s.RejectStatus = []int{429, 500, 503}[m.below(3)]
		s.RejectAfter = m.time(20)
	}
	if m.rarely() {
		s.RejectCost = m.time(3)
	}
	if m.rarely() {
		s.RejectDelay = m.time(5)
	}
}

// admission adds a state, one for each replica.
func (m *maker) admission() kernel.Use {
	k, _ := policies.Builtins().Lookup("token_bucket")
	s := k.Settings().(*policies.TokenBucket)
	s.Rate, s.Burst = 200, 1+m.below(10)
	return kernel.Use{
		Name: k.Name, State: m.state(k, s, 16), Scope: kernel.ScopeReplica, Stride: 1,
	}
}

func (m *maker) state(k *policies.Kind, settings any, n int) int {
	m.Plan.States = append(m.Plan.States, kernel.State{
		Name: k.Name, New: k.Maker(settings), Len: n, Single: !k.Stateful, AtSend: k.AtSend,
	})
	return len(m.Plan.States) - 1
}

// makeRoutes adds at most one route, to endpoints of the last two tiers.
func (m *maker) makeRoutes() {
	if !m.rarely() {
		return
	}
	var to []int
	for range 2 + m.below(2) {
		to = append(to, m.anyTarget(len(m.Plan.Tiers)-3))
	}
	slices.Sort(to)
	to = slices.Compact(to)
	m.routes = append(m.routes, m.Route(kernel.Key(m.below(4)), to...))
}

// anyTarget is an endpoint of a tier after the one given.
func (m *maker) anyTarget(after int) int {
	first := max(after+1, 0)
	tier := first + m.below(len(m.Plan.Tiers)-first)
	return m.Target(tier, m.below(len(m.Plan.Tiers[tier].Endpoints)))
}

// program gives an endpoint of a tier its steps.
func (m *maker) program(tier, endpoint int) {
	var steps []kernel.Step
	n := 1 + m.below(3)
	for i := 0; i < n; i++ {
		if m.rarely() {
			branches := 2 + m.below(2)
			steps = append(steps, Parallel(branches))
			for range branches {
				steps = append(steps, m.branch(tier))
			}
			continue
		}
		steps = append(steps, m.step(tier))
		if m.rarely() {
			steps = append(steps[:len(steps)-1], m.lookup(tier)...)
		}
		if last := &steps[len(steps)-1]; last.Verb == kernel.Call && m.rarely() {
			last.OnFail, last.Count = kernel.FailFallback, 1+m.below(2)
			for range last.Count {
				steps = append(steps, m.lesser(tier))
			}
		}
	}
	m.Steps(tier, endpoint, steps...)
}

// branch is a step that may run beside others.
func (m *maker) branch(tier int) kernel.Step {
	for {
		if s := m.step(tier); s.Verb != kernel.Work || !m.Plan.Tiers[tier].Async {
			return s
		}
	}
}

// lesser is a step of a fallback or a fetch: seldom a call, so that a plan stays small.
func (m *maker) lesser(tier int) kernel.Step {
	for range 3 {
		if s := m.step(tier); s.Verb != kernel.Call {
			return s
		}
	}
	return m.step(tier)
}

func (m *maker) step(tier int) kernel.Step {
	last := tier == len(m.Plan.Tiers)-1
	switch {
	case m.rarely() && m.chance(0.3):
		m.Plan.Operations = true
		return kernel.Step{Verb: kernel.Effect}
	case m.chance(0.1):
		return Fail(m.r.Float64()/2, []int{500, 404, 503}[m.below(3)])
	case !last && m.chance(0.6):
		return m.callStep(tier)
	}
	w := Work(m.dist(12, m.chance(0.2)))
	if m.rarely() {
		w.PerInFlight = m.time(2)
	}
	if m.rarely() {
		w.Crowd = &kernel.Crowd{
			Contention: m.r.Float64() / 5, Coherence: m.r.Float64() / 50, Each: float64(1 + m.below(3)),
		}
	}
	return w
}

func (m *maker) callStep(tier int) kernel.Step {
	target := m.anyTarget(tier)
	if len(m.routes) > 0 && tier < len(m.Plan.Tiers)-2 && m.chance(0.4) {
		target = m.routes[0]
	}
	s := Call(m.edge(fmt.Sprintf("e%d", len(m.Plan.Edges)), tier, target), target)
	if m.rarely() {
		s.Times = 1 + m.below(3)
	}
	if m.rarely() {
		s.Share = m.r.Float64()
	}
	if m.rarely() {
		s.OnFail = kernel.OnFail(m.below(3))
		s.Status = 501
	}
	if m.rarely() {
		s.Verb = kernel.Detach
	}
	return s
}
