package oracle

import "cascadesim/model/internal/kernel"

// sampleBreakers notes which shares of the breakers of a stack entry that somebody has used are
// open and half open.
func (w *world) sampleBreakers(edge *kernel.EdgeSeries, entry int, use kernel.Use, window int) {
	if edge.Open[entry] == nil {
		edge.Open[entry] = make([]float32, w.result.Windows)
		edge.HalfOpen[entry] = make([]float32, w.result.Windows)
	}
	var used, open, halfOpen float64
	for key, breaker := range w.states {
		if key.state != use.State {
			continue
		}
		used++
		if level := breaker.Level(w.now); level == 0 {
			open++
		} else if level < 1 {
			halfOpen++
		}
	}
	if used > 0 {
		edge.Open[entry][window] = float32(open / used)
		edge.HalfOpen[entry][window] = float32(halfOpen / used)
	}
}
