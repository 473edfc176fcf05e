package selftest

import (
	"fmt"
	"math"
)

// waits are what policies of waiting and hedging must reproduce.
func waits(f map[string]float64) {
	for v, p := range map[string]float64{
		"v23-5": 0.05, "v23-8": 0.08, "v23-10": 0.1, "v23-20": 0.2, "v23-50": 0.5,
	} {
		f[v+"/A"] = suspended(p, 0.1, 4)
	}
	all := exponentialWaits(0.1, 2, 5)
	f["v28-none/waited"], f["v28-equal/waited"], f["v28-full/waited"] = all, 0.75*all, 0.5*all
	for retries := range 5 {
		f[fmt.Sprintf("v28-decorrelated-%d/waited", retries+1)] = decorrelatedWaits(5e-3, retries+1)
	}
	f["v30-fanout/slow"] = 1 - math.Pow(0.99, 100)
	h := hedged{delay: -math.Log(0.05)}
	f["v30-alone/p99.9"] = -math.Log(0.001)
	f["v30-hedged/extra load"], f["v30-hedged/mean"] = h.extra(), h.mean()
	f["v30-hedged/p99.9"] = h.quantile(0.999)
}

// breakers are what circuit breakers must reproduce.
func breakers(f map[string]float64) {
	for _, v := range []string{"v42-gobreaker", "v42-polly", "v42-resilience4j", "v42-hystrix"} {
		f[v+"/probes in an hour"] = breaker{open: 30, probes: 1}.probesInHour(1, 100)
	}
	for v, probes := range map[string]int{"c26-1": 1, "c26-10": 10, "c26-all": 1e6} {
		f[v+"/attempts in an hour"] = breaker{open: 30, probes: probes}.probesInHour(1, 100)
	}
	for v, probes := range map[string]int{"c26-flaps-1": 1, "c26-flaps-3": 3} {
		share, inHour := breaker{open: 30, probes: probes, failures: 6}.flapping(0.5, 10)
		f[v+"/share of time open"], f[v+"/openings in an hour"] = share, inHour
	}
	f["c26-together/most probes at once"], f["c26-together/probes"] = 100, 100
	f["c26-jitter/most probes at once"], f["c26-jitter/probes"] = fullest(100, 5), 100
	// Ten requests a second: the one after the last that was counted is refused.
	const calls, every, tries = 30.0, 0.1, 3.0
	f["c25-outside/first refused at"] = (calls/tries + 1) * every
	f["c25-outside/attempts until it opens"] = calls
	f["c25-outside/refusals for each call when open"] = 100 * tries
	f["c25-inside/first refused at"] = (calls + 1) * every
	f["c25-inside/attempts until it opens"] = calls * tries
	f["c25-inside/refusals for each call when open"] = 100
}

// limits are what budgets and thresholds of retries must reproduce.
func limits(f map[string]float64) {
	f["c12-neither/retries"] = counting{}.granted(1000, 0.2, 3)
	f["c12-neither/retries in one fifth of a second"] = f["c12-neither/retries"]
	f["c12-both/retries"] = counting{asRetry: true, asRequest: true}.granted(1000, 0.2, 3)
	f["c12-envoy/retries"] = counting{asRetry: true}.granted(1000, 0.2, 3)

	const wait = 0.1245
	f["c16-flight-fast/A"] = concurrent(0.2, wait, 0.01)
	f["c16-flight-slow/A"] = concurrent(0.2, wait, 1)
	// A fifth of ten seconds of requests is more than all retries of a second.
	f["c16-interval-fast/A"], f["c16-interval-slow/A"] = 2, 2
	f["c16-rate-fast/A"], f["c16-rate-slow/A"] = 1.2, 1.2

	// Envoy: a retry waits 0 to 24 ms and fails at once; one that finds no slot is not made.
	f["c17-envoy-100/A"] = 1 + 1 - erlangB(3, 100*0.012)
	f["c17-envoy-1000/A"] = 1 + 1 - erlangB(3, 1000*0.012)
	f["c17-istio-100/A"], f["c17-istio-1000/A"] = 3, 3
}

// quotas are what the quota of AWS SDKs must reproduce.
func quotas(f map[string]float64) {
	const p = 0.1
	f["c18-total/retries of the target that is down"] = math.Floor(500.0 / 14)
	// Two for each second but the first, as requests begin with a gap.
	f["c18-absent/retries of the target that is down"] = 2 * (10*3600 - 1)
	f["c18-apart/success"], f["c18-apart/A"] = 1-math.Pow(p, 3), attempts(p, 3)
	f["c18-no-refill/success"], f["c18-no-refill/A"] = 1-p, 1
	// The tokens that the healthy target's calls give back come one at a time, and the first fourteen
	// that are there are there when the other one is called.
	f["c18-shared/success"], f["c18-shared/A"] = 1-p, 1
}

// places are what follows from where tries go.
func places(f map[string]float64) {
	f["c10-503/attempts of a call"], f["c10-refused/attempts of a call"] = 1+250, 1+250
	f["c10-connect/attempts of a call"] = 1
	const full = 1.0 / 4 // share of first tries that find no room
	f["c10-one-other/attempts of a call"] = 1 + full
	f["c10-one-last/attempts of a call"] = 1 + 3*full

	const load, hosts, each = 600.0, 10.0, 100.0
	f["c32-panic/goodput"] = load * 2 / hosts
	f["c32-panic/reach a host"], f["c32-all-panic/reach a host"] = load, load
	f["c32-shed/goodput"] = math.Min(load, 2*each)
	f["c32-all-panic/goodput"] = 0
}

// leavers are what is done for clients that have left.
func leavers(f map[string]float64) {
	f["c28-fifo-none/wasted"], f["c28-fifo-none/goodput"] = 1, 0
	p := patient{lambda: 150, mu: 100}
	f["c28-fifo-queued/wasted"], f["c28-fifo-queued/goodput"] = p.served()
	f["c28-fifo-all/wasted"], f["c28-fifo-all/goodput"] = p.cut()
	f["c28-fifo-120/wasted"] = room{lambda: 150, mu: 100, line: 120}.lateWork(1)
	f["c28-drop-145/wasted"] = room{lambda: 150, mu: 100, line: 145}.lateWorkDroppingOldest(1)
}

// cascades are fleets whose replicas crash above a load: what is left of them in the end.
func cascades(f map[string]float64) {
	f["v43-tenth-below/healthy"] = survivors(0.1, 880, 11_000)
	f["v43-half-below/healthy"] = survivors(0.5, 4400, 11_000)
}

// writes are the side effects that retries repeat.
func writes(f map[string]float64) {
	const p = 0.1
	again := 1000 * (attempts(p, 3) - 1)
	for _, v := range []string{"c30-503", "c30-replay-success", "c30-lost"} {
		f[v+"/duplicates per 1000 writes"] = again
	}
	for _, v := range []string{"c30-default", "c30-replay-all", "c30-lost-store"} {
		f[v+"/duplicates per 1000 writes"] = 0
	}
	heard := 1 - math.Pow(p, 3)
	f["c30-503/success"], f["c30-lost/success"], f["c30-lost-store/success"] = heard, heard, heard
	f["c30-default/success"], f["c30-replay-all/success"] = 1-p, 1-p
}
