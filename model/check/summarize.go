package check

import (
	"fmt"
	"slices"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// Summarize makes the object of a run from all its replications. Version, Scenario, Variant and
// Performance are the caller's to fill in; Judge's verdicts are computed here.
//
// Of several replications, counts are sums, ratios are of the sums, rates and gauges are means,
// and durations are of all together; Runs has each by itself.
func Summarize(plan *model.Plan, results []*model.Result) Summary {
	w := plan.World
	p := newPool(plan, results)
	verdicts := Judge(plan, results)
	s := Summary{
		Schema: SchemaName, Topology: plan.Topology.Name, Seed: plan.Scenario.Seed,
		Replications: len(results), Scale: w.Scale, DurationS: w.End.Seconds(),
		Totals: p.totals(), Clients: p.clients(), Tiers: p.tiers(), Edges: p.edges(),
		Recovery: p.recovery(), Checks: checksOf(verdicts, -1),
		Warnings: warningsOf(plan, results), Fingerprint: p.fingerprint().String(),
	}
	if len(results) > 0 {
		s.Seed = results[0].Seed
	}
	switch len(results) {
	case 1:
		s.Controls = staysOf(plan, results[0])
		return s
	case 0:
		return s
	}
	for i, r := range results {
		one := newPool(plan, []*model.Result{r})
		s.Runs = append(s.Runs, RunSummary{
			Seed: r.Seed, Totals: one.totals(), Clients: one.clients(), Tiers: one.tiers(),
			Edges: one.edges(), Recovery: one.recovery(), Checks: checksOf(verdicts, i),
			Controls: staysOf(plan, r), Fingerprint: r.Fingerprint.String(),
		})
	}
	return s
}

// pool is replications read together.
type pool struct {
	plan    *model.Plan
	readers []reader
}

func newPool(plan *model.Plan, results []*model.Result) pool {
	p := pool{plan: plan}
	for _, r := range results {
		p.readers = append(p.readers, newReader(plan, r))
	}
	return p
}

// parse reads a measure that the package itself wrote.
func (p pool) parse(text string) Measure {
	m, err := Parse(p.plan.World, text, "")
	if err != nil {
		panic("check: " + text + ": " + err.Error())
	}
	return m
}

// count is a simulated count after the warm-up, with the drain.
func (p pool) count(text string) uint64 {
	m, n := p.parse(text), uint64(0)
	for _, rd := range p.readers {
		if s, _, ok := rd.span(DefaultRange(rd.w), true); ok {
			n += rd.count(m, s)
		}
	}
	return n
}

// mean is the mean of the replications that have a value, times factor; nil when none has.
func (p pool) mean(text string, factor float64) *float64 {
	m, sum, n := p.parse(text), 0.0, 0
	for _, rd := range p.readers {
		if x := rd.over(m, DefaultRange(rd.w)); exists(x) {
			sum += x
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return number(sum / float64(n) * factor)
}

// durations pools a duration's histograms.
func (p pool) durations(text string) Durations {
	m := p.parse(text + ".mean")
	var h stats.Histogram
	for _, rd := range p.readers {
		rg := DefaultRange(rd.w)
		if s, _, ok := rd.span(rg, true); ok {
			h.Merge(rd.lengths(m, rg, s))
		}
	}
	of := func(stat string) *float64 { return number(statistic(&h, stat)) }
	return Durations{of("mean"), of("p50"), of("p95"), of("p99"), of("p999")}
}

// divided is a ratio of counts, nil over nothing.
func divided(a, b uint64) *float64 { return number(ratio(float64(a), float64(b))) }

func (p pool) totals() TotalsSummary {
	t := TotalsSummary{
		Requests: p.count("totals.requests"), Attempts: p.count("totals.attempts"),
		Retries: p.count("totals.retries"), OK: p.count("totals.ok"),
		Failed: p.count("totals.failed"), GoodputPerS: p.mean("totals.goodput_per_s", 1),
	}
	var work, wasted sim.Time
	for _, rd := range p.readers {
		t.InFlight += rd.r.Totals.InFlight
		work += rd.r.Totals.Work
		wasted += rd.r.Totals.Wasted
	}
	t.WastedWorkShare = divided(uint64(wasted), uint64(work))
	for i := range p.plan.World.Edges {
		if x := p.amplification(i); x != nil && (t.Amplification == nil || *x > *t.Amplification) {
			t.Amplification = x
		}
	}
	return t
}

// amplification is attempts of an edge over requests of the clients that can reach it.
func (p pool) amplification(edge int) *float64 {
	m := Measure{of: "edges", what: "attempts", edges: []int{edge}, only: -1}
	of := Measure{of: "clients", what: "requests", clients: reaching(p.plan.World, m.edges)}
	var attempts, requests uint64
	for _, rd := range p.readers {
		if s, _, ok := rd.span(DefaultRange(rd.w), true); ok {
			attempts += rd.count(m, s)
			requests += rd.count(of, s)
		}
	}
	return divided(attempts, requests)
}

func (p pool) clients() map[string]ClientSummary {
	out := make(map[string]ClientSummary)
	for _, c := range p.plan.World.Clients {
		name := "clients." + c.Name
		out[c.Name] = ClientSummary{
			Requests: p.count(name + ".requests"), OK: p.count(name + ".ok"),
			Failed: p.count(name + ".failed"), Degraded: p.count(name + ".degraded"),
			Repeats: p.count(name + ".repeats"), GivenUp: p.count(name + ".given_up"),
			LatencyS: p.durations(name + ".latency"),
		}
	}
	return out
}

func (p pool) tiers() map[string]TierSummary {
	out := make(map[string]TierSummary)
	for _, t := range p.plan.World.Tiers {
		name := "tiers." + t.Name
		scale := p.plan.World.Scale // gauges are counts, and counts are simulated ones here
		if scale == 0 {
			scale = 1
		}
		out[t.Name] = TierSummary{
			Arrivals: p.count(name + ".arrivals"), Completed: p.count(name + ".completed"),
			Rejected: p.count(name + ".rejected"), Dropped: p.count(name + ".dropped"),
			Crashes:     p.count(name + "." + crashes),
			Utilization: p.mean(name+".utilization", 1),
			WaitS:       p.durations(name + ".wait"), ServiceS: p.durations(name + ".service"),
			MeanInSystem: p.mean(name+".in_system", scale),
			MeanInLine:   p.mean(name+".in_line", scale),
		}
	}
	return out
}

func (p pool) edges() map[string]EdgeSummary {
	out := make(map[string]EdgeSummary)
	for i, e := range p.plan.World.Edges {
		name := "edges." + e.Name
		of := func(class policies.Class) uint64 { return p.count(name + "." + class.String()) }
		s := EdgeSummary{
			Calls: p.count(name + ".calls"), Attempts: p.count(name + ".attempts"),
			Retries: p.count(name + ".retries"), Hedges: p.count(name + ".hedges"),
			Amplification: p.amplification(i), Late: p.count(name + ".late"),
			Connects: p.count(name + ".connects"), Retransmits: p.count(name + ".retransmits"),
			Probes: p.count(name + ".probes"), ProbesFailed: p.count(name + ".probes_failed"),
			TakenOut: p.count(name + ".taken_out"),
			Outcomes: Outcomes{
				OK: of(policies.OK), Error: of(policies.Error), Rejected: of(policies.Rejected),
				TimedOut: of(policies.TimedOut), Refused: of(policies.Refused),
				Blocked: of(policies.Blocked), Dropped: of(policies.Dropped),
				Cancelled: p.count(name + ".cancelled"),
			},
			RefusedBy:       make(map[string]uint64),
			AttemptLatencyS: p.durations(name + ".attempt_latency"),
		}
		s.AttemptsPerCall = divided(s.Attempts, s.Calls)
		s.Outcomes.InFlight = s.Attempts - s.Outcomes.ended(e.Name, s.Attempts)
		for _, use := range e.Stack {
			n := p.count(name + ".refused_by." + use.Name)
			if n > 0 || p.refuses(use) {
				s.RefusedBy[use.Name] = n
			}
		}
		s.Budgets = p.budgets(i)
		out[e.Name] = s
	}
	return out
}

// refuses says whether a policy can refuse: those that cannot are not listed with 0.
func (p pool) refuses(use kernel.Use) bool {
	if use.State >= len(p.plan.World.States) || p.plan.World.States[use.State].New == nil {
		return false
	}
	return p.plan.World.States[use.State].New().Gate != nil
}

// ended is how many attempts have an outcome. More than there were attempts is no number to show.
func (o Outcomes) ended(edge string, attempts uint64) uint64 {
	n := o.OK + o.Error + o.Rejected + o.TimedOut + o.Blocked + o.Dropped + o.Cancelled
	if n > attempts {
		panic(fmt.Sprintf("check: %d of %d attempts over %s ended", n, attempts, edge))
	}
	return n
}

func (p pool) recovery() RecoverySummary {
	var out RecoverySummary
	counts := make(map[string]int)
	var times, surges []float64
	for _, rd := range p.readers {
		rec := Recover(rd.plan, rd.r)
		counts[rec.Verdict]++
		if slices.Index(verdicts, rec.Verdict) > slices.Index(verdicts, out.Verdict) {
			out.Verdict = rec.Verdict
		}
		times, surges = append(times, rec.Time), append(surges, rec.Surge)
	}
	out.TimeS, out.Surge = meanOfAll(times), meanOfAll(surges)
	if len(p.readers) > 1 {
		out.Verdicts = counts
	}
	return out
}

// meanOfAll is the mean, nil when a value is missing: the mean of those that recovered would be
// better than the truth.
func meanOfAll(xs []float64) *float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x // one that does not exist makes the sum so
	}
	return number(sum / float64(len(xs)))
}

// fingerprint is the sum of all, that of one for one.
func (p pool) fingerprint() sim.Fingerprint {
	var f sim.Fingerprint
	for _, rd := range p.readers {
		g := rd.r.Fingerprint
		f.Times += g.Times
		f.Kinds += g.Kinds
		f.Outcomes += g.Outcomes
		f.Draws += g.Draws
		f.N += g.N
	}
	return f
}

// checksOf are the verdicts of one replication, or of all together when run is below 0.
func checksOf(verdicts []Verdict, run int) []CheckSummary {
	out := make([]CheckSummary, len(verdicts))
	for i, v := range verdicts {
		c := CheckSummary{Name: v.Name, Doc: v.Doc, Reported: v.Reported, Measure: v.Measure,
			Text: v.Text, Want: v.Want, OK: v.OK,
			Min: v.Min, Max: v.Max, Expect: v.Expect, Is: v.Is}
		value, word := v.Value, v.Word
		if run >= 0 {
			one := v.PerRun[run]
			value, word, c.Text, c.OK = one.Value, one.Word, one.Text, one.OK
		}
		switch {
		case word != "":
			c.Value = word
		case value != nil:
			c.Value = *value
		}
		out[i] = c
	}
	return out
}

// warningsOf are the plan's doubts and the replications', each once.
func warningsOf(plan *model.Plan, results []*model.Result) []string {
	out := []string{}
	add := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, p := range plan.Warnings {
		add(p.String())
	}
	for _, r := range results {
		for _, w := range r.Warnings {
			add(w.String())
		}
	}
	return out
}
