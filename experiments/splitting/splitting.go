package splitting

import (
	"context"
	"fmt"
	"math"
	"slices"

	"cascadesim/sim"
)

// Luck is the seed that a path's chance follows from, from a step on.
type Luck struct {
	From int
	Seed uint64
}

// Simulate runs the path of some luck, of which the first is from step 0 on, and returns the level
// of each step. Paths whose luck is the same up to a step are the same up to it.
type Simulate func(ctx context.Context, luck []Luck) ([]float64, error)

// Options say how a probability is estimated.
type Options struct {
	Top   float64 // the level that is the rare event
	Paths int     // N, at least 2
	Runs  int     // paths that may be simulated at most, all branches included
	Seed  uint64
	// Ran is told of each path that was simulated; nil: nobody is.
	Ran func()
}

// Estimate is what one splitting says.
type Estimate struct {
	// P is how likely the top is; 0 if all paths were as good as each other, and gone.
	P float64
	// Passed is how likely it is to pass the last level that some path passed: the same as P if that
	// was the top, else no less.
	Passed float64
	// Done says whether the splitting ended by itself; if not P is nothing.
	Done bool
	// Begun is the share of the first paths with some level above -Inf: of those that could come to
	// the top at all.
	Begun float64
	Runs  int
	Hits  []int // the step at which each path reached the top
}

// path is a simulated path.
type path struct {
	luck   []Luck
	levels []float64
	best   float64
}

// splitter is an estimate on its way.
type splitter struct {
	Options
	simulate Simulate
	chance   sim.Stream
	paths    []path
	runs     int
}

// Once estimates how likely the top is, once.
func Once(ctx context.Context, simulate Simulate, o Options) (*Estimate, error) {
	s := &splitter{Options: o, simulate: simulate, chance: sim.Seed(o.Seed).Stream("splitting")}
	if o.Paths < 2 || o.Runs < o.Paths {
		return nil, fmt.Errorf("splitting takes at least 2 paths, and as many runs: not %d and %d",
			o.Paths, o.Runs)
	}
	for range o.Paths {
		p, err := s.run(ctx, []Luck{{0, s.chance.Uint64()}})
		if err != nil {
			return nil, err
		}
		s.paths = append(s.paths, p)
	}
	_, begun := s.sift(math.Inf(-1))
	out := &Estimate{P: 1, Passed: 1, Begun: float64(len(begun)) / float64(o.Paths)}
	for {
		worst := slices.MinFunc(s.paths, func(a, b path) int { return compare(a.best, b.best) }).best
		if worst >= o.Top {
			out.Done = true
			break
		}
		gone, left := s.sift(worst)
		out.P *= float64(len(left)) / float64(o.Paths)
		if len(left) == 0 {
			out.Done = true
			break
		}
		out.Passed = out.P
		if s.runs+len(gone) > o.Runs {
			break
		}
		for _, i := range gone {
			var err error
			from := &s.paths[left[s.chance.Intn(uint64(len(left)))]]
			if s.paths[i], err = s.branch(ctx, from, worst); err != nil {
				return nil, err
			}
		}
	}
	out.Runs = s.runs
	for _, p := range s.paths {
		if p.best >= o.Top {
			out.Hits = append(out.Hits, p.first(math.Nextafter(o.Top, math.Inf(-1))))
		}
	}
	return out, nil
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sift tells the paths that were never above a level from those that were.
func (s *splitter) sift(level float64) (gone, left []int) {
	for i := range s.paths {
		if s.paths[i].best > level {
			left = append(left, i)
		} else {
			gone = append(gone, i)
		}
	}
	return gone, left
}

// branch is a path that is the same as another up to the first step at which that is above a
// level, and goes on by itself.
func (s *splitter) branch(ctx context.Context, from *path, level float64) (path, error) {
	step := from.first(level)
	var luck []Luck
	for _, l := range from.luck {
		if l.From <= step {
			luck = append(luck, l)
		}
	}
	p, err := s.run(ctx, append(luck, Luck{step + 1, s.chance.Uint64()}))
	if err == nil && !slices.Equal(p.levels[:step+1], from.levels[:step+1]) {
		err = fmt.Errorf("a branch at step %d is not what it came from up to there: the level of a "+
			"step follows from what comes later", step)
	}
	return p, err
}

// first is the first step at which a path is above a level.
func (p *path) first(level float64) int {
	return slices.IndexFunc(p.levels, func(x float64) bool { return x > level })
}

func (s *splitter) run(ctx context.Context, luck []Luck) (path, error) {
	levels, err := s.simulate(ctx, luck)
	if err != nil {
		return path{}, err
	}
	s.runs++
	if s.Ran != nil {
		s.Ran()
	}
	p := path{luck: luck, levels: levels, best: math.Inf(-1)}
	for _, x := range levels {
		p.best = max(p.best, x)
	}
	return p, nil
}
