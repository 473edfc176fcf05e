package selftest

import "math"

// room is M/M/1 with so many places in line, in overload: what comes does not wait for ever.
type room struct {
	lambda, mu float64
	line       int
}

// seen is how likely an arrival finds so many in the system.
func (r room) seen() chain { return mmck(1, r.line+1, r.lambda, r.mu) }

// lateWork is the part of the work that is done for jobs that end later than t after they came,
// where a full line turns the newcomer away. Work weighs long jobs more, so that the one in service
// counts as two stages: an Erlang-2 is what an exponential time looks like by its own length.
func (r room) lateWork(t float64) float64 {
	p := r.seen()
	late, all := 0.0, 0.0
	for n := range r.line + 1 {
		late += p[n] * erlangBeyond(n+2, r.mu*t)
		all += p[n]
	}
	return late / all
}

// erlangBeyond is how likely n stages of mean 1 take longer than x together.
func erlangBeyond(n int, x float64) float64 {
	term, sum := math.Exp(-x), 0.0
	for k := range n {
		sum += term
		term *= x / float64(k+1)
	}
	return sum
}

// lateWorkDroppingOldest is the same where a full line turns away who has waited longest. A job is
// followed from its arrival: by how many are ahead of it and how many behind, one step for each
// arrival and each end of a service, which together come at a constant rate.
func (r room) lateWorkDroppingOldest(t float64) float64 {
	p, k := r.seen(), r.line
	waiting := make([][]float64, k) // by how many are ahead and behind
	for i := range waiting {
		waiting[i] = make([]float64, k)
	}
	var stages [2]float64 // in service, with so many stages done
	stages[0] = p[0]
	for n := 1; n <= k+1; n++ {
		waiting[min(n, k)-1][0] += p[n]
	}
	up := r.lambda / (r.lambda + r.mu)
	events := (r.lambda + r.mu) * t
	reached, done := 0.0, 0.0 // by the time t, after so many events, by their Poisson probability
	logP := -events
	for n := 0; n < int(events+12*math.Sqrt(events)); n++ {
		reached += math.Exp(logP) * done
		logP += math.Log(events / float64(n+1))
		done += (1 - up) * stages[1]
		stages[1] = up*stages[1] + (1-up)*stages[0]
		stages[0] = up * stages[0]
		waiting = r.step(waiting, &stages[0], up)
	}
	served := r.mu * (1 - p[0]) / r.lambda
	return 1 - reached/served
}

// step is one arrival (with probability up) or one end of a service.
func (r room) step(waiting [][]float64, begun *float64, up float64) [][]float64 {
	k := r.line
	next := make([][]float64, k)
	for i := range next {
		next[i] = make([]float64, k)
	}
	for ahead := range k {
		for behind := range k - ahead {
			x := waiting[ahead][behind]
			full := ahead+behind+1 == k
			switch {
			case !full:
				next[ahead][behind+1] += up * x
			case ahead > 0:
				next[ahead-1][behind+1] += up * x
			}
			if ahead > 0 {
				next[ahead-1][behind] += (1 - up) * x
			} else {
				*begun += (1 - up) * x
			}
		}
	}
	return next
}
