package model

import (
	"math"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// changesOf are the changes of a path's first param.
func changesOf(t *testing.T, p *kernel.Plan, path string) []kernel.Change {
	t.Helper()
	var out []kernel.Change
	first := -1
	for _, c := range p.Changes {
		if p.Params[c.Param].Path != path || first >= 0 && c.Param != first {
			continue
		}
		first = c.Param
		out = append(out, c)
	}
	return out
}

// TestRampTakesAHundredSteps follows the rate from 280/s to 380/s in 10 s.
func TestRampTakesAHundredSteps(t *testing.T) {
	top, s := twoTier(), minute()
	e := setAt("up", "clients.users.arrivals.rate", Replace, 380)
	e.Over = 10 * sim.Second
	s.Timeline = []TimelineEntry{e}
	got := changesOf(t, compiled(t, top, s).World, "clients.users.arrivals.rate")
	if len(got) != 101 {
		t.Fatalf("got %d changes, want 100 steps and the end", len(got))
	}
	for i, c := range got[:100] {
		at, value := 10*sim.Second+sim.Time(i)*100*sim.Millisecond, 280.5+float64(i)
		if c.At != at || math.Abs(c.Value-value) > 1e-9 {
			t.Errorf("step %d: got %v at %v, want %v at %v", i, c.Value, c.At, value, at)
		}
	}
	if last := got[100]; last.At != 20*sim.Second || last.Value != 380 {
		t.Errorf("end: got %v at %v, want exactly 380 at 20 s", last.Value, last.At)
	}
}

// TestRampStartsFromWhatIsInForce covers the ways in which a field can have come by its value.
func TestRampStartsFromWhatIsInForce(t *testing.T) {
	path := "clients.users.arrivals.rate"
	ramp := func(at sim.Time, v float64) TimelineEntry {
		e := setAt("ramp", path, Replace, v)
		e.At, e.Over = at, 10*sim.Second
		return e
	}
	half := setAt("half", path, Multiply, 0.5)
	first := setAt("first", path, Replace, 100)
	later := setAt("later", path, Replace, 140)
	later.At = 20 * sim.Second
	ended := first
	ended.End = 30 * sim.Second
	slow := setAt("first", path, Replace, 380)
	slow.Over = 40 * sim.Second
	for _, c := range []struct {
		name string
		so   []TimelineEntry
		want float64 // halfway
	}{
		{"base", nil, (280 + 80) / 2},
		{"a factor acts beside it", []TimelineEntry{half}, (280 + 80) / 2},
		{"an earlier value", []TimelineEntry{first}, (100 + 80) / 2},
		{"the later of two earlier values", []TimelineEntry{first, later}, (140 + 80) / 2},
		{"an earlier value has ended", []TimelineEntry{ended}, (280 + 80) / 2},
		{"an earlier ramp is at its 50th step", []TimelineEntry{slow}, (330.0 + 0.5 + 80) / 2},
	} {
		top, s := twoTier(), minute()
		s.Timeline = append(c.so, ramp(30*sim.Second, 80))
		got := changesOf(t, compiled(t, top, s).World, path)
		found := false
		for _, ch := range got {
			if ch.At == 35*sim.Second && ch.Layer == len(c.so) {
				found = true
				// Half a hundredth of the whole way, which is twice that from halfway to 80.
				step := (80 - c.want) / 100
				if math.Abs(ch.Value-c.want-step) > 1e-9 {
					t.Errorf("%s: got %v halfway, want about %v", c.name, ch.Value, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no step halfway", c.name)
		}
	}
}

// TestCurves covers the forms of a curve: what holds before its first point, and what comes after
// the end of its entry.
func TestCurves(t *testing.T) {
	path := "clients.users.arrivals.rate"
	sec := sim.Second
	for _, c := range []struct {
		name  string
		set   Setting
		end   sim.Time
		count int // changes, the lift included
		first Point
		last  Point
	}{
		{"steps from the start", Setting{Curve: Curve{{10 * sec, 1}, {20 * sec, 2}}},
			sim.Never, 2, Point{10 * sec, 1}, Point{20 * sec, 2}},
		{"steps that begin later", Setting{Curve: Curve{{15 * sec, 1}, {20 * sec, 2}}},
			sim.Never, 2, Point{10 * sec, 1}, Point{20 * sec, 2}},
		{"steps beyond the end", Setting{Curve: Curve{{10 * sec, 1}, {20 * sec, 2}}},
			20 * sec, 2, Point{10 * sec, 1}, Point{20 * sec, 0}},
		{"a ramp of two pieces", Setting{Ramp: true,
			Curve: Curve{{10 * sec, 1}, {20 * sec, 2}, {30 * sec, 3}}},
			sim.Never, 201, Point{10 * sec, 1.005}, Point{30 * sec, 3}},
		{"a ramp that begins later", Setting{Ramp: true,
			Curve: Curve{{15 * sec, 1}, {20 * sec, 2}}},
			sim.Never, 102, Point{10 * sec, 1}, Point{20 * sec, 2}},
		{"a ramp cut in half", Setting{Ramp: true, Curve: Curve{{10 * sec, 1}, {20 * sec, 2}}},
			15 * sec, 51, Point{10 * sec, 1.005}, Point{15 * sec, 0}},
		{"one point", Setting{Ramp: true, Curve: Curve{{10 * sec, 1}}},
			sim.Never, 1, Point{10 * sec, 1}, Point{10 * sec, 1}},
	} {
		top, s := twoTier(), minute()
		c.set.Path = path
		s.Timeline = []TimelineEntry{{Name: "a", At: 10 * sec, End: c.end, Set: []Setting{c.set}}}
		got := changesOf(t, compiled(t, top, s).World, path)
		if len(got) != c.count {
			t.Errorf("%s: got %d changes, want %d", c.name, len(got), c.count)
			continue
		}
		f, l := got[0], got[len(got)-1]
		if f.At != c.first.At || math.Abs(f.Value-c.first.Value) > 1e-12 {
			t.Errorf("%s: first: got %v at %v, want %v", c.name, f.Value, f.At, c.first)
		}
		if l.At != c.last.At || l.Value != c.last.Value {
			t.Errorf("%s: last: got %v at %v, want %v", c.name, l.Value, l.At, c.last)
		}
		if lifted := l.Op == kernel.Lift; lifted != (c.end != sim.Never) {
			t.Errorf("%s: got lifted %v", c.name, lifted)
		}
	}
}

// TestLatencyRampsBetweenConstants checks that each step carries a distribution of its own.
func TestLatencyRampsBetweenConstants(t *testing.T) {
	top, s := twoTier(), minute()
	to := sim.MustParseDist("100ms")
	s.Timeline = []TimelineEntry{{Name: "a", End: sim.Never, Over: 10 * sim.Second,
		Set: []Setting{{Path: "edges.web->db.latency", Value: Value{Dist: &to}}}}}
	got := changesOf(t, compiled(t, top, s).World, "edges.web->db.latency")
	for i, want := range map[int]sim.Time{0: 500 * sim.Microsecond, 49: 49500 * sim.Microsecond,
		100: 100 * sim.Millisecond} {
		if d, ok := got[i].Dist.Const(); !ok || d != want {
			t.Errorf("step %d: got %v, want %v", i, d, want)
		}
	}
}

// TestRoomForReplicas counts the most replicas that layers on top of each other can ask for.
func TestRoomForReplicas(t *testing.T) {
	path := "tiers.db.replicas"
	short := setAt("short", path, Replace, 2)
	short.End = 20 * sim.Second
	for _, c := range []struct {
		name string
		make func(*Topology, *Scenario)
		want int
	}{
		{"as declared", func(*Topology, *Scenario) {}, 5},
		{"fewer", entries(setAt("a", path, Replace, 3)), 5},
		{"more", entries(setAt("a", path, Replace, 8)), 8},
		{"times two", entries(setAt("a", path, Multiply, 2)), 10},
		{"times two and one", entries(setAt("a", path, Multiply, 2), setAt("b", path, Add, 1)), 11},
		{"a factor outlives a lower value", entries(short, setAt("a", path, Multiply, 3)), 15},
		{"autoscaled", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilization")
			t.Tiers[1].Value.Autoscale.Max = 12
		}, 12},
	} {
		top, s := twoTier(), minute()
		top.Tiers[1].Value.Replicas.Count = 5
		c.make(top, s)
		p := compiled(t, top, s).World
		if got := p.Tiers[1].Count; got != c.want {
			t.Errorf("%s: got room for %d, want %d", c.name, got, c.want)
		}
		if got := p.Params[p.Tiers[1].Active].Base; got != 5 {
			t.Errorf("%s: got %v active at the start, want 5", c.name, got)
		}
	}
}

// TestCompileTwiceGivesTheSame compiles the same values twice and wants the same plan.
func TestCompileTwiceGivesTheSame(t *testing.T) {
	top, s := sites()
	a, b := compiled(t, top, s).World, compiled(t, top, s).World
	if len(a.Changes) != len(b.Changes) || len(a.Params) != len(b.Params) {
		t.Fatalf("got %d changes and %d params, then %d and %d", len(a.Changes), len(a.Params),
			len(b.Changes), len(b.Params))
	}
	for i := range a.Params {
		if a.Params[i].Path != b.Params[i].Path || a.Params[i].Base != b.Params[i].Base {
			t.Errorf("param %d: got %+v, then %+v", i, a.Params[i], b.Params[i])
		}
	}
	for i := range a.Changes {
		x, y := a.Changes[i], b.Changes[i]
		if x.At != y.At || x.Param != y.Param || x.Layer != y.Layer || x.Value != y.Value {
			t.Errorf("change %d: got %+v, then %+v", i, x, y)
		}
	}
}

// TestCallsFindTheirEdge covers the ways in which a call can name its edge.
func TestCallsFindTheirEdge(t *testing.T) {
	read := func(to string) *Topology {
		top := twoTier()
		top.Tiers[1].Value.Steps = nil
		top.Tiers[1].Value.Endpoints = Map[[]Step]{{"read", []Step{work("1ms")}},
			{"write", []Step{work("2ms")}}}
		top.Tiers[0].Value.Steps = []Step{call(to)}
		return top
	}
	for _, c := range []struct {
		name, to string
		edges    []Edge
		want     string
	}{
		{"to the tier", "db/read", []Edge{link("web", "db", sim.Second)}, "web->db"},
		{"to the target", "db/read", []Edge{link("web", "db", sim.Second),
			link("web", "db/read", sim.Second)}, "web->db/read"},
		{"to another endpoint", "db/read", []Edge{link("web", "db/write", sim.Second)},
			"web->db/read"},
		{"by name", "fast", []Edge{link("web", "db/read", sim.Second),
			{From: "web", To: "db/read", Name: "fast", Timeout: NoTimeout,
				Block: Block{Status: 403}}}, "fast"},
		{"without one", "db/read", nil, "web->db/read"},
	} {
		top := read(c.to)
		top.Edges = c.edges
		p, problems := Compile(top, minute(), policies.Builtins())
		if p == nil {
			t.Errorf("%s: got problems\n%s", c.name, texts(problems))
			continue
		}
		w := p.World
		step := w.Programs[w.Tiers[0].Endpoints[0].First]
		if got := w.Edges[step.Edge].Name; got != c.want {
			t.Errorf("%s: got edge %s, want %s", c.name, got, c.want)
		}
		if got := w.Targets[step.Target]; got.Tier != 1 || got.Endpoint != 0 {
			t.Errorf("%s: got target %+v, want db/read", c.name, got)
		}
	}
}
