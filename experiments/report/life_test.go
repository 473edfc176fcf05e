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

// The format: complete events with a beginning and a length in microseconds, in named lanes.
func TestChromeTracesHaveALaneForEachTry(t *testing.T) {
	var out bytes.Buffer
	if err := followed(t).Life().WriteChrome(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			TS, Dur  float64
			TID      int
			Args     map[string]string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	lanes, spans := []string{}, map[string][2]float64{}
	for _, e := range got.TraceEvents {
		switch e.Ph {
		case "M":
			lanes = append(lanes, e.Args["name"])
		case "X":
			spans[e.Name] = [2]float64{e.TS, e.Dur}
		default:
			t.Errorf("a phase %q", e.Ph)
		}
	}
	want := "request of u, u->db try 1, u->db try 2, u->db try 3"
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
