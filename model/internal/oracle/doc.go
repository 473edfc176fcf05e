// Package oracle simulates a compiled plan a second time, slowly and obviously. It exists for
// tests: the kernel is clever, and a clever simulator whose numbers are plausible and wrong is the
// worst defect this project can have. The two share what a plan and a result are, the samplers of
// sim and the policies; everything else is written twice from docs/semantics.md.
//
// How a run goes, in the order of the files:
//
//  1. agenda.go: a heap of closures by (time, sequence). A delay of 0 is no event, it is a call.
//  2. field.go: what a live field is worth under the layers that the timeline put on it.
//  3. client.go: arrivals and closed loops start requests, which open their root call.
//  4. call.go: gates, pacer, tries and the call's deadline; attempt.go: one try at its caller.
//  5. pick.go: which replica; network.go: links, loss, latency, answers, cancel messages.
//  6. replica.go, slots.go: admission, flow limit, line, slots, rejections; steps.go: programs.
//  7. pause.go, scaler.go, pods.go: what the timeline and autoscalers do to replicas.
//  8. record.go: counters by window, gauges as integrals of lengths of lists; breakers.go: how many
//     breakers are open.
//
// Everything that waits or works is in a list, every gauge is the length of one, and nothing is
// ever updated in two places. It guarantees nothing about speed.
//
// worlds.go builds small plans by hand; random.go makes random ones that exercise every setting.
package oracle
