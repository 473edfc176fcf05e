package report

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"cascadesim/model/check"
	"cascadesim/sim"
)

// nearLimit is the load from which on a replica is worth a line: below it nothing was in danger.
const nearLimit = 0.8

// Decides shows, for the stretch of the run in which most requests failed, both sides of what
// decides whether a tier comes back: first tries and retries that arrive, against its capacity.
type Decides struct {
	When  string
	Lines []finding
}

// finding is one sentence; those below another one explain it.
type finding struct {
	text  string
	below bool
}

// decides looks at the worst stretch: a fortieth of the run, or at least a few windows.
func (r Run) decides() (Decides, error) {
	axis, bin := axisOf(r.Plan, r.Results[0], 40)
	rec := &recorder{plan: r.Plan, r: r.Results[0], axis: axis, bin: bin}
	at, worst := 0, math.Inf(-1)
	for _, l := range rec.clients().Lines {
		for i, v := range l.Values {
			if v > worst {
				at, worst = i, v
			}
		}
	}
	if rec.err != nil || worst <= 0 {
		return Decides{}, rec.err
	}
	from, to := sim.Time(at)*bin, min(sim.Time(at+1)*bin, r.Plan.World.End)
	conditions := check.Conditions(r.Plan, r.Results[0], from, to)
	sort.SliceStable(conditions, func(i, j int) bool {
		return conditions[i].Load() > conditions[j].Load()
	})
	out := Decides{When: fmt.Sprintf("%s to %s",
		axis.Clock.Format(from.Seconds()), axis.Clock.Format(to.Seconds()))}
	said := map[string]bool{}
	for i, c := range conditions {
		if i == maxConditions || !(c.Load() >= nearLimit) {
			break
		}
		c.Layers = each(c.Layers, withoutUsedUp)
		for j, line := range c.Lines() {
			// Replicas of one tier have the same layers above them: once is enough.
			if j > 0 && said[c.Tier] {
				break
			}
			out.Lines = append(out.Lines, finding{line, j > 0})
		}
		said[c.Tier] = true
	}
	return out, nil
}

// usedUp says whether a policy refuses only what goes beyond a call's attempts. Such a refusal is
// how every failed call ends and no sign of a budget at work, so texts leave it out; the summary
// counts it in refused_by all the same.
func usedUp(policy string) bool { return policy == "max_attempts" || policy == "none" }

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

// maxConditions is how many replicas are shown; the first ones tell the story.
const maxConditions = 3

// text is the finding as lines; empty when nothing was near its limit.
func (d Decides) text(term Terminal) string {
	if len(d.Lines) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n" + term.bold("What decides") + "  (when most failed: " + d.When + ")\n")
	for _, f := range d.Lines {
		word := ""
		if f.below {
			word = "  "
		}
		out.WriteString(term.note(word, Note{Plain, f.text}))
	}
	return out.String()
}

// table is the finding for a page.
func (d Decides) table() Table {
	t := Table{Title: "What decides", Doc: "when most requests failed: " + d.When,
		Head: []Column{text("tier"), text("what arrives against what it can do")}}
	for _, f := range d.Lines {
		tier, rest, found := strings.Cut(f.text, ": ")
		if f.below || !found {
			tier, rest = "", f.text
		}
		t.Rows = append(t.Rows, Row{Cells: []string{tier, rest}})
	}
	return t
}
