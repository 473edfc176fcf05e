package limit

import (
	"context"
	"fmt"
	"math"

	"cascadesim/experiments"
	"cascadesim/experiments/statistics"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/sim"
)

// Options say how sure a search is to be.
type Options struct {
	Version string
	Run     sweep.Runner // nil: here, on all processors
	// Share of the replications in which the constraints must hold.
	Share float64
	// Tolerance is how narrow the answer is to be, as a part of the value.
	Tolerance float64
	// Most is how many replications a value gets before it counts as in doubt.
	Most     int
	Progress func(experiments.Progress)

	// Of lifetimes: whether runs are branched at every value, by how many workers (0: one for each
	// processor), over which time (0: what suits the experiment), how many side by side, and how
	// many at each value at most.
	Splitting bool
	Workers   int
	Horizon   sim.Time
	Paths     int
	Runs      int
}

// Default is a search for the value at which one replication in two recovers. A sharp limit is the
// same for any share; 2 % is finer than what settings are known to. With a hundred paths one
// splitting hardly scatters by more than half.
var Default = Options{Share: 0.5, Tolerance: 0.02, Most: 80, Paths: 100, Runs: 20_000}

// Trial is what was seen at one value.
type Trial struct {
	Label string  `json:"value"`
	Value float64 `json:"number"`
	Held  int     `json:"held"`
	Of    int     `json:"of"`
	Side  Side    `json:"side"`
}

// Side is on which side of the limit a value lies.
type Side string

// The sides.
const (
	Good  Side = "recovers"
	Bad   Side = "does not recover"
	Doubt Side = "in doubt"
)

// Result is what a search found.
type Result struct {
	Schema     string  `json:"schema"`
	Experiment string  `json:"experiment"`
	Question   string  `json:"question"`
	Axis       string  `json:"axis"`
	Share      float64 `json:"share"`
	Confidence float64 `json:"confidence"`
	Trials     []Trial `json:"trials"`
	Good       *Trial  `json:"good"` // the last value that recovers
	Bad        *Trial  `json:"bad"`  // the first that does not
	Doubtful   *Trial  `json:"in_doubt"`
	Runs       int     `json:"replications"`
	Sentence   string  `json:"sentence"`
}

// searcher is a search on its way.
type searcher struct {
	o      Options
	e      *load.Experiment
	axis   *load.Axis
	trials []Trial
	runs   int
	steps  int // how many values may be asked at most
}

// batch is how many replications a value gets before the first look, just enough to be sure when
// all agree; each further look doubles them.
const batch = 12

// Search halves the range of the experiment's axis until the limit is known to the tolerance.
func Search(ctx context.Context, e *load.Experiment, o Options) (*Result, error) {
	if e.UpAndDown != nil {
		return nil, sweep.UpAndDown(e)
	}
	if len(e.Axes) != 1 || e.Axes[0].Range == nil {
		return nil, fmt.Errorf("a limit is searched along one axis with a range; %s has %d axes",
			e.Name, len(e.Axes))
	}
	if len(e.Constraints) == 0 {
		return nil, fmt.Errorf("a limit needs constraints: what must hold?")
	}
	if o.Run == nil {
		o.Run = sweep.Local(0)
	}
	s := &searcher{o: o, e: e, axis: &e.Axes[0]}
	s.steps = 2 + int(math.Ceil(math.Log2(1/(o.Tolerance*0.05))))
	low, err := s.try(ctx, 0)
	if err != nil {
		return nil, err
	}
	high, err := s.try(ctx, 1)
	if err != nil {
		return nil, err
	}
	r := &Result{Schema: "cascadesim.limit/1", Experiment: e.Name, Question: e.Question,
		Axis: s.axis.Name, Share: o.Share, Confidence: statistics.Confidence}
	if low.Side == Doubt || high.Side == Doubt || low.Side == high.Side {
		r.Trials, r.Runs, r.Sentence = s.trials, s.runs, s.none(low, high)
		return r, nil
	}
	if err := s.halve(ctx, r, low, high); err != nil {
		return nil, err
	}
	r.Trials, r.Runs = s.trials, s.runs
	r.Sentence = s.sentence(r)
	return r, nil
}

// halve asks the middle until both sides are close.
func (s *searcher) halve(ctx context.Context, r *Result, low, high Trial) error {
	a, b := 0.0, 1.0
	for range s.steps - 2 {
		if math.Abs(high.Value-low.Value) <= s.o.Tolerance*math.Max(math.Abs(low.Value),
			math.Abs(high.Value)) {
			break
		}
		middle, err := s.try(ctx, (a+b)/2)
		if err != nil {
			return err
		}
		if middle.Label == low.Label || middle.Label == high.Label {
			break // the range has no value in between
		}
		if middle.Side == Doubt {
			r.Doubtful = &middle
			break
		}
		if middle.Side == low.Side {
			low, a = middle, (a+b)/2
		} else {
			high, b = middle, (a+b)/2
		}
	}
	r.Good, r.Bad = &low, &high
	if low.Side == Bad {
		r.Good, r.Bad = &high, &low
	}
	return nil
}

// try runs replications at a part u of the way until their side is clear.
func (s *searcher) try(ctx context.Context, u float64) (Trial, error) {
	level := s.axis.At(u)
	t := Trial{Label: level.Label, Value: level.Number, Side: Doubt}
	var cells []*sweep.Cell
	for c := range s.e.Cases {
		cell, err := sweep.Compile(s.e, s.o.Version, c, []load.Level{level}, "")
		if err != nil {
			return t, err
		}
		cells = append(cells, cell)
	}
	for look, n := 1, min(batch, s.o.Most); ; look++ {
		held, err := s.run(ctx, cells, t.Of, n)
		if err != nil {
			return t, err
		}
		t.Held, t.Of = t.Held+held, n
		t.Side = s.side(t, look)
		if t.Side != Doubt || n >= s.o.Most {
			break
		}
		n = min(2*n, s.o.Most)
	}
	s.trials = append(s.trials, t)
	return t, nil
}

// side tests a trial. Each look at each value spends a part of what may go wrong in all: over the
// looks 1/(k(k+1)) of a value's part, which add up to it however many there are.
func (s *searcher) side(t Trial, look int) Side {
	spend := (1 - statistics.Confidence) / float64(s.steps) / float64(look*(look+1))
	p := statistics.ShareAt(t.Held, t.Of, 1-spend)
	switch {
	case p.Low > s.o.Share:
		return Good
	case p.High < s.o.Share:
		return Bad
	}
	return Doubt
}

// run simulates replications from..n of all cells and counts those in which all constraints hold.
func (s *searcher) run(ctx context.Context, cells []*sweep.Cell, from, n int) (int, error) {
	var tasks []sweep.Task
	var of []int
	for i := from; i < n; i++ {
		for _, c := range cells {
			tasks, of = append(tasks, c.Task(s.e, i)), append(of, i-from)
		}
	}
	holds := make([]bool, n-from)
	for i := range holds {
		holds[i] = true
	}
	err := s.o.Run(ctx, tasks, func(k int, sample sweep.Sample) error {
		for i, c := range tasks[k].Checks() {
			if !c.Measured && !sample.Readings[i].OK {
				holds[of[k]] = false
			}
		}
		s.runs++
		if s.o.Progress != nil {
			p := experiments.Progress{Done: s.runs, Total: s.runs + len(tasks) - k - 1}
			p.Share = min(float64(len(s.trials))/float64(s.steps), 1)
			s.o.Progress(p)
		}
		return nil
	})
	held := 0
	for _, ok := range holds {
		if ok {
			held++
		}
	}
	return held, err
}
