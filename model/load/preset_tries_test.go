package load

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"cascadesim/model"
)

// failingWorld sends ten calls, twenty minutes apart, over an edge with a preset; each try fails.
const failingWorld = `
name: failing
tiers: {db: {steps: [%s]}}
clients: {users: {call: db, arrivals: {process: constant, rate: 3/h}}}
edges: [{from: users, to: db, latency: 1ms, timeout: {try: 1s}, retry: {preset: %s}}]
duration: 3h20m
window: 1m
timeline: [%s]
`

// ways to fail, in the order of the columns of testdata/preset-tries.txt: what db does, and what
// the network does.
var ways = [][2]string{
	{"{fail: {status: 503}}", ""},
	{"{work: 1ms}", "{name: gone, at: 0, until: end, fault: {edge: users->db, link: refused}}"},
	{"{work: 2s}", ""},
}

// Each product tries as often as its source says when every try fails.
func TestPresetsTryAsOftenAsTheProducts(t *testing.T) {
	data, err := os.ReadFile("testdata/preset-tries.txt")
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) == len(ways)+1 && words[0] != "#" {
			wanted[words[0]] = words[1:]
		}
	}
	for _, p := range shippedPresets() {
		name := p.full()
		if !p.older {
			name = p.name
		}
		if wanted[name] == nil {
			t.Errorf("%s has no row in testdata/preset-tries.txt", name)
			continue
		}
		for i, want := range wanted[name] {
			if want == "-" {
				continue
			}
			text := fmt.Sprintf(failingWorld, ways[i][0], name, ways[i][1])
			if got := triesPerCall(t, text); fmt.Sprint(got) != want {
				t.Errorf("%s, failure %d: %v tries a call, want %s", name, i+1, got, want)
			}
		}
	}
}

// Who turns eight of nine calls away asks for a wait of nothing, of a second, or for none at all.
// OkHttp follows the first, once; a Java channel of gRPC takes it for a pushback whatever the code,
// and urllib3 any that asks.
func TestAnAnswerMayAskToComeBackAtOnce(t *testing.T) {
	for _, c := range []struct {
		preset, asks string
		tries        float64 // of a call that is turned away
	}{
		{"okhttp", "{retry_after: {base: 0s}},", 2}, {"okhttp", "{retry_after: {base: 1s}},", 1},
		{"okhttp", "", 1}, {"grpc-java, retryable_status_codes: [ABORTED]", "", 1},
		{"grpc-java, retryable_status_codes: [ABORTED]", "{retry_after: {base: 0s}},", 4},
		{"urllib3", "{retry_after: {base: 0s}},", 4}, {"urllib3", "", 1},
	} {
		text := strings.Replace(fmt.Sprintf(failingWorld, "{work: 1ms}", c.preset, ""), "steps:",
			"admission: ["+c.asks+" {token_bucket: {rate: 0.000001/s, burst: 1}}], steps:", 1)
		if got, want := triesPerCall(t, text), (1+8*c.tries)/9; got != want {
			t.Errorf("%s, asked by %q: %v tries a call, want %v", c.preset, c.asks, got, want)
		}
	}
}

func triesPerCall(t *testing.T, text string) float64 {
	t.Helper()
	plan, problems := openText(t, text).Plan(Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var calls, attempts float64
	for _, c := range r.Edges[0].Cells {
		calls += float64(c.Calls)
		attempts += float64(c.Attempts)
	}
	if calls == 0 {
		t.Fatal("no calls")
	}
	return attempts / calls
}
