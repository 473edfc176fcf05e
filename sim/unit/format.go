package unit

import (
	"math"
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/internal/number"
)

// FormatDuration writes t as ParseDuration reads it: 250ms, 1.5s, 1m30s, 8h47m, 0 or none.
// A negative t, which no file can hold but a difference can, has a minus sign in front.
func FormatDuration(t sim.Time) string {
	switch {
	case t == sim.Never:
		return "none"
	case t == 0:
		return "0"
	case t == math.MinInt64: // has no negative
		return "-none"
	case t < 0:
		return "-" + FormatDuration(-t)
	}
	var b strings.Builder
	if h := t / sim.Hour; h > 0 {
		b.WriteString(strconv.FormatInt(int64(h), 10) + "h")
	}
	if m := t % sim.Hour / sim.Minute; m > 0 {
		b.WriteString(strconv.FormatInt(int64(m), 10) + "m")
	}
	if rest := t % sim.Minute; rest > 0 {
		b.WriteString(number.FormatNanos(float64(rest)))
	}
	return b.String()
}

// FormatCount writes c as ParseCount reads it, with k or M where that is shorter, or as short
// and the number has more than four digits: 3600, 79.2k, 2.55M.
func FormatCount(c Count) string {
	if c < 0 {
		return "unlimited"
	}
	text := strconv.FormatInt(int64(c), 10)
	k, m := wholeShift(text, 3)+"k", wholeShift(text, 6)+"M"
	switch {
	case len(text) <= 3:
		return text
	case len(text) == 4:
		return shortest(text, k)
	case len(text) <= 6:
		return shortest(k, text)
	}
	return shortest(m, k, text)
}

// wholeShift moves the point of a whole number to the left, without floats: counts can have
// more digits than a float holds.
func wholeShift(digits string, by int) string {
	if len(digits) <= by {
		digits = strings.Repeat("0", by+1-len(digits)) + digits
	}
	point := len(digits) - by
	return strings.TrimRight(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// FormatRate writes r as ParseRate reads it: per second, or per minute or hour where only that
// is short, as in 5/h.
func FormatRate(r Rate) string {
	x := float64(r)
	if text, odd := unreadable(x); odd {
		return text + "/s"
	}
	best := ""
	for _, per := range perUnits {
		y := x * float64(per.seconds)
		for _, text := range [...]string{
			number.Shift(y, 0), number.Shift(y, -3) + "k", number.Shift(y, -6) + "M",
		} {
			text += per.name
			if best != "" && len(text) >= len(best) {
				continue
			}
			// The product with 60 may have rounded; only what reads back as r will do.
			if back, err := ParseRate(text); err == nil && back == r {
				best = text
			}
		}
	}
	return best
}

// FormatShare writes s in percent: 20%, 0.1%.
func FormatShare(s Share) string { return percent(float64(s)) }

// FormatRatio writes r in percent up to 100%, and plainly above, as 1.5.
func FormatRatio(r Ratio) string {
	if text, odd := unreadable(float64(r)); odd {
		return text
	}
	if r > 1 {
		return number.Shift(float64(r), 0)
	}
	return percent(float64(r))
}

// FormatFactor writes f as 10x.
func FormatFactor(f Factor) string {
	if text, odd := unreadable(float64(f)); odd {
		return text + "x"
	}
	return number.Shift(float64(f), 0) + "x"
}

func percent(x float64) string {
	if text, odd := unreadable(x); odd {
		return text + "%"
	}
	return number.Shift(x, 2) + "%"
}

// unreadable writes what no parser reads (negative, infinite, NaN) plainly, so that a broken
// value shows in a message instead of becoming another one.
func unreadable(x float64) (string, bool) {
	if x >= 0 && !math.IsInf(x, 1) {
		return "", false
	}
	return strconv.FormatFloat(x, 'g', -1, 64), true
}

// shortest returns the first of the shortest.
func shortest(texts ...string) string {
	best := texts[0]
	for _, text := range texts[1:] {
		if len(text) < len(best) {
			best = text
		}
	}
	return best
}
