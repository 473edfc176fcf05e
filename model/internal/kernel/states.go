package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// policyState is a vector of states of one policy, by scope member and key, made at first use. Only
// the roles that the policy plays are kept.
type policyState struct {
	gates     []policies.Gate
	pacers    []policies.Pacer
	observers []policies.Observer
	enters    []policies.Admission
	levels    []func(sim.Time) float64
	lines     []uint32           // of a queuer: numbers of its states' lines, from 1; see callLine
	whole     []*policies.Policy // of a policy that plays any other role
	plays     policies.Policy    // one more state, to see which roles it plays
	fixed     sim.Time
	lane      ringState // of a pacer's fixed wait
}

// maxLevels is the most states of one policy whose levels are sampled for charts.
const maxLevels = 1000

func (w *world) initStates() {
	w.states = make([]policyState, len(w.p.States))
	for i := range w.p.States {
		s, ps := &w.p.States[i], &w.states[i]
		n := s.Len
		if s.Single {
			n = 1
		}
		first := s.New()
		ps.plays, ps.fixed, ps.lane = first, first.Fixed, noRing
		if first.Gate != nil {
			ps.gates = make([]policies.Gate, n)
		}
		if first.Pacer != nil {
			ps.pacers = make([]policies.Pacer, n)
		}
		if first.Observer != nil {
			ps.observers = make([]policies.Observer, n)
		}
		if first.Admission != nil {
			ps.enters = make([]policies.Admission, n)
		}
		if first.Level != nil && (n <= maxLevels || w.alertsOn(i)) {
			ps.levels = make([]func(sim.Time) float64, n)
		}
		if first.Queuer != nil {
			ps.lines = make([]uint32, n)
		}
		if playsMore(&first) {
			ps.whole = make([]*policies.Policy, n)
		}
	}
	for i := range w.edges {
		w.edges[i].roles = w.rolesOf(w.edges[i].p.Stack)
		w.noteWidth = max(w.noteWidth, w.edges[i].notes)
	}
	for i := range w.tiers {
		w.tiers[i].roles = w.rolesOf(w.tiers[i].p.Admission)
		w.guestWidth = max(w.guestWidth, w.tiers[i].notes)
	}
}

// alertsOn tells whether some entry of a stack alerts on the levels of a policy's states.
func (w *world) alertsOn(state int) bool {
	for i := range w.p.Edges {
		for _, u := range w.p.Edges[i].Stack {
			if u.State == state && u.Low > 0 {
				return true
			}
		}
	}
	return false
}

// makeState fills place i of a policy's states.
func (w *world) makeState(state, i int) {
	ps := &w.states[state]
	made := w.p.States[state].fresh(i)
	if made.Seed != nil {
		name := sim.Seed(w.res.Seed).Ident("policy/" + w.p.States[state].Name)
		made.Seed(name.Child(uint64(i)).Draw(forSeed))
	}
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
	if ps.whole != nil {
		ps.whole[i] = &made
	}
}

// fresh makes state number i.
func (s *State) fresh(i int) policies.Policy {
	if len(s.Own) > 0 {
		if own := s.Own[i%len(s.Own)]; own != nil {
			return own()
		}
	}
	return s.New()
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

// guest is the index of the state that serves an attempt in an entry of its replica's admission.
func (w *world) guest(a *attempt, u *Use) int {
	if w.p.States[u.State].Single {
		return 0
	}
	k := 0
	switch u.Key {
	case KeyEdge, KeyReplica:
	case KeyEndpoint:
		k = int(a.endpoint)
	case KeyPriority:
		k = int(a.priority)
	case KeyClient:
		k = int(a.client)
	}
	return a.replica.number*u.Stride + k
}

// member is the index of the state that serves a call in an entry of its edge's stack.
func (w *world) member(c *call, u *Use) int {
	if w.p.States[u.State].Single {
		return 0
	}
	m := 0
	switch u.Scope {
	case ScopeClient:
		m = int(c.identity)
	case ScopeInstance:
		if c.parent != nil {
			m = c.parent.replica.number
		}
	case ScopeTier, ScopeReplica:
	}
	k := 0
	switch u.Key {
	case KeyEdge:
	case KeyEndpoint:
		if c.replica != nil {
			k = int(c.endpoint)
		} else if t := &w.p.Targets[c.target]; t.Route < 0 {
			k = t.Endpoint
		}
	case KeyReplica:
		if c.replica != nil {
			k = c.replica.index - u.Base
		}
	case KeyPriority:
		k = int(c.priority)
	case KeyClient:
		k = int(c.client)
	}
	return m*u.Stride + k
}
