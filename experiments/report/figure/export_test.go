package figure

import (
	"cascadesim/experiments/report"
	"cascadesim/model"
)

// SetSpans takes the timeline of a plan.
func (f *Figure) SetSpans(plan *model.Plan) { f.Spans = report.SpansOf(plan, nil) }

// Overlaps counts the names of the timeline, and those that touch another bar or name of their row.
func (f Figure) Overlaps() (names, overlaps int) {
	lanes, _ := f.lanes()
	from := func(l lane) (float64, float64) {
		if l.textLeft {
			return l.textX - wide(l.text, nameSize), l.x1
		}
		return l.x0, l.textX + wide(l.text, nameSize)
	}
	for i, a := range lanes {
		for _, b := range lanes[:i] {
			a0, a1 := from(a)
			b0, b1 := from(b)
			if a.row == b.row && a0 < b1 && b0 < a1 {
				overlaps++
			}
		}
	}
	return len(lanes), overlaps
}

// MeanWaits are the means of the waits of an edge's retries, in seconds.
func MeanWaits(plan *model.Plan, edge int) (means []float64, ok bool) {
	w, ok := waitsOf(plan, edge, 1)
	for _, values := range w.of {
		means = append(means, mean(values))
	}
	return means, ok
}

// Abridged cuts a name to a width.
func Abridged(name string, room float64) (cut string, width float64) {
	cut = abridged(name, nameSize, room)
	return cut, wide(cut, nameSize)
}
