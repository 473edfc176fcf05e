package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// Connections are between a calling replica, or all of a client, and a called replica. A caller
// that leaves closes its own; a restart or crash of either end, or a pause that cuts the callee
// off, closes all.
type Connections struct {
	Connect     sim.Dist `yaml:"connect" default:"0" doc:"how long it takes to open one, before the request leaves"`
	Cost        sim.Dist `yaml:"cost" default:"0" doc:"work of a handshake at the callee, before the steps of the attempt that opened it"`
	Idle        int      `yaml:"idle" scale:"s" default:"unlimited" doc:"most that are kept between two replicas for later attempts"`
	Multiplexed bool     `yaml:"multiplexed" default:"false" doc:"one for all attempts between two replicas, as in HTTP/2; a caller that leaves does not close it"`
}

func (n *names) checkConnections(path string, s *Connections) {
	if s == nil {
		return
	}
	n.limit(path+".idle", s.Idle, 0)
	if s.Multiplexed && s.Idle != Unlimited {
		n.errorf(path+".idle", "the one connection that all share is never idle").
			hint("leave idle out")
	}
}

func (c *compiler) connections(path string, s *Connections) *kernel.Connections {
	k := &kernel.Connections{Connect: s.Connect, Multiplexed: s.Multiplexed,
		Idle: c.count(path+".idle", s.Idle, "idle connections")}
	if !s.Cost.IsZero() {
		k.Handshake = c.p.AddHandshake(s.Cost)
	}
	return k
}
