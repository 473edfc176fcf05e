package report

// Table is rows for people. The same table is written on terminals, into pages and into Markdown.
type Table struct {
	Title string
	Doc   string // one line on how to read it
	Head  []Column
	Rows  []Row
	Foot  string // how to read some of the columns; empty: nothing to say
}

// Column is the head of a column.
type Column struct {
	Name   string
	Number bool // aligned to the right
}

// Row is one row: a cell for each column.
type Row struct {
	Cells []string
	Mark  Tone
}

// Tone is how a row or a note is to be taken.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Good
	Bad
	Doubt
	Beneath // a row that explains the one above it
)

// Class is the name of the tone in the page's style sheet.
func (t Tone) Class() string {
	switch t {
	case Good:
		return "good"
	case Bad:
		return "bad"
	case Doubt:
		return "doubt"
	case Beneath:
		return "beneath"
	}
	return ""
}

// text and number are heads of columns.
func text(name string) Column   { return Column{Name: name} }
func number(name string) Column { return Column{Name: name, Number: true} }

// heads makes columns of numbers after a first column of text.
func heads(first string, numbers ...string) []Column {
	out := []Column{text(first)}
	for _, n := range numbers {
		out = append(out, number(n))
	}
	return out
}

// table lays a chart's lines out as rows of time, for readers without JavaScript. At most rows
// rows are written, evenly spaced: each shows the bin that begins there.
func (c Chart) table(axis Axis, rows int) Table {
	t := Table{Title: c.Title, Head: []Column{text(axis.Clock.Name())}}
	for _, l := range c.Lines {
		t.Head = append(t.Head, number(l.Name))
	}
	step := max((axis.Bins+rows-1)/rows, 1)
	for i := 0; i < axis.Bins; i += step {
		cells := []string{axis.Clock.Format(axis.Time(i))}
		for _, l := range c.Lines {
			cells = append(cells, c.Unit.Format(l.Values[i]))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}
