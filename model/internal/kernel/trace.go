package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Progress says how far a replication is.
type Progress struct {
	Now    sim.Time
	End    sim.Time
	Events uint64
}

// Options are what does not change a result.
type Options struct {
	Progress   func(Progress)
	Tracer     Tracer
	UntilEvent uint64
	Plain      bool // the plain event set, for tests
}

// Tracer is told what happens, in order. It is nil unless asked for.
type Tracer interface {
	Trace(r TraceRecord)
}

// What happened.
const (
	TraceRequest = "request" // a request starts
	TraceSend    = "send"    // an attempt is sent
	TraceRefused = "refused" // a gate refuses; Text names it
	TraceArrive  = "arrive"  // an attempt reaches a replica
	TraceWait    = "wait"    // it waits in line
	TraceStart   = "start"   // it gets a slot
	TraceAnswer  = "answer"  // its answer leaves; Class and Status
	TraceSettle  = "settle"  // the caller learns the outcome
	TraceLate    = "late"    // an answer comes after its caller stopped waiting
	TraceBackoff = "backoff" // the call waits before a retry; Wait
	TraceEnd     = "end"     // the request ends
	TraceChange  = "change"  // the timeline changes something; Text is the path
	TraceAbandon = "abandon" // the caller stops waiting
	TraceCancel  = "cancel"  // work leaves its line or slot because its caller left
)

// TraceRecord is one thing that happened. Fields that do not apply are zero.
type TraceRecord struct {
	At      sim.Time
	Event   uint64 // number of the engine's event
	What    string
	Client  int       // index of the request's client
	Request sim.Ident // of the request
	Attempt sim.Ident // of the attempt
	Edge    int       // -1: none
	Replica int       // -1: none
	N       int       // number of the attempt
	Class   policies.Class
	Status  int
	Wait    sim.Time
	Text    string
}
