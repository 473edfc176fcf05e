package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// Plan is a compiled world: what one replication needs to know, in arrays addressed by index, at
// the scale of the run. It is immutable and shared by replications.
type Plan struct {
	End    sim.Time // arrivals stop here; events at End do not happen unless there is a drain
	Drain  sim.Time // longest time after End until nothing is in flight
	Warmup sim.Time // a multiple of Window; left out of totals
	Window sim.Time // width of the recorded series
	Scale  float64  // 0.01 simulates a hundredth; what grows by 1/scale is already grown

	Clients  []Client
	Tiers    []Tier
	Replicas []Replica // of all tiers; Tier.First and Tier.Count say which
	Rows     []Row     // what a tier's counters are kept by: a replica and an endpoint
	Programs []Step    // steps of all endpoints; a program is First, Count into it
	Edges    []Edge
	Targets  []Target
	Routes   []Route
	Caches   []Cache
	States   []State // policy states shared by stacks

	Params   []Param  // every live field, in force at time 0
	Reseeds  []Reseed // in order of time
	Changes  []Change // timeline, in order of the file; ends are changes too
	Pauses   []Pause
	Scalers  []Scaler
	Crashes  []Crash   // rules by which replicas go down
	Controls []Control // of settings, by what a run shows
	Triggers []Trigger // of changes and pauses that wait for a measure
	Marks    []Mark    // what the timeline does and when, for the result

	// Operations: some tier has effects or an idempotency store, so operations are told apart.
	Operations bool

	// Series asks for histograms of durations for each window; otherwise for the run alone.
	Series SeriesWanted
}

// SeriesWanted says which durations are kept for each window, by client, edge and tier.
type SeriesWanted struct {
	Clients, Edges, Wait, Service []bool
}

// Client is a population with an arrival process.
type Client struct {
	Name       string
	Edge       int // the edge of the root call
	Target     int
	Process    Process
	Burst      int                        // requests at time 0
	Profile    []Segment                  // multiplies the rate; nil: 1 throughout
	Rate       int                        // param: requests per second
	States     []RateState                // multiply the rate, one after the other; nil: 1
	Population int                        // distinct identities; at least 1
	First      int                        // number of its first identity among all clients'
	Together   bool                       // closed loop: first requests at time 0
	Think      [policies.Classes]sim.Dist // by how the last request ended; Pending: before the first
	SlowAfter  sim.Time
	Priority   uint8  // below Priorities
	Outer      *Outer // what is around its requests; nil: nothing
	Token      *Token // of a closed loop that refreshes tokens; nil: it thinks
	// Holds is the index plus 1 of the client that refreshes the tokens of this one, without which it
	// sends nothing; 0: it needs none.
	Holds int
	// Of FromFile: what was recorded, the share of it that arrives at the scale of the run, and
	// whether counted arrivals are spaced evenly, else at random.
	Recording *Recording
	Keep      float64
	Spaced    bool
}

// RateState is how high the rate of a modulated process is, and for how long.
type RateState struct {
	Factor float64
	For    sim.Dist
}

// Process is how a client's requests arrive.
type Process uint8

// The arrival processes.
const (
	Poisson Process = iota
	Even
	Burst
	Closed
	FromFile // at the instants of a Recording
)

// Segment is one linear piece of a curve, from At to the next segment's At; the last goes on for
// ever. From is the value at its start, Slope its change per second.
type Segment struct {
	At          sim.Time
	From, Slope float64
}

// Tier is a kind of node.
type Tier struct {
	Name      string
	First     int // its replicas
	Count     int
	Active    int // param: how many of them take part (the first Active); the rest wait to be added
	Async     bool
	Deadline  DeadlineRule
	Expected  sim.Time // mean of its own work per attempt, for drop_unlikely
	Endpoints []Endpoint
	Keys      *policies.Idempotency // how its idempotency store treats repeats; nil: it has none
	Admission []Use                 // policies asked in order; scope is always ScopeReplica
	Cold      *Cold                 // how a new replica works; nil: as any
	// Live settings, as params.
	RejectStatus, RejectAfter, RejectCost, RejectDelay int
	Slow                                               int // factor on work that starts
	Delay                                              int // answers leave later: Dist param
}

// Cold is how much longer work takes at a replica that is new: Slow times as long at first, falling
// evenly to 1 over For.
type Cold struct {
	Slow    float64
	For     sim.Time
	AtStart bool // all are new at time 0
}

// DeadlineRule is what a tier does with an attempt whose carried deadline is near or past.
type DeadlineRule uint8

// The deadline rules.
const (
	Ignore DeadlineRule = iota
	DropExpired
	DropUnlikely
)

// Endpoint is a kind of request that a tier serves.
type Endpoint struct {
	Name         string // empty when the tier has steps
	First, Count int    // its steps in Programs
	Errors       int    // param: share of attempts that a fault fails after the work
	ErrorStatus  int    // param
	// Expected is the mean of its own work, the longest branch where steps run side by side. It is
	// finer than the tier's, which is the mean over its endpoints.
	Expected sim.Time
}

// Replica is one station and its flow limit.
type Replica struct {
	Name        string
	Tier        int
	Row         int // its first row; rows follow in the order of the tier's endpoints
	Discipline  queue.Discipline
	SwitchAbove int      // Adaptive: the newest is next while more than so many wait
	FullDrops   bool     // a full line drops silently
	Target      sim.Time // CoDel: longest wait that is meant to last
	Interval    sim.Time // CoDel: how long waits may be longer
	Patience    sim.Dist // longest wait; Has says whether there is one
	HasPatience bool
	Over        Over
	Backlog     int
	// Live settings, as params; -1 means unlimited.
	Weight, Slots, LineLimit, InFlight int
}

// Over is what happens over a flow limit.
type Over uint8

// What happens over a flow limit.
const (
	OverReject Over = iota
	OverBacklog
	OverDrop
)

// Row is a replica and an endpoint. Its faults are those that name a replica or an endpoint and so
// not the whole tier; they act beside the tier's: factors multiply, delays add up, shares combine.
type Row struct {
	Replica, Endpoint int
	Slow              int // param: factor on work that starts; -1: no fault names this row
	Delay             int // Dist param: answers leave later; -1: likewise
	Errors            int // param: share of attempts that fail after the work; -1: likewise
	ErrorStatus       int // param; -1: likewise
}

// Verb is what a step does.
type Verb uint8

// The verbs. A Parallel step is followed by its branches; Count says how many.
const (
	Work Verb = iota
	Call
	Fail
	Parallel
	Effect
	Lookup // in a cache; the steps that fetch a key follow it
	Store  // store what they fetched; it is the last of them
	Detach // calls that nobody waits for
	Enter  // the program of the attempt's endpoint begins, after what is done before it
)

// Calls tells whether a step calls somebody.
func (v Verb) Calls() bool { return v == Call || v == Detach }

// Step is one step of a program.
type Step struct {
	Verb        Verb
	Luck        uint64   // keys its draws; see Identify
	Time        sim.Dist // Work
	PerInFlight sim.Time // Work
	Crowd       *Crowd   // Work; nil: it takes no longer among many
	Edge        int      // Call, Detach
	Target      int      // Call, Detach
	Times       int      // Call, Detach
	Share       float64  // Call, Detach: chance; Fail: share
	Status      int      // Fail; Call: with OnFail = FailStatus
	OnFail      OnFail   // Call
	Cache       int      // Lookup, Store
	// Count is of Parallel its branches, of Call the steps of its fallback, of Lookup those that
	// fetch: they follow.
	Count int
}

// Cache is what a Lookup step looks into.
type Cache struct {
	Tier       int
	PerReplica bool   // each replica has its own; else the tier has one
	Luck       uint64 // of its keys: caches of equal Luck and Keys are asked for the same ones
	Keys       sim.Zipf
	Each       float64  // how many of the real keys a key of this run stands for
	Capacity   int      // most keys; -1: unlimited
	TTL        sim.Dist // from when a key is stored
	HasTTL     bool
	Negative   sim.Time // how long a failure is kept; 0: not at all
	Join       bool     // a miss of a key that is being fetched waits for it
}

// OnFail is what a failed call does to its attempt.
type OnFail uint8

// What a failed call does.
const (
	FailPass OnFail = iota
	FailStatus
	FailIgnore
	FailFallback // the steps that follow are done instead
)

// Target is a tier and endpoint, or a route to such.
type Target struct {
	Route    int // index into Routes, or -1
	Tier     int
	Endpoint int // index into the tier's Endpoints
}

// Key is the identity that keeps its pick.
type Key uint8

// The identities that can keep a pick.
const (
	ByAttempt Key = iota
	ByCall
	ByRequest
	ByClient
)

// Route shares traffic among targets by weight.
type Route struct {
	Name    string
	Luck    uint64 // keys its draws; see Identify
	Key     Key
	To      []int // targets, never routes
	Weights []int // params

	Spill         Spill
	Overprovision float64 // of Spill: 1.4 calls a target well of which 5 in 7 replicas are up
}

// Edge is how a tier or client reaches a target.
type Edge struct {
	Name   string // from->to
	Luck   uint64 // keys its draws; see Identify
	From   int    // tier, or -1 when a client calls
	Client int    // client, or -1
	// Live settings, as params.
	Latency                 int // Dist param: each way
	ReplyLatency            int // factor and addition on each reply's latency (fault)
	Loss, RepliesLost       int
	Try, Overall            int // ns; negative: none
	Lease                   int // likewise
	BlockShare, BlockStatus int
	Link                    int // LinkState
	Enabled                 int // share of calls that may retry
	BlockBy                 Key

	Connections             *Connections // nil: attempts need none
	Resend                  Resend
	Propagate, CarryAttempt bool
	Cancel                  Cancel
	CallPriority            *Regrade // of a call, from that of who makes it; nil: the same
	RetryPriority           *Regrade // of tries after the first, from their call's; nil: the same
	Balance                 Balance
	Health                  *Health // nil: it knows of pauses, and of nothing else
	Home                    int     // tier whose replicas an ejector of the stack watches; -1: a route
	RetryOn                 RetryOn
	Stack                   []Use
	PickFirst               bool // a policy of the stack is keyed by the called replica
	HasRetry                bool
	AtOnce                  bool   // a backoff that would cross the deadline ends the call at once
	CanReach                []bool // by client: its calls can reach this edge
}

// Cancel is what becomes of abandoned work.
type Cancel uint8

// What becomes of abandoned work.
const (
	CancelNone Cancel = iota
	CancelQueued
	CancelAll
)

// LinkState is how an edge's network is; the value of its Link param.
type LinkState uint8

// The states of a link.
const (
	LinkUp LinkState = iota
	LinkHeld
	LinkLost
	LinkRefused
)

// Pick is a balancing policy.
type Pick uint8

// The balancing policies.
const (
	RoundRobin Pick = iota
	Random
	LeastRequest
	Hash
	Local
	LeastConnections
)

// OnRetry says where a retry goes.
type OnRetry uint8

// Where a retry goes.
const (
	Any OnRetry = iota
	Same
	Other
	Fresh // as a placer may say: see fresh
)

// Balance picks a replica.
type Balance struct {
	Policy   Pick
	Key      Key
	Choices  int
	OnRetry  OnRetry
	Failover int  // target, or -1
	Rehash   bool // Hash: another draw of the key stands in for a pick that is out
}
