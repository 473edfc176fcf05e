package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"cascadesim/experiments/explain"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Explained is the story of a run.
type Explained struct {
	*explain.Explanation
	Name string
}

// WriteText writes the story, the loops, the layers and the ledger for a terminal.
func (x Explained) WriteText(w io.Writer, term Terminal) error {
	var out strings.Builder
	out.WriteString(term.bold(Visible(x.Name)) + fmt.Sprintf("  seed %d   scale %s   %s, in "+
		"steps of %s\n\n", x.Result.Seed, scaleText(x.Plan.World.Scale),
		clockOf(x.Plan.Scenario).Name(), seconds(x.Bin.Seconds())))
	out.WriteString(term.bold("What happened") + "\n")
	width := 0
	for _, f := range x.Facts {
		width = max(width, len(explain.Clock(x.Plan, f.At)))
	}
	for _, f := range x.Facts {
		at := explain.Clock(x.Plan, f.At)
		out.WriteString(term.note(strings.Repeat(" ", width-len(at))+at, Note{toneOf(f), f.Text}))
	}
	if len(x.Facts) == 0 {
		out.WriteString("nothing: no limit was reached and nothing failed\n")
	}
	out.WriteString("\n")
	for _, t := range []Table{x.gains(), x.layers()} {
		if err := t.WriteText(&out, term); err != nil {
			return err
		}
		if len(t.Rows) > 0 {
			out.WriteString("\n")
		}
	}
	for i := range x.Outages {
		if len(x.Layers) > 0 {
			out.WriteString(term.note("cause", Note{Plain, x.cause(i)}))
		}
	}
	if len(x.Outages) > 0 && len(x.Layers) > 0 {
		out.WriteString("\n")
	}
	for _, t := range []Table{x.attempts(), x.again(), x.wasted(), x.work()} {
		if err := t.WriteText(&out, term); err != nil {
			return err
		}
		if len(t.Rows) > 0 {
			out.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// toneOf is how a fact is to be taken.
func toneOf(f explain.Fact) Tone {
	return map[string]Tone{"outage": Bad, "loop": Bad, "end": Good}[f.Kind]
}

// happened is the story as a table.
func (x Explained) happened() Table {
	t := Table{Title: "What happened", Doc: clockOf(x.Plan.Scenario).Name(),
		Head: []Column{text("when"), text("what")}}
	for _, f := range x.Facts {
		t.Rows = append(t.Rows, Row{Cells: []string{explain.Clock(x.Plan, f.At), f.Text},
			Mark: toneOf(f)})
	}
	return t
}

// gainPoints is how many moments of a loop are shown.
const gainPoints = 8

// gains are the loops over time.
func (x Explained) gains() Table {
	t := Table{Title: "The loop's gain over time",
		Doc: "what retries of all layers add, over what first tries leave of the capacity; above 1 " +
			"retries alone keep it overloaded",
		Head: []Column{text("tier"), text("from"), number("first tries"), number("retries add"),
			number("per first try"), number("capacity"), number("gain")}}
	for _, l := range x.Loops {
		if top, _ := strongest(l.Points); !(top.Gain > 1) && len(x.Loops) > 1 {
			continue // it was never in danger
		}
		step := max((len(l.Points)+gainPoints-1)/gainPoints, 1)
		for k := 0; k < len(l.Points); k += step {
			p, at := strongest(l.Points[k:min(k+step, len(l.Points))])
			gain := Factor.Format(p.Gain)
			if math.IsInf(p.Gain, 1) {
				gain = "no room"
			}
			row := Row{Cells: []string{l.Place, explain.Clock(x.Plan, sim.Time(k+at)*l.Bin),
				Rate.Format(p.First), Rate.Format(p.Extra), Factor.Format(p.Extra / p.First),
				Rate.Format(p.Capacity), gain}}
			if p.Gain > 1 {
				row.Mark = Bad
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// strongest is the point with the largest gain of some.
func strongest(points []explain.LoopPoint) (explain.LoopPoint, int) {
	best, at := points[0], 0
	for i, p := range points {
		if p.Gain > best.Gain || math.IsNaN(best.Gain) {
			best, at = p, i
		}
	}
	return best, at
}

// layers are the edges that were switched off.
func (x Explained) layers() Table {
	t := Table{Title: "The same luck with one layer's retries off",
		Doc:  "how long each outage still is, and when it is over for good",
		Head: []Column{text("without the retries of"), number("retries"), text("verdict")}}
	for i, o := range x.Outages {
		t.Head = append(t.Head, number(fmt.Sprintf("%d: %s", i+1, o.Client)))
	}
	base := []string{"nobody's (as it was)", "", x.Recovery.Verdict}
	for _, o := range x.Outages {
		base = append(base, x.long(o.Length()))
	}
	if len(x.Layers) == 0 || len(x.Outages) == 0 {
		return t
	}
	t.Rows = append(t.Rows, Row{Cells: base})
	for _, l := range x.Layers {
		cells := []string{l.Edge, count(math.Round(float64(l.Retries) / x.Plan.World.Scale)), l.Verdict}
		if l.Edge == explain.AllLayers {
			cells[1] = ""
		}
		row := Row{}
		for i := range x.Outages {
			cells = append(cells, x.long(l.Left[i]))
			if l.Ends(x.Outages[i], i) {
				row.Mark = Good
			}
		}
		row.Cells = cells
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (x Explained) long(t sim.Time) string {
	if t == 0 {
		return "none"
	}
	return seconds(t.Seconds())
}

// cause says which layer kept an outage going.
func (x Explained) cause(i int) string {
	o := x.Outages[i]
	name := fmt.Sprintf("outage %d (%s from %s)", i+1, o.Client, explain.Clock(x.Plan, o.From))
	var alone []string
	together := false
	for _, l := range x.Layers {
		switch {
		case !l.Ends(o, i):
		case l.Edge == explain.AllLayers:
			together = true
		default:
			alone = append(alone, fmt.Sprintf("%s (%s instead of %s)", l.Edge,
				x.long(l.Left[i]), x.long(o.Length())))
		}
	}
	switch {
	case len(alone) > 0:
		return name + " is kept by the retries of " + strings.Join(alone, ", and of ") +
			", all else equal"
	case together:
		return name + " is kept by several layers together: it ends without the retries of all of " +
			"them, and not without those of any one"
	}
	return name + " is not kept by retries: without any of them it does not end sooner"
}

// attempts is the ledger of why attempts were made.
func (x Explained) attempts() Table {
	t := Table{Title: "Ledger: attempts by why they were made",
		Doc: "first tries, retries by what they followed and copies are the attempts; simulated counts",
		Head: heads("edge", "attempts", "first tries", "after timeouts", "errors", "rejections",
			"drops", "blocks", "refusals", "copies")}
	for _, e := range x.Ledger.Edges {
		row := []string{e.Edge, count(float64(e.Attempts)), count(float64(e.First))}
		for _, class := range []policies.Class{policies.TimedOut, policies.Error, policies.Rejected,
			policies.Dropped, policies.Blocked, policies.Refused} {
			row = append(row, count(float64(e.After[class])))
		}
		t.Rows = append(t.Rows, Row{Cells: append(row, count(float64(e.Copies)))})
	}
	return t.withoutEmpty(2)
}

// again is the ledger of outcomes.
func (x Explained) again() Table {
	t := Table{Title: "Ledger: attempts by how they ended",
		Head: heads("edge", "ok", "error", "rejected", "timed out", "blocked", "dropped",
			"cancelled", "in flight")}
	for _, e := range x.Ledger.Edges {
		row := []string{e.Edge}
		for _, n := range []uint64{e.Outcomes[policies.OK], e.Outcomes[policies.Error],
			e.Outcomes[policies.Rejected], e.Outcomes[policies.TimedOut],
			e.Outcomes[policies.Blocked], e.Outcomes[policies.Dropped], e.Cancelled,
			e.Outcomes[policies.Pending]} {
			row = append(row, count(float64(n)))
		}
		t.Rows = append(t.Rows, Row{Cells: row})
	}
	return t.withoutEmpty(1)
}

// wasted is the ledger of what was done for nobody.
func (x Explained) wasted() Table {
	t := Table{Title: "Ledger: done for nobody",
		Head: heads("edge", "answers too late", "server time")}
	for _, e := range x.Ledger.Edges {
		if e.Late > 0 || e.Wasted > 0 {
			t.Rows = append(t.Rows, Row{Cells: []string{e.Edge, count(float64(e.Late)),
				seconds(e.Wasted.Seconds())}})
		}
	}
	if x.Ledger.Work > 0 {
		t.Foot = fmt.Sprintf("together %s of %s that slots worked (%s)",
			seconds(x.Ledger.Wasted.Seconds()), seconds(x.Ledger.Work.Seconds()),
			Share.Format(x.Ledger.Wasted.Seconds()/x.Ledger.Work.Seconds()))
	}
	return t
}

// work is the ledger of the tiers.
func (x Explained) work() Table {
	t := Table{Title: "Ledger: work", Head: heads("tier", "arrivals", "completed",
		"completed for nobody", "side effects", "duplicate ones")}
	for _, e := range x.Ledger.Tiers {
		row := []string{e.Tier}
		for _, n := range []uint64{e.Arrivals, e.Completed, e.Wasted, e.Effects, e.Duplicates} {
			row = append(row, count(float64(n)))
		}
		t.Rows = append(t.Rows, Row{Cells: row})
	}
	return t.withoutEmpty(2)
}

// withoutEmpty leaves out the columns from the given one on in which nothing but 0 stands.
func (t Table) withoutEmpty(from int) Table {
	out := Table{Title: t.Title, Doc: t.Doc, Foot: t.Foot}
	var kept []int
	for i, h := range t.Head {
		keep := i < from
		for _, r := range t.Rows {
			keep = keep || r.Cells[i] != "0" && r.Cells[i] != "0s"
		}
		if keep {
			kept = append(kept, i)
			out.Head = append(out.Head, h)
		}
	}
	for _, r := range t.Rows {
		row := Row{Mark: r.Mark}
		for _, i := range kept {
			row.Cells = append(row.Cells, r.Cells[i])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
