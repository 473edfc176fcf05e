package figure

import (
	"fmt"
	"math"

	"cascadesim/experiments/report"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// mostBins is into how many bins the time is divided at most: a line has no more pixels than that.
const mostBins = 400

// reader reads series of one replication.
type reader struct {
	plan *model.Plan
	r    *model.Result
	bin  sim.Time
	n    int
	err  error
}

func newReader(plan *model.Plan, r *model.Result) *reader {
	windows := max(int(plan.World.End/r.Window), 1)
	together := max((windows+mostBins-1)/mostBins, 1)
	return &reader{plan: plan, r: r, bin: r.Window * sim.Time(together), n: windows / together}
}

// series is a measure by bins. The first error is kept.
func (rd *reader) series(measure string) []float64 {
	values, err := check.Series(rd.plan, rd.r, measure, rd.bin)
	if err != nil && rd.err == nil {
		rd.err = fmt.Errorf("series of %s: %w", measure, err)
	}
	for len(values) < rd.n {
		values = append(values, math.NaN())
	}
	return values[:rd.n]
}

// over is a measure over some bins; over all of them, the drain is counted too.
func (rd *reader) over(measure string, from, to int) float64 {
	rg := check.Range{From: sim.Time(from) * rd.bin, To: sim.Time(to) * rd.bin}
	if from == 0 && to == rd.n {
		rg = check.Range{To: rd.plan.World.End, Default: true}
	}
	v, err := check.Over(rd.plan, rd.r, measure, rg)
	if err != nil && rd.err == nil {
		rd.err = fmt.Errorf("%s: %w", measure, err)
	}
	return v
}

// failed is the share of a client's requests that failed, of those that ended.
func (rd *reader) failed(client string) []float64 {
	name := "clients." + client
	failed, ok := rd.series(name+".failed_per_s"), rd.series(name+".ok_per_s")
	all := rd.series(name + ".requests_per_s")
	for i := range failed {
		ended := failed[i] + ok[i]
		if failed[i] /= ended; !(ended >= all[i]/2) || ended == 0 {
			failed[i] = math.NaN()
		}
	}
	return failed
}

// worst is the bins in which most requests of some client failed, and the share in the worst of
// them: those around it with nearly as much. Without a failure it is the whole run.
func (rd *reader) worst() (from, to int, share float64) {
	var shares []float64
	at := 0
	for _, c := range rd.plan.World.Clients {
		values := rd.failed(c.Name)
		for i, v := range values {
			if v > share*1.0001 {
				share, at, shares = v, i, values
			}
		}
	}
	if shares == nil {
		return 0, rd.n, 0
	}
	bad := func(i int) bool { return !(shares[i] < nearly*share) }
	for from = at; from > 0 && bad(from-1); from-- {
	}
	for to = at + 1; to < rd.n && bad(to); to++ {
	}
	return from, to, share
}

// when says in words what worst found.
func (rd *reader) when(from, to int, share float64) string {
	if share == 0 {
		return fmt.Sprintf("From %s to %s, the whole run; no request failed.", rd.clock(from),
			rd.clock(to))
	}
	return fmt.Sprintf("From %s to %s, when most requests failed (%s of one client's).",
		rd.clock(from), rd.clock(to), report.Share.Format(share))
}

// nearly is the part of the worst share that is as bad.
const nearly = 0.8

// figure is what kinds over time begin with.
func (rd *reader) figure(kind, title string) Figure {
	return Figure{
		ID: "cascadesim-" + kind, Title: title,
		Clock:  report.Clock{Epoch: rd.plan.Scenario.Epoch},
		Length: (sim.Time(rd.n) * rd.bin).Seconds(),
		Spans:  report.WithStages(report.SpansOf(rd.plan, rd.r), rd.plan, rd.r),
	}
}

// name is the scenario as titles write it.
func (rd *reader) name() string { return rd.plan.Topology.Name }

// clock writes the start of a bin.
func (rd *reader) clock(i int) string {
	return report.Clock{Epoch: rd.plan.Scenario.Epoch}.Format((sim.Time(i) * rd.bin).Seconds())
}

// busiest keeps the lines with the largest values, at most n, in their order.
func busiest(lines []Line, n int) []Line {
	var out []Line
	for _, l := range lines {
		if !(top(l) > 0) {
			continue
		}
		larger := 0
		for _, o := range lines {
			if top(o) > top(l) {
				larger++
			}
		}
		if larger < n && len(out) < n {
			out = append(out, l)
		}
	}
	return out
}

// coloured gives lines of one name one colour in all panels.
func coloured(panels ...*Panel) {
	known := map[string]int{}
	for _, p := range panels {
		for i := range p.Lines {
			l := &p.Lines[i]
			if _, ok := known[l.Name]; !ok {
				known[l.Name] = len(known)
			}
			l.Color = known[l.Name]
		}
	}
}

func top(l Line) float64 { return peak([]Line{l}) }

// at is where a line has its largest value.
func at(values []float64) (best float64, bin int) {
	for i, v := range values {
		if v > best && !math.IsInf(v, 0) {
			best, bin = v, i
		}
	}
	return best, bin
}
