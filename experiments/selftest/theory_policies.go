package selftest

import "math"

// Closed forms of single policies: waits, hedges, throttles. p is the probability that an attempt
// fails.

// suspended is the mean number of attempts of a call under a throttle that takes a token for each
// failure, gives back a share of one for each success, and lets retries go only above half of its
// tokens: all of them when failures are repaid, and none when they are not.
func suspended(p, back float64, most int) float64 {
	if p < back/(1+back) {
		return attempts(p, most)
	}
	return 1
}

// exponentialWaits is the sum of so many waits that double from base up to cap.
func exponentialWaits(base, limit float64, retries int) float64 {
	sum := 0.0
	for n := range retries {
		sum += math.Min(limit, base*math.Pow(2, float64(n)))
	}
	return sum
}

// decorrelatedWaits is the mean sum of so many waits, each even between base and three times the
// one before, the first one's being base.
func decorrelatedWaits(base float64, retries int) float64 {
	sum, mean := 0.0, base
	for range retries {
		mean = (base + 3*mean) / 2
		sum += mean
	}
	return sum
}

// hedged is a call of exponential time, of mean 1, with a second copy after a delay.
type hedged struct{ delay float64 }

// extra is how often the second copy is sent.
func (h hedged) extra() float64 { return math.Exp(-h.delay) }

// mean is the mean time: two copies are twice as fast as one.
func (h hedged) mean() float64 { return 1 - h.extra() + h.extra()/2 }

// quantile is the time below which a part q lies, for q beyond the delay.
func (h hedged) quantile(q float64) float64 { return (h.delay - math.Log(1-q)) / 2 }

// breaker is one that stays open for a time and then lets tries through, at most so many at once,
// whose successes in a row close it; so many failures in a row open it.
type breaker struct {
	open     float64 // seconds
	probes   int
	failures int
}

// probesInHour is how many go to a target that is down when each try takes so long and load comes
// in per second.
func (b breaker) probesInHour(call, load float64) float64 {
	most := math.Max(1, math.Min(float64(b.probes), load*call))
	return most * 3600 / (b.open + call)
}

// flapping is the share of time in which the breaker is open, and how often it opens in an hour,
// when the target takes no time and fails with probability p.
//
// A round is from closed to closed: so many openings, each with its probes, until all of them
// succeed; then calls until a run of failures. Calls come with exponential gaps.
func (b breaker) flapping(p, load float64) (share, inHour float64) {
	ok := math.Pow(1-p, float64(b.probes))
	openings := 1 / ok
	probing := (1 - ok) / p / load
	run := math.Pow(p, float64(b.failures))
	closed := (1 - run) / (run * (1 - p)) / load
	round := openings*(b.open+probing) + closed
	return openings * b.open / round, 3600 * openings / round
}

// concurrent is the amplification under a budget of retries at once, as a share of what is in
// flight, when everything fails after some work: a retry holds its place through its wait and its
// own work, and is in flight during the second.
func concurrent(share, wait, work float64) float64 {
	return 1 + share*work/(wait+(1-share)*work)
}

// counting says what a call in backoff counts as in a budget of retries at once.
type counting struct{ asRetry, asRequest bool }

// granted is how many of so many calls that fail at one instant, one after the other, are tried
// again under a share of what is in flight, and at least so many at once.
func (c counting) granted(calls int, share float64, least int) float64 {
	waiting := 0
	for failed := 1; failed <= calls; failed++ {
		requests, retries := calls-failed, 0
		if c.asRequest {
			requests += waiting
		}
		if c.asRetry {
			retries = waiting
		}
		if retries < max(int(share*float64(requests)), least) {
			waiting++
		}
	}
	return float64(waiting)
}

// patient is a server under more than it can do, whose clients leave a time after they came that is
// many times that of the work. The wait of those that are served is then as long as patience, less
// an exponential time x of rate lambda - mu; work of exponential length that is longer than x is
// for nobody.
type patient struct{ lambda, mu float64 }

// served is the share of work done for nobody and the goodput when only the line is left: it is
// served on to its end.
func (p patient) served() (wasted, goodput float64) {
	// The mean over x of the work that is longer than x, e^(-mu x) (1/mu + x), times mu.
	theta := p.lambda - p.mu
	wasted = theta/p.lambda + theta*p.mu/(p.lambda*p.lambda)
	return wasted, p.mu * p.mu / p.lambda // a part mu/lambda of the work is shorter than x
}

// cut is the same when the work is left, too: what was done of it until then is lost.
func (p patient) cut() (wasted, goodput float64) {
	// The mean over x of x e^(-mu x), by that of the shorter of work and x, 1/lambda.
	theta := p.lambda - p.mu
	return theta / (p.lambda * p.lambda) * p.lambda, p.mu
}

// fullest is the mean number in the fullest of so many cells when things fall into them evenly.
func fullest(things, cells int) float64 {
	mean := 0.0
	for most := range things {
		mean += 1 - atMost(things, cells, most)
	}
	return mean
}

// atMost is how likely it is that no cell holds more. The cells are filled one after the other,
// each with its binomial part of what is left.
func atMost(things, cells, most int) float64 {
	left := make([]float64, things+1) // how likely so many are left, and no cell is too full
	left[things] = 1
	for c := cells; c > 0; c-- {
		next := make([]float64, things+1)
		for n, share := range left {
			for k := range min(n, most) + 1 {
				next[n-k] += share * binomial(n, k, 1/float64(c))
			}
		}
		left = next
	}
	return left[0]
}

// binomial is how likely k of n are, each with probability p.
func binomial(n, k int, p float64) float64 {
	if p == 1 {
		if k == n {
			return 1
		}
		return 0
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

// survivors is the healthy share of a fleet that stays, or 0 where what is offered to it is more
// than that share of the fleet's limit: those left crash one after the other.
func survivors(healthy, offered, limit float64) float64 {
	if offered > healthy*limit {
		return 0
	}
	return healthy
}
