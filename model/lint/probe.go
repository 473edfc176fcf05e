package lint

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// probed is what trying an edge out has shown.
type probed struct {
	tries    int     // most of one call, budgets left out; 0: no limit
	factor   float64 // attempts for each call while all fail, budgets at work, at the edge's own rate
	ratio    float64 // the same at a thousand times that rate, where floors do not count
	fits     int     // tries that fit into the overall timeout when each runs out of time; 0: all
	waits    float64 // seconds between the tries of one call, the longest
	jitter   bool    // waits differ between calls
	shed     int     // tries of one call that its callee turns away each time
	repeats  bool    // a try whose work may have been done is made again
	rate     float64 // calls per second for each state of its policies, at the height of the load
	worstWay way
}

// way is how everything fails while an edge is tried out.
type way struct {
	name   string
	status int
}

// The ways that are not an error's status.
const (
	timesOut = "timed out"
	refused  = "dropped"
	shed     = "rejected"
	errs     = "error"
)

// statuses are those that some product or other tries again.
var statuses = []int{500, 502, 503, 504, 429, 408, 409, 425, 499}

const (
	probeWarm   = 200    // calls that go well before all fail, so that budgets are full
	probeCalls  = 300    // calls of a look at single ones
	stormCalls  = 2000   // at least
	stormMost   = 20_000 // and at most
	stormTime   = 60.0   // seconds of them, so that budgets' windows turn several times
	probeFew    = 3      // the fewest calls of a look
	probeTop    = 10_000 // tries of one call that are as good as without limit
	probeEvents = 300_000
	floorLeast  = 0.1  // retries for each call that a floor must let through to be named
	manyTimes   = 1000 // how much faster calls come where floors do not count
)

// probe tries every edge out.
func (l *linter) probe() error {
	l.edges, l.hops = make([]*model.Edge, len(l.w.Edges)), make([]probed, len(l.w.Edges))
	l.g = newGraph(l.w)
	rates := l.rates(func(int) float64 { return 1 })
	for i := range l.w.Edges {
		l.edges[i] = l.declared(i)
		h := &l.hops[i]
		*h = probed{tries: 1, factor: 1, ratio: 1, shed: 1, jitter: true}
		if !l.w.Edges[i].HasRetry {
			continue
		}
		h.rate = max(rates.edge[i]/l.sharers(i), 1e-3)
		if twin := l.twin(i); twin >= 0 {
			*h = l.hops[twin]
			continue
		}
		if err := l.probeEdge(i, h); err != nil {
			return fmt.Errorf("try out edge %s: %w", l.w.Edges[i].Name, err)
		}
	}
	return nil
}

// twin is an edge before this one of which the same would be seen; -1: there is none.
func (l *linter) twin(i int) int {
	for k := range i {
		a, b := l.edges[k], l.edges[i]
		if l.w.Edges[k].HasRetry && l.hops[k].rate == l.hops[i].rate && a.Timeout == b.Timeout &&
			(l.w.Edges[k].From < 0) == (l.w.Edges[i].From < 0) &&
			l.reject(k) == l.reject(i) && reflect.DeepEqual(a.Retry, b.Retry) {
			return k
		}
	}
	return -1
}

// declared is an edge as the topology says it; edges that exist only by a call are the defaults.
func (l *linter) declared(i int) *model.Edge {
	t := l.plan.Topology
	for k := range t.Edges {
		e := &t.Edges[k]
		if name := l.w.Edges[i].Name; e.Name == name || e.Name == "" && e.From+"->"+e.To == name {
			return e
		}
	}
	return &t.Defaults.Edge
}

// sharers is among how many states of its policies the calls of an edge are divided: the stack's
// scope, which an entry may change.
func (l *linter) sharers(i int) float64 {
	e := &l.w.Edges[i]
	scope := l.edges[i].Retry.Scope
	for _, use := range l.edges[i].Retry.Stack {
		if kind, ok := l.reg.Lookup(use.Policy); ok && kind.Stateful && use.Scope != "" {
			scope = use.Scope
		}
	}
	switch {
	case scope == "client" && e.Client >= 0:
		return float64(l.w.Clients[e.Client].Population) / l.w.Scale
	case scope == "" || scope == "instance":
		if e.From >= 0 {
			return float64(max(1, l.w.Tiers[e.From].Count))
		}
	}
	return 1
}

// probeEdge tries one edge out in every way in which its calls can fail.
func (l *linter) probeEdge(i int, h *probed) error {
	e := l.edges[i]
	for _, w := range l.ways(i) {
		seen, err := l.look(i, w, lookFor{rate: 100, calls: probeCalls})
		if err != nil {
			return err
		}
		h.take(w, seen)
		if w.name == timesOut && e.Timeout.Overall != sim.Never {
			seen, err = l.look(i, w, lookFor{rate: 100, calls: 5, overall: true})
			if err != nil {
				return err
			}
			h.fits = seen.most
		}
	}
	if h.tries == 1 || h.worstWay.name == "" {
		return nil
	}
	if !l.remembers(i) {
		h.factor = 1 + float64(float64(h.tries-1)*float64(e.Retry.Enabled))
		if h.tries == 0 {
			h.factor = math.Inf(1)
		}
		h.ratio = h.factor
		return nil
	}
	storms := []way{h.worstWay}
	if slow := (way{name: timesOut}); slow != h.worstWay && slices.Contains(l.ways(i), slow) {
		storms = append(storms, slow)
	}
	for _, w := range storms {
		calls := min(max(int(h.rate*stormTime), stormCalls), stormMost)
		own, err := l.look(i, w, lookFor{storm: true, rate: h.rate, calls: calls})
		if err != nil {
			return err
		}
		fast := own
		if own.perCall > 1+floorLeast {
			fast, err = l.look(i, w, lookFor{storm: true, rate: h.rate * manyTimes, calls: stormCalls})
			if err != nil {
				return err
			}
		}
		h.factor, h.ratio = max(h.factor, own.perCall), max(h.ratio, fast.perCall)
	}
	return nil
}

// remembers says whether a policy of an edge's stack knows of more than the call that it is asked
// about.
func (l *linter) remembers(i int) bool {
	return slices.ContainsFunc(l.edges[i].Retry.Stack, func(use model.PolicyUse) bool {
		kind, ok := l.reg.Lookup(use.Policy)
		return !ok || kind.Stateful || kind.Notes
	})
}

// take notes what failing in one way has shown.
func (h *probed) take(w way, seen looked) {
	switch w.name {
	case shed:
		h.shed = seen.most
	case timesOut:
		h.repeats = h.repeats || seen.most > 1
	case errs:
		h.repeats = h.repeats || seen.most > 1 && w.status == 500
	}
	if seen.most > 1 && !seen.jitter {
		h.jitter = false
	}
	h.waits = max(h.waits, seen.waits)
	if h.tries == 0 || seen.most <= h.tries {
		return
	}
	h.tries, h.worstWay = seen.most, w
	if seen.most >= probeTop {
		h.tries = 0
	}
}

// ways are those in which calls of an edge can fail.
func (l *linter) ways(i int) []way {
	out := []way{{name: refused}, {name: shed}}
	if tryEnds(l.edges[i].Timeout) != sim.Never {
		out = append(out, way{name: timesOut})
	}
	for _, s := range statuses {
		out = append(out, way{errs, s})
	}
	for _, text := range l.edges[i].Retry.RetryOn {
		var s int
		if n, _ := fmt.Sscanf(text, "%d", &s); n == 1 && s >= 100 && !slices.Contains(statuses, s) {
			out = append(out, way{errs, s})
		}
	}
	return out
}

// tryEnds is the clock of a try: its timeout, or the lease of its work; Never: it has none.
func tryEnds(t model.Timeout) sim.Time {
	if t.Lease != 0 {
		return min(t.Try, t.Lease)
	}
	return t.Try
}

// lookFor is what one look wants.
type lookFor struct {
	storm   bool // with what calls share, budgets and breakers; else without
	overall bool // with the overall timeout
	rate    float64
	calls   int
}

// looked is what one look has shown.
type looked struct {
	most    int     // tries of the call that made most
	waits   float64 // seconds between the tries of one call: the longest of each gap, together
	jitter  bool
	perCall float64 // tries of the second half of the calls, for each of them
}

// look runs the small world of an edge while all fails in one way.
func (l *linter) look(i int, w way, want lookFor) (looked, error) {
	topology, scenario, from := l.small(i, w, want)
	plan, problems := model.Compile(topology, scenario, l.reg)
	if plan == nil {
		return looked{}, problems.Errors()
	}
	watch := &watcher{from: from, edge: -1}
	for k := range plan.World.Edges {
		if plan.World.Edges[k].HasRetry {
			watch.edge = k
		}
	}
	if watch.edge < 0 {
		return looked{most: 1, perCall: 1}, nil
	}
	res, err := plan.Run(context.Background(), 1, model.RunOptions{
		Tracer: watch, UntilEvent: probeEvents,
	})
	if err != nil {
		return looked{}, err
	}
	if res.Events < probeEvents {
		return watch.looked(), nil
	}
	// The run was cut short, so that its counts say too little: fewer calls must do.
	if want.calls > probeFew {
		want.calls = max(want.calls/10, probeFew)
		return l.look(i, w, want)
	}
	seen := watch.looked()
	seen.most, seen.waits, seen.perCall = probeTop, math.Inf(1), math.Inf(1) // it goes on and on
	return seen, nil
}

// reject is what the edge's callee answers when it turns an attempt away.
func (l *linter) reject(i int) model.Reject {
	for _, t := range l.g.targets(l.g.callOf[i]) {
		d, _ := l.plan.Topology.Tiers.Get(l.w.Tiers[t.tier].Name)
		r := d.Reject
		return model.Reject{Status: r.Status, RetryAfter: r.RetryAfter}
	}
	return model.Reject{Status: 503}
}

// bareEdge is an edge with its clocks and its stack, and nothing else.
func (l *linter) bareEdge(i int, w way, want lookFor) model.Edge {
	d := l.edges[i]
	hop, _ := sim.ConstDist(sim.Microsecond)
	e := model.Edge{Latency: hop, Timeout: model.NoTimeout,
		Block: model.Block{Status: 403}}
	if w.name == timesOut {
		e.Timeout.Try = max(tryEnds(d.Timeout), 10*sim.Microsecond)
	}
	if want.overall {
		e.Timeout.Overall = d.Timeout.Overall
	}
	r := *d.Retry
	r.Stack = nil
	r.Enabled = max(r.Enabled, 0)
	if !want.storm {
		r.Enabled = 1
	}
	bare := l.withoutShared(d.Retry.Stack)
	if want.storm {
		bare = d.Retry.Stack
	}
	for _, use := range bare {
		use.Pool, use.Counts, use.Low = "", "", 0
		if use.Key == "priority" || use.Key == "endpoint" || use.Key == "client" {
			use.Key = ""
		}
		r.Stack = append(r.Stack, use)
	}
	e.Retry = &r
	return e
}

// withoutShared leaves out of a stack what calls share: budgets and breakers. What is left must
// still say how often a call is tried: a policy that does that too stays.
func (l *linter) withoutShared(stack []model.PolicyUse) []model.PolicyUse {
	bounds := func(use model.PolicyUse) bool {
		kind, ok := l.reg.Lookup(use.Policy)
		return ok && !kind.Stateful && (kind.Bounds || kind.Judges)
	}
	if !slices.ContainsFunc(stack, bounds) {
		return stack
	}
	var out []model.PolicyUse
	for _, use := range stack {
		if kind, ok := l.reg.Lookup(use.Policy); ok && kind.Stateful && kind.Gates && !l.paces(kind) {
			continue
		}
		out = append(out, use)
	}
	return out
}

// paces says whether a policy does more than to refuse: it waits, judges or hedges too.
func (l *linter) paces(kind *policies.Kind) bool { return kind.Paces || kind.Decides() }
