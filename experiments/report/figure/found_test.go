package figure_test

import (
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
)

// mapJSON is what limit --map --json writes, of two axes and two cases.
const mapJSON = `{"schema": "cascadesim.map/1", "experiment": "two-states", "question": "Which?",
"cases": ["alone", "pushed"], "down": "load", "across": "budget", "rows": ["100/s", "200/s"],
"columns": ["none", "10%"],
"held": [[[3, 3], [3, 3]], [[3, 0], [3, 1]]], "of": [[[3, 3], [3, 3]], [[3, 3], [3, 3]]],
"signs": [["oo", "oo"], ["o#", "o+"]]}`

func drawn(t *testing.T, f figure.Figure, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return words(t, svg)
}

// A map shows what holds in each field, and where the past decides.
func TestAMapIsDrawn(t *testing.T) {
	f, err := figure.Map([]byte(mapJSON))
	got := drawn(t, f, err)
	for word, n := range map[string]int{"ok\n": 6, "fails\n": 2, "1 of 3\n": 1, "200/s\n": 1} {
		if strings.Count(got, word) != n {
			t.Errorf("%q stands %d times, want %d:\n%s", word, strings.Count(got, word), n, got)
		}
	}
	want := "4 fields: alone holds in 4, pushed holds in 2. In 2 of them the cases end differently."
	if !strings.HasSuffix(f.Alt, want) {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	for text, want := range map[string]int{mapJSON: 1, sweepJSON: 3, "{}": 0, "name: a": 0} {
		if got := len(figure.KindsOf([]byte(text))); got != want {
			t.Errorf("%.40s has %d kinds, want %d", text, got, want)
		}
	}
}

// loopJSON is a map of one run up and down, with and without a budget.
const loopJSON = `{"schema": "cascadesim.map/1", "experiment": "loop", "question": "Where?",
"cases": ["up", "down"], "down": "budget", "across": "load", "rows": ["none", "10%"],
"columns": ["100/s", "200/s", "300/s"],
"held": [[[1, 1], [1, 0], [0, 0]], [[1, 0], [1, 1], [1, 1]]],
"of": [[[1, 1], [1, 1], [1, 1]], [[1, 1], [1, 1], [1, 1]]],
"up_and_down": {"turns": [
{"tips": "300/s", "recovers": "100/s", "both_stable": ["200/s"], "draining": []},
{"tips": null, "recovers": null, "both_stable": [], "draining": ["100/s"]}],
"curves": [
{"name": "goodput", "constraint": false, "unit": "rate",
"up": [[{"mean": 100}, {"mean": 200}, {"mean": 3, "low": -50, "high": 56}],
 [{"mean": 100}, {"mean": 200}, {"mean": 300}]],
"down": [[{"mean": 99}, {"mean": 1}, {"mean": 2}], [{"mean": 50}, {"mean": 200}, {"mean": 300}]]},
{"name": "well", "constraint": true, "unit": "share",
"up": [[{"mean": 1}, {"mean": 1}, {"mean": 0}], [{"mean": 1}, {"mean": 1}, {"mean": 1}]],
"down": [[{"mean": 1}, {"mean": 0}, {"mean": 0}], [{"mean": 0.5}, {"mean": 1}, {"mean": 1}]]}]}}`

// A run up and down is drawn as loops, of objectives where there are some; what still drains is no
// second state, in loops and maps. An axis begins at nothing, whatever an interval does.
func TestALoopIsDrawn(t *testing.T) {
	f, err := figure.Hysteresis([]byte(loopJSON))
	got := drawn(t, f, err)
	for word, n := range map[string]int{"budget none: goodput (/s)\n": 1, "on the way down\n": 1,
		"200/s\n": 2, "150\n": 2, "250\n": 1, "-50": 0, "well": 0} {
		if strings.Count(got, word) != n {
			t.Errorf("%q stands %d times, want %d:\n%s", word, strings.Count(got, word), n, got)
		}
	}
	want := "none tips at 300/s and recovers at 100/s; " +
		"10% does not tip and has nothing to recover from."
	if !strings.HasSuffix(f.Alt, want) {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	f, err = figure.Map([]byte(loopJSON))
	drawn(t, f, err)
	if want := "In 1 of them both states are stable."; !strings.HasSuffix(f.Alt, want) {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	f, err = figure.Hysteresis([]byte(strings.ReplaceAll(loopJSON, `"constraint": false`,
		`"constraint": true`)))
	if got := drawn(t, f, err); strings.Count(got, "well (%)\n") != 2 {
		t.Errorf("without objectives it lacks constraints:\n%s", got)
	}
	if n := len(figure.KindsOf([]byte(loopJSON))); n != 2 {
		t.Errorf("it has %d kinds, want a loop and a map", n)
	}
}

// What is no map, or a part of one, is refused in words.
func TestBrokenMapsAreRefused(t *testing.T) {
	for _, text := range []string{"{", "{}", sweepJSON,
		strings.Replace(mapJSON, `"held": [[[3, 3], `, `"held": [[[3], `, 1),
		strings.Replace(mapJSON, `["100/s", "200/s"]`, `["100/s"]`, 1)} {
		if _, err := figure.Map([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "read map") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	for _, text := range []string{mapJSON,
		strings.Replace(loopJSON, `"down": [[{"mean": 99}, `, `"down": [[`, 1),
		strings.Replace(loopJSON, `"turns": [`, `"turns": [], "left": [`, 1)} {
		if _, err := figure.Hysteresis([]byte(text)); err == nil {
			t.Errorf("%.60s is drawn as a loop", text)
		}
	}
}

// frontJSON has two settings on the front, one that breaks a constraint, one that is worse.
const frontJSON = `{"experiment": "line", "question": "How long?", "axes": ["line"], "points": [
{"values": {"line": "0"}, "cells": [0], "pareto": true, "meets_constraints": true},
{"values": {"line": "10"}, "cells": [1], "pareto": true, "meets_constraints": true},
{"values": {"line": "20"}, "cells": [2], "baseline": true},
{"values": {"line": "30"}, "cells": [3], "meets_constraints": true}],
"cells": [
{"case": "day", "quantities": [{"name": "fail", "kind": "objective", "unit": "share", "mean": 0.1},
 {"name": "wait", "kind": "objective", "unit": "duration", "mean": 2, "low": 1.9, "high": 2.1}]},
{"case": "day", "quantities": [{"name": "fail", "kind": "objective", "unit": "share", "mean": 0.2},
 {"name": "wait", "kind": "objective", "unit": "duration", "mean": 1}]},
{"case": "day", "quantities": [{"name": "fail", "kind": "objective", "unit": "share", "mean": 0.05},
 {"name": "wait", "kind": "objective", "unit": "duration", "mean": 0.5}]},
{"case": "day", "quantities": [{"name": "fail", "kind": "objective", "unit": "share", "mean": 0.3},
 {"name": "wait", "kind": "objective", "unit": "duration", "mean": 3}]}],
"recommendation": {"sentence": "Take 10.", "point": 1}}`

// Objectives stand against each other, and the words name the front.
func TestAFrontIsDrawn(t *testing.T) {
	f, err := figure.Pareto([]byte(frontJSON))
	got := drawn(t, f, err)
	for _, want := range []string{"day: wait (s)", "day: fail (%)", "10\n", "20 (baseline)\n",
		"recommended", "on the front", "does not meet every constraint"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	if want := "of 4 settings; on the front are 0, 10."; !strings.HasSuffix(f.Alt, want) {
		t.Errorf("it says %q, want %q", f.Alt, want)
	}
	one := strings.ReplaceAll(frontJSON, `"name": "wait", "kind": "objective"`,
		`"name": "wait", "kind": "constraint"`)
	if _, err := figure.Pareto([]byte(one)); err == nil {
		t.Error("one objective is drawn against nothing")
	}
	if _, err := figure.Pareto([]byte(strings.Replace(frontJSON, "[3]", "[7]", 1))); err == nil {
		t.Error("a point with a cell that does not exist is drawn")
	}
}

// A question that is too long for a line goes on in a second one, and what is below makes room.
func TestALongQuestionHasTwoLines(t *testing.T) {
	const asked = "Which of all the settings that were ever tried holds a storm of retries, " +
		"and what does it cost us?"
	f, err := figure.Map([]byte(mapJSON))
	_, low, _ := f.Option()
	short := drawn(t, f, err)
	f, err = figure.Map([]byte(strings.Replace(mapJSON, "Which?", asked, 1)))
	long := drawn(t, f, err)
	_, high, _ := f.Option()
	if !strings.Contains(short, "two-states: Which?\n") || high != low+20 {
		t.Errorf("%d pixels became %d: %s", low, high, short)
	}
	if whole := strings.Join(strings.Fields(long), " "); !strings.Contains(whole, asked) {
		t.Errorf("the question is cut: %s", whole)
	}
}
