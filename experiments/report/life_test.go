package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/sim"
)

// followed is a request of one client that tries twice: the first answer comes too late, the second
// try waits in line and is never answered, the third is refused.
func followed(t *testing.T) *Trace {
	t.Helper()
	d, problems := load.Open(load.Source{Name: "a.yaml", FS: fstest.MapFS{"a.yaml": {Data: []byte(
		"name: w\ntiers: {db: {slots: 2, steps: [{work: 5ms}]}}\n" +
			"clients: {u: {arrivals: 1/s, call: db}}\nduration: 20s\n")}}})
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	ms := func(n int) sim.Time { return 5*sim.Second + sim.Time(n)*sim.Millisecond }
	return &Trace{world: plan.World, Records: []model.TraceRecord{
		{At: ms(0), What: "request", Edge: -1, Replica: -1},
		{At: ms(0), What: "send", Attempt: 1, N: 1, Replica: -1},
		{At: ms(2), What: "arrive", Attempt: 1, N: 1},
		{At: ms(2), What: "start", Attempt: 1, N: 1},
		{At: ms(10), What: "abandon", Attempt: 1, N: 1},
		{At: ms(10), What: "settle", Attempt: 1, N: 1, Class: policies.TimedOut},
		{At: ms(12), What: "send", Attempt: 2, N: 2, Replica: -1},
		{At: ms(14), What: "arrive", Attempt: 2, N: 2},
		{At: ms(14), What: "wait", Attempt: 2, N: 2},
		{At: ms(15), What: "answer", Attempt: 1, N: 1, Class: policies.OK},
		{At: ms(16), What: "late", Attempt: 1, N: 1},
		{At: ms(22), What: "settle", Attempt: 2, N: 2, Class: policies.TimedOut},
		{At: ms(22), What: "refused", N: 3, Text: "max_attempts", Replica: -1},
		{At: ms(22), What: "end", Edge: -1, Replica: -1, Class: policies.TimedOut},
	}}
}

func TestALifeHasATryForEachAttempt(t *testing.T) {
	l := followed(t).Life()
	if l.Client != "u" || l.Started != 5 || l.Took != 0.022 || l.OK || l.Outcome != "timed out" {
		t.Errorf("life %+v", l)
	}
	if len(l.Tries) != 3 || l.Length() != 0.022 {
		t.Fatalf("%d tries over %v", len(l.Tries), l.Length())
	}
	one, two, three := l.Tries[0], l.Tries[1], l.Tries[2]
	if one.Where != "db" || one.Started != 0.002 || one.Settled != 0.01 || one.Answered != 0.015 ||
		!one.Late || one.Waited {
		t.Errorf("first %+v", one)
	}
	if !two.Waited || !math.IsNaN(two.Started) || !math.IsNaN(two.Answered) || two.Late {
		t.Errorf("second %+v", two)
	}
	if !three.Refused || three.Outcome != "refused by max_attempts" || three.N != 3 {
		t.Errorf("third %+v", three)
	}
}

// traceEvent is what the Trace Event Format says of an event, as far as it is used.
type traceEvent struct {
	Name, Ph string
	TS, Dur  *float64
	PID, TID *int
	Args     map[string]any
}

// wellFormed reads a trace and holds it against the rules of the format: phases, what each of them
// needs, a name for each lane, and events of a lane that lie within each other or apart.
func wellFormed(t *testing.T, data []byte) []traceEvent {
	t.Helper()
	var got struct {
		DisplayTimeUnit string
		TraceEvents     []traceEvent
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.DisplayTimeUnit != "ms" || len(got.TraceEvents) == 0 {
		t.Errorf("unit %q, %d events", got.DisplayTimeUnit, len(got.TraceEvents))
	}
	type span struct{ from, to int64 } // ns
	names, sorts, lanes := map[int]int{}, map[int]int{}, map[int][]span{}
	for _, e := range got.TraceEvents {
		if e.PID == nil || e.TID == nil || e.Name == "" {
			t.Fatalf("an event without a name, a process or a lane: %+v", e)
		}
		switch key := e.Ph + " " + e.Name; {
		case key == "M process_name" && e.Args["name"] != "":
		case key == "M thread_name" && e.Args["name"] != "":
			names[*e.TID]++
		case key == "M thread_sort_index" && e.Args["sort_index"] == float64(*e.TID):
			sorts[*e.TID]++
		case e.Ph == "X" && e.TS != nil && e.Dur != nil && *e.TS >= 0 && *e.Dur >= 0:
			from := int64(math.Round(*e.TS * 1000))
			one := span{from, from + int64(math.Round(*e.Dur*1000))}
			for _, o := range lanes[*e.TID] {
				apart := one.from >= o.to || o.from >= one.to
				within := one.from >= o.from && one.to <= o.to || o.from >= one.from && o.to <= one.to
				if !apart && !within {
					t.Errorf("%s of lane %d is %v and crosses %v", e.Name, *e.TID, one, o)
				}
			}
			lanes[*e.TID] = append(lanes[*e.TID], one)
		default:
			t.Errorf("the format does not know %+v", e)
		}
	}
	for tid := range lanes {
		if names[tid] != 1 || sorts[tid] != 1 {
			t.Errorf("lane %d has %d names and %d places", tid, names[tid], sorts[tid])
		}
	}
	return got.TraceEvents
}

// A try has a lane with what its caller sees, and one with what the callee does, which may go on
// when the caller has left.
func TestChromeTracesHaveLanesForEachTry(t *testing.T) {
	var out bytes.Buffer
	if err := followed(t).Life().WriteChrome(&out); err != nil {
		t.Fatal(err)
	}
	lanes, spans := []string{}, map[string][2]float64{}
	for _, e := range wellFormed(t, out.Bytes()) {
		switch {
		case e.Name == "thread_name":
			lanes = append(lanes, e.Args["name"].(string))
		case e.Ph == "X":
			spans[e.Name] = [2]float64{*e.TS, *e.Dur}
		}
	}
	want := "request of u, u->db try 1, u->db try 1 at db, u->db try 2, u->db try 2 at db, u->db try 3"
	if strings.Join(lanes, ", ") != want {
		t.Errorf("lanes %q, want %q", lanes, want)
	}
	for name, want := range map[string][2]float64{"request": {0, 22000}, "u->db try 1": {0, 10000},
		"served": {2000, 13000}, "u->db try 2": {12000, 10000}} {
		if spans[name] != want {
			t.Errorf("%s is %v, want %v", name, spans[name], want)
		}
	}
}

// Traces of requests that a run really had hold by the rules of the format too.
func TestChromeTracesOfARunHoldByTheRules(t *testing.T) {
	d, problems := load.Open(load.Source{Name: "a.yaml", FS: fstest.MapFS{"a.yaml": {Data: []byte(
		"name: w\ntiers:\n  web: {slots: 100, steps: [{call: db}]}\n" +
			"  db: {slots: 2, line: {limit: 20}, steps: [{work: exp 20ms}]}\n" +
			"edges: [{from: web, to: db, timeout: {try: 60ms}, retry: {stack: [{max_attempts: " +
			"{attempts: 3}}]}}]\n" +
			"clients: {u: {arrivals: 200/s, call: web}}\nduration: 4s\n")}}})
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	late := 0
	for n := 1; n <= 200; n += 13 {
		trace := NewTrace(plan, Wanted{Number: n}, func() {})
		if _, err := plan.Run(t.Context(), 1, model.RunOptions{Tracer: trace}); err != nil {
			t.Fatal(err)
		}
		life := trace.Life()
		for _, try := range life.Tries {
			if try.Late {
				late++
			}
		}
		var out bytes.Buffer
		if err := life.WriteChrome(&out); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, out.Bytes())
	}
	if late == 0 {
		t.Error("no answer came late, which is what makes work outlast its caller's wait")
	}
}
