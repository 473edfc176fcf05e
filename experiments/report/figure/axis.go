package figure

import (
	"math"
	"time"

	"cascadesim/experiments/report"
)

// steps are the distances of ticks on an axis of time, in seconds; longer ones are whole weeks.
var steps = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60,
	120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800}

// timeTicks are round times of the clock, at most so many, in seconds from the start.
func (f Figure) timeTicks(most int) (out []float64) {
	step := steps[len(steps)-1]
	for _, s := range steps {
		if f.Length/s <= float64(most) {
			step = s
			break
		}
	}
	step *= max(1, math.Ceil(f.Length/step/float64(most)))
	first := 0.0 // a round time of the clock at or after the start
	if !f.Clock.Epoch.IsZero() {
		past := math.Mod(float64(f.Clock.Epoch.UnixMilli())/1000, step)
		first = math.Mod(step-past, step)
	}
	for i := 0.0; first+i*step <= f.Length*(1+1e-9); i++ {
		out = append(out, first+i*step)
	}
	return out
}

// tickName is what stands below a tick. Of a run with an epoch midnight is the day that begins.
func (f Figure) tickName(s float64) string {
	name := f.Clock.Format(s)
	if name == "00:00" && !f.Clock.Epoch.IsZero() && s > 0 {
		return f.Clock.Epoch.Add(time.Duration(math.Round(s)) * time.Second).UTC().Format("01-02")
	}
	return name
}

// clockName says how the times of an axis are to be read.
func (f Figure) clockName() string {
	switch {
	case !f.Clock.Epoch.IsZero():
		return f.Clock.Name()
	case f.Length < 3600:
		return f.Clock.Name() + " (min:s)"
	}
	return f.Clock.Name() + " (h:min:s)"
}

// timeAxis is that of a panel. The names of its ticks are written once, below the last panel.
func (f Figure) timeAxis(grid int, last bool) map[string]any {
	t := f.theme()
	var at []int64
	for _, s := range f.timeTicks(f.mostTimes()) {
		at = append(at, f.start()+int64(math.Round(s*1000)))
	}
	return map[string]any{"type": "time", "gridIndex": grid, "min": f.start(),
		"max":       f.start() + int64(f.Length*1000),
		"axisLabel": map[string]any{"show": false},
		"axisLine":  map[string]any{"lineStyle": map[string]any{"color": t.soft}},
		"axisTick":  map[string]any{"show": last, "customValues": at},
		"splitLine": map[string]any{"show": true, "customValues": at,
			"lineStyle": map[string]any{"color": t.grid}}}
}

// mostTimes is for how many ticks there is room.
func (f Figure) mostTimes() int {
	if f.column > 0 {
		return 5
	}
	return 10
}

// times writes the names of the ticks of time below y, and how they are to be read.
func (f Figure) times(c *canvas, y float64) {
	for _, s := range f.timeTicks(f.mostTimes()) {
		c.text(f.x(s), y+14, f.tickName(s), map[string]any{"textAlign": "center"})
	}
	c.text((f.left()+f.right())/2, y+30, f.clockName(),
		map[string]any{"textAlign": "center", "fill": f.theme().soft})
}

// valueAxis is that of a panel whose largest value is top. Panels beside each other have the same.
func (f Figure) valueAxis(grid int, p Panel, m measure, top float64) map[string]any {
	t := f.theme()
	axis := map[string]any{"type": "value", "gridIndex": grid, "min": 0, "splitNumber": 4,
		"axisLabel": map[string]any{"color": t.text, "fontSize": 11, "fontFamily": font},
		"splitLine": map[string]any{"lineStyle": map[string]any{"color": t.grid}}}
	switch {
	case p.Unit == report.Share && top > 0.8:
		axis["max"], axis["interval"] = 100, 25
	case f.column > 0 && top > 0:
		s := scale{0, top, m, 0, 1}
		step := s.step()
		axis["max"], axis["interval"] = m.value(math.Ceil(top/m.by/step)*step*m.by), step
	}
	return axis
}
