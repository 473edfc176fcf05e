package figure

import (
	"fmt"
	"slices"
	"strings"
)

// surveyed is what the figure needs of a map of two axes, as its JSON has it.
type surveyed struct {
	Schema, Experiment, Question string
	Cases                        []string
	Down, Across                 string
	Rows, Columns                []string
	Held, Of                     [][][]int

	Ways      *climbed `json:"up_and_down"`
	differing string   // what a frame means, when it is not that cases differ
}

// mapSchema is the schema of files that Map draws.
const mapSchema = "cascadesim.map/1"

// Map is where an experiment's cases hold over two axes. Where they differ, what was done to the
// world decides in which of two states it stays.
func Map(data []byte) (Figure, error) {
	m, err := readMap(data)
	if err != nil {
		return Figure{}, err
	}
	framed := "the cases end differently"
	if m.Ways != nil {
		framed, m.differing = "both states are stable", "both states are stable"
	}
	f := Figure{ID: "cascadesim-map", Title: m.Experiment + ": " + m.Question, draw: m.draw}
	f.Caption = fmt.Sprintf("What holds at each %s and %s; a field has a column for each of %s. "+
		"Framed: %s, so that the past decides (hysteresis).", m.Down, m.Across,
		strings.Join(m.Cases, ", "), framed)
	differ, all := m.differ()
	f.Alt = fmt.Sprintf("%s against %s, %d fields: %s. In %d of them %s.",
		m.Down, m.Across, all, joined(m.shares()), differ, framed)
	return f, nil
}

// whole says what keeps a map from being drawn.
func (m surveyed) whole() error {
	if m.Schema != mapSchema || len(m.Cases) == 0 || len(m.Rows) == 0 || len(m.Columns) == 0 {
		return fmt.Errorf("it is not what cascadesim limit --map --json writes")
	}
	for _, part := range [][][][]int{m.Held, m.Of} {
		if len(part) != len(m.Rows) {
			return fmt.Errorf("%d rows of counts for %d values", len(part), len(m.Rows))
		}
		for _, row := range part {
			if len(row) != len(m.Columns) {
				return fmt.Errorf("%d columns of counts for %d values", len(row), len(m.Columns))
			}
			for _, cell := range row {
				if len(cell) != len(m.Cases) {
					return fmt.Errorf("counts of %d cases, of %d", len(cell), len(m.Cases))
				}
			}
		}
	}
	return m.Ways.whole(len(m.Rows), len(m.Columns))
}

// share is the part of the replications of a case that hold.
func (m surveyed) share(row, column, k int) float64 {
	return float64(m.Held[row][column][k]) / float64(max(m.Of[row][column][k], 1))
}

// bistable says whether the cases of a field end differently, most of the time, and not because
// one is still on its way.
func (m surveyed) bistable(row, column int) bool {
	if m.Ways != nil {
		return slices.Contains(m.Ways.Turns[row].Both, m.Columns[column])
	}
	held, failed := false, false
	for k := range m.Cases {
		held = held || m.share(row, column, k) > 0.5
		failed = failed || m.share(row, column, k) <= 0.5
	}
	return held && failed
}

func (m surveyed) differ() (n, all int) {
	for i := range m.Rows {
		for j := range m.Columns {
			if all++; m.bistable(i, j) {
				n++
			}
		}
	}
	return n, all
}

// shares say of each case in how many fields it holds.
func (m surveyed) shares() (words []string) {
	for k, c := range m.Cases {
		n := 0
		for i := range m.Rows {
			for j := range m.Columns {
				if m.share(i, j, k) > 0.5 {
					n++
				}
			}
		}
		words = append(words, fmt.Sprintf("%s holds in %d", c, n))
	}
	return words
}

const mapRow = 26

// ramp are the colours of shares, from none to all. They differ in how light they are too.
var ramp = []string{"#b3400a", "#e0823f", "#f3c48f", "#cfe5f3"}

// shade is the place of a share in the ramp: the ends are none and all alone.
func shade(share float64) int {
	switch {
	case share <= 0:
		return 0
	case share >= 1:
		return len(ramp) - 1
	case share <= 0.5:
		return 1
	}
	return 2
}

// draw lays out the fields.
func (m surveyed) draw(f Figure) (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	begin := f.question(c)
	m.key(c, begin+10)
	left := 16.0 + wide(m.Down, 12) + 8
	for _, r := range m.Rows {
		left = max(left, 16+wide(shortened(r, nameSize, 200), nameSize)+8)
	}
	top := begin + 46
	step := (rightEdge - left) / float64(len(m.Columns))
	c.text(16, top-10, m.Down, map[string]any{"fontWeight": "bold", "fontSize": 12})
	for i, row := range m.Rows {
		y := top + float64(i)*mapRow
		c.text(left-8, y+mapRow/2, shortened(row, nameSize, 200), map[string]any{"textAlign": "right"})
		for j := range m.Columns {
			m.field(c, i, j, left+float64(j)*step, y, step)
		}
	}
	bottom := top + float64(len(m.Rows))*mapRow
	for j, column := range m.Columns {
		c.text(left+(float64(j)+0.5)*step, bottom+12, shortened(column, nameSize, step-4),
			map[string]any{"textAlign": "center"})
	}
	c.text((left+rightEdge)/2, bottom+30, shortened(m.Across, 13, rightEdge-left),
		map[string]any{"textAlign": "center", "fontWeight": "bold", "fontSize": 12})
	return map[string]any{"graphic": c.elements}, int(bottom) + 46
}

// field draws one: a column for each case, with how many replications hold where not all agree.
func (m surveyed) field(c *canvas, i, j int, x, y, step float64) {
	width := (step - 6) / float64(len(m.Cases))
	for k := range m.Cases {
		if m.Of[i][j][k] == 0 {
			continue // it was not run
		}
		at := x + 3 + width*float64(k)
		tone := shade(m.share(i, j, k))
		c.rect(at, y+2, width-1, mapRow-4, ramp[tone], 5)
		sign, ink := "ok", light.text
		switch tone {
		case 0:
			sign, ink = "fails", light.back
		case 1, 2:
			sign = fmt.Sprintf("%d of %d", m.Held[i][j][k], m.Of[i][j][k])
		}
		if wide(sign, 10) <= width-4 {
			c.text(at+width/2, y+mapRow/2, sign, map[string]any{"textAlign": "center", "fontSize": 10,
				"fill": ink})
		}
	}
	if m.bistable(i, j) {
		c.frame(x+2, y+1, step-5, mapRow-2)
	}
}

// key says what colours and columns mean.
func (m surveyed) key(c *canvas, y float64) {
	x := 16.0
	for i, word := range []string{"fails", "holds in half at most", "in most", "holds"} {
		c.rect(x, y-6, 12, 12, ramp[i], 5)
		c.text(x+17, y, word, nil)
		x += wide(word, nameSize) + 34
	}
	c.frame(x, y-6, 12, 12)
	frame := m.differing
	if frame == "" {
		frame = "the cases differ"
	}
	c.text(x+17, y, frame, nil)
	x += wide(frame, nameSize) + 40
	c.text(x, y, shortened("columns of a field: "+strings.Join(m.Cases, ", "), nameSize, rightEdge-x),
		map[string]any{"fill": c.theme.soft})
}

// frame draws the edges of a rectangle.
func (c *canvas) frame(x, y, w, h float64) {
	c.elements = append(c.elements, map[string]any{"type": "rect", "z": 18, "silent": true,
		"shape": map[string]any{"x": x, "y": y, "width": w, "height": h},
		"style": map[string]any{"fill": "none", "stroke": c.theme.text, "lineWidth": 1.8}})
}
