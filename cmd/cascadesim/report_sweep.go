package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cascadesim/experiments"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// swept says whether a name is a directory that sweep -o wrote.
func swept(name string) bool {
	return exists(filepath.Join(name, "sweep.json")) && !exists(filepath.Join(name, "summary.json"))
}

// errNotKept is what a sweep ends with that may run nothing, and needs to.
var errNotKept = errors.New("a replication is missing")

// pageOfSweep writes the page of a directory of sweep -o again, from the replications in it.
func pageOfSweep(ctx context.Context, env Env, dir, file string) error {
	e, found, err := experimentOf(dir)
	if err != nil {
		return err
	}
	known := map[string]sweep.Sample{}
	if err := sweep.ReadStore(dir, known); err != nil {
		return err
	}
	runNothing := func(context.Context, []sweep.Task, func(int, sweep.Sample) error) error {
		return errNotKept
	}
	s, err := sweep.New(e, sweep.Options{Version: version, Run: runNothing, Known: known})
	if err == nil {
		err = s.Execute(ctx, nil)
	}
	switch missing := errors.Is(err, errNotKept); {
	case missing && found.Complete:
		return fmt.Errorf("%s does not keep all replications of its result: the scenarios or the "+
			"program (then %s, now %s) have changed, or it was merged of parts; sweep with -o %s runs "+
			"what is missing and writes the page", visible(dir), visible(found.Version), version,
			quoted(dir))
	case err != nil && !missing:
		return err
	}
	page, err := sweepPage(e, s.Result(found.Complete), againOf(e, dir, file))
	if err != nil {
		return err
	}
	if err := writeFile(file, page.WriteHTML); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "wrote %s\n", visible(file))
	return nil
}

// foundBefore is what a directory of sweep -o says of itself.
type foundBefore struct {
	Experiment, Version string
	Complete            bool
}

// experimentOf reads the experiment of a directory of sweep -o under the name that it had. Files of
// scenarios are looked for in the directory, beside it and here.
func experimentOf(dir string) (e *load.Experiment, found foundBefore, err error) {
	name := filepath.Join(dir, "sweep.json")
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if err != nil {
		return nil, found, fmt.Errorf("read %s: %w", name, err)
	}
	name = filepath.Join(dir, "experiment.yaml")
	if !exists(name) {
		return nil, found, fmt.Errorf("%s has no experiment.yaml, which sweep -o writes beside its "+
			"sweep.json", visible(dir))
	}
	beside := filepath.Dir(filepath.Clean(dir))
	e, err = readExperiment(load.File(name, topologies.Files()), dir, beside, ".")
	if err == nil {
		e.Name = found.Experiment
	}
	return e, found, err
}

// againOf is the command that gives the page of a directory again: that of its experiment, where it
// ships or is found here or beside the directory, and otherwise the one that was given.
func againOf(e *load.Experiment, dir, file string) string {
	base := filepath.Base(e.Name) + ".yaml"
	names := []string{base, filepath.Join(filepath.Dir(filepath.Clean(dir)), base)}
	if slices.Contains(experiments.Names(), e.Name) {
		names = slices.Insert(names, 0, e.Name)
	}
	for _, name := range names {
		src, err := experimentSource(name)
		if err != nil {
			continue
		}
		if text, err := readSource(src); err == nil && bytes.Equal(text, e.Text) {
			return "cascadesim sweep " + quoted(name)
		}
	}
	return "cascadesim report " + quoted(dir) + " -o " + quoted(file)
}
