package unit

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cascadesim/sim"
)

// A reading is a text and either the value it must give or a part of the error.
type reading[T comparable] struct {
	text string
	want T
	err  string
}

func read[T comparable](t *testing.T, parse func(string) (T, error), cases []reading[T]) {
	t.Helper()
	for _, c := range cases {
		got, err := parse(c.text)
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%q is read as %v, %v, want %v", c.text, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q is read as %v, %v, want an error with %q", c.text, got, err, c.err)
		case c.err != "" && c.text != "" && !strings.Contains(err.Error(), c.text):
			t.Errorf("the error for %q does not quote it: %v", c.text, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	read(t, ParseDuration, []reading[sim.Time]{
		{text: "250ms", want: 250 * sim.Millisecond},
		{text: "1.5s", want: 1500 * sim.Millisecond},
		{text: "8h47m", want: 8*sim.Hour + 47*sim.Minute},
		{text: "0", want: 0},
		{text: "0s", want: 0},
		{text: "none", want: sim.Never},
		{text: "1d", want: 24 * sim.Hour},
		{text: "333.3333333us", want: 333333},
		{text: "0.0015ms", want: 1500},
		{text: "10", err: "needs a unit: did you mean 10ms or 10s?"},
		{text: "1.5", err: "did you mean 1.5ms or 1.5s?"},
		{text: "10sec", err: "did you mean 10s?"},
		{text: "10 ms", err: "did you mean 10ms?"},
		{text: "-3s", err: "must not be negative"},
		{text: "+3s", err: "did you mean 3s?"},
		{text: "1.5ns", err: "finer than a nanosecond"},
		{text: "0.4ns", err: "finer than a nanosecond"},
		{text: "100000d", err: "for no limit write none"},
		{text: "99999999999999999999d", err: "for no limit write none"},
		{text: "fast", err: "expected a duration such as"},
		{text: "unlimited", err: "expected a duration such as"},
		{text: "", err: "empty"},
	})
}

func TestParseCount(t *testing.T) {
	read(t, ParseCount, []reading[Count]{
		{text: "3600", want: 3600},
		{text: "79.2k", want: 79200},
		{text: "2.55M", want: 2550000},
		{text: "0", want: 0},
		{text: "2.0", want: 2},
		{text: "unlimited", want: Unlimited},
		{text: "9007199254740993", want: 9007199254740993}, // no float has this value
		{text: "1.5", err: "must be whole"},
		{text: "79.2005k", err: "must be whole"},
		{text: "none", err: "write unlimited"},
		{text: "79.2K", err: "did you mean 79.2k?"},
		{text: "2m", err: "did you mean 2M?"},
		{text: "1e6", err: "expected a whole number"},
		{text: "1_000", err: "did you mean 1000?"},
		{text: "-1", err: "must not be negative"},
		{text: "99999999999999999999", err: "too large"},
		{text: "", err: "empty"},
	})
}

func TestParseRate(t *testing.T) {
	read(t, ParseRate, []reading[Rate]{
		{text: "7k/s", want: 7000},
		{text: "30/m", want: 0.5},
		{text: "5/h", want: 5.0 / 3600},
		{text: "6157.6/s", want: 6157.6},
		{text: "1.2M/h", want: 1.2e6 / 3600},
		{text: "0", want: 0},
		{text: "0/s", want: 0},
		{text: "7000", err: "per what? did you mean 7000/s?"},
		{text: "7krps", err: "expected a number per s, m or h"},
		{text: "70rps", err: "did you mean 70/s?"},
		{text: "70/sec", err: "did you mean 70/s?"},
		{text: "unlimited", err: "expected a number per s, m or h"},
		{text: "-7/s", err: "must not be negative"},
		{text: "7/d", err: "expected a number per s, m or h"},
		{text: "", err: "empty"},
	})
}

func TestParseShareRatioFactor(t *testing.T) {
	read(t, ParseShare, []reading[Share]{
		{text: "20%", want: 0.2},
		{text: "0.2", want: 0.2},
		{text: "99.9%", want: 0.999},
		{text: "100%", want: 1},
		{text: "0", want: 0},
		{text: "1", want: 1},
		{text: "20", err: "did you mean 20%?"},
		{text: "101%", err: "within 0 and 1"},
		{text: "-1%", err: "must not be negative"},
		{text: "20 %", err: "did you mean 20%?"},
		{text: "all", err: "expected a share such as 20% or 0.2"},
		{text: "", err: "empty"},
	})
	read(t, ParseRatio, []reading[Ratio]{
		{text: "10%", want: 0.1},
		{text: "1.5", want: 1.5},
		{text: "150%", want: 1.5},
		{text: "2x", err: "expected a ratio such as"},
		{text: "-0.1", err: "must not be negative"},
	})
	read(t, ParseFactor, []reading[Factor]{
		{text: "10x", want: 10},
		{text: "0.5x", want: 0.5},
		{text: "0x", want: 0},
		{text: "10", err: "did you mean 10x?"},
		{text: "10%", err: "expected a factor such as 10x"},
		{text: "x", err: "expected a factor such as 10x"},
	})
}

func TestParseSize(t *testing.T) {
	read(t, ParseSize, []reading[Size]{
		{text: "512MB", want: 512_000_000},
		{text: "1.5GiB", want: 3 << 29},
		{text: "64kB", want: 64_000},
		{text: "20B", want: 20},
		{text: "0", want: 0},
		{text: "2", err: "did you mean 2MB?"},
		{text: "2Gi", err: "did you mean 2GiB?"},
		{text: "2gb", err: "did you mean 2GB?"},
		{text: "1.5B", err: "whole number of bytes"},
		{text: "99999999999TB", err: "too large"},
		{text: "big", err: "bytes such as 512MB"},
		{text: "-1MB", err: "must not be negative"},
		{text: "", err: "empty"},
	})
}

func TestParseCPU(t *testing.T) {
	read(t, ParseCPU, []reading[CPU]{
		{text: "200m", want: 200},
		{text: "0.5m", want: 0.5},
		{text: "2", want: 2000},
		{text: "0.1", want: 100},
		{text: "0", want: 0},
		{text: "2 cores", err: "did you mean 2cores?"},
		{text: "200M", err: "thousandths such as 200m"},
		{text: "10%", err: "cores such as 2 or 0.5"},
		{text: "-1", err: "must not be negative"},
		{text: "", err: "empty"},
	})
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FormatDuration(0), "0"},
		{FormatDuration(sim.Never), "none"},
		{FormatDuration(250 * sim.Millisecond), "250ms"},
		{FormatDuration(1500 * sim.Millisecond), "1.5s"},
		{FormatDuration(90 * sim.Second), "1m30s"},
		{FormatDuration(8*sim.Hour + 47*sim.Minute), "8h47m"},
		{FormatDuration(sim.Hour + sim.Millisecond), "1h1ms"},
		{FormatDuration(1), "1ns"},
		{FormatDuration(-3 * sim.Second), "-3s"},
		{FormatCount(3600), "3600"},
		{FormatCount(2550000), "2.55M"},
		{FormatCount(79200), "79.2k"},
		{FormatCount(1234567), "1234567"},
		{FormatCount(7000), "7k"},
		{FormatCount(200000), "200k"},
		{FormatCount(0), "0"},
		{FormatCount(Unlimited), "unlimited"},
		{FormatRate(7000), "7k/s"},
		{FormatRate(0.5), "30/m"},
		{FormatRate(5.0 / 3600), "5/h"},
		{FormatRate(6157.6), "6157.6/s"},
		{FormatRate(0), "0/s"},
		{FormatRate(Rate(math.Inf(1))), "+Inf/s"},
		{FormatShare(0.2), "20%"},
		{FormatShare(0.999), "99.9%"},
		{FormatShare(Share(math.NaN())), "NaN%"},
		{FormatRatio(0.1), "10%"},
		{FormatRatio(1.5), "1.5"},
		{FormatFactor(10), "10x"},
		{FormatSize(512_000_000), "512MB"},
		{FormatSize(3 << 29), "1.5GiB"},
		{FormatSize(0), "0"},
		{Size(1025).String(), "1025B"},
		{FormatCPU(200), "200m"},
		{FormatCPU(0.5), "0.5m"},
		{CPU(1500).String(), "1500m"},
		{Rate(7000).String() + Share(1).String() + Factor(2).String(), "7k/s100%2x"},
	} {
		if c.got != c.want {
			t.Errorf("written %q, want %q", c.got, c.want)
		}
	}
}

// back checks that parse reads text as exactly v.
func back[T comparable](t *rapid.T, v T, text string, parse func(string) (T, error)) {
	got, err := parse(text)
	if err != nil || got != v {
		t.Fatalf("%v is written %q and read as %v, %v", v, text, got, err)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	// Values in files have a dozen digits at most and no extreme exponents.
	float := func(t *rapid.T, most float64) float64 {
		if rapid.Bool().Draw(t, "round") {
			x := float64(rapid.IntRange(0, 1e6).Draw(t, "n"))
			return min(most, x/[...]float64{1, 10, 60, 3600, 1e5}[rapid.IntRange(0, 4).Draw(t, "per")])
		}
		return rapid.Float64Range(1e-9, most).Draw(t, "x")
	}
	rapid.Check(t, func(t *rapid.T) {
		d := sim.Time(rapid.Int64Range(0, int64(longest)).Draw(t, "duration"))
		back(t, d, FormatDuration(d), ParseDuration)
		c := Count(rapid.Int64Range(-1, math.MaxInt64).Draw(t, "count"))
		back(t, c, FormatCount(c), ParseCount)
		r := Rate(float(t, 1e12))
		back(t, r, FormatRate(r), ParseRate)
		s := Share(float(t, 1))
		back(t, s, FormatShare(s), ParseShare)
		q := Ratio(float(t, 1e6))
		back(t, q, FormatRatio(q), ParseRatio)
		f := Factor(float(t, 1e6))
		back(t, f, FormatFactor(f), ParseFactor)
		size := Size(rapid.Int64Range(0, math.MaxInt64).Draw(t, "size"))
		back(t, size, FormatSize(size), ParseSize)
		p := CPU(float(t, 1e6))
		back(t, p, FormatCPU(p), ParseCPU)
	})
}

func TestRateInterval(t *testing.T) {
	for r, want := range map[Rate]sim.Time{
		1000: sim.Millisecond, 0: sim.Never, 3: 333333333, 1e12: 1, 1e-9: sim.Never,
	} {
		if got := r.Interval(); got != want {
			t.Errorf("%v has interval %d, want %d", r, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"8h47m", "79.2k", "7k/s", "20%", "10x", "-10", ".", "none"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := ParseDuration(text); err == nil && (d < 0 || d > longest && d != sim.Never) {
			t.Errorf("%q is read as %d", text, d)
		}
		if c, err := ParseCount(text); err == nil && c < Unlimited {
			t.Errorf("%q is read as %d", text, c)
		}
		if s, err := ParseShare(text); err == nil && !(s >= 0 && s <= 1) {
			t.Errorf("%q is read as %v", text, float64(s))
		}
		if r, err := ParseRate(text); err == nil && !(r >= 0 && float64(r) <= math.MaxFloat64) {
			t.Errorf("%q is read as %v", text, float64(r))
		}
	})
}
