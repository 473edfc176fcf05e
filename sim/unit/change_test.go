package unit

import (
	"fmt"
	"strings"
	"testing"

	"cascadesim/sim"
)

// changed applies text to old with one of the methods of Change.
func changed[T any](text string, old T, method func(Change, T) (T, error)) string {
	c, err := ParseChange(text)
	if err != nil {
		return err.Error()
	}
	if c.String() != text {
		return fmt.Sprintf("%q is written %q", text, c)
	}
	v, err := method(c, old)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(v)
}

func duration(text string, old sim.Time) string {
	return changed(text, old, func(c Change, v sim.Time) (sim.Time, error) { return c.Duration(v) })
}

func TestChange(t *testing.T) {
	const s = sim.Second
	for _, c := range []struct{ what, got, want string }{
		{"2s times 1.5", duration("1.5x", 2*s), "3000000000"},
		{"2s plus 3s", duration("+3s", 2*s), "5000000000"},
		{"2s minus 500ms", duration("-500ms", 2*s), "1500000000"},
		{"2s replaced", duration("4s", 2*s), "4000000000"},
		{"2s replaced by none", duration("none", 2*s), fmt.Sprint(int64(sim.Never))},
		{"no limit doubled", duration("2x", sim.Never), fmt.Sprint(int64(sim.Never))},
		{"10 times 1.25", changed("1.25x", Count(10), Change.Count), "13"},
		{"10 minus 10", changed("-10", Count(10), Change.Count), "0"},
		{"10 plus 2k", changed("+2k", Count(10), Change.Count), "2010"},
		{"unlimited halved", changed("0.5x", Unlimited, Change.Count), "unlimited"},
		{"85% plus 5%", changed("+5%", Share(0.85), Change.Share), "90%"},
		{"30% less 10%", changed("-0.1", Share(0.3), Change.Share), "20%"},
		{"7k/s tripled", changed("3x", Rate(7000), Change.Rate), "21k/s"},
		{"7k/s plus 30/m", changed("+30/m", Rate(7000), Change.Rate), "7000.5/s"},
		{"ratio plus 1", changed("+1", Ratio(0.5), Change.Ratio), "1.5"},
		{"a factor doubled", changed("2x", Factor(10), Change.Factor), "20x"},
	} {
		if c.got != c.want {
			t.Errorf("%s gives %s, want %s", c.what, c.got, c.want)
		}
	}
}

func TestChangeExplainsWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration("-3s", 2*sim.Second), "change -3s of 2s: falls below 0"},
		{duration("+3s", sim.Never), "none is no number"},
		{duration("+none", sim.Second), "none is no number"},
		{duration("+10", sim.Second), "did you mean 10ms or 10s?"},
		{duration("1000000000x", sim.Hour), "too large"},
		{duration("", sim.Hour), "empty"},
		{duration("+", sim.Hour), "expected a value after the sign"},
		{duration("10", sim.Hour), "did you mean 10ms or 10s?"},
		{changed("+1", Unlimited, Change.Count), "unlimited is no number"},
		{changed("-11", Count(10), Change.Count), "below 0"},
		{changed("+20%", Share(0.9), Change.Share), "change +20% of 90%: exceeds 1"},
		{changed("-0.5", Ratio(0.3), Change.Ratio), "below 0"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("got %q, want an error with %q", c.got, c.want)
		}
	}
}

// TestStackedChangesAreDecimal: three times 10 % off 30 % is -2.8e-17 in floats.
func TestStackedChangesAreDecimal(t *testing.T) {
	v := Share(0.3)
	less, _ := ParseChange("-10%")
	for range 3 {
		var err error
		if v, err = less.Share(v); err != nil {
			t.Fatal(err)
		}
	}
	if v != 0 {
		t.Errorf("30%% less 10%% three times is %v, want 0", float64(v))
	}
}
