package load

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/sim"
)

const recordedWorld = `
name: recorded
tiers: {web: {steps: [{work: 1ms}]}}
clients:
  a: {call: web, arrivals: {file: in/trace.csv, %s}}
epoch: 2026-08-17T13:00:00Z
duration: 10m
`

// recordedIn builds a world whose client follows a file.
func recordedIn(more, csv string) (*model.Arrivals, model.Problems) {
	fsys := fstest.MapFS{
		"w/world.yaml":   {Data: fmt.Appendf(nil, recordedWorld, more)},
		"w/in/trace.csv": {Data: []byte(csv)},
	}
	doc, _ := Open(Source{FS: fsys, Name: "w/world.yaml"})
	t, _, problems := doc.Build(Options{})
	return t.Clients[0].Value.Arrivals, problems
}

func TestArrivalsOfAFile(t *testing.T) {
	const s, ms = sim.Second, sim.Millisecond
	for _, c := range []struct {
		name, more, csv string
		times           []sim.Time
		counts          []model.Counted
	}{
		{"seconds", "", "time\n0.5\n1\n1\n7.000000001\n",
			[]sim.Time{500 * ms, s, s, 7*s + 1}, nil},
		{"durations and dates", "", "time\n90s\n2026-08-17T13:02:00.25Z\n",
			[]sim.Time{90 * s, 120*s + 250*ms}, nil},
		{"before the run", "", "time\n-3\n2\n", []sim.Time{2 * s}, nil},
		{"a class", "class: api", "class,time\nweb,1\napi,2\nweb,3\napi,4\n",
			[]sim.Time{2 * s, 4 * s}, nil},
		{"all classes", "class: all", "class,time\nweb,1\napi,2\nweb,3\n",
			[]sim.Time{s, 2 * s, 3 * s}, nil},
		{"counts", "", "start,count\n0,7\n60,0\n90s,5\n",
			nil, []model.Counted{{From: 0, To: 60 * s, N: 7}, {From: 90 * s, To: 120 * s, N: 5}}},
		{"counts of a class", "class: b", "start,count,class\n0,7,a\n0,1,b\n60,2,a\n",
			nil, []model.Counted{{From: 0, To: 60 * s, N: 1}}},
		{"counts of all", "class: all", "# by minute\nstart,count,class\n0,7,a\n0,1,b\n60,2,a\n",
			nil, []model.Counted{{From: 0, To: 60 * s, N: 8}, {From: 60 * s, To: 120 * s, N: 2}}},
	} {
		a, problems := recordedIn(c.more, c.csv)
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		got, want := fmt.Sprint(a.Recording.Times, a.Recording.Counts), fmt.Sprint(c.times, c.counts)
		if got != want || a.Process != "file" {
			t.Errorf("%s: got %s %s, want %s", c.name, a.Process, got, want)
		}
	}
}

func TestMistakesInAFileOfArrivalsHaveItsLine(t *testing.T) {
	for _, c := range []struct{ name, more, csv, want string }{
		{"out of order", "", "time\n5\n4\n", "w/in/trace.csv:3:1: clients.a.arrivals.file: time 4s " +
			"comes after 5s; expected times in order"},
		{"no time", "", "time\n1\nsoon\n", `w/in/trace.csv:3:1: clients.a.arrivals.file: time: "soon" ` +
			"is no time"},
		{"seconds since 1970", "", "time\n1786971600\n", "w/in/trace.csv:2:1: clients.a.arrivals.file: " +
			"time: 1786971600 seconds are beyond the clock"},
		{"unknown column", "", "time,clas\n1,a\n", `w/in/trace.csv:1:1: clients.a.arrivals.file: ` +
			`no column "clas"`},
		{"no columns", "", "0,12\n60,13\n", `w/in/trace.csv:1:1: clients.a.arrivals.file: no column "0"`},
		{"half a row", "class: a", "time,class\n1,a\n2\n", "w/in/trace.csv:3:1: " +
			"clients.a.arrivals.file: wrong number of fields"},
		{"half a count", "", "start,count\n0,1.5\n", "w/in/trace.csv:2:1: clients.a.arrivals.file: " +
			`count "1.5"; expected a whole number`},
		{"twice", "", "start,count\n0,1\n60,2\n60,3\n", "w/in/trace.csv:4:1: clients.a.arrivals.file: " +
			"1m begins twice"},
		{"one start", "", "start,count\n0,1\n", "one start alone does not say how long it lasts"},
		{"empty", "", "", "w/in/trace.csv:1:1: clients.a.arrivals.file: the file is empty"},
		{"no rows", "", "time\n", `"in/trace.csv" has no rows below its first line`},
		{"which class", "", "time,class\n1,web\n2,api\n", "has the classes web and api; say class: " +
			"web, or class: all"},
		{"unknown class", "class: wep", "time,class\n1,web\n", `has no row of class "wep"; did you ` +
			`mean "web"?`},
		{"no classes", "class: web", "time\n1\n", "w/world.yaml:5:56: clients.a.arrivals.class: " +
			"in/trace.csv has no column class"},
	} {
		_, problems := recordedIn(c.more, c.csv)
		if got := problems.Error(); !strings.Contains(got, c.want) || len(problems) != 1 {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Files of strangers reach nothing but what lies beside them.
func TestArrivalsLieBesideTheDocument(t *testing.T) {
	for name, want := range map[string]string{
		"/etc/passwd": "lie in it or below", "../../x.csv": "lie in it or below",
		"missing.csv": "no such file", "in": "it is no file",
	} {
		fsys := fstest.MapFS{
			"w/world.yaml": {Data: []byte(strings.Replace(fmt.Sprintf(recordedWorld, ""),
				"in/trace.csv", name, 1))},
			"w/in/trace.csv": {Data: []byte("time\n1\n")},
		}
		doc, _ := Open(Source{FS: fsys, Name: "w/world.yaml"})
		_, _, problems := doc.Build(Options{})
		if got := problems.Error(); !strings.Contains(got, want) || len(problems) != 1 {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
