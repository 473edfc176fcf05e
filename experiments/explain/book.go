package explain

import (
	"fmt"
	"math"
	"time"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// mostBins is into how many bins a run is divided at most.
const mostBins = 600

// book reads series of one replication.
type book struct {
	plan *model.Plan
	w    *model.World
	r    *model.Result
	bin  sim.Time
	n    int // bins
	told []Outage
	kept map[string][]float64

	tiers [][]int // by edge
}

func newBook(plan *model.Plan, r *model.Result) *book {
	windows := int(plan.World.End / r.Window)
	together := max((windows+mostBins-1)/mostBins, 1)
	return &book{plan: plan, w: plan.World, r: r, bin: r.Window * sim.Time(together),
		n: windows / together, kept: map[string][]float64{}}
}

// series is a measure by bins; NaN where it does not exist. A measure that the world lacks is a
// mistake in this package.
func (b *book) series(measure string) []float64 {
	if s, ok := b.kept[measure]; ok {
		return s
	}
	s, err := check.Series(b.plan, b.r, measure, b.bin)
	if err != nil {
		panic(fmt.Sprintf("explain: %s: %v", measure, err))
	}
	for len(s) < b.n {
		s = append(s, math.NaN())
	}
	b.kept[measure] = s[:b.n]
	return s[:b.n]
}

func (b *book) time(i int) sim.Time { return sim.Time(i) * b.bin }

// bins is the first and last bin of a stretch of time.
func (b *book) bins(from, to sim.Time) (int, int) {
	return min(int(from/b.bin), b.n), min(int((to+b.bin-1)/b.bin), b.n)
}

// stretch is bins from first up to, not including, end.
type stretch struct{ first, end int }

func (s stretch) length() int { return s.end - s.first }

// stretches are the runs of bins that hold, at least so long. Gaps of up to gap bins are closed.
func stretches(n, least, gap int, holds func(i int) bool) []stretch {
	var out []stretch
	for i := 0; i < n; i++ {
		if !holds(i) {
			continue
		}
		if k := len(out) - 1; k >= 0 && i-out[k].end <= gap {
			out[k].end = i + 1
			continue
		}
		out = append(out, stretch{i, i + 1})
	}
	var long []stretch
	for _, s := range out {
		if s.length() >= least {
			long = append(long, s)
		}
	}
	return long
}

// longest is the longest of some stretches; ok is false when there is none.
func longest(all []stretch) (best stretch, ok bool) {
	for _, s := range all {
		if s.length() > best.length() {
			best, ok = s, true
		}
	}
	return best, ok
}

// most is the largest value in a stretch and where it is.
func most(values []float64, s stretch) (float64, int) {
	best, at := math.NaN(), s.first
	for i := s.first; i < s.end; i++ {
		if !math.IsNaN(values[i]) && !(values[i] <= best) {
			best, at = values[i], i
		}
	}
	return best, at
}

// mean is the mean of what exists in a stretch.
func mean(values []float64, s stretch) float64 {
	sum, n := 0.0, 0
	for i := s.first; i < s.end; i++ {
		if !math.IsNaN(values[i]) {
			sum += values[i]
			n++
		}
	}
	return sum / float64(n)
}

// clock writes a time of the run.
func (b *book) clock(t sim.Time) string { return Clock(b.plan, t) }

// Clock writes a time of a plan's run: of the day where it has an epoch, else from the start.
func Clock(plan *model.Plan, t sim.Time) string {
	if e := plan.Scenario.Epoch; !e.IsZero() {
		at := e.UTC().Add(time.Duration(t))
		if at.Second() == 0 {
			return at.Format("15:04")
		}
		return at.Format("15:04:05")
	}
	whole := int64(t.Seconds())
	if whole >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
	}
	return fmt.Sprintf("%02d:%02d", whole/60, whole%60)
}

// lasting writes a length of time, to the second where it is longer than a minute.
func lasting(t sim.Time) string {
	if t > sim.Minute {
		t = (t + sim.Second/2) / sim.Second * sim.Second
	}
	return unit.FormatDuration(t)
}

// rate writes a rate with three figures.
func rate(x float64) string { return number(x) + "/s" }

// number writes x with three figures, and k or M where it is large.
func number(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 0):
		return "no limit"
	case a >= 999_500:
		return three(x/1e6) + "M"
	case a >= 9_995:
		return three(x/1e3) + "k"
	}
	return three(x)
}

func three(x float64) string {
	if a := math.Abs(x); a >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// share writes a share in percent.
func share(x float64) string { return three(x*100) + "%" }

// seconds writes a number of seconds.
func seconds(x float64) string { return three(x) + " s" }
