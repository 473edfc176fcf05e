package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// client is a population and its arrival process.
type client struct {
	kernel.Client
	w      *world
	index  int
	root   sim.Ident // of the requests that start
	people sim.Ident // of the identities of the population
	stream sim.Stream

	sent  uint64   // requests of an open loop so far
	need  float64  // what is missing of the integral of the rate until the next arrival
	since sim.Time // up to when need is worked out
	next  *event

	state    int              // of a modulated process
	stays    sim.Stream       // how long it stays in each
	tokens   map[int]sim.Time // when that of an identity expires
	recorded []arrival        // of a recording: all that are still to come
	upcoming *arrival         // the one before them, which is scheduled; nil: none is
}

// arrival is request number k of an open loop, at a time.
type arrival struct {
	k  uint64
	at sim.Time
}

// request is what a user wanted once.
type request struct {
	client  *client
	ident   sim.Ident
	person  sim.Ident // of the identity of the population that sends it
	number  int       // of that identity, among all clients'
	i, j    int       // of a closed loop: operation j of client i
	started sim.Time
	repeat  int                      // which repeat of its operation
	ended   func(o policies.Outcome) // nil for an open loop
}

func newClient(w *world, i int) *client {
	spec := w.plan.Clients[i]
	c := &client{Client: spec, w: w, index: i, people: w.seed.Ident("client/" + spec.Name)}
	c.reseed()
	return c
}

// begin schedules the first requests.
func (c *client) begin() {
	switch c.Process {
	case kernel.Burst:
		c.w.at(0, func() {
			for range c.Burst {
				c.open()
			}
		})
	case kernel.Closed:
		for i := range c.Population {
			if c.Token != nil {
				c.firstToken(i)
				continue
			}
			if c.Together {
				c.w.at(0, func() { c.operate(i, 0) })
				continue
			}
			think := c.Think[policies.Pending]
			s := c.people.Child(uint64(i)).Draw(14)
			c.w.at(think.Sample(&s), func() { c.operate(i, 0) })
		}
	case kernel.FromFile:
		c.recorded = c.recording(0, 0)
		c.follow()
	default:
		c.draw()
		c.enter()
		c.plan()
	}
}

// rate is that in force, by the state of a modulated process.
func (c *client) rate() float64 {
	if len(c.States) == 0 {
		return c.w.number(c.Rate)
	}
	return float64(c.w.number(c.Rate) * c.States[c.state].Factor)
}

// enter is where a state begins; when it ends the next one begins.
func (c *client) enter() {
	if len(c.States) == 0 {
		return
	}
	stay := max(1, c.States[c.state].For.Sample(&c.stays))
	c.w.at(c.w.now+stay, func() {
		if c.w.now >= c.w.plan.End {
			return
		}
		c.count()
		c.state = (c.state + 1) % len(c.States)
		c.enter()
		c.plan()
	})
}

// draw says how much of the integral of the rate the next gap takes.
func (c *client) draw() {
	c.since = c.w.now
	c.need = 1
	if c.Process == kernel.Poisson {
		c.need = c.stream.Exp()
	}
}

// count takes off what has passed of the gap under the rate in force.
func (c *client) count() {
	if c.Process != kernel.Poisson && c.Process != kernel.Even {
		return
	}
	rate := c.rate()
	for c.since < c.w.now {
		value, slope, until := c.profile(c.since)
		to := min(until, c.w.now)
		x := (to - c.since).Seconds()
		c.need -= float64(rate * area(value, slope, x))
		c.since = to
	}
	c.need = max(c.need, 0)
}

// plan schedules the next arrival anew.
func (c *client) plan() {
	if c.Process != kernel.Poisson && c.Process != kernel.Even {
		return
	}
	c.next.cancel()
	c.next = nil
	rate := c.rate()
	if rate <= 0 {
		return
	}
	need := c.need / rate
	for t := c.since; t < c.w.plan.End; {
		value, slope, until := c.profile(t)
		root := float64(value*value) + float64(2*slope*need)
		if root > 0 {
			// The stable form of the quadratic's root: no difference of near numbers.
			x := 2 * need / (value + math.Sqrt(root))
			if at := t + whole(float64(x*1e9)); value+math.Sqrt(root) > 0 && at <= until {
				c.next = c.w.at(at, c.arrive)
				return
			}
		}
		if until == sim.Never {
			return
		}
		need -= area(value, slope, (until - t).Seconds())
		need = max(need, 0)
		t = until
	}
}

// area is the integral of a line over x seconds from where it has this value.
func area(value, slope, x float64) float64 {
	return float64(value*x) + float64(float64(slope*x*x)/2)
}

// profile is the line that multiplies the rate at t and the time until which it goes on.
func (c *client) profile(t sim.Time) (value, slope float64, until sim.Time) {
	value, until = 1, sim.Never
	for _, s := range c.Profile {
		if s.At > t {
			return value, slope, s.At
		}
		value, slope = s.From+float64(s.Slope*(t-s.At).Seconds()), s.Slope
	}
	return value, slope, sim.Never
}

// arrive is an arrival of an open loop: the next one is scheduled before the request starts.
func (c *client) arrive() {
	c.draw()
	c.plan()
	c.open()
}

// open starts a request of an open loop.
func (c *client) open() {
	c.sent++
	c.openNumbered(c.sent - 1)
}

// openNumbered starts request number k.
func (c *client) openNumbered(k uint64) {
	q := &request{client: c, ident: c.root.Child(k)}
	s := q.ident.Draw(16)
	who := s.Intn(uint64(c.Population))
	q.person = c.people.Child(who)
	q.number = c.First + int(who)
	c.w.start(q)
}

// operate is operation j of client i in a closed loop.
func (c *client) operate(i, j int) {
	q := &request{
		client: c, ident: c.root.Child(uint64(i)).Child(uint64(j)), number: c.First + i,
		person: c.people.Child(uint64(i)),
	}
	q.i, q.j = i, j
	q.ended = c.thinking(q)
	c.w.start(q)
}

// thinking is what a closed loop does after a request: the client thinks, then operates again.
func (c *client) thinking(q *request) func(o policies.Outcome) {
	return func(o policies.Outcome) {
		if c.Token != nil && o.Class == policies.OK {
			c.token(q)
			return
		}
		s := q.ident.Draw(14)
		think := c.Think[o.Class]
		c.w.after(think.Sample(&s), func() { c.operate(q.i, q.j+1) })
	}
}

// start begins a request, unless the run is over.
func (w *world) start(q *request) {
	if w.now >= w.plan.End {
		return
	}
	q.started = w.now
	w.requests++
	w.clientCell(q).Requests++
	w.trace(kernel.TraceRecord{
		What: kernel.TraceRequest, Client: q.client.index, Request: q.ident, Edge: -1, Replica: -1,
	})
	if q.client.tokenless(q) {
		w.clientCell(q).Expired++
		w.end(q, policies.Outcome{Class: policies.Refused, Status: 401})
		return
	}
	c := &call{
		w: w, edge: w.edges[q.client.Edge], request: q, ident: q.ident, target: q.client.Target,
		operation: q.ident,
	}
	c.done = func(o policies.Outcome) {
		if o.Class == policies.OK && c.degraded {
			w.clientCell(q).Degraded++
		}
		w.end(q, o)
	}
	c.open()
}

// end is the end of a request with the outcome of its root call.
func (w *world) end(q *request, o policies.Outcome) {
	w.requests--
	w.countEnd(q, o)
	w.result.Fingerprint.Add(w.now, 6, q.ident, uint8(o.Class))
	w.trace(kernel.TraceRecord{
		What: kernel.TraceEnd, Client: q.client.index, Request: q.ident, Edge: -1, Replica: -1,
		Class: o.Class, Status: o.Status,
	})
	if q.again(o) {
		return
	}
	if q.ended != nil {
		q.ended(o)
	}
}

// again repeats what the user wants, if there is an outer loop that does.
func (q *request) again(o policies.Outcome) bool {
	outer, w := q.client.Outer, q.client.w
	if outer == nil || !outer.On[o.Class] || o.Class == policies.OK {
		return false
	}
	if outer.Times >= 0 && q.repeat >= outer.Times {
		w.clientCell(q).GivenUp++
		return false
	}
	draw := q.ident.Draw(43)
	next := *q
	next.ident = q.ident.Child(uint64(sim.Seed(0).Ident("again")))
	next.repeat++
	if q.ended != nil {
		next.ended = q.client.thinking(&next)
	}
	w.at(w.now+outer.Wait.Sample(&draw), func() {
		if w.now < w.plan.End {
			w.result.Clients[q.client.index].Cells[w.window(w.now)].Repeats++
			w.start(&next)
		}
	})
	return true
}
