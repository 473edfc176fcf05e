package number

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxDigits bounds a decimal, so that no text makes a reader spend time on it.
const maxDigits = 40

// unit is a unit of time and its length in nanoseconds.
type unit struct {
	name  string
	nanos int64
}

// units are ordered so that the first that prefixes a text is the one meant ("ms" before "m").
var units = []unit{
	{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9},
}

// Split returns the decimal that text begins with and what follows it. ok is false when text
// does not begin with a decimal such as 12, 1.5 or .5.
func Split(text string) (value *big.Rat, rest string, ok bool) {
	end, digits, points := 0, 0, 0
	for ; end < len(text); end++ {
		c := text[end]
		switch {
		case c >= '0' && c <= '9':
			digits++
			continue
		case c == '.' && points == 0:
			points++
			continue
		}
		break
	}
	if digits == 0 || digits > maxDigits || text[end-1] == '.' {
		return nil, text, false
	}
	value, ok = new(big.Rat).SetString(text[:end])
	return value, text[end:], ok
}

// Nanos returns the length of a duration such as 250ms, 1.5s, 8h47m or 0, in nanoseconds.
// Units must descend, each used once. The error says what was expected, without naming text.
func Nanos(text string) (*big.Rat, error) {
	if text == "" {
		return nil, fmt.Errorf("expected a duration such as 250ms or 8h47m")
	}
	total, last := new(big.Rat), int64(1<<62)
	for rest := text; rest != ""; {
		value, after, ok := Split(rest)
		if !ok {
			return nil, fmt.Errorf("expected a duration such as 250ms or 8h47m")
		}
		word := letters(after)
		if word == "" && after == "" && rest == text {
			if value.Sign() == 0 {
				return value, nil
			}
			return nil, fmt.Errorf("needs a unit: did you mean %sms or %ss?", text, text)
		}
		u, found := findUnit(word)
		if !found {
			return nil, unknownUnit(rest[:len(rest)-len(after)], word)
		}
		if u.nanos >= last {
			return nil, fmt.Errorf("units must descend, each used once, as in 8h47m")
		}
		last = u.nanos
		total.Add(total, value.Mul(value, new(big.Rat).SetInt64(u.nanos)))
		rest = after[len(word):]
	}
	return total, nil
}

// letters returns what text has before its next digit or point.
func letters(text string) string {
	if i := strings.IndexAny(text, "0123456789."); i >= 0 {
		return text[:i]
	}
	return text
}

func findUnit(word string) (unit, bool) {
	for _, u := range units {
		if u.name == word {
			return u, true
		}
	}
	return unit{}, false
}

// unknownUnit suggests the unit that word stands for in other notations.
func unknownUnit(digits, word string) error {
	const known = "units are ns us ms s m h d"
	meant := ""
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "ns", "nanos", "nanosecond", "nanoseconds":
		meant = "ns"
	case "us", "µs", "μs", "micros", "microsecond", "microseconds":
		meant = "us"
	case "ms", "msec", "millis", "millisecond", "milliseconds":
		meant = "ms"
	case "s", "sec", "secs", "second", "seconds":
		meant = "s"
	case "m", "min", "mins", "minute", "minutes":
		meant = "m"
	case "h", "hr", "hour", "hours":
		meant = "h"
	case "d", "day", "days":
		meant = "d"
	case "":
		return fmt.Errorf("%s needs a unit: %s", digits, known)
	default:
		return fmt.Errorf("unknown unit %q: %s", word, known)
	}
	return fmt.Errorf("unknown unit %q: %s; did you mean %s%s?", word, known, digits, meant)
}

// Shift returns x times 10^pow as the shortest decimal that, shifted back, reads as x exactly.
// x must be finite and not negative.
func Shift(x float64, pow int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exp, _ := strconv.Atoi(exponent)
	if x == 0 {
		return "0"
	}
	point := exp + 1 + pow // how many digits stand before the point
	switch {
	case point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return digits + strings.Repeat("0", point-len(digits))
	}
	return digits[:point] + "." + digits[point:]
}

// FormatNanos writes x nanoseconds with one unit of at most a second: 250ms, 1.5s, 0.
func FormatNanos(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 1e3:
		return Shift(x, 0) + "ns"
	case x < 1e6:
		return Shift(x, -3) + "us"
	case x < 1e9:
		return Shift(x, -6) + "ms"
	}
	return Shift(x, -9) + "s"
}
