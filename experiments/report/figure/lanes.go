package figure

import (
	"math"

	"cascadesim/experiments/report"
)

const (
	leftEdge  = 58
	rightEdge = Width - 22
	laneStep  = 16
	nameSize  = 11
)

// lane is a bar of the timeline with its name, at a place of its own.
type lane struct {
	span     report.Span
	row      int // -1: there was no room for it
	x0, x1   float64
	text     string
	textX    float64
	textLeft bool // the text ends at textX
}

// mostLanes is how many rows the timeline has at most; what finds no room there is only shaded.
const mostLanes = 8

// lanes gives each span a row in which neither its bar nor its name touches another, and says how
// many rows that takes, the one included that says how many have none.
func (f Figure) lanes() (out []lane, rows int) {
	free := make([]float64, 0, mostLanes) // by row: up to where it is taken
	for _, s := range f.Spans {
		l := lane{span: s, x0: f.x(s.At)}
		end := s.End
		l.x1 = l.x0 + 3
		if !math.IsNaN(end) {
			l.x1 = max(f.x(math.Min(end, f.Length)), l.x0+3)
		}
		l.text = abridged(s.Name, nameSize, 220)
		length := wide(l.text, nameSize) + 10
		from, to := l.x0, l.x1+length
		l.textX = l.x1 + 4
		if to > f.right() {
			l.textLeft, l.textX = true, l.x0-4
			from, to = l.x0-length, l.x1
		}
		l.row = -1
		for i := range free {
			if free[i] <= from {
				l.row = i
				break
			}
		}
		if l.row < 0 && len(free) < mostLanes {
			l.row = len(free)
			free = append(free, 0)
		}
		if l.row >= 0 {
			free[l.row] = to
		} else {
			rows = 1
		}
		out = append(out, l)
	}
	return out, rows + len(free)
}

// x is where a time stands.
func (f Figure) x(seconds float64) float64 {
	return f.left() + (f.right()-f.left())*math.Max(0, math.Min(seconds/f.Length, 1))
}

// margin, left and right are where the words of a column begin, and between what its panels lie.
func (f Figure) margin() float64 {
	if f.column == 2 {
		return Width/2 + 14
	}
	return 16
}

func (f Figure) left() float64 { return f.margin() - 16 + leftEdge }

func (f Figure) right() float64 {
	if f.column == 1 {
		return Width/2 - 20 // as wide as the column on the right
	}
	return rightEdge
}
