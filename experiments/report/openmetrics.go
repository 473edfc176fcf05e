package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"cascadesim/model"
)

// noEpoch is when runs start whose scenario does not say when, so that samples have a time that
// stores of time series accept.
var noEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// beginning is when the run of a plan starts.
func beginning(plan *model.Plan) time.Time {
	if epoch := plan.Scenario.Epoch; !epoch.IsZero() {
		return epoch.UTC()
	}
	return noEpoch
}

// WriteOpenMetrics writes what windows.csv holds as OpenMetrics text with times, for Prometheus and
// its like. What is counted is a counter, whose rate is the one of the window; what is measured is
// a gauge with the mean of the window. Each sample stands at the end of its window.
func WriteOpenMetrics(w io.Writer, plan *model.Plan, runs []*model.Result) error {
	out := bufio.NewWriter(w)
	groups := groupsOf(plan)
	for _, of := range []struct {
		name     string
		measures []string
	}{{"client", clientMeasures}, {"edge", edgeMeasures}, {"tier", tierMeasures}} {
		for i, m := range of.measures {
			f := newFamily(of.name, m)
			f.head(out)
			for _, r := range runs {
				for _, g := range groups {
					if g.of != of.name {
						continue
					}
					one := group{g.of, g.name, g.prefix, of.measures[i : i+1]}
					if err := f.samples(out, one, plan, r); err != nil {
						return err
					}
				}
			}
		}
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

// family is a metric of all names of one kind.
type family struct {
	name, of, doc string
	counter       bool
}

func newFamily(of, measure string) family {
	base, counter := strings.CutSuffix(measure, "_per_s")
	return family{name: "cascadesim_" + of + "_" + base, of: of, doc: measureDocs[measure],
		counter: counter}
}

func (f family) head(out *bufio.Writer) {
	kind := "gauge"
	if f.counter {
		kind = "counter"
	}
	fmt.Fprintf(out, "# TYPE %s %s\n# HELP %s %s\n", f.name, kind, f.name, f.doc)
}

// samples writes one name of one replication. A counter begins with 0 at the start of the run; a
// window in which a gauge has no value has no sample.
func (f family) samples(out *bufio.Writer, g group, plan *model.Plan, r *model.Result) error {
	series, windows, err := g.series(plan, r)
	if err != nil {
		return err
	}
	epoch := beginning(plan)
	labels := fmt.Sprintf(`{%s="%s",seed="%d"}`, f.of, labelled(g.name), r.Seed)
	name, total := f.name, 0.0
	if f.counter {
		name += "_total"
		fmt.Fprintf(out, "%s%s 0 %s\n", name, labels, unixTime(epoch))
	}
	for i := range windows {
		v := series[0][i]
		if f.counter {
			if !math.IsNaN(v) {
				total += float64(v * r.Window.Seconds())
			}
			v = total
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		end := epoch.Add(time.Duration(i+1) * time.Duration(r.Window))
		value := strconv.FormatFloat(v, 'g', 9, 64)
		fmt.Fprintf(out, "%s%s %s %s\n", name, labels, value, unixTime(end))
	}
	return nil
}

// unixTime writes an instant in seconds.
func unixTime(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', -1, 64)
}

// labelled escapes what would end a label.
func labelled(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(Visible(s))
}
