package report

import (
	"fmt"
	"strconv"

	"cascadesim/model/check"
)

// mostStays is how many stays in stages a table shows: more of them are as many repetitions, of
// which JSON has all.
const mostStays = 30

// controls is what controls of the timeline did in the first replication.
func (r Run) controls() Table {
	t := Table{Title: "Controls", Doc: "the stages that they went through, and what held them up",
		Head: []Column{text("from"), text("control"), text("stage"), number("observed"),
			number("missed"), text("then"), text("last miss")}}
	if len(r.Results) > 1 {
		t.Doc += fmt.Sprintf("; seed %d", r.Results[0].Seed)
	}
	clock := clockOf(r.Plan.Scenario)
	stays := check.Stays(r.Plan, r.Results[0])
	for i, s := range stays {
		if left := len(stays) - mostStays; left > 0 && i >= mostStays*2/3 && i < mostStays*2/3+left {
			t.Foot = fmt.Sprintf("%d stays in between are left out", left)
			continue
		}
		row := Row{Cells: []string{clock.Format(s.From.Seconds()), s.Control, s.Stage,
			strconv.Itoa(s.Looks), strconv.Itoa(s.Misses), thenOf(s, clock), s.Why()}}
		if s.Ended == check.SteppedBack {
			row.Mark = Doubt
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// thenOf says how a stay ended.
func thenOf(s check.Stay, clock Clock) string {
	at := clock.Format(s.To.Seconds())
	switch s.Ended {
	case check.Passed:
		return "on at " + at
	case check.SteppedBack:
		return "back at " + at
	case check.Lifted:
		return "lifted at " + at
	}
	return "to the end"
}
