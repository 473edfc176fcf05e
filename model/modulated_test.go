package model_test

import (
	"context"
	"math"
	"testing"

	"cascadesim/model"
)

// The counts of a Poisson process that switches between two rates have a known index of dispersion
// (variance over mean of the counts in a time t): one and
// 2(a-b)²pq / ((p+q)²(aq+bp)) · (1 - (1-e^-(p+q)t)/((p+q)t)), a and b being the rates and p and q
// those at which it leaves them.
func TestCountsOfAModulatedProcessAreDispersed(t *testing.T) {
	const a, b, p, q, at = 50.0, 500.0, 1.0, 4.0, 1.0
	plan := compiled(t, `
name: mmpp
tiers: {web: {steps: []}}
clients:
  users:
    call: web
    arrivals:
      {process: mmpp, rate: 50/s,
       states: [{rate: 1x, for: exp 1s}, {rate: 10x, for: exp 250ms}]}
duration: 40000s
warmup: 10s
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n, sum, squares := 0.0, 0.0, 0.0
	for _, c := range r.Clients[0].Cells[r.Warmup:] {
		x := float64(c.Requests)
		n, sum, squares = n+1, sum+x, squares+x*x
	}
	mean := sum / n
	index := (squares/n - mean*mean) / mean
	want := (a*q + b*p) / (p + q)
	if math.Abs(mean-want) > 0.015*want {
		t.Errorf("%.2f a second, want %.2f", mean, want)
	}
	dispersion := 1 + 2*(a-b)*(a-b)*p*q/((p+q)*(p+q)*(a*q+b*p))*
		(1-(1-math.Exp(-(p+q)*at))/((p+q)*at))
	if math.Abs(index-dispersion) > 0.03*dispersion {
		t.Errorf("index of dispersion %.2f, want %.2f", index, dispersion)
	}
}
