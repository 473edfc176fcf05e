package model_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
)

// C6: the configuration client of a hundred processes makes six retries, the waits growing by a
// tenth from a second; then the process restarts and starts over. The policy is bounded by 7
// attempts a request, and the work that reaches the server is not bounded at all: for as long as it
// is down, each process makes 7 attempts in every round of waits and restart.
func TestARestartDefeatsTheBoundOfARetryPolicy(t *testing.T) {
	const clients, down, restart = 100, 600.0, 10.0
	waits := 0.0
	for n := range 6 {
		waits += math.Pow(1.1, float64(n))
	}
	run := func(outer string) (requests, repeats, givenUp, attempts float64) {
		plan := compiled(t, fmt.Sprintf(`
name: config
tiers: {config: {slots: 100, steps: [{work: 10ms}]}}
clients:
  app: {population: 100, think: 10h, start: together, call: config %s}
edges:
  - {from: app, to: config, retry: {retry_on: [dropped], stack: [{max_attempts: {attempts: 7}},
      {exponential: {base: 1s, multiplier: 1.1, cap: 1h, jitter: none}}]}}
duration: 20m
timeline: [{name: down, at: 0s, for: 10m, fault: {edge: app->config, link: refused}}]
`, outer))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Clients[0].Cells {
			requests, repeats = requests+float64(c.Requests), repeats+float64(c.Repeats)
			givenUp += float64(c.GivenUp)
		}
		for _, c := range r.Edges[0].Cells {
			attempts += float64(c.Attempts)
		}
		return requests, repeats, givenUp, attempts
	}
	requests, _, _, attempts := run("")
	if requests != clients || attempts != 7*clients {
		t.Errorf("bounded: %v requests and %v attempts", requests, attempts)
	}
	// 34 rounds fail from end to end, the last at 592.3 s; the first try of the next one is answered.
	rounds := math.Floor((down-waits)/(waits+restart)) + 1
	requests, repeats, givenUp, attempts := run(", outer: {wait: 10s}")
	if operations := requests - repeats; operations != clients || givenUp != 0 {
		t.Errorf("%v operations, %v given up; want %v and none", operations, givenUp, clients)
	}
	if requests != clients*(rounds+1) || attempts != clients*(7*rounds+1) {
		t.Errorf("%v requests and %v attempts; want %v and %v", requests, attempts, clients*(rounds+1),
			clients*(7*rounds+1))
	}
	requests, repeats, givenUp, attempts = run(", outer: {wait: 10s, times: 2}")
	if requests != 3*clients || repeats != 2*clients || givenUp != clients || attempts != 21*clients {
		t.Errorf("two restarts: %v requests, %v repeats, %v given up, %v attempts", requests, repeats,
			givenUp, attempts)
	}
}

// A request that fails with p and is repeated until it is well makes 1/(1-p) requests an operation.
func TestRepeatsAreGeometric(t *testing.T) {
	plan := compiled(t, `
name: repeats
tiers: {web: {steps: [{fail: 30%}]}}
clients: {users: {arrivals: constant 1000/s, call: web, outer: {on: [error], wait: exp 10ms}}}
duration: 60s
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requests, repeats := 0.0, 0.0
	for _, c := range r.Clients[0].Cells {
		requests, repeats = requests+float64(c.Requests), repeats+float64(c.Repeats)
	}
	operations := requests - repeats
	within := 4 * math.Sqrt(0.3/0.49/operations)
	if got := requests / operations; math.Abs(got-1/0.7) > within {
		t.Errorf("%.4f requests an operation, want %.4f +- %.4f", got, 1/0.7, within)
	}
}

// A call has 65,535 tries at most, which is more than any policy is meant to allow.
func TestTriesAreCountedInSixteenBits(t *testing.T) {
	const file = `
name: stubborn
tiers: {db: {steps: [{fail: 100%}]}}
clients: {users: {arrivals: burst 1, call: db}}
edges: [{from: users, to: db, retry: {stack: [{constant: {wait: 1us}}]}}]
duration: 1s
`
	if n := outcomes(ran(t, compiled(t, file))).Attempts; n != 65_535 {
		t.Errorf("%d attempts, want 65535", n)
	}
}
