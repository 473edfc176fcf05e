package figure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
)

// thousands is a sweep of 3,000 settings of two axes: sampled, so that no value is there twice, or
// different in the first alone.
func thousands(sampled bool) []byte {
	var points, cells []string
	const n = 3000
	for i := range n {
		second := "1/s"
		if sampled {
			second = fmt.Sprintf("%d/s", i)
		}
		points = append(points, fmt.Sprintf(`{"values": {"ratio": "%d%%", "load": %q}, "cells": [%d],
 "meets_constraints": true, "pareto": true}`, i, second, i))
		cells = append(cells, fmt.Sprintf(`{"case": "day", "quantities": [
 {"name": "masks", "kind": "objective", "unit": "share", "mean": %g, "low": 0, "high": 1},
 {"name": "caps", "kind": "objective", "unit": "ratio", "mean": %g, "low": 0, "high": 2},
 {"name": "heals", "kind": "constraint", "share": {"met": 3, "of": 3}}]}`,
			float64(i)/n, 1-float64(i)/n))
	}
	return []byte(`{"schema": "cascadesim.sweep/1", "axes": ["ratio", "load"], "recommendation":
{"point": 7}, "points": [` + strings.Join(points, ",") +
		`], "cells": [` + strings.Join(cells, ",") + `]}`)
}

// Of thousands of settings as much is drawn as can be seen.
func TestThousandsOfSettingsCanBeDrawn(t *testing.T) {
	sampled, line := thousands(true), thousands(false)
	front, err := figure.Pareto(sampled)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(front.Alt, ", 2970 more.") {
		t.Errorf("the front is named with %d letters", len(front.Alt))
	}
	svg, err := front.SVG()
	if err != nil {
		t.Fatal(err)
	}
	// Settings lie on a line of fewer than 1,000 pixels, and one is drawn on each ten.
	if n := strings.Count(string(svg), "<path"); n > 400 {
		t.Errorf("a front of %d shapes", n)
	}
	curves, err := figure.Sweep(line)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(curves.Caption, "One value of 15 is drawn.") {
		t.Errorf("the caption is %q", curves.Caption)
	}
	if n := len(curves.Ticks); n != 200 || curves.Ticks[curves.Mark] != "7%" {
		t.Errorf("%d values, the recommended one is %s", n, curves.Ticks[curves.Mark])
	}
	if _, err := figure.SweepMap(sampled); !errors.Is(err, figure.ErrNothing) {
		t.Errorf("a map of nine million fields: %v", err)
	}
	plots, err := figure.Plots(sampled)
	if err != nil || len(plots) != 4 {
		t.Fatalf("%d plots, %v", len(plots), err)
	}
	if n := len(plots[0].Numbers.Rows); n != 1 {
		t.Errorf("%d settings differ from the recommended one in the first axis alone", n)
	}
}

// Words of a sweep's file can hold anything; what is drawn is XML, and nothing in it is unseen.
func TestWordsOfASweepAreHarmless(t *testing.T) {
	const evil = `<script>alert(1)</script>]]>\u0007\u202ebackwards\u200b\u2066`
	f, err := figure.Sweep([]byte(strings.NewReplacer("line", evil, "How long", evil, "errors", evil).
		Replace(sweepJSON)))
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexAny(string(svg), "\a\u202e\u200b\u2066"); i >= 0 {
		t.Errorf("something unseen is drawn: %q", svg[i-30:i+10])
	}
	if strings.Contains(string(svg), "<script") {
		t.Error("markup of a stranger is markup")
	}
	one := strings.Replace(sweepJSON, `"mean": 0.2`, `"mean": 1.7e308`, 1)
	if f, err = figure.Sweep([]byte(one)); err == nil {
		_, err = f.SVG()
	}
	if err == nil || !strings.Contains(err.Error(), "a number that cannot be drawn") {
		t.Errorf("a number beyond any axis: %v", err)
	}
}
