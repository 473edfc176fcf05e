package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit is how a number is written for people. Numbers themselves are in SI units.
type Unit string

// The units. A share is 0 to 1 and written in percent; a duration is in seconds; a factor has no
// unit and is written with a multiplication sign.
const (
	Rate     Unit = "rate"
	Share    Unit = "share"
	Count    Unit = "count"
	Duration Unit = "duration"
	Factor   Unit = "factor"
	Level    Unit = "level" // a mean of something that is counted, such as attempts in line
)

// None is written where a value does not exist, such as the share of nothing.
const None = "–"

// Format writes a value with three or four figures, the way an operator would say it.
func (u Unit) Format(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	switch u {
	case Rate:
		return thousands(v) + "/s"
	case Share:
		return percent(v)
	case Count:
		return count(v)
	case Duration:
		return seconds(v)
	case Factor:
		return figures(v, 3) + "x"
	case Level:
		return thousands(v)
	}
	panic("report: no unit " + string(u))
}

// thousands writes 61576 as 61.6k.
func thousands(v float64) string {
	for _, step := range []struct {
		size float64
		sign string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		// 999.6 would be written as 1000; it belongs to the next step.
		if math.Abs(v) >= step.size*0.9995 {
			return figures(v/step.size, 3) + step.sign
		}
	}
	return figures(v, 3)
}

// percent keeps one figure more near 100 %, where the difference to 100 is what matters.
func percent(v float64) string {
	p := v * 100
	a := math.Abs(p)
	switch {
	case a == 0, a == 100:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	case a < 0.01:
		return "<0.01%"
	case a < 1, a > 99 && a < 100:
		// Never rounded to 100: something did fail.
		if s := strconv.FormatFloat(p, 'f', 2, 64); s != "100.00" {
			return s + "%"
		}
		return ">99.99%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// count writes every figure of a number below ten million and shortens larger ones.
func count(v float64) string {
	if math.Abs(v) >= 1e7 {
		return thousands(v)
	}
	if v != math.Trunc(v) {
		return figures(v, 3)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var parts []string
	for len(s) > 3 {
		parts = append([]string{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	s = strings.Join(append([]string{s}, parts...), ",")
	if v < 0 {
		return "-" + s
	}
	return s
}

// seconds writes a duration in the unit that suits it.
func seconds(v float64) string {
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0s"
	case a < 1e-6:
		return figures(v*1e9, 3) + "ns"
	case a < 1e-3:
		return figures(v*1e6, 3) + "us"
	case a < 1:
		return figures(v*1e3, 3) + "ms"
	case a < 60:
		return figures(v, 3) + "s"
	}
	sign := ""
	if v < 0 {
		sign = "-"
	}
	whole := int64(math.Round(a))
	h, m, s := whole/3600, whole/60%60, whole%60
	if h > 0 {
		return fmt.Sprintf("%s%dh%02dm%02ds", sign, h, m, s)
	}
	return fmt.Sprintf("%s%dm%02ds", sign, m, s)
}

// figures writes v with n significant figures and no trailing zeros.
func figures(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	places := n - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	if places < 0 {
		places = 0
	}
	s := strconv.FormatFloat(v, 'f', min(places, 9), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Clock writes times of a run: of the day in UTC when the scenario has an epoch, from the start
// otherwise.
type Clock struct {
	Epoch time.Time // zero: none
}

// Format writes the time s seconds after the start.
func (c Clock) Format(s float64) string {
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return "never"
	}
	if c.Epoch.IsZero() {
		return elapsed(s)
	}
	t := c.Epoch.Add(time.Duration(math.Round(s * 1e9))).UTC()
	if t.Nanosecond() == 0 && t.Second() == 0 {
		return t.Format("15:04")
	}
	if t.Nanosecond() == 0 {
		return t.Format("15:04:05")
	}
	return t.Format("15:04:05.000")
}

// Name says how the times of the clock are to be read.
func (c Clock) Name() string {
	if c.Epoch.IsZero() {
		return "time from the start"
	}
	return "UTC, " + c.Epoch.UTC().Format("2006-01-02")
}

func elapsed(s float64) string {
	whole := int64(math.Round(s * 1000))
	ms := whole % 1000
	whole /= 1000
	out := fmt.Sprintf("%02d:%02d", whole/60, whole%60)
	if whole >= 3600 {
		out = fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
	}
	if ms != 0 {
		out += fmt.Sprintf(".%03d", ms)
	}
	return out
}
