package model_test

import (
	"fmt"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// A database with room for 300/s is offered 400/s for a minute by callers that wait for a second
// and go, and 100/s after that.
const overload = `
name: overload
tiers: {db: {slots: 30, line: {%s}, steps: [{work: 100ms}]}}
clients: {users: {arrivals: %s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 2m
timeline: [{name: less, at: 1m, set: {clients.users.arrivals.rate: 100/s}}]
`

// over is a measure of a run between two seconds.
func over(t *testing.T, p *model.Plan, r *model.Result, measure string, from, to sim.Time) float64 {
	t.Helper()
	v, err := check.Over(p, r, measure, check.Range{From: from * sim.Second, To: to * sim.Second})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ran(t *testing.T, p *model.Plan) *model.Result {
	t.Helper()
	r, err := p.Run(t.Context(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Oldest first, all that is served from the third second on is work for callers that have gone, and
// so it is long after the overload: 6,000 more than can be served have come. Newest first, and in
// an adaptive line as soon as it is long, those who have just come are served at once.
func TestAnAdaptiveLineServesWhoHasJustCome(t *testing.T) {
	for line, fresh := range map[string]bool{
		"discipline: fifo": false, "discipline: lifo": true,
		"discipline: adaptive_lifo, switch_above: 50": true,
	} {
		p := compiled(t, fmt.Sprintf(overload, line, "400/s"))
		r := ran(t, p)
		ok := over(t, p, r, "clients.users.ok_per_s", 20, 60)
		wasted := over(t, p, r, "tiers.db.wasted_per_s", 20, 60)
		later := over(t, p, r, "clients.users.ok_share", 65, 80)
		if fresh && (ok < 298 || wasted > 2 || later < 0.99) ||
			!fresh && (ok > 1 || wasted < 298 || later > 0.01) {
			t.Errorf("%s: %v/s went well and %v/s were work for nobody, want fresh: %t; "+
				"afterwards %v went well", line, ok, wasted, fresh, later)
		}
	}
}

// When the overload is over, the line shrinks by 200/s until it is short enough to be a fifo again:
// then those who are left of the beginning are served first. If that takes longer than callers
// wait, some who come meanwhile fail, after half a minute of peace.
func TestAnAdaptiveLineThatSwitchesLateFailsOnceMore(t *testing.T) {
	for above, fails := range map[int]bool{50: false, 400: true} {
		line := fmt.Sprintf("discipline: adaptive_lifo, switch_above: %d", above)
		p := compiled(t, fmt.Sprintf(overload, line, "400/s"))
		r := ran(t, p)
		failed := over(t, p, r, "clients.users.failed", 61, 120)
		if fails && (failed < 50 || failed > 400) || !fails && failed > 0 {
			t.Errorf("switch_above %d: %v failed after the overload, want some: %t", above, failed,
				fails)
		}
	}
}

// While no more than switch_above wait, it is a fifo to the last event.
func TestAShortAdaptiveLineIsFair(t *testing.T) {
	printOf := func(line string) any {
		return ran(t, compiled(t, fmt.Sprintf(overload, line, "280/s"))).Fingerprint
	}
	fifo := printOf("discipline: fifo")
	if got := printOf("discipline: adaptive_lifo, switch_above: 200"); got != fifo {
		t.Errorf("fingerprint %v, want that of fifo, %v", got, fifo)
	}
	if got := printOf("discipline: adaptive_lifo, switch_above: 1"); got == fifo {
		t.Error("a line that switches above 1 had the fingerprint of fifo")
	}
}

// Under a third more than can be served, a line that controls its delay turns more and more away
// until that third is gone; those who are left wait for less than half of their patience, and are
// answered in time. Without the control every answer is late.
func TestAControlledDelayKeepsAnswersInTime(t *testing.T) {
	for line, fresh := range map[string]bool{"discipline: fifo": false, "discipline: codel": true} {
		p := compiled(t, fmt.Sprintf(overload, line, "400/s"))
		r := ran(t, p)
		wait := over(t, p, r, "tiers.db.in_line", 40, 60) / 300 // of those who are served, on average
		ok := over(t, p, r, "clients.users.ok_per_s", 40, 60)
		if (wait < 0.5) != fresh || (ok > 295) != fresh {
			t.Errorf("%s: the wait is %v s, and %v/s went well, want fresh: %t", line, wait, ok, fresh)
		}
	}
}

// Waits below the target turn nobody away: it is a fifo to the last event.
func TestAControlledDelayLeavesShortWaitsAlone(t *testing.T) {
	printOf := func(line string) any {
		return ran(t, compiled(t, fmt.Sprintf(overload, line, "280/s"))).Fingerprint
	}
	fifo := printOf("discipline: fifo")
	if got := printOf("discipline: codel, target: 10s, interval: 10s"); got != fifo {
		t.Errorf("fingerprint %v, want that of fifo, %v", got, fifo)
	}
	if got := printOf("discipline: codel, target: 1ms, interval: 10ms"); got == fifo {
		t.Error("a line that controls a delay of 1 ms had the fingerprint of fifo")
	}
}
