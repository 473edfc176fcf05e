package selftest

import "math"

// Closed forms of retries, budgets and storms. p is the probability that an attempt fails.

// attempts is the mean number of independent attempts of a call that may make so many.
func attempts(p float64, most int) float64 {
	if p == 1 {
		return float64(most)
	}
	return (1 - math.Pow(p, float64(most))) / (1 - p)
}

// layered is the mean number of leaf calls per request through layers that make so many attempts
// each, and the probability that the request fails.
func layered(p float64, layers, most int) (calls, failure float64) {
	calls = 1
	for range layers {
		calls *= attempts(p, most)
		p = math.Pow(p, float64(most))
	}
	return calls, p
}

// gated is the failure probability of an attempt at a gate of so many per second that turns the
// rest away at once, with so many attempts after decorrelating pauses.
func gated(capacity, lambda float64, most int) float64 {
	return math.Pow(1-capacity/lambda, 1/float64(most))
}

// bucketChain is a bucket in tenths of a token under calls one after the other: each first
// deposits a tenth, and each retry needs more than a token and takes one. It returns the mean
// number of attempts per call and the share of calls that succeed.
//
// A retry takes ten tenths, so the last digit of the balance goes round in ten calls unless the
// bucket is full: the chain is periodic, and only a mean over whole rounds has a limit.
func bucketChain(p float64, size int) (perCall, success float64) {
	full := 10 * size
	now := make([]float64, full+1)
	now[full] = 1
	const settling, rounds = 20_000, 2_000 // it forgets where it began in far fewer calls
	for k := range settling + rounds {
		next := make([]float64, full+1)
		if k == settling {
			perCall, success = 0, 0
		}
		for tenths, share := range now {
			left, live := min(full, tenths+1), share
			for {
				perCall += live
				success += live * (1 - p)
				next[left] += live * (1 - p)
				live *= p
				if left <= 10 {
					break
				}
				left -= 10
			}
			next[left] += live
		}
		now = next
	}
	return perCall / rounds, success / rounds
}

// successBudget is the amplification of a budget that only successes fill, when it binds.
func successBudget(p, ratio float64) float64 { return 1 / (1 - ratio*(1-p)) }

// rejecting is the goodput of a capacity when turning one away costs a part kappa of serving one.
func rejecting(capacity, kappa, lambda float64) float64 {
	return math.Max(0, (capacity-kappa*lambda)/(1-kappa))
}

// throttled is what a caller with adaptive throttling sends to a backend that accepts so much.
func throttled(k, accepted, lambda float64) float64 { return math.Min(lambda, k*accepted) }

// storm is a FIFO station of capacity per second whose callers time out and retry, and whose work
// goes on without them.
type storm struct {
	lambda, capacity float64
	work, timeout    float64
	retries          int
}

// backlog is what is delivered at the end of an outage of a length: the first tries, and the
// retries of those that had timed out by then.
func (s storm) backlog(outage float64) float64 {
	sum := 0.0
	for j := 0; j <= s.retries; j++ {
		sum += math.Max(0, outage-float64(j)*s.timeout)
	}
	return s.lambda * sum
}

// growth is how fast the line grows when every attempt times out.
func (s storm) growth() float64 { return float64(1+s.retries)*s.lambda - s.capacity }

// drain is how long a backlog keeps answers late, when so much still comes per second.
func (s storm) drain(backlog, offered float64) float64 {
	return (backlog - (s.timeout-s.work)*s.capacity) / (s.capacity - offered)
}

// recovery is how long after the first second behind an outage answers are in time again.
func (s storm) recovery(outage float64) float64 {
	offered := float64(1+s.retries) * s.lambda
	return s.drain(s.backlog(outage)+s.growth(), offered)
}

// crowded is a server whose latency grows with what is in flight when work starts, behind hops of
// exponential times each way, under a timeout and so many attempts.
type crowded struct {
	base, slope float64 // seconds; seconds for each in flight
	hop         float64 // mean of one way
	timeout     float64
	most        int
}

// perRequest is the mean number of attempts when so many are in flight, and their latency.
func (c crowded) perRequest(inFlight float64) (attempted, latency float64) {
	latency = c.base + c.slope*inFlight
	x := (c.timeout - latency) / c.hop
	late := 1.0
	if x > 0 {
		late = math.Exp(-x) * (1 + x) // the two hops together take longer than what is left
	}
	return attempts(late, c.most), latency
}

// low is the least number in flight that sustains itself: n = lambda A(n) L(n), from below.
func (c crowded) low(lambda float64) float64 {
	n := 0.0
	for range 100_000 {
		a, latency := c.perRequest(n)
		n = lambda * a * latency
	}
	return n
}

// high is how many are in flight when every attempt is late: n = lambda most (base + slope n).
func (c crowded) high(lambda float64) float64 {
	offered := lambda * float64(c.most)
	return offered * c.base / (1 - offered*c.slope)
}
