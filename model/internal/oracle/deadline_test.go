package oracle

import (
	"context"
	"os"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// overdue notes what is sent over clients' edges at or after the deadline of its request.
type overdue struct {
	edges   map[int]sim.Time // overall timeout, where nothing changes it
	started map[sim.Ident]sim.Time
	sends   int
	late    []kernel.TraceRecord
}

func (o *overdue) Trace(r kernel.TraceRecord) {
	switch r.What {
	case kernel.TraceRequest:
		o.started[r.Request] = r.At
	case kernel.TraceSend:
		overall, ok := o.edges[r.Edge]
		start, asked := o.started[r.Request]
		if !ok || !asked { // nobody asked for what a health check sends
			return
		}
		o.sends++
		if r.At-start >= overall {
			o.late = append(o.late, r)
		}
	}
}

// TestNothingIsSentAtADeadline looks at the attempts of random plans: whatever waits, shapes,
// hedges or keeps attempts, none starts at or after the deadline of its call.
func TestNothingIsSentAtADeadline(t *testing.T) {
	last := uint64(300)
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		last = 20000
	}
	sends := 0
	for k := uint64(1); k <= last; k++ {
		p := planOf(k)
		o := &overdue{edges: map[int]sim.Time{}, started: map[sim.Ident]sim.Time{}}
		changed := map[int]bool{}
		for _, c := range p.Changes {
			changed[c.Param] = true
		}
		for _, c := range p.Controls {
			for _, s := range c.Stages {
				for _, l := range s.Layers {
					changed[l.Param] = true
				}
			}
		}
		for _, c := range p.Clients {
			param := p.Edges[c.Edge].Overall
			if at := sim.Time(p.Params[param].Base); at > 0 && !changed[param] {
				o.edges[c.Edge] = at
			}
		}
		if len(o.edges) == 0 {
			continue
		}
		if _, err := kernel.Run(context.Background(), p, k, kernel.Options{Tracer: o}); err != nil {
			t.Fatalf("plan %d: %v", k, err)
		}
		sends += o.sends
		if len(o.late) > 0 {
			t.Errorf("plan %d: %d attempts start at or after their deadline; the first: %+v", k,
				len(o.late), o.late[0])
		}
	}
	if sends < 1000 {
		t.Errorf("%d attempts had a deadline, which says nothing", sends)
	}
}
