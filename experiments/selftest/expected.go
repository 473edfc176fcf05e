package selftest

import (
	"math"
	"sync"
)

// expected is what the formula of a value says, or the printed figure where there is none.
func (w *world) expected(value string, printed float64) float64 {
	if x, ok := formulas()[w.key(value)]; ok {
		return x
	}
	return printed
}

// formulas holds what is expected, computed, by variant and name of the value: seconds and per
// second, as checks write them. What is not here has no formula; see stated.
var formulas = sync.OnceValue(func() map[string]float64 {
	f := map[string]float64{}
	oneServer(f)
	manyServers(f)
	retrials(f)
	budgets(f)
	gates(f)
	outages(f)
	waits(f)
	breakers(f)
	limits(f)
	quotas(f)
	places(f)
	leavers(f)
	cascades(f)
	writes(f)
	return f
})

// stated are the values whose figure is the source's own: exact counts, and reference simulations.
var stated = map[string]string{
	"v31-two/W":         "a finite number of servers has no closed form; two reference simulators",
	"v27-none/attempts": "10,000 calls of 6 attempts each", "v27-exponential/attempts": "the same",
	"v27-full/attempts": "the same", "v27-equal/attempts": "the same",
	"c1/goodput": "the report's reference", "c1/attempts": "the report's reference",
	"c21-none/retry 1": "all of them", "c21-none/retry 2": "the same", "c21-none/retry 3": "the same",
	"c21-none/retry 4": "the same", "c21-none/retry 5": "the same", "c21-none/retry 6": "the same",
	"c21-equal/retry 1 confirmed": "reference simulation", "c21-equal/retry 1": "the report's",
	"c21-equal/retry 2": "the same", "c21-equal/retry 3": "the same", "c21-equal/retry 4": "the same",
	"c21-equal/retry 5": "the same", "c21-equal/retry 6": "the same",
	"c21-added/retry 1 confirmed": "reference simulation", "c21-added/retry 1": "the report's",
	"c21-added/retry 2": "the same", "c21-added/retry 3": "the same", "c21-added/retry 4": "the same",
	"c21-added/retry 5": "the same", "c21-added/retry 6": "the same",
	"c1-fixed/goodput": "the same", "c1-fixed/attempts": "the same",
}

// unitRate is the service rate of the worlds whose unit of time is a millisecond.
const (
	unitRate = 1000.0
	ms       = 1e-3
)

func oneServer(f map[string]float64) {
	f["v1/L"] = 0.8 / (1 - 0.8)
	f["v1/W"] = mm1Time(800, unitRate)
	f["v1/p50"] = mm1Quantile(800, unitRate, 0.5)
	f["v1/p95"] = mm1Quantile(800, unitRate, 0.95)
	f["v1/p99"] = mm1Quantile(800, unitRate, 0.99)
	f["v2/L"] = 0.5 / (1 - 0.5)
	f["v2/W"] = mm1Time(500, unitRate)
	f["v2/p99"] = mm1Quantile(500, unitRate, 0.99)
	f["v8/Wq"] = pollaczekWait(800, ms, ms*ms)
	// The second moment of Erlang-k is (1 + 1/k) of the squared mean, and of a lognormal e^(s^2).
	f["v9-erlang/Wq"] = pollaczekWait(800, ms, 1.25*ms*ms)
	f["v9-lognormal/Wq"] = pollaczekWait(800, ms, math.E*ms*ms)
	f["v12-95/loss"] = patienceLoss(950, unitRate, 10*ms)
	f["v12-95/idle"] = patienceIdle(950, unitRate, 10*ms)
	f["v12-120/loss"] = patienceLoss(1200, unitRate, 5*ms)
	f["v12-120/idle"] = patienceIdle(1200, unitRate, 5*ms)
}

func manyServers(f map[string]float64) {
	f["v3-1/W"], f["v3-1/P(wait)"] = mmcTime(1, 800, unitRate), erlangC(1, 0.8)
	f["v3-5/W"], f["v3-5/P(wait)"] = mmcTime(5, 4000, unitRate), erlangC(5, 4)
	f["v3-10/W"], f["v3-10/P(wait)"] = mmcTime(10, 8000, unitRate), erlangC(10, 8)
	f["v4-5/P(wait)"], f["v4-10/P(wait)"] = erlangC(5, 2.5), erlangC(10, 5)

	all := func(n int) float64 { return float64(n) }
	small := mmck(1, 10, 1200, unitRate)
	f["v5/blocked"], f["v5/L"] = small[10], small.mean(all)
	f["v5/W"] = f["v5/L"] / (1200 * (1 - small[10]))
	room := mmck(10, 30, 12_000, unitRate)
	inLine := func(n int) float64 { return beyond(n, 10) }
	f["v6/blocked"], f["v6/Lq"] = room[30], room.mean(inLine)
	f["v6/Wq"] = f["v6/Lq"] / (12_000 * (1 - room[30]))
	for _, v := range []string{"v7-exp", "v7-constant", "v7-lognormal"} {
		f[v+"/blocked"] = erlangB(100, 110)
	}
	leave := impatient(10, 12_000, unitRate, unitRate)
	f["v11/Lq"] = leave.mean(inLine)
	f["v11/Wq"] = f["v11/Lq"] / 12_000
	f["v11/P(abandon)"] = unitRate * f["v11/Wq"]

	f["v31-random/W"] = mm1Time(900, unitRate)
	f["v31-robin/W"] = roundRobinTime(100, 90_000, unitRate)
	for _, v := range []string{"x2-priority", "x2-edf"} {
		first, others := cobhamWaits(300, 500, unitRate)
		f[v+"/W of the first"], f[v+"/W of the others"] = first+ms, others+ms
	}
	const mean = 0.999*0.1*ms + 0.001*10*ms
	f["v46-open/Wq"] = pollaczekWait(0.8/mean, mean, 2*(0.999*0.01+0.001*100)*ms*ms)
	for v, n := range map[string]float64{"v46-closed-1": 1, "v46-closed-10": 10} {
		f[v+"/X"], f[v+"/R"] = 1/mean, n*mean
	}
	for _, v := range []string{"v10-mm1", "v10-md1", "v10-lognormal"} {
		f[v+"/W"], f[v+"/L"], f[v+"/busy"] = sharedTime(ms, 0.8), 800*sharedTime(ms, 0.8), 0.8
	}
	f["v10-three/W of size three"] = sharedTime(3*ms, 0.8)
	for v, n := range map[string]float64{
		"x3-1": 1, "x3-10": 10, "x3-31": 31, "x3-100": 100, "x3-scaled": 100,
	} {
		f[v+"/X"] = scalability(n, 0.03, 0.001) / 10e-3
	}
	f["v39/X"], f["v39/R"] = repairman(20, 1, 100, unitRate)
}

func retrials(f map[string]float64) {
	// Jackson: the server sees lambda/(1-p); what is in backoff is that of a server for each.
	f["v16/in server"] = 5 / 0.7 / 10 / (1 - 5/0.7/10)
	f["v16/in backoff"] = 5 * 0.3 / 0.7 * 2
	f["v16/completion"] = (f["v16/in server"] + f["v16/in backoff"]) / 5
	f["v17/busy"] = 0.8
	f["v17/orbit"] = retrialOrbit(800, unitRate, 1000)
	f["v17/orbit time"] = f["v17/orbit"] / 800
	f["v18/orbit"] = constantOrbit(500, unitRate, 1000)
}

func budgets(f map[string]float64) {
	for v, p := range map[string]float64{"v13-10": 0.1, "v13-50": 0.5, "v13-90": 0.9, "v13-100": 1} {
		f[v+"/A"], f[v+"/success"] = attempts(p, 4), 1-math.Pow(p, 4)
	}
	f["v14-3x4/leaf calls"], _ = layered(1, 3, 4)
	f["v14-5x3/leaf calls"], _ = layered(1, 5, 3)
	f["v15/leaf calls"], f["v15/failure"] = layered(0.9, 3, 3)
	f["c7-both/calls"], f["c7-one/calls"] = 4*3, 4
	for v, hops := range map[string]int{"c8-3": 3, "c8-4": 4, "c8-5": 5} {
		f[v+"/leaf calls"], _ = layered(1, hops, 3)
	}
	// Everything fails: the budget alone says what is retried, its floor included.
	f["v21-20/A"], f["v21-10/A"] = 1.2, 1.1
	f["v22-100/A"], f["v22-1000/A"] = 1+0.2+10.0/100, 1+0.2+10.0/1000
	for v, p := range map[string]float64{
		"v24-1": 0.01, "v24-5": 0.05, "v24-10": 0.1, "v24-20": 0.2, "v24-50": 0.5,
	} {
		f[v+"/A"], f[v+"/success"] = bucketChain(p, 5)
	}
	for v, p := range map[string]float64{"v25-20": 0.2, "v25-50": 0.5, "v25-75": 0.75} {
		f[v+"/A"] = successBudget(p, 0.1)
	}
}

func gates(f map[string]float64) {
	p := gated(1000, 1200, 4)
	f["v19/attempts"], f["v19/p"], f["v19/goodput"] = 1000/(1-p), p, 1000
	for v, lambda := range map[string]float64{"v26-150": 150, "v26-300": 300, "v26-1000": 1000} {
		f[v+"/received"] = throttled(2, 100, lambda)
		f[v+"/accepted"] = 100
		f[v+"/refused"] = 1 - f[v+"/received"]/lambda
	}
	for v, lambda := range map[string]float64{"v38-300": 300, "v38-600": 600, "v38-1000": 1000} {
		f[v+"/goodput"] = rejecting(100, 0.1, lambda)
	}
}

func outages(f map[string]float64) {
	app := storm{lambda: 280, capacity: 300, work: 0.1, timeout: 1, retries: 1}
	for _, v := range []string{"v32", "v32-poisson"} {
		f[v+"/attempts"], f[v+"/goodput"], f[v+"/growth"] = 560, 0, app.growth()
		f[v+"/backlog"] = app.backlog(10) + app.growth()
	}
	for v, lambda := range map[string]float64{"v33-140": 140, "v33-100": 100} {
		lighter := app
		lighter.lambda = lambda
		f[v+"/recovers"] = lighter.recovery(10)
		f[v+"-poisson/recovers"] = lighter.recovery(10)
	}
	// With a budget: a full bucket of 10 and what comes in until the end, while retries go on.
	held := 280*10 + 10 + 0.05*280*9
	f["v35-5/recovers"] = app.drain(held+280*1.05-300, 280*1.05)
	f["v35-5/growth"], f["v35-10/growth"], f["v35-20/growth"] = 280*1.05-300, 280*1.1-300, 280*1.2-300
	f["v35b-200/goodput"], f["v35b-400/goodput"] = 280, 0
	f["v35c/goodput"], f["v35c/growth"] = 280, 280-300
	f["v35c-poisson/goodput"], f["v35c-poisson/growth"] = 280, 280-300
	at100 := app.backlog(10) + 70*app.growth()
	f["v35d-140/recovers"] = app.drain(at100, 2*140)
	f["v35d-100/recovers"] = app.drain(at100, 2*100)

	large := storm{lambda: 2800, capacity: 3000, work: 0.1, timeout: 1, retries: 1}
	f["v48-v32/attempts"], f["v48-v32/goodput"], f["v48-v32/growth"] = 5600, 0, large.growth()
	f["v48-v32/backlog"] = large.backlog(10) + large.growth()
	for v, lambda := range map[string]float64{
		"v37-200": 200, "v37-300": 300, "v37-400": 400, "v37-500": 500,
	} {
		f[v+"/in flight"] = crowded{base: 1, slope: 1e-3, hop: 0.1, timeout: 3, most: 3}.low(lambda)
	}
	late := crowded{base: 1, slope: 1e-3, hop: 0.1, timeout: 3, most: 3}
	f["v37-down-210/in flight"], f["v37-down-240/in flight"] = late.low(210), late.high(240)
	f["v37b-850/attempts"] = 3 * 400
	f["v40-90/slots"], f["v40-54/slots"] = 10*math.Ceil(10*0.9/0.5), 10*10
	f["v40-56/slots"], f["v40-44/slots"] = 10*math.Ceil(10*0.56/0.5), 10*math.Ceil(10*0.44/0.5)
	f["v40-25/slots before the down window ends"] = 10 * 10
	f["v40-25/slots after it"] = 10 * math.Ceil(10*0.25/0.5)
	f["v44-5/in line"], f["v44-5/attempts"] = 0.5*0.5/(1-0.5), 5
	f["v44-6/in line"], f["v44-6/attempts"] = 0.6*0.6/(1-0.6), 6
	f["v36-20/attempts"], f["v48-20/attempts"] = 5*370, 5*3700
	f["v48-225/attempts"], f["v48-9s/attempts"], f["v48-light/attempts"] = 3700, 3700, 2780
}
