package policies

import (
	"math"

	"cascadesim/sim"
)

// HPAMetric is one metric of an autoscaler, as its pods report it.
type HPAMetric struct {
	// Target is a percentage of what the pods request, or with Average a value for each pod in the
	// unit of Usage.
	Target  int
	Average bool
	CPU     bool // readiness decides whether a pod's sample counts, as it does for processors only
	Broken  bool // the metric cannot be read at all
	Pods    []HPAPod
}

// HPAPod is one pod. A Resource metric's Usage and Request are the sums over all its containers,
// the sidecar included; a ContainerResource metric's are those of one container.
type HPAPod struct {
	Usage, Request int64    // thousandths
	Missing        bool     // it reported nothing
	Pending        bool     // it does not run yet
	Gone           bool     // it has failed or is being deleted: it counts for nothing
	Ready          bool     // its readiness
	Since          sim.Time // when that changed last
	Started        sim.Time
	Sampled        sim.Time // when its sample was taken
	Window         sim.Time // over how long that was measured
}

// hpaGroup is how a pod counts.
type hpaGroup uint8

const (
	hpaCounts  hpaGroup = iota
	hpaUnready          // set aside; when the rest would scale up it counts with no usage
	hpaMissing          // counts so as to make the change smaller
	hpaIgnored
)

func (p *HPAPod) group(now sim.Time, cpu bool, s *HPASettings) hpaGroup {
	switch {
	case p.Gone:
		return hpaIgnored
	case p.Pending:
		return hpaUnready
	case p.Missing:
		return hpaMissing
	case !cpu:
		return hpaCounts
	}
	unready := !p.Ready && p.Started+s.InitialReadiness > p.Since // it has never been ready
	if p.Started+s.CPUInitialization > now {
		unready = !p.Ready || p.Sampled < p.Since+p.Window
	}
	if unready {
		return hpaUnready
	}
	return hpaCounts
}

// hpaSum adds up what pods use.
type hpaSum struct {
	usage, request int64
	pods           int
}

func (x *hpaSum) add(usage, request int64) {
	x.usage += usage
	x.request += request
	x.pods++
}

// ratio is usage over target. Both kinds of target round it down to whole numbers first.
func (m *HPAMetric) ratio(x hpaSum) (ratio float64, ok bool) {
	switch {
	case x.pods == 0 || !m.Average && x.request == 0:
		return 0, false
	case m.Average:
		return float64(x.usage/int64(x.pods)) / float64(m.Target), true
	}
	return float64(x.usage*100/x.request) / float64(m.Target), true
}

// replicas is how many the metric asks for; false when it cannot tell.
func (m *HPAMetric) replicas(now sim.Time, current int, s *HPASettings) (int, bool) {
	var counted, unready, missing hpaSum
	for i := range m.Pods {
		switch p := &m.Pods[i]; p.group(now, m.CPU, s) {
		case hpaCounts:
			counted.add(p.Usage, p.Request)
		case hpaUnready:
			unready.add(0, p.Request)
		case hpaMissing:
			missing.add(m.assumed(p.Request), p.Request)
		case hpaIgnored:
		}
	}
	ratio, ok := m.ratio(counted)
	if m.Broken || !ok {
		return 0, false
	}
	if missing.pods == 0 && (unready.pods == 0 || ratio <= 1) {
		if s.Tolerance.within(ratio) {
			return current, true
		}
		return int(math.Ceil(ratio * float64(counted.pods))), true
	}
	return m.again(current, s, ratio, withSetAside(counted, unready, missing, ratio)), true
}

// assumed is what a pod without a metric is taken to use when the others would scale down.
func (m *HPAMetric) assumed(request int64) int64 {
	if m.Average {
		return int64(m.Target)
	}
	return request * int64(max(100, m.Target)) / 100
}

// withSetAside counts the pods that were set aside against the direction of the change.
func withSetAside(counted, unready, missing hpaSum, ratio float64) hpaSum {
	all := counted
	switch {
	case ratio < 1:
		all.usage += missing.usage
		all.request += missing.request
		all.pods += missing.pods
	case ratio > 1:
		all.request += missing.request + unready.request
		all.pods += missing.pods + unready.pods
	}
	return all
}

// again decides by the second ratio, unless it turns the direction round.
func (m *HPAMetric) again(current int, s *HPASettings, ratio float64, all hpaSum) int {
	second, _ := m.ratio(all)
	if s.Tolerance.within(second) || ratio < 1 && second > 1 || ratio > 1 && second < 1 {
		return current
	}
	n := int(math.Ceil(second * float64(all.pods)))
	if second < 1 && n > current || second > 1 && n < current {
		return current
	}
	return n
}
