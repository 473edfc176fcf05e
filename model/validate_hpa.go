package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// The bounds that Kubernetes sets to a behavior.
const (
	longestPeriod = 30 * sim.Minute
	longestWindow = sim.Hour
)

// mostCores bounds the processors of a container: a number without a unit is in cores.
const mostCores unit.CPU = 1e6

func (n *names) checkHPA(path string, tier int, a *Autoscale) {
	h, at := a.HPA, path+".hpa"
	if a.Adjust == "slots" {
		n.errorf(path+".adjust", "hpa adjusts the number of pods").hint("leave adjust out")
	}
	n.checkReplicaScaler(path, &n.t.Tiers[tier].Value, a)
	if a.Metric != "" {
		n.errorf(path+".metric", "hpa has metrics of its own").hint("write it under hpa.metrics")
	}
	if a.Target != 0 {
		n.errorf(path+".target", "hpa has metrics, each with a target").hint("leave target out")
	}
	n.checkContainers(at+".containers", tier, h)
	if len(h.Metrics) == 0 {
		n.errorf(at+".metrics", "expected at least one metric").
			hint("for example [{type: resource, average_utilization: 60%}]")
	}
	for i := range h.Metrics {
		n.checkHPAMetric(at+".metrics."+strconv.Itoa(i), h, &h.Metrics[i])
	}
	n.word(at+".tolerance_test", h.ToleranceTest, "newer", "older")
	n.length(at+".cpu_initialization_period", h.CPUInitialization)
	n.length(at+".metrics_age", h.MetricsAge)
	if a.Every > 0 && h.MetricsAge >= 0 && h.MetricsAge%a.Every != 0 {
		n.errorf(at+".metrics_age", "%s is no multiple of every, %s, at which samples are taken",
			unit.FormatDuration(h.MetricsAge), unit.FormatDuration(a.Every))
	}
	if b := h.Behavior; b != nil {
		n.checkHPARules(at+".behavior.scale_up", &b.ScaleUp, h)
		n.checkHPARules(at+".behavior.scale_down", &b.ScaleDown, h)
	}
}

// checkContainers checks that replica i of all containers can stand for one pod.
func (n *names) checkContainers(path string, tier int, h *HPA) {
	own := n.t.Tiers[tier].Name
	if _, ok := h.Containers.Get(own); !ok {
		n.errorf(path, "%s itself is no container of its pods", own).
			hint("write {" + own + ": {request: 1, per_slot: 10m}, …}")
	}
	for i := range h.Containers {
		c := &h.Containers[i]
		at := path + "." + c.Name
		p, ok := n.places[c.Name]
		if !ok || p.kind != aTier {
			n.errorf(at, "no tier %q", c.Name).hint(nearest(c.Name, n.known(aTier)))
			continue
		}
		for _, cpu := range []struct {
			name  string
			value unit.CPU
		}{{".request", c.Value.Request}, {".per_slot", c.Value.PerSlot}} {
			if !(cpu.value > 0 && cpu.value <= mostCores) {
				n.errorf(at+cpu.name, "%v; expected processors above 0, such as 200m or 1.5",
					cpu.value)
			}
		}
		if r := c.Value.Request; r != unit.CPU(math.Trunc(float64(r))) {
			n.errorf(at+".request", "%v; nothing finer than 1m can be requested", r)
		}
		n.checkContainer(at, tier, p.index)
	}
}

func (n *names) checkContainer(path string, tier, i int) {
	c := &n.t.Tiers[i].Value
	if i != tier {
		n.sameReplicas(path, "a pod", i, tier)
	}
	for k := range n.t.Tiers {
		other := &n.t.Tiers[k]
		if k != tier && other.Value.Autoscale.sets(other.Name, n.t.Tiers[i].Name) {
			n.errorf(path, "the autoscaler of %s sets the replicas of %s too", other.Name,
				n.t.Tiers[i].Name).hint("one autoscaler can scale a pod")
		}
	}
	if !c.Async && n.awaits(i) {
		n.warnf(path, "a slot of %s that is held while a call is awaited counts as busy processor; "+
			"with async: true only work does", n.t.Tiers[i].Name)
	}
}

// sets tells whether the autoscaler of a tier sets the number of another's replicas, or of its own.
func (a *Autoscale) sets(own, tier string) bool {
	if a == nil || a.Adjust == "slots" {
		return false
	}
	if a.HPA != nil {
		if _, ok := a.HPA.Containers.Get(tier); ok {
			return true
		}
	}
	return own == tier
}

// scalerOf is the autoscaler that sets the number of a tier's replicas; nil: none does.
func (n *names) scalerOf(tier int) *Autoscale {
	for i := range n.t.Tiers {
		t := &n.t.Tiers[i]
		if t.Value.Autoscale.sets(t.Name, n.t.Tiers[tier].Name) {
			return t.Value.Autoscale
		}
	}
	return nil
}

// awaits tells whether a tier makes calls that it waits for.
func (n *names) awaits(tier int) bool {
	return slices.ContainsFunc(n.calls, func(c callSite) bool {
		return c.from == (place{aTier, tier}) && !c.call.Detached()
	})
}

func (n *names) checkHPAMetric(path string, h *HPA, m *HPAMetric) {
	n.word(path+".type", m.Type, "resource", "container_resource", "pods")
	switch m.Type {
	case "container_resource":
		n.containerNamed(path, h, m)
		n.utilization(path, h, m)
	case "pods":
		n.containerNamed(path, h, m)
		n.podsGauge(path, m)
	default:
		if m.Container != "" {
			n.errorf(path+".container", "resource is of all containers together").
				hint("say type: container_resource")
		}
		n.utilization(path, h, m)
	}
	if m.Type != "pods" && m.Gauge != "" {
		n.errorf(path+".gauge", "only pods metrics have a gauge").hint("say type: pods")
	}
}

func (n *names) containerNamed(path string, h *HPA, m *HPAMetric) {
	if _, ok := h.Containers.Get(m.Container); !ok {
		n.errorf(path+".container", "no container %q", m.Container).
			hint(nearest(m.Container, mapNames(h.Containers)))
	}
}

// utilization checks a target in percent, of which Kubernetes keeps whole ones.
func (n *names) utilization(path string, h *HPA, m *HPAMetric) {
	at := path + ".average_utilization"
	if m.AverageValue != 0 {
		n.errorf(path+".average_value", "is for pods metrics").hint("say average_utilization")
	}
	percent := float64(100 * float64(m.AverageUtilization))
	switch {
	case !(percent >= 1 && percent <= 100_000):
		n.errorf(at, "%v; expected a share of what is requested, such as 60%%", m.AverageUtilization)
	case math.Abs(percent-math.Round(percent)) > 1e-9*percent:
		n.errorf(at, "%v %%; expected whole percent", percent)
	case percent >= 1000:
		n.errorf(at, "%v is %v %%; expected a share of what is requested, such as 60%%",
			m.AverageUtilization, percent).
			hint(fmt.Sprintf("did you mean %v%%?", float64(m.AverageUtilization)))
	default:
		n.checkReachable(at, h, m)
	}
}

// checkReachable warns when a metric is within its target even while all slots are busy: then it
// never asks for more. Cores that were written without their m are found so too.
func (n *names) checkReachable(path string, h *HPA, m *HPAMetric) {
	most, request := 0.0, 0.0
	for i := range h.Containers {
		c := &h.Containers[i]
		p, ok := n.places[c.Name]
		switch {
		case m.Container != "" && m.Container != c.Name:
			continue
		case !ok || p.kind != aTier || n.t.Tiers[p.index].Value.Slots == Unlimited:
			return
		}
		most += float64(float64(n.t.Tiers[p.index].Value.Slots) * float64(c.Value.PerSlot))
		request += float64(c.Value.Request)
	}
	if request > 0 && most <= request*float64(m.AverageUtilization) {
		n.warnf(path, "with all slots busy %v of %v are used, %.0f %%, so that it never asks for more",
			unit.CPU(most), unit.CPU(request), 100*most/request)
	}
}

func (n *names) podsGauge(path string, m *HPAMetric) {
	if m.AverageUtilization != 0 {
		n.errorf(path+".average_utilization", "a gauge is not requested").hint("say average_value")
	}
	words := gaugeWords[:len(gaugeWords)-1]
	if m.Gauge == "" {
		n.errorf(path+".gauge", "expected one of %s", strings.Join(words, ", "))
	}
	n.word(path+".gauge", m.Gauge, words...)
	if !(m.AverageValue >= 0.001 && m.AverageValue <= mostCount) {
		n.errorf(path+".average_value", "%v; expected a value for each pod, at least 0.001",
			m.AverageValue)
	}
	if p, ok := n.places[m.Container]; ok && p.kind == aTier && m.Gauge == "utilization" &&
		n.t.Tiers[p.index].Value.Slots == Unlimited {
		n.errorf(path+".gauge", "the slots of %s are unlimited, so it has no utilization",
			m.Container).hint("look at busy or in_system")
	}
}

func (n *names) checkHPARules(path string, r *HPARules, h *HPA) {
	n.word(path+".select_policy", r.SelectPolicy, "max", "min", "disabled")
	if w := r.StabilizationWindow; w != nil && !(*w >= 0 && *w <= longestWindow) {
		n.errorf(path+".stabilization_window", "%s; Kubernetes takes 0 to %s",
			unit.FormatDuration(*w), unit.FormatDuration(longestWindow))
	}
	if r.Tolerance != nil {
		n.tolerance(path+".tolerance", *r.Tolerance)
		if h.ToleranceTest == "older" {
			n.errorf(path+".tolerance", "the older test has one tolerance for both directions").
				hint("say tolerance beside hpa, or tolerance_test: newer")
		}
	}
	for i := range r.Policies {
		p, at := &r.Policies[i], path+".policies."+strconv.Itoa(i)
		n.word(at+".type", p.Type, "pods", "percent")
		n.count(at+".value", p.Value, 1)
		if !(p.Period > 0 && p.Period <= longestPeriod) {
			n.errorf(at+".period", "%s; Kubernetes takes more than 0 to %s",
				unit.FormatDuration(p.Period), unit.FormatDuration(longestPeriod))
		}
	}
}
