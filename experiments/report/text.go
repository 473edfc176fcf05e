package report

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	gotext "github.com/jedib0t/go-pretty/v6/text"
)

// Terminal says what the reader's terminal can show.
type Terminal struct {
	Color bool
	// Width is how many columns a line may have; 0 means 120.
	Width int
}

func (t Terminal) width() int {
	if t.Width <= 0 {
		return 120
	}
	return min(t.Width, 120)
}

// paint gives text the colour of a tone.
func (t Terminal) paint(tone Tone, s string) string {
	if !t.Color || s == "" {
		return s
	}
	code := map[Tone]string{Good: "32", Bad: "31", Doubt: "33"}[tone]
	if code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t Terminal) bold(s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// note writes a sentence after a word that says what it is, wrapped below itself.
func (t Terminal) note(word string, n Note) string {
	lines := strings.Split(gotext.WrapSoft(Visible(n.Text), t.width()-len(word)-2), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	indent := "\n" + strings.Repeat(" ", len(word)+2)
	return t.paint(n.Tone, word) + "  " + strings.Join(lines, indent) + "\n"
}

// WriteText writes the table in columns, with its title above. A table without rows writes
// nothing.
func (t Table) WriteText(w io.Writer, term Terminal) error {
	if len(t.Rows) == 0 {
		return nil
	}
	t = t.visible()
	var out strings.Builder
	if t.Title != "" {
		out.WriteString(term.bold(t.Title))
		if t.Doc != "" {
			doc := "  (" + t.Doc + ")"
			if columnsOf(t.Title)+columnsOf(doc) > term.width() {
				doc = "\n" + wrapped("("+t.Doc+")", term.width())
			}
			out.WriteString(doc)
		}
		out.WriteString("\n")
	}
	for _, line := range strings.Split(t.columns(term), "\n") {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if t.Foot != "" {
		out.WriteString(wrapped(t.Foot, term.width()) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// columns lays the cells out. Columns of text that are too wide together are wrapped.
func (t Table) columns(term Terminal) string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = gotext.FormatDefault
	tw.SetStyle(style)
	var configs []table.ColumnConfig
	head, widths := make(table.Row, len(t.Head)), t.widths(term.width())
	for i, h := range t.Head {
		head[i] = h.Name
		c := table.ColumnConfig{Number: i + 1}
		if h.Number {
			c.Align, c.AlignHeader = gotext.AlignRight, gotext.AlignRight
		}
		if widths[i] < t.columnWidth(i) {
			c.WidthMax, c.WidthMaxEnforcer = widths[i], wrapped
		}
		configs = append(configs, c)
	}
	tw.SetColumnConfigs(configs)
	tw.AppendHeader(head)
	for _, r := range t.Rows {
		row := make(table.Row, len(r.Cells))
		for i, c := range r.Cells {
			row[i] = c
			if i == len(r.Cells)-1 {
				row[i] = term.paint(r.Mark, c)
			}
		}
		tw.AppendRow(row)
	}
	return tw.Render()
}

// widths are those of the columns on a line of that length. The widest columns of text give way
// first and as much as it takes. Words are broken only where no column has a space left to break
// at, and only behind what joins their parts.
func (t Table) widths(line int) []int {
	out := make([]int, len(t.Head))
	for i := range out {
		out[i] = t.columnWidth(i)
	}
	over := t.length() - 2 - line // the gap behind the last one is not written
	for _, split := range splits {
		least := make([]int, len(out))
		for i := range least {
			least[i] = t.least(i, split)
		}
		for ; over > 0; over-- {
			widest := -1
			for i := range out {
				if out[i] > least[i] && (widest < 0 || out[i] >= out[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			out[widest]--
		}
	}
	return out
}

// least is what a column needs when its words, or their pieces, stand below each other.
func (t Table) least(i int, split func(string) []string) int {
	if t.Head[i].Number {
		return t.columnWidth(i)
	}
	n := 0
	for _, word := range strings.Fields(t.Head[i].Name) {
		n = max(n, longest(split(word)))
	}
	for _, r := range t.Rows {
		for _, word := range strings.Fields(r.Cells[i]) {
			n = max(n, longest(split(word)))
		}
	}
	return n
}

// length is that of a line when nothing is wrapped.
func (t Table) length() int {
	sum := 2
	for i := range t.Head {
		sum += t.columnWidth(i) + 2
	}
	return sum
}

func (t Table) columnWidth(i int) int {
	n := gotext.StringWidthWithoutEscSequences(t.Head[i].Name)
	for _, r := range t.Rows {
		n = max(n, gotext.StringWidthWithoutEscSequences(r.Cells[i]))
	}
	return n
}
