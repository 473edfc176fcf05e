package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// Result is what one replication recorded. Counts are simulated counts, at the scale of the run.
//
// Series are flat: the cell of row r and window w is cells[r*Windows+w]. Windows cover the drain
// too; the last one may be incomplete.
type Result struct {
	Seed    uint64
	Window  sim.Time
	Windows int
	Warmup  int      // windows left out of totals
	End     sim.Time // end of the run without its drain
	Ended   sim.Time // when the last event happened or the clock stopped
	Events  uint64

	Clients  []ClientSeries
	Edges    []EdgeSeries
	Replicas []ReplicaSeries

	Totals      Totals
	Fingerprint sim.Fingerprint
	Warnings    []stats.Warning
	Marks       []Mark
	Stages      []StageMark // moves of controls, in order
	Fired       []sim.Time  // by trigger; Never: it did not
}

// Totals are figures of the whole run after its warm-up.
type Totals struct {
	// Work is time of work in slots; Wasted is that of it which was done for attempts whose caller,
	// or a caller above, had left.
	Work, Wasted sim.Time
	InFlight     uint64 // requests unanswered at the end
	PeakAttempts int    // most attempts alive at once, late ones included
}

// Mark is a moment that charts mark.
type Mark struct {
	At, End sim.Time
	Text    string
}

// ClientCell counts one client's requests by the window in which they started.
type ClientCell struct {
	Requests, OK, Failed, TimedOut, Blocked, Slow uint32
	FailedOrSlow                                  uint32
	// Of requests those that repeat one that failed; of failed ones those that were not repeated any
	// more. Both only where there is an outer loop.
	Repeats, GivenUp uint32
	Expired          uint32 // of failed ones those that were not sent, as their token had expired

	Degraded uint32 // of the ok ones: some fallback stood in
}

// ClientSeries is what became of one client's requests.
type ClientSeries struct {
	Cells   []ClientCell
	Latency stats.Histogram   // of ok requests that started after the warm-up
	Series  []stats.Histogram // the same by window; nil unless asked for
}

// EdgeCell counts attempts by the window in which they were offered, and calls by their start.
type EdgeCell struct {
	Calls, Attempts, Retries, Hedges, Late uint32
	Cancelled                              uint32 // of the dropped: given up, as their call had ended
	Connects                               uint32 // connections opened
	Retransmits                            uint32 // times that a request which got lost was sent again
	Outcomes                               [policies.Classes]uint32
}

// EdgeSeries is what happened on one edge. Cells has a row for each client class: row c is what
// requests of client c caused.
type EdgeSeries struct {
	Cells     []EdgeCell
	RefusedBy [][]uint32  // by stack entry, then window: attempts it refused
	Level     [][]float32 // likewise: share of tokens at its start; nil: none held
	// Likewise: shares of its breakers that are open and half open; nil: it is none.
	Open, HalfOpen [][]float32
	LowAt          []sim.Time // by stack entry: when its level was first too low; Never
	// Again are the retries after the warm-up by the class of the outcome that they followed.
	Again [policies.Classes]uint64
	// Wasted is the part of Totals.Wasted that was done for attempts of this edge.
	Wasted  sim.Time
	Latency stats.Histogram   // from send to outcome, of attempts offered after the warm-up
	Series  []stats.Histogram // the same by window; nil unless asked for
	Probes  []ProbeCell       // by window; nil: its callers probe nobody
}

// TierCell counts what happened at one replica and endpoint in a window.
type TierCell struct {
	Arrivals, Admitted, Completed, Rejected, Dropped, Wasted, Cancelled uint32

	Retries uint32 // arrivals after the first try of their call, copies left out

	// Lookups in caches: found; not found and fetched; not found while another fetched it.
	Hits, Misses, Joined uint32

	Fallbacks uint32 // steps that stood in for a call that failed

	Effects, Duplicates uint32 // side effects; those of an operation that had had it before
}

// GaugeCell is the integral over a window of a replica's gauges, in ns times units, and their
// values at the window's start.
type GaugeCell struct {
	Busy, InLine, InSystem, Slots, Up float64 // integrals; Slots of an unlimited station is 0
	AtBusy, AtInLine, AtInSystem      uint32
	AtSlots                           int32 // -1: unlimited
	AtUp                              bool
	Crashes                           uint32   // times that it went down by a rule of its tier
	Span                              sim.Time // how much of the window was simulated
}

// ReplicaSeries is what happened at one replica. Cells has a row for each endpoint and client:
// row e*clients+c.
type ReplicaSeries struct {
	Cells         []TierCell
	Gauges        []GaugeCell
	AtEnd         GaugeCell         // its At fields are the values when the clock stopped
	Wait, Service stats.Histogram   // of attempts that started after the warm-up: in line; own work
	WaitSeries    []stats.Histogram // by window of the start of work; nil unless asked for
	ServiceSeries []stats.Histogram
}
