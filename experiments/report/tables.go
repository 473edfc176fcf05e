package report

import (
	"fmt"
	"math"
	"strings"

	"cascadesim/model/check"
)

// tables are what the run counted, for the real system: simulated counts are divided by the scale
// and are those of one replication on average.
func (r Run) tables() []Table {
	return []Table{r.clients(), r.edges(), r.refusals(), r.budgets(), r.tiers(), r.controls()}
}

// real is a simulated count as the real system's.
func (r Run) real(n uint64) string {
	v := float64(n) / float64(len(r.Results))
	if r.Summary.Scale > 0 {
		v /= r.Summary.Scale
	}
	return Count.Format(math.Round(v))
}

// same is real for what a smaller run has as much of.
func (r Run) same(n uint64) string {
	return Count.Format(math.Round(float64(n) / float64(len(r.Results))))
}

// part is a share of counts.
func part(n, of uint64) string {
	if of == 0 {
		return None
	}
	return Share.Format(float64(n) / float64(of))
}

// optional writes a value that may not exist.
func optional(u Unit, v *float64) string {
	if v == nil {
		return None
	}
	return u.Format(*v)
}

// means says what counts are when there are several replications, after other words about the
// table.
func (r Run) means(words ...string) string {
	if n := len(r.Results); n > 1 {
		words = append(words, fmt.Sprintf("means of %d replications", n))
	}
	return strings.Join(words, "; ")
}

// pooled is means for a table with percentiles.
func (r Run) pooled() string {
	if len(r.Results) == 1 {
		return ""
	}
	return r.means() + ", percentiles of all together"
}

// open says how many requests had no answer when the run ended; empty: none.
func (r Run) open() string {
	n := r.real(r.Summary.Totals.InFlight)
	switch n {
	case "0":
		return ""
	case "1":
		return "1 request was still in flight at the end"
	}
	return n + " requests were still in flight at the end"
}

// footClients says what is left open, and whose ok answers were lesser ones.
func (r Run) footClients() string {
	var words []string
	if open := r.open(); open != "" {
		words = append(words, open)
	}
	for _, c := range r.Plan.World.Clients {
		s := r.Summary.Clients[c.Name]
		if s.Repeats > 0 {
			words = append(words, fmt.Sprintf("%s of the requests of %s repeat one that failed: %s "+
				"operations", part(s.Repeats, s.Requests), c.Name, r.real(s.Requests-s.Repeats)))
		}
		if s.Degraded > 0 {
			words = append(words, fmt.Sprintf("%s of the ok answers to %s were degraded: a fallback "+
				"stood in", part(s.Degraded, s.OK), c.Name))
		}
	}
	return strings.Join(words, "; ")
}

func (r Run) clients() Table {
	t := Table{Title: "Clients", Doc: r.pooled(), Foot: r.footClients(),
		Head: heads("client", "requests", "ok", "failed", "p50", "p99", "p99.9")}
	for _, c := range r.Plan.World.Clients {
		s := r.Summary.Clients[c.Name]
		t.Rows = append(t.Rows, Row{Cells: []string{
			c.Name, r.real(s.Requests), part(s.OK, s.Requests), part(s.Failed, s.Requests),
			optional(Duration, s.LatencyS.P50), optional(Duration, s.LatencyS.P99),
			optional(Duration, s.LatencyS.P999),
		}})
	}
	return t
}

// outcomeColumn is a class of outcomes that has a column when any edge has one of it.
type outcomeColumn struct {
	name string
	of   func(check.Outcomes) uint64
}

var outcomeColumns = []outcomeColumn{
	{"ok", func(o check.Outcomes) uint64 { return o.OK }},
	{"error", func(o check.Outcomes) uint64 { return o.Error }},
	{"rejected", func(o check.Outcomes) uint64 { return o.Rejected }},
	{"timed out", func(o check.Outcomes) uint64 { return o.TimedOut }},
	{"blocked", func(o check.Outcomes) uint64 { return o.Blocked }},
	{"dropped", func(o check.Outcomes) uint64 { return o.Dropped }},
	{"cancelled", func(o check.Outcomes) uint64 { return o.Cancelled }},
}

// sendingColumn counts what an edge did beside its attempts; it has a column when any edge did.
type sendingColumn struct {
	name string
	of   func(check.EdgeSummary) uint64
	text func(r Run, n uint64) string
}

var sendingColumns = []sendingColumn{
	{"copies", func(e check.EdgeSummary) uint64 { return e.Hedges }, Run.real},
	{"connects", func(e check.EdgeSummary) uint64 { return e.Connects }, Run.real},
	{"retransmits", func(e check.EdgeSummary) uint64 { return e.Retransmits }, Run.real},
	{"probes", func(e check.EdgeSummary) uint64 { return e.Probes }, Run.same},
	{"probes failed", func(e check.EdgeSummary) uint64 { return e.ProbesFailed }, Run.same},
	{"taken out", func(e check.EdgeSummary) uint64 { return e.TakenOut }, Run.same},
}

func (r Run) edges() Table {
	var shown []outcomeColumn
	for i, c := range outcomeColumns {
		had := i == 0
		for _, e := range r.Summary.Edges {
			had = had || c.of(e.Outcomes) > 0
		}
		if had {
			shown = append(shown, c)
		}
	}
	t := Table{Title: "Edges", Doc: r.means("outcomes are shares of the attempts"),
		Foot: "amplif.: attempts per request of the clients that can reach the edge",
		Head: heads("edge", "calls", "attempts", "retries")}
	var more []sendingColumn
	for _, c := range sendingColumns {
		had := false
		for _, e := range r.Summary.Edges {
			had = had || c.of(e) > 0
		}
		if had {
			more = append(more, c)
			t.Head = append(t.Head, number(c.name))
		}
	}
	t.Head = append(t.Head, number("amplif."))
	for _, c := range shown {
		t.Head = append(t.Head, number(c.name))
	}
	for _, e := range r.Plan.World.Edges {
		s := r.Summary.Edges[e.Name]
		cells := []string{e.Name, r.real(s.Calls), r.real(s.Attempts), r.real(s.Retries)}
		for _, c := range more {
			cells = append(cells, c.text(r, c.of(s)))
		}
		cells = append(cells, optional(Factor, s.Amplification))
		for _, c := range shown {
			cells = append(cells, part(c.of(s.Outcomes), s.Attempts))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}

// refusals names the policies that kept attempts from being sent, in the order of each stack. That
// a call had used up its attempts is no refusal here.
func (r Run) refusals() Table {
	t := Table{
		Title: "Refused by a policy of the caller",
		Doc:   r.means("share of the attempts that were wanted"),
		Head:  []Column{text("edge"), text("policy"), number("refused"), number("share")},
	}
	for _, e := range r.Plan.World.Edges {
		s := r.Summary.Edges[e.Name]
		seen := map[string]bool{}
		for _, use := range e.Stack {
			n := s.RefusedBy[use.Name]
			if n == 0 || seen[use.Name] || usedUp(use.Name) {
				continue
			}
			seen[use.Name] = true
			t.Rows = append(t.Rows, Row{Cells: []string{
				e.Name, use.Name, r.real(n), part(n, s.Attempts+s.Outcomes.Refused),
			}})
		}
	}
	return t
}

// budgets shows how full budgets and how far closed breakers were, and when an alert was first due.
// Those that nobody used and no alert watches are left out.
func (r Run) budgets() Table {
	clock := clockOf(r.Plan.Scenario)
	t := Table{
		Title: "Levels of callers' policies",
		Doc:   r.means("share of the tokens that were left; of a breaker how far it was closed"),
		Foot:  "lowest: of all states together, at the start of any window; an alert looks at each state",
		Head: []Column{text("edge"), text("policy"), number("mean"), number("lowest"),
			number("alert below"), number("first at")},
	}
	for _, e := range r.Plan.World.Edges {
		budgets := r.Summary.Edges[e.Name].Budgets
		for _, use := range e.Stack {
			b, ok := budgets[use.Name]
			if !ok || b.Low == 0 && (b.Lowest == nil || *b.Lowest == 1) {
				continue
			}
			alert, at := None, None
			if b.Low > 0 {
				alert, at = Share.Format(b.Low), "never"
			}
			if b.LowAtS != nil {
				at = clock.Format(*b.LowAtS)
			}
			t.Rows = append(t.Rows, Row{Cells: []string{
				e.Name, use.Name, optional(Share, b.Level), optional(Share, b.Lowest), alert, at,
			}})
		}
	}
	return t
}

func (r Run) tiers() Table {
	t := Table{Title: "Tiers", Doc: r.pooled(),
		Foot: "utilization, in line and in flight are means over the run",
		Head: heads("tier", "arrivals", "rejected", "dropped", "utilization", "in line",
			"in flight", "wait p99", "service p50")}
	for _, name := range r.Plan.World.Tiers {
		s := r.Summary.Tiers[name.Name]
		t.Rows = append(t.Rows, Row{Cells: []string{
			name.Name, Rate.Format(r.perSecond("tiers." + name.Name + ".arrivals_per_s")),
			part(s.Rejected, s.Arrivals), part(s.Dropped, s.Arrivals),
			optional(Share, s.Utilization), r.level(s.MeanInLine), r.level(s.MeanInSystem),
			optional(Duration, s.WaitS.P99), optional(Duration, s.ServiceS.P50),
		}})
	}
	return t
}

// level is a mean of something counted, as the real system's.
func (r Run) level(v *float64) string {
	if v == nil {
		return None
	}
	if r.Summary.Scale > 0 {
		return Level.Format(*v / r.Summary.Scale)
	}
	return Level.Format(*v)
}

// perSecond is the mean of a rate over the replications, after the warm-up.
func (r Run) perSecond(measure string) float64 {
	sum := 0.0
	for _, one := range r.Results {
		v, err := check.Over(r.Plan, one, measure, check.DefaultRange(r.Plan.World))
		if err != nil {
			return math.NaN()
		}
		sum += v
	}
	return sum / float64(len(r.Results))
}
