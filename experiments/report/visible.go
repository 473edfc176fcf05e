package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Visible makes a line of text from files harmless to look at: control characters, which steer
// terminals, become blanks. Format characters, which have no shape but turn the order of what
// follows or make two names look like one, become the replacement character, so that the reader
// sees that something was there.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// VisibleLines is Visible for text of several lines, which keeps its lines.
func VisibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Visible(l)
	}
	return strings.Join(lines, "\n")
}

// escaped writes the characters that Visible would replace the way JSON does, so that its strings
// keep their value. Line ends are those between values: within strings, JSON has them escaped.
func escaped(json string) string {
	var out strings.Builder
	for _, r := range json {
		switch {
		case r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// visible is the page with all strings made harmless, in copies: a page shares tables with others.
func (p Page) visible() Page {
	p.Title, p.Doc, p.Replay = Visible(p.Title), Visible(p.Doc), Visible(p.Replay)
	p.Source = VisibleLines(p.Source)
	p.Facts = each(p.Facts, func(f Fact) Fact { return Fact{Visible(f.Name), Visible(f.Value)} })
	p.Notes = each(p.Notes, func(n Note) Note { return Note{n.Tone, Visible(n.Text)} })
	p.Tables, p.More = each(p.Tables, Table.visible), each(p.More, Table.visible)
	p.Pictures = each(p.Pictures, func(one Picture) Picture {
		one.Title, one.Doc, one.Alt = Visible(one.Title), Visible(one.Doc), Visible(one.Alt)
		return one
	})
	p.Plots = each(p.Plots, Plot.visible)
	p.Spans = each(p.Spans, func(s Span) Span {
		s.Name, s.Doc = Visible(s.Name), Visible(s.Doc)
		return s
	})
	p.Charts = each(p.Charts, func(c Chart) Chart {
		c.Title, c.Doc = Visible(c.Title), Visible(c.Doc)
		c.Lines = each(c.Lines, func(l Line) Line {
			l.Name = Visible(l.Name)
			return l
		})
		return c
	})
	return p
}

func (t Table) visible() Table {
	t.Title, t.Doc = Visible(t.Title), Visible(t.Doc)
	t.Head = each(t.Head, func(c Column) Column { return Column{Visible(c.Name), c.Number} })
	t.Rows = each(t.Rows, func(r Row) Row { return Row{each(r.Cells, Visible), r.Mark} })
	return t
}

func each[T any](in []T, change func(T) T) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = change(v)
	}
	return out
}
