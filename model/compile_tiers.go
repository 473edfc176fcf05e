package model

import (
	"math"
	"strconv"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// tiers compiles stations. A tier gets all replicas that it can ever have; its param Active says
// how many take part.
func (c *compiler) tiers() {
	for i := range c.n.t.Tiers {
		d := &c.n.t.Tiers[i]
		t := &d.Value
		path := "tiers." + d.Name
		k := kernel.Tier{
			Name: d.Name, First: len(c.p.Replicas), Async: t.Async, Deadline: ruleNamed(t.Deadline),
			RejectStatus: c.plainParam(path+".reject.status", float64(t.Reject.Status)),
			RejectAfter:  c.plainParam(path+".reject.retry_after", askedWait(t.Reject.RetryAfter)),
			RejectCost:   c.plainParam(path+".reject.cost", float64(t.Reject.Cost)),
			RejectDelay:  c.plainParam(path+".reject.delay", float64(t.Reject.Delay)),
			Slow:         c.hidden(path+".slow", kernel.FieldPlain, i, 1),
			Delay:        c.hidden(path+".delay", kernel.FieldDist, i, 0),
		}
		if t.Keys != nil {
			c.p.Operations = true
			k.Keys = &policies.Idempotency{TTL: t.Keys.TTL, Replay: replayNamed(t.Keys.Replay)}
		}
		if s := t.ColdStart; s != nil {
			k.Cold = &kernel.Cold{Slow: float64(s.Slow), For: s.For, AtStart: s.AtStart}
		}
		k.Endpoints = c.endpoints(path, t)
		names := replicaNames(t)
		k.Count = len(names)
		k.Active = c.param(kernel.Param{Path: path + ".replicas", Field: kernel.FieldActive, Of: i,
			Base: float64(len(names)), Whole: true}, path+".replicas")
		if len(t.Replicas.Named) == 0 {
			k.Count = max(k.Count, c.mostReplicas(k.Active, c.n.scalerOf(i)))
		}
		for r := range k.Count {
			c.replica(i, r, &k)
		}
		c.p.Tiers = append(c.p.Tiers, k)
	}
}

func replayNamed(word string) policies.IdempotencyReplay {
	switch word {
	case "", "all":
		return policies.ReplayAll
	case "success":
		return policies.ReplaySuccess
	}
	panic("model: unknown word for replay " + word)
}

// askedWait is a Retry-After in ns; none asks nothing, as 0 does.
func askedWait(t sim.Time) float64 {
	if t == sim.Never {
		return 0
	}
	return float64(t)
}

func ruleNamed(word string) kernel.DeadlineRule {
	switch word {
	case "", "ignore":
		return kernel.Ignore
	case "drop_expired":
		return kernel.DropExpired
	case "drop_unlikely":
		return kernel.DropUnlikely
	}
	panic("model: unknown deadline rule " + word)
}

// endpoints makes the endpoints of a tier; programs fills their steps in once edges are known.
func (c *compiler) endpoints(path string, t *Tier) []kernel.Endpoint {
	out := make([]kernel.Endpoint, endpointsOf(t))
	for k := range out {
		at := path
		if len(t.Endpoints) > 0 {
			out[k].Name = t.Endpoints[k].Name
			at += "/" + out[k].Name
		}
		out[k].Errors = c.hidden(at+".errors", kernel.FieldPlain, k, 0)
		out[k].ErrorStatus = c.hidden(at+".errors.status", kernel.FieldPlain, k, 500)
	}
	return out
}

// replica adds replica r of a tier.
func (c *compiler) replica(tier, r int, k *kernel.Tier) {
	t := &c.n.t.Tiers[tier].Value
	own := Replica{Weight: 1}
	name := strconv.Itoa(r)
	if len(t.Replicas.Named) > 0 {
		name, own = t.Replicas.Named[r].Name, t.Replicas.Named[r].Value
	}
	of := len(c.p.Replicas)
	path := "tiers." + c.n.t.Tiers[tier].Name
	at := path + ".replicas." + name
	line, flow, slots := &t.Line, &t.InFlight, t.Slots
	from := [3]string{path, path, path} // where slots, line and in_flight are declared
	if own.Slots != nil {
		slots, from[0] = *own.Slots, at
	}
	if own.Line != nil {
		line, from[1] = own.Line, at
	}
	if own.InFlight != nil {
		flow, from[2] = own.InFlight, at
	}
	out := kernel.Replica{
		Name: name, Tier: tier, Row: len(c.p.Rows), Discipline: disciplineNamed(line.Discipline),
		SwitchAbove: c.count(from[1]+".line.switch_above", line.SwitchAbove, "in line"),
		Target:      line.Target, Interval: line.Interval,
		FullDrops: line.Full == "drop", Patience: line.Timeout, HasPatience: !line.Timeout.IsZero(),
		Over:    overNamed(flow.Over),
		Backlog: c.count(from[2]+".in_flight.backlog", flow.Backlog, "waiting outside"),
	}
	limit := func(field kernel.Field, from, name string, v int) int {
		p := kernel.Param{Path: at + name, Field: field, Of: of, Base: float64(v), Whole: true}
		if from == at {
			return c.param(p, at+name)
		}
		return c.param(p, from+name, at+name)
	}
	out.Weight = c.param(kernel.Param{Path: at + ".weight", Field: kernel.FieldWeight, Of: of,
		Base: own.Weight}, at+".weight")
	out.Slots = limit(kernel.FieldSlots, from[0], ".slots", c.pool(from[0]+".slots", slots))
	out.LineLimit = limit(kernel.FieldLine, from[1], ".line.limit",
		c.count(from[1]+".line.limit", line.Limit, "places in line"))
	out.InFlight = limit(kernel.FieldInFlight, from[2], ".in_flight.limit",
		c.count(from[2]+".in_flight.limit", flow.Limit, "in flight"))
	c.p.Replicas = append(c.p.Replicas, out)
	for e := range k.Endpoints {
		c.p.Rows = append(c.p.Rows, kernel.Row{Replica: of, Endpoint: e,
			Slow: -1, Delay: -1, Errors: -1, ErrorStatus: -1})
	}
}

func disciplineNamed(word string) queue.Discipline {
	if word == "" {
		return queue.FIFO
	}
	d, ok := queue.ParseDiscipline(word)
	if !ok {
		panic("model: unknown discipline " + word)
	}
	return d
}

func overNamed(word string) kernel.Over {
	switch word {
	case "", "reject":
		return kernel.OverReject
	case "backlog":
		return kernel.OverBacklog
	case "drop":
		return kernel.OverDrop
	}
	panic("model: unknown word for over " + word)
}

// programs compiles the steps of all endpoints, in order; each step's index is its identity.
func (c *compiler) programs() {
	next := 0 // call sites are in the order in which steps are compiled
	for next < len(c.n.calls) && c.n.calls[next].from.kind == aClient {
		next++
	}
	for i := range c.n.t.Tiers {
		t := &c.n.t.Tiers[i].Value
		k := &c.p.Tiers[i]
		sum := 0.0
		for e := range k.Endpoints {
			steps := t.Steps
			if len(t.Endpoints) > 0 {
				steps = t.Endpoints[e].Value
			}
			p := &k.Endpoints[e]
			p.First = len(c.p.Programs)
			next = c.steps(i, steps, next)
			p.Count = len(c.p.Programs) - p.First
			mean := c.meanWork(steps)
			sum += mean
			p.Expected = nearestTime(mean)
		}
		k.Expected = nearestTime(sum / float64(len(k.Endpoints)))
	}
}

// steps compiles a list of steps of a tier; next is the call site of its first call, and what is
// returned that of the call after it.
func (c *compiler) steps(tier int, steps []Step, next int) int {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Work != nil:
			c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Work, Time: s.Work.Time,
				PerInFlight: c.scale.grown(s.Work.PerInFlight), Crowd: c.crowd(s.Work.USL)})
		case s.Call != nil:
			site := &c.n.calls[next]
			if site.call != s.Call {
				panic("model: calls were found in another order than steps")
			}
			next++
			onFail, status := onFailNamed(s.Call.OnFail)
			if s.Call.Fallback != nil {
				onFail = kernel.FailFallback
			}
			at, verb := len(c.p.Programs), kernel.Call
			if s.Call.Detached() {
				verb = kernel.Detach
			}
			c.p.Programs = append(c.p.Programs, kernel.Step{Verb: verb, Edge: site.edge,
				Target: c.target(site.to), Times: s.Call.Times, Share: float64(s.Call.Chance),
				OnFail: onFail, Status: status})
			next = c.steps(tier, s.Call.Fallback, next)
			c.p.Programs[at].Count = len(c.p.Programs) - at - 1
		case s.Fail != nil:
			c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Fail,
				Share: float64(s.Fail.Share), Status: s.Fail.Status})
		case s.Effect != nil:
			c.p.Operations = true
			c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Effect})
		case s.Cache != nil:
			next = c.cache(tier, s.Cache, next)
		default:
			c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Parallel,
				Count: len(s.Parallel)})
			next = c.steps(tier, s.Parallel, next)
		}
	}
	return next
}

// crowd is how work slows among many; nil: it does not.
func (c *compiler) crowd(u USL) *kernel.Crowd {
	if u == (USL{}) {
		return nil
	}
	return &kernel.Crowd{Contention: float64(u.Contention), Coherence: float64(u.Coherence),
		Each: c.scale.by}
}

func onFailNamed(word string) (kernel.OnFail, int) {
	switch word {
	case "", "pass":
		return kernel.FailPass, 0
	case "ignore":
		return kernel.FailIgnore, 0
	}
	status, err := strconv.Atoi(word)
	if err != nil {
		panic("model: unknown word for on_fail " + word)
	}
	return kernel.FailStatus, status
}

// meanWork is the mean of the work of steps in ns; side by side, the longest counts.
func (c *compiler) meanWork(steps []Step) float64 {
	sum := 0.0
	for i := range steps {
		s := &steps[i]
		if s.Work != nil {
			sum += s.Work.Time.Mean()
		}
		longest := 0.0
		for k := range s.Parallel {
			longest = max(longest, c.meanWork(s.Parallel[k:k+1]))
		}
		sum += longest
	}
	return sum
}

// nearestTime is a mean in whole ns; a mean without end is as late as the clock goes.
func nearestTime(x float64) sim.Time {
	if !(x < float64(sim.MaxTime)) {
		return sim.MaxTime
	}
	return sim.Time(math.Floor(x + 0.5))
}
