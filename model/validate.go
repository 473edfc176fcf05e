package model

import (
	"math"
	"strings"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// maxWindows bounds the recorded series: more windows than this nobody reads, and each costs memory
// for every edge, tier and client.
const maxWindows = 200_000

// validate reports everything that is wrong or doubtful.
func (n *names) validate() {
	n.checkScenario()
	for i := range n.t.Routes {
		n.checkRoute(&n.t.Routes[i])
	}
	for i := range n.t.Clients {
		n.checkClient(i)
	}
	for i := range n.t.Tiers {
		n.checkTier(i)
	}
	for i := range n.edges {
		n.checkEdge(&n.edges[i])
	}
	n.checkReach()
	n.checkPolicies()
	n.checkTimeline()
	n.checkTimeouts()
	n.checkMemory()
}

func (n *names) checkScenario() {
	s := n.s
	if s.Duration <= 0 || s.Duration > longest {
		n.errorf("duration", "%s; expected a duration above 0 and at most %s",
			unit.FormatDuration(s.Duration), unit.FormatDuration(longest))
	}
	n.length("drain", s.Drain)
	if s.Duration > 0 && s.Duration <= longest && s.Drain > longest-s.Duration {
		n.errorf("drain", "duration and drain together exceed the clock, which ends at %s",
			unit.FormatDuration(longest))
	}
	n.checkWindow()
	if !(s.Scale > 0 && s.Scale <= 1) {
		n.errorf("scale", "%v; expected a number above 0 and at most 1, such as 1/100", s.Scale)
	}
	if s.Replications < 1 || s.Replications > 1_000_000 {
		n.errorf("replications", "%d; expected 1 to 1M", s.Replications)
	}
	for i := range s.Profiles {
		n.curve("profiles."+s.Profiles[i].Name, s.Profiles[i].Value, 0, mostFactor)
	}
	n.checkRecovery()
}

func (n *names) checkWindow() {
	s := n.s
	n.length("warmup", s.Warmup)
	if s.Window <= 0 {
		n.errorf("window", "%s; expected a duration above 0", unit.FormatDuration(s.Window))
		return
	}
	if s.Duration%s.Window != 0 {
		n.errorf("duration", "%s is not a multiple of the window, %s",
			unit.FormatDuration(s.Duration), unit.FormatDuration(s.Window))
	}
	if s.Warmup%s.Window != 0 {
		n.errorf("warmup", "%s is not a multiple of the window, %s",
			unit.FormatDuration(s.Warmup), unit.FormatDuration(s.Window))
	}
	if s.Warmup >= s.Duration && s.Duration > 0 {
		n.errorf("warmup", "%s leaves nothing of the duration, %s",
			unit.FormatDuration(s.Warmup), unit.FormatDuration(s.Duration))
	}
	if windows := (s.Duration + s.Drain) / s.Window; windows > maxWindows {
		n.errorf("window", "%d windows of %s; expected at most %d", windows,
			unit.FormatDuration(s.Window), maxWindows).
			hint("a window of " + unit.FormatDuration(roundUp((s.Duration+s.Drain)/maxWindows+1)) +
				" or more would do")
	}
}

// mostSeries bounds the memory of one replication's series, in bytes.
const mostSeries = 4 << 30

// checkMemory refuses series that no machine would hold: each window costs a cell for each client
// at each edge and endpoint, and one for each replica.
func (n *names) checkMemory() {
	if n.s.Window <= 0 {
		return
	}
	const perEdge, perRow, perReplica = 64, 32, 64 // bytes of a cell, with what stands beside it
	bytes := 0.0
	for i := range n.t.Tiers {
		t := &n.t.Tiers[i].Value
		replicas := len(replicaNames(t))
		if a := n.scalerOf(i); a != nil {
			replicas = max(replicas, a.Max)
		}
		row := perRow * len(n.t.Clients) * endpointsOf(t)
		bytes += float64(float64(replicas) * float64(row+perReplica))
	}
	bytes += float64(perEdge * len(n.edges) * len(n.t.Clients))
	n.checkBursts()
	if bytes *= float64((n.s.Duration + n.s.Drain) / n.s.Window); bytes > mostSeries {
		n.errorf("window", "the series of so many windows, tiers and clients take %.0f GB; "+
			"expected at most %d", bytes/(1<<30), mostSeries>>30).hint("make the window wider")
	}
}

// mostBurst bounds the requests that bursts send at once: each takes some 400 bytes at least.
const mostBurst = 20_000_000

func (n *names) checkBursts() {
	for i := range n.t.Clients {
		a := n.t.Clients[i].Value.Arrivals
		if a != nil && a.Process == "burst" && float64(a.Count)*n.s.Scale > mostBurst {
			n.errorf("clients."+n.t.Clients[i].Name+".arrivals.count", "%d requests at one instant; "+
				"expected at most %d at the scale of the run", a.Count, mostBurst).
				hint("run it at a smaller --scale")
		}
	}
}

// roundUp is the next length of time with one digit, for suggestions.
func roundUp(t sim.Time) sim.Time {
	digit := sim.Time(1)
	for digit*10 <= t {
		digit *= 10
	}
	return (t + digit - 1) / digit * digit
}

func (n *names) checkRecovery() {
	r := &n.s.Recovery
	n.share("recovery.at_least", r.AtLeast)
	n.length("recovery.hold", r.Hold)
	if r.After != "" {
		n.entryNamed("recovery.after", r.After)
	}
	if r.Watch == "" {
		return
	}
	pattern := strings.TrimPrefix(r.Watch, "clients.")
	for i := range n.t.Clients {
		if matches(pattern, n.t.Clients[i].Name) {
			return
		}
	}
	n.errorf("recovery.watch", "%q matches no client", r.Watch).
		hint(nearest(r.Watch, prefixed("clients.", n.known(aClient))))
}

func prefixed(prefix string, words []string) []string {
	for i := range words {
		words[i] = prefix + words[i]
	}
	return words
}

// matches tells whether a text fits a pattern, in which * stands for anything.
func matches(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	for text = text[len(head):]; ; text = text[1:] {
		if matches(rest, text) {
			return true
		}
		if text == "" {
			return false
		}
	}
}

// entryNamed checks that the timeline has an entry of that name.
func (n *names) entryNamed(path, name string) {
	var known []string
	for i := range n.s.Timeline {
		if n.s.Timeline[i].Name == name {
			return
		}
		if n.s.Timeline[i].Name != "" {
			known = append(known, n.s.Timeline[i].Name)
		}
	}
	n.errorf(path, "no timeline entry %q", name).hint(nearest(name, known))
}

func (n *names) checkRoute(r *Entry[Route]) {
	path := "routes." + r.Name
	n.word(path+".key", r.Value.Key, "request", "attempt", "call", "client")
	if r.Value.Key == "client" {
		n.needsPopulation(path+".key", "key: client")
	}
	if len(r.Value.To) == 0 {
		n.errorf(path+".to", "expected at least one target")
	}
	for i := range r.Value.To {
		name := r.Value.To[i].Name
		to, m := n.target(name, true)
		if m == nil && to.route >= 0 {
			m = &mistake{"a route cannot lead to a route", ""}
		}
		if m != nil {
			n.errorf(path+".to."+name, "%s", m.text).hint(m.hint)
		}
		for k := range i {
			if r.Value.To[k].Name == name {
				n.errorf(path+".to."+name, "the target stands here twice")
			}
		}
	}
	n.weights(path+".to", r.Value.To)
	n.checkSpill(path+".spill", r.Value.Spill)
}

// weights checks a route's weights: percentages add to 100, and something is above 0.
func (n *names) weights(path string, ws Map[Weight]) {
	sum, percent := 0.0, 0
	for i := range ws {
		w := ws[i].Value
		if !(w.Value >= 0 && w.Value <= mostFactor) {
			n.errorf(path+"."+ws[i].Name, "weight %v; expected 0 to %v", w.Value, mostFactor)
		}
		sum += w.Value
		if w.Percent {
			percent++
		}
	}
	switch {
	case len(ws) == 0:
	case percent > 0 && percent < len(ws):
		n.errorf(path, "percentages and plain numbers are mixed; write all as either")
	case percent > 0 && math.Abs(sum-1) > 1e-9:
		n.errorf(path, "the percentages add to %s, not to 100%%", unit.Ratio(sum)).
			hint("plain numbers are relative weights and may add to anything")
	case sum == 0:
		n.errorf(path, "all weights are 0; expected one above 0")
	}
}

// mostFactor bounds factors and weights: more than this is a slip of the unit.
const mostFactor = 1e6

func (n *names) checkClient(i int) {
	c := &n.t.Clients[i].Value
	path := "clients." + n.t.Clients[i].Name
	n.word(path+".start", c.Start, "spread", "together")
	if c.SlowAfter != sim.Never {
		n.length(path+".slow_after", c.SlowAfter)
	}
	if c.Priority < 0 || c.Priority >= kernel.Priorities {
		n.errorf(path+".priority", "%d; expected 0 to %d", c.Priority, kernel.Priorities-1)
	}
	if c.Outer != nil {
		n.checkOuter(path+".outer", c.Outer)
	}
	if c.Call == "" {
		n.errorf(path+".call", "expected a target: what a request asks for")
	}
	n.count(path+".population", c.Population, 0)
	switch {
	case c.Tokens != nil:
		n.checkTokens(path, i)
	case c.Arrivals == nil && c.Think == nil:
		n.errorf(path, "expected arrivals (open loop) or think (closed loop)").
			hint("for example arrivals: 200/s")
	case c.Arrivals != nil && c.Think != nil:
		n.errorf(path, "arrivals and think exclude each other: "+
			"either requests arrive, or clients think between requests")
	case c.Think != nil:
		n.checkClosed(path, c)
	default:
		n.checkArrivals(path+".arrivals", c.Arrivals)
		if c.Start == "together" {
			n.errorf(path+".start", "together is for clients that think").
				hint("arrivals: burst 10k sends all requests at time 0")
		}
	}
}

func (n *names) checkClosed(path string, c *Client) {
	if c.Population == 0 {
		n.errorf(path+".population", "expected how many clients think, at least 1")
	}
	for i := range c.Think.By {
		if k := classNamed(c.Think.By[i].Name); k == policies.Pending {
			n.errorf(path+".think."+c.Think.By[i].Name, "no way to end is called %q",
				c.Think.By[i].Name).hint(nearest(c.Think.By[i].Name, classWords))
		}
	}
}

// classWords are the classes of outcomes as files write them.
var classWords = []string{"ok", "error", "rejected", "timed_out", "refused", "blocked", "dropped"}

// classNamed is the class of that name, Pending when there is none.
func classNamed(name string) policies.Class {
	for c := policies.OK; c < policies.Classes; c++ {
		if c.String() == name {
			return c
		}
	}
	return policies.Pending
}

func (n *names) checkArrivals(path string, a *Arrivals) {
	n.word(path+".process", a.Process, "poisson", "constant", "burst", "mmpp", "file")
	if a.Process == "file" || a.File != "" || a.Recording != nil {
		n.checkRecorded(path, a)
		return
	}
	if a.Class != "" {
		n.errorf(path+".class", "only a file has classes")
	}
	if a.Process == "burst" {
		n.count(path+".count", a.Count, 1)
		if a.Rate != 0 || a.Profile != nil {
			n.errorf(path, "a burst sends all its requests at time 0; it has no rate or profile")
		}
		return
	}
	n.rate(path+".rate", a.Rate)
	n.checkStates(path+".states", a)
	if a.Count != 0 {
		n.errorf(path+".count", "only a burst has a count")
	}
	if a.Profile == nil {
		return
	}
	if a.Profile.Name == "" {
		n.curve(path+".profile", a.Profile.Curve, 0, mostFactor)
	} else if _, ok := n.s.Profiles.Get(a.Profile.Name); !ok {
		n.errorf(path+".profile", "no profile %q", a.Profile.Name).
			hint(nearest(a.Profile.Name, mapNames(n.s.Profiles)))
	}
}
