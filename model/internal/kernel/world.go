package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// world is the state of one replication.
type world struct {
	p    *Plan
	seed sim.Seed
	en   *sim.Engine

	attempts slab[attempt]
	calls    slab[call]
	links    queue.Links
	serial   uint64 // attempts sent so far

	clients  []clientState
	tiers    []tierState
	replicas []replica
	edges    []edgeState
	routes   []routeState
	states   []policyState
	params   []param
	value    []float64  // of params: in force; times in ns, negative: unlimited or none
	fixed    []sim.Time // of distributions that are constant: in force; else -1
	steps    []stepState
	scalers  []scalerState

	scratch  policies.Attempt // what policies are shown
	draining bool
	window   uint32   // the current one
	winEnd   sim.Time // its end
	warmup   uint32   // windows left out of totals

	res    *Result
	tracer Tracer
}

type clientState struct {
	ident  sim.Ident
	stream sim.Stream // of open-loop gaps
	source sim.Source
	count  uint64   // open-loop requests so far
	left   float64  // of the integral of the rate until the next arrival
	from   sim.Time // up to which the integral is taken
	seg    int      // segment of the profile at from
	ops    []uint32 // closed loop: operations so far, by client
}

// tierState is who takes part: active replicas, and of them those in rotation.
type tierState struct {
	active   int
	sum      []float64 // running sums of the active replicas' weights
	rotation []int32   // active and not paused
	rotSum   []float64
	even     bool // weights in rotation are equal
}

type replica struct {
	busy, slots   int // slots < 0: unlimited
	inSystem      int
	inFlight      int // limit; < 0: unlimited
	line, backlog queue.Line
	rejects       queue.Line // rejections that cost work
	paused        bool
	flows         Flows
	frozen        bool
	frozenTotal   sim.Time
	patience      sim.Lane // of a constant patience
	patienceDelay sim.Time
	gauges        gauges
}

// held is an attempt that waits for a held link.
type held struct {
	attempt uint32
	reply   bool
}

type edgeState struct {
	tryLane, overallLane   sim.Lane
	tryDelay, overallDelay sim.Time // -1: no lane yet
	hop, back, pause       hopState // rings of the way to the callee, back, and of delayed answers
	observed               bool     // some policy of its stack is told of outcomes
	turns                  []uint32 // round robin, by caller replica and tier
	smooth                 [][]float64
	held                   []held
	firsts, unsent         uint64 // calls whose first try was sent; that ended without one
	open                   uint64 // of a client's edge: requests that have not ended
}

// hopState is a constant latency's ring.
type hopState struct {
	lane  sim.Lane
	delay sim.Time // -1: no ring yet
}

type routeState struct {
	sum []float64 // running sums of weights
}

// policyState is a vector of states of one policy, by scope member and key, made at first use.
type policyState struct {
	gates     []policies.Gate
	pacers    []policies.Pacer
	observers []policies.Observer
	enters    []policies.Admission
	levels    []func(sim.Time) float64
	fixed     sim.Time
	lane      hopState // of a pacer's fixed wait
}

type stepState struct {
	lane     hopState // of constant work
	constant bool
}

func newWorld(p *Plan, seed uint64, o Options) *world {
	w := &world{p: p, seed: sim.Seed(seed), tracer: o.Tracer}
	if o.Plain {
		w.en = sim.NewPlain()
	} else {
		w.en = sim.NewEngine()
	}
	w.attempts.pages = []*[pageSize]attempt{new([pageSize]attempt)}
	w.calls.pages = []*[pageSize]call{new([pageSize]call)}
	w.winEnd = p.Window
	w.warmup = uint32(p.Warmup / p.Window)
	w.initParams()
	w.initStations()
	w.initEdges()
	w.initStates()
	w.res = newResult(p, seed)
	w.schedule()
	w.initClients()
	for i := range w.replicas {
		w.sampleGauges(i, 0)
	}
	w.sampleLevels(0)
	return w
}

func (w *world) initStations() {
	p := w.p
	w.replicas = make([]replica, len(p.Replicas))
	for i := range p.Replicas {
		pr, r := &p.Replicas[i], &w.replicas[i]
		r.slots, r.inFlight = w.count(pr.Slots), w.count(pr.InFlight)
		r.line.Init(pr.Discipline, w.count(pr.LineLimit))
		r.backlog.Init(queue.FIFO, pr.Backlog)
		r.rejects.Init(queue.FIFO, -1)
		r.patienceDelay = -1
	}
	w.tiers = make([]tierState, len(p.Tiers))
	for t := range p.Tiers {
		w.rotate(t)
	}
	w.steps = make([]stepState, len(p.Programs))
	for i := range w.steps {
		w.steps[i].lane.delay = -1
		_, w.steps[i].constant = p.Programs[i].Time.Const()
	}
}

func (w *world) initEdges() {
	p := w.p
	w.edges = make([]edgeState, len(p.Edges))
	for i := range w.edges {
		e := &w.edges[i]
		e.tryDelay, e.overallDelay = -1, -1
		e.hop.delay, e.back.delay, e.pause.delay = -1, -1, -1
		callers := 1
		if from := p.Edges[i].From; from >= 0 {
			callers = p.Tiers[from].Count
		}
		e.turns = make([]uint32, callers*len(p.Tiers))
		e.smooth = make([][]float64, callers*len(p.Tiers))
	}
	w.routes = make([]routeState, len(p.Routes))
	for i := range w.routes {
		w.weighRoute(i)
	}
}

func (w *world) initStates() {
	w.states = make([]policyState, len(w.p.States))
	for i := range w.p.States {
		s, ps := &w.p.States[i], &w.states[i]
		n := s.Len
		if s.Single {
			n = 1
		}
		first := s.New()
		ps.fixed, ps.lane.delay = first.Fixed, -1
		if first.Gate != nil {
			ps.gates = make([]policies.Gate, n)
		}
		if first.Pacer != nil {
			ps.pacers = make([]policies.Pacer, n)
		}
		if first.Observer != nil {
			ps.observers = make([]policies.Observer, n)
			w.observeFrom(i)
		}
		if first.Admission != nil {
			ps.enters = make([]policies.Admission, n)
		}
		if first.Level != nil && n <= maxLevels {
			ps.levels = make([]func(sim.Time) float64, n)
		}
	}
}

// observeFrom notes which edges tell a state's policy of outcomes.
func (w *world) observeFrom(state int) {
	for e := range w.edges {
		for k := range w.p.Edges[e].Stack {
			if w.p.Edges[e].Stack[k].State == state {
				w.edges[e].observed = true
			}
		}
	}
}

// maxLevels is the most states of one policy whose levels are sampled for charts.
const maxLevels = 1000

// make fills place i of a policy's states.
func (w *world) makeState(state, i int) {
	ps := &w.states[state]
	made := w.p.States[state].New()
	if ps.gates != nil {
		ps.gates[i] = made.Gate
	}
	if ps.pacers != nil {
		ps.pacers[i] = made.Pacer
	}
	if ps.observers != nil {
		ps.observers[i] = made.Observer
	}
	if ps.enters != nil {
		ps.enters[i] = made.Admission
	}
	if ps.levels != nil {
		ps.levels[i] = made.Level
	}
}

func (w *world) gate(state, i int) policies.Gate {
	ps := &w.states[state]
	if ps.gates[i] == nil {
		w.makeState(state, i)
	}
	return ps.gates[i]
}

func (w *world) pacer(state, i int) policies.Pacer {
	ps := &w.states[state]
	if ps.pacers[i] == nil {
		w.makeState(state, i)
	}
	return ps.pacers[i]
}

func (w *world) observer(state, i int) policies.Observer {
	ps := &w.states[state]
	if ps.observers[i] == nil {
		w.makeState(state, i)
	}
	return ps.observers[i]
}

func (w *world) admission(state, i int) policies.Admission {
	ps := &w.states[state]
	if ps.enters[i] == nil {
		w.makeState(state, i)
	}
	return ps.enters[i]
}
