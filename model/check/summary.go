package check

// Summary is the stable object of a run, one to a scenario. Keys are in the order in which they
// are written; maps are written in the order of their keys. Counts are simulated counts, at the
// scale of the run; every _per_s is divided by the scale, so that it reads as the real system.
// Null is a value that does not exist.
type Summary struct {
	Schema       string  `json:"schema"`
	Version      string  `json:"version"`  // of the program; the caller's
	Topology     string  `json:"topology"` // name
	Scenario     string  `json:"scenario"` // name; the caller's, as a scenario does not know its own
	Variant      string  `json:"variant"`  // the caller's
	Seed         uint64  `json:"seed"`     // of the first replication
	Replications int     `json:"replications"`
	Scale        float64 `json:"scale"`
	DurationS    float64 `json:"duration_s"` // without the drain

	Totals   TotalsSummary            `json:"totals"`
	Clients  map[string]ClientSummary `json:"clients"`
	Tiers    map[string]TierSummary   `json:"tiers"`
	Edges    map[string]EdgeSummary   `json:"edges"`
	Recovery RecoverySummary          `json:"recovery"`
	Checks   []CheckSummary           `json:"checks"`
	// Controls are what those of the timeline did; of several replications see Runs.
	Controls []StaySummary `json:"controls,omitempty"`

	Warnings    []string `json:"warnings"`
	Fingerprint string   `json:"fingerprint"`

	Runs        []RunSummary `json:"runs,omitempty"` // with more than one replication
	Performance *Performance `json:"performance"`    // the caller's; alone not deterministic
}

// SchemaName names the form of Summary.
const SchemaName = "cascadesim.run/1"

// TotalsSummary is all clients and edges together, after the warm-up.
type TotalsSummary struct {
	Requests uint64 `json:"requests"`
	Attempts uint64 `json:"attempts"` // sent over any edge
	Retries  uint64 `json:"retries"`
	OK       uint64 `json:"ok"`
	Failed   uint64 `json:"failed"`
	InFlight uint64 `json:"in_flight"` // requests unanswered at the end

	Amplification   *float64 `json:"amplification"` // the largest of all edges'
	GoodputPerS     *float64 `json:"goodput_per_s"`
	WastedWorkShare *float64 `json:"wasted_work_share"` // of the time of work in slots
}

// Durations are the mean and quantiles of durations in seconds; null when there were none.
type Durations struct {
	Mean *float64 `json:"mean"`
	P50  *float64 `json:"p50"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	P999 *float64 `json:"p999"`
}

// ClientSummary is one client's requests. Failed ones ended in any way but ok.
type ClientSummary struct {
	Requests uint64 `json:"requests"`
	OK       uint64 `json:"ok"`
	Failed   uint64 `json:"failed"`
	// Of an outer loop: requests that repeat one that failed, and failed ones that nothing follows.
	Repeats  uint64    `json:"repeats,omitempty"`
	GivenUp  uint64    `json:"given_up,omitempty"`
	Degraded uint64    `json:"degraded,omitempty"` // of the ok ones: a fallback stood in
	LatencyS Durations `json:"latency_s"`          // of ok requests
}

// TierSummary is all replicas of a tier together.
type TierSummary struct {
	Arrivals     uint64    `json:"arrivals"`
	Completed    uint64    `json:"completed"`
	Rejected     uint64    `json:"rejected"`
	Dropped      uint64    `json:"dropped"`
	Crashes      uint64    `json:"crashes,omitempty"` // of replicas, by a rule of the tier
	Utilization  *float64  `json:"utilization"`
	WaitS        Durations `json:"wait_s"`
	ServiceS     Durations `json:"service_s"`
	MeanInSystem *float64  `json:"mean_in_system"`
	MeanInLine   *float64  `json:"mean_in_line"`
}

// EdgeSummary is one edge, whichever client caused its calls. All outcomes but refused add up to
// attempts.
type EdgeSummary struct {
	Calls           uint64            `json:"calls"`
	Attempts        uint64            `json:"attempts"`
	Retries         uint64            `json:"retries"`
	Hedges          uint64            `json:"hedges"`
	Amplification   *float64          `json:"amplification"`
	AttemptsPerCall *float64          `json:"attempts_per_call"`
	Outcomes        Outcomes          `json:"outcomes"`
	RefusedBy       map[string]uint64 `json:"refused_by"`
	// Budgets are the policies of the stack that hold tokens, by name.
	Budgets map[string]BudgetSummary `json:"budgets,omitempty"`
	Late    uint64                   `json:"late"`
	// Connects are connections opened, where attempts need one.
	Connects uint64 `json:"connects,omitempty"`
	// Retransmits are requests that got lost on their way and were sent again, as the same attempt.
	Retransmits uint64 `json:"retransmits,omitempty"`
	// Probes are those of health checks, which are no attempts.
	Probes          uint64    `json:"probes,omitempty"`
	ProbesFailed    uint64    `json:"probes_failed,omitempty"`
	TakenOut        uint64    `json:"taken_out,omitempty"` // replicas, by a caller, each time
	AttemptLatencyS Durations `json:"attempt_latency_s"`
}

// BudgetSummary is what was left of a policy's tokens, as shares of all, averaged over its states.
type BudgetSummary struct {
	Level  *float64 `json:"level"`  // mean over the run; null: not recorded, or no state was used
	Lowest *float64 `json:"lowest"` // at the start of any window
	// Low is the share below which its alert is due; left out when none is set.
	Low float64 `json:"low,omitempty"`
	// LowAtS is when some state first fell below it, in the earliest replication; null: never.
	LowAtS *float64 `json:"low_at_s,omitempty"`
}

// Outcomes are attempts by how they ended; refused ones were never sent.
type Outcomes struct {
	OK       uint64 `json:"ok"`
	Error    uint64 `json:"error"`
	Rejected uint64 `json:"rejected"`
	TimedOut uint64 `json:"timed_out"`
	Refused  uint64 `json:"refused"`
	Blocked  uint64 `json:"blocked"`
	Dropped  uint64 `json:"dropped"`
	// Cancelled were given up by their caller, whose call had ended: another copy had answered, or
	// the caller was gone itself.
	Cancelled uint64 `json:"cancelled,omitempty"`
	InFlight  uint64 `json:"in_flight"`
}

// RecoverySummary is what Recover found. Of several replications it is the worst verdict, the mean
// time if all have one, and the mean surge; Verdicts then counts them.
type RecoverySummary struct {
	Verdict  string         `json:"verdict"`
	TimeS    *float64       `json:"time_s"` // null: never, or no fault
	Surge    *float64       `json:"surge"`
	Verdicts map[string]int `json:"verdicts,omitempty"`
}

// CheckSummary is one Verdict. Value is a number, a word, or null.
type CheckSummary struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc,omitempty"`
	Reported string   `json:"reported,omitempty"` // the same figure in the real world
	Measure  string   `json:"measure"`
	Value    any      `json:"value"`
	Text     string   `json:"text"` // the value as people read it
	Want     string   `json:"want"` // the bounds as people read them
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
	Expect   *float64 `json:"expect,omitempty"`
	Is       string   `json:"is,omitempty"`
	OK       bool     `json:"ok"`
}

// StaySummary is a stay of a control in one of its stages.
type StaySummary struct {
	Control      string  `json:"control"`
	Stage        string  `json:"stage"`
	FromS        float64 `json:"from_s"`
	ToS          float64 `json:"to_s"`
	Back         bool    `json:"back"`  // it began by a step back
	Ended        string  `json:"ended"` // passed, back, lifted or lasts
	Observations int     `json:"observations"`
	Missed       int     `json:"missed"`
	// Unmet is the measure of the condition that was not met in the last observation missed, and
	// Value what it was: per second, a share, a count or seconds; null: nothing was there to measure.
	Unmet string   `json:"unmet,omitempty"`
	Value *float64 `json:"value,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// RunSummary is one of several replications.
type RunSummary struct {
	Seed        uint64                   `json:"seed"`
	Totals      TotalsSummary            `json:"totals"`
	Clients     map[string]ClientSummary `json:"clients"`
	Tiers       map[string]TierSummary   `json:"tiers"`
	Edges       map[string]EdgeSummary   `json:"edges"`
	Recovery    RecoverySummary          `json:"recovery"`
	Checks      []CheckSummary           `json:"checks"`
	Controls    []StaySummary            `json:"controls,omitempty"`
	Fingerprint string                   `json:"fingerprint"`
}

// Performance is what a run cost; it differs from run to run.
type Performance struct {
	Events        uint64  `json:"events"`
	WallS         float64 `json:"wall_s"`
	EventsPerS    float64 `json:"events_per_s"`
	SimulatedPerS float64 `json:"simulated_s_per_s"` // simulated seconds in a second
	PeakRSSBytes  uint64  `json:"peak_rss_bytes"`
}
