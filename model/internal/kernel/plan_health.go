package kernel

import "cascadesim/sim"

// Health is how the callers of an edge find out which replicas are up.
type Health struct {
	Check             Check
	Shared            bool // all callers know the same; else each probes for itself
	Interval, Timeout sim.Time
	Jitter            float64 // share of the interval by which a probe may be later
	Fall, Rise        int     // probes in a row that take a replica out, and back
	Panic             float64 // share of active replicas in view below which all are used
	Targets           []int   // whose replicas are probed: first endpoints of their tiers
	Step              int     // of CheckSlot: the probe's work, in Programs
}

// Check is what a probe asks for.
type Check uint8

// The checks.
const (
	CheckConnect Check = iota // a door that is open
	CheckSlot                 // work, in a slot, in its turn
)

// Spill is how a route follows the health of its targets.
type Spill uint8

// The ways to follow it.
const (
	NoSpill   Spill = iota
	SpillAll        // each weight is worth what its target's health is
	SpillNext       // the first target has what it can take, then the next
)

// ProbeCell counts the probes of an edge's callers in a window: when they were sent, when they
// turned out to have failed, and how often a caller took a replica out for that.
type ProbeCell struct{ Sent, Failed, TakenOut uint32 }
