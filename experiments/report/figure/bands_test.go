package figure_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
	"cascadesim/model/load"
)

// plain is a figure of one panel with one line.
func plain(values ...float64) figure.Figure {
	return figure.Figure{ID: "f", Title: "t", Caption: "c", Alt: "a.", Length: 60,
		Panels: []figure.Panel{{Title: "Rate", Unit: report.Rate,
			Lines: []figure.Line{{Name: "db", Values: values}}}}}
}

// Of 1, 2 and 3 the mean is 2, and 2 ± 4.3027 x 1/√3 is Student's interval.
func TestLinesOfReplicationsAreMeansWithTheirIntervals(t *testing.T) {
	gap := math.NaN()
	f := figure.Mean([]figure.Figure{plain(10, gap, gap), plain(20, 5, gap), plain(30, gap, gap)})
	l := f.Panels[0].Lines[0]
	half := 4.302652729911275 * 10 / math.Sqrt(3)
	if l.Values[0] != 20 || math.Abs(l.High[0]-20-half) > 1e-6 || l.Low[0] != 0 {
		t.Errorf("mean %v, from %v to %v", l.Values[0], l.Low[0], l.High[0])
	}
	if l.Values[1] != 5 || !math.IsNaN(l.Low[1]) || !math.IsNaN(l.Values[2]) {
		t.Errorf("of one value and of none: %v", l)
	}
	if !strings.HasSuffix(f.Caption, "means of 3 replications, with their 95 % intervals.") {
		t.Errorf("caption %q", f.Caption)
	}
	if one := figure.Mean([]figure.Figure{plain(1)}); one.Panels[0].Lines[0].Low != nil {
		t.Error("one replication has an interval")
	}
	option, _, err := f.Option()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(option), `"stack":"band a a"`); n != 2 {
		t.Errorf("%d series make the band, want 2", n)
	}
}

// Figures beside each other have one scale, and a line has one colour.
func TestFiguresBesideEachOtherHaveOneScale(t *testing.T) {
	a, b := plain(100, 180), plain(700, 1900)
	b.Panels[0].Lines[0].Color = 3
	b.Panels = append(b.Panels, figure.Panel{Title: "Budget", Unit: report.Share,
		Lines: []figure.Line{{Name: "left", Values: []float64{0.5, 1}}}})
	a.Name, b.Name = "before", "after"
	both := figure.Beside(a, b)
	data, _, err := both.Option()
	if err != nil {
		t.Fatal(err)
	}
	var option struct {
		Grid   []struct{ Left, Top, Width float64 }
		YAxis  []struct{ Max float64 }
		Series []struct{ LineStyle struct{ Color string } }
	}
	if err := json.Unmarshal(data, &option); err != nil {
		t.Fatal(err)
	}
	if len(option.Grid) != 4 || option.Grid[0].Top != option.Grid[1].Top ||
		option.Grid[0].Left+option.Grid[0].Width >= option.Grid[1].Left {
		t.Errorf("panels at %v", option.Grid)
	}
	if option.YAxis[0].Max != 2000 || option.YAxis[1].Max != 2000 {
		t.Errorf("axes up to %v", option.YAxis)
	}
	if option.Series[0].LineStyle != option.Series[1].LineStyle {
		t.Errorf("one line has two colours: %v", option.Series)
	}
	svg, err := both.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "after\n", "Budget: nothing (%)", "Budget (%)"} {
		if !strings.Contains(words(t, svg), want) {
			t.Errorf("it lacks %q", want)
		}
	}
}

// Bars and boxes have no place beside others.
func TestOnlyLinesStandBesideOthers(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{Until: "3m"})
	for kind, want := range map[string]bool{"timeline": true, "capacity": true,
		"amplification": false, "topology": false} {
		if made(t, kind, plan, r).Plotted() != want {
			t.Errorf("%s: plotted is not %v", kind, want)
		}
	}
}
