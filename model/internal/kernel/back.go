package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// The way back of straight.go.

// done completes an attempt that went well, and every caller for which that was the last thing to
// do, as long as nothing is out of the ordinary.
func (w *world) done(a *attempt) {
	for a != nil {
		r := a.replica
		if !a.edge.live.straightBack || !r.tier.live.plain || a.degraded {
			w.complete(a, policies.Outcome{Class: policies.OK})
			return
		}
		cell := r.present[a.cell]
		cell.Completed++
		wasted := a.forNobody()
		if wasted {
			cell.Wasted++
		}
		if a.worked > 0 {
			w.recordService(a, wasted)
		}
		r.dismiss(a, w.now)
		a.place = delayed
		if r.line.Len() > 0 || r.rejects.Len() > 0 {
			w.fill(r)
		}
		if r.backlog.Len() > 0 {
			w.moveBacklog(r)
		}
		if a.call == nil {
			w.late(a)
			return
		}
		if !a.edge.live.directBack {
			a.class, a.place = policies.OK, replying
			w.hopBack(a, a.edge)
			return
		}
		a = w.answered(a)
	}
}

// replied brings an answer to the caller at the end of its way.
func (w *world) replied(a *attempt) {
	if a.call == nil || a.class != policies.OK || a.degraded || !a.edge.live.straightBack {
		w.onReply(a)
		return
	}
	if p := w.answered(a); p != nil {
		w.done(p)
	}
}

// answered ends an attempt and its call, well, and goes on with the attempt that made the call. It
// returns that one if its steps are done.
func (w *world) answered(a *attempt) *attempt {
	w.wentWell(a)
	c, p, rep := a.call, a.parent, a.rep
	if c != &w.alone {
		o := policies.Outcome{Class: policies.OK, Latency: w.now - a.sent}
		a.unlink()
		w.free(a)
		return w.callAnswered(c, o)
	}
	if p == nil {
		w.requestWell(a)
		w.free(a)
		return nil
	}
	p.alone = nil
	w.free(a)
	s := &w.p.Programs[p.step]
	if int(rep)+1 < s.Times {
		w.openChild(p, int(p.step), int(rep)+1)
		return nil
	}
	return w.next(p, s)
}

// wentWell is recordOutcome for an attempt that did.
func (w *world) wentWell(a *attempt) {
	e := a.edge
	w.print.AddMark(w.now, sim.MarkOf(printOutcome, a.ident), uint8(policies.OK))
	w.edgeCell(e, a.client, a.window).Outcomes[policies.OK]++
	latency := w.now - a.sent
	if a.window >= w.warmup {
		e.latency.add(latency)
	}
	if e.byWindow != nil {
		e.byWindow[a.window].Add(latency)
	}
}

// callAnswered is answered for a call that has a record.
func (w *world) callAnswered(c *call, o policies.Outcome) *attempt {
	if c.attempt != nil || c.parent == nil || c.passed > 0 || c.line != 0 {
		w.end(c, o)
		return nil
	}
	c.timer, c.wake = 0, 0
	p, step, rep := c.parent, c.step, c.rep
	c.unlink()
	w.freeCall(c)
	s := &w.p.Programs[step]
	if int(rep)+1 < s.Times || p.step != step {
		w.childEnded(p, step, rep, o)
		return nil
	}
	return w.next(p, s)
}

// next goes on with the step after the call that an attempt is at, past its fallback. It returns
// the attempt if there is none.
func (w *world) next(p *attempt, s *Step) *attempt {
	p.step += 1 + int32(s.Count)
	if p.step != p.end {
		w.step(p)
		return nil
	}
	return p
}
