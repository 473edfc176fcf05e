package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// podsState is what an HPA remembers of its pods.
type podsState struct {
	hpa     *policies.HPA
	since   []sim.Time    // by pod that is asked for: when it is active, never falling
	before  [][]gaugeSums // by metric's part, in order, and pod: at the last look
	samples []podSample   // of the last looks, oldest first
	metrics []policies.HPAMetric
}

// podSample is what each pod used of each metric, in thousandths.
type podSample struct {
	at    sim.Time
	usage [][]int64 // by metric and pod
}

// longSince is when pods began that are there at the start: before any period of a controller.
const longSince = -sim.MaxTime

func (w *world) initPods(s *Scaler) *podsState {
	h := s.HPA
	st := &podsState{hpa: policies.NewHPA(h.Settings)}
	for range w.count(w.p.Tiers[s.Tier].Active) {
		st.since = append(st.since, longSince)
	}
	for i := range h.Metrics {
		m := &h.Metrics[i]
		st.metrics = append(st.metrics, policies.HPAMetric{
			Target: m.Target, Average: m.Average, CPU: m.CPU,
		})
		for k := range m.Of {
			st.before = append(st.before, make([]gaugeSums, w.p.Tiers[m.Of[k].Tier].Count))
		}
	}
	return st
}

// onPods takes a sample, decides by an older one and puts the decision in force.
func (w *world) onPods(id uint32) {
	s := &w.p.Scalers[id]
	st := w.scalers[id].pods
	st.samples = append(st.samples, w.samplePods(s, st))
	if len(st.samples) > s.HPA.Behind+1 {
		st.samples = st.samples[1:]
	}
	w.tellPods(s, st)
	now, asked := w.now, len(st.since)
	want := st.hpa.Decide(now, asked, st.metrics)
	for len(st.since) < want {
		st.since = append(st.since, now+s.Delay)
	}
	st.since = st.since[:want]
	w.settlePods(s, st)
	if want > asked && s.Delay > 0 {
		w.atMost(now+s.Delay, evScaled, id)
	}
	w.atMost(now+s.Every, evScale, id)
}

// settlePods puts in force how many of the pods that are asked for have begun.
func (w *world) settlePods(s *Scaler, st *podsState) {
	n := 0
	for n < len(st.since) && st.since[n] <= w.now {
		n++
	}
	for _, t := range s.HPA.Tiers {
		w.rebase(w.p.Tiers[t].Active, n)
	}
}

func (w *world) samplePods(s *Scaler, st *podsState) podSample {
	for _, t := range s.HPA.Tiers {
		w.accrueTier(&w.tiers[t])
	}
	sample := podSample{at: w.now}
	before := st.before
	for i := range s.HPA.Metrics {
		m := &s.HPA.Metrics[i]
		usage := make([]int64, w.p.Tiers[s.Tier].Count)
		for k := range m.Of {
			for pod := range usage {
				usage[pod] += w.samplePart(&m.Of[k], pod, &before[k][pod], s.Every)
			}
		}
		before = before[len(m.Of):]
		sample.usage = append(sample.usage, usage)
	}
	return sample
}

// samplePart is what one container used since the last look.
func (w *world) samplePart(p *HPAPart, pod int, before *gaugeSums, over sim.Time) int64 {
	now := w.replicas[w.p.Tiers[p.Tier].First+pod].total(w.now)
	var sum gaugeSums
	sum.addDiff(&now, before)
	*before = now
	return ceilThousandth(float64(sum.average(p.Gauge, float64(over)) * p.Unit))
}

// ceilThousandth rounds as a chain of metrics does: processors are counted in billionths, and the
// controller reads them in thousandths, rounded up. The first step also takes away what sums of
// floats are off by.
func ceilThousandth(x float64) int64 {
	const part = 1e6
	return (int64(floor(float64(x*part)+0.5)) + part - 1) / part
}

// tellPods makes what the decision is told of each pod that is asked for.
func (w *world) tellPods(s *Scaler, st *podsState) {
	var sample *podSample
	if len(st.samples) > s.HPA.Behind {
		sample = &st.samples[0]
	}
	for i := range st.metrics {
		m := &st.metrics[i]
		request := int64(0)
		for k := range s.HPA.Metrics[i].Of {
			request += s.HPA.Metrics[i].Of[k].Request
		}
		m.Pods = m.Pods[:0]
		for number, since := range st.since {
			pod := w.pod(s.HPA, number, since)
			pod.Request, pod.Window = request, s.Every
			if sample == nil || sample.at <= since {
				pod.Missing = true
			} else {
				pod.Usage, pod.Sampled = sample.usage[i][number], sample.at
			}
			m.Pods = append(m.Pods, pod)
		}
	}
}

// pod is how a pod does, whatever is measured.
func (w *world) pod(h *HPA, number int, since sim.Time) policies.HPAPod {
	pod := policies.HPAPod{Ready: true, Started: since, Since: since}
	for _, t := range h.Tiers {
		r := &w.replicas[w.p.Tiers[t].First+number]
		pod.Pending = pod.Pending || !r.active()
		pod.Ready = pod.Ready && !r.paused
		pod.Since = max(pod.Since, r.turned)
	}
	return pod
}
