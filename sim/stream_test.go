package sim

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"testing"
)

// fiveSigma is the width of statistical tests at fixed seeds: a right generator lies outside in
// one of 1.7 million cases, so a failure means a fault and not bad luck.
const fiveSigma = 5

// TestStreamIsSplitmix64 compares with the published first outputs for seed 1234567.
func TestStreamIsSplitmix64(t *testing.T) {
	r := Stream{state: 1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973,
		9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := r.Uint64(); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

func TestPurposeStepIsGoldenSquared(t *testing.T) {
	g := uint64(golden)
	if g *= g; g != purposeStep {
		t.Errorf("golden squared is %#x, purposeStep is %#x", g, uint64(purposeStep))
	}
}

// TestFirstDrawsAreAsEver keeps the first draws of each kind to the last bit. On another
// architecture a difference here is a fault of arithmetic; anywhere, it changes every run.
func TestFirstDrawsAreAsEver(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"load/web", "load/batch", "service"} {
		r := Seed(7).Stream(name)
		fmt.Fprintf(&b, "stream %s: %016x %016x\n", name, r.Uint64(), r.Uint64())
		fmt.Fprintf(&b, "  float64 %x %x\n", r.Float64(), r.Float64())
		fmt.Fprintf(&b, "  exp %x %x %x\n", r.Exp(), r.Exp(), r.Exp())
		fmt.Fprintf(&b, "  norm %x %x %x\n", r.Norm(), r.Norm(), r.Norm())
		fmt.Fprintf(&b, "  intn(10) %d %d %d\n", r.Intn(10), r.Intn(10), r.Intn(10))
	}
	call := Seed(7).Ident("client/web").Child(812).Child(3)
	try := call.Draw(2)
	fmt.Fprintf(&b, "ident %016x draw %016x share %x\n", uint64(call), try.Uint64(), call.Share(1))
	for _, text := range sampled {
		d, r := MustParseDist(text), Seed(7).Stream("service")
		fmt.Fprintf(&b, "%s: %d %d %d %d\n", text, d.Sample(&r), d.Sample(&r), d.Sample(&r),
			d.Sample(&r))
	}
	// A hash over many draws reaches the rare branches: wedges, tails, redraws.
	sum := uint64(0)
	for _, text := range sampled {
		d, r := MustParseDist(text), Seed(8).Stream(text)
		for range 20_000 {
			sum = finalise(sum ^ uint64(d.Sample(&r)))
		}
	}
	fmt.Fprintf(&b, "hash of many samples %016x\n", sum)
	want, err := os.ReadFile("testdata/draws.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("draws differ from testdata/draws.txt, got:\n%s", got)
	}
}

// chiSquare is the statistic of counts against equal shares, in standard deviations above its
// mean; with over a hundred cells it is near normal.
func chiSquare(counts []int, n int) float64 {
	want, sum := float64(n)/float64(len(counts)), 0.0
	for _, c := range counts {
		off := float64(c) - want
		sum += float64(off*off) / want
	}
	free := float64(len(counts) - 1)
	return (sum - free) / math.Sqrt(2*free)
}

// sequences are the ways in which a run takes neighbouring uniforms.
var sequences = map[string]func(n uint64) float64{
	"one stream": func(n uint64) float64 {
		r := Stream{root.Draw(0).state + n*golden}
		return r.Float64()
	},
	"consecutive seeds": func(n uint64) float64 { r := Seed(n).Stream("s"); return r.Float64() },
	"numbered names": func(n uint64) float64 {
		r := Seed(1).Stream("s" + strconv.FormatUint(n, 10))
		return r.Float64()
	},
	"seeds of one ident":  func(n uint64) float64 { return Seed(n).Ident("c").Share(1) },
	"children":            func(n uint64) float64 { return root.Child(n).Share(1) },
	"grandchildren":       func(n uint64) float64 { return root.Child(n >> 4).Child(n & 15).Share(1) },
	"first of each child": func(n uint64) float64 { r := root.Child(n).Draw(3); return r.Float64() },
	"second of each child": func(n uint64) float64 {
		r := root.Child(n).Draw(3)
		r.Uint64()
		return r.Float64()
	},
	"purposes":          func(n uint64) float64 { return root.Share(n) },
	"purposes by child": func(n uint64) float64 { return root.Child(n >> 3).Share(n & 7) },
}

var root = Seed(5).Ident("client/web")

// TestNeighboursAreIndependent spreads n, n+1 and n, n+2 over a grid: uniform pairs fill it
// evenly, and any relation of neighbours shows as crowded cells.
func TestNeighboursAreIndependent(t *testing.T) {
	const side, n = 32, 200_000
	for name, next := range sequences {
		values := make([]float64, n+2)
		for i := range values {
			values[i] = next(uint64(i))
		}
		for lag := 1; lag <= 2; lag++ {
			cells := make([]int, side*side)
			for i := range n {
				cells[int(values[i]*side)*side+int(values[i+lag]*side)]++
			}
			if s := chiSquare(cells, n); math.Abs(s) > fiveSigma {
				t.Errorf("%s, lag %d: chi-square is %.1f standard deviations off", name, lag, s)
			}
		}
	}
}

// TestPurposesOfOneIdentityAreIndependent takes pairs across, not along: two purposes of the
// same child, and a child's draw against its own child's.
func TestPurposesOfOneIdentityAreIndependent(t *testing.T) {
	const side, n = 32, 200_000
	type pair func(i Ident) (x, y float64)
	pairs := map[string]pair{
		"purposes 1 and 2":     func(i Ident) (x, y float64) { return i.Share(1), i.Share(2) },
		"purposes 0 and 1<<40": func(i Ident) (x, y float64) { return i.Share(0), i.Share(1 << 40) },
		"parent and child 0":   func(i Ident) (x, y float64) { return i.Share(0), i.Child(0).Share(0) },
		"children 0 and 1": func(i Ident) (x, y float64) {
			return i.Child(0).Share(0), i.Child(1).Share(0)
		},
		"ident and its draw": func(i Ident) (x, y float64) {
			return float64(i>>11) * unit53, i.Share(0)
		},
		"first and second": func(i Ident) (x, y float64) {
			r := i.Draw(1)
			return r.Float64(), r.Float64()
		},
	}
	for name, pair := range pairs {
		cells := make([]int, side*side)
		for i := range uint64(n) {
			x, y := pair(root.Child(i))
			cells[int(x*side)*side+int(y*side)]++
		}
		if s := chiSquare(cells, n); math.Abs(s) > fiveSigma {
			t.Errorf("%s: chi-square is %.1f standard deviations off", name, s)
		}
	}
}

// TestOneBitChangesHalfOfAll flips each input bit and counts each output bit: every one of the
// 64 x 64 pairs must flip in half of the trials.
func TestOneBitChangesHalfOfAll(t *testing.T) {
	const trials = 4000
	inputs := map[string]func(x uint64) uint64{
		"child number":   func(x uint64) uint64 { return uint64(root.Child(x)) },
		"child's parent": func(x uint64) uint64 { return uint64(Ident(x).Child(1)) },
		"purpose":        func(x uint64) uint64 { r := root.Draw(x); return r.Uint64() },
		"identity":       func(x uint64) uint64 { r := Ident(x).Draw(1); return r.Uint64() },
		"seed":           func(x uint64) uint64 { return uint64(Seed(x).Ident("c")) },
	}
	// The largest of 4096 deviations from one half of a right mixer stays below 5.5 sigma.
	limit := 5.5 * math.Sqrt(trials) / 2
	for name, f := range inputs {
		r := Seed(3).Stream("avalanche")
		var flips [64][64]int
		for range trials {
			x := r.Uint64()
			y := f(x)
			for in := range 64 {
				for diff := f(x^1<<in) ^ y; diff != 0; diff &= diff - 1 {
					flips[in][bits.TrailingZeros64(diff)]++
				}
			}
		}
		for in := range 64 {
			for out, n := range flips[in] {
				if off := math.Abs(float64(n) - trials/2); off > limit {
					t.Errorf("%s: bit %d flips bit %d in %d of %d", name, in, out, n, trials)
				}
			}
		}
	}
}

func TestNamesAndSeedsKeepStreamsApart(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range Seed(200) {
		for _, name := range []string{"", "a", "b", "ab", "ba", "load/web", "load/wec"} {
			r := seed.Stream(name)
			for what, v := range map[string]uint64{
				"stream": r.Uint64(), "ident": uint64(seed.Ident(name)),
				"child": uint64(seed.Ident(name).Child(0)),
			} {
				here := fmt.Sprintf("%s %q of seed %d", what, name, seed)
				if other, dup := seen[v]; dup {
					t.Errorf("%s is the same as %s", here, other)
				}
				seen[v] = here
			}
		}
	}
}

func TestShareIsTheFirstFloatOfDraw(t *testing.T) {
	for p := range uint64(1000) {
		i := root.Child(p)
		r := i.Draw(p)
		if got, want := i.Share(p), r.Float64(); got != want {
			t.Fatalf("Share(%d) = %v, Draw(%d).Float64() = %v", p, got, p, want)
		}
	}
}

func TestIntnIsUniform(t *testing.T) {
	const n = 200_000
	for _, cells := range []uint64{1, 7, 128, 1000} {
		r := Seed(4).Stream("intn")
		counts := make([]int, cells)
		for range n {
			counts[r.Intn(cells)]++
		}
		if cells < 100 {
			for v, c := range counts {
				p := 1 / float64(cells)
				off := float64(c) - float64(n*p)
				if math.Abs(off) > fiveSigma*math.Sqrt(float64(n*p*(1-p))) {
					t.Errorf("Intn(%d) gave %d in %d of %d", cells, v, c, n)
				}
			}
			continue
		}
		if s := chiSquare(counts, n); math.Abs(s) > fiveSigma {
			t.Errorf("Intn(%d): chi-square is %.1f standard deviations off", cells, s)
		}
	}
	r := Seed(4).Stream("intn")
	if got := r.Intn(0); got != 0 {
		t.Errorf("Intn(0) = %d, want 0", got)
	}
}

// TestZigguratLayersHaveEqualArea: the layers are built from the bottom up, so if the last one
// reaches the top of the curve, at height 1, all areas and edges between are right.
func TestZigguratLayersHaveEqualArea(t *testing.T) {
	if top := zigF[255] + zigV/zigX[255]; math.Abs(top-1) > 1e-12 {
		t.Errorf("the layers end at height %v, want 1", top)
	}
	for i := range 255 {
		if zigX[i+1] >= zigX[i] {
			t.Errorf("layer %d is not wider than the next: %v, %v", i, zigX[i], zigX[i+1])
		}
	}
}

func BenchmarkExp(b *testing.B) {
	r, s := Seed(1).Stream("b"), 0.0
	for b.Loop() {
		s += r.Exp()
	}
	sinkFloat = s
}

func BenchmarkNorm(b *testing.B) {
	r, s := Seed(1).Stream("b"), 0.0
	for b.Loop() {
		s += r.Norm()
	}
	sinkFloat = s
}

func BenchmarkChild(b *testing.B) {
	s := uint64(0)
	for i := uint64(0); b.Loop(); i++ {
		s += uint64(root.Child(i))
	}
	sinkWord = s
}

func BenchmarkChildDrawExp(b *testing.B) {
	s := 0.0
	for i := uint64(0); b.Loop(); i++ {
		r := root.Child(i).Draw(3)
		s += r.Exp()
	}
	sinkFloat = s
}
