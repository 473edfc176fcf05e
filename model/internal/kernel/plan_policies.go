package kernel

import (
	"math"

	"cascadesim/policies"
)

// MostTries is how many tries a call has at most, whatever its policies say, unless all are at one
// instant: time stands still then, and the run ends with that.
const MostTries = math.MaxUint16

// Priorities is how many levels of priority there are.
const Priorities = 8

// Regrade says which priority each of them becomes.
type Regrade [Priorities]uint8

// RetryOn says which outcomes are tried again: a class as a whole, or a status (bit set, 100 to
// 599) whatever the class.
type RetryOn struct {
	Class  [policies.Classes]bool
	Status [10]uint64
}

// Scope says who shares a policy's state.
type Scope uint8

// The scopes.
const (
	ScopeClient Scope = iota
	ScopeInstance
	ScopeTier    // also shared: compile gives sharers one State
	ScopeReplica // of a tier's admission: the replica that the attempt has come to
)

// StateKey multiplies a policy's states.
type StateKey uint8

// The keys.
const (
	KeyEdge StateKey = iota
	KeyEndpoint
	KeyReplica
	KeyPriority
	KeyClient
)

// Use is one entry of a stack. Its state is number member*Stride + key of the State's vector.
// The member is with ScopeClient the client's First plus the number of the request's identity,
// with ScopeInstance the number of the calling replica within its tier, with ScopeReplica that of
// the called one, else 0. The key is with KeyEndpoint the called endpoint's index in its tier, with
// KeyReplica the called replica's index in Plan.Replicas minus Base (failover and routes lead to
// replicas of several tiers), with KeyPriority the request's priority, with KeyClient the class of
// its client, else 0. Single states are number 0.
type Use struct {
	Name    string // as records name it
	State   int
	Scope   Scope
	Key     StateKey
	Stride  int  // states per scope member: number of key values
	Base    int  // KeyReplica: the first replica that the edge can reach
	Carried bool // a first try for a carried retry counts as a retry
	PerCall bool // asked once for each call, and told how the call ended
	// Low is the level below which an alert is due; 0: none.
	Low float64
}

// State is a vector of states of one policy, made at first use.
type State struct {
	Name string
	New  func() policies.Policy
	// Own makes the states of those values of the key that differ, by that value, in roles that are
	// those of New; nil: as New does.
	Own    []func() policies.Policy
	Len    int  // most states: (member x key values) + key value; see Use
	Single bool // stateless: one serves all
	Notes  bool // keeps a note of each call
	AtSend bool // its gate is asked when an attempt is about to be sent
}
