package kernel

import "cascadesim/sim"

// Watch is a condition on what a run shows while it runs: a measure of the last Over, looked at
// Looks times in that time, is above or below a limit.
type Watch struct {
	// The measure is the sum of Top over that of Bottom, both of the last Over; without Bottom over
	// the time in ns times Unit. What is a part of nothing is neither above nor below.
	Top, Bottom []Term
	Unit        float64
	Quantile    float64 // of the durations that Top names; 0: none
	Above       bool
	Limit       float64
	Over        sim.Time // a multiple of Looks
}

// Looks is how often a measure is looked at in the time it is of.
const Looks = 10

// Term is one thing that is counted or integrated.
type Term struct {
	Of       TermOf
	Index    int // of the client, edge or replica
	Endpoint int // OfReplica: one endpoint, or -1
	Count    int // a ClientCount, EdgeCount, ReplicaCount or Gauge
}

// TermOf says what a term belongs to.
type TermOf uint8

// What a term belongs to.
const (
	OfClient TermOf = iota
	OfEdge
	OfReplica
	OfGauge // of a replica
)

// What is counted of a client's requests: those that begin, and the rest as they end.
const (
	ClientRequests = iota
	ClientEnded
	ClientOK
	ClientFailed
	ClientTimedOut
	ClientBlocked
	ClientSlow
	ClientFailedOrSlow
)

// What is counted of an edge: what is offered, and from EdgeEnded on attempts as their outcome
// comes. EdgeOutcome plus a class is that outcome; refused ones are never sent: EdgeRefused.
const (
	EdgeCalls = iota
	EdgeAttempts
	EdgeRetries
	EdgeHedges
	EdgeConnects
	EdgeRefused
	EdgeEnded
	EdgeCancelled // of the dropped, as in results
	EdgeOutcome
)

// What is counted of a replica.
const (
	ReplicaArrivals = iota
	ReplicaAdmitted
	ReplicaCompleted
	ReplicaRejected
	ReplicaDropped
	ReplicaWasted
	ReplicaHits // lookups in caches, as results have them
	ReplicaMisses
	ReplicaJoined
)

// Crash takes replicas of a tier down by themselves: one whose condition is met, or that holds more
// than it has memory for, is down for a while, loses what it holds and comes back as a new one.
type Crash struct {
	Tier  int
	When  []Watch // by replica; nil: Most is the rule
	Most  int     // attempts that a replica has memory for
	Down  sim.Dist
	Flows Flows // Reset or Drop
}

// Trigger starts changes and pauses when a condition is met, or after another trigger has fired.
// Their times are as if it fired at Nominal.
type Trigger struct {
	Name    string
	Nominal sim.Time
	From    sim.Time // the condition counts from then on
	When    *Watch   // nil: it fires when another one has
	Follows int      // index of that one
	After   sim.Time // from the condition, or the other's firing, to this one's
	// Chained: it has a condition, which is looked at from the other's firing and Arm on.
	Chained bool
	Arm     sim.Time
	Lasts   sim.Time // for the mark; Never: it stays
	Entry   int      // of the timeline
}
