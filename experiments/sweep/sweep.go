package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/experiments"
	"cascadesim/model/load"
)

// Runner runs replications, in any order and anywhere. done is told each as soon as it is there,
// by one goroutine at a time. It returns when all are done, or with the first error.
type Runner func(ctx context.Context, tasks []Task, done func(i int, s Sample) error) error

// Options say how a sweep is run. None of them changes a result.
type Options struct {
	Version string
	// Run is what runs replications; nil: Local with all processors.
	Run Runner
	// Known are replications that were run before.
	Known    map[string]Sample
	Progress func(experiments.Progress)
	// Shard runs only the cells of one part of several, as many replications as they may need by
	// themselves, and decides nothing.
	Shard *Shard
}

// Shard is part I of N, from 1 on.
type Shard struct{ I, N int }

// Sweep is an experiment on its way to a result.
type Sweep struct {
	*load.Experiment
	Points []Point
	Cells  []*Cell

	o        Options
	runs     int // replications used so far
	total    int // asked for so far, for the progress
	finished int
	events   uint64
	bounded  bool // runs has cut a round short
	keep     func(Sample) error
	dropped  map[int]string
	changes  []changed
}

// New lays an experiment out: its points, and the cells in which they run, each compiled. An error
// of a point is the whole sweep's: nothing has been run.
func New(e *load.Experiment, o Options) (*Sweep, error) {
	if o.Run == nil {
		o.Run = Local(0)
	}
	if e.UpAndDown != nil {
		return nil, UpAndDown(e)
	}
	ps, err := points(e)
	if err != nil {
		return nil, err
	}
	s := &Sweep{Experiment: e, Points: ps, o: o, dropped: map[int]string{}}
	index := map[string]int{}
	for i := range s.Points {
		p := &s.Points[i]
		for c := range e.Cases {
			levels := s.levelsOf(c, p)
			name := cellName(e.Cases[c].Name, levels)
			at, ok := index[name]
			if !ok {
				cell, err := Compile(e, o.Version, c, levels, "")
				if err != nil {
					return nil, err
				}
				at = len(s.Cells)
				index[name] = at
				s.Cells = append(s.Cells, cell)
			}
			p.cells = append(p.cells, at)
		}
	}
	least := 0
	for _, c := range s.Cells {
		least += e.Cases[c.Case].Replications.Min
	}
	if e.Runs > 0 && least > e.Runs {
		return nil, fmt.Errorf("runs: %d replications are fewer than the %d that the least of each "+
			"point takes; raise runs, or lower replications.min", e.Runs, least)
	}
	return s, nil
}

// UpAndDown is the error of what asks for a run at each value where one run has all of them.
func UpAndDown(e *load.Experiment) error {
	return fmt.Errorf("%s: one run goes through all values of %s (up_and_down); cascadesim limit "+
		"shows it with --map", e.Name, e.UpAndDown.Axis)
}

func cellName(name string, levels []load.Level) string {
	parts := []string{name}
	for _, l := range levels {
		parts = append(parts, l.Label)
	}
	return strings.Join(parts, "\x00")
}

// levelsOf are a point's levels of the axes that matter in a case.
func (s *Sweep) levelsOf(c int, p *Point) []load.Level {
	var out []load.Level
	for i, a := range s.Axes {
		if slices.Contains(s.Cases[c].Axes, a.Name) {
			out = append(out, p.Levels[i])
		}
	}
	return out
}

// Execute runs the experiment: the least of every cell, then more where that decides something,
// then the recommended point under each change. It is a function of the experiment alone: what was
// known before, workers and shards change only what has to be run. When ctx ends it returns ctx's
// error, and Result tells of what is there. keep is told each new replication, so that it can be
// stored; nil: nobody is.
func (s *Sweep) Execute(ctx context.Context, keep func(Sample) error) error {
	s.keep = keep
	if s.o.Shard != nil {
		return s.executeShard(ctx)
	}
	for _, c := range s.Cells {
		c.wanted = s.Cases[c.Case].Replications.Min
	}
	for {
		if err := s.round(ctx, s.Cells); err != nil {
			return err
		}
		s.race()
		if !s.more() {
			break
		}
	}
	return s.executeChanges(ctx)
}

// round runs what is wanted and not there, one replication of every cell before the next of any:
// who stops early has some of everything.
func (s *Sweep) round(ctx context.Context, cells []*Cell) error {
	var tasks []Task
	most := 0
	for _, c := range cells {
		most = max(most, c.wanted)
	}
	for i := range most {
		for _, c := range cells {
			if i < len(c.samples) || i >= c.wanted {
				continue
			}
			tasks = append(tasks, c.Task(s.Experiment, i))
		}
	}
	places := make([]*Sample, len(tasks))
	var missing []int
	for i, t := range tasks {
		if known, ok := s.o.Known[t.Key]; ok && len(known.Readings) == len(t.cell.Plan.Scenario.Checks) {
			places[i] = &known
			continue
		}
		missing = append(missing, i)
	}
	s.total += len(tasks)
	s.finished += len(tasks) - len(missing)
	left := make([]Task, len(missing))
	for k, i := range missing {
		left[k] = tasks[i]
	}
	var err error
	if len(left) > 0 {
		err = s.o.Run(ctx, left, func(k int, sample Sample) error {
			places[missing[k]] = &sample
			return s.note(sample)
		})
	}
	for i, t := range tasks {
		// A cell's replications are used in the order of their seeds, up to the first gap.
		if places[i] != nil && t.Key == t.cell.Task(s.Experiment, len(t.cell.samples)).Key {
			t.cell.samples = append(t.cell.samples, *places[i])
			s.runs++
		}
	}
	return err
}

// note keeps a new replication and tells how far all are.
func (s *Sweep) note(sample Sample) error {
	s.finished++
	s.events += sample.Events
	if s.o.Progress != nil {
		s.o.Progress(experiments.Progress{Done: s.finished, Total: s.total, Events: s.events,
			Share: float64(s.finished) / float64(s.total)})
	}
	if s.keep != nil {
		return s.keep(sample)
	}
	return nil
}

// more asks for replications of the cells that are not known well enough and belong to a point that
// is still in the race. It says whether there are any.
func (s *Sweep) more() bool {
	open := s.openCells()
	spare := math.MaxInt
	if s.Runs > 0 {
		spare = s.Runs - s.runs
	}
	any := false
	for _, i := range open {
		c := s.Cells[i]
		more := grown(c.wanted, s.Cases[c.Case].Replications.Max) - c.wanted
		if more > spare {
			more, s.bounded = spare, true
		}
		if more > 0 {
			c.wanted += more
			spare -= more
			any = true
		}
	}
	return any
}

// openCells are the cells that need more: of points in the race, below their most, and wide or
// undecided.
func (s *Sweep) openCells() []int {
	spread := s.spreads()
	racing := make([]bool, len(s.Cells))
	for p := range s.Points {
		if s.dropped[p] == "" {
			for _, i := range s.Points[p].cells {
				racing[i] = true
			}
		}
	}
	var out []int
	for i, c := range s.Cells {
		if racing[i] && c.wanted < s.Cases[c.Case].Replications.Max && !s.known(c, spread) {
			out = append(out, i)
		}
	}
	return out
}

// executeShard runs the shard's cells until each is known by itself.
func (s *Sweep) executeShard(ctx context.Context) error {
	var own []*Cell
	for i, c := range s.Cells {
		if i%s.o.Shard.N == s.o.Shard.I-1 {
			c.wanted = s.Cases[c.Case].Replications.Min
			own = append(own, c)
		}
	}
	for {
		if err := s.round(ctx, own); err != nil {
			return err
		}
		any := false
		for _, c := range own {
			most := s.Cases[c.Case].Replications.Max
			if c.wanted < most && !s.known(c, nil) {
				c.wanted = grown(c.wanted, most)
				any = true
			}
		}
		if !any {
			return nil
		}
	}
}

// Local runs replications on this machine, by so many workers; 0: one for each processor.
func Local(workers int) Runner {
	return func(ctx context.Context, tasks []Task, done func(int, Sample) error) error {
		type finished struct {
			i int
			s Sample
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		results := make(chan finished)
		failed := make(chan error, 1)
		go func() {
			failed <- experiments.Each(ctx, len(tasks), workers, func(ctx context.Context, i int) error {
				s, err := tasks[i].cell.Simulate(ctx, tasks[i].Seed, tasks[i].Key)
				if err == nil {
					results <- finished{i, s}
				}
				return err
			})
			close(results)
		}()
		var keeping error
		for r := range results {
			if keeping == nil {
				if keeping = done(r.i, r.s); keeping != nil {
					cancel(keeping)
				}
			}
		}
		if keeping != nil {
			return keeping
		}
		if err := <-failed; err != nil {
			return err
		}
		return ctx.Err()
	}
}
