package model

import (
	"strings"
	"testing"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// pods makes one pod of the two tiers and scales it by all of its processors.
func pods(t *Topology) *HPA {
	t.Tiers[0].Value.Async = true
	h := &HPA{
		Containers: Map[HPAContainer]{
			{"web", HPAContainer{100, 10}}, {"db", HPAContainer{500, 20}},
		},
		Metrics:           []HPAMetric{{AverageUtilization: 0.6}},
		MetricsAge:        sim.Second,
		Behavior:          &HPABehavior{},
		CPUInitialization: 5 * sim.Minute,
	}
	h.Behavior.ScaleUp.Policies = []HPARule{{"pods", 4, sim.Second}}
	a := scaler("")
	a.Target, a.HPA = 0, h
	t.Tiers[1].Value.Autoscale = a
	return h
}

// podMistake is a mistake in an HPA.
func podMistake(name string, make func(t *Topology, h *HPA), path string) mistakeCase {
	return mistakeCase{name, func(t *Topology, _ *Scenario) { make(t, pods(t)) },
		"tiers.db.autoscale." + path}
}

var hpaMistakes = []mistakeCase{
	podMistake("hpa and a metric", func(t *Topology, _ *HPA) {
		t.Tiers[1].Value.Autoscale.Metric = "tiers.db.utilization"
	}, "metric"),
	podMistake("hpa and a target", func(t *Topology, _ *HPA) {
		t.Tiers[1].Value.Autoscale.Target = 0.6
	}, "target"),
	podMistake("hpa of slots", func(t *Topology, _ *HPA) {
		t.Tiers[1].Value.Autoscale.Adjust = "slots"
	}, "adjust"),
	podMistake("pods without their own tier", func(_ *Topology, h *HPA) {
		h.Containers = h.Containers[:1]
	}, "hpa.containers"),
	podMistake("container of no tier", func(_ *Topology, h *HPA) {
		h.Containers = append(h.Containers, Entry[HPAContainer]{"wbe", HPAContainer{100, 10}})
	}, "hpa.containers.wbe"),
	podMistake("containers that are not as many", func(t *Topology, _ *HPA) {
		t.Tiers[0].Value.Replicas.Count = 2
	}, "hpa.containers.web"),
	podMistake("pods with two autoscalers", func(t *Topology, _ *HPA) {
		t.Tiers[0].Value.Autoscale = scaler("tiers.db.in_system")
	}, "hpa.containers.web"),
	podMistake("nothing requested", func(_ *Topology, h *HPA) { h.Containers[0].Value.Request = 0 },
		"hpa.containers.web.request"),
	podMistake("half a thousandth requested", func(_ *Topology, h *HPA) {
		h.Containers[0].Value.Request = 10.5
	}, "hpa.containers.web.request"),
	podMistake("slots that use nothing", func(_ *Topology, h *HPA) {
		h.Containers[0].Value.PerSlot = 0
	}, "hpa.containers.web.per_slot"),
	podMistake("hpa without metrics", func(_ *Topology, h *HPA) { h.Metrics = nil }, "hpa.metrics"),
	podMistake("60 as Kubernetes writes it", func(_ *Topology, h *HPA) {
		h.Metrics[0].AverageUtilization = 60
	}, "hpa.metrics.0.average_utilization"),
	podMistake("half a percent", func(_ *Topology, h *HPA) {
		h.Metrics[0].AverageUtilization = 0.625
	}, "hpa.metrics.0.average_utilization"),
	podMistake("no target", func(_ *Topology, h *HPA) { h.Metrics[0].AverageUtilization = 0 },
		"hpa.metrics.0.average_utilization"),
	podMistake("resource of one container", func(_ *Topology, h *HPA) {
		h.Metrics[0].Container = "web"
	}, "hpa.metrics.0.container"),
	podMistake("unknown container", func(_ *Topology, h *HPA) {
		h.Metrics[0] = HPAMetric{Type: "container_resource", Container: "wbe", AverageUtilization: 1}
	}, "hpa.metrics.0.container"),
	podMistake("unknown type of metric", func(_ *Topology, h *HPA) {
		h.Metrics[0].Type = "ressource"
	}, "hpa.metrics.0.type"),
	podMistake("gauge of a resource", func(_ *Topology, h *HPA) { h.Metrics[0].Gauge = "busy" },
		"hpa.metrics.0.gauge"),
	podMistake("value of a resource", func(_ *Topology, h *HPA) { h.Metrics[0].AverageValue = 3 },
		"hpa.metrics.0.average_value"),
	podMistake("pods without a gauge", func(_ *Topology, h *HPA) {
		h.Metrics[0] = HPAMetric{Type: "pods", Container: "db", AverageValue: 1}
	}, "hpa.metrics.0.gauge"),
	podMistake("utilization of a gauge", func(_ *Topology, h *HPA) {
		h.Metrics[0].Type, h.Metrics[0].Container = "pods", "db"
		h.Metrics[0].Gauge, h.Metrics[0].AverageValue = "busy", 1
	}, "hpa.metrics.0.average_utilization"),
	podMistake("gauge without a target", func(_ *Topology, h *HPA) {
		h.Metrics[0] = HPAMetric{Type: "pods", Container: "db", Gauge: "in_line"}
	}, "hpa.metrics.0.average_value"),
	podMistake("gauge of unlimited slots", func(_ *Topology, h *HPA) {
		h.Metrics[0] = HPAMetric{Type: "pods", Container: "web", Gauge: "utilization",
			AverageValue: 0.5}
	}, "hpa.metrics.0.gauge"),
	podMistake("samples between looks", func(_ *Topology, h *HPA) { h.MetricsAge = 1500 * ms },
		"hpa.metrics_age"),
	podMistake("two tolerances in the older test", func(_ *Topology, h *HPA) {
		h.ToleranceTest, h.Behavior.ScaleUp.Tolerance = "older", new(unit.Ratio(0.2))
	}, "hpa.behavior.scale_up.tolerance"),
	podMistake("a window of two hours", func(_ *Topology, h *HPA) {
		h.Behavior.ScaleDown.StabilizationWindow = new(2 * sim.Hour)
	}, "hpa.behavior.scale_down.stabilization_window"),
	podMistake("selection of the last", func(_ *Topology, h *HPA) {
		h.Behavior.ScaleUp.SelectPolicy = "last"
	}, "hpa.behavior.scale_up.select_policy"),
	podMistake("a policy of nothing", func(_ *Topology, h *HPA) {
		h.Behavior.ScaleUp.Policies[0].Value = 0
	}, "hpa.behavior.scale_up.policies.0.value"),
	podMistake("a period of an hour", func(_ *Topology, h *HPA) {
		h.Behavior.ScaleUp.Policies[0].Period = sim.Hour
	}, "hpa.behavior.scale_up.policies.0.period"),
}

const ms = sim.Millisecond

// TestDoubtsAboutPods holds what is said of pods that can be run but hardly are meant so.
func TestDoubtsAboutPods(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *Topology, h *HPA)
		want string
	}{
		{"nothing", func(*Topology, *HPA) {}, ""},
		{"slots held while calls are awaited", func(t *Topology, _ *HPA) {
			t.Tiers[0].Value.Async = false
		}, "counts as busy processor"},
		// 30 slots of 20m are 600m, 60 % of a core.
		{"a target that is never exceeded", func(t *Topology, h *HPA) {
			h.Metrics[0].Type, h.Metrics[0].Container = "container_resource", "db"
			h.Containers[1].Value.Request = 1000
		}, "60 %, so that it never asks for more"},
		{"one that can be", func(t *Topology, h *HPA) {
			h.Metrics[0].Type, h.Metrics[0].Container = "container_resource", "db"
			h.Containers[1].Value.Request = 990
		}, ""},
	} {
		top := twoTier()
		c.make(top, pods(top))
		p, problems := Compile(top, minute(), policies.Builtins())
		if p == nil {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		if got := texts(p.Warnings); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: warned %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLocalMayPairWhatMovesTogether: containers of one pod, unless something else moves one.
func TestLocalMayPairWhatMovesTogether(t *testing.T) {
	top, s := twoTier(), minute()
	pods(top)
	top.Edges[0].Balance.Policy = "local"
	compiled(t, top, s)
	s.Timeline = []TimelineEntry{setAt("more", "tiers.web.replicas", Multiply, 2)}
	if p, problems := Compile(top, s, policies.Builtins()); p != nil ||
		!strings.Contains(texts(problems), "their number changes in the run") {
		t.Errorf("one container scaled by hand: %v", problems)
	}
}

// TestHPASettingsOfAWorld holds what of an HPA is filled in, and where it stands in a plan.
func TestHPASettingsOfAWorld(t *testing.T) {
	top, s := twoTier(), minute()
	h := pods(top)
	a := top.Tiers[1].Value.Autoscale
	a.DownWindow, s.Scale = 7*sim.Second, 0.5
	h.Behavior.ScaleDown = HPARules{SelectPolicy: "min", Tolerance: new(unit.Ratio(0.3))}
	h.Metrics = append(h.Metrics,
		HPAMetric{Type: "container_resource", Container: "db", AverageUtilization: 0.9},
		HPAMetric{Type: "pods", Container: "web", Gauge: "in_system", AverageValue: 12.5})
	k := compiled(t, top, s).World.Scalers[0]
	set := k.HPA.Settings
	if down := set.ScaleDown; down.Window != 7*sim.Second || down.Select != policies.HPALeast ||
		len(down.Policies) != 1 || down.Policies[0] != policies.DefaultHPA.ScaleDown.Policies[0] {
		t.Errorf("scale down %+v", down)
	}
	if up := set.ScaleUp; up.Window != 0 || len(up.Policies) != 1 ||
		up.Policies[0] != (policies.HPARule{Value: 4, Period: sim.Second}) {
		t.Errorf("scale up %+v", up)
	}
	if want := (policies.HPATolerance{Down: 0.3, Up: 0.1}); set.Tolerance != want || set.NoBehavior {
		t.Errorf("tolerance %+v, want %+v", set.Tolerance, want)
	}
	both, one, gauge := k.HPA.Metrics[0], k.HPA.Metrics[1], k.HPA.Metrics[2]
	if len(both.Of) != 2 || both.Target != 60 || !both.CPU || both.Of[0].Unit != 20 ||
		both.Of[0].Request != 100 || len(one.Of) != 1 || one.Of[0].Unit != 40 || one.Of[0].Tier != 1 {
		t.Errorf("at half the size a busy slot counts twice: %+v, %+v", both, one)
	}
	if gauge.Target != 12500 || !gauge.Average || gauge.CPU || gauge.Of[0].Unit != 2000 {
		t.Errorf("gauge %+v", gauge)
	}
	h.Behavior = nil
	if set := compiled(t, top, s).World.Scalers[0].HPA.Settings; !set.NoBehavior ||
		set.ScaleDown.Window != 7*sim.Second {
		t.Errorf("without behavior %+v", set)
	}
}
