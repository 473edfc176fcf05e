package figure_test

import (
	"errors"
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
)

// Two axes of two values and a third that is left out: one field meets both constraints, one
// neither, one the second in two of three replications, and one was not run.
func TestASweepOfTwoAxesIsAMap(t *testing.T) {
	text := `{"schema": "cascadesim.sweep/1", "experiment": "e", "question": "Which?",
"axes": ["load", "budget", "seed"], "recommendation": {"point": 0},
"points": [
 {"values": {"load": "1/s", "budget": "10%", "seed": "a"}, "cells": [0]},
 {"values": {"load": "1/s", "budget": "20%", "seed": "a"}, "cells": [1]},
 {"values": {"load": "2/s", "budget": "10%", "seed": "a"}, "cells": [2]},
 {"values": {"load": "3/s", "budget": "10%", "seed": "b"}, "cells": [0]}],
"cells": [
 {"case": "day", "quantities": [{"name": "heals", "share": {"met": 3, "of": 3}},
  {"name": "small", "share": {"met": 3, "of": 3}}, {"name": "goal", "mean": 1}]},
 {"case": "day", "quantities": [{"name": "heals", "share": {"met": 0, "of": 3}},
  {"name": "small", "share": {"met": 0, "of": 3}}]},
 {"case": "day", "quantities": [{"name": "heals", "share": {"met": 0, "of": 3}},
  {"name": "small", "share": {"met": 2, "of": 3}}]}]}`
	f, err := figure.SweepMap([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := "load against budget, 4 fields: heals holds in 1, small holds in 2. In 1 of them some " +
		"constraints hold and some do not."
	if f.Alt != want {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	got := words(t, svg)
	for _, w := range []string{"1/s", "2/s", "10%", "20%", "2 of 3", "some hold"} {
		if !strings.Contains(got, w) {
			t.Errorf("it lacks %q", w)
		}
	}
	if strings.Contains(got, "3/s") {
		t.Error("it shows a point of another value of the third axis")
	}
	bad := strings.Replace(text, `"axes": ["load", "budget", "seed"]`, `"axes": ["load"]`, 1)
	if _, err := figure.SweepMap([]byte(bad)); !errors.Is(err, figure.ErrNothing) {
		t.Errorf("of one axis: %v", err)
	}
}
