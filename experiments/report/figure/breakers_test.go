package figure_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model/load"
)

// Two breakers of one edge see 50 calls a second each, and only failures from 10 s to 25 s.
// They open when a tenth have failed, 56 after 500 that went well: at 11.1 s. The probes ten s
// later fail, those at 31.1 s close them. A window shows where they stand when it starts.
func TestBreakersOpenProbeAndClose(t *testing.T) {
	text := `name: pair
tiers:
  web: {replicas: 2, steps: [{call: db}]}
  db: {}
clients: {users: {arrivals: constant 100/s, call: web}}
edges:
  - from: web
    to: db
    retry: {scope: instance, stack: [{polly_breaker: {minimum_throughput: 2, break_duration: 10s}}]}
duration: 40s
timeline: [{name: broken, at: 10s, for: 15s, fault: {tier: db, errors: 100%}}]
`
	src := load.Source{FS: fstest.MapFS{"w.yaml": {Data: []byte(text)}}, Name: "w.yaml"}
	plan, r := runOf(t, src, load.Options{})
	f := made(t, "breakers", plan, r)
	open, half := f.Panels[0].Lines[0], f.Panels[0].Lines[1]
	for second, v := range open.Values {
		want := 0.0
		if second >= 12 && second <= 31 {
			want = 1
		}
		if v != want || half.Values[second] != 0 {
			t.Errorf("at %d s %v are open, want %v; half open %v", second, v, want, half.Values[second])
		}
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if got := words(t, svg); !strings.Contains(got, "web->db, polly_breaker (%)") ||
		!strings.Contains(f.Alt, "Of polly_breaker on web->db most are open at 00:12, 100%") {
		t.Errorf("it says %s\n%s", f.Alt, got)
	}
}
