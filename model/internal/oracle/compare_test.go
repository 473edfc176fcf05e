package oracle

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// TestKernelAgrees runs random plans through the kernel and the oracle, which share no code. The
// environment says how many: CASCADESIM_SIZE=all runs very many, CASCADESIM_PLAN=17 one alone and
// CASCADESIM_PLAN=17-99 a range. A plan that differs is shown with the first record that does.
func TestKernelAgrees(t *testing.T) {
	first, last := uint64(1), uint64(300)
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		last = 20000
	}
	if asked := os.Getenv("CASCADESIM_PLAN"); asked != "" {
		first, last = plans(t, asked)
	}
	for _, kind := range []struct {
		name string
		plan func(k uint64) *kernel.Plan
	}{{"plan", planOf}, {"pods", podsOf}} {
		failures := 0
		for k := first; k <= last; k++ {
			if diff := compare(kind.plan(k), k); diff != "" {
				t.Errorf("%s %d: %s\nagain: CASCADESIM_PLAN=%d go test ./model/internal/oracle "+
					"-run TestKernelAgrees\n%s", kind.name, k, diff, k, firstDivergence(kind.plan, k))
				if failures++; failures == 5 {
					t.Fatal("five plans are enough")
				}
			}
		}
	}
}

// plans reads "17" or "17-99".
func plans(t *testing.T, asked string) (first, last uint64) {
	from, to, several := strings.Cut(asked, "-")
	if !several {
		to = from
	}
	first, err := strconv.ParseUint(from, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if last, err = strconv.ParseUint(to, 10, 64); err != nil {
		t.Fatal(err)
	}
	return first, last
}

func planOf(k uint64) *kernel.Plan {
	r := sim.Seed(k).Stream("plan")
	return RandomPlan(&r)
}

func podsOf(k uint64) *kernel.Plan {
	r := sim.Seed(k).Stream("pods")
	return RandomPods(&r)
}

// compare runs plan k on both sides; empty when they agree.
func compare(p *kernel.Plan, k uint64) (diff string) {
	defer func() {
		if p := recover(); p != nil {
			diff = fmt.Sprintf("panic: %v", p)
		}
	}()
	want := Run(p, k, nil)
	got, err := kernel.Run(context.Background(), p, k, kernel.Options{Plain: k%4 == 0})
	if err != nil {
		return err.Error()
	}
	return different(p, got, want)
}

// different says in what two results differ first.
func different(p *kernel.Plan, got, want *kernel.Result) string {
	if d := got.Fingerprint.Diff(want.Fingerprint); d != "" {
		return "fingerprints differ in " + d
	}
	if got.Ended != want.Ended || got.Totals.InFlight != want.Totals.InFlight {
		return fmt.Sprintf("kernel ended at %d with %d in flight, oracle at %d with %d",
			got.Ended, got.Totals.InFlight, want.Ended, want.Totals.InFlight)
	}
	if got.Totals.Work != want.Totals.Work || got.Totals.Wasted != want.Totals.Wasted {
		return fmt.Sprintf("work %d of which wasted %d in the kernel, %d and %d in the oracle",
			got.Totals.Work, got.Totals.Wasted, want.Totals.Work, want.Totals.Wasted)
	}
	for i := range p.Clients {
		if d := differentCells(got.Clients[i].Cells, want.Clients[i].Cells, 1); d != "" {
			return "client " + p.Clients[i].Name + d
		}
		if d := differentTimes(&got.Clients[i].Latency, &want.Clients[i].Latency); d != "" {
			return "client " + p.Clients[i].Name + " latency" + d
		}
		if d := differentSeries(got.Clients[i].Series, want.Clients[i].Series); d != "" {
			return "client " + p.Clients[i].Name + " latency" + d
		}
	}
	for i := range p.Edges {
		if d := differentEdges(len(p.Clients), &got.Edges[i], &want.Edges[i]); d != "" {
			return "edge " + p.Edges[i].Name + d
		}
	}
	for i := range p.Replicas {
		rows := len(p.Clients) * len(p.Tiers[p.Replicas[i].Tier].Endpoints)
		if d := differentReplicas(rows, &got.Replicas[i], &want.Replicas[i]); d != "" {
			return "replica " + p.Replicas[i].Name + d
		}
	}
	if !slices.EqualFunc(got.Stages, want.Stages, sameStay) {
		return fmt.Sprintf("controls move %v, not %v", got.Stages, want.Stages)
	}
	for i := range p.Triggers {
		if got.Fired[i] != want.Fired[i] {
			return fmt.Sprintf("trigger %d fired at %d, not at %d", i, got.Fired[i], want.Fired[i])
		}
	}
	return ""
}

// sameStay compares what controls did. Values add up in another order on each side.
func sameStay(a, b kernel.StageMark) bool {
	near := math.Abs(a.Value-b.Value) <= 1e-9*math.Abs(a.Value)
	if near || math.IsNaN(a.Value) && math.IsNaN(b.Value) {
		a.Value, b.Value = 0, 0
	}
	return a == b
}

func differentEdges(rows int, got, want *kernel.EdgeSeries) string {
	if d := differentCells(got.Cells, want.Cells, rows); d != "" {
		return d
	}
	if got.Again != want.Again || got.Wasted != want.Wasted {
		return fmt.Sprintf(" retried after %v and wasted %d, not %v and %d", got.Again, got.Wasted,
			want.Again, want.Wasted)
	}
	for i := range want.RefusedBy {
		if d := differentCells(got.RefusedBy[i], want.RefusedBy[i], 1); d != "" {
			return fmt.Sprintf(" refused by %d%s", i, d)
		}
		if got.LowAt[i] != want.LowAt[i] {
			return fmt.Sprintf(" is low at %d, not %d, by %d", got.LowAt[i], want.LowAt[i], i)
		}
	}
	if d := differentCells(got.Probes, want.Probes, 1); d != "" {
		return " probes" + d
	}
	if d := differentTimes(&got.Latency, &want.Latency); d != "" {
		return " latency" + d
	}
	if d := differentSeries(got.Series, want.Series); d != "" {
		return " latency" + d
	}
	for i := range want.Level {
		for name, series := range map[string][2][]float32{
			"level": {got.Level[i], want.Level[i]}, "open": {got.Open[i], want.Open[i]},
			"half open": {got.HalfOpen[i], want.HalfOpen[i]},
		} {
			reached := series[1][:min(len(series[1]), len(series[0]))]
			if d := differentCells(series[0], reached, 1); d != "" {
				return fmt.Sprintf(" %s of %d%s", name, i, d)
			}
		}
	}
	return ""
}

func differentSeries(got, want []stats.Histogram) string {
	for i := range want {
		if want[i].Count() == 0 && i >= len(got) {
			continue
		}
		if d := differentTimes(&got[i], &want[i]); d != "" {
			return fmt.Sprintf(" window %d%s", i, d)
		}
	}
	return ""
}

func differentReplicas(rows int, got, want *kernel.ReplicaSeries) string {
	if d := differentCells(got.Cells, want.Cells, rows); d != "" {
		return d
	}
	for i := range want.Gauges {
		w := want.Gauges[i]
		if w.Span == 0 {
			continue
		}
		if i >= len(got.Gauges) || !sameGauges(got.Gauges[i], w) {
			return fmt.Sprintf(" window %d: kernel %+v\noracle %+v", i, got.Gauges[i], w)
		}
	}
	if d := differentTimes(&got.Wait, &want.Wait); d != "" {
		return " wait" + d
	}
	if d := differentTimes(&got.Service, &want.Service); d != "" {
		return " service" + d
	}
	if d := differentSeries(got.WaitSeries, want.WaitSeries); d != "" {
		return " wait" + d
	}
	if d := differentSeries(got.ServiceSeries, want.ServiceSeries); d != "" {
		return " service" + d
	}
	if got.AtEnd != want.AtEnd {
		return fmt.Sprintf(" at the end: kernel %+v\noracle %+v", got.AtEnd, want.AtEnd)
	}
	return ""
}

func sameGauges(a, b kernel.GaugeCell) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(y) }
	return near(a.Busy, b.Busy) && near(a.InLine, b.InLine) && near(a.InSystem, b.InSystem) &&
		near(a.Slots, b.Slots) && near(a.Up, b.Up) && a.Span == b.Span &&
		a.AtBusy == b.AtBusy && a.AtInLine == b.AtInLine && a.AtInSystem == b.AtInSystem &&
		a.AtSlots == b.AtSlots && a.AtUp == b.AtUp && a.Crashes == b.Crashes
}

// differentCells compares tables whose numbers of windows may differ: what lacks is zero.
func differentCells[C comparable](got, want []C, rows int) string {
	var zero C
	n, m := len(got)/rows, len(want)/rows
	for row := range rows {
		for i := range max(n, m) {
			g, w := zero, zero
			if i < n {
				g = got[row*n+i]
			}
			if i < m {
				w = want[row*m+i]
			}
			if g != w {
				return fmt.Sprintf(" row %d window %d: kernel %+v\noracle %+v", row, i, g, w)
			}
		}
	}
	return ""
}

func differentTimes(got, want *stats.Histogram) string {
	if got.Count() != want.Count() || got.Sum() != want.Sum() ||
		got.Min() != want.Min() || got.Max() != want.Max() {
		return fmt.Sprintf(": kernel n=%d sum=%v, oracle n=%d sum=%v",
			got.Count(), got.Sum(), want.Count(), want.Sum())
	}
	return ""
}

// essential leaves out what one side may tell in other words.
func (t tape) essential() tape {
	var kept tape
	for _, r := range t {
		if r.What == kernel.TraceEnd {
			r.N = 0
		}
		switch r.What {
		case kernel.TraceRequest, kernel.TraceSend, kernel.TraceRefused, kernel.TraceArrive,
			kernel.TraceSettle, kernel.TraceLate, kernel.TraceEnd:
			kept = append(kept, r)
		}
	}
	return kept
}

// firstDivergence shows the traces up to the first record in which they differ.
func firstDivergence(plan func(uint64) *kernel.Plan, k uint64) string {
	p := plan(k)
	var got, want tape
	func() {
		defer func() { _ = recover() }()
		Run(p, k, &want)
	}()
	func() {
		defer func() { _ = recover() }()
		_, _ = kernel.Run(context.Background(), p, k, kernel.Options{Tracer: &got})
	}()
	got, want = got.essential(), want.essential()
	for i := range max(len(got), len(want)) {
		g, w := record(got, i), record(want, i)
		if g == w {
			continue
		}
		text := fmt.Sprintf("record %d of %d and %d:\n", i, len(got), len(want))
		for j := max(0, i-6); j < i; j++ {
			text += "        " + record(want, j) + "\n"
		}
		for j := i; j < i+4; j++ {
			text += "kernel: " + record(got, j) + "\n"
		}
		for j := i; j < i+4; j++ {
			text += "oracle: " + record(want, j) + "\n"
		}
		return text
	}
	return "the traces agree"
}

func record(t tape, i int) string {
	if i >= len(t) {
		return "the end"
	}
	r := t[i]
	class := ""
	if r.Class != policies.Pending && r.What != kernel.TraceRefused {
		class = fmt.Sprintf(" %v/%d", r.Class, r.Status)
	}
	return fmt.Sprintf("%d %s client %d request %04x attempt %04x n %d%s",
		r.At, r.What, r.Client, r.Request&0xffff, r.Attempt&0xffff, r.N, class)
}
