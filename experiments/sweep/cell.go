package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
)

// Cell is a case at one value of each axis that matters there: what is run and what is read.
type Cell struct {
	Case   int
	Levels []load.Level // of the case's axes
	Change string       // of the sensitivity; empty: none
	Plan   *model.Plan

	key     string
	samples []Sample // by replication
	wanted  int      // how many replications are to be used
	read    []Quantity
	readOf  int // how many replications were read
}

// Reading is what one check reads from one replication.
type Reading struct {
	Value *float64 `json:"value,omitempty"`
	Word  string   `json:"word,omitempty"`
	Never bool     `json:"never,omitempty"`
	OK    bool     `json:"ok,omitempty"`
}

// Sample is one replication of a cell, read. Its key says of what, so that it can be used again.
type Sample struct {
	Key      string    `json:"key"`
	Readings []Reading `json:"readings"`
	Events   uint64    `json:"events"`
}

// Task is a replication that is wanted.
type Task struct {
	Key    string
	Case   string
	Labels []string // of the case's axes
	Change string
	Seed   uint64
	cell   *Cell
}

// Compile compiles a case at levels, under a change of the sensitivity or none.
func Compile(e *load.Experiment, version string, c int, levels []load.Level, change string) (
	*Cell, error,
) {
	var changes []load.Change
	for _, s := range e.Sensitivity {
		if s.Name == change {
			changes = append(changes, s)
		}
	}
	plan, problems := e.Cases[c].Plan(levels, changes)
	if plan == nil {
		return nil, problems.Errors()
	}
	sum := sha256.Sum256([]byte(version + "\n" + e.Cases[c].Resolved(levels, changes) + "\n" +
		strconv.FormatInt(int64(plan.World.End), 10)))
	return &Cell{Case: c, Levels: levels, Change: change, Plan: plan,
		key: hex.EncodeToString(sum[:12])}, nil
}

// Task is the cell's replication i.
func (c *Cell) Task(e *load.Experiment, i int) Task {
	seed := e.Seed + uint64(i)
	t := Task{Key: c.key + "-" + strconv.FormatUint(seed, 10), Case: e.Cases[c.Case].Name,
		Change: c.Change, Seed: seed, cell: c}
	for _, l := range c.Levels {
		t.Labels = append(t.Labels, l.Label)
	}
	return t
}

// Simulate runs one replication of a cell and reads it.
func (c *Cell) Simulate(ctx context.Context, seed uint64, key string) (Sample, error) {
	batch, err := experiments.Run(ctx, c.Plan, experiments.Options{
		Seeds: []uint64{seed}, Workers: 1})
	if err != nil {
		return Sample{}, err
	}
	result := batch.Runs[0].Result
	s := Sample{Key: key, Events: result.Events}
	for _, v := range check.Judge(c.Plan, []*model.Result{result}) {
		run := v.PerRun[0]
		s.Readings = append(s.Readings, Reading{run.Value, run.Word, run.Never, run.OK})
	}
	return s, nil
}

// Find compiles the cell that a task is about, in a program that has only the experiment.
func Find(e *load.Experiment, version string, t Task) (*Cell, error) {
	for i := range e.Cases {
		c := &e.Cases[i]
		if c.Name != t.Case {
			continue
		}
		if len(t.Labels) != len(c.Axes) {
			return nil, fmt.Errorf("case %s has %d axes, the task %d", c.Name, len(c.Axes), len(t.Labels))
		}
		var levels []load.Level
		for k, name := range c.Axes {
			for a := range e.Axes {
				if e.Axes[a].Name != name {
					continue
				}
				l, ok := e.Axes[a].Named(t.Labels[k])
				if !ok {
					return nil, fmt.Errorf("axis %s has no value %s", name, t.Labels[k])
				}
				levels = append(levels, l)
			}
		}
		cell, err := Compile(e, version, i, levels, t.Change)
		if err == nil && !hasPrefix(t.Key, cell.key) {
			err = fmt.Errorf("the coordinator's experiment or version is another one")
		}
		return cell, err
	}
	return nil, fmt.Errorf("there is no case %s", t.Case)
}

func hasPrefix(key, cell string) bool { return len(key) > len(cell) && key[:len(cell)] == cell }
