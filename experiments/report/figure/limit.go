package figure

import "math"

// limit is what a constraint asks for: in words, the least and the largest value that meet it, and
// the share of replications that must; nil: there is none, and it is their mean that must.
type limit struct {
	Text            string
	Min, Max, Share *float64
}

// mark is a level to compare values with.
type mark struct {
	At   float64 `json:"at"`
	Text string  `json:"text"` // beside it
}

// near is how many times as far from nothing as the largest value a limit may lie to be drawn
// beside values: further away, they would all look like nothing.
const near = 3

// marks are those levels of a limit that lie near values which reach so far from nothing.
func (l *limit) marks(reach float64) (out []mark) {
	if l == nil {
		return nil
	}
	text := l.Text
	for _, at := range []*float64{l.Max, l.Min} {
		if at != nil && (reach == 0 || math.Abs(*at) <= near*reach) {
			out = append(out, mark{*at, text})
			text = "" // once is enough for both ends
		}
	}
	return out
}

// said says what a limit is, where some marks of it are drawn.
func (l *limit) said(drawn []mark) string {
	switch {
	case l == nil:
		return ""
	case len(drawn) == 0:
		return "; limit: " + l.Text + ", beyond what is drawn"
	}
	return "; dashed: " + l.Text
}

// reachOf is how far from nothing values and their intervals lie.
func reachOf(points []quantity) (reach float64) {
	for _, q := range points {
		for _, v := range []*float64{q.Mean, q.Low, q.High} {
			if v != nil && !math.IsInf(*v, 0) {
				reach = max(reach, math.Abs(*v))
			}
		}
	}
	return reach
}
