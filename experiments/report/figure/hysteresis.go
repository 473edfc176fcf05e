package figure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// climbed is what a map says of runs that went up and down, as its JSON has it.
type climbed struct {
	Turns []struct {
		Tips, Recovers *string
		Both           []string `json:"both_stable"`
	}
	Curves []ways
}

// ways are a quantity by row and column.
type ways struct {
	Name, Unit string
	Constraint bool
	Up, Down   [][]quantity
}

// Hysteresis is the loop of a run that went up and down along an axis: each objective on both ways,
// for each row of the map; of a map without objectives the constraints.
func Hysteresis(data []byte) (Figure, error) {
	m, err := readMap(data)
	if err != nil {
		return Figure{}, err
	}
	if m.Ways == nil {
		return Figure{}, fmt.Errorf("read map: a loop needs a run that goes up and down: %w", ErrNothing)
	}
	f := Figure{ID: "cascadesim-hysteresis", Title: m.Experiment + ": " + m.Question,
		Ticks: m.Columns, Across: m.Across, Mark: -1}
	f.Caption = fmt.Sprintf("Means with 95 %% intervals by %s on the way up and down, in one run. "+
		"Shaded: both states are stable, and the past decides (hysteresis).", m.Across)
	f.Alt = f.Caption + " " + m.turns()
	f.Curves = m.loops()
	return f, nil
}

// readMap reads what limit --map --json wrote.
func readMap(data []byte) (surveyed, error) {
	var m surveyed
	err := json.Unmarshal(data, &m)
	if err == nil {
		err = m.whole()
	}
	if err != nil {
		err = fmt.Errorf("read map: %w", err)
	}
	return m, err
}

// whole says what keeps loops from being drawn.
func (c *climbed) whole(rows, columns int) error {
	if c == nil {
		return nil
	}
	if len(c.Turns) != rows || len(c.Curves) == 0 {
		return fmt.Errorf("%d turns and %d curves for %d rows", len(c.Turns), len(c.Curves), rows)
	}
	for _, one := range c.Curves {
		for _, way := range [][][]quantity{one.Up, one.Down} {
			if len(way) != rows || slices.ContainsFunc(way, func(row []quantity) bool {
				return len(row) != columns
			}) {
				return fmt.Errorf("%s has not %d rows of %d values on both ways", one.Name, rows, columns)
			}
		}
	}
	return nil
}

// loops are the curves of what is drawn.
func (m surveyed) loops() (out []curve) {
	judged := !slices.ContainsFunc(m.Ways.Curves, func(c ways) bool { return !c.Constraint })
	for _, one := range m.Ways.Curves {
		if one.Constraint != judged {
			continue
		}
		for i, row := range m.Rows {
			name := one.Name
			if len(m.Rows) > 1 {
				name = m.Down + " " + row + ": " + name
			}
			c := curve{name: name, unit: one.Unit, points: one.Up[i], back: one.Down[i]}
			for _, column := range m.Columns {
				c.both = append(c.both, slices.Contains(m.Ways.Turns[i].Both, column))
			}
			out = append(out, c)
		}
	}
	return out
}

// turns says in words where each row tips and recovers.
func (m surveyed) turns() string {
	var words []string
	for i, t := range m.Ways.Turns {
		tips, recovers := "does not tip", "does not recover"
		if t.Tips != nil {
			tips = "tips at " + *t.Tips
		}
		if t.Recovers != nil {
			recovers = "recovers at " + *t.Recovers
		}
		if t.Tips == nil && t.Recovers == nil {
			recovers = "has nothing to recover from"
		}
		words = append(words, m.Rows[i]+" "+tips+" and "+recovers)
	}
	return strings.Join(words, "; ") + "."
}

// loopKey says what the lines of loops are.
func (f Figure) loopKey(c *canvas, y float64) {
	x := 16.0
	for way, word := range []string{"on the way up", "on the way down"} {
		c.stroke(x, y, x+26, y, wayInk(c.theme, way))
		c.text(x+32, y, word, nil)
		x += 32 + wide(word, nameSize) + 24
	}
	c.rect(x, y-6, 18, 12, f.theme().band, 5)
	c.text(x+24, y, "both states are stable", nil)
}

// wayInk is how a way is drawn: the way down lies over the way up where they are alike.
func wayInk(t theme, way int) map[string]any {
	if way == 0 {
		return map[string]any{"stroke": t.color(0), "lineWidth": 3.4}
	}
	return map[string]any{"stroke": t.color(1), "lineWidth": 1.8, "lineDash": []int{5, 3}}
}
