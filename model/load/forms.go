package load

import (
	"time"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// The types of this file say how scenarios are written where that differs from what package model
// keeps: times are texts until the clock is known.

// scenarioForm is a scenario as files write it.
type scenarioForm struct {
	Topology     string                    `yaml:"topology" doc:"name of a topology; left out when the file holds both"`
	Doc          string                    `yaml:"doc" doc:"one line for people"`
	Default      bool                      `yaml:"default" default:"false" doc:"what run NAME means"`
	Epoch        time.Time                 `yaml:"epoch" doc:"date and time of second 0, in UTC"`
	Duration     sim.Time                  `yaml:"duration" doc:"length of the run"`
	Until        timeText                  `yaml:"until" doc:"end of the run as a time, instead of duration"`
	Drain        sim.Time                  `yaml:"drain" default:"0" doc:"afterwards arrivals stop and the run goes on until nothing is in flight, at most so long"`
	Warmup       sim.Time                  `yaml:"warmup" default:"0" doc:"left out of totals and of checks without from"`
	Scale        float64                   `yaml:"scale" default:"1" doc:"1/100 simulates a hundredth of the system"`
	Window       sim.Time                  `yaml:"window" default:"1s" doc:"width of the recorded series"`
	Seed         uint64                    `yaml:"seed" default:"1" doc:"what all chance follows from"`
	Replications int                       `yaml:"replications" default:"1" doc:"runs with seeds seed, seed+1, …"`
	Profiles     model.Map[model.Curve]    `yaml:"profiles" doc:"named curves, linear between their points"`
	Load         model.Map[model.Arrivals] `yaml:"load" doc:"arrivals by client, instead of the topology's"`
	Timeline     []entryForm               `yaml:"timeline" doc:"what breaks and what is done"`
	Recovery     model.Recovery            `yaml:"recovery" doc:"what recovered means here"`
	Checks       []checkForm               `yaml:"checks" doc:"what check judges"`
	Variants     model.Map[variantForm]    `yaml:"variants" doc:"named changes to the document"`
}

// entryForm is a timeline entry. Exactly one of set, fault, pause, restart, deploy
// and control is its verb.
type entryForm struct {
	Name  string       `yaml:"name" doc:"needed to refer to it"`
	Doc   string       `yaml:"doc" doc:"one line for people"`
	Fact  string       `yaml:"fact" doc:"what happened in the real world, or where that is told"`
	At    timeText     `yaml:"at" doc:"start; beside when, the condition counts from then on; NAME or NAME.end and + 6m of an entry with when: so long after it has begun or ended"`
	When  *model.When  `yaml:"when" doc:"begin as soon as this is so, once"`
	For   sim.Time     `yaml:"for" default:"none" doc:"how long; without for and until it stays"`
	Until timeText     `yaml:"until" doc:"end, instead of for"`
	Over  sim.Time     `yaml:"over" default:"0" doc:"reach the new values linearly in this time"`
	Set   settings     `yaml:"set" doc:"PATH: value of fields that may change during a run"`
	Fault *model.Fault `yaml:"fault" doc:"something breaks; an end is required"`
	Pause *model.Pause `yaml:"pause" doc:"replicas are out of rotation; an end is required"`

	Restart *model.Restart `yaml:"restart" doc:"replicas go down and come back as new ones: with empty lines, full buckets and closed breakers"`
	Deploy  *model.Deploy  `yaml:"deploy" doc:"replicas are restarted batch after batch"`
	Control *controlForm   `yaml:"control" doc:"settings go through stages: up while what is observed is well, and back when it is not; without an end it watches until the end of the run"`
}

// controlForm is a control.
type controlForm struct {
	Stages   []stageForm       `yaml:"stages" doc:"the most careful one first; it begins there"`
	Pass     []model.Condition `yaml:"pass" doc:"what must hold in every stage, beside its own"`
	Observe  sim.Time          `yaml:"observe" default:"30s" doc:"how long a stage is observed before it is judged, unless it says so itself"`
	Back     string            `yaml:"back" enum:"previous|first" default:"previous" doc:"where it goes from a stage in which something does not hold"`
	CoolDown sim.Time          `yaml:"cool_down" default:"0" doc:"after a step back, how long until the stage is observed"`
}

// stageForm is one stage of a control.
type stageForm struct {
	Name    string            `yaml:"name" doc:"what it is called in results; its number, from 0, if left out"`
	Set     settings          `yaml:"set" doc:"PATH: value, in force while it is in this stage; none: as without the control"`
	Observe sim.Time          `yaml:"observe" default:"0" doc:"how long it is observed; 0: as the control says"`
	Pass    []model.Condition `yaml:"pass" doc:"what must hold over the time observed to go on, or to stay in the last stage; none, here and in the control: it goes on"`
}

// checkForm is a check.
type checkForm struct {
	Name       string        `yaml:"name" doc:"what it is called in results"`
	Doc        string        `yaml:"doc" doc:"one line for people"`
	Reported   string        `yaml:"reported" doc:"the same figure in the real world"`
	Measure    string        `yaml:"measure" doc:"what is measured, such as clients.web.failed_share"`
	Client     string        `yaml:"client" doc:"only that client's share"`
	From       timeText      `yaml:"from" doc:"start; end of warm-up if left out"`
	To         timeText      `yaml:"to" doc:"end; end of the run if left out"`
	At         timeText      `yaml:"at" doc:"the gauge at that instant, instead of from and to"`
	Bin        sim.Time      `yaml:"bin" default:"0" doc:"width of bins, a multiple of window; 0: the window"`
	Take       *takeForm     `yaml:"take" doc:"which value of the bins; mean if left out"`
	RelativeTo *relativeForm `yaml:"relative_to" doc:"divide by a value, by the same measure elsewhere, or by another measure"`
	Since      timeText      `yaml:"since" doc:"time or check from which a time is counted"`
	Min        boundText     `yaml:"min" doc:"at least, inclusive"`
	Max        boundText     `yaml:"max" doc:"at most, inclusive"`
	Expect     boundText     `yaml:"expect" doc:"the value, to within"`
	Within     boundText     `yaml:"within" doc:"2% is relative, 3/s absolute; exact if left out"`
	Is         string        `yaml:"is" doc:"the word that it must be"`
	Pass       string        `yaml:"pass" default:"all" doc:"over replications: all, 9 of 10, 90%, or mean"`
}

// takeForm is which value of the bins a check takes: a word or one of these, as a map.
type takeForm struct {
	Word       string
	FirstAbove boundText `yaml:"first_above" doc:"start of the first bin above"`
	FirstBelow boundText `yaml:"first_below" doc:"start of the first bin below"`
	LastAbove  boundText `yaml:"last_above" doc:"end of the last bin above"`
	LastBelow  boundText `yaml:"last_below" doc:"end of the last bin below"`
	Hold       sim.Time  `yaml:"hold" default:"0" doc:"and all bins of that time; may stand beside take"`
}

// relativeForm is what a check's value is divided by: a value alone, or a map.
type relativeForm struct {
	Value   boundText
	From    timeText `yaml:"from" doc:"the same measure from then"`
	To      timeText `yaml:"to" doc:"until then"`
	Measure string   `yaml:"measure" doc:"another measure, bin by bin"`
}

// variantForm is a named change. Its checks replace the scenario's; a bare name keeps that one.
type variantForm struct {
	Doc    string      `yaml:"doc" doc:"one line for people"`
	Like   string      `yaml:"like" doc:"the variant that this one adds to; its checks are not inherited"`
	Set    settings    `yaml:"set" doc:"PATH: value; null removes, 1.2x multiplies"`
	Checks []checkForm `yaml:"checks" doc:"names of the scenario's checks, and new ones; none: nothing is judged"`
}

// mixPart is one part of a mixture.
type mixPart struct {
	Share unit.Share `yaml:"share" doc:"how much of all"`
	Of    sim.Dist   `yaml:"of" doc:"its distribution"`
}

// timeText is a time that is not resolved yet; empty when it was left out.
type timeText struct {
	text string
	at   place
}

// boundText is a bound whose unit is not known yet.
type boundText struct {
	text string
	at   place
}

// settings are PATH: value.
type settings []pair
