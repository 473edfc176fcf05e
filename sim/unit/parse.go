package unit

import (
	"fmt"
	"math/big"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/internal/number"
)

// longest bounds a duration at about 73 years, so that a sum with any instant cannot overflow.
const longest = sim.Never / 4

// ParseDuration reads 250ms, 1.5s, 8h47m or 0; "none" is sim.Never, no limit. Units are ns us ms
// s m h d, where a day is 24 hours. Parts of a nanosecond are rounded to the nearest when that
// changes the value by less than one part in a thousand, and are an error otherwise.
func ParseDuration(text string) (sim.Time, error) {
	if text == "none" {
		return sim.Never, nil
	}
	if err := unsigned("duration", text); err != nil {
		return 0, err
	}
	exact, err := number.Nanos(text)
	if err != nil {
		return 0, fmt.Errorf("duration %q: %w", text, err)
	}
	whole := rounded(exact)
	if !whole.IsInt64() || sim.Time(whole.Int64()) > longest {
		return 0, fmt.Errorf("duration %q: longer than 73 years; for no limit write none", text)
	}
	lost := new(big.Rat).Sub(exact, new(big.Rat).SetInt(whole))
	lost.Abs(lost.Mul(lost, big.NewRat(1000, 1)))
	if lost.Cmp(exact) > 0 {
		return 0, fmt.Errorf("duration %q: finer than a nanosecond, the grain of the clock", text)
	}
	return sim.Time(whole.Int64()), nil
}

// ParseCount reads 3600, 79.2k or 2.55M, which must come out whole; "unlimited" is Unlimited.
func ParseCount(text string) (Count, error) {
	if text == "unlimited" {
		return Unlimited, nil
	}
	if text == "none" {
		return 0, fmt.Errorf("count %q: for no limit write unlimited, for nothing write 0", text)
	}
	if err := unsigned("count", text); err != nil {
		return 0, err
	}
	value, rest, ok := scaled(text)
	if !ok || rest != "" {
		return 0, fmt.Errorf("count %q: expected a whole number such as 3600, 79.2k or 2.55M, "+
			"or unlimited%s", text, meantSuffix(text, rest, ok))
	}
	if !value.IsInt() {
		return 0, fmt.Errorf("count %q: must be whole", text)
	}
	if !value.Num().IsInt64() {
		return 0, fmt.Errorf("count %q: too large; for no limit write unlimited", text)
	}
	return Count(value.Num().Int64()), nil
}

// perUnits are what a rate can be per, and their lengths in seconds.
var perUnits = []struct {
	name    string
	seconds int64
}{{"/s", 1}, {"/m", 60}, {"/h", 3600}}

// ParseRate reads 7k/s, 30/m, 5/h or 0.
func ParseRate(text string) (Rate, error) {
	if err := unsigned("rate", text); err != nil {
		return 0, err
	}
	value, rest, ok := scaled(text)
	if !ok {
		return 0, fmt.Errorf("rate %q: expected a number per s, m or h, such as 7k/s or 30/m", text)
	}
	if rest == "" {
		if value.Sign() == 0 {
			return 0, nil
		}
		return 0, fmt.Errorf("rate %q: per what? did you mean %s/s?", text, text)
	}
	for _, per := range perUnits {
		if rest == per.name {
			x, _ := value.Quo(value, big.NewRat(per.seconds, 1)).Float64()
			return Rate(x), nil
		}
	}
	return 0, fmt.Errorf("rate %q: expected a number per s, m or h, such as 7k/s or 30/m%s",
		text, meantRate(text, rest))
}

// ParseShare reads 20% or 0.2, within 0 and 1.
func ParseShare(text string) (Share, error) {
	value, err := fraction("share", text, "a share such as 20% or 0.2")
	if err != nil {
		return 0, err
	}
	if value.Cmp(big.NewRat(1, 1)) > 0 {
		hint := ""
		if !strings.HasSuffix(text, "%") && value.Cmp(big.NewRat(100, 1)) <= 0 {
			hint = "; did you mean " + text + "%?"
		}
		return 0, fmt.Errorf("share %q: must be within 0 and 1 (100%%)%s", text, hint)
	}
	x, _ := value.Float64()
	return Share(x), nil
}

// ParseRatio reads 20%, 0.2 or 1.5: like a share, but it may exceed 1.
func ParseRatio(text string) (Ratio, error) {
	value, err := fraction("ratio", text, "a ratio such as 10%, 0.1 or 1.5")
	if err != nil {
		return 0, err
	}
	x, _ := value.Float64()
	return Ratio(x), nil
}

// ParseFactor reads 10x or 0.5x.
func ParseFactor(text string) (Factor, error) {
	if err := unsigned("factor", text); err != nil {
		return 0, err
	}
	value, rest, ok := number.Split(text)
	switch {
	case ok && rest == "":
		return 0, fmt.Errorf("factor %q: expected a factor such as 10x; did you mean %sx?",
			text, text)
	case !ok || rest != "x":
		return 0, fmt.Errorf("factor %q: expected a factor such as 10x or 0.5x", text)
	}
	x, _ := value.Float64()
	return Factor(x), nil
}

// fraction reads a number with or without a percent sign.
func fraction(kind, text, expected string) (*big.Rat, error) {
	if err := unsigned(kind, text); err != nil {
		return nil, err
	}
	value, rest, ok := number.Split(text)
	switch {
	case ok && rest == "":
		return value, nil
	case ok && rest == "%":
		return value.Quo(value, big.NewRat(100, 1)), nil
	}
	return nil, fmt.Errorf("%s %q: expected %s", kind, text, expected)
}

// scaled is number.Split followed by the suffixes k and M.
func scaled(text string) (value *big.Rat, rest string, ok bool) {
	value, rest, ok = number.Split(text)
	switch {
	case !ok:
		return nil, text, false
	case strings.HasPrefix(rest, "k"):
		return value.Mul(value, big.NewRat(1e3, 1)), rest[1:], true
	case strings.HasPrefix(rest, "M"):
		return value.Mul(value, big.NewRat(1e6, 1)), rest[1:], true
	}
	return value, rest, true
}

// unsigned rejects a sign and blanks, which every kind would otherwise explain in its own way.
func unsigned(kind, text string) error {
	switch {
	case text == "":
		return fmt.Errorf("%s is empty", kind)
	case text[0] == '-':
		return fmt.Errorf("%s %q: must not be negative", kind, text)
	case text[0] == '+':
		return fmt.Errorf("%s %q: a sign is for changes; did you mean %s?", kind, text, text[1:])
	case strings.ContainsAny(text, " \t_,"):
		plain := strings.NewReplacer(" ", "", "\t", "", "_", "", ",", "").Replace(text)
		return fmt.Errorf("%s %q: no blanks or separators; did you mean %s?", kind, text, plain)
	}
	return nil
}

// meantSuffix suggests k or M for the ways people write them elsewhere.
func meantSuffix(text, rest string, ok bool) string {
	digits := strings.TrimSuffix(text, rest)
	switch {
	case !ok:
	case rest == "K":
		return "; did you mean " + digits + "k?"
	case rest == "m" || rest == "mio" || rest == "million":
		return "; did you mean " + digits + "M?"
	}
	return ""
}

// meantRate suggests a unit for the ways people write rates elsewhere.
func meantRate(text, rest string) string {
	digits := strings.TrimSuffix(text, rest)
	switch strings.ToLower(rest) {
	case "rps", "qps", "hz", "/sec", "/second", "ps", "req/s", "s":
		return "; did you mean " + digits + "/s?"
	case "/min", "/minute", "rpm", "pm":
		return "; did you mean " + digits + "/m?"
	case "/hour", "/hr":
		return "; did you mean " + digits + "/h?"
	case "k/s":
		return "; did you mean " + digits + "k/s?"
	}
	return ""
}

// rounded is the nearest whole number, halves up.
func rounded(x *big.Rat) *big.Int {
	twice := new(big.Int).Lsh(x.Num(), 1)
	twice.Add(twice, x.Denom())
	return twice.Div(twice, new(big.Int).Lsh(x.Denom(), 1))
}
