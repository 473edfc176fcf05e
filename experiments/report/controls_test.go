package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cascadesim/model/load"
)

// A database that is closed at 10 s, opened by half and again, and lifted at 2 minutes. Half of
// 100/s is never below 10/s, so that it goes back and forth.
const backAndForth = `timeline.reopen={at: 10s, until: UNTIL, control: {observe: 10s, stages: [
{name: shed, set: {edges.users->web.block.share: 100%}},
{name: half, set: {edges.users->web.block.share: 50%},
 pass: [{measure: tiers.db.arrivals_per_s, below: 10/s}]}]}}`

func TestTheTableOfControlsSaysWhatHappened(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "2m",
		Sets: []string{strings.ReplaceAll(backAndForth, "UNTIL", "45s")}}, 1)
	table := r.controls()
	var got []string
	for _, row := range table.Rows {
		got = append(got, strings.Join(row.Cells[:6], " "))
	}
	want := []string{"00:10 reopen shed 1 0 on at 00:20", "00:20 reopen half 1 1 back at 00:30",
		"00:30 reopen shed 1 0 on at 00:40", "00:40 reopen half 0 0 lifted at 00:45"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	why := table.Rows[1].Cells[6]
	if !strings.HasPrefix(why, "tiers.db.arrivals_per_s was 1") ||
		!strings.HasSuffix(why, "/s, wanted below 10/s") {
		t.Errorf("it stepped back as %q", why)
	}
	var json bytes.Buffer
	if err := r.WriteJSON(&json); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"stage": "half"`, `"ended": "back"`, `"ended": "lifted"`,
		`"unmet": "tiers.db.arrivals_per_s"`} {
		if !strings.Contains(json.String(), part) {
			t.Errorf("JSON lacks %s", part)
		}
	}
}

func TestALongTableOfControlsIsCut(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "8m",
		Sets: []string{strings.ReplaceAll(backAndForth, "UNTIL", "end")}}, 1)
	table := r.controls()
	if len(table.Rows) != mostStays || table.Foot != "17 stays in between are left out" {
		t.Errorf("%d rows, and %q", len(table.Rows), table.Foot)
	}
	last := table.Rows[mostStays-1].Cells
	if last[5] != "to the end" {
		t.Errorf("the last row is %q", last)
	}
}

// Charts mark each stage where it begins; that of a step back says what was not met before it.
func TestChartsMarkStages(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "2m",
		Sets: []string{strings.ReplaceAll(backAndForth, "UNTIL", "45s")}}, 1)
	var got []string
	for _, s := range WithStages(nil, r.Plan, r.Results[0]) {
		got = append(got, fmt.Sprintf("%v to %v %s %s", s.At, s.End, s.Verb, s.Name))
		why := strings.HasPrefix(s.Doc, "of reopen: tiers.db.arrivals_per_s was ")
		if back := s.At == 30; back != why {
			t.Errorf("%s: %q", s.Name, s.Doc)
		}
	}
	want := []string{"10 to 20 stage shed", "20 to 30 stage half", "30 to 40 stage back to shed",
		"40 to 45 stage half"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
