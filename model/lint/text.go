package lint

import (
	"math"
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Times writes a number of attempts; without limit in a word.
func Times(x float64) string {
	if math.IsInf(x, 1) {
		return "no limit"
	}
	return figures(x, 4)
}

// Seconds writes a length of time with three figures; without limit in a word.
func Seconds(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "no limit"
	case x == 0:
		return "0s"
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return unit.FormatDuration(sim.Time(math.Round(y * 1e9)))
}

// perSecond writes a rate with three figures.
func perSecond(x float64) string {
	if math.IsInf(x, 1) {
		return "no limit"
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	switch {
	case y >= 1e6:
		return figures(y/1e6, 3) + "M/s"
	case y >= 1e4:
		return figures(y/1e3, 3) + "k/s"
	}
	return figures(y, 3) + "/s"
}

// figures writes x with so many figures, whole numbers whole.
func figures(x float64, n int) string {
	if math.IsInf(x, 1) {
		return "no limit"
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', n-1, 64), 64)
	if err != nil {
		return "?"
	}
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// Text writes the edges that multiply as a product: "a->b 3 x b->c 3".
func Text(path []Factor) string {
	parts := make([]string, len(path))
	for i, f := range path {
		n := "no limit"
		if f.Tries > 0 {
			n = strconv.Itoa(f.Tries)
		}
		parts[i] = f.Edge + " " + n
	}
	return strings.Join(parts, " x ")
}
