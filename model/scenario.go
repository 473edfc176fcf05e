package model

import (
	"time"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Scenario is a run's script: how long, its loads, what breaks, what operators do, what is judged.
type Scenario struct {
	Topology     string          `yaml:"topology" doc:"name of a topology; left out when the file holds both"`
	Doc          string          `yaml:"doc" doc:"one line for people"`
	Default      bool            `yaml:"default" doc:"what run NAME means"`
	Epoch        time.Time       `yaml:"epoch" doc:"date and time of second 0, in UTC"`
	Duration     sim.Time        `yaml:"duration" doc:"length of the run (until is resolved to it)"`
	Drain        sim.Time        `yaml:"drain" default:"0" doc:"afterwards arrivals stop and the run goes on until nothing is in flight, at most so long"`
	Warmup       sim.Time        `yaml:"warmup" default:"0" doc:"left out of totals and of checks without from"`
	Scale        float64         `yaml:"scale" default:"1" doc:"1/100 simulates a hundredth of the system"`
	Window       sim.Time        `yaml:"window" default:"1s" doc:"width of the recorded series"`
	Seed         uint64          `yaml:"seed" default:"1" doc:"what all chance follows from"`
	Replications int             `yaml:"replications" default:"1" doc:"runs with seeds seed, seed+1, …"`
	Profiles     Map[Curve]      `yaml:"profiles" doc:"named curves"`
	Load         Map[Arrivals]   `yaml:"load" doc:"arrivals by client; the loader moves them into clients"`
	Timeline     []TimelineEntry `yaml:"timeline" key:"name" doc:"what breaks and what is done"`
	Recovery     Recovery        `yaml:"recovery" doc:"what recovered means here"`
	Checks       []Check         `yaml:"checks" key:"name" doc:"what check judges"`
}

// Point is one point of a curve.
type Point struct {
	At    sim.Time
	Value float64
}

// Curve is a piecewise-linear function of time; before and after, the end values hold.
type Curve []Point

// TimelineEntry is one typed change; the loader has resolved its times.
type TimelineEntry struct {
	Name  string
	Doc   string
	Fact  string
	At    sim.Time // start
	End   sim.Time // Never: it stays
	Over  sim.Time // the new value is reached linearly in this time; 0 at once
	Set   []Setting
	Fault *Fault
	Pause *Pause

	Restart *Restart
	Deploy  *Deploy
	Control *Control

	// When makes the entry wait: it begins when the condition is met, and not before At. Follows
	// makes it begin Delay after another entry has begun that waits so; with both, the condition is
	// looked at from then on. At and End, and the times of curves, are then as if it began at At.
	When    *When
	Follows string
	Delay   sim.Time
}

// Verb is the word of what an entry does: fault, pause, restart, deploy, control or set.
func (e *TimelineEntry) Verb() string {
	switch {
	case e.Fault != nil:
		return "fault"
	case e.Pause != nil:
		return "pause"
	case e.Restart != nil:
		return "restart"
	case e.Deploy != nil:
		return "deploy"
	case e.Control != nil:
		return "control"
	}
	return "set"
}

// Waits tells whether nobody knows before the run when the entry begins.
func (e *TimelineEntry) Waits() bool { return e.When != nil || e.Follows != "" }

// Setting is one PATH: value of a set entry.
type Setting struct {
	Path  string
	Op    Op
	Value Value
	Curve Curve // of {steps: …} or {ramp: …}; times are absolute, Value is unused
	Ramp  bool  // Curve is linear between its points, else a staircase
}

// Op is how a change acts on the value in force.
type Op uint8

// How a change acts.
const (
	Replace  Op = iota // the latest entry wins
	Multiply           // 1.5x
	Add                // +3s, -10
)

// Value is a value of a live field, in the field's own unit: Number for counts, rates, shares,
// factors, weights and times (ns); Dist for distributions; Weights for a route.
type Value struct {
	Number  float64
	Dist    *sim.Dist
	Weights Map[Weight]
}

// Fault is what breaks between At and End of its entry. Exactly one of Tier, Edge and Site says
// where; effects that are zero do nothing.
type Fault struct {
	Tier        string       `yaml:"tier" doc:"tier, tier@replica or tier/endpoint"`
	Edge        string       `yaml:"edge" doc:"edge, from->to; * matches any"`
	Site        string       `yaml:"site" doc:"all tiers of a site"`
	Slow        unit.Factor  `yaml:"slow" doc:"work that starts now takes so many times as long"`
	Speed       unit.Ratio   `yaml:"speed" doc:"work that starts now runs at this speed"`
	Delay       *sim.Dist    `yaml:"delay" doc:"answers leave later; no slot is held"`
	Errors      *FaultErrors `yaml:"errors" doc:"share of attempts that fail after the work"`
	Crash       *FaultCrash  `yaml:"crash" doc:"share of the replicas that are down, the last ones; they come back as new ones"`
	Latency     *Setting     `yaml:"latency" doc:"each reply: +3s adds, 10x multiplies"`
	Loss        unit.Share   `yaml:"loss" doc:"requests lost"`
	RepliesLost unit.Share   `yaml:"replies_lost" doc:"replies lost"`
	Link        string       `yaml:"link" enum:"held|lost|refused" doc:"held: kept and delivered together at the end; lost: gone; refused: callers are told at once"`
}

// FaultErrors makes a share of attempts fail after their work.
type FaultErrors struct {
	Share  unit.Share `yaml:"share" doc:"share of attempts"`
	Status int        `yaml:"status" default:"500" doc:"status of the error"`
}

// Pause takes replicas out of rotation until the end of its entry.
type Pause struct {
	Tier  string `yaml:"tier" doc:"tier or tier@replica"`
	Flows string `yaml:"flows" enum:"finish|keep|reset|drop" default:"finish" doc:"finish: serve what they hold; keep: frozen, come back full; reset: callers are told at once; drop: callers find out by their timeout"`
}

// Recovery says what recovered means.
type Recovery struct {
	Watch   string     `yaml:"watch" default:"clients.*" doc:"clients whose ok share is watched"`
	AtLeast unit.Share `yaml:"at_least" default:"97%" doc:"ok share that counts as recovered"`
	Hold    sim.Time   `yaml:"hold" default:"5s" doc:"how long it must hold"`
	After   string     `yaml:"after" doc:"timeline entry after whose start recovery is looked for"`
}

// Check is one thing that a run is judged by; see package model/check for its meaning.
type Check struct {
	Name           string
	Doc            string
	Reported       string // the same figure in the real world
	Measure        string
	Client         string    // only that client's share
	From, To       *sim.Time // nil: end of warm-up, end of run
	At             *sim.Time // instead of From and To: the gauge at that instant
	Bin            sim.Time  // 0: the window
	Take           Take
	Relative       *Relative
	Since          *Since
	Min, Max       *Bound
	Expect         *Bound
	Within         *Bound // relative when it is a share of Expect
	WithinRelative bool
	Is             string
	Pass           Pass
	Measured       bool // read and not judged: it has no bounds
}

// Take is which value of the bins a check takes.
type Take struct {
	Kind  string   // mean, min, max, each, slope, first_above, first_below, last_above, last_below
	Value *Bound   // of first and last
	Hold  sim.Time // of first and last; 0: one bin
}

// Relative divides a check's value by a number, by the same measure elsewhere, or by a measure.
type Relative struct {
	Number   *Bound
	From, To *sim.Time
	Measure  string
}

// Since turns a time into a duration since a time, or since another check's time.
type Since struct {
	Time  sim.Time
	Check string
}

// Bound is a number with the unit it was written in.
type Bound struct {
	Value float64 // per second, share, count, seconds (durations), or seconds from the start (times)
	Unit  string  // rate, share, count, duration, time
}

// Pass says how many replications must hold: all of them, at least Share of them, or their mean.
type Pass struct {
	Kind  string // all, share, mean
	Share float64
}
