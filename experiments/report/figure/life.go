package figure

import (
	"fmt"
	"math"

	"cascadesim/experiments/report"
)

// mostTries is how many tries of a request are drawn; a storm can make thousands.
const mostTries = 60

const lifeRow = 22

// Life is one request's way through the tiers, try by try.
func Life(l report.Life, clock report.Clock) (Figure, error) {
	f := Figure{ID: "cascadesim-life"}
	if len(l.Tries) == 0 {
		return f, fmt.Errorf("life: nothing was sent for this request")
	}
	f.Title = fmt.Sprintf("A request of %s, started at %s", l.Client, clock.Format(l.Started))
	shown := l.Tries[:min(len(l.Tries), mostTries)]
	f.Caption = "Each row is a try, below the one that it is made for. What its caller waits for is " +
		"framed; light is waiting in line, full is being served, red is served for nobody: its caller " +
		"had left. A cross is a try that a policy refused."
	if len(shown) < len(l.Tries) {
		f.Caption += fmt.Sprintf(" The first %d of %d tries.", len(shown), len(l.Tries))
	}
	end := "had no answer when the run ended"
	if !math.IsNaN(l.Took) {
		end = "ended after " + report.Duration.Format(l.Took) + ": " + l.Outcome
	}
	late := 0
	for _, t := range l.Tries {
		if t.Late {
			late++
		}
	}
	f.Alt = fmt.Sprintf("A request of %s made %d tries over all edges and %s; %d answers came too "+
		"late.", l.Client, len(l.Tries), end, late)
	f.draw = func(f Figure) (map[string]any, int) { return drawLife(f, l, shown) }
	return f, nil
}

// drawLife lays out a row for each try over one axis of time.
func drawLife(f Figure, l report.Life, shown []report.Try) (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	f.heading(c)
	left := 120.0
	for _, t := range shown {
		left = max(left, 16+float64(t.Depth)*8+wide(tryName(t), nameSize)+10)
	}
	top := float64(titleRoom) + 24
	f.lifeKey(c, titleRoom+8)
	length := math.Max(l.Length(), 1e-6)
	x := scale{0, length, measureOf(report.Duration, length), left, rightEdge - 100}
	bottom := top + lifeRow*float64(len(shown)+1)
	for _, v := range x.ticks() {
		c.stroke(x.at(v), top, x.at(v), bottom, map[string]any{"stroke": f.theme().grid})
		c.text(x.at(v), bottom+12, report.Level.Format(v/x.m.by), map[string]any{"textAlign": "center"})
	}
	c.text((left+x.to)/2, bottom+28, "time from the start of the request ("+x.m.sign+")",
		map[string]any{"textAlign": "center", "fill": f.theme().soft})
	c.text(16, top+lifeRow/2, "request of "+shortened(l.Client, nameSize, left-100),
		map[string]any{"fontWeight": "bold"})
	took := l.Took
	if math.IsNaN(took) {
		took = l.Length()
	}
	c.rect(x.at(0), top+6, max(x.at(took)-x.at(0), 2), lifeRow-12, f.theme().soft, 16)
	f.outcome(c, x.at(took), top+lifeRow/2, l.Outcome, l.OK)
	for i, t := range shown {
		f.try(c, t, x, top+lifeRow*float64(i+1))
	}
	return map[string]any{"graphic": c.elements}, int(bottom) + 44
}

func tryName(t report.Try) string {
	return fmt.Sprintf("%s  try %d", abridged(t.Edge, nameSize, 190), t.N)
}

// outcome writes how it ended behind a bar.
func (f Figure) outcome(c *canvas, x, y float64, text string, ok bool) {
	style := map[string]any{"fontSize": 10}
	if !ok {
		style["fill"] = f.theme().alarm
	}
	c.text(x+6, y, shortened(text, 10, Width-x-8), style)
}

// try draws one row.
func (f Figure) try(c *canvas, t report.Try, x scale, y float64) {
	c.text(16+float64(t.Depth)*8, y+lifeRow/2, tryName(t), nil)
	mid := y + lifeRow/2
	if t.Refused {
		at := x.at(t.Sent)
		ink := map[string]any{"stroke": f.theme().alarm, "lineWidth": 1.6}
		c.stroke(at-4, mid-4, at+4, mid+4, ink)
		c.stroke(at-4, mid+4, at+4, mid-4, ink)
		f.outcome(c, at+4, mid, t.Outcome, false)
		return
	}
	settled := t.Settled
	if math.IsNaN(settled) {
		settled = t.End()
	}
	bar := func(from, to float64, fill string, inset float64) {
		if from < to {
			c.rect(x.at(from), y+inset, max(x.at(to)-x.at(from), 1), lifeRow-2*inset, fill, 16)
		}
	}
	answered := t.Answered
	if math.IsNaN(answered) {
		answered = t.End()
	}
	if left := t.Left(); t.Waited {
		if math.IsNaN(left) {
			left = answered
		}
		bar(t.Arrived, left, c.theme.color(5), 7)
	}
	bar(t.Started, math.Min(answered, settled), c.theme.color(0), 7)
	bar(math.Max(t.Started, settled), answered, f.theme().alarm, 7)
	c.elements = append(c.elements, map[string]any{"type": "rect", "z": 17, "silent": true,
		"shape": map[string]any{"x": x.at(t.Sent), "y": y + 4.5, "r": 2, "height": lifeRow - 9,
			"width": max(x.at(settled)-x.at(t.Sent), 2)},
		"style": map[string]any{"fill": "none", "stroke": f.theme().text, "lineWidth": 1}})
	f.outcome(c, x.at(math.Max(settled, answered)), mid, t.Outcome, t.OK)
}

// lifeKey says what the colours mean.
func (f Figure) lifeKey(c *canvas, y float64) {
	x := 16.0
	for _, k := range []struct{ fill, word string }{{c.theme.color(5), "in line"},
		{c.theme.color(0), "being served, downstream included"}, {f.theme().alarm, "served for nobody"}} {
		c.rect(x, y-4, 14, 8, k.fill, 5)
		c.text(x+19, y, k.word, nil)
		x += wide(k.word, nameSize) + 36
	}
	c.frame(x, y-5, 14, 10)
	c.text(x+19, y, "its caller waits", nil)
}
