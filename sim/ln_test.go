package sim

import (
	"math"
	"testing"
)

// relative is the error of got against want, as a part of want.
func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

// TestExpAndLnAgreeWithMath allows ten units in the last place, where math itself is within one.
func TestExpAndLnAgreeWithMath(t *testing.T) {
	r := Seed(1).Stream("points")
	worst := struct{ exp, ln, near float64 }{}
	for range 200_000 {
		x := float64(r.Float64()*1400) - 700
		worst.exp = max(worst.exp, relative(Exp(x), math.Exp(x)))
		y := math.Exp(x)
		worst.ln = max(worst.ln, relative(Ln(y), math.Log(y)))
		y = 1 + float64((r.Float64()-0.5)*1e-3)
		worst.near = max(worst.near, relative(Ln(y), math.Log(y)))
	}
	if worst.exp > 1e-15 || worst.ln > 1e-15 || worst.near > 1e-15 {
		t.Errorf("relative errors %+v, want at most 1e-15 each", worst)
	}
}

func TestExpAndLnAtTheirEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", Exp(0), 1},
		{"Exp(710)", Exp(710), inf},
		{"Exp(+Inf)", Exp(inf), inf},
		{"Exp(-Inf)", Exp(-inf), 0},
		{"Exp(-746)", Exp(-746), 0},
		{"Ln(1)", Ln(1), 0},
		{"Ln(0)", Ln(0), -inf},
		{"Ln(+Inf)", Ln(inf), inf},
		{"Pow(2, 10)", Pow(2, 10), 1024},
		{"Pow(2, -3)", Pow(2, -3), 0.125},
		{"Pow(0, 0)", Pow(0, 0), 1},
		{"Pow(0, -0.5)", Pow(0, -0.5), inf},
		{"Pow(0, 1.5)", Pow(0, 1.5), 0},
		{"NormQuantile(0.5)", NormQuantile(0.5), 0},
		{"NormQuantile(0)", NormQuantile(0), -inf},
		{"NormQuantile(1)", NormQuantile(1), inf},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, got := range map[string]float64{
		"Ln(-1)": Ln(-1), "Ln(NaN)": Ln(math.NaN()), "Exp(NaN)": Exp(math.NaN()),
		"Pow(-1, 2)": Pow(-1, 2), "NormQuantile(-0.1)": NormQuantile(-0.1),
		"NormQuantile(1.1)": NormQuantile(1.1), "NormQuantile(NaN)": NormQuantile(math.NaN()),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
}

// TestExpUnderflowsGradually: below 2^-1022 a float has fewer digits, so the error is absolute.
func TestExpUnderflowsGradually(t *testing.T) {
	for _, x := range []float64{-708.5, -720, -740, -745} {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 1e-323 {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	// Not math.Log, whose amd64 assembly mistakes subnormals for the least normal number.
	if got, want := Ln(0x1p-1070), -1070*math.Ln2; relative(got, want) > 1e-15 {
		t.Errorf("Ln(2^-1070) = %v, want %v", got, want)
	}
}

func TestPowAgreesWithMath(t *testing.T) {
	r := Seed(2).Stream("points")
	for range 20_000 {
		x, y := float64(r.Float64()*100)+1e-3, float64(r.Float64()*60)-30
		if e := relative(Pow(x, y), math.Pow(x, y)); e > 1e-13 {
			t.Fatalf("Pow(%v, %v) = %v, want %v", x, y, Pow(x, y), math.Pow(x, y))
		}
	}
	for n := -1022; n <= 1023; n++ {
		if got := Pow(2, float64(n)); got != math.Ldexp(1, n) {
			t.Fatalf("Pow(2, %d) = %v, want the exact power", n, got)
		}
	}
}

// TestNormQuantileInvertsTheNormal goes back through Erfc, whose relative error near 1e-16 grows
// with x squared in the tail, hence the width.
func TestNormQuantileInvertsTheNormal(t *testing.T) {
	for _, p := range []float64{1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 0.001, 0.01, 0.074, 0.076,
		0.2, 0.4, 0.499} {
		x := NormQuantile(p)
		back := math.Erfc(-x/math.Sqrt2) / 2
		if e := relative(back, p); e > 1e-15*(10+float64(x*x)) {
			t.Errorf("NormQuantile(%v) = %v, below which lies %v (off by %.1g)", p, x, back, e)
		}
		if p > 1e-6 {
			if up := NormQuantile(1 - p); relative(up, -x) > 1e-10 {
				t.Errorf("NormQuantile(1-%v) = %v, want %v", p, up, -x)
			}
		}
	}
	for x := 0.0; x < 10; x += 0.01 {
		want := math.Erfc(-x/math.Sqrt2) / 2
		if got := normBelow(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("normBelow(%v) = %v, want %v", x, got, want)
		}
	}
}

func BenchmarkPortableExp(b *testing.B) {
	s := 0.0
	for x := 0.1; b.Loop(); x += 1e-6 {
		s += Exp(-x)
	}
	sinkFloat = s
}

func BenchmarkPortableLn(b *testing.B) {
	s := 0.0
	for x := 0.1; b.Loop(); x += 1e-6 {
		s += Ln(x)
	}
	sinkFloat = s
}

var (
	sinkFloat float64
	sinkWord  uint64
)
