package selftest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// The functions that intervals and distributions rest on are our own, since results must not change
// with a library; gonum's say that they are right.
func TestQuantilesAgreeWithGonum(t *testing.T) {
	for _, p := range []float64{1e-9, 1e-4, 0.01, 0.3, 0.5, 0.9, 0.975, 0.99, 0.999, 1 - 1e-9} {
		near(t, "normal quantile", p, sim.NormQuantile(p), distuv.UnitNormal.Quantile(p), 1e-9)
	}
	for _, df := range []int{1, 2, 3, 5, 9, 19, 30, 99, 1000} {
		want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(0.975)
		near(t, "Student's t", float64(df), stats.StudentT95(df), want, 1e-4)
	}
}

func TestMomentsAgreeWithGonum(t *testing.T) {
	for _, c := range []struct {
		text string
		want interface {
			Mean() float64
			Variance() float64
		}
	}{
		{"exp 3s", distuv.Exponential{Rate: 1. / 3}},
		{"uniform min=1s max=5s", distuv.Uniform{Min: 1, Max: 5}},
		{"erlang k=4 mean=2s", distuv.Gamma{Alpha: 4, Beta: 2}},
		{"pareto min=2s alpha=3.5", distuv.Pareto{Xm: 2, Alpha: 3.5}},
		{"lognormal p50=3s p99=40s", lognormal(3, 40)},
	} {
		d := sim.MustParseDist(c.text)
		near(t, c.text+" mean", 0, d.Mean()/1e9, c.want.Mean(), 1e-9)
		near(t, c.text+" variance", 0, d.Var()/1e18, c.want.Variance(), 1e-9)
	}
}

// lognormal has these quantiles at 50 and 99 %.
func lognormal(p50, p99 float64) distuv.LogNormal {
	sigma := math.Log(p99/p50) / distuv.UnitNormal.Quantile(0.99)
	return distuv.LogNormal{Mu: math.Log(p50), Sigma: sigma}
}

func near(t *testing.T, what string, at, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*math.Max(1, math.Abs(want))) {
		t.Errorf("%s at %v: got %v, gonum has %v", what, at, got, want)
	}
}
