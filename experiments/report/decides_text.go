package report

import (
	"strings"

	"cascadesim/model/check"
)

// usedUp says whether a policy refuses only what goes beyond a call's attempts. Such a refusal is
// how every failed call ends and no sign of a budget at work, so texts leave it out; the summary
// counts it in refused_by all the same.
func usedUp(policy string) bool { return policy == "max_attempts" || policy == "none" }

// atWork are the layers that sent something, without what is no budget.
func atWork(layers []check.Layer) []check.Layer {
	var out []check.Layer
	for _, l := range layers {
		if l.FirstPerS+l.RetriesPerS > 0 || refused(l) {
			out = append(out, withoutUsedUp(l))
		}
	}
	return out
}

// refused says whether a budget kept something from being sent.
func refused(l check.Layer) bool {
	for _, b := range l.Budgets {
		if b.RefusedPerS > 0 {
			return true
		}
	}
	return false
}

// withoutUsedUp leaves a layer's budgets, throttles and breakers.
func withoutUsedUp(l check.Layer) check.Layer {
	var kept []check.Budget
	for _, b := range l.Budgets {
		if !usedUp(b.Policy) {
			kept = append(kept, b)
		}
	}
	l.Budgets = kept
	return l
}

// text is the finding as lines; empty when nothing was near its limit.
func (d Decides) text(term Terminal) string {
	if len(d.Lines) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n" + term.bold("What decides") + "  (" + d.Doc + ")\n")
	for _, f := range d.Lines {
		if f.below {
			out.WriteString(term.note("  ", Note{Plain, f.text}))
			continue
		}
		out.WriteString(term.note("", Note{Plain, f.name + ", " + f.when + ": " + f.text}))
	}
	return out.String()
}

// table is the finding for a page.
func (d Decides) table() Table {
	t := Table{Title: "What decides", Doc: d.Doc, Head: []Column{
		text("tier"), text("stretch"), text("what arrives against what it can do")}}
	for _, f := range d.Lines {
		row := Row{Cells: []string{f.name, f.when, f.text}}
		if f.below {
			row.Mark = Beneath
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
