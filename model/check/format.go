package check

import (
	"math"
	"strconv"
	"time"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// text writes x in its unit with four significant digits: what people read, and not what JSON
// holds. A value that does not exist is a dash.
func text(x float64, u Unit) string { return written(x, u, 4) }

// exactly writes what a person wrote in a file, with all its digits.
func exactly(x float64, u Unit) string { return written(x, u, 12) }

func written(x float64, u Unit, significant int) string {
	if !exists(x) {
		return "-"
	}
	switch u {
	case Share:
		return digits(x*100, significant) + "%"
	case Rate:
		return short(x, significant) + "/s"
	case Count:
		return short(x, significant)
	case Duration, Time:
		if x == 0 {
			return "0s" // a bare 0 does not say of what
		}
		return seconds(sim.Time(math.Round(rounded(x, significant) * 1e9)))
	}
	return digits(x, significant)
}

// rounded is x with so many significant digits, or to the millisecond where that is finer: hours
// are not rounded to minutes.
func rounded(x float64, significant int) float64 {
	if math.Abs(x) >= 10 {
		return math.Round(x*1e3) / 1e3
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', significant-1, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// digits writes x with so many significant digits and no exponent.
func digits(x float64, significant int) string {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', significant-1, 64), 64)
	if err != nil || y == 0 {
		return "0"
	}
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// short writes x with k or M where it is large.
func short(x float64, significant int) string {
	switch size := math.Abs(x); {
	case size >= 999_950:
		return digits(x/1e6, significant) + "M"
	case size >= 9_999.5:
		return digits(x/1e3, significant) + "k"
	}
	return digits(x, significant)
}

// seconds writes a length of time.
func seconds(t sim.Time) string { return unit.FormatDuration(t) }

// clock writes an instant: as a time of day in UTC when second 0 has one, with the date when it
// is another day, else as the time since the start.
func clock(epoch time.Time, t sim.Time) string {
	if epoch.IsZero() {
		return seconds(t)
	}
	first := epoch.UTC()
	at := first.Add(time.Duration(t))
	layout := "15:04"
	if at.Second() != 0 || at.Nanosecond() != 0 {
		layout = "15:04:05.999"
	}
	if at.YearDay() != first.YearDay() || at.Year() != first.Year() {
		layout = "2006-01-02 " + layout
	}
	return at.Format(layout)
}
