package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Compile checks a topology and a scenario and lays them out for a run. It returns a plan and no
// problems, or no plan and everything that is wrong or doubtful at once. The plan's Warnings are
// doubts that do not stop a run. What was passed is not changed, and must not change while the plan
// is in use. Without a registry the policies are those of package policies.
func Compile(t *Topology, s *Scenario, reg *policies.Registry) (*Plan, Problems) {
	if reg == nil {
		reg = policies.Builtins()
	}
	n := resolve(t, s, reg)
	n.validate()
	if len(n.problems.Errors()) > 0 {
		return nil, n.problems
	}
	c := &compiler{
		n: n, scale: newScaling(s.Scale), p: &kernel.Plan{},
		live: map[string][]int{}, routes: map[routeKey]int{}, shared: map[string]int{},
		weight: map[string][]weightParam{},
	}
	c.fields = n.liveFields().byPath
	c.compile()
	return &Plan{Topology: t, Scenario: s, World: c.p, Warnings: n.problems}, nil
}

// compiler fills a kernel plan in from a world without mistakes.
type compiler struct {
	n     *names
	scale scaling
	p     *kernel.Plan

	fields map[string]*liveField    // by path
	live   map[string][]int         // params by the path that sets them
	routes map[routeKey]int         // routes of the plan
	shared map[string]int           // states that several entries share
	weight map[string][]weightParam // by route of the topology

	trigger []int // by timeline entry: one more than the trigger that it waits for, or 0
}

// routeKey is a route of the plan: one of the topology with an endpoint behind its targets.
type routeKey struct {
	route  int
	behind string
}

// weightParam is the weight of one target in one of the plan's routes.
type weightParam struct {
	target string // as the topology's route names it
	param  int
}

func (c *compiler) compile() {
	s, p := c.n.s, c.p
	p.End, p.Drain, p.Warmup, p.Window, p.Scale = s.Duration, s.Drain, s.Warmup, s.Window, s.Scale
	c.tiers()
	c.programs()
	c.clients()
	c.edges()
	c.policies()
	c.timeline()
	c.scalers()
	c.crashRules()
	p.Identify()
}

// param adds a live field; paths are those by which a timeline sets it.
func (c *compiler) param(p kernel.Param, paths ...string) int {
	i := len(c.p.Params)
	c.p.Params = append(c.p.Params, p)
	for _, path := range paths {
		c.live[path] = append(c.live[path], i)
	}
	return i
}

// plainParam adds a live field that wants no action.
func (c *compiler) plainParam(path string, base float64) int {
	return c.param(kernel.Param{Path: path, Base: base}, path)
}

// hidden adds a param that only faults change.
func (c *compiler) hidden(path string, field kernel.Field, of int, base float64) int {
	return c.param(kernel.Param{Path: path, Field: field, Of: of, Base: base})
}

// target is the index of a target in the plan, added when it is new.
func (c *compiler) target(to target) int {
	k := kernel.Target{Route: -1, Tier: to.tier, Endpoint: to.endpoint}
	if to.route >= 0 {
		k = kernel.Target{Route: c.route(to.route, to.behind), Tier: -1, Endpoint: -1}
	}
	for i := range c.p.Targets {
		if c.p.Targets[i] == k {
			return i
		}
	}
	c.p.Targets = append(c.p.Targets, k)
	return len(c.p.Targets) - 1
}

// route is the index of a route in the plan: one for each endpoint put behind its targets.
func (c *compiler) route(route int, behind string) int {
	key := routeKey{route, behind}
	if i, ok := c.routes[key]; ok {
		return i
	}
	i := len(c.p.Routes)
	c.routes[key] = i
	r := &c.n.t.Routes[route]
	name := r.Name
	if behind != "" {
		name += "/" + behind
	}
	c.p.Routes = append(c.p.Routes, kernel.Route{Name: name, Key: keyNamed(r.Value.Key)})
	r.Value.Spill.into(&c.p.Routes[i])
	shares := normal(r.Value.To)
	for _, text := range c.n.routeTargets(route) {
		to, m := c.n.routed(text, behind, behind != "", false)
		if m != nil {
			panic("model: a route that was checked leads nowhere: " + m.text)
		}
		target := c.target(to)
		param := c.hidden("routes."+r.Name+".to."+text, kernel.FieldRoute, i, shareOf(shares, text))
		c.weight[r.Name] = append(c.weight[r.Name], weightParam{text, param})
		out := &c.p.Routes[i]
		out.To, out.Weights = append(out.To, target), append(out.Weights, param)
	}
	return i
}

// normal makes a route's weights shares of 1, so that a way from percentages to plain numbers is
// straight.
func normal(ws Map[Weight]) Map[Weight] {
	sum := 0.0
	for i := range ws {
		sum += ws[i].Value.Value
	}
	out := make(Map[Weight], len(ws))
	for i := range ws {
		out[i] = Entry[Weight]{ws[i].Name, Weight{Value: ws[i].Value.Value / sum}}
	}
	return out
}

// shareOf is a target's share; 0 when the weights do not name it.
func shareOf(ws Map[Weight], target string) float64 {
	w, ok := ws.Get(target)
	if !ok {
		return 0
	}
	return w.Value
}

func keyNamed(word string) kernel.Key {
	switch word {
	case "", "request":
		return kernel.ByRequest
	case "attempt":
		return kernel.ByAttempt
	case "call":
		return kernel.ByCall
	case "client":
		return kernel.ByClient
	}
	panic("model: unknown key " + word)
}

// clients compiles the populations. Their identities are numbered through all clients.
func (c *compiler) clients() {
	first := 0
	for i := range c.n.t.Clients {
		d := &c.n.t.Clients[i]
		path := "clients." + d.Name
		k := kernel.Client{
			Name: d.Name, First: first, SlowAfter: d.Value.SlowAfter,
			Priority: uint8(d.Value.Priority), Outer: outer(d.Value.Outer),
		}
		for j := range c.n.calls {
			if call := &c.n.calls[j]; call.from == (place{aClient, i}) {
				k.Edge, k.Target = call.edge, c.target(call.to)
			}
		}
		population, at := c.n.populationOf(i)
		k.Population = max(1, c.count(at, population, "clients"))
		first += k.Population
		rate := 0.0
		if a := d.Value.Arrivals; a != nil {
			k.Process, k.Profile = processNamed(a.Process), c.profile(a.Profile)
			k.Burst = c.count(path+".arrivals.count", a.Count, "requests")
			rate = float64(a.Rate) / c.scale.by
			for _, s := range a.States {
				k.States = append(k.States, kernel.RateState{Factor: float64(s.Rate), For: s.For})
			}
			k.Recording, k.Keep, k.Spaced = a.Recording, 1/c.scale.by, a.Within == "even"
		} else if d.Value.Tokens != nil {
			c.tokens(&k, d.Value.Tokens)
		} else {
			k.Process, k.Together = kernel.Closed, d.Value.Start == "together"
			k.Think = thinkTimes(d.Value.Think)
		}
		at = path + ".arrivals.rate"
		k.Rate = c.param(kernel.Param{Path: at, Field: kernel.FieldRate, Of: i, Base: rate}, at)
		c.p.Clients = append(c.p.Clients, k)
	}
	c.holders()
}

func processNamed(word string) kernel.Process {
	switch word {
	case "", "poisson":
		return kernel.Poisson
	case "constant":
		return kernel.Even
	case "burst":
		return kernel.Burst
	case "mmpp":
		return kernel.Poisson
	case "file":
		return kernel.FromFile
	}
	panic("model: unknown process " + word)
}

func thinkTimes(t *Think) (out [policies.Classes]sim.Dist) {
	out[policies.Pending] = t.Default // before the first request
	for class := policies.OK; class < policies.Classes; class++ {
		out[class] = t.Default
		if d, ok := t.By.Get(class.String()); ok {
			out[class] = *d
		}
	}
	return out
}

// profile turns a curve into linear pieces from time 0 on; before the first point and after the
// last the end values hold.
func (c *compiler) profile(p *Profile) []kernel.Segment {
	if p == nil {
		return nil
	}
	curve := p.Curve
	if p.Name != "" {
		named, _ := c.n.s.Profiles.Get(p.Name)
		curve = *named
	}
	var out []kernel.Segment
	if curve[0].At > 0 {
		out = append(out, kernel.Segment{From: curve[0].Value})
	}
	for i, point := range curve {
		seg := kernel.Segment{At: point.At, From: point.Value}
		if i+1 < len(curve) {
			next := curve[i+1]
			if next.At <= 0 {
				continue // it is over when the run begins
			}
			seg.Slope = (next.Value - point.Value) / (next.At - point.At).Seconds()
		}
		if seg.At < 0 {
			seg.From += float64(seg.Slope * (-seg.At).Seconds())
			seg.At = 0
		}
		out = append(out, seg)
	}
	return out
}
