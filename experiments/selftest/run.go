package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cascadesim/experiments"
)

// Sizes of a table.
const (
	SizeAll   = "all"   // the stated number of requests and seeds
	SizeSmall = "small" // fewer; what they leave open is run at the stated size
)

// Options say what of the table is run.
type Options struct {
	Only []string // identifiers of cases; empty: all
	Size string   // SizeAll or SizeSmall; empty: SizeAll
	// Workers is how many runs go on side by side; 0: one for each processor. It changes no result.
	Workers int
	// Progress is told of each part of a case that has ended; nil: nobody is. It is called by one
	// goroutine at a time.
	Progress func(Progress)
}

// Progress says how far a table is.
type Progress struct {
	Done, Total int    // parts of cases
	ID          string // of the part that ended last
}

// Outcome is one value that was compared.
type Outcome struct {
	ID   string // of the case
	What string // which run and which value of it
	Unit string // s, /s, share, count, of N; empty: a plain number

	Want, Got float64
	// SD, Lo and Hi are the standard deviation and the 95 % interval of batch means or
	// replications; NaN and infinities where there is but one value.
	SD, Lo, Hi float64

	Tolerance string // as people read it
	OK        bool
	Disputed  bool   // the stated figure may be wrong: shown, and not counted as a failure
	Reason    string // why it is disputed
	Detail    string // what was run, and what was worst
}

// Failed says whether an outcome makes the table fail.
func (o Outcome) Failed() bool { return !o.OK && !o.Disputed }

// Run runs cases side by side and returns their outcomes in the order of the table. An error is a
// case that could not be run, an unknown identifier, or ctx's.
func Run(ctx context.Context, o Options) ([]Outcome, error) {
	chosen, err := choose(o)
	if err != nil {
		return nil, err
	}
	jobs := split(chosen, o)
	places := make([][]Outcome, len(jobs))
	var mu sync.Mutex
	done := 0
	err = experiments.Each(ctx, len(jobs), o.Workers, func(ctx context.Context, i int) error {
		out, err := jobs[i].decide(ctx)
		if err != nil {
			return fmt.Errorf("case %s: %w", jobs[i].form.ID, err)
		}
		places[i] = out
		if o.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			o.Progress(Progress{done, len(jobs), jobs[i].form.ID})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(places...), nil
}

// choose finds the cases that were asked for.
func choose(o Options) ([]*form, error) {
	if o.Size != "" && o.Size != SizeAll && o.Size != SizeSmall {
		return nil, fmt.Errorf("there is no size %q; it is %s or %s", o.Size, SizeAll, SizeSmall)
	}
	all := table()
	if len(o.Only) == 0 {
		return all, nil
	}
	var known []string
	for _, f := range all {
		known = append(known, f.ID)
	}
	for _, id := range o.Only {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("there is no case %q; there are %s", id,
				strings.Join(slices.Compact(known), ", "))
		}
	}
	var out []*form
	for _, f := range all {
		if slices.Contains(o.Only, f.ID) {
			out = append(out, f)
		}
	}
	return out, nil
}

// job is a part of a case that is run alone: one variant of it, or its verification.
type job struct {
	form   *form
	run    *runForm // nil: the verification
	small  bool
	verify verification
}

// split cuts cases into jobs.
func split(chosen []*form, o Options) []job {
	var jobs []job
	for _, f := range chosen {
		for i := range f.Runs {
			jobs = append(jobs, job{form: f, run: &f.Runs[i], small: o.Size == SizeSmall})
		}
		if f.Verify != "" {
			v, ok := verifications[f.Verify]
			if !ok {
				panic(fmt.Sprintf("selftest: %s: there is no verification %q", f.ID, f.Verify))
			}
			jobs = append(jobs, job{form: f, small: o.Size == SizeSmall, verify: v})
		}
	}
	return jobs
}

// decide runs a job. A small size that lets a value fail has decided nothing: chance alone does
// that to one value in twenty. The stated size has the last word, on all values of the job.
func (j job) decide(ctx context.Context) ([]Outcome, error) {
	out, err := j.do(ctx)
	if err != nil || !j.small || !slices.ContainsFunc(out, Outcome.Failed) {
		return out, err
	}
	j.small = false
	return j.do(ctx)
}

func (j job) do(ctx context.Context) ([]Outcome, error) {
	if j.verify != nil {
		return j.verify(ctx, j)
	}
	w, err := j.world(j.run)
	if err != nil {
		return nil, err
	}
	if len(w.plan.Scenario.Checks) == 0 && len(j.run.Compute) == 0 {
		return nil, nil // the verification runs it
	}
	if err := w.simulate(ctx); err != nil {
		return nil, err
	}
	return w.judge(), nil
}
