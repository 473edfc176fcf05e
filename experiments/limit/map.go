package limit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
)

// Map is which cases hold at each value of two axes.
type Map struct {
	Schema     string     `json:"schema"`
	Experiment string     `json:"experiment"`
	Question   string     `json:"question"`
	Cases      []string   `json:"cases"`
	Down       string     `json:"down"` // the axis of the rows
	Across     string     `json:"across"`
	Rows       []string   `json:"rows"`
	Columns    []string   `json:"columns"`
	Held       [][][]int  `json:"held"` // by row, column and case: replications
	Of         [][][]int  `json:"of"`
	Signs      [][]string `json:"signs"`
	// Ways is of one run that goes up and down; nil: the cases are runs of their own.
	Ways *Ways `json:"up_and_down,omitempty"`
}

// Survey runs every case at every value of two axes, or a run that goes up and down along one of
// them at every value of the other.
func Survey(ctx context.Context, e *load.Experiment, o Options) (*Map, error) {
	if e.UpAndDown != nil && len(e.Constraints) > 0 {
		return upAndDown(ctx, e, o)
	}
	if len(e.Axes) != 2 || len(e.Constraints) == 0 || e.Design != "grid" {
		return nil, fmt.Errorf("a map has a grid of two axes, and constraints; %s has %d axes and "+
			"%d constraints", e.Name, len(e.Axes), len(e.Constraints))
	}
	s, err := sweep.New(e, sweep.Options{Version: o.Version, Run: o.Run, Progress: o.Progress})
	if err == nil {
		err = s.Execute(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	m := &Map{Schema: "cascadesim.map/1", Experiment: e.Name, Question: e.Question,
		Down: e.Axes[0].Name, Across: e.Axes[1].Name}
	for _, c := range e.Cases {
		m.Cases = append(m.Cases, c.Name)
	}
	for _, l := range e.Axes[0].Levels {
		m.Rows = append(m.Rows, l.Label)
	}
	for _, l := range e.Axes[1].Levels {
		m.Columns = append(m.Columns, l.Label)
	}
	for i := range m.Rows {
		var held, of [][]int
		for k := range m.Columns {
			h, n := s.Held(i*len(m.Columns) + k)
			held, of = append(held, h), append(of, n)
		}
		m.Held, m.Of = append(m.Held, held), append(m.Of, of)
	}
	m.sign()
	return m, nil
}

// sign writes a sign into each place for each case: whether it holds in all replications, in some
// or in none; of a way down whether it fails while it still drains.
func (m *Map) sign() {
	for i := range m.Rows {
		var signs []string
		for k := range m.Columns {
			var b strings.Builder
			for c, held := range m.Held[i][k] {
				switch {
				case held == m.Of[i][k][c]:
					b.WriteString("o")
				case held > 0:
					b.WriteString("+")
				case c == 1 && m.drains(i, k):
					b.WriteString("~")
				default:
					b.WriteString("#")
				}
			}
			signs = append(signs, b.String())
		}
		m.Signs = append(m.Signs, signs)
	}
}

// WriteJSON writes the map.
func (m *Map) WriteJSON(w io.Writer) error { return writeJSON(w, m) }

// WriteText draws the map: a sign for each case, in their order.
func (m *Map) WriteText(w io.Writer, t report.Terminal, wrap func(string) string) error {
	signs := ": o holds, # fails, + holds in some replications"
	if m.Ways != nil {
		signs = ": o holds, + holds in some replications, # fails, ~ fails but drains"
	}
	table := report.Table{Title: report.Visible(m.Question),
		Doc:  "one sign for each of " + strings.Join(m.Cases, ", ") + signs,
		Head: []report.Column{{Name: m.Down + " \\ " + m.Across}}}
	for _, c := range m.Columns {
		table.Head = append(table.Head, report.Column{Name: c})
	}
	two, all := 0, len(m.Rows)*len(m.Columns)
	for i, r := range m.Rows {
		table.Rows = append(table.Rows, report.Row{Cells: append([]string{r}, m.Signs[i]...)})
		for _, s := range m.Signs[i] {
			if strings.Contains(s, "o") && strings.Contains(s, "#") {
				two++
			}
		}
	}
	if err := table.WriteText(w, t); err != nil {
		return err
	}
	if m.Ways != nil {
		return m.writeTurns(w, all, wrap)
	}
	text := fmt.Sprintf("In %d of %d places the cases end differently: where they differ only in how "+
		"they were pushed there are two stable states, and which one it is depends on the past "+
		"(hysteresis).", two, all)
	_, err := fmt.Fprintf(w, "\n%s\n", wrap(text))
	return err
}

// writeTurns says where each row tips and recovers.
func (m *Map) writeTurns(w io.Writer, all int, wrap func(string) string) error {
	fmt.Fprintln(w)
	two := 0
	for i, t := range m.Ways.Turns {
		two += len(t.Both)
		fmt.Fprintln(w, wrap(report.Visible(m.Rows[i]+": "+m.told(t)+".")))
	}
	if two == 0 {
		return nil
	}
	text := fmt.Sprintf("In %d of %d places both states are stable: the same %s is well or stuck, by "+
		"what was before (hysteresis).", two, all, m.Across)
	_, err := fmt.Fprintf(w, "\n%s\n", wrap(report.Visible(text)))
	return err
}
