package kernel

import "cascadesim/sim"

// scalerState is what an autoscaler remembers.
type scalerState struct {
	before  []gaugeSums // of the metric's replicas at the last look
	pending [][]int     // decisions on the way, oldest first; each by replica, or one
	wishes  []wish      // of the last DownWindow
	pods    *podsState  // of an HPA
}

type wish struct {
	at   sim.Time
	want []int
}

func (w *world) initScaler(i int, end sim.Time) {
	s := &w.p.Scalers[i]
	if s.HPA != nil {
		w.scalers[i].pods = w.initPods(s)
	}
	w.scalers[i].before = make([]gaugeSums, w.p.Tiers[s.Metric].Count)
	if s.Every < end {
		w.en.At(s.Every, evScale, uint32(i))
	}
}

// onScale looks at the gauge over the time since the last look, and decides.
func (w *world) onScale(id uint32) {
	s, st := &w.p.Scalers[id], &w.scalers[id]
	if s.HPA != nil {
		w.onPods(id)
		return
	}
	metric := &w.p.Tiers[s.Metric]
	w.accrueTier(&w.tiers[s.Metric])
	members := 1
	if s.PerReplica {
		members = w.p.Tiers[s.Tier].Count
	}
	want := make([]int, members)
	for m := range want {
		first, count := metric.First, w.tiers[s.Metric].active
		if s.PerReplica {
			first, count = metric.First+m, 1
		}
		want[m] = s.wanted(w.current(s, m), w.gauge(s, st, first, count))
	}
	for k := range st.before {
		st.before[k] = w.replicas[metric.First+k].total(w.now)
	}
	w.settleWish(s, st, want)
	st.pending = append(st.pending, want)
	now := w.now
	if s.Delay == 0 {
		w.onScaled(id)
	} else {
		w.atMost(now+s.Delay, evScaled, id)
	}
	w.atMost(now+s.Every, evScale, id)
}

// atMost schedules what may be due after the clock's last instant, and then never is.
func (w *world) atMost(t sim.Time, k sim.Kind, id uint32) {
	if t <= sim.MaxTime {
		w.en.At(t, k, id)
	}
}

// current is what is in force before the timeline's layers: slots of member m, or replicas.
func (w *world) current(s *Scaler, m int) int {
	return int(w.params[w.scaled(s, m)].base)
}

// scaled is the param that a scaler moves for member m.
func (w *world) scaled(s *Scaler, m int) int {
	if s.Slots {
		return w.p.Replicas[w.p.Tiers[s.Tier].First+m].Slots
	}
	return w.p.Tiers[s.Tier].Active
}

// wanted is the Kubernetes rule: ceil(current x gauge/target), unless it is within the tolerance.
func (s *Scaler) wanted(current int, gauge float64) int {
	ratio := gauge / s.Target
	want := current
	if ratio < 1-s.Tolerance || ratio > 1+s.Tolerance {
		want = int(ceil(float64(float64(current)*ratio) - 1e-9))
	}
	return min(max(want, s.Min), s.Max)
}

// settleWish keeps a scaler from going below the highest wish of its down window.
func (w *world) settleWish(s *Scaler, st *scalerState, want []int) {
	now := w.now
	st.wishes = append(st.wishes, wish{now, append([]int(nil), want...)})
	for st.wishes[0].at < now-s.DownWindow {
		st.wishes = st.wishes[1:]
	}
	for m := range want {
		if want[m] >= w.current(s, m) {
			continue
		}
		highest := want[m]
		for _, old := range st.wishes {
			highest = max(highest, old.want[m])
		}
		want[m] = min(highest, w.current(s, m))
	}
}

// gauge is the average of a scaler's gauge over some replicas since its last look.
func (w *world) gauge(s *Scaler, st *scalerState, first, count int) float64 {
	var sum gaugeSums
	base := w.p.Tiers[s.Metric].First
	for r := first; r < first+count; r++ {
		now := w.replicas[r].total(w.now)
		sum.addDiff(&now, &st.before[r-base])
	}
	return sum.average(s.Gauge, float64(s.Every)*float64(max(1, count)))
}

// average is a gauge's average over a time in which it has these integrals.
func (sum *gaugeSums) average(g Gauge, over float64) float64 {
	switch g {
	case GaugeUtilization:
		if sum.slots == 0 {
			return 0
		}
		return sum.busy / sum.slots
	case GaugeBusy:
		return sum.busy / over
	case GaugeInLine:
		return sum.inLine / over
	case GaugeInSystem:
		return sum.inSystem / over
	case GaugeSlots:
		return sum.slots / over
	}
	panic("kernel: no such gauge")
}

// onScaled puts a scaler's oldest decision in force.
func (w *world) onScaled(id uint32) {
	s, st := &w.p.Scalers[id], &w.scalers[id]
	if s.HPA != nil {
		w.settlePods(s, st.pods)
		return
	}
	want := st.pending[0]
	st.pending = st.pending[1:]
	for m := range want {
		w.adjust(s, m, want[m])
		if s.Slots && !s.PerReplica {
			for k := 1; k < w.p.Tiers[s.Tier].Count; k++ {
				w.adjust(s, k, want[m])
			}
		}
	}
}

func (w *world) adjust(s *Scaler, m, want int) { w.rebase(w.scaled(s, m), want) }

// rebase gives a count another base.
func (w *world) rebase(i, want int) {
	if int(w.params[i].base) == want {
		return
	}
	w.params[i].base = float64(want)
	if w.tracer != nil {
		w.traceText(w.p.Params[i].Path)
	}
	w.apply(i)
}
