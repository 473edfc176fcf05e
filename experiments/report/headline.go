package report

import (
	"fmt"
	"strings"

	"cascadesim/model/check"
)

// Recovery is one sentence on whether the system came back.
func (r Run) Recovery() Note {
	rec := r.Summary.Recovery
	tone := Doubt
	var text string
	switch rec.Verdict {
	case check.NoFault:
		return Note{Plain, "no fault: the timeline has no entry"}
	case check.Recovered:
		tone, text = Good, "recovered"
	case check.Metastable:
		tone, text = Bad, "metastable: stuck, although nothing that broke is still broken"
	case check.Degraded:
		text = "degraded: better than stuck, worse than recovered"
	}
	text += r.back(rec) + r.surged(rec)
	if len(rec.Verdicts) > 1 {
		var parts []string
		for _, v := range []string{check.Recovered, check.Degraded, check.Metastable, check.NoFault} {
			if n := rec.Verdicts[v]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", v, n))
			}
		}
		text += "; of the replications: " + strings.Join(parts, ", ")
	}
	return Note{tone, text}
}

// back says when the ok share was back, and what that counts from.
func (r Run) back(rec check.RecoverySummary) string {
	if rec.TimeS == nil {
		return ""
	}
	one := check.Recover(r.Plan, r.Results[0])
	event := one.Entry + " began"
	if one.EntryEnds {
		event = one.Entry + " ended"
	}
	when := ""
	if len(r.Results) == 1 {
		when = " at " + clockOf(r.Plan.Scenario).Format(one.From.Seconds()+*rec.TimeS)
	}
	text := fmt.Sprintf("ok share %s again%s, %s after %s", r.Plan.Scenario.Recovery.AtLeast, when,
		seconds(*rec.TimeS), event)
	if len(r.Results) > 1 {
		text += " on average"
	}
	if rec.Verdict != check.Recovered {
		return "; " + text + ", but not to stay"
	}
	return ": " + text
}

// surged names the edge whose traffic grew most.
func (r Run) surged(rec check.RecoverySummary) string {
	if rec.Surge == nil {
		return ""
	}
	edge := check.Recover(r.Plan, r.Results[0]).Edge
	for _, one := range r.Results {
		if check.Recover(r.Plan, one).Edge != edge {
			edge = ""
		}
	}
	if edge != "" {
		edge = ", " + edge + ","
	}
	return fmt.Sprintf("; the busiest edge%s surged to %s of its traffic before", edge,
		Factor.Format(*rec.Surge))
}
