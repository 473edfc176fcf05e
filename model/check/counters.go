package check

import (
	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// counter is a column of a kind of cell, under the name that files use.
type counter[C any] struct {
	name string
	of   func(*C) uint32
}

var clientCounters = []counter[model.ClientCell]{
	{"requests", func(c *model.ClientCell) uint32 { return c.Requests }},
	{"ok", func(c *model.ClientCell) uint32 { return c.OK }},
	{"failed", func(c *model.ClientCell) uint32 { return c.Failed }},
	{"timed_out", func(c *model.ClientCell) uint32 { return c.TimedOut }},
	{"blocked", func(c *model.ClientCell) uint32 { return c.Blocked }},
	{"slow", func(c *model.ClientCell) uint32 { return c.Slow }},
	{"failed_or_slow", func(c *model.ClientCell) uint32 { return c.FailedOrSlow }},
	{"operations", func(c *model.ClientCell) uint32 { return c.Requests - c.Repeats }},
	{"repeats", func(c *model.ClientCell) uint32 { return c.Repeats }},
	{"given_up", func(c *model.ClientCell) uint32 { return c.GivenUp }},
	{"expired_tokens", func(c *model.ClientCell) uint32 { return c.Expired }},
	{"degraded", func(c *model.ClientCell) uint32 { return c.Degraded }},
}

var edgeCounters = []counter[model.EdgeCell]{
	{"calls", func(c *model.EdgeCell) uint32 { return c.Calls }},
	{"attempts", func(c *model.EdgeCell) uint32 { return c.Attempts }},
	{"retries", func(c *model.EdgeCell) uint32 { return c.Retries }},
	{"hedges", func(c *model.EdgeCell) uint32 { return c.Hedges }},
	{"ok", outcome(policies.OK)},
	{"error", outcome(policies.Error)},
	{"rejected", outcome(policies.Rejected)},
	{"timed_out", outcome(policies.TimedOut)},
	{"refused", outcome(policies.Refused)},
	{"blocked", outcome(policies.Blocked)},
	{"dropped", func(c *model.EdgeCell) uint32 { return c.Outcomes[policies.Dropped] - c.Cancelled }},
	{"cancelled", func(c *model.EdgeCell) uint32 { return c.Cancelled }},
	{"connects", func(c *model.EdgeCell) uint32 { return c.Connects }},
	{"retransmits", func(c *model.EdgeCell) uint32 { return c.Retransmits }},
	{"late", func(c *model.EdgeCell) uint32 { return c.Late }},
}

// probeCounters are of an edge's health checks, which do not scale: a smaller run has as many.
var probeCounters = []counter[kernel.ProbeCell]{
	{"probes", func(c *kernel.ProbeCell) uint32 { return c.Sent }},
	{"probes_failed", func(c *kernel.ProbeCell) uint32 { return c.Failed }},
	{"taken_out", func(c *kernel.ProbeCell) uint32 { return c.TakenOut }},
}

func outcome(class policies.Class) func(*model.EdgeCell) uint32 {
	return func(c *model.EdgeCell) uint32 { return c.Outcomes[class] }
}

var tierCounters = []counter[model.TierCell]{
	{"arrivals", func(c *model.TierCell) uint32 { return c.Arrivals }},
	{"admitted", func(c *model.TierCell) uint32 { return c.Admitted }},
	{"completed", func(c *model.TierCell) uint32 { return c.Completed }},
	{"rejected", func(c *model.TierCell) uint32 { return c.Rejected }},
	{"dropped", func(c *model.TierCell) uint32 { return c.Dropped }},
	{"wasted", func(c *model.TierCell) uint32 { return c.Wasted }},
	{"retries", func(c *model.TierCell) uint32 { return c.Retries }},
	{"cancelled", func(c *model.TierCell) uint32 { return c.Cancelled }},
	{"effects", func(c *model.TierCell) uint32 { return c.Effects }},
	{"duplicate_effects", func(c *model.TierCell) uint32 { return c.Duplicates }},
	{"hits", func(c *model.TierCell) uint32 { return c.Hits }},
	{"misses", func(c *model.TierCell) uint32 { return c.Misses }},
	{"coalesced", func(c *model.TierCell) uint32 { return c.Joined }},
	{"fallbacks", func(c *model.TierCell) uint32 { return c.Fallbacks }},
}

// find returns the column of that name, nil if there is none.
func find[C any](columns []counter[C], name string) func(*C) uint32 {
	for _, c := range columns {
		if c.name == name {
			return c.of
		}
	}
	return nil
}

func names[C any](columns []counter[C]) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
	}
	return out
}

// span is windows from up to, not including, to.
type span struct{ from, to int }

// table is a series of cells: the cell of row r and window w is cells[r*windows+w].
type table[C any] struct {
	cells   []C
	windows int
}

// sum adds a column of one row over the windows of s.
func (t table[C]) sum(row int, s span, of func(*C) uint32) uint64 {
	var n uint64
	cells := t.cells[row*t.windows : (row+1)*t.windows]
	for i := s.from; i < s.to; i++ {
		n += uint64(of(&cells[i]))
	}
	return n
}
