package figure_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
)

func sampledJSON(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/sampled.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Of a sampled design a page shows all settings over each axis, of those cases alone that the axis
// changes, and tables in the order of the axis.
func TestSampledSettingsStandOverEachAxis(t *testing.T) {
	all, err := figure.Plots(sampledJSON(t))
	if err != nil {
		t.Fatal(err)
	}
	var got, layers []string
	for _, p := range all {
		got = append(got, p.ID+" "+p.Title)
		for _, l := range hintsOf(t, p).Cascadesim.Layers {
			layers = append(layers, fmt.Sprint(p.ID, " ", l.Name, " ", len(l.Values), l.Limits))
		}
	}
	if text := strings.Join(got, ", "); text != "samples-0 over ratio (log), samples-1 over wait" {
		t.Errorf("plots are %s", text)
	}
	want := "samples-0 day: fail 4 [], samples-0 day: quiet 4 [{0.06 at most 6% on average}], " +
		"samples-0 storm: surge 4 [], samples-1 storm: surge 4 []"
	if text := strings.Join(layers, ", "); text != want {
		t.Errorf("layers are %s, want %s", text, want)
	}
	first, second := hintsOf(t, all[0]).Cascadesim, hintsOf(t, all[1]).Cascadesim
	if text := places(first.Across) + places(second.Across); text != "0.01 0.5 0.1 0.05 0 1 1 0 " ||
		fmt.Sprint(first.Best) != "[2]" || first.Ends[0][0][1] != 0.12 || first.Ends[0][1] != nil {
		t.Errorf("over ratio %+v, over wait %+v", first, second)
	}
	rows := ""
	for _, r := range all[0].Numbers.Rows {
		rows += strings.Join(r.Cells[:4], "|") + "\n"
	}
	want = "1%|1%, 10ms|meets every constraint|10% [8% to 12%]\n" +
		"5%|5%, 10ms|breaks a constraint|\n10%|10%, 1s|recommended|2% [1% to 3%]\n" +
		"50%|50%, 1s|breaks a constraint|30%\n"
	if rows != want {
		t.Errorf("rows are\n%swant\n%s", rows, want)
	}
}

func places(at []*float64) (text string) {
	for _, x := range at {
		if x == nil {
			text += "- "
		} else {
			text += fmt.Sprint(*x, " ")
		}
	}
	return text
}

// A baseline need not be a number, or may be one that has no logarithm.
func TestABaselineMayLieOffTheAxis(t *testing.T) {
	for old, want := range map[string]string{
		"null": "0.01 - 0.1 0.05 true", "0": "0.01 0 0.1 0.05 false",
	} {
		data := strings.Replace(string(sampledJSON(t)), "[0.01, 0.5, ", "[0.01, "+old+", ", 1)
		all, err := figure.Plots([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		h := hintsOf(t, all[0]).Cascadesim
		left := strings.HasSuffix(all[0].Doc, "; left out: where ratio is no number")
		if got := fmt.Sprint(places(h.Across), h.Log); got != want || left != (old == "null") {
			t.Errorf("places are %s, want %s: %s", got, want, all[0].Doc)
		}
		if last := all[0].Numbers.Rows[3].Cells[0]; old == "null" && last != "50%" {
			t.Errorf("what has no place stands before %s", last)
		}
		f, err := figure.Samples([]byte(data))
		if got := drawn(t, f, err); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Errorf("with %s the figure says\n%s", old, got)
		}
	}
}

// The picture of a sampled design has a panel for each quantity and axis, and is what is drawn when
// nothing else is asked for; curves and maps are of grids.
func TestSampledSettingsAreDrawn(t *testing.T) {
	data := sampledJSON(t)
	f, err := figure.Samples(data)
	got := drawn(t, f, err)
	for word, n := range map[string]int{"ratio (log)\n": 3, "wait\n": 1, "10ms\n": 1, "1s\n": 1,
		"10%\n": 3, "day: quiet (%); dashed: at most 6% on average\n": 1} {
		if strings.Count(got, word) != n {
			t.Errorf("%q stands %d times, want %d:\n%s", word, strings.Count(got, word), n, got)
		}
	}
	want := " Take 10%. 2 of the settings that are drawn meet every constraint."
	if !strings.HasSuffix(f.Alt, want) {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	names := ""
	for _, k := range figure.KindsOf(data) {
		names += k.Name + " "
	}
	if names != "samples pareto " {
		t.Errorf("kinds are %s", names)
	}
	if _, err := figure.Samples(limited("null")); !errors.Is(err, figure.ErrNothing) {
		t.Errorf("a grid is drawn as samples: %v", err)
	}
	broken := strings.Replace(string(data), "[0.01, 0.5, ", "[0.01, ", 1)
	if _, err := figure.Samples([]byte(broken)); err == nil {
		t.Error("three values of four points are drawn")
	}
}

// Of thousands of sampled settings some are drawn, the recommended one among them.
func TestOfThousandsOfSamplesSomeAreDrawn(t *testing.T) {
	var numbers []string
	for i := range 3000 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	data := strings.Replace(string(thousands(true)), `"axes":`, `"samples": [{"axis": "ratio",
"unit": "share", "numbers": [`+strings.Join(numbers, ",")+`]}], "axes":`, 1)
	data = strings.ReplaceAll(data, `"case": "day",`, `"case": "day", "values": {"ratio": ""},`)
	all, err := figure.Plots([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	h := hintsOf(t, all[0]).Cascadesim
	if n := len(h.Across); n != 200 || *h.Across[h.Best[0]] != 7 ||
		!strings.Contains(all[0].Doc, "200 of 3000 settings") {
		t.Errorf("%d settings, recommended %v: %s", n, h.Best, all[0].Doc)
	}
}
