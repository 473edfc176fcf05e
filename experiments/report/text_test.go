package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func textOf(t *testing.T, table Table, term Terminal) string {
	t.Helper()
	var out bytes.Buffer
	if err := table.WriteText(&out, term); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTablesStayWithinTheTerminal(t *testing.T) {
	table := Table{Title: "Checks", Head: []Column{text("check"), text("what"), number("value")}}
	table.Rows = []Row{
		{[]string{"T1", strings.Repeat("a long sentence of many words ", 12), "20.7%"}, Good},
		{[]string{"T2", "short", "1"}, Bad},
	}
	for _, width := range []int{60, 80, 120} {
		for _, line := range strings.Split(textOf(t, table, Terminal{Width: width}), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("a line of %d columns on a terminal of %d: %q", n, width, line)
			}
		}
	}
}

// Two columns that are too wide share what there is, and words stay whole while that is possible.
func TestWideColumnsGiveWayAtSpaces(t *testing.T) {
	long := strings.Repeat("retriable-status-codes cancelled ", 4)
	table := Table{Head: []Column{text("setting"), text("one"), text("other")},
		Foot: strings.Repeat("how to read it ", 12),
		Rows: []Row{{Cells: []string{"stack.envoy_retry.retry_on", long, long}}}}
	for _, width := range []int{80, 100} {
		got := textOf(t, table, Terminal{Width: width})
		for _, line := range strings.Split(got, "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("a line of %d columns on a terminal of %d: %q", n, width, line)
			}
		}
		if strings.Count(got, "retriable-status-codes") != 8 || strings.Count(got, ".retry_on") != 1 {
			t.Errorf("a word is broken at %d:\n%s", width, got)
		}
	}
	got := textOf(t, table, Terminal{Width: 60})
	if !strings.Contains(got, "stack.envoy_retry.") || strings.Contains(got, ".retry_on") {
		t.Errorf("a path is not broken behind a dot:\n%s", got)
	}
}

func TestNamesOfEdgesBreakBehindTheirArrow(t *testing.T) {
	const edge = "gateway_cus->token-service"
	for width, want := range map[int]string{
		25: "gateway_cus->\ntoken-service", 13: "gateway_cus->\ntoken-service",
		9: "gateway_\ncus->\ntoken-\nservice",
	} {
		if got := wrapped(edge, width); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
}

func TestTextFromFilesCannotSteerTheTerminal(t *testing.T) {
	hostile := "\x1b[2Jname\r\u009b1m"
	table := Table{Head: []Column{text("name")}, Rows: []Row{{[]string{hostile}, Bad}}}
	if got := textOf(t, table, Terminal{}); strings.ContainsAny(got, "\x1b\r\u009b") {
		t.Errorf("control characters reach the terminal: %q", got)
	}
}

func TestColourOnlyWhenAskedFor(t *testing.T) {
	table := Table{Title: "t", Head: []Column{text("a")}, Rows: []Row{{[]string{"x"}, Bad}}}
	if got := textOf(t, table, Terminal{}); strings.Contains(got, "\x1b") {
		t.Errorf("colour without a terminal: %q", got)
	}
	if got := textOf(t, table, Terminal{Color: true}); !strings.Contains(got, "\x1b[31mx\x1b[0m") {
		t.Errorf("a bad row is not red: %q", got)
	}
}

func TestStripShowsAnOutageUnfold(t *testing.T) {
	values := make([]float64, 40)
	for i := 10; i < 20; i++ {
		values[i] = 0.9
	}
	values[30] = 0.001
	values[39] = math.NaN()
	strip := Strip{
		Title: "failed", Axis: Axis{Step: 15, Bins: 40},
		Lines: []Line{{Name: "users", Values: values}},
		Spans: []Span{
			{At: 150, End: 300, Name: "outage", Doc: "ten times slower"},
			{At: 150, End: math.NaN(), Name: "page"},
		},
	}
	var out bytes.Buffer
	if err := strip.WriteText(&out, Terminal{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "strip.txt", out.String())
}
