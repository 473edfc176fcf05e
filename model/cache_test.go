package model_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
)

// looks are the lookups of a world's first tier, after a warm-up.
type looks struct{ hits, misses, joined, done float64 }

func (l looks) ratio() float64 { return l.hits / (l.hits + l.misses + l.joined) }

func lookups(t *testing.T, text string) looks {
	t.Helper()
	plan := compiled(t, text)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var l looks
	tier := plan.World.Tiers[0]
	for i := tier.First; i < tier.First+tier.Count; i++ {
		for w, c := range r.Replicas[i].Cells {
			if w%r.Windows < r.Warmup {
				continue
			}
			l.hits += float64(c.Hits)
			l.misses += float64(c.Misses)
			l.joined += float64(c.Joined)
			l.done += float64(c.Completed)
		}
	}
	return l
}

const cacheWorld = `
name: cache
tiers:
  web: {replicas: %d, steps: [{cache: {%s, miss: [{work: %s}]}}]}
clients: {users: {arrivals: %s, call: web}}
duration: 100s
warmup: 20s
%s
`

// popularity is how likely each of n keys is.
func popularity(n int, s float64) []float64 {
	q := make([]float64, n)
	sum := 0.0
	for k := range q {
		q[k] = math.Pow(float64(k+1), -s)
		sum += q[k]
	}
	for k := range q {
		q[k] /= sum
	}
	return q
}

// ttlRatio is the share of hits when a key that is asked for at the rate a is kept for a time: of
// the requests of one period all but the first are hits, so that it is a·ttl/(1 + a·ttl).
func ttlRatio(q []float64, rate, ttl float64) float64 {
	sum := 0.0
	for _, share := range q {
		a := share * rate
		sum += share * a * ttl / (1 + a*ttl)
	}
	return sum
}

// cheRatio is the approximation of H. Che et al. (2002) for a cache with room for c keys, of which
// the least recently used one goes: all keys stay for one characteristic time.
func cheRatio(q []float64, c float64) float64 {
	low, high := 0.0, 1e9
	for range 200 {
		t, sum := (low+high)/2, 0.0
		for _, share := range q {
			sum += 1 - math.Exp(-share*t)
		}
		if sum < c {
			low = t
		} else {
			high = t
		}
	}
	hit := 0.0
	for _, share := range q {
		hit += share * (1 - math.Exp(-share*low))
	}
	return hit
}

func TestHitRatiosAreThoseOfTheory(t *testing.T) {
	for _, c := range []struct {
		name, cache, rate, more string
		replicas                int
		want, within            float64
	}{
		{"ttl, uniform", "keys: 1000, ttl: 1s", "2000/s", "", 1, 2.0 / 3, 0.004},
		{"ttl, Zipf", "keys: {count: 10k, zipf: 0.9}, ttl: 2s", "2000/s", "", 1,
			ttlRatio(popularity(10_000, 0.9), 2000, 2), 0.004},
		{"ttl that varies", "keys: 1000, ttl: uniform min=0ms max=2s", "2000/s", "", 1, 2.0 / 3, 0.004},
		{"LRU, Zipf", "keys: {count: 10k, zipf: 0.9}, capacity: 1000", "2000/s", "", 1,
			cheRatio(popularity(10_000, 0.9), 1000), 0.006},
		{"LRU, uniform", "keys: 1000, capacity: 300", "2000/s", "", 1, 0.3, 0.004},
		{"each replica its own", "keys: 1000, ttl: 1s", "2000/s", "", 4, 0.5 / 1.5, 0.004},
		{"one for all replicas", "keys: 1000, ttl: 1s, scope: tier", "2000/s", "", 4, 2.0 / 3, 0.004},
		{"at a scale", "keys: 10k, ttl: 1s", "20k/s", "scale: 1/10", 1, 2.0 / 3, 0.004},
		{"Zipf at a scale", "keys: {count: 100k, zipf: 0.8}, ttl: 2s", "20k/s", "scale: 1/10", 1,
			ttlRatio(popularity(100_000, 0.8), 20_000, 2), 0.008},
	} {
		text := fmt.Sprintf(cacheWorld, c.replicas, c.cache, "0ms", c.rate, c.more)
		if got := lookups(t, text).ratio(); math.Abs(got-c.want) > c.within {
			t.Errorf("%s: %.4f are hits, want %.4f +- %.4f", c.name, got, c.want, c.within)
		}
	}
}

// One popular key that expires is a storm: everybody who comes while it is fetched fetches it too,
// and each of those stores it anew. Coalesced, one fetches. With 1000 requests a second, a fetch of
// 100 ms and a ttl of 1 s that is 100 and the first every 1.2 s, against one every 1.1 s.
func TestCoalescingTakesTheStormOutOfAMiss(t *testing.T) {
	const seconds = 80
	storm := lookups(t, fmt.Sprintf(cacheWorld, 1, "keys: 1, ttl: 1s", "100ms", "constant 1000/s", ""))
	if want := seconds / 1.2 * 101; math.Abs(storm.misses-want) > 0.02*want {
		t.Errorf("%v fetches, want %.0f", storm.misses, want)
	}
	one := lookups(t, fmt.Sprintf(cacheWorld, 1, "keys: 1, ttl: 1s, coalesce: true", "100ms",
		"constant 1000/s", ""))
	if want := seconds / 1.101; math.Abs(one.misses-want) > 1.5 {
		t.Errorf("%v fetches when they are coalesced, want %.0f", one.misses, want)
	}
	if want := one.misses * 99; math.Abs(one.joined-want) > 0.02*want {
		t.Errorf("%v wait for them, want %.0f", one.joined, want)
	}
}

// A failure that is kept is answered without another fetch; one that is not is fetched each time.
func TestFailuresAreKeptForTheirOwnTime(t *testing.T) {
	for ttl, want := range map[string]float64{"0": 80_000, "1s": 80, "100ms": 800} {
		l := lookups(t, fmt.Sprintf(`
name: negative
tiers:
  web: {steps: [{cache: {keys: 1, negative_ttl: %s, miss: [{fail: 100%%}]}}]}
clients: {users: {arrivals: constant 1000/s, call: web}}
duration: 100s
warmup: 20s
`, ttl))
		if math.Abs(l.misses-want) > 2 {
			t.Errorf("negative_ttl %s: %v fetches, want %v", ttl, l.misses, want)
		}
	}
}

// Two levels are asked for the same keys when those have one name: the second sees each key once,
// when the first does not have it yet, and so never has it itself. Of keys of its own it has had 37
// of 100 before, in the mean.
func TestTwoLevelsShareTheirKeys(t *testing.T) {
	hits := map[string]uint32{}
	for _, name := range []string{"pages", "others"} {
		plan := compiled(t, fmt.Sprintf(`
name: levels
tiers:
  web: {steps: [{cache: {keys: {count: 100, name: pages}, miss: [{call: redis}]}}]}
  redis: {steps: [{cache: {keys: {count: 100, name: %s}, miss: [{work: 1us}]}}]}
clients: {users: {arrivals: 1000/s, call: web}}
duration: 10s
`, name))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var arrivals uint32
		for _, c := range r.Replicas[1].Cells {
			arrivals, hits[name] = arrivals+c.Arrivals, hits[name]+c.Hits
		}
		if arrivals != 100 {
			t.Errorf("%d lookups in the second level, want one for each key", arrivals)
		}
	}
	if hits["pages"] != 0 || hits["others"] < 20 || hits["others"] > 55 {
		t.Errorf("hits of the second level: %v", hits)
	}
}

// A restart begins with an empty cache: everything is fetched again, and the hit ratio comes back
// as the requests do.
func TestARestartEmptiesACache(t *testing.T) {
	plan := compiled(t, `
name: restarted
tiers:
  web: {steps: [{cache: {keys: 5000, miss: [{work: 1ms}]}}]}
clients: {users: {arrivals: 1000/s, call: web}}
duration: 120s
window: 10s
timeline: [{name: restart, at: 60s, restart: {tier: web, down: 10s}}]
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ratio := func(w int) float64 {
		c := r.Replicas[0].Cells[w]
		return float64(c.Hits) / float64(c.Hits+c.Misses)
	}
	// After n requests a key is missing with the probability (1 - 1/5000)^n: 1 - e^-2 of the first
	// 10,000 lookups' 5,000 keys have been fetched.
	cold := 1 - (1-math.Exp(-2))/2
	for w, want := range map[int]float64{0: cold, 5: 1, 7: cold, 11: 1} {
		if got := ratio(w); math.Abs(got-want) > 0.02 {
			t.Errorf("window %d: %.3f are hits, want %.3f", w, got, want)
		}
	}
}
