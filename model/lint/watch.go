package lint

import (
	"math"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// watcher counts the tries of each request in a small world, from the moment when all fails.
type watcher struct {
	from  sim.Time
	edge  int
	calls []watched
	at    map[sim.Ident]int
}

// watched is one request.
type watched struct {
	tries int
	last  sim.Time // when the last try settled, or was sent
	gaps  []sim.Time
	open  bool // no try of it has ended: it is the one that keeps others out
}

// Trace counts.
func (w *watcher) Trace(r model.TraceRecord) {
	if w.at == nil {
		w.at = map[sim.Ident]int{}
	}
	switch r.What {
	case "request":
		if r.At > w.from {
			w.at[r.Request] = len(w.calls)
			w.calls = append(w.calls, watched{open: true})
		}
	case "send":
		i, known := w.at[r.Request]
		if !known || r.Edge != w.edge {
			return
		}
		c := &w.calls[i]
		if c.tries > 0 {
			c.gaps = append(c.gaps, max(0, r.At-c.last))
		}
		c.tries++
		c.last = r.At
	case "settle":
		i, known := w.at[r.Request]
		if known && r.Edge == w.edge && r.Class != policies.Pending {
			w.calls[i].open = false
			w.calls[i].last = r.At
		}
	}
}

// looked sums up.
func (w *watcher) looked() looked {
	var out looked
	var least, most []sim.Time
	tries, calls := 0, 0
	for i := range w.calls {
		c := &w.calls[i]
		out.most = max(out.most, min(c.tries, probeTop))
		for k, gap := range c.gaps {
			if k >= len(least) {
				least, most = append(least, gap), append(most, gap)
			}
			least[k], most[k] = min(least[k], gap), max(most[k], gap)
		}
		if i >= len(w.calls)/2 {
			tries += c.tries
			calls++
		}
	}
	for k := range most {
		out.waits += most[k].Seconds()
		out.jitter = out.jitter || most[k] != least[k]
	}
	if out.most >= probeTop {
		out.waits = math.Inf(1)
	}
	out.perCall = 1
	if calls > 0 {
		out.perCall = float64(tries) / float64(calls)
	}
	return out
}
