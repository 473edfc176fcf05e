package check

import (
	"cascadesim/model"
	"cascadesim/sim"
)

// average is a gauge's average over the time of s. A tier's gauges are sums over its replicas,
// except the ratios: utilization is time in use over time on offer, up_share is replicas up over
// replicas declared. Replicas do not scale.
func (rd reader) average(m Measure, s span) float64 {
	if m.ofStack() {
		return rd.averageLevel(m, s)
	}
	var busy, slots, sum float64
	seen := false
	for _, i := range m.replicas {
		var total float64
		var time sim.Time
		for _, g := range rd.r.Replicas[i].Gauges[s.from:s.to] {
			time += g.Span
			total += integral(&g, m.what)
			if g.Slots > 0 { // an unlimited station has no utilization
				busy += g.Busy
				slots += g.Slots
			}
		}
		if time > 0 {
			seen = true
			sum += total / float64(time)
		}
	}
	switch {
	case m.what == "utilization":
		return ratio(busy, slots)
	case !seen:
		return none
	case m.what == "up_share":
		return ratio(sum, m.declared)
	case m.what == "replicas":
		return sum
	}
	return sum / rd.scale()
}

func integral(g *model.GaugeCell, gauge string) float64 {
	switch gauge {
	case "busy":
		return g.Busy
	case "in_line":
		return g.InLine
	case "in_system":
		return g.InSystem
	case "slots":
		return g.Slots
	case "up_share", "replicas":
		return g.Up
	}
	return 0
}

// averageLevel averages what was recorded at the start of each window, over all entries.
func (rd reader) averageLevel(m Measure, s span) float64 {
	var sum, n float64
	for _, en := range m.entries {
		series := rd.level(en, m.what)
		for i := s.from; i < s.to && i < len(series); i++ {
			sum += float64(series[i])
			n++
		}
	}
	return ratio(sum, n)
}

// ofStack says whether a gauge is of entries of stacks, which are recorded at the start of windows.
func (m Measure) ofStack() bool {
	return m.what == "level" || m.what == "open" || m.what == "half_open"
}

// level is a recorded series of a stack entry, nil if it holds no tokens or is no breaker.
func (rd reader) level(en entry, what string) []float32 {
	edge := &rd.r.Edges[en.edge]
	series := edge.Level
	switch what {
	case "open":
		series = edge.Open
	case "half_open":
		series = edge.HalfOpen
	}
	if en.index >= len(series) {
		return nil
	}
	return series[en.index]
}

// at is the value of a gauge at an instant: a boundary of windows, or the moment when the clock
// stopped. None where none was recorded.
func (rd reader) at(m Measure, t sim.Time) float64 {
	i := int(t / rd.r.Window)
	if m.ofStack() {
		if t%rd.r.Window != 0 {
			return none
		}
		return rd.averageLevel(m, span{i, i + 1})
	}
	var busy, slots, sum float64
	for _, replica := range m.replicas {
		series := &rd.r.Replicas[replica]
		var g *model.GaugeCell
		switch {
		case t%rd.r.Window == 0 && i < len(series.Gauges):
			g = &series.Gauges[i]
		case t == rd.r.Ended:
			g = &series.AtEnd
		default:
			return none
		}
		sum += sample(g, m.what)
		if g.AtSlots > 0 {
			busy += float64(g.AtBusy)
			slots += float64(g.AtSlots)
		}
	}
	switch m.what {
	case "utilization":
		return ratio(busy, slots)
	case "up_share":
		return ratio(sum, m.declared)
	case "replicas":
		return sum
	}
	return sum / rd.scale()
}

func sample(g *model.GaugeCell, gauge string) float64 {
	switch gauge {
	case "busy":
		return float64(g.AtBusy)
	case "in_line":
		return float64(g.AtInLine)
	case "in_system":
		return float64(g.AtInSystem)
	case "slots":
		return float64(max(g.AtSlots, 0))
	case "up_share", "replicas":
		if g.AtUp {
			return 1
		}
	}
	return 0
}
