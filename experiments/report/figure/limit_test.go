package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
)

// limited is a sweep with a constraint that asks for something, in two settings.
func limited(limit string) []byte {
	return fmt.Appendf(nil, `{"experiment": "line", "question": "How long?", "axes": ["line"],
"points": [{"values": {"line": "0"}, "cells": [0]}, {"values": {"line": "10"}, "cells": [1]}],
"cells": [
{"case": "day", "quantities": [{"name": "wait", "kind": "constraint", "unit": "duration",
 "mean": 2, "low": 1.9, "high": 2.1, "share": {"met": 1, "of": 4}, "limit": %[1]s}]},
{"case": "day", "quantities": [{"name": "wait", "kind": "constraint", "unit": "duration",
 "mean": null, "share": {"met": 1, "of": 4}, "limit": %[1]s}]}]}`, limit)
}

// Curves have a line for what a constraint asks for, unless it lies so far away that they would
// look like nothing; then their titles say what it is. A time that never came is no share.
func TestCurvesShowWhatIsAskedFor(t *testing.T) {
	for _, c := range []struct{ limit, levels, doc, words, none string }{
		{`{"text": "at most 4s on average", "max": 4}`, "[4]", "; dashed: at most 4s on average",
			"\nat most 4s on average\n", "limit"},
		{`{"text": "1s to 3s in all replications", "min": 1, "max": 3, "share": 1}`, "[3 1]",
			"; dashed: 1s to 3s in all replications", "\n1s to 3s in all replications\n", "limit"},
		{`{"text": "at most 7s in all replications", "max": 7, "share": 1}`, "[]",
			"; limit: at most 7s in all replications, beyond what is drawn",
			"day: wait (s); limit: at most 7s in all replications, beyond", "\nat most"},
		{"null", "[]", "mean and 95 % interval by line", "day: wait (s)\n", "limit"},
	} {
		all, err := figure.Plots(limited(c.limit))
		if err != nil {
			t.Fatal(err)
		}
		h := hintsOf(t, all[0])
		levels := []float64{}
		for _, l := range h.Cascadesim.Limits {
			levels = append(levels, l.At)
		}
		if fmt.Sprint(levels) != c.levels || !strings.HasSuffix(all[0].Doc, c.doc) {
			t.Errorf("%s is drawn at %v, and said as %q", c.limit, levels, all[0].Doc)
		}
		f, err := figure.Sweep(limited(c.limit))
		got := drawn(t, f, err)
		if !strings.Contains(got, c.words) || strings.Contains(got, c.none) {
			t.Errorf("%s: the figure says\n%s", c.limit, got)
		}
		if data := fmt.Sprint(h.Series[0].Data); data != "[2 <nil>]" {
			t.Errorf("what was measured, and what never came, is drawn as %s", data)
		}
	}
}
