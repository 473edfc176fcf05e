package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// world is the state of one run.
type world struct {
	plan   *kernel.Plan
	seed   sim.Seed
	labour uint64 // what reseeding mixes into the draws of work
	tracer kernel.Tracer

	now    sim.Time
	seq    int
	events uint64
	agenda agenda

	fields   []*field
	clients  []*client
	edges    []*edge
	replicas []*replica
	roles    []policies.Policy // one of each state's kind, never used
	states   map[stateKey]policies.Policy
	rounds   map[roundKey]*round
	hosts    map[policies.Ejector]int // how many it has been told of
	had      map[sim.Ident]bool       // effects of operations
	lines    map[stateKey][]*call     // of queuers
	due      map[stateKey]bool        // which of them are about to be looked at
	stores   map[int]*policies.IdempotencyStore
	shelves  map[shelfKey]*shelf

	sent     int // attempts so far, which numbers them
	calls    map[*call]bool
	attempts map[*attempt]bool
	requests int // in flight
	ended    []ended
	chained  map[int][]chain // by the trigger that they wait for
	there    int             // replicas of a tier before their number changes

	result *kernel.Result
}

// edge is a plan's edge and the messages that its held link keeps, in order.
type edge struct {
	kernel.Edge
	w     *world
	index int
	held  []func()

	opinions []*opinion // of callers that probe

	connections []*connection // that are open or being opened
	bare        *edge         // as probes see it
}

type stateKey struct{ state, member, key int }

// Run simulates one replication of p. The tracer may be nil.
func Run(p *kernel.Plan, seed uint64, tracer kernel.Tracer) *kernel.Result {
	w := &world{
		plan: p, seed: sim.Seed(seed), tracer: tracer,
		states: map[stateKey]policies.Policy{}, rounds: map[roundKey]*round{},
		chained: map[int][]chain{},
		hosts:   map[policies.Ejector]int{}, had: map[sim.Ident]bool{},
		lines: map[stateKey][]*call{}, due: map[stateKey]bool{},
		stores: map[int]*policies.IdempotencyStore{}, shelves: map[shelfKey]*shelf{},
		calls: map[*call]bool{}, attempts: map[*attempt]bool{},
	}
	for _, spec := range p.Params {
		w.fields = append(w.fields, &field{spec: spec})
	}
	for i, spec := range p.Edges {
		w.edges = append(w.edges, &edge{Edge: spec, w: w, index: i})
	}
	for i, spec := range p.Replicas {
		r := &replica{Replica: spec, w: w, index: i, changed: -sim.MaxTime, began: -sim.MaxTime}
		if cold := p.Tiers[spec.Tier].Cold; cold != nil && cold.AtStart {
			r.began = 0
		}
		w.replicas = append(w.replicas, r)
	}
	for _, s := range p.States {
		w.roles = append(w.roles, s.New())
	}
	w.prepare(seed)
	w.timeline()
	w.makeOpinions()
	for i := range p.Clients {
		w.clients = append(w.clients, newClient(w, i))
	}
	// What is due at time 0 happens in the loop, after the timeline's changes of that instant.
	for _, c := range w.clients {
		c.begin()
	}
	w.run()
	w.finish()
	return w.result
}

// timeline schedules everything that comes before all else of its instant.
func (w *world) timeline() {
	for _, x := range w.plan.Reseeds {
		w.first(rankReseed, x.At, func() { w.reseed(sim.Seed(x.Seed)) })
	}
	for _, c := range w.plan.Changes {
		if c.Trigger == 0 {
			w.first(rankChange, c.At, func() { w.change(c) })
		}
	}
	begun := make([]*pause, len(w.plan.Pauses))
	for i, p := range w.plan.Pauses {
		if p.To != sim.Never && p.Trigger == 0 {
			w.first(rankResume, p.To, func() { w.resume(begun[i]) })
		}
	}
	for i, p := range w.plan.Pauses {
		if p.Trigger > 0 {
			continue
		}
		w.first(rankPause, p.From, func() {
			begun[i] = w.newPause(p)
			w.begin(begun[i])
		})
	}
	for _, s := range w.plan.Scalers {
		if s.HPA != nil {
			newPods(w, s).begin()
			continue
		}
		newScaler(w, s).begin()
	}
	for _, c := range w.plan.Crashes {
		if c.When != nil {
			w.watchCrashes(c)
		}
	}
	for i, p := range w.plan.Triggers {
		w.result.Fired = append(w.result.Fired, sim.Never)
		if p.When != nil {
			w.watchTrigger(i, begun)
		}
	}
	w.timedControls()
}

// state finds a policy's state for a member of its scope and a value of its key; it is made at
// first use.
func (w *world) state(k stateKey) policies.Policy {
	spec := w.plan.States[k.state]
	if spec.Single {
		k.member, k.key = 0, 0
	}
	p, ok := w.states[k]
	if !ok {
		fresh := spec.New
		if k.key < len(spec.Own) && spec.Own[k.key] != nil {
			fresh = spec.Own[k.key]
		}
		p = fresh()
		if p.Seed != nil {
			i := uint64(k.member*w.stride(k.state) + k.key)
			first := sim.Seed(w.result.Seed)
			p.Seed(first.Ident("policy/" + spec.Name).Child(i).Draw(31))
		}
		w.states[k] = p
	}
	return p
}

// stride is how many values the key of a state has.
func (w *world) stride(state int) int {
	for _, e := range w.plan.Edges {
		for _, u := range e.Stack {
			if u.State == state {
				return u.Stride
			}
		}
	}
	for _, t := range w.plan.Tiers {
		for _, u := range t.Admission {
			if u.State == state {
				return u.Stride
			}
		}
	}
	panic("oracle: a state that nobody uses")
}

func (w *world) trace(r kernel.TraceRecord) {
	if w.tracer != nil {
		r.At, r.Event = w.now, w.events
		w.tracer.Trace(r)
	}
}
