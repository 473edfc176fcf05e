package model_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
)

// herd is how many refreshes there are in each second, of 8000 tokens of 100 s that are issued
// together and refreshed after 80 s.
func herd(t *testing.T, jitter string) []float64 {
	t.Helper()
	plan := compiled(t, fmt.Sprintf(`
name: herd
tiers: {auth: {steps: []}}
clients:
  agents: {population: 8000, arrivals: 10/s, call: auth}
  refresh: {tokens: {of: agents, lifetime: 100s, jitter: %s}, call: auth}
duration: 1000s
`, jitter))
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, c := range r.Clients[1].Cells {
		out = append(out, float64(c.Requests))
	}
	return out
}

// C23: tokens that were issued together are refreshed together, all at one instant, at each period.
// With a jitter j of the period R, refresh n comes after the sum of n uniforms of [R(1-j), R]: the
// herd returns, a width of jR(n/12)^½ each time, and its peak falls with the root of n.
func TestARefreshHerdReturnsAndDecaysWithItsJitter(t *testing.T) {
	const n, period = 8000.0, 80
	for at, got := range herd(t, "0%") {
		want := 0.0
		if at > 0 && at%period == 0 {
			want = n
		}
		if got != want {
			t.Errorf("without jitter: %v refreshes in second %d, want %v", got, at, want)
		}
	}
	const jitter = 0.1
	seconds := herd(t, "10%")
	width := jitter * period
	for k := 1; k <= 6; k++ {
		center := float64(k) * period * (1 - jitter/2)
		var want float64 // mean over seven seconds around the top
		switch k {
		case 1: // one uniform
			want = n / width
		case 2: // two: a triangle
			want = n / width * (1 - 3.5/2/width)
		default: // nearly a bell
			sd := width * math.Sqrt(float64(k)/12)
			want = n / 7 * math.Erf(3.5/sd/math.Sqrt2)
		}
		peak := 0.0
		for at := int(center) - 3; at <= int(center)+3; at++ {
			peak += seconds[at] / 7
		}
		if math.Abs(peak-want) > 4*math.Sqrt(want/7)+0.01*want {
			t.Errorf("herd %d is %.0f/s high, want %.0f", k, peak, want)
		}
	}
}

// A token that cannot be refreshed before it expires stops its holder: from then on nothing is
// sent, until the service is back and the next retry gets a new one.
func TestAnExpiredTokenStopsItsHolder(t *testing.T) {
	plan := compiled(t, `
name: expired
tiers: {api: {steps: [{work: 1ms}]}, auth: {slots: 500, steps: [{work: 1ms}]}}
clients:
  agents: {population: 1000, arrivals: constant 1000/s, call: api}
  refresh: {tokens: {of: agents, lifetime: 100s, issued: spread, retry: exp 5s}, call: auth}
edges: [{from: refresh, to: auth, timeout: {try: 1s}}]
duration: 400s
timeline: [{name: down, at: 100s, for: 100s, fault: {edge: refresh->auth, link: refused}}]
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	share := func(at int) float64 {
		sum := 0.0
		for w := at; w < at+5; w++ {
			c := r.Clients[0].Cells[w]
			sum += float64(c.Expired) / float64(c.Requests) / 5
			if c.Failed != c.Expired {
				t.Errorf("%d failed in second %d, of which %d for want of a token", c.Failed, w, c.Expired)
			}
		}
		return sum
	}
	// A token has 20 to 100 s to live when the service goes; after t seconds (t-20)/80 have expired.
	for at, want := range map[int]float64{90: 0, 115: 0, 157: 0.5, 195: 0.965, 260: 0} {
		if got := share(at); math.Abs(got-want) > 0.04 {
			t.Errorf("from %d s on %.3f of the requests have no token, want %.3f", at, got, want)
		}
	}
}
