package figure

import (
	"fmt"

	"cascadesim/experiments/report"
	"cascadesim/model"
)

// breakers is which share of the breakers of each stack entry is open, and half open.
func breakers(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("breakers", rd.name()+": breakers that are open")
	var words []string
	for e := range plan.World.Edges {
		edge := &plan.World.Edges[e]
		for k, use := range edge.Stack {
			if r.Edges[e].Open[k] == nil {
				continue
			}
			open := rd.series("edges." + edge.Name + ".open." + use.Name)
			half := rd.series("edges." + edge.Name + ".half_open." + use.Name)
			f.Panels = append(f.Panels, Panel{Title: edge.Name + ", " + use.Name, Unit: report.Share,
				Height: 110, Lines: []Line{{Name: "open", Values: open, Color: 0},
					{Name: "half open", Values: half, Color: 1}}})
			if most, bin := at(open); most > 0 {
				words = append(words, fmt.Sprintf("of %s on %s most are open at %s, %s", use.Name, edge.Name,
					rd.clock(bin), report.Share.Format(most)))
			}
		}
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("breakers: no policy of this world opens and closes")
	}
	f.Caption = "The share of breakers that are open, of those that somebody has used, and of those " +
		"that let a few attempts pass to see whether they can close."
	f.Alt = sentences(words, "no breaker opened")
	return f, rd.err
}
