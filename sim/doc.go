// Package sim is the ground a simulation stands on: virtual time, the events
// to come, and chance that can be repeated.
//
// It knows nothing of requests or tiers. A model meets it in this order:
//
//  1. Chance. A Seed stands for all luck of one replication and takes one of
//     two shapes. A Stream is a named sequence, such as the arrivals of one
//     client. A Draw belongs to an identity and a purpose, such as the service
//     time of the second try of one request: it is the same whatever else has
//     been drawn, so that two policies can be compared on the same luck.
//     A Dist turns either into lengths of time.
//  2. Scheduling. The model says what will happen and when. At takes any
//     event. After takes one at a constant delay, the hop of a network, and
//     puts it in a ring (Lane). Arm takes a timer at a constant delay, most
//     often cancelled (TimerLane), ArmAt one at any time. A Source has one
//     event at a time, the next arrival.
//  3. Running. Run takes the earliest event of all of these, turns the clock
//     to it and hands it to the model's Handler, which schedules more. A timer
//     is asked for first: one that is no longer Live is dropped unseen.
//  4. Proof. A Fingerprint condenses what happened, in what order, by which
//     luck, into a line that two runs can be compared by.
//
// Events are ordered by their time, then by the order in which they were
// scheduled. Nothing else decides, least of all where the engine keeps them:
// in rings for constant delays, in a small heap of sources and ring fronts,
// in a ladder queue for the rest. NewPlain keeps them in one simple heap and
// must deliver the same; tests hold the two against each other.
//
// # What is guaranteed
//
//   - The same seed and the same calls give the same events and numbers, to
//     the last bit, on every machine. There is no clock but the virtual one,
//     no global luck, no goroutine and no map in here; all arithmetic that
//     reaches a result is exact, or rounded in a way that every processor
//     shares. So Exp, Ln and Pow are the package's own, and no product is
//     fused with a sum.
//   - An event costs nanoseconds, whether ten are pending or a million, and
//     allocates nothing once the engine has seen its busiest moment. A pending
//     event takes 16 bytes and some slack.
//   - A mistake of the caller, such as an event in the past, panics with a
//     sentence that begins with "sim: ". Nothing is corrected in silence.
//
// An Engine belongs to one goroutine; replications run side by side with an
// engine each.
package sim
