package policies

import (
	"container/heap"
	"math"
	"testing"

	"cascadesim/sim"
)

// The worlds of this file are as small as a policy allows: a heap of visits and a few lines each.
// They check policies against formulas; the same cases through the kernel are checked in model.

// visit is try n of call id, which happens at a time; n of 0 means that service ends.
type visit struct {
	at sim.Time
	id uint64
	n  int
}

type visits []visit

func (v visits) Len() int { return len(v) }
func (v visits) Less(i, j int) bool {
	return v[i].at < v[j].at || v[i].at == v[j].at && v[i].id < v[j].id
}
func (v visits) Swap(i, j int) { v[i], v[j] = v[j], v[i] }
func (v *visits) Push(x any)   { *v = append(*v, x.(visit)) }
func (v *visits) Pop() any {
	last := (*v)[len(*v)-1]
	*v = (*v)[:len(*v)-1]
	return last
}

func attemptOf(v visit) Attempt {
	return Attempt{N: v.n, Chance: sim.Seed(1).Ident("call").Child(v.id).Child(uint64(v.n)).Draw(0)}
}

// TestTokenBucketUnderRetries: a gate of capacity C that rejects the excess at once. With r retries
// after a pause C = λ(1-p^(r+1)), hence p = (1-C/λ)^(1/(r+1)) and C/(1-p) attempts per second. The
// formula takes attempts as independent, which with a pause of 1 s is true to about half a percent.
func TestTokenBucketUnderRetries(t *testing.T) {
	onOneMachine(t)
	const arrivals, capacity, seconds = 1200.0, 1000.0, 200
	gate := kindOf("token_bucket").New(TokenBucket{Rate: capacity, Burst: 50}).Admission
	pacer := kindOf("constant").New(Constant{Wait: sim.MustParseDist("exp 1s")}).Pacer
	limit := kindOf("max_attempts").New(MaxAttempts{Attempts: 4}).Gate
	luck := sim.Seed(19).Stream("arrivals")
	todo := &visits{{n: 1}}
	var offered, entered int
	for {
		v := heap.Pop(todo).(visit)
		if v.at > seconds*sim.Second {
			break
		}
		if v.n == 1 {
			next := v.at + sim.Time(luck.Exp()*1e9/arrivals)
			heap.Push(todo, visit{at: next, id: v.id + 1, n: 1})
		}
		a := attemptOf(v)
		in := gate.Enter(v.at, &a)
		if v.at > 20*sim.Second {
			offered++
			if in {
				entered++
			}
		}
		if a.N++; !in && limit.Admit(v.at, &a) {
			wait := pacer.Wait(v.at, &a, Outcome{Class: Rejected})
			heap.Push(todo, visit{at: v.at + wait, id: v.id, n: a.N})
		}
	}
	p := math.Pow(1-capacity/arrivals, 0.25)
	near(t, "attempts per second", float64(offered)/(seconds-20), capacity/(1-p), 0.02)
	near(t, "goodput", float64(entered)/(seconds-20), capacity, 0.002)
}

// TestTokenBucketIsExact: 10,100 arrivals per second at even gaps, 10,000 admitted, unlimited
// retries after exactly 1 s. Each second offers 100 more than the one before, to the attempt; the
// full bucket at the start is one attempt. The burst is 2 because a bucket of 1 is full, and
// loses flow, whenever arrivals miss its beat.
func TestTokenBucketIsExact(t *testing.T) {
	gate := kindOf("token_bucket").New(TokenBucket{Rate: 10_000, Burst: 2}).Admission
	pacer := kindOf("constant").New(Constant{Wait: sim.MustParseDist("1s")}).Pacer
	var offered, entered [20]int
	todo := &visits{}
	for i := range uint64(len(offered) * 10_100) {
		heap.Push(todo, visit{at: sim.Time(i * 1_000_000_000 / 10_100), id: i, n: 1})
	}
	for todo.Len() > 0 {
		v := heap.Pop(todo).(visit)
		second := int(v.at / sim.Second)
		if second >= len(offered) {
			break
		}
		offered[second]++
		a := attemptOf(v)
		if gate.Enter(v.at, &a) {
			entered[second]++
			continue
		}
		a.N++
		heap.Push(todo, visit{at: v.at + pacer.Wait(v.at, &a, Outcome{}), id: v.id, n: a.N})
	}
	for k := range offered {
		if want := 10_100 + 100*k; offered[k] < want-1 || offered[k] > want+1 {
			t.Errorf("second %d: %d attempts offered, want %d", k, offered[k], want)
		}
		if entered[k] < 9_999 || entered[k] > 10_001 {
			t.Errorf("second %d: %d entered, want 10000", k, entered[k])
		}
	}
}

// TestOrbitIsConstantRetrial: M/M/1/1 with constant retrial rate θ has on average
// λ²(λ+θ+μ)/(μ(μθ-λ(λ+θ))) in orbit: 2.5 for λ 0.5, μ 1, θ 1. The queue forgets within some
// hundred seconds, so forty batches of 1e5 s are independent, and the interval they give is ±3 %.
func TestOrbitIsConstantRetrial(t *testing.T) {
	onOneMachine(t)
	const batches, length = 40, 100_000
	pacer := kindOf("orbit").New(Orbit{Rate: 1}).Pacer
	luck := sim.Seed(18).Stream("arrivals")
	todo := &visits{{n: 1}}
	var area [batches]float64
	var orbit int
	var last sim.Time
	busy := false
	for last < sim.Time(batches*length-1)*sim.Second {
		v := heap.Pop(todo).(visit)
		area[min(v.at/(length*sim.Second), batches-1)] += float64(orbit) * (v.at - last).Seconds()
		last = v.at
		if v.n == 0 {
			busy = false
			continue
		}
		if v.n == 1 {
			next := v.at + sim.Time(luck.Exp()*2e9)
			heap.Push(todo, visit{at: next, id: v.id + 1, n: 1})
		} else {
			orbit--
		}
		if !busy {
			busy = true
			heap.Push(todo, visit{at: v.at + sim.Time(luck.Exp()*1e9), id: v.id})
			continue
		}
		orbit++
		v.n++
		a := attemptOf(v)
		heap.Push(todo, visit{at: v.at + pacer.Wait(v.at, &a, Outcome{}), id: v.id, n: v.n})
	}
	for i := range area {
		area[i] /= length
	}
	mean, width := interval(area[:])
	if math.Abs(mean-2.5) > width || width > 0.04*2.5 {
		t.Errorf("%.3f ± %.3f in orbit, want 2.5 and an interval within 4 %%", mean, width)
	}
}

// TestAdaptiveThrottleLetsThroughKTimesTheCapacity: the callee accepts 100 per second and is sent
// min(λ, K*100) of λ. The estimate rests on 2 min of attempts, so 2 % is wide.
func TestAdaptiveThrottleLetsThroughKTimesTheCapacity(t *testing.T) {
	onOneMachine(t)
	for _, c := range []struct{ arrivals, sent, refused float64 }{
		{150, 150, 0}, {300, 200, 1.0 / 3}, {1000, 200, 0.8},
	} {
		p := kindOf("adaptive_throttle").New(nil)
		callee := kindOf("token_bucket").New(TokenBucket{Rate: 100, Burst: 20}).Admission
		luck := sim.Seed(26).Stream("arrivals")
		var all, sent, accepted float64
		now := sim.Time(0)
		for i := uint64(0); now < 40*sim.Minute; i++ {
			now += sim.Time(luck.Exp() * 1e9 / c.arrivals)
			a := attemptOf(visit{id: i, n: 1})
			count := 0.0
			if now > 10*sim.Minute {
				count = 1
			}
			all += count
			if !p.Gate.Admit(now, &a) {
				continue
			}
			sent += count
			o := Outcome{Class: Rejected}
			if callee.Enter(now, &a) {
				o.Class = OK
				accepted += count
			}
			p.Observer.Observe(now, &a, o)
		}
		near(t, "sent per second", sent/1800, c.sent, 0.02)
		near(t, "accepted per second", accepted/1800, 100, 0.02)
		if got := 1 - sent/all; math.Abs(got-c.refused) > 0.02 {
			t.Errorf("λ %v: %.3f refused, want %.3f", c.arrivals, got, c.refused)
		}
	}
}

// TestRefusalProbability restates figures of the SRE book's formula with K = 2.
func TestRefusalProbability(t *testing.T) {
	for _, c := range []struct{ requests, accepts, want float64 }{
		{100, 100, 0}, {100, 50, 0}, {100, 40, 0.198020}, {100, 25, 0.495050},
		{100, 0, 0.990099}, {1, 0, 0.5}, {0, 0, 0}, {1000, 400, 0.199800},
	} {
		th := kindOf("adaptive_throttle").New(nil).Gate.(*adaptiveThrottle)
		th.tally = tally{spent: int64(c.requests), earned: int64(c.accepts)}
		if got := max(0, th.refusal()); math.Abs(got-c.want) > 5e-7 {
			t.Errorf("%v requests, %v accepts: %.6f, want %.6f", c.requests, c.accepts, got, c.want)
		}
	}
}

// near wants a measured value within a share of the theory's.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %.4f, want %.4f within %v", what, got, want, share)
	}
	t.Logf("%s: %.4f (theory %.4f)", what, got, want)
}

// interval is the mean of independent values and the half-width within which the true mean lies
// with 99.9 %: 3.5 standard errors, a little wide for forty values of a normal.
func interval(x []float64) (mean, width float64) {
	n := float64(len(x))
	var squares float64
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, 3.5 * math.Sqrt(squares/(n-1)/n)
}
