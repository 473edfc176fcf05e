package oracle

import (
	"slices"

	"cascadesim/policies"
	"cascadesim/sim"
)

// connection is one between a caller and a replica.
type connection struct {
	edge   *edge
	caller *replica // nil: a client
	to     *replica
	ready  sim.Time // when it is open
	idle   bool
	closed bool
}

// connect gets the attempt a connection, then goes on.
func (a *attempt) connect(then func()) {
	s, w := a.call.edge.Connections, a.w
	if s == nil || a.call.probe {
		then()
		return
	}
	for _, x := range a.call.edge.connections {
		if x.caller == a.call.from() && x.to == a.replica && (s.Multiplexed || x.idle) {
			a.connection, x.idle = x, false
			a.ride(then)
			return
		}
	}
	a.call.cell(w.now).Connects++
	draw := a.ident.Draw(55)
	a.connection = &connection{
		edge: a.call.edge, caller: a.call.from(), to: a.replica, ready: w.now + s.Connect.Sample(&draw),
	}
	a.shakes = s.Handshake
	a.call.edge.connections = append(a.call.edge.connections, a.connection)
	a.ride(then)
}

// ride goes on when the connection is open, if the caller still waits.
func (a *attempt) ride(then func()) {
	if a.connection.ready <= a.w.now {
		then()
		return
	}
	a.w.at(a.connection.ready, func() {
		if !a.settled {
			then()
		}
	})
}

// leaveOpen is what becomes of the connection when an answer has come in time.
func (a *attempt) leaveOpen(o policies.Outcome) {
	x := a.connection
	if x == nil || x.closed || o.Class == policies.Dropped {
		return
	}
	idle := 0
	for _, y := range x.edge.connections {
		if y.idle && y.caller == x.caller && y.to == x.to {
			idle++
		}
	}
	if limit := x.edge.Connections.Idle; limit < 0 || idle < limit {
		x.idle = true
		a.connection = nil
	}
}

// hangUp closes the connection that the attempt still has, unless others share it.
func (a *attempt) hangUp() {
	if x := a.connection; x != nil && !x.edge.Connections.Multiplexed {
		x.close()
	}
}

func (x *connection) close() {
	x.closed, x.idle = true, false
	all := &x.edge.connections
	*all = slices.DeleteFunc(*all, func(y *connection) bool { return y == x })
}

// closeThose closes all connections to a replica and, if it is new, those from it.
func (r *replica) closeThose(fresh bool) {
	for _, e := range r.w.edges {
		for _, x := range slices.Clone(e.connections) {
			if x.to == r || fresh && x.caller == r {
				x.close()
			}
		}
	}
}

// shake does the work of a handshake, if there was one, before the program.
func (v *visit) shake(then func()) {
	if v.shakes == 0 {
		then()
		return
	}
	v.work(v.shakes, func(failure) {
		if v.serving {
			then()
		}
	})
}
