package lint

import (
	"fmt"
	"sort"

	"cascadesim/model"
	"cascadesim/policies"
)

// Level is how bad a finding is.
type Level uint8

// The levels. A note is worth knowing, a warning is a setting that does not do what it seems to do
// or will hurt, a danger can keep an outage alive or make the damage last.
const (
	Note Level = iota
	Warning
	Danger
)

var levelNames = [...]string{"note", "warning", "danger"}

// String is the level as flags and results write it.
func (l Level) String() string { return levelNames[l] }

// MarshalText writes the level's word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// ParseLevel reads a level's word.
func ParseLevel(word string) (Level, error) {
	for i, name := range levelNames {
		if word == name {
			return Level(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no level; expected note, warning or danger", word)
}

// Problem says what is wrong and where.
type Problem = model.Problem

// Finding is one thing that was found, with its place and a cure. Its Problem's Hint is the cure.
type Finding struct {
	ID    string // of the kind of finding; stable
	Level Level
	Problem
	// Also are the paths of which the same was found, and which the same lines of a file say.
	Also []string
}

// Hop is what one edge can do at worst.
type Hop struct {
	Edge string
	// Tries is the most attempts of one call, copies included, budgets left out; 0: no limit.
	Tries int
	// Factor is attempts for each call while everything fails, budgets at work.
	Factor float64
	// Attempts and Budgeted are the most of the attempts that one request can make on this edge, by
	// Tries and by Factor: of the client whose requests can make most. Infinite: no limit.
	Attempts, Budgeted float64
	// Blocking is the longest time that a call keeps its caller, in seconds; infinite: no limit.
	Blocking float64
	// Waits is the part of Blocking that a call spends between its tries, of many draws the longest.
	Waits float64
}

// Leaf is what one request of a client can bring upon a tier that calls nobody.
type Leaf struct {
	Client, Tier string
	// Path is the edges on the way that multiplies most, those that try once left out.
	Path               []Factor
	Attempts, Budgeted float64
}

// Factor is what one edge multiplies by.
type Factor struct {
	Edge  string
	Tries int // 0: no limit
}

// Report is all that was found.
type Report struct {
	Hops     []Hop
	Leaves   []Leaf
	Findings []Finding
}

// Worst are the findings of a level and above.
func (r Report) Worst(l Level) []Finding {
	var out []Finding
	for _, f := range r.Findings {
		if f.Level >= l {
			out = append(out, f)
		}
	}
	return out
}

// Join puts findings together that say the same of one place: what defaults say, they say of many
// edges.
func (r *Report) Join() {
	var out []Finding
next:
	for _, f := range r.Findings {
		for i := range out {
			o := &out[i]
			if f.Line > 0 && o.ID == f.ID && o.Text == f.Text && o.File == f.File &&
				o.Line == f.Line && o.Col == f.Col {
				o.Also = append(o.Also, f.Path)
				continue next
			}
		}
		out = append(out, f)
	}
	r.Findings = out
}

// Check looks at a compiled world. Without a registry the policies are those of package policies.
// The error is of a world in which an edge cannot be tried out.
func Check(plan *model.Plan, reg *policies.Registry) (Report, error) {
	if reg == nil {
		reg = policies.Builtins()
	}
	l := &linter{plan: plan, w: plan.World, reg: reg}
	if err := l.probe(); err != nil {
		return Report{}, err
	}
	l.measureGraph()
	for _, find := range finders {
		find(l)
	}
	sort.SliceStable(l.out.Findings, func(i, j int) bool {
		return l.out.Findings[i].Level > l.out.Findings[j].Level
	})
	return l.out, nil
}

// finders are the kinds of finding, in the order in which a report lists them within a level.
var finders = []func(*linter){
	(*linter).findStorms, (*linter).findLayers, (*linter).findUnlimited, (*linter).findRooms,
	(*linter).findEffects, (*linter).findBlindScalers, (*linter).findUnbudgeted,
	(*linter).findFloors, (*linter).findPools, (*linter).findShed, (*linter).findJitter,
	(*linter).findDeadTries, (*linter).findOutliving, (*linter).findDeadlines,
	(*linter).findUnseen, (*linter).findTimeless,
}

// linter is one look at a world.
type linter struct {
	plan  *model.Plan
	w     *model.World
	reg   *policies.Registry
	edges []*model.Edge // as declared, by index of the world
	hops  []probed
	g     graph
	out   Report

	calm, stormy flow // first tries alone, and all that a storm sends
}

// say adds a finding.
func (l *linter) say(id string, level Level, path, cure, format string, args ...any) {
	l.out.Findings = append(l.out.Findings, Finding{ID: id, Level: level, Problem: Problem{
		Path: path, Text: fmt.Sprintf(format, args...), Hint: cure, Warning: level < Danger,
	}})
}

// edgePath is the path of an edge, or of a part of it.
func (l *linter) edgePath(e int, part string) string {
	path := "edges." + l.w.Edges[e].Name
	if part != "" {
		path += "." + part
	}
	return path
}
