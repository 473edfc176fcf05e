package kernel

import (
	"testing"

	"cascadesim/sim"
)

// The picks by weight are those of a walk along the running sums, for weights that are even,
// uneven, far apart or nothing, and draws up to both ends.
func TestPicksByWeightAreThoseOfAWalk(t *testing.T) {
	luck := sim.Seed(8).Stream("weights")
	for _, n := range []int{1, 2, 3, 7, 100} {
		for _, weight := range []func() float64{
			func() float64 { return 1 },
			func() float64 { return 0.1 },
			luck.Float64,
			func() float64 { return float64(luck.Intn(3)) },
			func() float64 { return 1 / (1e-9 + luck.Float64()*luck.Float64()) },
		} {
			tier, sum := tier{}, 0.0
			for range n {
				sum += weight()
				tier.rotation = append(tier.rotation, &replica{number: len(tier.rotation)})
				tier.rotSum = append(tier.rotSum, sum)
			}
			for i := range 400 {
				draw := []float64{0, 1 - 1.0/(1<<53), luck.Float64(), luck.Float64()}[i%4]
				want := walk(tier.rotSum, draw, -1)
				if got := choose(tier.rotSum, draw); got != want {
					t.Fatalf("%v at %v: picked %d, not %d", tier.rotSum, draw, got, want)
				}
				if n == 1 {
					continue
				}
				skip := int(luck.Intn(uint64(n)))
				want = walk(tier.rotSum, draw, skip)
				if got := tier.weighed(draw, skip).number; got != want {
					t.Fatalf("%v without %d at %v: picked %d, not %d",
						tier.rotSum, skip, draw, got, want)
				}
			}
		}
	}
}

// The lowest of a rotation, as places fill and empty, is what a look at all of them finds: the
// first from a place on, counted round, that holds the fewest.
func TestLowestIsThatOfALookAtAll(t *testing.T) {
	luck := sim.Seed(9).Stream("lowest")
	for _, n := range []int{2, 9, 16, 100} {
		var rotation []*replica
		for range n {
			rotation = append(rotation, &replica{inSystem: int(luck.Intn(4))})
		}
		var l lowest
		l.keep(rotation)
		for range 2000 {
			k := luck.Intn(uint64(n))
			rotation[k].inSystem = int(luck.Intn(5))
			l.set(int(k), int32(rotation[k].inSystem))
			from, skip := int(luck.Intn(uint64(n))), int(luck.Intn(uint64(n+1)))-1
			want := -1
			for i := range n {
				k := (from + i) % n
				if k != skip && (want < 0 || rotation[k].inSystem < rotation[want].inSystem) {
					want = k
				}
			}
			if got := l.first(from, skip); got != want {
				t.Fatalf("of %d from %d without %d: %d, not %d", n, from, skip, got, want)
			}
		}
	}
}

// walk is the first place, skip left out, whose running sum exceeds a share of the whole.
func walk(sum []float64, draw float64, skip int) int {
	gap := 0.0
	if skip == 0 {
		gap = sum[0]
	} else if skip > 0 {
		gap = sum[skip] - sum[skip-1]
	}
	x := draw * (sum[len(sum)-1] - gap)
	for k, s := range sum {
		if skip >= 0 && k > skip {
			s -= gap
		}
		if k != skip && s > x {
			return k
		}
	}
	if skip < 0 {
		return len(sum) - 1
	}
	return (skip + 1) % len(sum)
}
