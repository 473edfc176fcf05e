package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// sampled are distributions whose first draws are kept in testdata/draws.txt.
var sampled = []string{
	"5ms", "exp 3ms", "uniform min=1ms max=5ms", "normal mean=10ms sd=2ms",
	"normal mean=1ms sd=4ms", "lognormal p50=3ms p99=40ms", "lognormal mean=5ms sigma=1.2",
	"erlang k=4 mean=1s", "pareto min=1ms alpha=2.5",
}

// A law is a distribution with its distribution function, written here from the textbook and
// with math, apart from the code under test.
type law struct {
	text  string
	below func(x float64) float64 // probability below x nanoseconds
	mean  float64                 // nanoseconds
	sd    float64
}

func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// cutNormal is the normal of this mean and sd on condition that it is not negative.
func cutNormal(text string, mean, sd float64) law {
	t := mean / sd
	lost := normalBelow(-t)
	mills := math.Exp(-t*t/2) / math.Sqrt(2*math.Pi) / (1 - lost)
	return law{
		text:  text,
		below: func(x float64) float64 { return (normalBelow((x-mean)/sd) - lost) / (1 - lost) },
		mean:  mean + sd*mills,
		sd:    sd * math.Sqrt(1-mills*(t+mills)),
	}
}

func laws() []law {
	sigma := math.Log(40.0/3) / 2.3263478740408408 // the 99 % quantile of the normal
	return []law{
		{"exp 3ms", func(x float64) float64 { return 1 - math.Exp(-x/3e6) }, 3e6, 3e6},
		{"uniform min=1ms max=5ms", func(x float64) float64 { return (x - 1e6) / 4e6 }, 3e6,
			4e6 / math.Sqrt(12)},
		cutNormal("normal mean=10ms sd=2ms", 10e6, 2e6),
		cutNormal("normal mean=1ms sd=4ms", 1e6, 4e6),
		{"lognormal p50=3ms p99=40ms",
			func(x float64) float64 { return normalBelow(math.Log(x/3e6) / sigma) },
			3e6 * math.Exp(sigma*sigma/2),
			3e6 * math.Exp(sigma*sigma/2) * math.Sqrt(math.Expm1(sigma*sigma))},
		{"lognormal mean=5ms sigma=0.7",
			func(x float64) float64 { return normalBelow(math.Log(x/5e6)/0.7 + 0.35) },
			5e6, 5e6 * math.Sqrt(math.Expm1(0.49))},
		{"erlang k=4 mean=1s", func(x float64) float64 {
			l := x / 0.25e9
			return 1 - math.Exp(-l)*(1+l+l*l/2+l*l*l/6)
		}, 1e9, 0.5e9},
		{"pareto min=1ms alpha=5", func(x float64) float64 { return 1 - math.Pow(1e6/x, 5) },
			1.25e6, 1e6 * math.Sqrt(5.0/(16*3))},
	}
}

func draw(d Dist, name string, n int) []float64 {
	r := Seed(11).Stream(name)
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(d.Sample(&r))
	}
	return values
}

// TestSamplesFollowTheirLaw is Kolmogorov and Smirnov's test: sqrt(n) times the largest gap
// between the two distribution functions exceeds 2.6 with probability 2e-2*2.6^2 = 2.7e-6.
func TestSamplesFollowTheirLaw(t *testing.T) {
	const n = 100_000
	for _, l := range laws() {
		values := draw(MustParseDist(l.text), l.text, n)
		slices.Sort(values)
		gap := 0.0
		for i, x := range values {
			p := l.below(x)
			gap = max(gap, p-float64(i)/n, float64(i+1)/n-p)
		}
		if s := gap * math.Sqrt(n); s > 2.6 {
			t.Errorf("%s: largest gap %.4f, that is %.2f/sqrt(n), want at most 2.6", l.text, gap, s)
		}
	}
}

func TestMomentsAreThoseOfTheLaw(t *testing.T) {
	for _, l := range laws() {
		d := MustParseDist(l.text)
		if relative(d.Mean(), l.mean) > 1e-12 {
			t.Errorf("%s: mean %v, want %v", l.text, d.Mean(), l.mean)
		}
		if relative(math.Sqrt(d.Var()), l.sd) > 1e-11 {
			t.Errorf("%s: standard deviation %v, want %v", l.text, math.Sqrt(d.Var()), l.sd)
		}
	}
}

// TestSampleMeansAreWithinFiveSigma also checks the variance, whose own error is estimated from
// the fourth moment of the sample.
func TestSampleMeansAreWithinFiveSigma(t *testing.T) {
	const n = 200_000
	mix, err := MixDist([]float64{0.9, 0.1},
		[]Dist{MustParseDist("exp 100us"), MustParseDist("exp 10ms")})
	if err != nil {
		t.Fatal(err)
	}
	dists := []Dist{mix}
	for _, l := range laws() {
		dists = append(dists, MustParseDist(l.text))
	}
	for _, d := range dists {
		sum, squares, fourth := 0.0, 0.0, 0.0
		for _, x := range draw(d, d.String()+" moments", n) {
			off := x - d.Mean()
			sum += off
			squares += off * off
			fourth += off * off * off * off
		}
		if z := sum / math.Sqrt(d.Var()*n); math.Abs(z) > fiveSigma {
			t.Errorf("%v: the mean is %.1f standard errors off", d, z)
		}
		v := squares / n
		if z := (v - d.Var()) / math.Sqrt((fourth/n-v*v)/n); math.Abs(z) > fiveSigma {
			t.Errorf("%v: the variance is %.1f standard errors off", d, z)
		}
	}
}

// TestMixtureOfTwoExponentials has moments by hand: E = .9*.1+.1*10 ms = 1.09 ms and
// E[X^2] = .9*2*.01+.1*2*100 = 20.018 ms^2.
func TestMixtureOfTwoExponentials(t *testing.T) {
	d, err := MixDist([]float64{0.9, 0.1},
		[]Dist{MustParseDist("exp 100us"), MustParseDist("exp 10ms")})
	if err != nil {
		t.Fatal(err)
	}
	if relative(d.Mean(), 1.09e6) > 1e-12 {
		t.Errorf("mean %v, want 1.09e6", d.Mean())
	}
	if want := (20.018 - 1.09*1.09) * 1e12; relative(d.Var(), want) > 1e-12 {
		t.Errorf("variance %v, want %v", d.Var(), want)
	}
	if got, want := d.Scale(2).Mean(), 2.18e6; relative(got, want) > 1e-12 {
		t.Errorf("mean of twice as much %v, want %v", got, want)
	}
	if relative(d.Mean(), 1.09e6) > 1e-12 {
		t.Errorf("scaling changed the original: mean %v", d.Mean())
	}
}

func TestScaleMultipliesEverySample(t *testing.T) {
	for _, text := range sampled {
		d := MustParseDist(text)
		r, s := Seed(1).Stream("x"), Seed(1).Stream("x")
		twice := d.Scale(2)
		for range 1000 {
			// Each of the two is rounded, so the double is off by at most 1.5 ns.
			a, b := d.Sample(&r), twice.Sample(&s)
			if off := b - 2*a; off < -2 || off > 2 {
				t.Fatalf("%s: sample %d, scaled by 2 %d", text, a, b)
			}
		}
		if !d.Scale(0).IsZero() {
			t.Errorf("%s times 0 is %v, want 0", text, d.Scale(0))
		}
	}
}

func TestSamplesStayOnTheClock(t *testing.T) {
	for _, text := range []string{"pareto min=1h alpha=0.1", "exp 78h", "uniform min=0 max=78h",
		"lognormal mean=70h sigma=5", "normal mean=0 sd=70h"} {
		d, r := MustParseDist(text), Seed(1).Stream(text)
		for range 10_000 {
			if v := d.Sample(&r); v < 0 || v > MaxTime {
				t.Fatalf("%s gave %d", text, v)
			}
		}
	}
	if d := MustParseDist("pareto min=1ms alpha=1"); !math.IsInf(d.Mean(), 1) {
		t.Errorf("mean of %v is %v, want +Inf", d, d.Mean())
	}
	if d := MustParseDist("pareto min=1ms alpha=2"); !math.IsInf(d.Var(), 1) {
		t.Errorf("variance of %v is %v, want +Inf", d, d.Var())
	}
}

func TestConstants(t *testing.T) {
	for text, want := range map[string]Time{
		"0": 0, "5ms": 5 * Millisecond, "uniform min=2s max=2s": 2 * Second,
		"normal mean=3ms sd=0": 3 * Millisecond, "lognormal p50=3ms p99=3ms": 3 * Millisecond,
	} {
		d := MustParseDist(text)
		if got, ok := d.Const(); !ok || got != want {
			t.Errorf("%s: Const() = %d, %v, want %d, true", text, got, ok, want)
		}
		if d.IsZero() != (want == 0) {
			t.Errorf("%s: IsZero() = %v", text, d.IsZero())
		}
	}
	if _, ok := MustParseDist("exp 1ms").Const(); ok {
		t.Error("exp 1ms says it is constant")
	}
	if !(Dist{}).IsZero() {
		t.Error("the zero Dist is not 0")
	}
}

func TestDistIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range append(slices.Clone(sampled), "exp 333.333333us", "0", "0.5ns",
		"uniform min=0 max=90s", "erlang k=1000 mean=2h") {
		d := MustParseDist(text)
		again, err := ParseDist(d.String())
		if err != nil {
			t.Errorf("%s is written %q: %v", text, d, err)
			continue
		}
		if relative(again.Mean(), d.Mean()) > 1e-10 || again.String() != d.String() {
			t.Errorf("%s is written %q and read as %q", text, d, again)
		}
	}
	for text, want := range map[string]string{
		"lognormal p99=40ms p50=3ms": "lognormal p50=3ms p99=40ms",
		"exp mean=0.003s":            "exp 3ms",
		"erlang  k=4   mean=1000ms":  "erlang k=4 mean=1s",
		"1m30s":                      "90s",
	} {
		if got := MustParseDist(text).String(); got != want {
			t.Errorf("%s is written %q, want %q", text, got, want)
		}
	}
	mix, _ := MixDist([]float64{0.999, 0.001},
		[]Dist{MustParseDist("exp 100us"), MustParseDist("10ms")})
	want := "{mix: [{share: 99.9%, of: exp 100us}, {share: 0.1%, of: 10ms}]}"
	if mix.String() != want {
		t.Errorf("mixture is written %s, want %s", mix, want)
	}
}

func TestParseDistExplainsWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "expected a duration or one of",
		"exponential 3ms":             `unknown distribution "exponential"`,
		"5":                           "needs a unit: did you mean 5ms or 5s?",
		"5ms 6ms":                     `unexpected "6ms"`,
		"-5ms":                        "negative",
		"5 ms":                        "ms",
		"exp":                         "expected exp 3ms",
		"exp 3":                       "did you mean 3ms or 3s?",
		"exp 0":                       "above 0",
		"exp -3ms":                    "negative",
		"exp 3msec":                   "did you mean 3ms?",
		"uniform min=5ms max=1ms":     "max 1ms is below 5ms",
		"uniform min=1ms":             "expected uniform min=1ms max=5ms",
		"normal mean=1ms sd=2ms x=1":  "expected normal",
		"lognormal p50=40ms p99=3ms":  "p99 3ms is below 40ms",
		"lognormal p50=0 p99=3ms":     "above 0",
		"lognormal mean=3ms sigma=ms": "expected a plain number",
		"erlang k=0 mean=1s":          "k 0 is not within 1 and 1000",
		"erlang k=1.5 mean=1s":        "whole",
		"erlang k=1001 mean=1s":       "at most 1000",
		"pareto min=1ms alpha=0":      "alpha 0 is not above 0",
		"pareto min=0 alpha=1":        "above 0",
		"exp 100h":                    "longer than the clock",
		"uniform min=1ms min=5ms":     "expected uniform",
	} {
		d, err := ParseDist(text)
		switch {
		case err == nil:
			t.Errorf("%q is read as %v, want an error with %q", text, d, want)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func TestConstructorsRejectTheImpossible(t *testing.T) {
	exp := MustParseDist("exp 1ms")
	fails := func(name string, d Dist, err error) {
		if err == nil {
			t.Errorf("%s gives %v, want an error", name, d)
		}
	}
	try := func(d Dist, err error) func(string) {
		return func(name string) { fails(name, d, err) }
	}
	try(ConstDist(-1))("a negative constant")
	try(ConstDist(Never))("a constant beyond the clock")
	try(ExpDist(-1))("a negative mean")
	try(UniformDist(2, 1))("a maximum below the minimum")
	try(NormalDist(-1, 1))("a negative mean of a normal")
	try(NormalDist(1, -1))("a negative sd")
	try(LogNormalP(2, 1))("p99 below p50")
	try(LogNormalMean(1, math.NaN()))("sigma NaN")
	try(LogNormalMean(1, -1))("a negative sigma")
	try(ErlangDist(0, 1))("no stages")
	try(ParetoDist(1, math.Inf(1)))("alpha +Inf")
	try(ParetoDist(1, math.NaN()))("alpha NaN")
	try(MixDist(nil, nil))("an empty mixture")
	try(MixDist([]float64{1}, []Dist{exp, exp}))("one share for two")
	try(MixDist([]float64{0.5, 0.4}, []Dist{exp, exp}))("shares of 90 %")
	try(MixDist([]float64{1.5, -0.5}, []Dist{exp, exp}))("a negative share")
}

func TestSampleAllocatesNothing(t *testing.T) {
	mix, _ := MixDist([]float64{0.5, 0.5}, []Dist{MustParseDist("exp 1ms"), MustParseDist("1s")})
	dists := []Dist{mix}
	for _, text := range sampled {
		dists = append(dists, MustParseDist(text))
	}
	r, sum := Seed(1).Stream("x"), Time(0)
	if n := testing.AllocsPerRun(1000, func() {
		for _, d := range dists {
			sum += d.Sample(&r)
		}
	}); n != 0 {
		t.Errorf("sampling allocates %v times", n)
	}
	sinkWord = uint64(sum)
}

func BenchmarkSample(b *testing.B) {
	for _, text := range sampled {
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			d, r, sum := MustParseDist(text), Seed(1).Stream("b"), Time(0)
			for b.Loop() {
				sum += d.Sample(&r)
			}
			sinkWord = uint64(sum)
		})
	}
}
