package limit

import (
	"context"
	"fmt"
	"math"
	"sync"

	"cascadesim/experiments"
	"cascadesim/experiments/splitting"
	"cascadesim/experiments/statistics"
	"cascadesim/experiments/sweep"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// Branched is how likely a collapse is in some time, from runs that are branched where they come
// near it.
type Branched struct {
	Chance    float64 `json:"chance"` // that one begins in the time that is watched
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Watched   float64 `json:"watched_s"` // from when it is steady to when one could still be seen
	Horizon   float64 `json:"horizon_s"` // of a run
	Runs      int     `json:"runs"`
	Simulated float64 `json:"simulated_s"`
	Plain     float64 `json:"plain_s"` // that would be simulated for as narrow an interval
	Late      float64 `json:"late"`    // share of collapses that begin in the second half of it
	Steady    bool    `json:"steady"`  // that does not differ detectably from a half
}

// splits are the splittings of one value: the interval of ten is hardly wider than that of many.
const splits = 10

// branch finds lifetimes by splitting where plain runs have hardly seen a collapse.
func (l *Lifetimes) branch(ctx context.Context, s *sweep.Sweep, o Options) error {
	var rows []int
	var courses []*course
	for p := range l.Rows {
		if !o.Splitting && l.Rows[p].Collapses >= few {
			continue
		}
		c, err := newCourse(s.Cell(p).Plan, s.Objectives[0].Name, o.Horizon)
		if err != nil && !o.Splitting {
			l.Note = "No splitting: " + err.Error()
			return nil
		}
		if err != nil {
			return err
		}
		rows, courses = append(rows, p), append(courses, c)
	}
	if len(rows) == 0 {
		return nil
	}
	if s.Runs > 0 {
		o.Runs /= len(rows)
	}
	if least := splits * o.Paths; o.Runs < least {
		l.Note = fmt.Sprintf("No splitting: it takes at least %d runs at each value, not %d", least,
			o.Runs)
		return nil
	}
	all, err := splitAll(ctx, courses, s.Seed, o)
	if err != nil {
		return err
	}
	for i, p := range rows {
		courses[i].tell(&l.Rows[p], all[i*splits:(i+1)*splits])
	}
	return nil
}

// splitAll splits each course several times, side by side. Each has its place and its own luck, the
// same at each value.
func splitAll(ctx context.Context, courses []*course, seed uint64, o Options) (
	[]*splitting.Estimate, error,
) {
	all := make([]*splitting.Estimate, len(courses)*splits)
	var lock sync.Mutex
	told := experiments.Progress{Total: len(courses) * o.Runs}
	tell := func(runs int, share float64) {
		lock.Lock()
		defer lock.Unlock()
		told.Done += runs
		told.Share += share
		if o.Progress != nil {
			o.Progress(told)
		}
	}
	err := experiments.Each(ctx, len(all), o.Workers, func(ctx context.Context, i int) error {
		c := courses[i/splits]
		luck := sim.Seed(seed).Ident("splitting").Child(uint64(i % splits))
		e, err := splitting.Once(ctx, c.simulate, splitting.Options{Top: c.top(), Paths: o.Paths,
			Runs: o.Runs / splits, Seed: uint64(luck), Ran: func() { tell(1, 0) }})
		all[i] = e
		if err == nil {
			tell(0, 1/float64(len(all)))
		}
		return err
	})
	return all, err
}

// course is a world on its way to a collapse, window by window.
type course struct {
	plan    *model.Plan
	measure string
	bin     sim.Time
	bound   float64
	sign    float64 // -1: below the bound is a collapse
	hold    int     // windows in a row beyond the bound that are one
	warm    int     // windows until the state is taken to be steady
	windows int
}

// newCourse reads what a collapse is. Only a gauge is known as soon as a window ends.
func newCourse(p *model.Plan, objective string, horizon sim.Time) (*course, error) {
	var k *model.Check
	for i := range p.Scenario.Checks {
		if p.Scenario.Checks[i].Name == objective {
			k = &p.Scenario.Checks[i]
		}
	}
	m, err := check.Parse(p.World, k.Measure, k.Client)
	if err != nil {
		return nil, err
	}
	c := &course{plan: p, measure: k.Measure, bin: k.Bin, sign: 1}
	if k.Take.Kind == "first_below" {
		c.sign = -1
	}
	if m.Kind != check.Gauge || k.Take.Kind != "first_above" && k.Take.Kind != "first_below" ||
		k.Relative != nil || k.Since != nil || k.Client != "" || k.From != nil || k.To != nil {
		return nil, fmt.Errorf("%s is no gauge of the whole run whose first_above or first_below is "+
			"the collapse, such as {measure: tiers.server.in_line, take: {first_above: 100}}", objective)
	}
	if c.bin == 0 {
		c.bin = p.World.Window
	}
	c.bound = c.sign * k.Take.Value.Value
	c.hold = max(1, int(k.Take.Hold/c.bin))
	steady := int(p.World.Warmup / c.bin)
	c.windows = steady + max(10*c.hold, 200)
	if horizon > 0 {
		c.windows = int(horizon / c.bin)
	}
	c.windows = min(c.windows, int(p.World.End/c.bin))
	c.warm = steady + (c.windows-steady)/3
	if c.starts() < 2 {
		return nil, fmt.Errorf("%s is too short a time: a third of it is left out, and a collapse "+
			"takes %s", seconds(c.windows, c.bin), seconds(c.hold, c.bin))
	}
	return c, nil
}

func seconds(windows int, bin sim.Time) string { return span((sim.Time(windows) * bin).Seconds()) }

// starts are the windows in which a collapse may begin.
func (c *course) starts() int { return c.windows - c.warm - c.hold + 1 }

// top is the level of a collapse: beyond the bound for as long as it takes.
func (c *course) top() float64 { return c.bound + float64(c.hold) }

// simulate runs the world with the luck of a path.
func (c *course) simulate(ctx context.Context, luck []splitting.Luck) ([]float64, error) {
	var reseeds []model.Reseed
	for _, l := range luck[1:] {
		reseeds = append(reseeds, model.Reseed{At: sim.Time(l.From) * c.bin, Seed: l.Seed})
	}
	plan := c.plan.Branched(sim.Time(c.windows)*c.bin, reseeds)
	batch, err := experiments.Run(ctx, plan, experiments.Options{
		Seeds: []uint64{luck[0].Seed}, Workers: 1})
	if err != nil {
		return nil, err
	}
	values, err := check.Series(plan, batch.Runs[0].Result, c.measure, c.bin)
	if err != nil {
		return nil, err
	}
	return c.levels(values), nil
}

// levels are the gauge up to its bound, and beyond that for how many windows in a row it has been
// there: how near a collapse is at the end of each. There is no level before the state is steady,
// nor in a collapse that began before that.
func (c *course) levels(values []float64) []float64 {
	beyond, before := 0, true
	for i, x := range values {
		x *= c.sign
		beyond++
		if !(x > c.bound) {
			beyond = 0
		}
		before = i < c.warm || before && beyond > 0
		switch {
		case before || math.IsNaN(x):
			values[i] = math.Inf(-1)
		case beyond > 0:
			values[i] = c.bound + float64(beyond)
		default:
			values[i] = x
		}
	}
	return values
}

// tell puts what was found into a row. A collapse that is as likely at any time has the rate
// -ln(1-p)/T, if p is how likely one is in a time T.
func (c *course) tell(l *Lifetime, all []*splitting.Estimate) {
	watched := (sim.Time(c.starts()) * c.bin).Seconds()
	b := &Branched{Watched: watched, Horizon: (sim.Time(c.windows) * c.bin).Seconds()}
	var chance, passed []float64
	begun, done := 0.0, true
	for _, e := range all {
		b.Runs += e.Runs
		chance, passed = append(chance, e.P), append(passed, e.Passed)
		begun += e.Begun / float64(len(all))
		done = done && e.Done
	}
	if begun < 0.5 || done && statistics.Of(chance).Mean > 0.5*begun {
		return // nothing is rare here: plain runs say more
	}
	for i := range all { // of those that had not collapsed before
		chance[i] /= begun
		passed[i] /= begun
	}
	b.Simulated = float64(b.Runs) * b.Horizon
	p := statistics.Positive(chance)
	lasts := func(p float64) float64 { return watched / -math.Log1p(-min(p, 1)) }
	if !done || p.Mean == 0 {
		if b.High = min(statistics.Positive(passed).High, 1); l.Mean == nil {
			l.Low, l.Splitting = max(l.Low, lasts(b.High)), b
		}
		return
	}
	l.Splitting = b
	b.Chance, b.Low, b.High = p.Mean, p.Low, min(p.High, 1)
	mean, most := lasts(p.Mean), lasts(p.Low)
	l.Mean, l.Low, l.High = &mean, lasts(b.High), &most
	// Of n collapses the logarithm of the mean time between them is known to 1.96/sqrt(n).
	half := math.Log(p.High / p.Mean)
	b.Plain = mean * math.Pow(1.96/half, 2)
	c.halves(b, all)
}

// halves tells in which half of the time that is watched collapses begin: of each splitting a
// share, however much weight it has, since the few that have most of it would decide alone.
func (c *course) halves(b *Branched, all []*splitting.Estimate) {
	middle := c.warm + c.starts()/2
	var shares []float64
	for _, e := range all {
		late := 0
		for _, hit := range e.Hits {
			if hit-c.hold+1 >= middle {
				late++
			}
		}
		if len(e.Hits) > 0 {
			shares = append(shares, float64(late)/float64(len(e.Hits)))
		}
	}
	share := statistics.Of(shares)
	b.Late = share.Mean
	want := float64(c.warm+c.starts()-middle) / float64(c.starts())
	b.Steady = math.Abs(share.Mean-want) <= share.Half
}
