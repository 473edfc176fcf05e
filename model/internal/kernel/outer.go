package kernel

import (
	"math"

	"cascadesim/policies"
	"cascadesim/sim"
)

// Outer is a loop around requests: who is not answered starts over.
type Outer struct {
	On    [policies.Classes]bool // ways to end that are repeated
	Wait  sim.Dist
	Times int // most repeats of an operation; -1: unlimited
}

// An outer loop is around requests, beyond all policies: a user who loads the page again, a process
// that restarts and begins anew, a message that is delivered again. What the user wanted once is an
// operation; each repeat is a request of its own, with policies that know nothing of the last one.

// againLuck keys the identity of the request that repeats another, which is a child of it.
var againLuck = luck("again")

// again is an operation that waits to be repeated.
type again struct {
	request sim.Ident // the last one
	client  int
	member  uint32
	n       uint16
	next    uint32 // free one after this
}

// outer holds the operations that wait.
type outer struct {
	waiting []again // the first is no operation
	free    uint32
}

// repeats lets an operation whose request has failed be repeated after a while, and tells whether
// it is one that is repeated at all.
func (w *world) repeats(c *call, o policies.Outcome) bool {
	p := w.clients[c.client].p
	if !p.Outer.On[o.Class] {
		return false
	}
	if p.Outer.Times >= 0 && int(c.rep) >= p.Outer.Times {
		w.clients[c.client].cells[c.window].GivenUp++
		return false
	}
	d := c.request.Draw(forOnceMore)
	at := w.now + p.Outer.Wait.Sample(&d)
	if at >= w.p.End {
		return true // it waits for ever
	}
	id := w.outer.free
	if id == 0 {
		id = uint32(max(1, len(w.outer.waiting)))
		for uint32(len(w.outer.waiting)) <= id {
			w.outer.waiting = append(w.outer.waiting, again{})
		}
	} else {
		w.outer.free = w.outer.waiting[id].next
	}
	w.outer.waiting[id] = again{
		request: c.request, client: int(c.client), member: c.identity,
		n: uint16(min(int(c.rep)+1, math.MaxUint16)),
	}
	w.en.At(at, evAgain, id)
	return true
}

// onAgain repeats an operation.
func (w *world) onAgain(id uint32) {
	x := &w.outer.waiting[id]
	request, client, member, n := x.request, x.client, x.member, x.n
	x.next, w.outer.free = w.outer.free, id
	w.clients[client].cells[w.window].Repeats++
	w.startRequest(client, request.Child(againLuck), member, n)
}
