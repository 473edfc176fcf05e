package kernel

// Crowd is the universal scalability law: work takes 1 + Contention·(n-1) + Coherence·n·(n-1) times
// as long when n work at its replica. Each attempt of a scaled run stands for Each of them.
type Crowd struct{ Contention, Coherence, Each float64 }

// factor is how many times as long work takes that starts as one of so many.
func (c *Crowd) factor(working int) float64 {
	n := float64(float64(working) * c.Each)
	others := n - 1
	return 1 + float64(c.Contention*others) + float64(float64(c.Coherence*n)*others)
}

// working is how many slots are held at a replica. Where they are shared it is who shares them and
// the one that begins.
func (r *replica) working() int {
	if r.shared != nil {
		return len(r.shared.heap) + 1
	}
	return r.busy
}
