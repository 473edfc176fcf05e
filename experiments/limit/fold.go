package limit

import (
	"math"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// MeanField is what a mean field says of one server whose callers give up and try again.
type MeanField struct {
	Load     float64 `json:"load_per_s"`     // up to which there is a well state
	Attempts float64 `json:"attempts_per_s"` // that arrive there
}

// Fold is the load above which a mean field has no well state: one server of rate mu, callers who
// wait so long and try again so often. Each load is what remains of attempts that arrive at a rate
// between it and mu when a share exp(-(mu-rate)*wait) of them times out; the largest is the fold.
func Fold(mu, wait float64, retries int) MeanField {
	const steps = 1_000_000
	var out MeanField
	for i := 1; i < steps; i++ {
		rate := mu * float64(i) / steps
		late := math.Exp(-(mu - rate) * wait)
		each, power := 1.0, 1.0
		for range retries {
			power *= late
			each += power
		}
		if rate/each > out.Load {
			out = MeanField{Load: rate / each, Attempts: rate}
		}
	}
	return out
}

// foldOf is the fold of a world that a mean field as simple as that describes: Poisson arrivals at
// one server with exponential work and a line without end, a timeout, and tries at once. Nil: it is
// another world.
func foldOf(p *model.Plan) *MeanField {
	top := p.Topology
	if len(top.Tiers) != 1 || len(top.Clients) != 1 || len(top.Edges) != 1 ||
		len(p.Scenario.Timeline) > 0 || p.World.Scale != 1 {
		return nil
	}
	mu, served := plainServer(&top.Tiers[0].Value)
	wait, retries, tries := plainTries(&top.Edges[0])
	c := &top.Clients[0].Value
	if !served || !tries || c.Outer != nil || c.Arrivals == nil || c.Arrivals.Process != "poisson" ||
		c.Arrivals.Profile != nil {
		return nil
	}
	f := Fold(mu, wait, retries)
	return &f
}

// plainServer is the rate of one server that does nothing but exponential work, in turn.
func plainServer(t *model.Tier) (mu float64, ok bool) {
	if t.Replicas.Count != 1 || len(t.Replicas.Named) > 0 || t.Slots != 1 || len(t.Steps) != 1 ||
		t.Line.Limit != model.Unlimited || t.Line.Discipline != "fifo" ||
		!t.Line.Timeout.IsZero() || t.InFlight.Limit != model.Unlimited ||
		len(t.Admission) > 0 || t.Keys != nil || t.Deadline != "ignore" || t.Crash != nil ||
		t.Memory != nil || t.ColdStart != nil || t.Autoscale != nil {
		return 0, false
	}
	w := t.Steps[0].Work
	if w == nil || w.PerInFlight != 0 || w.USL != (model.USL{}) ||
		!strings.HasPrefix(w.Time.String(), "exp ") {
		return 0, false
	}
	return float64(sim.Second) / w.Time.Mean(), true
}

// plainTries is how long callers wait and how often they try again, if they do nothing else.
func plainTries(e *model.Edge) (wait float64, retries int, ok bool) {
	if e.Timeout.Try == sim.Never || e.Timeout.Overall != sim.Never ||
		e.Timeout.Lease != sim.Never || !e.Latency.IsZero() || e.Loss != 0 || e.RepliesLost != 0 ||
		e.Connections != nil || e.Cancel != "none" || e.Block.Share != 0 || e.Retry == nil ||
		e.Retry.Enabled != 1 || len(e.Retry.Stack) != 1 ||
		!slices.Contains(e.Retry.RetryOn, "timed_out") {
		return 0, 0, false
	}
	most, ok := e.Retry.Stack[0].Settings.(*policies.MaxAttempts)
	if !ok {
		return 0, 0, false
	}
	return e.Timeout.Try.Seconds(), most.Attempts - 1, true
}
