package model

import "cascadesim/model/internal/kernel"

// faultEffects are what a fault does, as layers on params that only faults change.
func (c *compiler) faultEffects(entry int, f *Fault) []effect {
	if f.Edge != "" {
		return c.linkEffects(entry, f)
	}
	var out []effect
	for _, s := range c.n.scopes(f) {
		at := c.scopeParams(s)
		slow := float64(f.Slow)
		if f.Speed != 0 {
			slow = 1 / float64(f.Speed)
		}
		if slow != 0 {
			out = append(out, effect{entry: entry, op: kernel.Multiply, value: slow,
				params: at(slowParam)})
		}
		if f.Delay != nil {
			e := effect{entry: entry, op: kernel.Replace, dist: *f.Delay, params: at(delayParam)}
			if t, ok := f.Delay.Const(); ok {
				// Constant delays add up, where of two distributions the later one counts.
				e = effect{entry: entry, op: kernel.Add, value: float64(t), params: e.params}
			}
			out = append(out, e)
		}
		if f.Errors != nil {
			out = append(out,
				effect{entry: entry, op: kernel.Combine, value: float64(f.Errors.Share),
					params: at(errorsParam)},
				effect{entry: entry, op: kernel.Replace, value: float64(f.Errors.Status),
					params: at(statusParam)})
		}
	}
	return out
}

func (c *compiler) linkEffects(entry int, f *Fault) []effect {
	var out []effect
	for _, i := range c.n.edgesOf(f.Edge) {
		k := &c.p.Edges[i]
		if f.Latency != nil {
			out = append(out, effect{entry: entry, op: opOf(f.Latency.Op),
				value: f.Latency.Value.Number, params: []int{k.ReplyLatency}})
		}
		if f.Loss > 0 {
			out = append(out, effect{entry: entry, op: kernel.Combine, value: float64(f.Loss),
				params: []int{k.Loss}})
		}
		if f.RepliesLost > 0 {
			out = append(out, effect{entry: entry, op: kernel.Combine,
				value: float64(f.RepliesLost), params: []int{k.RepliesLost}})
		}
		if f.Link != "" {
			out = append(out, effect{entry: entry, op: kernel.Replace,
				value: float64(linkNamed(f.Link)), params: []int{k.Link}})
		}
	}
	return out
}

func linkNamed(word string) kernel.LinkState {
	switch word {
	case "held":
		return kernel.LinkHeld
	case "lost":
		return kernel.LinkLost
	case "refused":
		return kernel.LinkRefused
	}
	panic("model: unknown state of a link " + word)
}

// faultParam names one of the params that a fault at a tier changes.
type faultParam uint8

const (
	slowParam faultParam = iota
	delayParam
	errorsParam
	statusParam
)

// scopeParams gives the params that a fault on a scope changes: the tier's own where all of it is
// meant (and the endpoint's for errors), else those of its rows, which are made at their first use.
func (c *compiler) scopeParams(s faultScope) func(faultParam) []int {
	t := &c.p.Tiers[s.tier]
	whole := s.replica < 0 && s.endpoint < 0
	return func(what faultParam) []int {
		switch {
		case whole && what == slowParam:
			return []int{t.Slow}
		case whole && what == delayParam:
			return []int{t.Delay}
		case s.replica < 0 && (what == errorsParam || what == statusParam):
			return c.endpointParams(t, s.endpoint, what)
		}
		var out []int
		for r := t.First; r < t.First+t.Count; r++ {
			if s.replica >= 0 && r != t.First+s.replica {
				continue
			}
			for e := range t.Endpoints {
				if s.endpoint < 0 || s.endpoint == e {
					out = append(out, c.rowParam(c.p.Replicas[r].Row+e, what))
				}
			}
		}
		return out
	}
}

func (c *compiler) endpointParams(t *kernel.Tier, endpoint int, what faultParam) []int {
	var out []int
	for e := range t.Endpoints {
		if endpoint >= 0 && endpoint != e {
			continue
		}
		if what == errorsParam {
			out = append(out, t.Endpoints[e].Errors)
		} else {
			out = append(out, t.Endpoints[e].ErrorStatus)
		}
	}
	return out
}

// rowParam is a row's own param for faults, made when a fault first names it.
func (c *compiler) rowParam(row int, what faultParam) int {
	r := &c.p.Rows[row]
	replica := &c.p.Replicas[r.Replica]
	tier := &c.p.Tiers[replica.Tier]
	path := "tiers." + tier.Name + "@" + replica.Name
	if name := tier.Endpoints[r.Endpoint].Name; name != "" {
		path += "/" + name
	}
	add := func(at *int, name string, field kernel.Field, base float64) int {
		if *at < 0 {
			*at = c.hidden(path+name, field, row, base)
		}
		return *at
	}
	switch what {
	case slowParam:
		return add(&r.Slow, ".slow", kernel.FieldPlain, 1)
	case delayParam:
		return add(&r.Delay, ".delay", kernel.FieldDist, 0)
	case errorsParam:
		return add(&r.Errors, ".errors", kernel.FieldPlain, 0)
	case statusParam:
		return add(&r.ErrorStatus, ".errors.status", kernel.FieldPlain, 500)
	}
	panic("model: unknown param of a fault")
}
