package report

import "slices"

// DataColumn is a column of the time series that are written for other programs.
type DataColumn struct {
	Name string
	Of   []string // client, edge, tier: which rows have it; of the keys all
	Doc  string
}

// keyDocs say what the columns of a row's name hold.
var keyDocs = map[string]string{
	"seed":     "of the replication",
	"time_s":   "start of the window, in seconds from the start of the run",
	"time_utc": "the same in UTC, of scenarios with an epoch",
	"of":       "what the row is of: client, edge or tier",
	"name":     "its name; of replicas with a name of their own tier@replica",
}

// measureDocs say what is measured. Rates are means over the window, of the real system.
var measureDocs = map[string]string{
	"requests_per_s":    "requests that users started",
	"ok_per_s":          "requests or attempts that ended well",
	"failed_per_s":      "requests that ended without a good answer",
	"timed_out_per_s":   "requests or attempts whose caller stopped waiting",
	"blocked_per_s":     "requests or attempts stopped by a rule of an operator",
	"slow_per_s":        "requests answered well, but later than the client calls good",
	"failed_share":      "requests that failed, as a share of those that started",
	"calls_per_s":       "calls of the tier behind, each of one attempt or more",
	"attempts_per_s":    "attempts sent",
	"retries_per_s":     "attempts that repeat one",
	"hedges_per_s":      "attempts sent beside one that still runs",
	"connects_per_s":    "connections opened, where attempts need one",
	"retransmits_per_s": "requests that got lost on their way and were sent again, unseen by policies",
	"error_per_s":       "attempts answered with an error",
	"rejected_per_s":    "attempts turned away by the callee",
	"refused_per_s":     "attempts that a policy of the caller did not let go; they were never sent",
	"dropped_per_s":     "attempts lost without an answer",
	"late_per_s":        "answers that came when their caller had stopped waiting",
	"amplification":     "attempts for each request of the clients that can reach the edge",
	"attempts_per_call": "attempts for each call of this edge",
	"arrivals_per_s":    "attempts that arrived",
	"admitted_per_s":    "attempts let in",
	"completed_per_s":   "attempts whose work was done",
	"wasted_per_s":      "attempts whose work was done for nobody",
	"utilization":       "share of the slots that are taken",
	"busy":              "slots taken",
	"slots":             "slots there are",
	"in_line":           "attempts waiting for a slot",
	"in_system":         "attempts admitted and not yet answered",
	"up_share":          "share of the replicas that are up",
}

// DataColumns are the columns of windows.csv, in their order.
func DataColumns() []DataColumn {
	var out []DataColumn
	for _, k := range csvKeys {
		out = append(out, DataColumn{Name: k, Doc: keyDocs[k]})
	}
	for _, m := range csvColumns() {
		c := DataColumn{Name: m, Doc: measureDocs[m]}
		for _, of := range []struct {
			name string
			has  []string
		}{{"client", clientMeasures}, {"edge", edgeMeasures}, {"tier", tierMeasures}} {
			if slices.Contains(of.has, m) {
				c.Of = append(c.Of, of.name)
			}
		}
		out = append(out, c)
	}
	return out
}
