package figure

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"cascadesim/experiments/report"
)

// A mean stands in the middle of its bin, so that a jump is drawn around the instant of its cause
// and not a bin before it. A line is as wide as its bins, and so is a value without neighbours.
func TestValuesStandInTheMiddleOfTheirBins(t *testing.T) {
	gap := math.NaN()
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 4}, "[[0 1] [15000 1] [45000 4] [60000 4]]"},
		{[]float64{7}, "[[0 7] [30000 7] [60000 7]]"},
		{[]float64{gap, 5, gap}, "[[10000 <nil>] [20000 5] [30000 5] [40000 5] [50000 <nil>]]"},
	} {
		f := Figure{Length: 60}
		if got := fmt.Sprint(f.points(Line{Values: c.values}, measure{by: 1})); got != c.want {
			t.Errorf("%v: got %s, want %s", c.values, got, c.want)
		}
	}
}

// Ticks are round times of the clock, and no two of them read alike.
func TestTicksAreRoundTimes(t *testing.T) {
	evening := report.Clock{Epoch: time.Date(2026, 8, 17, 22, 10, 0, 0, time.UTC)}
	for _, c := range []struct {
		clock  report.Clock
		length float64
		most   int
		want   string
	}{
		{report.Clock{}, 600, 10,
			"00:00 01:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00 09:00 10:00 (min:s)"},
		{report.Clock{}, 0.4, 5, "00:00 00:00.100 00:00.200 00:00.300 00:00.400 (min:s)"},
		{report.Clock{}, 30 * 3600, 5,
			"00:00 6:00:00 12:00:00 18:00:00 24:00:00 30:00:00 (h:min:s)"},
		{evening, 3 * 3600, 5, "23:00 08-18 01:00 UTC, 2026-08-17"},
		{evening, 45, 5, "22:10 22:10:10 22:10:20 22:10:30 22:10:40 UTC, 2026-08-17"},
		{evening, 30 * 86400, 5, "08-20 08-27 09-03 09-10 UTC, 2026-08-17"},
	} {
		f := Figure{Clock: c.clock, Length: c.length}
		var names []string
		for _, s := range f.timeTicks(c.most) {
			names = append(names, f.tickName(s))
		}
		got := strings.Join(names, " ") + " " + strings.TrimPrefix(f.clockName(), "time from the start ")
		if got != c.want {
			t.Errorf("%v s: got %s, want %s", c.length, got, c.want)
		}
	}
}

// Entries of the timeline that find no room are counted, and shaded like the others.
func TestWhatTheTimelineHasNoRoomForIsCounted(t *testing.T) {
	f := Figure{ID: "f", Title: "t", Length: 60, Panels: []Panel{{Title: "Rate",
		Lines: []Line{{Name: "db", Values: []float64{1}}}}}}
	for i := range 30 {
		f.Spans = append(f.Spans, report.Span{Name: fmt.Sprintf("fault-%02d", i), At: 10, End: 20})
	}
	lanes, rows := f.lanes()
	if len(lanes) != 30 || rows != mostLanes+1 {
		t.Errorf("%d lanes in %d rows", len(lanes), rows)
	}
	data, _, err := f.Option()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "and 22 more, shaded below") {
		t.Error("nothing says how many have no name")
	}
	if n := strings.Count(string(data), light.band); n != 30 {
		t.Errorf("%d are shaded, want 30", n)
	}
}

// Bars of a logarithmic scale begin at 1: each layer of three tries adds as much, and what is not
// multiplied has no bar.
func TestBarsBeginAtOne(t *testing.T) {
	f := Figure{Panels: []Panel{{Bars: []Bar{{Value: 0.5}, {Value: 1}, {Value: 3}, {Value: 9},
		{Value: 27}}}}}
	option, _ := f.barOption()
	var widths []float64
	for _, e := range option["graphic"].([]any) {
		if one := e.(map[string]any); one["type"] == "rect" {
			widths = append(widths, one["shape"].(map[string]any)["width"].(float64))
		}
	}
	if len(widths) != 5 || widths[0] != 0 || widths[1] != 0 || widths[2] < 100 ||
		math.Abs(widths[3]-2*widths[2]) > 1e-9 || math.Abs(widths[4]-3*widths[2]) > 1e-9 {
		t.Errorf("bars are %v wide", widths)
	}
	for most, want := range map[float64]string{2: "[1 2]", 27: "[1 2 5 10 20]", 243: "[1 10 100]"} {
		if got := fmt.Sprint(factors(most)); got != want {
			t.Errorf("up to %v the ticks are %s, want %s", most, got, want)
		}
	}
}

// An axis of curves ends with a tick, whatever the largest value is.
func TestAxesOfCurvesEndWithATick(t *testing.T) {
	for _, low := range []float64{0, -3} {
		for i := range 400 {
			high := math.Pow(1.09, float64(i-200))
			s := scale{low, high, measure{by: 1}, 0, 1}.rounded()
			ticks := s.ticks()
			if last := ticks[len(ticks)-1]; s.high < high || math.Abs(last-s.high) > s.high*1e-9 {
				t.Fatalf("from %v to %v: up to %v, and the last tick is %v", low, high, s.high, last)
			}
		}
	}
}
