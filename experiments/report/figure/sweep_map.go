package figure

import (
	"fmt"
	"slices"
)

// SweepMap is where the constraints of a sweep hold over its first two axes. Other axes stand at
// the recommended point.
func SweepMap(data []byte) (Figure, error) {
	s, err := readSweep(data)
	if err != nil {
		return Figure{}, err
	}
	m, err := s.surveyed()
	if err != nil {
		return Figure{}, err
	}
	f := Figure{ID: "cascadesim-sweep-map", Title: s.Experiment + ": " + s.Question, draw: m.draw}
	f.Caption = fmt.Sprintf("Which constraints hold at each %s and %s; a field has a column for each "+
		"of %s. Framed: some hold there and some do not.", m.Down, m.Across, joined(m.Cases))
	differ, all := m.differ()
	f.Alt = fmt.Sprintf("%s against %s, %d fields: %s. In %d of them some constraints hold and some "+
		"do not.", m.Down, m.Across, all, joined(m.shares()), differ)
	return f, nil
}

// surveyed counts for each field in how many replications each constraint was met.
func (s swept) surveyed() (m surveyed, err error) {
	if len(s.Axes) < 2 {
		return m, fmt.Errorf("read sweep: a map needs two axes: %w", ErrNothing)
	}
	m = surveyed{Schema: mapSchema, Down: s.Axes[0], Across: s.Axes[1], differing: "some hold"}
	base := max(s.recommended(), 0)
	for _, p := range s.Points {
		if s.elsewhere(p.Values, base) {
			continue
		}
		place(&m.Rows, p.Values[m.Down])
		place(&m.Columns, p.Values[m.Across])
		if len(m.Rows)*len(m.Columns) > mostFields {
			return m, fmt.Errorf("read sweep: a map of more than %d fields cannot be read: %w", mostFields,
				ErrNothing)
		}
		for _, c := range p.Cells {
			for _, q := range s.Cells[c].Quantities {
				if q.Share != nil {
					place(&m.Cases, q.Name)
				}
			}
		}
	}
	if len(m.Cases) == 0 {
		return m, fmt.Errorf("read sweep: a map needs constraints: %w", ErrNothing)
	}
	m.Held, m.Of = counts(m), counts(m)
	for _, p := range s.Points {
		if s.elsewhere(p.Values, base) {
			continue
		}
		i, j := place(&m.Rows, p.Values[m.Down]), place(&m.Columns, p.Values[m.Across])
		for _, c := range p.Cells {
			for _, q := range s.Cells[c].Quantities {
				if q.Share != nil {
					k := place(&m.Cases, q.Name)
					m.Held[i][j][k], m.Of[i][j][k] = q.Share.Met, q.Share.Of
				}
			}
		}
	}
	return m, nil
}

// elsewhere says whether a point differs from another in more than the first two axes.
func (s swept) elsewhere(values map[string]string, base int) bool {
	for _, a := range s.Axes[2:] {
		if values[a] != s.Points[base].Values[a] {
			return true
		}
	}
	return false
}

// place is where a name stands in a list, at whose end it is put when it is new.
func place(names *[]string, name string) int {
	if i := slices.Index(*names, name); i >= 0 {
		return i
	}
	*names = append(*names, name)
	return len(*names) - 1
}

// counts are zeros for all fields of a map.
func counts(m surveyed) [][][]int {
	out := make([][][]int, len(m.Rows))
	for i := range out {
		out[i] = make([][]int, len(m.Columns))
		for j := range out[i] {
			out[i][j] = make([]int, len(m.Cases))
		}
	}
	return out
}
