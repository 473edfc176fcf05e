package figure_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
)

// hinted is what the tests read of an option.
type hinted struct {
	Series []struct {
		Name string
		Data []any
	}
	Cascadesim struct {
		Kind   string
		Across []*float64
		Log    bool
		Texts  [][]string
		Ends   [][][]float64
		Best   []int
		Limits []struct {
			At   float64
			Text string
		}
		Layers []struct {
			Limits []struct {
				At   float64
				Text string
			}
			Name   string
			Values []*float64
			Labels []string
		}
	}
}

func plots(t *testing.T) ([]report.Plot, []hinted) {
	t.Helper()
	data, err := os.ReadFile("testdata/two-axes.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := figure.Plots(data)
	if err != nil {
		t.Fatal(err)
	}
	var options []hinted
	for _, p := range all {
		options = append(options, hintsOf(t, p))
	}
	return all, options
}

func hintsOf(t *testing.T, p report.Plot) (h hinted) {
	t.Helper()
	if err := json.Unmarshal(p.Option, &h); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(p.Option), "<>&\u2028\u2029") {
		t.Errorf("the option of %s holds characters that end scripts or lines", p.ID)
	}
	return h
}

// A curve has a line for each value of the other axis, but one for what that axis does not change.
func TestCurvesFanOutByTheOtherAxes(t *testing.T) {
	all, options := plots(t)
	var got []string
	for i, p := range all {
		got = append(got, p.ID+" "+p.Title)
		if want := map[string]int{"curve-0": 2, "curve-2": 1}[p.ID]; want > 0 &&
			len(options[i].Series) != want {
			t.Errorf("%s has %d lines, want %d", p.Title, len(options[i].Series), want)
		}
	}
	want := "curve-0 day: fail, curve-1 day: quiet, curve-2 storm: surge, " +
		"trade-0 storm: surge against day: fail, field-0 budget against floor"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("plots are %s, want %s", text, want)
	}
	fail, quiet := options[0].Cascadesim, options[1].Cascadesim
	if fail.Best[0] != 1 || fail.Best[1] != 0 || fail.Ends[0][0][1] != 0.12 || fail.Ends[1][0] != nil {
		t.Errorf("the curve of failures has %+v", fail)
	}
	if len(fail.Limits) != 0 || len(quiet.Limits) != 1 || quiet.Limits[0].At != 0.9 {
		t.Errorf("of failures %v is asked, of quiet %v", fail.Limits, quiet.Limits)
	}
	for text, want := range map[string]string{fail.Texts[0][0]: "10% [8% to 12%]",
		fail.Texts[1][0]: "5%", fail.Texts[1][1]: "", quiet.Texts[0][0]: "25% [1% to 80%], " +
			"1 of 4 replications meet it, violated"} {
		if text != want {
			t.Errorf("it says %q, want %q", text, want)
		}
	}
	if row := strings.Join(all[0].Numbers.Rows[1].Cells, "|"); row != "10%|2% [1% to 3%]|" {
		t.Errorf("the second row is %q", row)
	}
}

// A trade has the settings that have both objectives, a field all quantities at each setting.
func TestTradesAndFieldsHaveEverySetting(t *testing.T) {
	all, options := plots(t)
	rows := ""
	for _, r := range all[3].Numbers.Rows {
		rows += r.Cells[0] + ": " + r.Cells[3] + "\n"
	}
	want := "1%, none: on the front, violates quiet\n10%, none: recommended, on the front\n" +
		"1%, </script><img src=x onerror=alert(1)>: meets every constraint, the baseline\n"
	if rows != want {
		t.Errorf("settings are\n%swant\n%s", rows, want)
	}
	field := options[4].Cascadesim
	if len(field.Layers) != 4 || len(field.Best) != 1 || field.Best[0] != 2 {
		t.Fatalf("the field is %+v", field)
	}
	for k, want := range []string{"constraints that are met: 0 of 1, 1 of 1, 1 of 1, 1 of 1",
		"day: fail: 10%, 5%, 2%, ", "day: quiet: 1 of 4, 4 of 4, 4 of 4, 3 of 4",
		"storm: surge: 1.2x, 1.2x, 1.5x, 1.5x"} {
		l := field.Layers[k]
		if got := l.Name + ": " + strings.Join(l.Labels, ", "); got != want {
			t.Errorf("layer %d is %q, want %q", k, got, want)
		}
	}
	if field.Layers[1].Values[3] != nil || *field.Layers[1].Values[1] != 0.05 {
		t.Errorf("values are %v", field.Layers[1].Values)
	}
}
