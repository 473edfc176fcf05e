package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"cascadesim/model"
	"cascadesim/model/check"
)

// The measures of windows.csv by what they are of. A measure that several kinds have is one
// column.
var (
	clientMeasures = []string{
		"requests_per_s", "ok_per_s", "failed_per_s", "timed_out_per_s", "blocked_per_s",
		"slow_per_s", "failed_share",
	}
	edgeMeasures = []string{
		"calls_per_s", "attempts_per_s", "retries_per_s", "hedges_per_s", "connects_per_s",
		"retransmits_per_s", "ok_per_s", "error_per_s", "rejected_per_s", "timed_out_per_s",
		"refused_per_s", "blocked_per_s", "dropped_per_s", "late_per_s", "amplification",
		"attempts_per_call",
	}
	tierMeasures = []string{
		"arrivals_per_s", "admitted_per_s", "completed_per_s", "rejected_per_s", "dropped_per_s",
		"wasted_per_s", "utilization", "busy", "slots", "in_line", "in_system", "up_share",
	}
)

// csvKeys are the columns that say what a row is about.
var csvKeys = []string{"seed", "time_s", "time_utc", "of", "name"}

// csvColumns are all measures, each once, in the order in which they are first named.
func csvColumns() []string {
	var out []string
	seen := map[string]bool{}
	for _, list := range [][]string{clientMeasures, edgeMeasures, tierMeasures} {
		for _, m := range list {
			if !seen[m] {
				seen[m] = true
				out = append(out, m)
			}
		}
	}
	return out
}

// WriteCSV writes one row for each window and client, edge and tier (and named replica), by
// replication. Values are those of the real system, divided by the scale; a value that does not
// exist, or that its kind does not have, is empty. The time is the start of the window.
func WriteCSV(w io.Writer, plan *model.Plan, runs []*model.Result) error {
	out := csv.NewWriter(w)
	columns := csvColumns()
	if err := out.Write(append(append([]string{}, csvKeys...), columns...)); err != nil {
		return err
	}
	at := map[string]int{}
	for i, c := range columns {
		at[c] = len(csvKeys) + i
	}
	for _, r := range runs {
		if err := writeRun(out, plan, r, at); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func writeRun(out *csv.Writer, plan *model.Plan, r *model.Result, at map[string]int) error {
	for _, g := range groupsOf(plan) {
		if err := g.write(out, plan, r, at); err != nil {
			return err
		}
	}
	return nil
}

// groupsOf are the clients, edges and tiers of a plan with what is written of each.
func groupsOf(plan *model.Plan) []group {
	var groups []group
	for _, c := range plan.World.Clients {
		groups = append(groups, group{"client", c.Name, "clients.", clientMeasures})
	}
	for _, e := range plan.World.Edges {
		groups = append(groups, group{"edge", e.Name, "edges.", edgeMeasures})
	}
	for _, name := range Places(plan) {
		groups = append(groups, group{"tier", name, "tiers.", tierMeasures})
	}
	return groups
}

// group is what rows of one name hold.
type group struct {
	of, name, prefix string
	measures         []string
}

// series are the measures of a group by windows.
func (g group) series(plan *model.Plan, r *model.Result) (all [][]float64, windows int, err error) {
	all = make([][]float64, len(g.measures))
	for i, m := range g.measures {
		if all[i], err = check.Series(plan, r, g.prefix+g.name+"."+m, 0); err != nil {
			return nil, 0, fmt.Errorf("windows: %w", err)
		}
		windows = len(all[i])
	}
	return all, windows, nil
}

func (g group) write(out *csv.Writer, plan *model.Plan, r *model.Result, at map[string]int) error {
	series, windows, err := g.series(plan, r)
	if err != nil {
		return err
	}
	row := make([]string, len(csvKeys)+len(at))
	for w := range windows {
		clear(row)
		start := time.Duration(w) * time.Duration(r.Window)
		row[0] = strconv.FormatUint(r.Seed, 10)
		row[1] = strconv.FormatFloat(start.Seconds(), 'f', -1, 64)
		if epoch := plan.Scenario.Epoch; !epoch.IsZero() {
			row[2] = epoch.Add(start).UTC().Format(time.RFC3339Nano)
		}
		row[3], row[4] = g.of, g.name
		for i, m := range g.measures {
			if v := series[i][w]; !math.IsNaN(v) {
				row[at[m]] = strconv.FormatFloat(v, 'g', 9, 64)
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}
