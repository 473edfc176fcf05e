package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// forConnect is the purpose of the draw of how long a connection takes to be opened.
const forConnect = 55

// Connections is how the callers of an edge reach a replica: over connections, which take time to
// be opened and are kept for later attempts.
type Connections struct {
	Connect     sim.Dist // how long it takes to open one
	Idle        int      // most that are kept between a caller and a replica; -1: unlimited
	Multiplexed bool     // one for all attempts between the two
	Handshake   int      // its work at the callee, in Programs, which Enter follows; 0: none
}

// AddHandshake adds the work of a handshake to a plan whose endpoints have their programs, and says
// where it is. A step before it keeps it from being where the last program ends.
func (p *Plan) AddHandshake(cost sim.Dist) int {
	p.Programs = append(p.Programs, Step{Verb: Enter}, Step{Verb: Work, Time: cost},
		Step{Verb: Enter})
	return len(p.Programs) - 2
}

// pool is the connections between a caller and a replica.
type pool struct {
	idle  int
	epoch uint32   // how often all of them were closed
	open  bool     // multiplexed: there is one
	since sim.Time // when that one is or was open
}

// poolOf is the pool of a caller, by its number, and a replica.
func (w *world) poolOf(e *edge, caller int, r *replica) *pool {
	if e.pools[caller] == nil {
		e.pools[caller] = make([]pool, len(w.replicas))
	}
	return &e.pools[caller][r.index]
}

// takeConnection gives an attempt a connection to its replica, at once or when one is open, and
// puts it on the link.
func (w *world) takeConnection(a *attempt, c *call, e *edge) {
	caller := 0
	if c.parent != nil {
		caller = c.parent.replica.number
	}
	s, p := e.p.Connections, w.poolOf(e, caller, a.replica)
	x := w.extra(a)
	x.caller, x.epoch = uint32(caller), p.epoch
	ready := w.now
	switch {
	case s.Multiplexed && p.open:
		ready = p.since
	case !s.Multiplexed && p.idle > 0:
		p.idle--
	default:
		e.present[c.client].Connects++
		x.opened = true
		draw := a.ident.Draw(forConnect)
		ready += min(s.Connect.Sample(&draw), sim.MaxTime-w.now)
		p.open, p.since = true, ready
	}
	if ready > w.now {
		a.place = lost // to its caller's timer, as long as nothing is sent
		a.event = w.en.At(ready, evOpened, a.id)
		return
	}
	w.cross(a, e)
}

// onOpened puts an attempt on the link whose connection is open, unless its caller has gone.
func (w *world) onOpened(a *attempt, key sim.Key) {
	if a.event != key {
		return
	}
	a.event = 0
	a.place = onTheWay
	w.cross(a, a.edge)
}

// keepConnection is what becomes of the connection of an attempt whose answer has come.
func (w *world) keepConnection(a *attempt, class policies.Class) {
	x := w.extraOf(a)
	s, p := a.edge.p.Connections, w.poolOf(a.edge, int(x.caller), a.replica)
	whole := class == policies.OK || class == policies.Error || class == policies.Rejected
	if whole && !s.Multiplexed && p.epoch == x.epoch && (s.Idle < 0 || p.idle < s.Idle) {
		p.idle++
	}
}

// disconnect closes all connections to a replica, and of a new one also those from it.
func (w *world) disconnect(r *replica, fresh bool) {
	for i := range w.edges {
		e := &w.edges[i]
		for caller, row := range e.pools {
			switch {
			case row == nil:
			case fresh && e.p.From == r.tier.index && caller == r.number:
				for k := range row {
					row[k] = pool{epoch: row[k].epoch + 1}
				}
			default:
				row[r.index] = pool{epoch: row[r.index].epoch + 1}
			}
		}
	}
}

// shakeHands lets the steps of an attempt that opened a connection begin with what that costs.
func (w *world) shakeHands(a *attempt) {
	if h := a.edge.p.Connections.Handshake; h > 0 {
		a.step = int32(h)
	}
}
