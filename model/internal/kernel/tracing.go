package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

func (w *world) traceBase(what string) TraceRecord {
	return TraceRecord{
		At: w.now, Event: w.en.Events(), What: what, Client: -1, Edge: -1, Replica: -1,
	}
}

func (w *world) traceCall(what string, c *call) {
	r := w.traceBase(what)
	r.Client, r.Request, r.Edge, r.N = int(c.client), c.request, c.edge.index, int(c.n)
	w.tracer.Trace(r)
}

func (w *world) traceEnd(c *call, o policies.Outcome) {
	r := w.traceBase(TraceEnd)
	r.Client, r.Request, r.Edge, r.N = int(c.client), c.request, c.edge.index, int(c.n)
	r.Class, r.Status, r.Wait = o.Class, o.Status, w.now-c.start
	w.tracer.Trace(r)
}

func (w *world) traceRefused(c *call, by string) {
	r := w.traceBase(TraceRefused)
	r.Client, r.Request, r.Edge, r.N = int(c.client), c.request, c.edge.index, int(c.n)+1
	r.Attempt = c.ident.Child(uint64(c.n) + 1)
	r.Text = by
	w.tracer.Trace(r)
}

func (w *world) traceBackoff(c *call, wait sim.Time) {
	r := w.traceBase(TraceBackoff)
	r.Client, r.Request, r.Edge, r.N = int(c.client), c.request, c.edge.index, int(c.n)+1
	r.Wait = wait
	w.tracer.Trace(r)
}

func (w *world) traceAttempt(what string, a *attempt) {
	r := w.traceBase(what)
	r.Client, r.Request, r.Attempt = int(a.client), a.request, a.ident
	r.Edge, r.N = a.edge.index, int(a.n)
	if a.replica != nil {
		r.Replica = a.replica.index
	}
	w.tracer.Trace(r)
}

func (w *world) traceOutcome(what string, a *attempt, o policies.Outcome) {
	r := w.traceBase(what)
	r.Client, r.Request, r.Attempt = int(a.client), a.request, a.ident
	r.Edge, r.N = a.edge.index, int(a.n)
	if a.replica != nil {
		r.Replica = a.replica.index
	}
	r.Class, r.Status, r.Wait = o.Class, o.Status, o.Latency
	w.tracer.Trace(r)
}

func (w *world) traceText(text string) {
	r := w.traceBase(TraceChange)
	r.Text = text
	w.tracer.Trace(r)
}
