package selftest

import "math"

// Closed forms of queueing theory. Rates are per second, times in seconds. lambda is the rate of
// arrivals, mu that of one server, c the number of servers, and rho their load.

// mm1Time is the mean time in an M/M/1 system.
func mm1Time(lambda, mu float64) float64 { return 1 / (mu - lambda) }

// mm1Quantile is the time in an M/M/1 system below which a part q lies.
func mm1Quantile(lambda, mu, q float64) float64 { return -math.Log(1-q) / (mu - lambda) }

// erlangB is the share lost by c servers without a line under a Erlang, by its recursion.
func erlangB(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b
}

// erlangC is the share of M/M/c that waits.
func erlangC(c int, a float64) float64 {
	rho := a / float64(c)
	b := erlangB(c, a)
	return b / (1 - rho + rho*b)
}

// mmcTime is the mean time in an M/M/c system.
func mmcTime(c int, lambda, mu float64) float64 {
	return erlangC(c, lambda/mu)/(float64(c)*mu-lambda) + 1/mu
}

// chain is a birth and death process in equilibrium: how likely each state is.
type chain []float64

// newChain takes the rates up from state n and down to it; up is 0 at the last state.
func newChain(states int, up, down func(n int) float64) chain {
	p := make(chain, states)
	p[0] = 1
	sum := 1.0
	for n := 1; n < states; n++ {
		p[n] = p[n-1] * up(n-1) / down(n)
		sum += p[n]
	}
	for n := range p {
		p[n] /= sum
	}
	return p
}

// mean is the mean of f over the states.
func (p chain) mean(f func(n int) float64) float64 {
	sum := 0.0
	for n, x := range p {
		sum += x * f(n)
	}
	return sum
}

// beyond is how many of n there are above c.
func beyond(n, c int) float64 { return math.Max(0, float64(n-c)) }

// mmck is M/M/c with room for k.
func mmck(c, k int, lambda, mu float64) chain {
	return newChain(k+1,
		func(int) float64 { return lambda },
		func(n int) float64 { return math.Min(float64(n), float64(c)) * mu })
}

// impatient is M/M/c+M: those in line leave at the rate theta. The line is cut where nobody is.
func impatient(c int, lambda, mu, theta float64) chain {
	return newChain(400,
		func(int) float64 { return lambda },
		func(n int) float64 { return math.Min(float64(n), float64(c))*mu + beyond(n, c)*theta })
}

// pollaczekWait is the mean wait of M/G/1, of the mean and the second moment of the work.
func pollaczekWait(lambda, mean, second float64) float64 {
	return lambda * second / (2 * (1 - lambda*mean))
}

// cobhamWaits is the mean wait of two classes of M/M/1, of which one is always next.
func cobhamWaits(first, others, mu float64) (ofFirst, ofOthers float64) {
	left := (first + others) / (mu * mu) // of the work that is being done
	ofFirst = left / (1 - first/mu)
	return ofFirst, ofFirst / (1 - (first+others)/mu)
}

// sharedTime is the mean time of a job of one size under processor sharing, and of all jobs by
// their mean size, whatever the law of sizes is.
func sharedTime(size, load float64) float64 { return size / (1 - load) }

// scalability is how many times as much n do as one alone, by the universal scalability law.
func scalability(n, contention, coherence float64) float64 {
	return n / (1 + contention*(n-1) + coherence*n*(n-1))
}

// patienceIdle is how long the server of M/M/1 is idle when everybody waits at most tau; lambda
// and mu differ.
func patienceIdle(lambda, mu, tau float64) float64 {
	e := math.Exp(-(mu - lambda) * tau)
	return 1 / (1 + lambda*(1-e)/(mu-lambda) + lambda/mu*e)
}

// patienceLoss is the share that gives up.
func patienceLoss(lambda, mu, tau float64) float64 {
	return patienceIdle(lambda, mu, tau) * lambda / mu * math.Exp(-(mu-lambda)*tau)
}

// retrialOrbit is the mean number in the orbit of M/M/1/1 when each of them retries at theta.
func retrialOrbit(lambda, mu, theta float64) float64 {
	rho := lambda / mu
	return rho * (lambda + rho*theta) / ((1 - rho) * theta)
}

// constantOrbit is the same when all of them together retry at theta.
func constantOrbit(lambda, mu, theta float64) float64 {
	return lambda * lambda * (lambda + theta + mu) / (mu * (mu*theta - lambda*(lambda+theta)))
}

// repairman is a closed loop of n clients who think for a mean of 1/alpha, and c servers.
func repairman(clients, c int, alpha, mu float64) (perSecond, latency float64) {
	p := newChain(clients+1,
		func(n int) float64 { return float64(clients-n) * alpha },
		func(n int) float64 { return math.Min(float64(n), float64(c)) * mu })
	inSystem := p.mean(func(n int) float64 { return float64(n) })
	perSecond = alpha * (float64(clients) - inSystem)
	return perSecond, inSystem / perSecond
}

// roundRobinTime is the mean time when a Poisson stream goes round n servers in turn: each sees
// Erlang-n gaps, so that sigma solves sigma = A*(mu (1 - sigma)) of GI/M/1.
func roundRobinTime(n int, lambda, mu float64) float64 {
	sigma := 0.5
	for range 10_000 {
		s := mu * (1 - sigma)
		sigma = math.Pow(lambda/(lambda+s), float64(n))
	}
	return 1 / (mu * (1 - sigma))
}
