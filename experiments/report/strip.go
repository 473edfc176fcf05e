package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	gotext "github.com/jedib0t/go-pretty/v6/text"
)

// Strip shows shares over time in one line for each name, so that an outage is seen to unfold:
//
//	users  ·······▁▂▄▇██████▅▂▁·········  worst 92.1%
//	       ·      a     b
//	       0:00               10:00
type Strip struct {
	Title string
	Axis  Axis
	Lines []Line // shares, 0 to 1
	Spans []Span
}

// steps are the heights of a cell. Nothing at all and a very small share differ, since a single
// failed request may be what the reader looks for.
var steps = []rune("▁▂▃▄▅▆▇█")

// WriteText writes the strip, with the spans of the timeline marked by letters and named below.
func (s Strip) WriteText(w io.Writer, term Terminal) error {
	if len(s.Lines) == 0 || s.Axis.Bins == 0 {
		return nil
	}
	name := 0
	for _, l := range s.Lines {
		name = max(name, gotext.StringWidthWithoutEscSequences(Visible(l.Name)))
	}
	cells := max(min(term.width()-name-18, s.Axis.Bins), 10)
	var out strings.Builder
	out.WriteString(term.bold(Visible(s.Title)) + "\n")
	for _, l := range s.Lines {
		worst := math.NaN()
		for _, v := range l.Values {
			if !math.IsNaN(v) && !(v <= worst) {
				worst = v
			}
		}
		fmt.Fprintf(&out, "%s  %s  worst %s\n", pad(Visible(l.Name), name),
			cellsOf(l.Values, cells), Share.Format(worst))
	}
	indent := strings.Repeat(" ", name+2)
	if len(s.Spans) > 0 {
		out.WriteString(strings.TrimRight(indent+s.letters(cells), " ") + "\n")
	}
	out.WriteString(strings.TrimRight(indent+s.ruler(cells), " ") + "\n")
	for i, span := range s.Spans {
		if i < len(letters) {
			out.WriteString("  " + s.legend(i, span) + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// letters name spans; a scenario with more of them names only the first ones.
var letters = []rune("abcdefghijklmnopqrstuvwxyz")

// letter names the span of a number, as far as there are letters.
func letter(i int) string {
	if i < len(letters) {
		return string(letters[i])
	}
	return ""
}

// cellsOf takes the worst value of the bins that a cell covers: a short spike must be seen.
func cellsOf(values []float64, cells int) string {
	out := make([]rune, cells)
	for c := range out {
		from, to := c*len(values)/cells, (c+1)*len(values)/cells
		worst := math.NaN()
		for _, v := range values[from:max(to, from+1)] {
			if !math.IsNaN(v) && !(v <= worst) {
				worst = v
			}
		}
		switch {
		case math.IsNaN(worst):
			out[c] = ' '
		case worst <= 0:
			out[c] = '·'
		default:
			out[c] = steps[min(int(worst*float64(len(steps))), len(steps)-1)]
		}
	}
	return string(out)
}

func (s Strip) cell(at float64, cells int) int {
	c := int((at - s.Axis.Start) / (s.Axis.Step * float64(s.Axis.Bins)) * float64(cells))
	return min(max(c, 0), cells-1)
}

// letters marks where spans begin; a later one of the same cell moves to the next free cell.
func (s Strip) letters(cells int) string {
	out := []rune(strings.Repeat(" ", cells+len(letters)))
	for i, span := range s.Spans {
		if i >= len(letters) {
			break
		}
		c := s.cell(span.At, cells)
		for out[c] != ' ' {
			c++
		}
		out[c] = letters[i]
	}
	return string(out)
}

// rulerSteps are distances between times that people like to read, in seconds.
var rulerSteps = []float64{
	1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
}

// ruler writes round times below the cells, as many as fit.
func (s Strip) ruler(cells int) string {
	length := s.Axis.Step * float64(s.Axis.Bins)
	step := rulerSteps[len(rulerSteps)-1]
	for _, candidate := range rulerSteps {
		if length/candidate*16 <= float64(cells) {
			step = candidate
			break
		}
	}
	// Round times of the day are not round from the start when the epoch is not round.
	offset := 0.0
	if e := s.Axis.Clock.Epoch; !e.IsZero() {
		offset = math.Mod(float64(e.Unix()), step)
	}
	out := []rune(strings.Repeat(" ", cells+12))
	first := math.Ceil((s.Axis.Start+offset)/step)*step - offset
	for t := first; t < s.Axis.Start+length; t += step {
		copy(out[s.cell(t, cells):], []rune("╵"+s.Axis.Clock.Format(t)))
	}
	return string(out)
}

func (s Strip) legend(i int, span Span) string {
	when := s.Axis.Clock.Format(span.At)
	if !math.IsNaN(span.End) {
		when += " to " + s.Axis.Clock.Format(span.End)
	}
	text := fmt.Sprintf("%c  %-16s %s", letters[i], when, Visible(span.Name))
	if span.Doc != "" {
		text += "  " + Visible(span.Doc)
	}
	return text
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-gotext.StringWidthWithoutEscSequences(s), 0))
}
