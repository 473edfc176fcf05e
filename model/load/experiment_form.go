package load

import (
	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// The types of this file say how experiments are written. Their checks are read with the document
// that they are asked of, whose clock their times need.

// experimentForm is an experiment as files write it.
type experimentForm struct {
	Question     string              `yaml:"question" doc:"one sentence"`
	Doc          string              `yaml:"doc" doc:"what else to know"`
	Cases        model.Map[caseForm] `yaml:"cases" doc:"the scenarios in which every point runs"`
	Axes         model.Map[axisForm] `yaml:"axes" doc:"what is varied"`
	Design       string              `yaml:"design" enum:"grid|latin_hypercube|sobol" default:"grid" doc:"which points of the axes are run"`
	Points       int                 `yaml:"points" default:"0" doc:"how many points a design other than the grid has"`
	Baseline     settings            `yaml:"baseline" doc:"AXIS: value of the point that others are compared with"`
	Seed         uint64              `yaml:"seed" default:"1" doc:"seed of the first replication of every point"`
	UpAndDown    *upAndDownForm      `yaml:"up_and_down" doc:"an axis whose values one run goes through, up and down again, for limit --map; of the other axis the map has rows"`
	Replications *replicationsForm   `yaml:"replications" doc:"how often every point is run"`
	Runs         unit.Count          `yaml:"runs" default:"unlimited" doc:"no more replications than this in all"`
	Objectives   model.Map[rawNode]  `yaml:"objectives" doc:"what is to be small or large: a check without bounds, with case and minimize or maximize"`
	Constraints  []rawNode           `yaml:"constraints" doc:"what must hold: checks, each with a case"`
	Sensitivity  model.Map[settings] `yaml:"sensitivity" doc:"changes under which the recommended point is run again"`
	Recommend    *recommendForm      `yaml:"recommend" doc:"which point is recommended"`
}

// caseForm is a scenario in which points run; its name alone is short for scenario.
type caseForm struct {
	Scenario     string            `yaml:"scenario" doc:"NAME, NAME/SCENARIO or a file beside the experiment"`
	Doc          string            `yaml:"doc" doc:"one line for people"`
	Variant      string            `yaml:"variant" doc:"a variant of the scenario"`
	Set          settings          `yaml:"set" doc:"PATH: value, before the axes"`
	Scale        float64           `yaml:"scale" default:"0" doc:"instead of the scenario's"`
	Until        string            `yaml:"until" doc:"end the run at this time"`
	Replications *replicationsForm `yaml:"replications" doc:"instead of the experiment's"`
	Axes         []string          `yaml:"axes" doc:"the axes that matter in this case; all if left out"`
}

// axisForm is what is varied.
type axisForm struct {
	Doc    string              `yaml:"doc" doc:"one line for people"`
	Path   string              `yaml:"path" doc:"what is set"`
	Paths  []string            `yaml:"paths" doc:"what is set: those that match in a case"`
	Values []boundText         `yaml:"values" doc:"the values"`
	Range  *rangeForm          `yaml:"range" doc:"evenly spaced values, instead of values"`
	Points model.Map[settings] `yaml:"points" doc:"named settings, each PATH: value, instead of path and values"`
	Cases  []string            `yaml:"cases" doc:"the cases in which the axis matters; all if left out"`
}

// rangeForm is evenly spaced values.
type rangeForm struct {
	From  string `yaml:"from" doc:"the first value"`
	To    string `yaml:"to" doc:"the last value"`
	Steps int    `yaml:"steps" default:"5" doc:"how many values, both ends among them"`
	Log   bool   `yaml:"log" default:"false" doc:"evenly by their logarithm"`
}

// upAndDownForm is an axis whose values one run goes through.
type upAndDownForm struct {
	Axis   string    `yaml:"axis" doc:"its name; its values are numbers that ascend, of what a timeline can set"`
	Dwell  sim.Time  `yaml:"dwell" default:"0" doc:"how long each value lasts on each way"`
	Settle *sim.Time `yaml:"settle" doc:"how much of a dwell is not looked at; half if left out"`
}

// replicationsForm is how often a point is run; a number alone is both min and max.
type replicationsForm struct {
	Min      int         `yaml:"min" default:"5" doc:"at least, for every point"`
	Max      int         `yaml:"max" default:"0" doc:"at most, where the interval stays wide; 0: min"`
	Interval *unit.Share `yaml:"interval" doc:"half of the 95 % interval may be so wide, by the mean or by how far points differ; 5% if left out"`
}

// recommendForm is which point is recommended.
type recommendForm struct {
	Axis    string             `yaml:"axis" doc:"whose value is the answer"`
	Among   string             `yaml:"among" enum:"pareto|feasible" default:"pareto" doc:"pareto: points that no other beats in every objective"`
	Weights model.Map[float64] `yaml:"weights" doc:"by objective; 1 if left out"`
	Tie     string             `yaml:"tie" enum:"smallest|largest" default:"smallest" doc:"which value of the axis is taken among points that do not differ detectably"`
}

// rawNode is a part that is decoded when its case is known.
type rawNode struct{ *node }
