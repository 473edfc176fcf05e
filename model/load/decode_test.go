package load

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// frame is a document with one part left open.
const frame = `
name: frame
tiers:
  web: {%s}
  db: {steps: [{work: 1ms}], replicas: [a, b]}
routes: {r: {web: 1, db: 1}}
clients:
  users: {call: web, %s}
edges:
  - {from: web, to: db, %s}
duration: 10m
`

func framed(tier, client, edge string) string {
	if client == "" {
		client = "arrivals: 1/s"
	}
	if tier == "" {
		tier = "slots: 4"
	}
	if edge == "" {
		edge = "cancel: none"
	}
	return fmt.Sprintf(frame, tier, client, edge)
}

// Every short form means one long form.
func TestShortFormsMeanTheLongForm(t *testing.T) {
	for _, c := range []struct{ part, short, long string }{
		{"tier", "in_flight: 79.2k", "in_flight: {limit: 79200}"},
		{"tier", "replicas: [a, b]", "replicas: {a: {weight: 1}, b: {}}"},
		{"tier", "steps: [{work: exp 3ms}]", "steps: [{work: {dist: exp, mean: 3ms}}]"},
		{"tier", "steps: [{work: 3ms}]",
			"steps: [{work: {dist: constant, value: 3ms, per_in_flight: 0}}]"},
		{"tier", "steps: [{work: lognormal mean=3ms sigma=1.2}]",
			"steps: [{work: {sigma: 1.2, dist: lognormal, mean: 3ms}}]"},
		{"tier", "steps: [{work: erlang k=4 mean=1s}]",
			"steps: [{work: {dist: erlang, k: 4, mean: 1s}}]"},
		{"tier", "steps: [{work: pareto min=1ms alpha=2}]",
			"steps: [{work: {dist: pareto, min: 1ms, alpha: 2}}]"},
		{"tier", "steps: [{call: db}]",
			"steps: [{call: {to: db, times: 1, chance: 100%, on_fail: pass}}]"},
		{"tier", "steps: [{fail: 20%}]", "steps: [{fail: {share: 0.2, status: 500}}]"},
		{"tier", "steps: [[{call: db}, {work: 1ms}]]",
			"steps: [{parallel: [{call: {to: db}}, {work: {dist: constant, value: 1ms}}]}]"},
		{"client", "arrivals: 7k/s", "arrivals: {process: poisson, rate: 7000/s}"},
		{"client", "arrivals: poisson 60/m", "arrivals: {rate: 1/s}"},
		{"client", "arrivals: constant 280/s", "arrivals: {process: constant, rate: 280/s}"},
		{"client", "arrivals: burst 10k", "arrivals: {process: burst, count: 10000}"},
		{"client", "population: 3, think: exp 300s",
			"population: 3, think: {default: {dist: exp, mean: 5m}}"},
		{"client", "population: 3, think: {dist: exp, mean: 5m}",
			"population: 3, think: {default: exp 300s}"},
		{"edge", "balance: local", "balance: {policy: local, key: request}"},
		{"edge", "retry: none", "cancel: none"},
		{"edge", "latency: {mix: [{share: 90%, of: 1ms}, {share: 10%, of: exp 1s}]}",
			"latency: {mix: [{share: 0.9, of: {dist: constant, value: 1ms}}, " +
				"{share: 0.1, of: {dist: exp, mean: 1s}}]}"},
		{"edge", "retry: {stack: [{none: }]}", "retry: {stack: [{none: {}}]}"},
	} {
		part := func(text string) (*model.Topology, model.Problems) {
			doc := map[string]string{
				"tier": framed(text, "", ""), "client": framed("", text, ""), "edge": framed("", "", text),
			}[c.part]
			top, _, problems := openText(t, doc).Build(Options{})
			return top, problems
		}
		short, ps1 := part(c.short)
		long, ps2 := part(c.long)
		if len(ps1)+len(ps2) > 0 {
			t.Errorf("%s: %v %v", c.short, ps1, ps2)
			continue
		}
		if !reflect.DeepEqual(short, long) {
			t.Errorf("%s and %s differ:\n%+v\n%+v", c.short, c.long, short, long)
		}
	}
}

// What is left out has the default of the reference.
func TestDefaults(t *testing.T) {
	top, s, problems := openText(t, framed("", "", "retry: {stack: []}")).Build(Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	web, e := top.Tiers[0].Value, top.Edges[0]
	for what, got := range map[string][2]any{
		"replicas": {web.Replicas.Count, 1},
		"line": {web.Line, model.Line{Limit: -1, Discipline: "fifo", Full: "reject",
			Target: 5 * sim.Millisecond, Interval: 100 * sim.Millisecond}},
		"in_flight":  {web.InFlight, model.InFlight{Limit: -1, Over: "reject"}},
		"reject":     {web.Reject, model.Reject{Status: 503}},
		"timeout":    {e.Timeout, model.NoTimeout},
		"block":      {e.Block, model.Block{Status: 403, By: "attempt"}},
		"retry_on":   {strings.Join(e.Retry.RetryOn, " "), "timed_out dropped rejected 5xx"},
		"scope":      {e.Retry.Scope, "instance"},
		"enabled":    {float64(e.Retry.Enabled), 1.0},
		"slow_after": {top.Clients[0].Value.SlowAfter, sim.Second},
		"window":     {s.Window, sim.Second},
		"recovery": {s.Recovery,
			model.Recovery{Watch: "clients.*", AtLeast: 0.97, Hold: 5 * sim.Second}},
		"route's key": {top.Routes[0].Value.Key, "request"},
		"scale":       {s.Scale, 1.0},
		"seed":        {s.Seed, uint64(1)},
	} {
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%s: got %+v, want %+v", what, got[0], got[1])
		}
	}
}

// A list of callers makes one edge each, which share nothing that a path could change.
func TestEdgesFromSeveralCallers(t *testing.T) {
	d := openText(t, `
name: several
tiers: {a: {steps: [{call: c}]}, b: {steps: [{call: c}]}, c: {steps: [{work: 1ms}]}}
clients: {u: {call: a, arrivals: 1/s}, v: {call: b, arrivals: 1/s}}
edges: [{from: [a, b], to: c, timeout: {try: 1s}}]
duration: 1m
`)
	top, _, problems := d.Build(Options{Sets: []string{"edges.a->c.timeout.try=2s"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, b := top.Edges[0].Timeout.Try, top.Edges[1].Timeout.Try
	if a != 2*sim.Second || b != sim.Second {
		t.Errorf("timeouts %v and %v", a, b)
	}
}
