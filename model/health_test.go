package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cascadesim/sim"
)

// near tells whether a value is within a share of what theory says.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*want) {
		t.Errorf("%s: %v, want %v within %v %%", what, got, want, 100*within)
	}
}

// Each of 3 callers probes each of 4 replicas every second; one for all does so once.
func TestProbesArePairsOverTheInterval(t *testing.T) {
	for by, want := range map[string]float64{"instance": 12, "shared": 4} {
		for _, check := range []string{"slot", "connect"} {
			world := fmt.Sprintf(`
name: probes
tiers: {web: {replicas: 3, steps: [{call: db}]}, db: {replicas: 4, steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 10/s, call: web}}
edges: [{from: web, to: db, latency: 2ms, balance: {health: {interval: 1s, by: %s, check: %s}}}]
duration: 100s
`, by, check)
			p := compiled(t, world)
			r := ran(t, p)
			near(t, by+" "+check, over(t, p, r, "edges.web->db.probes_per_s", 0, 100), want, 0)
			if n := over(t, p, r, "edges.web->db.probes_failed", 0, 100); n != 0 {
				t.Errorf("%v probes failed of who was well", n)
			}
			if n := over(t, p, r, "tiers.db.arrivals", 0, 100); n != 999 {
				t.Errorf("%v arrivals, want those of requests alone", n)
			}
		}
	}
}

// Who knows of an outage by probes alone sends half of what there is into it until three of them
// have failed: that takes two intervals and a timeout, and up to another interval until the first.
// Back is who was well twice.
func TestAnOutageIsNoticedByFailedProbes(t *testing.T) {
	const world = `
name: noticed
tiers: {db: {replicas: 2, steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 1000/s, call: db}}
edges:
- from: users
  to: db
  timeout: {try: 100ms}
  balance: {health: {interval: 2s, timeout: 1s}}
duration: 60s
timeline: [{at: 20s, restart: {tier: db@0, down: 20s, flows: drop}}]
`
	p := compiled(t, world)
	r := ran(t, p)
	blind := over(t, p, r, "edges.users->db.timed_out", 0, 60) / 500
	if blind < 5 || blind > 7 {
		t.Errorf("half of all attempts went to a replica that was gone for %v s, want 5 to 7", blind)
	}
	back := 0.0 // seconds of 500/s after the outage
	for s := sim.Time(40); s < 60; s++ {
		if over(t, p, r, "tiers.db@0.arrivals", s, s+1) == 0 {
			back++
		}
	}
	if back < 2 || back > 4 {
		t.Errorf("it took %v s to see that it was back, want 2 to 4", back)
	}
	if n := over(t, p, r, "edges.users->db.timed_out", 30, 60); n != 0 {
		t.Errorf("%v attempts timed out although everybody knew", n)
	}
}

// Two of four are gone. With fewer in rotation than the threshold asks for all are used, gone or
// not; with as many, only who is well.
func TestInAPanicItDoesNotMatterWhoIsUp(t *testing.T) {
	for panics, want := range map[string]float64{"0%": 0, "50%": 0, "51%": 0.5} {
		world := fmt.Sprintf(`
name: panic
tiers: {db: {replicas: 4, steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 1000/s, call: db}}
edges:
- from: users
  to: db
  timeout: {try: 100ms}
  balance: {health: {check: connect, interval: 1s, panic: %s}}
duration: 60s
timeline:
- {name: a, at: 10s, until: end, pause: {tier: db@0, flows: drop}}
- {name: b, at: 10s, until: end, pause: {tier: db@1, flows: drop}}
`, panics)
		p := compiled(t, world)
		r := ran(t, p)
		near(t, panics, over(t, p, r, "edges.users->db.timed_out_share", 20, 50), want, 0.001)
		near(t, panics, over(t, p, r, "edges.users->db.taken_out", 0, 60), 2, 0)
	}
}

// A slot is what a probe of work lacks while a replica is overloaded, and no door.
func TestProbesOfWorkSeeALineAndConnectsDoNot(t *testing.T) {
	for check, want := range map[string]float64{"slot": 1, "connect": 0} {
		world := fmt.Sprintf(`
name: line
tiers: {db: {slots: 1, line: {limit: 1000}, steps: [{work: 100ms}]}}
clients: {users: {arrivals: constant 100/s, call: db}}
edges:
- {from: users, to: db, balance: {health: {interval: 1s, fall: 1000, check: %s}}}
duration: 100s
`, check)
		p := compiled(t, world)
		r := ran(t, p)
		near(t, check, over(t, p, r, "edges.users->db.probes_failed_share", 20, 100), want, 0)
	}
}

// What a route makes of 55 and 45 % while so many of four replicas in the east are out.
func TestSharesFollowHealth(t *testing.T) {
	for _, c := range []struct {
		spill string
		out   string // of the east
		both  bool   // nobody is left in the west
		want  float64
	}{
		{"share", "a", false, 0.55}, // 1.4 * 3/4 is more than all
		{"share", "a, b", false, 0.55 * 0.7 / (0.55*0.7 + 0.45)},
		{"share", "a, b, c", false, 0.55 * 0.35 / (0.55*0.35 + 0.45)},
		{"share", "a, b, c, d", false, 0},
		{"share", "a, b, c, d", true, 0.55},
		{"{by: share, overprovisioning: 100%}", "a", false, 0.55 * 0.75 / (0.55*0.75 + 0.45)},
		{"order", "a", false, 1},
		{"order", "a, b", false, 0.7},
		{"order", "a, b, c", false, 0.35},
		{"order", "a, b, c", true, 1},
	} {
		world := fmt.Sprintf(`
name: zones
routes: {front: {to: {east: 55%%, west: 45%%}, spill: %s}}
tiers:
  east: {replicas: [a, b, c, d], steps: [{work: 1ms}]}
  west: {replicas: 2, steps: [{work: 1ms}]}
clients: {users: {arrivals: constant 1000/s, call: front}}
edges: [{from: users, to: front}]
duration: 100s
timeline:
`, c.spill)
		for i, name := range strings.Split(c.out, ", ") {
			pause := fmt.Sprintf("pause: {tier: east@%s, flows: finish}", name)
			world += fmt.Sprintf("- {name: e%d, at: 0s, until: end, %s}\n", i, pause)
		}
		if c.both {
			world += "- {name: w, at: 0s, until: end, pause: {tier: west, flows: finish}}\n"
		}
		p := compiled(t, world)
		r := ran(t, p)
		what := fmt.Sprintf("%s without %s of the east", c.spill, c.out)
		if c.both {
			refused := over(t, p, r, "edges.users->front.rejected", 0, 100)
			east := over(t, p, r, "tiers.east.arrivals", 0, 100)
			if c.want == 0.55 && refused != 99_999 || c.want == 1 && east != 99_999 {
				t.Errorf("%s: %v rejected, %v in the east", what, refused, east)
			}
			continue
		}
		near(t, what, over(t, p, r, "tiers.east.arrivals", 0, 100)/99_999, c.want, 0.02)
	}
}
