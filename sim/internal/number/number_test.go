package number

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][2]string{
		"79.2k":  {"396/5", "k"},
		"0":      {"0", ""},
		".5":     {"1/2", ""},
		"007x":   {"7", "x"},
		"1.2.3":  {"6/5", ".3"},
		"1e3":    {"1", "e3"},
		"6157.6": {"30788/5", ""},
	} {
		value, rest, ok := Split(text)
		if !ok || value.RatString() != want[0] || rest != want[1] {
			t.Errorf("Split(%q) = %v, %q, %v, want %s, %q", text, value, rest, ok, want[0], want[1])
		}
	}
	for _, text := range []string{"", ".", "5.", "x", "-1", "+1", " 1", "Inf", "NaN",
		strings.Repeat("9", 41)} {
		if value, rest, ok := Split(text); ok {
			t.Errorf("Split(%q) = %v, %q, want nothing", text, value, rest)
		}
	}
}

func TestNanos(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "1ns": "1", "1.5us": "1500", "250ms": "250000000",
		"8h47m": "31620000000000", "1d": "86400000000000", "1m0.5s": "60500000000", "0.1ns": "1/10",
		"1m1ms": "60001000000",
	} {
		got, err := Nanos(text)
		if err != nil || got.RatString() != want {
			t.Errorf("Nanos(%q) = %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":       "expected a duration",
		"ms":     "expected a duration",
		"10":     "did you mean 10ms or 10s?",
		"10sec":  "did you mean 10s?",
		"10S":    "did you mean 10s?",
		"3µs":    "did you mean 3us?",
		"2 h":    "did you mean 2h?",
		"10w":    `unknown unit "w"`,
		"5m1h":   "descend",
		"1s1s":   "descend",
		"1h30":   "30 needs a unit",
		"1.5.2s": "1.5 needs a unit",
	} {
		got, err := Nanos(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Nanos(%q) = %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

// TestShiftMovesThePoint: shifting back gives the very same float.
func TestShiftMovesThePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, math.MaxFloat64).Draw(t, "x")
		pow := rapid.IntRange(-9, 9).Draw(t, "pow")
		text := Shift(x, pow)
		exact, ok := new(big.Rat).SetString(text + "e" + strconv.Itoa(-pow))
		if !ok {
			t.Fatalf("Shift(%v, %d) = %q is no number", x, pow, text)
		}
		if back, _ := exact.Float64(); back != x {
			t.Fatalf("Shift(%v, %d) = %q, which is %v", x, pow, text, back)
		}
	})
	for want, got := range map[string]string{
		"20": Shift(0.2, 2), "0.5": Shift(500, -3), "79.2": Shift(79200, -3), "0": Shift(0, 2),
		"1000": Shift(1, 3), "0.001": Shift(1, -3),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFormatNanosIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1<<48).Draw(t, "x")
		text := FormatNanos(x)
		if len(text) > maxDigits {
			return // hardly above 0: more digits than a reader takes
		}
		exact, err := Nanos(text)
		if err != nil {
			t.Fatal(err)
		}
		if back, _ := exact.Float64(); back != x {
			t.Fatalf("%v is written %q and read as %v", x, text, back)
		}
	})
}
