package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
	"cascadesim/sim/stats"
)

// world is the state of one replication.
type world struct {
	p        *Plan
	en       *sim.Engine
	now      sim.Time
	winEnd   sim.Time // end of the current window
	window   uint32   // the current one
	warmup   uint32   // windows left out of totals
	depth    int      // of steps without time inside the present event
	tracer   Tracer
	print    sim.Fingerprint
	serial   uint64 // attempts sent so far
	draining bool
	carries  bool // some edge carries the number of the attempt

	fetched  uint64 // see Fetch
	attempts slab[attempt]
	extras   []*[pageSize]extra // by the attempt's id
	targets  []target
	edges    []edge
	steps    []stepState
	clients  []client
	calls    slab[call]
	links    queue.Links
	tiers    []tier
	replicas []replica
	routes   []route
	states   []policyState
	params   []param
	value    []float64  // of params: in force; times in ns, negative: unlimited or none
	fixed    []sim.Time // of distributions that are constant: in force; else -1
	scalers  []scalerState
	pauses   []pauseState
	crashes  []crashState
	triggers []triggerState
	controls []controlState
	senders  []attempt // stand-ins for those that made detached calls, by replica; see detach
	alone    call      // stands for the call of a try that is all there is of it
	probe    call      // describes such a call to whoever picks its replica

	scratch    policies.Attempt // what policies are shown
	notes      []uint64         // of policies about calls, noteWidth for each call's id
	noteWidth  int
	guestNotes []uint64 // likewise of a callee's policies about attempts
	guestWidth int
	lines      []*callLine // in which tries wait at their callers
	callLinks  queue.Links // of those, by call
	ops        operations
	caches     caches
	outer      outer
	fit        tier         // what ejectors and health checks leave of a tier, for one pick
	checked    []*health    // of edges whose callers probe
	watchers   []watcher    // of all of them
	spilled    []float64    // running sums of a route that follows health, for one pick
	scrap      TierCell     // counters of probes, which nobody reads
	tried      [][]*replica // of calls whose placer wants fresh ones, by id
	repick     uint64       // number of the pick that is being made again; 0: the first

	movedAt     sim.Time // when the clock was last seen to move
	movedEvents uint64   // and the events until then

	seed  sim.Seed
	works uint64 // keys the draws of work since chance follows from another seed; until then 0
	res   *Result
}

type client struct {
	p        *Client
	edge     *edge
	requests sim.Ident  // whose children are those that start from now on
	members  sim.Ident  // whose children are the identities of the population
	stream   sim.Stream // of open-loop gaps
	source   sim.Source
	count    uint64   // open-loop requests so far
	left     float64  // of the integral of the rate until the next arrival
	from     sim.Time // up to which the integral is taken
	seg      int      // segment of the profile at from
	ops      []uint32 // closed loop: operations so far, by client
	recorded
	modulated
	expires []sim.Time // of a client that refreshes tokens: by identity

	latency tally
	cells   []ClientCell
	seen    *seen // nil: no watch asks
}

// tier is who takes part: active replicas, and of them those in rotation.
type tier struct {
	p        *Tier
	index    int
	active   int
	sum      []float64 // running sums of the active replicas' weights
	rotation []*replica
	rotSum   []float64
	even     bool // weights in rotation are equal
	lowest   lowest
	apart    bool // who comes to some replica needs more than a slot or a place in line, or is told of
	live     tierLive
	memory   *Crash // nil: there is always enough
	cold     *Cold  // nil: new replicas work as any
	doors    []door // by endpoint
	roles           // that its admission policies play
}

// door is how an endpoint's steps begin.
type door struct {
	first, end int32
	step       *Step // that comes first, if it is a call that is always made
	edge       *edge // of that call
}

// tierLive are a tier's settings in force.
type tierLive struct {
	reject      policies.Outcome
	cost, delay sim.Time // of a rejection
	slow        float64
	delays      bool // answers leave later by a fault
	errors      bool // a fault fails some attempts
	rows        bool // a fault of a replica or an endpoint slows some work
	open        bool // it has no policy that decides who comes in
	plain       bool // nothing happens to its answers, and nobody cares
}

type replica struct {
	tier           *tier
	busy, slots    int // slots < 0: unlimited
	inSystem       int
	inFlight       int         // limit; < 0: unlimited
	present        []*TierCell // of the current window, by endpoint and client; see ReplicaSeries
	number         int         // within its tier
	index          int         // among all replicas
	gauges         gauges
	paused, frozen bool
	flows          Flows
	p              *Replica
	line, backlog  queue.Line
	rejects        queue.Line // rejections that cost work
	codel          *codel     // of a line that controls its delay; else nil
	shared         *sharing   // of slots that all share; else nil
	outages        []outage   // why it takes part in nothing; summed up in paused and so on
	expects        bool       // a time is set at which its sizer may have more slots
	crashes        uint64     // so far, by its tier's rules
	born           sim.Time   // when it was new
	full           bool       // it is about to be looked at, for it may be out of memory
	cutting        bool       // what it holds is being cut off
	place          int        // in its tier's rotation; -1: none
	turned         sim.Time   // when it last went out of rotation or came back
	frozenTotal    sim.Time   // pauses that keep flows, the present one to its end
	thaw           sim.Time   // end of the present one
	patience       ringState  // of a constant patience
	series         *ReplicaSeries
	wait, service  tally
}

// held is an attempt that waits for a held link.
type held struct {
	attempt *attempt
	reply   bool
}

type edge struct {
	p              *Edge
	index          int
	present        []*EdgeCell // of the current window, by client
	byWindow       []stats.Histogram
	live           edgeLive
	detached       bool      // nobody waits for some of its calls
	local          bool      // a caller's replica goes to that of its own number
	try, overall   ringState // of the caller's timers
	lease          ringState
	hop, back      ringState // of the way to the callee, and back
	pause          ringState // of delayed answers
	roles                    // that its stack plays
	home           *tier     // whose replicas an ejector watches; nil: nobody's
	health         *health   // what its callers know by probes; nil: they send none
	probes         *health   // of an edge that only probes go over: whose; else nil
	choosy         bool      // a pick must be asked for, even where there is but one to be had
	hosts          []int     // by state of the ejector: how many replicas it knows of
	turns          []uint32  // round robin, by caller replica and tier
	smooth         [][]float64
	held           []held
	pools          [][]pool // by caller and replica; nil: attempts need no connection
	firsts, unsent uint64   // calls whose first try was sent; that ended without one
	waiting        uint64   // calls whose first try is held back
	open           uint64   // of a client's edge: requests that have not ended
	series         *EdgeSeries
	latency        tally
	seen           *seen // nil: no watch asks
}

// edgeLive are an edge's settings in force.
type edgeLive struct {
	try, overall sim.Time // negative: none
	lease        sim.Time // likewise
	way, wayBack sim.Time // how long an attempt and its answer travel, if always as long; else -1
	block        float64
	loss         float64
	repliesLost  float64
	enabled      float64
	link         LinkState
	direct       bool // nothing can happen to an attempt on its way, which takes no time
	directBack   bool // nor to its answer
	straight     bool // nothing but time, and nobody but gates cares about a first try: see express
	straightBack bool // nor about a call that went well
}

// ringState is the engine's ring of a constant delay.
type ringState struct {
	lane  sim.Lane
	delay sim.Time // -1: no ring yet
}

var noRing = ringState{delay: -1}

type route struct {
	p     *Route
	index int
	sum   []float64 // running sums of weights
}

// target is where calls go, with what there is to pick when that is no choice.
type target struct {
	tier     *tier    // nil: a route
	route    *route   // nil: a tier
	sole     *replica // the only one that takes part, while it is in rotation; else nil
	endpoint int32
}

type stepState struct {
	lane     ringState // of constant work
	constant bool
}

func newWorld(p *Plan, seed uint64, o Options) *world {
	w := &world{p: p, seed: sim.Seed(seed), tracer: o.Tracer}
	if o.Plain {
		w.en = sim.NewPlain()
	} else {
		w.en = sim.NewEngine()
	}
	w.attempts.init()
	w.calls.init()
	w.winEnd = p.Window
	w.warmup = uint32(p.Warmup / p.Window)
	w.res = newResult(p, seed)
	w.initParams()
	w.initStations()
	w.initEdges()
	w.initDetached()
	w.initDoors()
	w.pageTurned()
	w.initStates()
	w.initOperations()
	w.initCaches()
	w.clients = make([]client, len(p.Clients))
	w.initCrashes()
	w.initTriggers()
	w.initControls()
	w.initHealth()
	w.refresh()
	w.schedule()
	w.scheduleProbes()
	w.initClients()
	for i := range w.replicas {
		w.sampleGauges(i, 0)
	}
	w.sampleLevels(0)
	return w
}

func (w *world) initStations() {
	p := w.p
	w.tiers = make([]tier, len(p.Tiers))
	w.replicas = make([]replica, len(p.Replicas))
	for i := range p.Replicas {
		pr, r := &p.Replicas[i], &w.replicas[i]
		r.p, r.index, r.tier = pr, i, &w.tiers[pr.Tier]
		r.number = i - p.Tiers[pr.Tier].First
		r.slots, r.inFlight = w.count(pr.Slots), w.count(pr.InFlight)
		r.line.Init(pr.Discipline, w.count(pr.LineLimit))
		r.line.SwitchAbove(pr.SwitchAbove)
		r.backlog.Init(queue.FIFO, pr.Backlog)
		r.rejects.Init(queue.FIFO, -1)
		if pr.Discipline == queue.CoDel {
			r.codel, r.tier.apart = newCodel(pr), true
		}
		if pr.Discipline == queue.PS {
			r.shared, r.tier.apart = &sharing{}, true
		}
		r.patience, r.turned, r.born = noRing, longSince, longSince
		if cold := p.Tiers[pr.Tier].Cold; cold != nil && cold.AtStart {
			r.born = 0
		}
		r.series = &w.res.Replicas[i]
		r.present = make([]*TierCell, len(r.series.Cells)/w.res.Windows+1)
		r.present[len(r.present)-1] = &w.scrap
		r.wait.into, r.service.into = &r.series.Wait, &r.series.Service
	}
	w.targets = make([]target, len(p.Targets))
	for t := range w.tiers {
		w.tiers[t].p, w.tiers[t].index, w.tiers[t].cold = &p.Tiers[t], t, p.Tiers[t].Cold
		w.rotate(&w.tiers[t])
	}
	w.steps = make([]stepState, len(p.Programs))
	for i := range w.steps {
		w.steps[i].lane = noRing
		_, w.steps[i].constant = p.Programs[i].Time.Const()
	}
}

func (w *world) initDoors() {
	for i := range w.tiers {
		t := &w.tiers[i]
		t.doors = make([]door, len(t.p.Endpoints))
		for k := range t.doors {
			ep, d := &t.p.Endpoints[k], &t.doors[k]
			d.first, d.end = int32(ep.First), int32(ep.First+ep.Count)
			if d.first == d.end {
				continue
			}
			if s := &w.p.Programs[d.first]; s.Verb == Call && s.Share >= 1 {
				d.step, d.edge = s, &w.edges[s.Edge]
			}
		}
	}
}

func (w *world) initEdges() {
	p := w.p
	w.edges = make([]edge, len(p.Edges))
	for i := range w.edges {
		e := &w.edges[i]
		e.p, e.index, e.local = &p.Edges[i], i, p.Edges[i].Balance.Policy == Local
		e.try, e.overall, e.lease = noRing, noRing, noRing
		e.hop, e.back, e.pause = noRing, noRing, noRing
		callers := 1
		if from := p.Edges[i].From; from >= 0 {
			callers = p.Tiers[from].Count
		}
		e.turns = make([]uint32, callers*len(p.Tiers))
		e.smooth = make([][]float64, callers*len(p.Tiers))
		e.series = &w.res.Edges[i]
		e.byWindow = e.series.Series
		e.present = make([]*EdgeCell, len(p.Clients))
		e.latency.into = &e.series.Latency
		w.carries = w.carries || p.Edges[i].CarryAttempt
		if p.Edges[i].Connections != nil {
			e.pools = make([][]pool, callers)
		}
		if home := p.Edges[i].Home; home >= 0 {
			e.home = &w.tiers[home]
		}
	}
	w.routes = make([]route, len(p.Routes))
	for i := range w.routes {
		w.routes[i].p, w.routes[i].index = &p.Routes[i], i
		w.weigh(&w.routes[i])
	}
	for i := range w.targets {
		if r := p.Targets[i].Route; r >= 0 {
			w.targets[i].route = &w.routes[r]
		}
	}
}
