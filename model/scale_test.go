package model

import (
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// TestCountsAreDivided uses the counts of an outage of an authentication path, which its authors
// chose to be whole at these scales, and some that are not.
func TestCountsAreDivided(t *testing.T) {
	for _, c := range []struct {
		count float64
		scale float64
		want  float64
		says  string
	}{
		{3600, 1.0 / 400, 9, ""},
		{3600, 1.0 / 200, 18, ""},
		{3600, 1.0 / 80, 45, ""},
		{3600, 0.01, 36, ""},
		{7200, 1.0 / 400, 18, ""},
		{79_200, 1.0 / 400, 198, ""},
		{120_000, 1.0 / 400, 300, ""},
		{2000, 1.0 / 400, 5, ""},
		{2_550_000, 1.0 / 400, 6375, ""},
		{2_550_000, 1, 2_550_000, ""},
		{3508, 1.0 / 200, 18, "3508 slots at 1/200 become 18, +2.6 %"},
		{3480, 1.0 / 200, 17, "3480 slots at 1/200 become 17, -2.3 %"},
		{3500, 1.0 / 200, 18, "3500 slots at 1/200 become 18, +2.9 %"},
		{20_010, 1.0 / 200, 100, ""}, // 0.05 % are within rounding
		{1, 1.0 / 200, 1, "1 slots at 1/200 become 1, +19900.0 %"},
		{0, 1.0 / 200, 0, ""},
		{1000, 0.3, 300, ""},
		{10, 0.123, 1, "10 slots at 0.123 become 1, -18.7 %"},
	} {
		s := newScaling(c.scale)
		if got := s.divide(c.count); got != c.want {
			t.Errorf("%v at %v: got %v, want %v", c.count, c.scale, got, c.want)
		}
		if got := s.doubt(c.count, "slots"); got != c.says {
			t.Errorf("%v at %v: got %q, want %q", c.count, c.scale, got, c.says)
		}
	}
}

// TestWhatTheScaleDivides compiles one world at two scales and compares what must and what must not
// have changed.
func TestWhatTheScaleDivides(t *testing.T) {
	worlds := map[float64]*kernel.Plan{}
	for _, scale := range []float64{1, 1.0 / 8} {
		top, s := sites()
		s.Scale = scale
		worlds[scale] = compiled(t, top, s).World
	}
	full, small := worlds[1], worlds[1.0/8]
	divided := func(what string, full, small float64) {
		if full != 8*small {
			t.Errorf("%s: got %v of %v, want an eighth", what, small, full)
		}
	}
	same := func(what string, full, small float64) {
		if full != small {
			t.Errorf("%s: got %v, want %v as it was", what, small, full)
		}
	}
	for i, r := range full.Replicas {
		q := small.Replicas[i]
		for _, k := range []struct {
			what string
			a, b int
		}{{"slots", r.Slots, q.Slots}, {"line", r.LineLimit, q.LineLimit},
			{"in flight", r.InFlight, q.InFlight}} {
			if a := full.Params[k.a].Base; a < 0 {
				same(r.Name+" "+k.what, a, small.Params[k.b].Base)
			} else {
				divided(r.Name+" "+k.what, a, small.Params[k.b].Base)
			}
		}
		divided(r.Name+" backlog", float64(r.Backlog), float64(q.Backlog))
		same(r.Name+" weight", full.Params[r.Weight].Base, small.Params[q.Weight].Base)
	}
	rate := func(p *kernel.Plan) float64 { return p.Params[p.Clients[0].Rate].Base }
	divided("rate", rate(full), rate(small))
	divided("population", float64(full.Clients[1].Population), float64(small.Clients[1].Population))
	same("replicas", float64(len(full.Replicas)), float64(len(small.Replicas)))
	same("try", full.Params[full.Edges[0].Try].Base, small.Params[small.Edges[0].Try].Base)
	for i := range full.Programs {
		a, b := full.Programs[i], small.Programs[i]
		same("work", a.Time.Mean(), b.Time.Mean())
		same("added by each in flight", float64(8*a.PerInFlight), float64(b.PerInFlight))
	}
	divided("autoscaler's waiting line", full.Scalers[0].Target, small.Scalers[0].Target)
	same("autoscaler's replicas", float64(full.Scalers[0].Max), float64(small.Scalers[0].Max))
	for i := range full.Changes {
		a, b := full.Changes[i], small.Changes[i]
		switch path := full.Params[a.Param].Path; {
		case a.Op == kernel.Lift:
		case a.Op != kernel.Multiply && (path == "clients.users.arrivals.rate" ||
			path == "tiers.cell.replicas.a.slots" ||
			path == "tiers.cell.replicas.a.line.limit" ||
			path == "tiers.cell.replicas.b.line.limit"):
			divided(path, a.Value, b.Value)
		default:
			same(path, a.Value, b.Value)
		}
	}
}

// burstOf counts the retries that a state's bucket pays for before it is empty.
func burstOf(s kernel.State) int {
	gate := s.New().Gate
	for n := 0; ; n++ {
		if !gate.Admit(0, &policies.Attempt{N: 2}) {
			return n
		}
	}
}

// TestEachClientKeepsItsBucket divides the buckets of tiers, but not those of clients: a smaller
// system has fewer clients, not poorer ones.
func TestEachClientKeepsItsBucket(t *testing.T) {
	for _, c := range []struct {
		scope string
		want  int
	}{{"client", 80}, {"instance", 10}, {"tier", 10}, {"shared", 10}} {
		top, s := twoTier(), minute()
		s.Scale = 1.0 / 8
		top.Tiers[1].Value.Slots = 800
		b := budget(80)
		b.Scope = c.scope
		top.Edges[0].Retry.Stack = []PolicyUse{attempts(2), b}
		p := compiled(t, top, s).World
		if got := burstOf(p.States[p.Edges[0].Stack[1].State]); got != c.want {
			t.Errorf("scope %s: got %d tokens, want %d", c.scope, got, c.want)
		}
	}
}

// TestMillionsOfClientsAreNumbers wants no memory before it is needed: identities and states
// are counted, not made.
func TestMillionsOfClientsAreNumbers(t *testing.T) {
	top, s := twoTier(), minute()
	top.Clients[0].Value = Client{Call: "web", Population: 2_550_000, SlowAfter: sim.Never,
		Think: &Think{Default: sim.MustParseDist("exp 300s")}}
	b := budget(10)
	b.Scope = "client"
	top.Edges[0].Retry.Stack = []PolicyUse{attempts(2), b}
	var p *kernel.Plan
	allocated := testing.AllocsPerRun(1, func() { p = compiled(t, top, s).World })
	if got := p.States[p.Edges[0].Stack[1].State].Len; got != 2_550_000 {
		t.Errorf("states: got %d, want one for each client", got)
	}
	if allocated > 10_000 {
		t.Errorf("compiling: got %v allocations, want none for each client", allocated)
	}
}
