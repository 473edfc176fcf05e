package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/model/load"
)

// answer is the recommendation, as one sentence that stands by itself: which value, why, what
// binds, how sure, what it costs, and whether it survives the changes.
func (s *Sweep) answer(c choice, complete bool) *Answer {
	a := &Answer{Binding: []string{}, AsGood: []int{}}
	if c.point < 0 {
		a.Sentence = s.none(c)
		return a
	}
	p := c.point
	a.Point, a.Values = &p, s.values(p)
	a.Binding = append(a.Binding, c.binding...)
	if len(c.binding) > 0 {
		a.WithoutThem = &c.free
	}
	for _, t := range c.tied {
		if t != p {
			a.AsGood = append(a.AsGood, t)
		}
	}
	parts := []string{s.which(p) + s.why(c)}
	for _, more := range []string{s.ties(c), s.binds(c), s.fences(p), s.sure(p), s.costs(p),
		s.survives(p)} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	a.Sentence = strings.Join(parts, "; ") + "."
	if !complete {
		a.Sentence = "Interrupted, so this is only what " + fmt.Sprint(s.runs) +
			" replications say: " + a.Sentence
	}
	return a
}

// none says why nothing is recommended.
func (s *Sweep) none(choice) string {
	counts := make([]string, 0, len(s.Constraints))
	for _, c := range s.Constraints {
		n := 0
		for p := range s.Points {
			if s.find(s.cellOf(p, c.Case), c.Name).State.holds() {
				n++
			}
		}
		counts = append(counts, fmt.Sprintf("%s is met by %d", c.Name, n))
	}
	return fmt.Sprintf("No setting can be recommended: of %d none meets every constraint (%s).",
		len(s.Points), strings.Join(counts, ", "))
}

// which names the value, and the other axes at which it was found.
func (s *Sweep) which(p int) string {
	if s.Recommend == nil || len(s.Axes) == 1 {
		return "Use " + s.Points[p].Name(s.Axes)
	}
	var first string
	var others []string
	for i, a := range s.Axes {
		text := a.Name + " " + s.Points[p].Levels[i].Label
		if a.Name == s.Recommend.Axis {
			first = text
			continue
		}
		others = append(others, text)
	}
	return "Use " + first + " with " + strings.Join(others, " and ")
}

// why gives the objectives with their intervals.
func (s *Sweep) why(c choice) string {
	if len(s.Objectives) == 0 {
		return fmt.Sprintf(": of %d settings %d meet every constraint", len(s.Points), len(c.feasible))
	}
	var parts []string
	for _, o := range s.Objectives {
		q := s.find(s.cellOf(c.point, o.Case), o.Name)
		what := o.Name
		if o.Doc != "" {
			what = o.Doc + ","
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", what, q.check.Measure, q.value()))
	}
	return fmt.Sprintf(": of the %d among %d settings that meet every constraint it trades best "+
		"(%s)", len(c.feasible), len(s.Points), strings.Join(parts, "; "))
}

// value writes an objective with its interval, or what there is instead.
func (q *Quantity) value() string {
	switch {
	case q.Never > 0:
		return fmt.Sprintf("never in %d of %d", q.Never, q.N)
	case len(q.Values) == 0:
		return "-"
	case q.Groups != nil:
		low, high := q.Groups.Low, q.Groups.High
		return fmt.Sprintf("two states: %d near %s, %d near %s", len(low), q.shown(median(low)),
			len(high), q.shown(median(high)))
	case len(q.Values) == 1 || math.IsInf(q.Estimate.Half, 0):
		return q.shown(q.Estimate.Mean)
	}
	return q.shown(q.Estimate.Mean) + " ± " + q.half()
}

// median of ascending values.
func median(sorted []float64) float64 { return sorted[len(sorted)/2] }

// ties names what does not differ detectably.
func (s *Sweep) ties(c choice) string {
	var names []string
	for _, t := range c.tied {
		if t != c.point {
			names = append(names, s.axisValue(t))
		}
	}
	names = slices.Compact(names)
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 4:
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	tie := "smallest"
	if s.Recommend != nil {
		tie = s.Recommend.Tie
	}
	return fmt.Sprintf("no detectable difference to %s, of which it is the %s",
		strings.Join(names, ", "), tie)
}

// axisValue is the point in short: the recommended axis's value alone when the rest is that of no
// choice.
func (s *Sweep) axisValue(p int) string { return s.Points[p].Name(s.Axes) }

// binds names the constraint without which the answer would be another.
func (s *Sweep) binds(c choice) string {
	if len(s.Constraints) == 0 {
		return ""
	}
	if len(c.binding) == 0 {
		return "no constraint excludes a better setting"
	}
	noun := "what binds is"
	var parts []string
	for _, name := range c.binding {
		i := slices.IndexFunc(s.Constraints, func(k load.Constraint) bool { return k.Name == name })
		q := s.find(s.cellOf(c.free, s.Constraints[i].Case), name)
		parts = append(parts, fmt.Sprintf("%q (%s)", name, q.verdict()))
	}
	return fmt.Sprintf("%s %s, which %s would fail", noun, strings.Join(parts, " and "),
		s.Points[c.free].Name(s.Axes))
}

// verdict writes how a constraint fared.
func (q *Quantity) verdict() string {
	text := fmt.Sprintf("%d of %d", q.Share.Successes, q.N)
	if len(q.Values) > 0 && q.Unit != "word" {
		text = q.shown(q.Estimate.Mean) + ", " + text
	}
	return text
}

// sure says in how many replications the constraints held, and what that says of the next.
func (s *Sweep) sure(p int) string {
	var parts []string
	for _, c := range s.Constraints {
		q := s.find(s.cellOf(p, c.Case), c.Name)
		text := fmt.Sprintf("%s %d of %d", c.Name, q.Share.Successes, q.N)
		switch {
		case q.check.Pass.Kind == "mean":
			text = c.Name + " " + q.value()
		case q.N > 1:
			text += fmt.Sprintf(" [%s-%s]", percent(q.Share.Low), percent(q.Share.High))
		}
		if !q.State.sure() {
			text += " (not certain)"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "it held: " + strings.Join(parts, ", ") + " (95 % intervals)"
}

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// costs compares with the baseline on the same luck.
func (s *Sweep) costs(p int) string {
	base := s.baseline()
	if base < 0 || base == p {
		return ""
	}
	var parts []string
	for _, o := range s.Objectives {
		own, other := s.cellOf(p, o.Case), s.cellOf(base, o.Case)
		k := checkOf(own.Plan, o.Name)
		q := s.find(own, o.Name)
		d := s.difference(own, other, k)
		switch {
		case own == other || d.N > 1 && !d.Clear():
			parts = append(parts, o.Name+" no detectable difference")
		case d.N > 1:
			parts = append(parts, fmt.Sprintf("%s %s [%s to %s]", o.Name, signed(q, d.Mean),
				signed(q, d.Low()), signed(q, d.High())))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "against " + s.Points[base].Name(s.Axes) + ": " + strings.Join(parts, ", ")
}

// signed writes a difference.
func signed(q *Quantity, x float64) string {
	text := q.length(math.Abs(x))
	if x < 0 {
		return "-" + text
	}
	return "+" + text
}

// survives says what became of the recommended point under each change.
func (s *Sweep) survives(p int) string {
	var parts []string
	for _, change := range s.Sensitivity {
		var failed []string
		tried := false
		for _, at := range s.changes {
			if at.change != change.Name || at.point != p {
				continue
			}
			for k, cell := range at.cells {
				if cell == nil || len(cell.samples) == 0 {
					continue
				}
				tried = true
				failed = append(failed, s.failures(k, cell)...)
			}
		}
		switch {
		case !tried:
		case len(failed) == 0:
			parts = append(parts, change.Name+": still meets every constraint")
		default:
			parts = append(parts, change.Name+": fails "+strings.Join(failed, ", ")+
				s.rescue(change.Name, p))
		}
	}
	return strings.Join(parts, "; ")
}

// failures are the constraints that a cell does not meet.
func (s *Sweep) failures(k int, cell *Cell) []string {
	var out []string
	for _, c := range s.Constraints {
		if c.Case != s.Cases[k].Name {
			continue
		}
		if q := s.find(cell, c.Name); !q.State.holds() {
			out = append(out, fmt.Sprintf("%s (%s)", c.Name, q.verdict()))
		}
	}
	return out
}

// rescue names the neighbours that meet every constraint under a change that the point does not.
func (s *Sweep) rescue(change string, p int) string {
	var names []string
	tried := false
	for _, at := range s.changes {
		if at.change != change || at.point == p {
			continue
		}
		tried = true
		failed := 0
		for k, cell := range at.cells {
			if cell != nil {
				failed += len(s.failures(k, cell))
			}
		}
		if failed == 0 {
			names = append(names, s.axisValue(at.point))
		}
	}
	switch {
	case len(names) > 0:
		return ", which " + strings.Join(names, " and ") + " would meet"
	case tried:
		return ", as do its neighbours"
	}
	return ""
}
