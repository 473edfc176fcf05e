package lint_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/lint"
	"cascadesim/model/load"
	"testing/fstest"

	"pgregory.net/rapid"
)

// loops are stacks that bound how often a call is tried, with how often that is.
var loops = []struct {
	stack string
	tries int
}{
	{"", 1},
	{"[{max_attempts: {attempts: 2}}]", 2},
	{"[{max_attempts: {attempts: 3}}, {constant: {wait: 10ms}}]", 3},
	{"[{max_attempts: {attempts: 4}}, {exponential: {base: 5ms, cap: 50ms, jitter: full}}]", 4},
	{"[{max_attempts: {attempts: 5}}, {decorrelated: {base: 1ms, cap: 20ms}}]", 5},
}

// chain is a world of so many tiers in a row, of which the last one always fails; every call of
// tier i is made times[i] times.
func chain(stacks []int) string {
	var b strings.Builder
	n := len(stacks)
	b.WriteString("name: chain\ntiers:\n")
	for i := range n {
		step := fmt.Sprintf("{call: t%d}", i+1)
		if i == n-1 {
			step = "{fail: 100%}"
		}
		fmt.Fprintf(&b, "  t%d: {steps: [{work: 10us}, %s]}\n", i, step)
	}
	b.WriteString("clients: {users: {arrivals: {process: burst, count: 7}, call: t0}}\nedges:\n")
	for i, k := range stacks {
		from := "users"
		if i > 0 {
			from = fmt.Sprintf("t%d", i-1)
		}
		fmt.Fprintf(&b, "  - {from: %s, to: t%d", from, i)
		if loops[k].stack != "" {
			fmt.Fprintf(&b, ", retry: {stack: %s}", loops[k].stack)
		}
		b.WriteString("}\n")
	}
	b.WriteString("duration: 1s\ndrain: 10h\nwindow: 1s\n")
	return b.String()
}

// What lint says before a run is what a run does when all fails: on every hop, to the attempt.
func TestWorstCasesAreWhatAllFailingWorldsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stacks := rapid.SliceOfN(rapid.IntRange(0, len(loops)-1), 1, 5).Draw(t, "stacks")
		fsys := fstest.MapFS{"a.yaml": {Data: []byte(chain(stacks))}}
		d, problems := load.Open(load.Source{FS: fsys, Name: "a.yaml"})
		if d == nil {
			t.Fatal(problems)
		}
		o := load.Options{Sets: []string{"window=30s", "duration=30s"}}
		plan, problems := d.Plan(o)
		if plan == nil {
			t.Fatal(problems)
		}
		found, err := lint.Check(plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		product := 1.0
		for i, k := range stacks {
			product *= float64(loops[k].tries)
			e := edgeNamed(plan, i)
			var attempts, requests uint64
			for _, c := range res.Edges[e].Cells {
				attempts += uint64(c.Attempts)
			}
			for _, c := range res.Clients[0].Cells {
				requests += uint64(c.Requests)
			}
			ran := float64(attempts) / float64(requests)
			if h := found.Hops[e]; h.Attempts != ran || h.Attempts != product || h.Budgeted != ran {
				t.Errorf("hop %d: lint says %v (%v with budgets), the run made %v, the product is %v",
					i, h.Attempts, h.Budgeted, ran, product)
			}
		}
		if got := found.Leaves[0].Attempts; math.Abs(got-product) > 0 {
			t.Errorf("the leaf: %v, want %v", got, product)
		}
	})
}

func edgeNamed(plan *model.Plan, hop int) int {
	from := "users"
	if hop > 0 {
		from = fmt.Sprintf("t%d", hop-1)
	}
	for i, e := range plan.World.Edges {
		if e.Name == fmt.Sprintf("%s->t%d", from, hop) {
			return i
		}
	}
	panic("no such hop")
}
