package figure

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model"
)

// Width is that of a column of a document, in pixels.
const Width = 860

// Figure is one picture, before it is drawn.
type Figure struct {
	ID      string // of its element, the same for the same kind
	Title   string
	Caption string // what is to be seen, in a sentence or two
	Alt     string // the same for who cannot see it, with the numbers
	Command string // that makes it again
	Dark    bool

	Clock  report.Clock
	Length float64 // seconds; of panels
	Spans  []report.Span
	Panels []Panel
	Graph  *Graph  // instead of panels
	Curves []curve // instead of panels: of a sweep
	Ticks  []string
	Across string // of curves: what the ticks are values of
	Mark   int    // the tick that is recommended; -1: none

	// Beside is another figure of the same kind, whose panels stand to the right of these.
	Beside *Figure
	Name   string // of a figure that has another one beside it
	column int    // 1 on the left of another figure, 2 on the right of one, 0 alone

	// draw lays out a figure that is none of those; it says how high it is.
	draw func(Figure) (map[string]any, int)
}

// Panel is one pair of axes. Panels of a figure stand below each other.
type Panel struct {
	Title  string
	Unit   report.Unit
	Lines  []Line
	Bars   []Bar  // instead of lines
	Height int    // in pixels; 0: what is usual
	Key    string // what it is of, the same in every run; empty: the title
}

// Line is values over time. Level is one value for the whole time, such as a limit.
type Line struct {
	Name   string
	Values []float64 // by bin, of equal widths over the length; NaN: a gap
	// Low and High are the bounds of the means of replications; nil: there is one replication.
	Low, High []float64
	Color     int     // number in the palette, and of its dashes
	Level     bool    // a limit, drawn in grey
	Length    float64 // seconds that the values cover; 0: as many as the figure
}

// Bar is one of a row of bars.
type Bar struct {
	Name  string
	Value float64
	Text  string // above it
	Color int
}

// Graph is boxes and what goes between them.
type Graph struct {
	Nodes  []Node
	Links  []Link
	Height int
}

// Node is a box, with its place in pixels.
type Node struct {
	Name, Text string
	X, Y       float64
	Color      int // number in the palette; -1: plain
	Alarm      bool
	Client     bool
}

// Link is an arrow, by the numbers of nodes.
type Link struct {
	From, To int
	Text     string
	Wide     float64 // in pixels
	Alarm    bool
}

// Kind is one kind of figure.
type Kind struct {
	Name, Doc string
	// Needs says that durations have to be kept for each window.
	Needs bool
	Make  func(plan *model.Plan, r *model.Result) (Figure, error)
}

// Kinds are all kinds, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{
		{"timeline", "requests that fail, attempts over each edge, amplification, over one axis", false,
			timeline},
		{"amplification", "attempts of one request at each layer, as measured when most were made",
			false, amplification},
		{"capacity", "first tries and retries that come to a tier, against what it can do", false,
			capacity},
		{"latency", "percentiles of the latency of requests that ended well", true, latency},
		{"queue", "attempts in line and in flight", false, queues},
		{"budget", "what is left of budgets, with the mark below which somebody is told", false,
			budgets},
		{"breakers", "which share of breakers is open, and half open", false, breakers},
		{"backoff", "how long each retry waits: densities of the jitter of each edge", false, backoff},
		{"topology", "who calls whom, with load and failures when most failed", false, topology},
	}
}

// KindNamed finds a kind.
func KindNamed(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, Missing(name, "a run", names)
}

// drawnOf says what the kinds of charts are drawn of.
func drawnOf(kind string) (of []string) {
	if slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Name == kind }) {
		of = append(of, "of a run")
	}
	for _, family := range []struct {
		kinds []FoundKind
		words map[string]string
	}{
		{SweepKinds(), map[string]string{"": "of a sweep", "samples": "of a sampled sweep"}},
		{MapKinds(), map[string]string{"": "of a map of limit",
			"hysteresis": "of a map of limit that goes up and down"}},
	} {
		if slices.ContainsFunc(family.kinds, func(k FoundKind) bool { return k.Name == kind }) {
			of = append(of, cmp.Or(family.words[kind], family.words[""]))
		}
	}
	return of
}

// Missing is that there is no such kind of what is drawn, of which there are others.
func Missing(kind, of string, others []string) error {
	are := "are"
	if len(others) == 1 {
		are = "is"
	}
	why := fmt.Sprintf("there is no kind of chart %q", kind)
	if where := drawnOf(kind); len(where) > 0 {
		why = fmt.Sprintf("%s is drawn %s", kind, strings.Join(where, " or "))
	}
	return fmt.Errorf("%s; of %s there %s %s", why, of, are, strings.Join(others, ", "))
}

// FoundKind is one kind of figure of what an experiment found.
type FoundKind struct {
	Name, Doc string
	Make      func(data []byte) (Figure, error) // of the JSON that was written
}

// SweepKinds are those of sweep.json; the first is what is drawn when none is asked for.
func SweepKinds() []FoundKind {
	return []FoundKind{
		{"curves", "each objective and constraint over the first axis, with intervals", Sweep},
		{"pareto", "objectives against each other, with the front of the best trades", Pareto},
		{"map", "which constraints hold at each value of two axes", SweepMap},
		{"samples", "each objective and constraint over each axis of a sampled design", Samples},
	}
}

// MapKinds are those of what limit --map --json writes; the first is drawn of runs that go up and
// down, if none is asked for, and only of them.
func MapKinds() []FoundKind {
	return []FoundKind{
		{"hysteresis", "objectives along an axis on the way up and down, of up_and_down", Hysteresis},
		{"map", "what holds at each value of two axes", Map},
	}
}

// ErrNothing is what a kind says that has nothing to show of what was found.
var ErrNothing = errors.New("nothing to draw")

// KindsOf are those of a file, by the schema that it names; none: it is nothing that is drawn.
func KindsOf(data []byte) []FoundKind {
	var head struct {
		Schema string
		Ways   *struct{} `json:"up_and_down"`
		// Of a design that is no grid.
		Samples []struct{}
	}
	if json.Unmarshal(data, &head) != nil {
		return nil
	}
	switch head.Schema {
	case mapSchema:
		if head.Ways != nil {
			return MapKinds()
		}
		return MapKinds()[1:]
	case "cascadesim.sweep/1":
		kinds := SweepKinds()
		if len(head.Samples) > 0 {
			return []FoundKind{kinds[3], kinds[1]}
		}
		return kinds[:3]
	}
	return nil
}
