// Package kernel runs one replication of a compiled world.
//
// A Plan holds the world in arrays addressed by index; a world (world.go) is the state of one
// replication of it, nothing else; Handle (handle.go) is the one switch over the kinds of event.
// The files follow a request:
//
//  1. arrive.go: a source fires, or a client has thought long enough; a root call opens.
//  2. retry.go: the edge's gates are asked, the pacer says how long to wait, the attempt is sent,
//     unless something holds it back (pass.go, pending.go); later its outcome comes back here, and
//     the call ends or goes round again.
//  3. route.go, rotate.go: a replica is picked; the attempt crosses the link, or is lost, held or
//     turned away.
//  4. station.go: at the replica: admission, flow limit, slot or line.
//  5. steps.go: the tier's steps: work takes time in a slot, a call opens a child call (back to 2).
//  6. reply.go: the answer leaves and reaches the caller (back to 2), or comes late.
//  7. cancel.go: work whose caller has gone; outage.go: replicas that are out, and what they held.
//  8. change.go, params.go, scale.go, pods.go: the timeline and autoscalers move the live settings.
//
// record.go counts by window and check.go proves at the end that nothing was lost: each attempt has
// one outcome or is in flight, and Little's law holds to the nanosecond for every station.
//
// Guarantees: a result is a function of plan and seed alone; identity is carried by value, so work
// for an attempt that was abandoned is never credited to a newer one; handlers allocate nothing in
// a steady state. A broken law panics with a sentence that begins with "kernel:".
package kernel
