package figure

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model"
)

// topology is who calls whom, with load and failures.
func topology(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	from, to, share := rd.worst()
	f := rd.figure("topology", rd.name()+": who calls whom")
	f.Spans = nil
	g := &Graph{}
	var words []string
	w := plan.World
	depth := depths(plan)
	place := columns{}
	for _, c := range w.Clients {
		name := "clients." + c.Name
		fails := rd.over(name+".failed_per_s", from, to) / rd.over(name+".requests_per_s", from, to)
		g.Nodes = append(g.Nodes, Node{Name: c.Name, Client: true, Alarm: fails > 0.03,
			Text: report.Share.Format(fails) + " fail"})
		place.add(0, len(g.Nodes)-1)
		words = append(words, fmt.Sprintf("%s of requests of %s fail", report.Share.Format(fails),
			c.Name))
	}
	for t, tier := range w.Tiers {
		name := "tiers." + tier.Name
		busy := rd.over(name+".utilization", from, to)
		text := report.Rate.Format(rd.over(name+".arrivals_per_s", from, to))
		if busy > 0 {
			text += fmt.Sprintf(", %.0f%% busy", busy*100)
			words = append(words, fmt.Sprintf("%s is %s busy", tier.Name, report.Share.Format(busy)))
		}
		g.Nodes = append(g.Nodes, Node{Name: tier.Name, Text: text, Alarm: busy > 0.95})
		place.add(depth[t]+1, len(g.Nodes)-1)
	}
	g.Height = place.lay(g)
	for e := range w.Edges {
		edge := &w.Edges[e]
		rate := rd.over("edges."+edge.Name+".attempts_per_s", from, to)
		ok := rd.over("edges."+edge.Name+".ok_per_s", from, to)
		per := rd.over("edges."+edge.Name+".attempts_per_call", from, to)
		told := false
		for _, t := range plan.TiersOf(e) {
			if failover(plan, e, t) {
				continue
			}
			l := Link{From: len(w.Clients) + edge.From, To: len(w.Clients) + t,
				Alarm: rate > 0 && !(ok/rate > 0.97), Wide: 1 + min(math.Log10(1+rate), 6)/3}
			if edge.From < 0 {
				l.From = edge.Client
			}
			if per > 1.01 && !told {
				l.Text, told = "x"+report.Level.Format(per), true
			}
			g.Links = append(g.Links, l)
		}
	}
	f.Graph = g
	f.Caption = rd.when(from, to, share) + " Arrows are as wide as many attempts go over them; red " +
		"ones carry more than 3 % that are not answered well; xN is attempts for each call."
	f.Alt = sentences(words, "nothing")
	return f, rd.err
}

// columns are the nodes by depth.
type columns struct{ at [][]int }

func (c *columns) add(depth, node int) {
	for len(c.at) <= depth {
		c.at = append(c.at, nil)
	}
	c.at[depth] = append(c.at[depth], node)
}

const (
	boxHeight = 40
	boxGap    = 22
	textStep  = 13 // of the lines below a name
)

// lay gives each node its place: columns from left to right, each in the middle.
func (c *columns) lay(g *Graph) int {
	most := 1
	var used [][]int
	for _, nodes := range c.at {
		if len(nodes) > 0 {
			used = append(used, nodes)
			most = max(most, len(nodes))
		}
	}
	height := most*(boxHeight+boxGap) + boxGap
	for i, nodes := range used {
		width := float64(Width-40) / float64(len(used))
		sort.SliceStable(nodes, func(a, b int) bool { return nodes[a] < nodes[b] })
		for k, n := range nodes {
			g.Nodes[n].X = 20 + width*(float64(i)+0.5)
			step := float64(height) / float64(len(nodes))
			g.Nodes[n].Y = float64(titleRoom) + step*(float64(k)+0.5)
		}
	}
	return height
}

// box is the size of all boxes: what their texts need. Where columns leave less room than that, the
// parts of a text stand below each other, and what is too long even so is cut.
func (g *Graph) box() (width, height float64) {
	most, parts, apart := 70.0, 70.0, float64(Width-40)
	for i, n := range g.Nodes {
		most = max(most, wide(n.Name, 12)+18, wide(n.Text, 10)+14)
		parts = max(parts, wide(n.Name, 12)+18)
		for _, part := range n.parts() {
			parts = max(parts, wide(part, 10)+14)
		}
		for _, o := range g.Nodes[:i] {
			if d := math.Abs(o.X - n.X); d > 1 {
				apart = min(apart, d)
			}
		}
	}
	if most > apart-64 {
		return min(parts, max(apart-44, apart*0.7)), boxHeight + textStep
	}
	return most, boxHeight
}

// parts are what a box says below its name, one by one.
func (n Node) parts() []string { return strings.Split(n.Text, ", ") }

// write puts the words of a box into it.
func (n Node) write(c *canvas, width, height float64) {
	top := n.Y - height/2
	c.text(n.X, top+12, abridged(n.Name, 13.5, width-6), map[string]any{"textAlign": "center",
		"fontSize": 12, "fontWeight": "bold"})
	lines := []string{n.Text}
	if height > boxHeight {
		lines = n.parts()
	}
	for i, line := range lines {
		style := map[string]any{"textAlign": "center", "fontSize": 10}
		if n.Alarm {
			style["fill"] = c.theme.alarm
		}
		c.text(n.X, top+29+float64(i)*textStep, shortened(line, 10, width-6), style)
	}
}

// graphOption draws boxes and arrows.
func (f Figure) graphOption() (map[string]any, int) {
	g := f.Graph
	c := &canvas{theme: f.theme()}
	f.heading(c)
	width, height := g.box()
	var labels []label
	for i := range g.Links {
		labels = f.arrow(c, i, width, labels)
	}
	t := f.theme()
	for _, n := range g.Nodes {
		edge := t.soft
		if n.Alarm {
			edge = t.alarm
		}
		round := 4.0
		if n.Client {
			round = height / 2
		}
		c.elements = append(c.elements, map[string]any{"type": "rect", "z": 16, "silent": true,
			"shape": map[string]any{"x": n.X - width/2, "y": n.Y - height/2, "width": width,
				"height": height, "r": round},
			"style": map[string]any{"fill": t.back, "stroke": edge, "lineWidth": 1.6}})
		n.write(c, width, height)
	}
	return map[string]any{"graphic": c.elements}, titleRoom + g.Height + 12
}

// label is where a text stands, by its middle.
type label struct{ x, y, w float64 }

// port is where a link leaves or reaches a box: those of one side are spread, in the order of what
// is at their other ends.
func (g *Graph) port(link int, out bool) float64 {
	l := g.Links[link]
	mine, other := l.To, g.Nodes[l.From].Y
	if out {
		mine, other = l.From, g.Nodes[l.To].Y
	}
	before, all := 0, 0
	for i, o := range g.Links {
		end, far := o.To, g.Nodes[o.From].Y
		if out {
			end, far = o.From, g.Nodes[o.To].Y
		}
		if end != mine {
			continue
		}
		all++
		if far < other || far == other && i < link {
			before++
		}
	}
	step := min(10, (boxHeight-8)/float64(all))
	return g.Nodes[mine].Y + step*(float64(before)-float64(all-1)/2)
}

// arrow draws a link from the right side of a box to the left side of another, and its text where
// no other one stands.
func (f Figure) arrow(c *canvas, link int, width float64, labels []label) []label {
	g := f.Graph
	l := g.Links[link]
	x0, x1 := g.Nodes[l.From].X+width/2, g.Nodes[l.To].X-width/2-7
	y0, y1 := g.port(link, true), g.port(link, false)
	ink := f.theme().soft
	if l.Alarm {
		ink = f.theme().alarm
	}
	bend := max((x1-x0)/2, 30)
	c.elements = append(c.elements, map[string]any{"type": "bezierCurve", "z": 4, "silent": true,
		"shape": map[string]any{"x1": x0, "y1": y0, "x2": x1, "y2": y1, "cpx1": x0 + bend,
			"cpy1": y0, "cpx2": x1 - bend, "cpy2": y1},
		"style": map[string]any{"stroke": ink, "lineWidth": l.Wide, "fill": "none"}})
	c.elements = append(c.elements, map[string]any{"type": "polygon", "z": 5, "silent": true,
		"shape": map[string]any{"points": [][]float64{{x1 + 7, y1}, {x1 - 1, y1 - 4.5},
			{x1 - 1, y1 + 4.5}}},
		"style": map[string]any{"fill": ink}})
	if l.Text == "" {
		return labels
	}
	w := wide(l.Text, 11) + 8
	var at label
	for _, t := range []float64{0.3, 0.7, 0.5, 0.2, 0.8, 0.4, 0.6} {
		at = label{bezier(t, x0, x0+bend, x1-bend, x1), bezier(t, y0, y0, y1, y1), w}
		if at.free(labels) {
			break
		}
	}
	c.rect(at.x-w/2, at.y-8, w, 16, f.theme().back, 14)
	c.text(at.x, at.y, l.Text, map[string]any{"textAlign": "center", "fontWeight": "bold",
		"fill": ink})
	return append(labels, at)
}

// free says whether a label touches none of the others.
func (a label) free(others []label) bool {
	for _, b := range others {
		if math.Abs(a.x-b.x) < (a.w+b.w)/2 && math.Abs(a.y-b.y) < 17 {
			return false
		}
	}
	return true
}

// bezier is a point of a curve of the third degree.
func bezier(t, a, b, c, d float64) float64 {
	u := 1 - t
	return u*u*u*a + 3*u*u*t*b + 3*u*t*t*c + t*t*t*d
}
