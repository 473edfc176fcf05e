package docs

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
)

// heapOf runs a world and returns the live heap, in bytes, when about half of its time is over.
func heapOf(t *testing.T, world string) float64 {
	t.Helper()
	src := load.Source{FS: fstest.MapFS{"w.yaml": {Data: []byte(world)}}, Name: "w.yaml"}
	doc, problems := load.Open(src)
	if doc == nil {
		t.Fatal(problems)
	}
	plan, problems := doc.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	var heap float64
	_, err := plan.Run(context.Background(), 1, model.RunOptions{Progress: func(p model.Progress) {
		if heap == 0 && p.Now > p.End/2 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heap = float64(m.HeapAlloc)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if heap == 0 {
		t.Fatal("the run told of no progress in its second half")
	}
	return heap
}

// each is what one more client costs, from two populations.
func each(t *testing.T, few, many int, world string) float64 {
	t.Helper()
	small, large := heapOf(t, fmt.Sprintf(world, few)), heapOf(t, fmt.Sprintf(world, many))
	return (large - small) / float64(many-few)
}

// The figures of units-and-memory.md, with room for slices that have grown ahead of need.
func TestMemoryIsWhatThePageSays(t *testing.T) {
	// Ticks keep the clock going; clients wait for their first request until the heap was measured.
	const quiet = `
tiers: {server: {steps: [{work: 1ms}]}}
clients:
  people: {population: %d, think: uniform min=25s max=39s, call: server}
  ticks: {arrivals: 10k/s, call: server}
duration: 40s
window: 10s
`
	// Nearly every client has sent when the heap is measured, so that its bucket exists.
	const budget = `
tiers: {server: {steps: [{work: 1ms}]}}
clients:
  people: {population: %d, think: uniform min=5s max=15s, call: server}
duration: 40s
window: 10s
edges:
  - from: people
    to: server
    retry:
      scope: client
      stack: [{max_attempts: {attempts: 2}}, {token_budget: {ratio: 10%%, burst: 10}}]
`
	const waiting = `
tiers: {server: {slots: 1, steps: [{work: 1s}]}, clock: {steps: [{work: 1ms}]}}
clients:
  crowd: {population: %d, think: 1s, start: together, call: server}
  ticks: {arrivals: 10k/s, call: clock}
duration: 40s
window: 10s
edges: [{from: crowd, to: server, timeout: {try: 1h}}]
`
	for _, c := range []struct {
		what        string
		world       string
		few, many   int
		least, most float64 // bytes
	}{
		{"a client of a population", quiet, 250_000, 2_550_000, 20, 40},
		{"a client with a budget of its own", budget, 20_000, 420_000, 40, 120},
		{"a request in flight", waiting, 20_000, 220_000, 216, 290},
	} {
		got := each(t, c.few, c.many, c.world)
		t.Logf("%s: %.0f bytes", c.what, got)
		if got < c.least || got > c.most {
			t.Errorf("%s takes %.0f bytes; want %.0f to %.0f", c.what, got, c.least, c.most)
		}
	}
}
