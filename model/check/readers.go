package check

import (
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
)

// clientT is one client of a world.
type clientT = kernel.Client

func clientNames(w *model.World) []string {
	out := make([]string, len(w.Clients))
	for i, c := range w.Clients {
		out[i] = c.Name
	}
	return out
}

func edgeNames(w *model.World) []string {
	out := make([]string, len(w.Edges))
	for i, e := range w.Edges {
		out[i] = e.Name
	}
	return out
}

func tierNames(w *model.World) []string {
	out := make([]string, len(w.Tiers))
	for i, t := range w.Tiers {
		out[i] = t.Name
	}
	return out
}

// replicaName is a replica's name within its tier.
func replicaName(w *model.World, r int) string {
	name := w.Replicas[r].Name
	if _, short, ok := strings.Cut(name, "@"); ok {
		return short
	}
	return name
}

// pickTiers finds the replicas and endpoints of NAME[@replica][/endpoint].
func (m *Measure) pickTiers(w *model.World, name string) error {
	name, endpoint, byEndpoint := strings.Cut(name, "/")
	name, replica, byReplica := strings.Cut(name, "@")
	var replicas, endpoints []string // met on the way, for suggestions
	tiers, match := 0, matcher(name)
	for i := range w.Tiers {
		t := &w.Tiers[i]
		if !match(t.Name) {
			continue
		}
		tiers++
		for r := t.First; r < t.First+t.Count; r++ {
			replicas = append(replicas, replicaName(w, r))
			if byReplica && !matches(replica, replicaName(w, r)) {
				continue
			}
			m.replicas = append(m.replicas, r)
		}
		if byReplica {
			m.declared = float64(len(m.replicas))
		} else {
			m.declared += active(w, *t)
		}
		for _, e := range t.Endpoints {
			endpoints = append(endpoints, e.Name)
		}
	}
	switch {
	case tiers == 0:
		return bad(didYouMean(name, tierNames(w)), "no tier %q", name)
	case m.replicas == nil:
		return bad(didYouMean(replica, replicas), "tier %q has no replica %q", name, replica)
	}
	for _, r := range m.replicas {
		for e, ep := range w.Tiers[w.Replicas[r].Tier].Endpoints {
			if !byEndpoint || matches(endpoint, ep.Name) {
				m.rows = append(m.rows, tierRow{r, e})
			}
		}
	}
	if byEndpoint {
		m.replicas = nil
		if m.rows == nil && strings.Join(endpoints, "") == "" {
			return bad("leave /"+endpoint+" out", "tier %q has no endpoints", name)
		}
		if m.rows == nil {
			return bad(didYouMean(endpoint, endpoints), "tier %q has no endpoint %q", name, endpoint)
		}
	}
	return nil
}

// active is how many replicas of a tier take part at the start.
func active(w *model.World, t kernel.Tier) float64 {
	if t.Active < len(w.Params) {
		return w.Params[t.Active].Base
	}
	return float64(t.Count)
}

func (m *Measure) readTier(what string) error {
	if slices.Contains(gauges, what) {
		if m.replicas == nil {
			return bad("leave the endpoint out", "%s is kept by replica, not by endpoint", what)
		}
		m.Kind, m.Unit, m.what = Gauge, Count, what
		if what == "utilization" || what == "up_share" {
			m.Unit = Share
		}
		return nil
	}
	if what == crashes {
		if m.replicas == nil {
			return bad("leave the endpoint out", "a replica crashes, not an endpoint")
		}
		m.Kind, m.Unit, m.what = Counter, Count, what
		return nil
	}
	if what == "hit_ratio" {
		m.Kind, m.Unit, m.what = Part, Share, what
		return nil
	}
	err := m.readCounted(what, names(tierCounters), []string{"wait", "service"},
		append([]string{crashes, "hit_ratio"}, gauges...))
	if err != nil {
		return err
	}
	if m.Kind == Lengths && m.replicas == nil {
		return bad("leave the endpoint out", "%s is kept by replica, not by endpoint", m.what)
	}
	return nil
}

func (m *Measure) readEdge(w *model.World, what string) error {
	switch {
	case what == "amplification":
		m.Kind, m.Unit, m.what = Part, Ratio, what
		m.clients = reaching(w, m.edges)
		return nil
	case what == "attempts_per_call":
		m.Kind, m.Unit, m.what = Part, Ratio, what
		return nil
	}
	by, policy, dotted := strings.Cut(what, ".")
	switch {
	case dotted && (by == "open" || by == "half_open"):
		m.Kind, m.Unit, m.what = Gauge, Share, by
		return m.pickBreaker(w, policy)
	case dotted && by == "level":
		m.Kind, m.Unit, m.what = Gauge, Share, by
		return m.pickPolicy(w, policy)
	case dotted && by == "refused_by":
		ok := m.readSuffix(policy, func(name string) bool { return m.pickPolicy(w, name) == nil })
		if !ok {
			return m.pickPolicy(w, policy)
		}
		m.what = by
		return nil
	}
	others := []string{
		"amplification", "attempts_per_call", "refused_by.POLICY", "level.POLICY",
		"open.POLICY", "half_open.POLICY",
	}
	counted := slices.Concat(names(edgeCounters), names(probeCounters))
	return m.readCounted(what, counted, []string{"attempt_latency"}, others)
}

// pickPolicy finds the entries of that name in the stacks of the edges picked.
func (m *Measure) pickPolicy(w *model.World, policy string) error {
	m.entries = nil
	var known []string
	for _, e := range m.edges {
		for i, use := range w.Edges[e].Stack {
			if use.Name == policy {
				m.entries = append(m.entries, entry{e, i})
			}
			if !slices.Contains(known, use.Name) {
				known = append(known, use.Name)
			}
		}
	}
	if m.entries == nil {
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Text, "edges."), ".")
		return bad(didYouMean(policy, known), "no policy %q in the stack of %s", policy, name)
	}
	return nil
}

// pickBreaker finds entries that are breakers.
func (m *Measure) pickBreaker(w *model.World, policy string) error {
	if err := m.pickPolicy(w, policy); err != nil {
		return err
	}
	for _, en := range m.entries {
		if !w.States[w.Edges[en.edge].Stack[en.index].State].New().Breaker {
			return bad("level."+policy, "%s is no breaker that opens and closes", policy)
		}
	}
	return nil
}

// reaching lists the clients whose calls can reach any of the edges.
func reaching(w *model.World, edges []int) []int {
	var out []int
	for c := range w.Clients {
		for _, e := range edges {
			if reach := w.Edges[e].CanReach; c < len(reach) && reach[c] {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

var totals = []string{
	"requests", "ok", "failed", "timed_out", "blocked", "slow", "failed_or_slow",
	"operations", "repeats", "given_up", "expired_tokens", "degraded", "attempts", "retries",
	"goodput_per_s", "amplification", "in_flight", "wasted_work_share",
}

func (m *Measure) readTotal(w *model.World, what string) error {
	m.clients, m.edges = all(len(w.Clients)), all(len(w.Edges))
	ofClients := func(name string) bool { return slices.Contains(names(clientCounters), name) }
	ofEdges := func(name string) bool { return name == "attempts" || name == "retries" }
	switch {
	case what == "goodput_per_s":
		m.Kind, m.Unit, m.what, m.of = PerSecond, Rate, "ok", "clients"
	case what == "amplification":
		m.Kind, m.Unit, m.what = Part, Ratio, what
	case what == "in_flight":
		m.Kind, m.Unit, m.what = Whole, Count, what
	case what == "wasted_work_share":
		m.Kind, m.Unit, m.what = Whole, Share, what
	case m.readSuffix(what, ofClients):
		m.of = "clients"
	case m.readSuffix(what, ofEdges):
		m.of = "edges"
	default:
		return bad(didYouMean(what, totals), "no measure %q of totals", what)
	}
	return nil
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (m *Measure) readRecovery(what string) error {
	m.Kind, m.what = Whole, what
	switch what {
	case "verdict":
		m.Unit = Word
	case "time":
		m.Unit = Duration
	case "surge":
		m.Unit = Ratio
	default:
		words := []string{"verdict", "time", "surge"}
		return bad(didYouMean(what, words), "no measure %q of recovery", what)
	}
	return nil
}
