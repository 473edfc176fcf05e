package model

import (
	"context"
	"slices"

	"cascadesim/model/internal/kernel"
)

// Result is what one replication recorded; see its fields for units.
type Result = kernel.Result

// The parts of a Result.
type (
	ClientSeries  = kernel.ClientSeries
	ClientCell    = kernel.ClientCell
	EdgeSeries    = kernel.EdgeSeries
	EdgeCell      = kernel.EdgeCell
	ReplicaSeries = kernel.ReplicaSeries
	TierCell      = kernel.TierCell
	GaugeCell     = kernel.GaugeCell
	Mark          = kernel.Mark
)

// Closed is the arrival process of clients that ask again when they have been answered.
const Closed = kernel.Closed

// World is the compiled form of a plan: names and indices of tiers, replicas, edges and clients,
// in the order in which a Result lists them. Readers of results need it; nobody may change it.
type World = kernel.Plan

// Plan is a compiled world, immutable and shared by replications.
type Plan struct {
	Topology *Topology
	Scenario *Scenario
	World    *World
	Warnings Problems // doubts about numbers, shown beside them
}

// RunOptions are what does not change a result.
type RunOptions struct {
	// Progress is called now and then from the running goroutine with the simulated time reached
	// and the events so far; nil: never.
	Progress func(p Progress)
	// Tracer is told of each step of chosen requests; nil: nobody is.
	Tracer Tracer
	// UntilEvent stops after so many events; 0: never.
	UntilEvent uint64
}

// Progress says how far a replication is.
type Progress = kernel.Progress

// Tracer is told what happens, in order.
type Tracer = kernel.Tracer

// TraceRecord is one thing that happened.
type TraceRecord = kernel.TraceRecord

// Standstill is the error of a world in which time does not pass.
type Standstill = kernel.Standstill

// Run simulates one replication. The same plan and seed give the same result on any machine. It
// stops early, with ctx's error, when ctx is cancelled, and with a *Standstill when time does not
// pass. A broken conservation law panics with a
// sentence that says which.
func (p *Plan) Run(ctx context.Context, seed uint64, o RunOptions) (*Result, error) {
	return kernel.Run(ctx, p.World, seed, kernel.Options{
		Progress: o.Progress, Tracer: o.Tracer, UntilEvent: o.UntilEvent,
	})
}

// TiersOf are the tiers that attempts of an edge may come to: by its calls, by routes, or when it
// fails over. The index is that of World.Edges.
func (p *Plan) TiersOf(edge int) []int {
	w := p.World
	var out []int
	var add func(target int)
	add = func(target int) {
		to := w.Targets[target]
		if to.Route >= 0 {
			for _, t := range w.Routes[to.Route].To {
				add(t)
			}
			return
		}
		if !slices.Contains(out, to.Tier) {
			out = append(out, to.Tier)
		}
	}
	for i := range w.Clients {
		if w.Clients[i].Edge == edge {
			add(w.Clients[i].Target)
		}
	}
	for i := range w.Programs {
		if s := &w.Programs[i]; s.Verb.Calls() && s.Edge == edge {
			add(s.Target)
		}
	}
	if f := w.Edges[edge].Balance.Failover; f >= 0 {
		add(f)
	}
	return out
}
