package figure

import (
	"fmt"
	"math"

	"cascadesim/experiments/report"
	"cascadesim/model"
)

// amplification is how retries multiply from layer to layer, when most requests failed.
func amplification(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	from, to, share := rd.worst()
	f := rd.figure("amplification", fmt.Sprintf("%s: attempts for each request, by layer", rd.name()))
	f.Spans = nil
	p := Panel{Title: "Attempts for each request", Unit: report.Factor}
	var words []string
	for _, e := range byDepth(plan) {
		edge := &plan.World.Edges[e]
		v := rd.over("edges."+edge.Name+".amplification", from, to)
		if !(v > 0) {
			continue
		}
		p.Bars = append(p.Bars, Bar{Name: edge.Name, Value: v, Text: report.Factor.Format(v)})
		words = append(words, fmt.Sprintf("%s %s", edge.Name, report.Factor.Format(v)))
	}
	if len(p.Bars) == 0 {
		return f, fmt.Errorf("amplification: no attempts were made from %s to %s", rd.clock(from),
			rd.clock(to))
	}
	f.Panels = []Panel{p}
	f.Caption = rd.when(from, to, share) + " Attempts over each edge for each request of the " +
		"clients that can reach it, callers first; the scale is logarithmic and begins at one attempt."
	f.Alt = sentences([]string{"attempts for each request: " + joined(few(words))}, "")
	return f, rd.err
}

func joined(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}

// byDepth is the edges, those of clients first, then those of the tiers behind them.
func byDepth(plan *model.Plan) []int {
	w := plan.World
	var out []int
	seen := make([]bool, len(w.Edges))
	depth := depths(plan)
	for d := 0; d <= len(w.Tiers); d++ {
		for e := range w.Edges {
			at := 0
			if w.Edges[e].From >= 0 {
				at = depth[w.Edges[e].From] + 1
			}
			if at == d && !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// depths is how many calls lie between a client and a tier, the longest way.
func depths(plan *model.Plan) []int {
	w := plan.World
	out := make([]int, len(w.Tiers))
	for range w.Tiers {
		for e := range w.Edges {
			if w.Edges[e].From < 0 {
				continue
			}
			for _, t := range plan.TiersOf(e) {
				if failover(plan, e, t) {
					continue
				}
				out[t] = max(out[t], min(out[w.Edges[e].From]+1, len(w.Tiers)))
			}
		}
	}
	return out
}

// failover says whether an edge comes to a tier only when its own is out of rotation.
func failover(plan *model.Plan, e, tier int) bool {
	all := plan.TiersOf(e)
	return plan.World.Edges[e].Balance.Failover >= 0 && len(all) > 1 && all[len(all)-1] == tier
}

// barOption lays out bars on a logarithmic scale. They begin at 1, so that their lengths add up as
// what the layers multiply by; what is not above 1 has none.
func (f Figure) barOption() (map[string]any, int) {
	p := f.Panels[0]
	c := &canvas{theme: f.theme()}
	f.heading(c)
	row := 26.0
	top := float64(titleRoom) + 22
	bottom := top + row*float64(len(p.Bars))
	c.text(16, titleRoom+8, p.Title+" (logarithmic)", map[string]any{"fontSize": 12,
		"fontWeight": "bold"})
	room, most := 0.0, 2.0
	for _, b := range p.Bars {
		room = max(room, wide(abridged(b.Name, nameSize, 260), nameSize))
		most = max(most, b.Value)
	}
	left := 16 + room + 10
	x := func(v float64) float64 {
		return left + (Width-left-70)*math.Log(max(v, 1))/math.Log(most)
	}
	for _, v := range factors(most) {
		c.elements = append(c.elements, map[string]any{"type": "line", "z": 1, "silent": true,
			"shape": map[string]any{"x1": x(v), "y1": top, "x2": x(v), "y2": bottom},
			"style": map[string]any{"stroke": f.theme().grid}})
		c.text(x(v), bottom+12, report.Factor.Format(v), map[string]any{"textAlign": "center"})
	}
	for i, b := range p.Bars {
		y := top + row*float64(i)
		c.text(left-8, y+row/2, abridged(b.Name, nameSize, 260), map[string]any{"textAlign": "right"})
		c.rect(left, y+4, x(b.Value)-left, row-8, c.theme.color(b.Color), 5)
		c.text(x(b.Value)+6, y+row/2, b.Text, map[string]any{"fontWeight": "bold"})
	}
	c.stroke(left, top, left, bottom, map[string]any{"stroke": f.theme().soft, "lineWidth": 1})
	return map[string]any{"graphic": c.elements}, int(bottom + 26)
}

// factors are the ticks of a logarithmic scale from 1 on: 1, 2, 5, 10, or powers of ten alone.
func factors(most float64) (out []float64) {
	for ten := 1.0; ten <= most; ten *= 10 {
		for _, v := range []float64{1, 2, 5} {
			if v*ten <= most && (v == 1 || most < 50) {
				out = append(out, v*ten)
			}
		}
	}
	return out
}
