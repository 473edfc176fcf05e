package model

import (
	"strings"

	"cascadesim/sim"
)

// quantity is what the number of a live field means.
type quantity uint8

const (
	aLimit     quantity = iota // a count, or unlimited
	aCount                     // a count of at least 1
	aRate                      // per second
	aShare                     // 0 to 1
	aLength                    // ns, 0 or more
	aTimer                     // ns, above 0, or none
	aStatus                    // 100 to 599
	aWeight                    // relative
	theWeights                 // of all targets of a route
	aDist                      // a distribution of lengths of time
)

// liveField is a field that the timeline may set.
type liveField struct {
	path   string
	what   quantity
	scales bool
	least  float64
	base   float64 // as declared; negative: unlimited or none
	dist   sim.Dist
}

// liveFields are all of them, in order and by path.
type liveFields struct {
	all    []liveField
	byPath map[string]*liveField
}

func (n *names) liveFields() liveFields {
	out := liveFields{n.live(), map[string]*liveField{}}
	for i := range out.all {
		out.byPath[out.all[i].path] = &out.all[i]
	}
	return out
}

// liveField finds the field that a setting is for, or reports that there is none.
func (n *names) liveField(at, path string, of liveFields) (*liveField, bool) {
	f, ok := of.byPath[path]
	if !ok {
		n.errorf(at, "no field of that path can change during a run").hint(liveHint(path, of.all))
	}
	return f, ok
}

// live lists the fields that a timeline may set, in the order of the file.
func (n *names) live() []liveField {
	var out []liveField
	for i := range n.t.Tiers {
		out = append(out, liveTier(&n.t.Tiers[i])...)
	}
	for i := range n.t.Routes {
		out = append(out, liveField{path: "routes." + n.t.Routes[i].Name + ".to", what: theWeights})
	}
	for i := range n.t.Clients {
		c := &n.t.Clients[i]
		if a := c.Value.Arrivals; a != nil && a.hasRate() {
			out = append(out, liveField{path: "clients." + c.Name + ".arrivals.rate",
				what: aRate, scales: true, base: float64(a.Rate)})
		}
	}
	for i := range n.edges {
		out = append(out, n.edges[i].live()...)
	}
	return out
}

func liveTier(t *Entry[Tier]) []liveField {
	v, path := &t.Value, "tiers."+t.Name
	out := []liveField{
		{path: path + ".reject.status", what: aStatus, base: float64(v.Reject.Status)},
		{path: path + ".reject.retry_after", what: aLength, base: float64(v.Reject.RetryAfter)},
		{path: path + ".reject.cost", what: aLength, base: float64(v.Reject.Cost)},
		{path: path + ".reject.delay", what: aLength, base: float64(v.Reject.Delay)},
	}
	limits := func(path string, slots *int, line *Line, flow *InFlight) {
		if slots != nil {
			out = append(out, liveField{path: path + ".slots", what: aLimit, scales: true,
				base: float64(*slots)})
		}
		if line != nil {
			out = append(out, liveField{path: path + ".line.limit", what: aLimit, scales: true,
				base: float64(line.Limit)})
		}
		if flow != nil {
			out = append(out, liveField{path: path + ".in_flight.limit", what: aLimit, scales: true,
				base: float64(flow.Limit)})
		}
	}
	if len(v.Replicas.Named) == 0 {
		out = append(out, liveField{path: path + ".replicas", what: aCount, least: 1,
			base: float64(v.Replicas.Count)})
		limits(path, &v.Slots, &v.Line, &v.InFlight)
		return out
	}
	// A path of the tier is live while some replica takes its value from there.
	var slots *int
	var line *Line
	var flow *InFlight
	for i := range v.Replicas.Named {
		r := &v.Replicas.Named[i]
		at := path + ".replicas." + r.Name
		out = append(out, liveField{path: at + ".weight", what: aWeight, base: r.Value.Weight})
		own := r.Value
		if own.Slots == nil {
			slots, own.Slots = &v.Slots, &v.Slots
		}
		if own.Line == nil {
			line, own.Line = &v.Line, &v.Line
		}
		if own.InFlight == nil {
			flow, own.InFlight = &v.InFlight, &v.InFlight
		}
		limits(at, own.Slots, own.Line, own.InFlight)
	}
	limits(path, slots, line, flow)
	return out
}

func (e *edge) live() []liveField {
	out := []liveField{
		{path: e.path + ".latency", what: aDist, dist: e.Latency},
		{path: e.path + ".loss", what: aShare, base: float64(e.Loss)},
		{path: e.path + ".replies_lost", what: aShare, base: float64(e.RepliesLost)},
		{path: e.path + ".timeout.try", what: aTimer, base: timerNumber(e.Timeout.Try)},
		{path: e.path + ".timeout.lease", what: aTimer, base: leaseNumber(e.Timeout.Lease)},
		{path: e.path + ".timeout.overall", what: aTimer, base: timerNumber(e.Timeout.Overall)},
		{path: e.path + ".block.share", what: aShare, base: float64(e.Block.Share)},
		{path: e.path + ".block.status", what: aStatus, base: float64(e.Block.Status)},
	}
	if e.Retry != nil {
		out = append(out, liveField{path: e.path + ".retry.enabled", what: aShare,
			base: float64(e.Retry.Enabled)})
	}
	return out
}

// leaseNumber is timerNumber of a lease, which 0 means none of: Go programs leave it out.
func leaseNumber(t sim.Time) float64 {
	if t == 0 {
		return -1
	}
	return timerNumber(t)
}

// timerNumber is a timer as params hold it: in ns, -1 for none.
func timerNumber(t sim.Time) float64 {
	if t == sim.Never {
		return -1
	}
	return float64(t)
}

// liveHint suggests a path that the timeline can set, from among those of the same owner if there
// are any.
func liveHint(path string, fields []liveField) string {
	parts := strings.Split(path, ".")
	var near, all []string
	for _, f := range fields {
		all = append(all, f.path)
		if len(parts) > 2 && strings.HasPrefix(f.path, parts[0]+"."+parts[1]+".") {
			near = append(near, f.path)
		}
	}
	if len(near) > 0 {
		return nearest(path, near)
	}
	return nearest(path, all)
}
