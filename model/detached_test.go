package model_test

import (
	"math"
	"strings"
	"testing"

	"cascadesim/sim"
)

// queue is a world in which every request leaves a message, which a worker takes from a line and is
// given again when it is not done within a lease.
const queue = `
name: queue
tiers:
  api: {slots: 100, steps: [{work: 1ms}, {call: {to: worker, wait: false}}, {work: 1ms}]}
  worker: {slots: SLOTS, steps: [{work: WORK}, {effect: charge}]}
clients: {users: {arrivals: constant 100/s, call: api}}
edges:
  - {from: users, to: api, timeout: {try: 1s}}
  - from: api
    to: worker
    timeout: {lease: 1s}
    retry: {retry_on: [timed_out], stack: [{max_attempts: {attempts: 4}}]}
duration: 300s
drain: 1h
`

// With a mean of 1 s of work and a lease of 1 s a message is given out again with probability
// p = 1/e, and up to four times: (1 - p^4)/(1 - p) attempts. Each does its work to the end, so all
// but the first of a message do it once more. p^4 of them are dead letters. Users see none of it.
func TestMessagesThatOutlastTheirLeaseAreDoneAgain(t *testing.T) {
	p := compiled(t, strings.NewReplacer("SLOTS", "unlimited", "WORK", "exp 1s").Replace(queue))
	r := ran(t, p)
	gone := math.Exp(-1)
	const messages = 29_999
	for measure, want := range map[string]float64{
		"edges.api->worker.attempts_per_call": (1 - math.Pow(gone, 4)) / (1 - gone),
		"tiers.worker.duplicate_effects":      messages * ((1-math.Pow(gone, 4))/(1-gone) - 1),
		"tiers.worker.wasted":                 messages * (gone - math.Pow(gone, 5)) / (1 - gone),
		"edges.api->worker.late":              messages * (gone - math.Pow(gone, 5)) / (1 - gone),
	} {
		if got := over(t, p, r, measure, 0, 310); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s is %v, want %v within 2 %%", measure, got, want)
		}
	}
	dead := over(t, p, r, "edges.api->worker.refused_by.max_attempts", 0, 310) / messages
	if want := math.Pow(gone, 4); math.Abs(dead/want-1) > 0.15 {
		t.Errorf("%v of the messages are dead letters, want %v within 15 %%", dead, want)
	}
	if ok := over(t, p, r, "clients.users.latency.p999", 0, 300); ok > 0.0021 {
		t.Errorf("users wait %v s, want 2 ms", ok)
	}
}

// A worker that does 150 messages a second, and 10 of them in the second minute, is 90 a second
// behind for that minute, and then makes 50 of them up in each second: 5,400 in 108 seconds.
func TestABacklogDrainsAtWhatIsLeftOfTheCapacity(t *testing.T) {
	world := strings.NewReplacer("SLOTS", "15", "WORK", "100ms").Replace(queue)
	p := compiled(t, world+`
timeline: [{name: stuck, at: 60s, for: 60s, set: {tiers.worker.slots: 1}}]
`)
	r := ran(t, p)
	waiting := func(at sim.Time) float64 { return over(t, p, r, "tiers.worker.in_line", at, at+1) }
	if top := waiting(120); math.Abs(top-5375) > 20 {
		t.Errorf("%v wait in the second in which the worker is back, want 5,400 less 25", top)
	}
	if pace := (waiting(200) - waiting(140)) / 60; math.Abs(pace+50) > 0.5 {
		t.Errorf("the backlog changes by %v per second, want -50", pace)
	}
	if before, after := waiting(225), waiting(231); before < 50 || after > 0 {
		t.Errorf("%v wait after 225 s and %v after 231 s; the last is to go at 228 s", before, after)
	}
	if slow := over(t, p, r, "clients.users.latency.p999", 0, 300); slow > 0.0021 {
		t.Errorf("users wait %v s, want 2 ms", slow)
	}
}

// Callers leave after 1.5 ms, when the message is under way, and cancel all. It is done all the
// same, and none of that work is wasted, other than theirs.
func TestADetachedCallOutlivesWhoMadeIt(t *testing.T) {
	world := strings.NewReplacer("SLOTS", "15", "WORK", "100ms",
		"timeout: {try: 1s}", "timeout: {try: 1500us}, cancel: all").Replace(queue)
	p := compiled(t, world)
	r := ran(t, p)
	for measure, want := range map[string]float64{
		"clients.users.ok": 0, "tiers.api.cancelled": 29_999,
		"edges.api->worker.ok": 29_999, "tiers.worker.completed": 29_999,
		"tiers.worker.wasted": 0, "edges.api->worker.cancelled": 0,
	} {
		if got := over(t, p, r, measure, 0, 301); got != want {
			t.Errorf("%s is %v, want %v", measure, got, want)
		}
	}
}
