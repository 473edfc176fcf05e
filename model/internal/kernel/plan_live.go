package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Param is a live field: its owner's kind decides what a new value does.
//
// The replacement in force is that of the layer that began last, even while an earlier one still
// takes its steps; without one it is Base. A negative replacement (unlimited, none) stays negative
// whatever is multiplied or added. Base and replacements are rounded already where Whole is set;
// rounding is wanted once more after factors and additions. ReplyLatency has no value of its own:
// its factors and additions act on the draw of the reply's latency.
type Param struct {
	Path  string
	Field Field
	Of    int      // index of the owner: client, tier, replica, edge, route
	Base  float64  // shares, factors, rates, counts; times in ns; -1: unlimited or none
	Dist  sim.Dist // of Latency and Delay
	Whole bool     // rounded to the nearest integer after changes, at least 1 unless 0
}

// Field is the kind of a live field.
type Field uint8

// The live fields. FieldPlain ones are read when they are needed and want no action.
const (
	FieldPlain    Field = iota
	FieldRate           // of a client: its next arrival is drawn anew
	FieldSlots          // of a replica: more of them take from the line
	FieldLine           // of a replica
	FieldInFlight       // of a replica: more of it takes from the backlog
	FieldWeight         // of a replica: balancers are told
	FieldActive         // of a tier
	FieldRoute          // of a route: its weights are summed anew
	FieldLink           // of an edge: what was held is delivered
	FieldDist           // a distribution: Change.Dist replaces, factors and additions apply
)

// Change is one layer on a param, from At on: Value replaces, multiplies or adds. With an end, a
// change of the same Layer with Op Lift takes it away.
type Change struct {
	At    sim.Time
	Param int
	Layer int // of one param only; a later value of one layer takes the place of the earlier
	Op    Op
	Value float64
	Dist  sim.Dist
	Mark  bool // first of its entry: charts mark it
	// Trigger, unless 0, is one more than the index of the trigger that it waits for.
	Trigger int
}

// Op is how a change acts.
type Op uint8

// How changes act.
const (
	Replace Op = iota
	Multiply
	Add
	Lift
	// Combine is for shares of independent causes: 1-(1-a)(1-b).
	Combine
)

// Flows says what becomes of what a paused replica holds.
type Flows uint8

// What becomes of flows.
const (
	Finish Flows = iota
	Keep
	Reset
	Drop
)

// Pause takes replicas out of rotation.
type Pause struct {
	From, To     sim.Time
	First, Count int // replicas
	Flows        Flows
	// Fresh: they come back as new ones, with nothing of what they held or remembered. With Finish
	// what is left at the end is cut off.
	Fresh bool
	// Share, unless 0, is that of the tier's active replicas which are meant: the last ones, to the
	// nearest whole number and at least one. First and Count are then the whole tier.
	Share float64
	// Trigger, unless 0, is one more than the index of the trigger that it waits for.
	Trigger int
}

// Gauge is what an autoscaler looks at.
type Gauge uint8

// The gauges.
const (
	GaugeUtilization Gauge = iota
	GaugeBusy
	GaugeInLine
	GaugeInSystem
	GaugeSlots
	GaugeUp // a replica in rotation; not for autoscalers
)

// Scaler is an autoscaler: wanted = ceil(current x gauge/target).
type Scaler struct {
	Tier       int // whose replicas or slots are adjusted
	Metric     int // whose gauge is looked at: a tier
	Gauge      Gauge
	Target     float64
	Slots      bool // adjusts slots, else the number of replicas
	PerReplica bool
	Min, Max   int
	Every      sim.Time
	Delay      sim.Time
	Tolerance  float64
	DownWindow sim.Time
	HPA        *HPA // decides instead; only Tier, Every and Delay are then of any meaning
}

// HPA makes an autoscaler decide as a Kubernetes HorizontalPodAutoscaler. Pod m is replica m of all
// its tiers, which are as large.
type HPA struct {
	Settings policies.HPASettings
	Tiers    []int
	Metrics  []HPAMetric
	Behind   int // it decides by the sample of so many looks ago
}

// HPAMetric is one metric: of each pod the sum over some of its containers.
type HPAMetric struct {
	Target  int
	Average bool
	CPU     bool
	Of      []HPAPart
}

// HPAPart is a container's part of a metric.
type HPAPart struct {
	Tier    int
	Gauge   Gauge
	Unit    float64 // thousandths that one of the gauge counts for, at the scale of the run
	Request int64   // thousandths
}
