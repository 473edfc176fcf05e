package check

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

var update = flag.Bool("update", false, "rewrite testdata")

// golden compares with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs.\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

const second = sim.Second

// The world of the tests:
//
//	web ──┐                     ┌─► db@a
//	      ├─► app ── app->db ───┤
//	ide ──┘   (one replica)     └─► db@b      endpoints read and write
//	   ide also calls aux through ide->aux, which web cannot reach
const (
	web = iota
	ide
)

const (
	webApp = iota
	ideApp
	appDB
	ideAux
)

const (
	appReplica = iota
	dbA
	dbB
	auxReplica
)

func testWorld(windows int) *model.World {
	one := []kernel.Endpoint{{First: 0, Count: 1}}
	use := func(name string, state int) kernel.Use { return kernel.Use{Name: name, State: state} }
	w := &model.World{
		End: sim.Time(windows) * second, Window: second, Scale: 1,
		Clients: []kernel.Client{{Name: "web", Edge: webApp}, {Name: "ide", Edge: ideApp}},
		Tiers: []kernel.Tier{
			{Name: "app", First: 0, Count: 1, Endpoints: one, Active: 99},
			{Name: "db", First: 1, Count: 2, Active: 99, Endpoints: []kernel.Endpoint{
				{Name: "read"}, {Name: "write"}}},
			{Name: "aux", First: 3, Count: 1, Endpoints: []kernel.Endpoint{{}}, Active: 99},
		},
		Replicas: []kernel.Replica{
			{Name: "0", Tier: 0}, {Name: "a", Tier: 1}, {Name: "b", Tier: 1}, {Name: "0", Tier: 2},
		},
		Programs: []kernel.Step{{Verb: kernel.Call, Edge: appDB, Target: 1, Times: 1}},
		Targets:  []kernel.Target{{Route: -1, Tier: 0}, {Route: -1, Tier: 1}, {Route: -1, Tier: 2}},
		Edges: []kernel.Edge{
			{Name: "web->app", From: -1, Client: web, CanReach: []bool{true, false}},
			{Name: "ide->app", From: -1, Client: ide, CanReach: []bool{false, true},
				HasRetry: true, Stack: []kernel.Use{use("max_attempts", 3)}},
			{Name: "app->db", From: 0, Client: -1, CanReach: []bool{true, true}, HasRetry: true,
				Stack: []kernel.Use{use("max_attempts", 0), use("ratio_budget", 1)}},
			{Name: "ide->aux", From: -1, Client: ide, CanReach: []bool{false, true},
				Stack: []kernel.Use{use("ratio_budget", 1)}},
		},
		States: make([]kernel.State, 4),
	}
	for i := range w.Edges {
		w.Edges[i].Balance.Failover = -1
	}
	return w
}

// world is a plan and one result of it, all counters 0.
type world struct {
	*testing.T
	plan *model.Plan
	r    *model.Result
}

func newWorld(t *testing.T, windows int) world {
	plan := &model.Plan{Topology: &model.Topology{Name: "test"},
		Scenario: &model.Scenario{Seed: 1}, World: testWorld(windows)}
	return world{t, plan, newResult(plan.World, 1)}
}

func newResult(w *model.World, seed uint64) *model.Result {
	n := int((w.End + w.Window - 1) / w.Window)
	r := &model.Result{Seed: seed, Window: w.Window, Windows: n, End: w.End, Ended: w.End,
		Warmup:  int(w.Warmup / w.Window),
		Clients: make([]model.ClientSeries, len(w.Clients)),
		Edges:   make([]model.EdgeSeries, len(w.Edges)), Replicas: make([]model.ReplicaSeries, 4)}
	for i := range r.Clients {
		r.Clients[i].Cells = make([]model.ClientCell, n)
	}
	for i := range r.Edges {
		e := &r.Edges[i]
		e.Cells = make([]model.EdgeCell, n*len(w.Clients))
		e.RefusedBy = make([][]uint32, len(w.Edges[i].Stack))
		e.Level = make([][]float32, len(w.Edges[i].Stack))
		for k := range e.RefusedBy {
			e.RefusedBy[k] = make([]uint32, n)
		}
	}
	for i := range r.Replicas {
		rows := len(w.Clients) * len(w.Tiers[w.Replicas[i].Tier].Endpoints)
		r.Replicas[i].Cells = make([]model.TierCell, rows*n)
		r.Replicas[i].Gauges = make([]model.GaugeCell, n)
		for k := range r.Replicas[i].Gauges {
			r.Replicas[i].Gauges[k].Span = w.Window
		}
	}
	return r
}

// requests sets what became of a client's requests, ok of all, from window from on.
func (w world) requests(client, from int, pairs ...[2]uint32) {
	for i, p := range pairs {
		c := &w.r.Clients[client].Cells[from+i]
		c.OK, c.Requests, c.Failed = p[0], p[1], p[1]-p[0]
	}
}

// steady sets the same for windows from up to to.
func (w world) steady(client, from, to int, ok, all uint32) {
	for i := from; i < to; i++ {
		w.requests(client, i, [2]uint32{ok, all})
	}
}

func (w world) edge(edge, client, window int) *model.EdgeCell {
	return &w.r.Edges[edge].Cells[client*w.r.Windows+window]
}

func (w world) tier(replica, endpoint, client, window int) *model.TierCell {
	return &w.r.Replicas[replica].Cells[(endpoint*2+client)*w.r.Windows+window]
}

// value reads a measure over a range; nil: the default range.
func (w world) value(measure string, rg *Range) float64 {
	w.Helper()
	return w.valueOf(measure, "", rg)
}

func (w world) valueOf(measure, client string, rg *Range) float64 {
	w.Helper()
	m, err := Parse(w.plan.World, measure, client)
	if err != nil {
		w.Fatalf("%s: %v", measure, err)
	}
	whole := DefaultRange(w.plan.World)
	if rg == nil {
		rg = &whole
	}
	return newReader(w.plan, w.r).over(m, *rg)
}

func between(from, to sim.Time) *Range { return &Range{From: from * second, To: to * second} }

// bound is a number in the unit that suits its measure in these tests.
func bound(x float64, u Unit) *model.Bound { return &model.Bound{Value: x, Unit: string(u)} }

// judge validates and judges one check of this world.
func (w world) judge(c model.Check) Verdict {
	w.Helper()
	if c.Name == "" {
		c.Name = "it"
	}
	w.plan.Scenario.Checks = append(w.plan.Scenario.Checks[:0:0], c)
	if ps := Validate(w.plan, w.plan.Scenario.Checks); len(ps) > 0 {
		w.Fatalf("check is refused: %v", ps.Error())
	}
	return Judge(w.plan, []*model.Result{w.r})[0]
}

func outcomes(e *model.EdgeCell, class policies.Class, n uint32) { e.Outcomes[class] = n }
