package model

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// When is a condition on what the run shows while it runs: a measure of the last Over is above or
// below a bound. It is looked at ten times in that time. In results things are counted by when they
// began; here, where nobody can know yet how they will end, by when they end.
type When struct {
	Measure string   `yaml:"measure" doc:"a share, a number per second, a gauge or a quantile of durations, such as clients.users.failed_share, edges.web->db.attempt_latency.p99 or tiers.db.utilization; for crash without tiers.NAME"`
	Above   *Bound   `yaml:"above" doc:"met while the measure is above this"`
	Below   *Bound   `yaml:"below" doc:"met while the measure is below this"`
	Over    sim.Time `yaml:"over" default:"10s" doc:"the time that the measure is of"`
	After   sim.Time `yaml:"after" default:"0" doc:"for the timeline: how long somebody then takes to act"`
}

// watching is a condition that was understood.
type watching struct {
	top, bottom []kernel.Term
	unit        float64
	quantile    float64
	in          string // unit of the bound
	scales      bool   // the bound is divided by the scale
}

// quantiles are those that can be looked at.
var quantiles = map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}

// perSecond is the unit of a number per second, times being in ns.
const perSecond = 1e-9

// Counters that a condition can look at, in the words of measures.
var (
	liveClients = []string{"requests", "ended", "ok", "failed", "timed_out", "blocked", "slow",
		"failed_or_slow"}
	liveEdges    = []string{"calls", "attempts", "retries", "hedges", "connects", "refused"}
	liveReplicas = []string{"arrivals", "admitted", "completed", "rejected", "dropped", "wasted",
		"hits", "misses", "coalesced"}
	liveGauges = []string{"utilization", "up_share", "busy", "in_line", "in_system", "slots"}
)

// watching finds out what a measure means.
func (n *names) watching(measure string) (watching, *mistake) {
	kind, rest, _ := strings.Cut(measure, ".")
	what := rest
	name := ""
	if i := measureStart(rest); i > 0 {
		name, what = rest[:i-1], rest[i:]
	}
	switch kind {
	case "clients":
		return n.watchClients(name, what)
	case "edges":
		return n.watchEdges(name, what)
	case "tiers":
		return n.watchTier(name, what)
	}
	return watching{}, &mistake{fmt.Sprintf("%q is no measure that can be looked at during a run",
		measure), "clients.NAME.M, edges.FROM->TO.M or tiers.NAME.M"}
}

// measureStart is where the measure begins behind a name; quantiles have a dot of their own.
func measureStart(rest string) int {
	i := strings.LastIndexByte(rest, '.')
	if i >= 0 && quantiles[rest[i+1:]] > 0 {
		i = strings.LastIndexByte(rest[:i], '.')
	}
	return i + 1
}

func (n *names) watchClients(name, what string) (x watching, m *mistake) {
	var which []int
	for i := range n.t.Clients {
		if matches(name, n.t.Clients[i].Name) {
			which = append(which, i)
		}
	}
	if which == nil {
		return x, &mistake{fmt.Sprintf("no client %q", name), nearest(name, n.known(aClient))}
	}
	terms := func(count int) (out []kernel.Term) {
		for _, i := range which {
			out = append(out, kernel.Term{Of: kernel.OfClient, Index: i, Endpoint: -1, Count: count})
		}
		return out
	}
	if q, ok := quantileOf(what, "latency"); ok {
		return watching{top: terms(kernel.ClientOK), quantile: q, in: "duration"}, nil
	}
	counter, share, ok := counterOf(what)
	i := slices.Index(liveClients, counter)
	if !ok || i < 0 || share && i <= kernel.ClientEnded {
		return x, unknownLive("clients", what, liveClients, "latency.p99")
	}
	if share {
		return watching{top: terms(i), bottom: terms(kernel.ClientEnded), in: "share"}, nil
	}
	return watching{top: terms(i), unit: perSecond, in: "rate", scales: true}, nil
}

func (n *names) watchEdges(name, what string) (x watching, m *mistake) {
	which := n.edgesOf(name)
	if which == nil {
		var known []string
		for i := range n.edges {
			known = append(known, n.edges[i].key)
		}
		return x, &mistake{fmt.Sprintf("no edge %q", name), nearest(name, known)}
	}
	terms := func(counts ...int) (out []kernel.Term) {
		for _, i := range which {
			for _, count := range counts {
				out = append(out,
					kernel.Term{Of: kernel.OfEdge, Index: i, Endpoint: -1, Count: count})
			}
		}
		return out
	}
	if q, ok := quantileOf(what, "attempt_latency"); ok {
		return watching{top: terms(kernel.EdgeEnded), quantile: q, in: "duration"}, nil
	}
	counter, share, ok := counterOf(what)
	i := slices.Index(liveEdges, counter)
	base := []int{kernel.EdgeAttempts}
	switch class, isClass := sentClass(counter); {
	case !ok, share && i >= 0 && i < kernel.EdgeRetries, i < 0 && !isClass:
		return x, unknownLive("edges", what, append(slices.Clone(liveEdges), "ok", "error",
			"rejected", "timed_out", "blocked", "dropped"), "attempt_latency.p99")
	case i == kernel.EdgeRefused:
		base = append(base, kernel.EdgeRefused)
	case i < 0:
		i, base = kernel.EdgeOutcome+int(class), []int{kernel.EdgeEnded}
	}
	if share {
		return watching{top: terms(i), bottom: terms(base...), in: "share"}, nil
	}
	return watching{top: terms(i), unit: perSecond, in: "rate", scales: true}, nil
}

// sentClass is the class of an outcome that an attempt which was sent can have.
func sentClass(word string) (policies.Class, bool) {
	for c := policies.OK; c < policies.Classes; c++ {
		if c.String() == word && c != policies.Refused {
			return c, true
		}
	}
	return 0, false
}

// watchTier is about a tier, one replica of it, or one endpoint.
func (n *names) watchTier(name, what string) (watching, *mistake) {
	s, m := n.scope(name)
	if m != nil {
		return watching{}, m
	}
	return n.watchScope(s, what)
}

func (n *names) watchScope(s faultScope, what string) (x watching, m *mistake) {
	terms := func(of kernel.TermOf, count int) []kernel.Term {
		return []kernel.Term{{Of: of, Endpoint: s.endpoint, Count: count}}
	}
	gauge := func(g kernel.Gauge) []kernel.Term { return terms(kernel.OfGauge, int(g)) }
	switch {
	case !slices.Contains(liveGauges, what):
	case s.endpoint >= 0:
		return x, &mistake{what + " is of a whole replica, not of an endpoint", ""}
	case what == "utilization" && n.t.Tiers[s.tier].Value.Slots == Unlimited:
		return x, &mistake{fmt.Sprintf("the slots of %s are unlimited, so it has no utilization",
			n.t.Tiers[s.tier].Name), "look at busy or in_system"}
	}
	switch what {
	case "utilization":
		return watching{top: gauge(kernel.GaugeBusy), bottom: gauge(kernel.GaugeSlots),
			in: "share"}, nil
	case "up_share":
		declared := float64(n.declared(s.tier))
		if s.replica >= 0 {
			declared = 1
		}
		return watching{top: gauge(kernel.GaugeUp), unit: declared, in: "share"}, nil
	case "hit_ratio":
		x = watching{in: "share"}
		for lookups := kernel.ReplicaHits; lookups <= kernel.ReplicaJoined; lookups++ {
			x.bottom = append(x.bottom, terms(kernel.OfReplica, lookups)...)
		}
		x.top = x.bottom[:1]
		return x, nil
	case "busy", "in_line", "in_system", "slots":
		return watching{top: gauge(gaugeOf(what)), unit: 1, in: "count", scales: true}, nil
	}
	counter, share, ok := counterOf(what)
	i := slices.Index(liveReplicas, counter)
	if !ok || i < 0 || share && i == kernel.ReplicaArrivals {
		return x, unknownLive("tiers", what, liveReplicas,
			strings.Join(append(slices.Clone(liveGauges), "hit_ratio"), ", "))
	}
	if share {
		return watching{top: terms(kernel.OfReplica, i),
			bottom: terms(kernel.OfReplica, kernel.ReplicaArrivals), in: "share"}, nil
	}
	return watching{top: terms(kernel.OfReplica, i), unit: perSecond, in: "rate", scales: true}, nil
}

// counterOf splits ok_share and ok_per_s.
func counterOf(what string) (counter string, share, ok bool) {
	if c, found := strings.CutSuffix(what, "_share"); found {
		return c, true, true
	}
	c, found := strings.CutSuffix(what, "_per_s")
	return c, false, found
}

func quantileOf(what, of string) (float64, bool) {
	word, found := strings.CutPrefix(what, of+".")
	return quantiles[word], found && quantiles[word] > 0
}

func unknownLive(kind, what string, counters []string, more string) *mistake {
	return &mistake{fmt.Sprintf("%q is nothing of %s that can be looked at during a run", what, kind),
		"COUNTER_per_s or COUNTER_share of " + strings.Join(counters, ", ") + "; " + more}
}

// checkWhen checks a condition and its times; a scope, if any, is what its measure is of.
func (n *names) checkWhen(path string, w *When, of *faultScope) {
	n.checkCondition(path, w, of)
	if w.Over < sim.Millisecond || w.Over > longest {
		n.errorf(path+".over", "%s; expected at least 1ms", unit.FormatDuration(w.Over))
	}
	n.length(path+".after", w.After)
}

// checkCondition checks what must be so.
func (n *names) checkCondition(path string, w *When, of *faultScope) {
	x, m := n.whenOf(w, of)
	switch {
	case w.Measure == "":
		n.errorf(path, "needs measure: what is looked at")
	case m != nil:
		n.errorf(path+".measure", "%s", m.text).hint(m.hint)
	}
	if (w.Above == nil) == (w.Below == nil) {
		n.errorf(path, "expected above or below, and not both")
		return
	}
	bound, word := w.Above, "above"
	if bound == nil {
		bound, word = w.Below, "below"
	}
	if plain := bound.Unit == "count" && x.in == "share"; m == nil && bound.Unit != x.in && !plain {
		n.errorf(path+"."+word, "%s is measured in a %s, not a %s", w.Measure, x.in, bound.Unit)
		return
	}
	if m == nil && x.in == "share" && neverMet(x, w) {
		n.warnf(path+"."+word, "%s is never %s that, so that this condition is never met", w.Measure,
			word)
	}
}

// neverMet tells whether no share can be on that side of a condition's bound. A gauge may be above
// 1 for a time, as when slots are taken away from work that runs.
func neverMet(x watching, w *When) bool {
	if w.Below != nil {
		return w.Below.Value <= 0
	}
	most := 1.0
	if len(x.top) > 0 && x.top[0].Of == kernel.OfGauge {
		most = 2
	}
	return w.Above.Value >= most
}

func (n *names) whenOf(w *When, of *faultScope) (watching, *mistake) {
	if of != nil {
		return n.watchScope(*of, w.Measure)
	}
	return n.watching(w.Measure)
}

// watch compiles a condition that was checked.
func (c *compiler) watch(w *When, of *faultScope) kernel.Watch {
	x, m := c.n.whenOf(w, of)
	if m != nil {
		panic("model: a condition that was checked means nothing: " + m.text)
	}
	x.top, x.bottom = c.replicasOf(x.top, w, of), c.replicasOf(x.bottom, w, of)
	bound := w.Above
	if bound == nil {
		bound = w.Below
	}
	k := kernel.Watch{Top: x.top, Bottom: x.bottom, Unit: x.unit, Quantile: x.quantile,
		Above: w.Above != nil, Limit: bound.Value, Over: w.Over / kernel.Looks * kernel.Looks}
	if x.scales {
		k.Limit /= c.scale.by
	}
	if x.in == "duration" {
		k.Limit = bound.Value * 1e9
	}
	return k
}

// replicasOf makes of each term that is about a tier one for each replica that it can ever have.
func (c *compiler) replicasOf(terms []kernel.Term, w *When, of *faultScope) []kernel.Term {
	if len(terms) == 0 || terms[0].Of != kernel.OfReplica && terms[0].Of != kernel.OfGauge {
		return terms
	}
	if of == nil {
		rest := strings.TrimPrefix(w.Measure, "tiers.")
		s, _ := c.n.scope(rest[:measureStart(rest)-1])
		of = &s
	}
	t := &c.p.Tiers[of.tier]
	var out []kernel.Term
	for _, one := range terms {
		for r := range t.Count {
			if of.replica < 0 || of.replica == r {
				one.Index = t.First + r
				out = append(out, one)
			}
		}
	}
	return out
}
