package check

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/model"
)

// Unit is what a value is measured in; bounds must be written in it.
type Unit string

// The units. Shares are 0 to 1, durations and times are in seconds, times from the start.
const (
	Count    Unit = "count"
	Rate     Unit = "rate"
	Share    Unit = "share"
	Ratio    Unit = "ratio" // may exceed 1; bounds are plain numbers or shares
	Duration Unit = "duration"
	Time     Unit = "time"
	Word     Unit = "word"
)

// Kind is how a measure's value over a range of time is made.
type Kind uint8

// The kinds.
const (
	Counter   Kind = iota // a sum
	PerSecond             // a sum over the length of the range
	Part                  // a ratio of two sums
	Gauge                 // an average over time
	Lengths               // the mean or a quantile of durations
	Whole                 // a figure of the whole run, which has no parts
)

// Measure is a parsed measure of one world: which cells it adds up, and how.
type Measure struct {
	Text string // as written
	Kind Kind
	Unit Unit

	of   string // clients, tiers, edges, totals, recovery or controls
	what string // column, gauge or duration, without suffix or statistic
	stat string // of Lengths: mean, p50, p95, p99, p999

	clients  []int     // whose requests count; of edges, those of the denominator
	edges    []int     // which edges
	rows     []tierRow // which replicas and endpoints
	replicas []int     // which replicas
	declared float64   // of up_share: how many replicas there should be
	entries  []entry   // of refused_by and level: which stack entries
	only     int       // keep this client's share, -1 all
	control  int       // of controls: which one
	stage    int       // of entered: which stage
}

// tierRow is a replica and one of its endpoints.
type tierRow struct{ replica, endpoint int }

// entry is a policy in an edge's stack.
type entry struct{ edge, index int }

// Sampled says whether the measure also has a value at an instant.
func (m Measure) Sampled() bool { return m.Kind == Gauge }

// unknown is a measure that cannot be read, with a way out.
type unknown struct{ text, hint string }

func (u *unknown) Error() string {
	if u.hint == "" {
		return u.text
	}
	return u.text + "; " + u.hint
}

func bad(hint, format string, args ...any) error {
	return &unknown{text: fmt.Sprintf(format, args...), hint: hint}
}

var groups = []string{"clients", "tiers", "edges", "totals", "recovery", "controls"}

var statistics = []string{"mean", "p50", "p95", "p99", "p999"}

var gauges = []string{
	"utilization", "in_line", "in_system", "busy", "slots", "up_share", "replicas",
}

// crashes is the counter of how often replicas went down by a rule of their tier, which does not
// scale: a smaller run has as many replicas.
const crashes = "crashes"

// Parse reads a measure, such as edges.web->db.refused_share; client, if not empty, keeps that
// client's share alone. The error says what exists instead.
func Parse(w *model.World, text, client string) (Measure, error) {
	of, rest, _ := strings.Cut(strings.TrimSpace(text), ".")
	m := Measure{Text: text, of: of, only: -1}
	if client != "" {
		m.only = slices.IndexFunc(w.Clients, func(c clientT) bool { return c.Name == client })
		if m.only < 0 {
			return m, bad(didYouMean(client, clientNames(w)), "no client %q", client)
		}
	}
	if of == "totals" || of == "recovery" {
		return m, m.read(w, rest)
	}
	if !slices.Contains(groups, of) {
		return m, bad(didYouMean(of, groups), "a measure begins with %s, not %q",
			strings.Join(groups, ", "), of)
	}
	name, what, ok := strings.Cut(rest, ".")
	if !ok || name == "" || what == "" {
		return m, bad("", "a measure of %s reads %s.NAME.MEASURE", of, of)
	}
	if err := m.pick(w, name); err != nil {
		return m, err
	}
	return m, m.read(w, what)
}

// pick finds what the name stands for.
func (m *Measure) pick(w *model.World, name string) error {
	switch m.of {
	case "clients":
		match := matcher(name)
		for i, c := range w.Clients {
			if match(c.Name) {
				m.clients = append(m.clients, i)
			}
		}
		if m.clients == nil {
			return bad(didYouMean(name, clientNames(w)), "no client %q", name)
		}
	case "edges":
		name = strings.Replace(name, ":", "->", 1)
		match := matcher(name)
		for i := range w.Edges {
			if match(w.Edges[i].Name) {
				m.edges = append(m.edges, i)
			}
		}
		if m.edges == nil {
			return bad(didYouMean(name, edgeNames(w)), "no edge %q", name)
		}
	case "tiers":
		return m.pickTiers(w, name)
	case "controls":
		return m.pickControl(w, name)
	}
	return nil
}

// read finds what is to be measured of the things picked, and the client filter's effect.
func (m *Measure) read(w *model.World, what string) error {
	var err error
	switch m.of {
	case "clients":
		err = m.readCounted(what, names(clientCounters), []string{"latency"}, nil)
	case "edges":
		err = m.readEdge(w, what)
	case "tiers":
		err = m.readTier(what)
	case "totals":
		err = m.readTotal(w, what)
	case "recovery":
		err = m.readRecovery(what)
	case "controls":
		err = m.readControl(w, what)
	}
	if err != nil {
		return err
	}
	return m.keepOnly(w)
}

// readCounted reads a counter, plain or with a suffix, or a duration; others is what else there is
// of that group, for suggestions.
func (m *Measure) readCounted(what string, columns, lengths, others []string) error {
	base, stat, dotted := strings.Cut(what, ".")
	if slices.Contains(lengths, base) {
		if !dotted || !slices.Contains(statistics, stat) {
			return bad("", "%s is read as one of %s.%s", what, base, strings.Join(statistics, ", ."))
		}
		m.Kind, m.Unit, m.what, m.stat = Lengths, Duration, base, stat
		return nil
	}
	if m.readSuffix(what, func(name string) bool { return slices.Contains(columns, name) }) {
		return nil
	}
	if slices.Contains(statistics, what) && len(lengths) > 0 {
		return bad(m.lengthened(what, lengths), "no measure %q of %s", what, m.of)
	}
	known := slices.Concat(columns, others)
	for _, c := range columns {
		known = append(known, c+"_per_s", c+"_share")
	}
	for _, l := range lengths {
		for _, s := range statistics {
			known = append(known, l+"."+s)
		}
	}
	if hint := didYouMean(what, known); hint != "" {
		return bad(hint, "no measure %q of %s", what, m.of)
	}
	return bad(fmt.Sprintf("there are %s, each also with _per_s and _share, and %s",
		strings.Join(columns, ", "), strings.Join(slices.Concat(others, lengths), ", ")),
		"no measure %q of %s", what, m.of)
}

// lengthened suggests the durations of which somebody wrote only the statistic.
func (m *Measure) lengthened(stat string, lengths []string) string {
	prefix, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(m.Text), stat), "/")
	prefix = strings.TrimSuffix(prefix, ".") + "."
	meant := make([]string, len(lengths))
	for i, l := range lengths {
		meant[i] = fmt.Sprintf("%q", prefix+l+"."+stat)
	}
	return "did you mean " + strings.Join(meant, " or ") + "?"
}

// readSuffix reads NAME, NAME_per_s or NAME_share.
func (m *Measure) readSuffix(what string, known func(string) bool) bool {
	if known(what) {
		m.Kind, m.Unit, m.what = Counter, Count, what
		return true
	}
	if base, cut := strings.CutSuffix(what, "_per_s"); cut && known(base) {
		m.Kind, m.Unit, m.what = PerSecond, Rate, base
		return true
	}
	if base, cut := strings.CutSuffix(what, "_share"); cut && known(base) {
		m.Kind, m.Unit, m.what = Part, Share, base
		return true
	}
	return false
}

// keepOnly checks that the client filter makes sense here.
func (m *Measure) keepOnly(w *model.World) error {
	if m.only < 0 {
		return nil
	}
	client := w.Clients[m.only].Name
	switch {
	case m.of == "controls":
		return bad("leave client out", "a control has no share of one client")
	case m.of == "recovery":
		return bad("name the client in recovery.watch", "recovery has no share of one client")
	case m.Kind == Gauge, m.Kind == Whole, m.entries != nil, find(probeCounters, m.what) != nil,
		m.Kind == Lengths && m.of != "clients":
		return bad("leave client out", "%s is not kept by client", m.Text)
	case m.of == "clients" && !slices.Contains(m.clients, m.only):
		return bad("leave client out", "%s has nothing of client %q", m.Text, client)
	case m.what == "amplification" && !slices.Contains(m.clients, m.only):
		return bad("", "no call of client %q can reach %s", client, m.Text)
	}
	if m.clients != nil {
		m.clients = []int{m.only}
	}
	return nil
}
