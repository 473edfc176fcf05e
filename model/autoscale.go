package model

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Autoscale is the Kubernetes rule: wanted = ceil(current x gauge / target), on any gauge. With HPA
// it is all that a HorizontalPodAutoscaler does.
type Autoscale struct {
	Metric     string     `yaml:"metric" doc:"gauge of a tier, such as tiers.auth.utilization; not with hpa"`
	Target     float64    `yaml:"target" doc:"value to hold; a share for utilization and busy share; not with hpa"`
	Adjust     string     `yaml:"adjust" enum:"replicas|slots" default:"replicas" doc:"what is changed"`
	Per        string     `yaml:"per" enum:"tier|replica" default:"tier" doc:"replica: each by the replica of its own name"`
	Min        int        `yaml:"min" scale:"slots" default:"1" doc:"at least (scales when slots are adjusted)"`
	Max        int        `yaml:"max" scale:"slots" doc:"at most (scales when slots are adjusted)"`
	Every      sim.Time   `yaml:"every" default:"15s" doc:"between looks; the gauge is averaged over it"`
	Delay      sim.Time   `yaml:"delay" default:"0" doc:"from decision to effect; with hpa until a new pod is ready, while a pod that is too many goes at once"`
	Tolerance  unit.Ratio `yaml:"tolerance" default:"10%" doc:"no change while gauge/target is this near 1"`
	DownWindow sim.Time   `yaml:"down_window" default:"5m" doc:"down only to the highest wish of this time"`
	HPA        *HPA       `yaml:"hpa" doc:"decide by the pods' processors, step by step as Kubernetes does"`
}

// HPA is a HorizontalPodAutoscaler in its own words. Everything else of an Autoscale but its metric
// and target holds for it too.
type HPA struct {
	Containers        Map[HPAContainer] `yaml:"containers" doc:"TIER: its container; replica i of all of them is pod i, so they have as many and scale together"`
	Metrics           []HPAMetric       `yaml:"metrics" doc:"the one that wants the most decides"`
	Behavior          *HPABehavior      `yaml:"behavior" doc:"limits of change, empty for those that Kubernetes fills in; without it: at most twice as many, or 4, at each look"`
	ToleranceTest     string            `yaml:"tolerance_test" enum:"newer|older" default:"newer" doc:"older, before about 1.33: 66 % of 60 % is outside 10 %, by rounding; newer: inside"`
	MetricsAge        sim.Time          `yaml:"metrics_age" default:"15s" doc:"how old the sample is by which a look decides, a multiple of every; 15s is what the resolution of metrics-server is believed to make of it"`
	CPUInitialization sim.Time          `yaml:"cpu_initialization_period" default:"5m" doc:"so long after its start a pod counts only with a sample from when it was ready"`
}

// HPAContainer is what the pod's container for a tier asks for and uses.
type HPAContainer struct {
	Request unit.CPU `yaml:"request" doc:"processors that the container requests, such as 500m"`
	PerSlot unit.CPU `yaml:"per_slot" doc:"processors that one busy slot uses, such as 20m; all slots make the container's limit"`
}

// HPAMetric is one metric of an HPA.
type HPAMetric struct {
	Type               string     `yaml:"type" enum:"resource|container_resource|pods" default:"resource" doc:"processors of the whole pod or of one container, or a gauge of one container"`
	Container          string     `yaml:"container" doc:"which one; not with resource"`
	Gauge              string     `yaml:"gauge" doc:"pods: busy, in_line, in_system or utilization"`
	AverageUtilization unit.Ratio `yaml:"average_utilization" doc:"of what is requested, in whole percent; not with pods"`
	AverageValue       float64    `yaml:"average_value" doc:"pods: the gauge for each pod"`
}

// HPABehavior limits how fast an HPA changes the number of pods.
type HPABehavior struct {
	ScaleUp   HPARules `yaml:"scale_up" doc:"up; the window is 0 if left out, the policies 4 pods and 100 percent, each in 15s"`
	ScaleDown HPARules `yaml:"scale_down" doc:"down; the window is down_window if left out, the policy 100 percent in 15s"`
}

// HPARules are one direction; what is nil or empty has its default.
type HPARules struct {
	StabilizationWindow *sim.Time   `yaml:"stabilization_window" doc:"the least change that was wanted in this time"`
	SelectPolicy        string      `yaml:"select_policy" enum:"max|min|disabled" default:"max" doc:"of several policies the one that allows the most, or the least; disabled: no change"`
	Policies            []HPARule   `yaml:"policies" doc:"how much may change in which time"`
	Tolerance           *unit.Ratio `yaml:"tolerance" doc:"instead of that of the autoscaler"`
}

// HPARule allows a change in each period.
type HPARule struct {
	Type   string   `yaml:"type" enum:"pods|percent" default:"pods" doc:"of what"`
	Value  int      `yaml:"value" doc:"how many"`
	Period sim.Time `yaml:"period" default:"15s" doc:"in which time; at most 30m"`
}
