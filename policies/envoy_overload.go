package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyOverload rejects by a pressure that is looked at now and then.
type EnvoyOverload struct {
	Most       int        `yaml:"max_active_requests" scale:"s" doc:"Inside at a pressure of 100%."`
	Refresh    sim.Time   `yaml:"refresh_interval" doc:"Between looks at the pressure; 1 ms to 1 h."`
	Trigger    string     `yaml:"trigger" enum:"threshold|scaled" doc:"What a pressure does."`
	Threshold  unit.Ratio `yaml:"threshold_value" doc:"Threshold: from here on all are rejected."`
	Scaling    unit.Ratio `yaml:"scaling_threshold" doc:"Scaled: above it some are rejected."`
	Saturation unit.Ratio `yaml:"saturation_threshold" doc:"Scaled: from here on all are rejected."`
}

var _ = builtin(Spec{
	Name: "envoy_overload",
	Doc: "Rejects an attempt as it arrives by Envoy's overload action stop_accepting_requests: with " +
		"trigger: threshold all of them while the pressure is at threshold_value or above; with " +
		"scaled a share, (pressure - scaling) / (saturation - scaling) within 0 and 1. The pressure " +
		"is looked at every refresh_interval and holds until the next look, so a burst is let in " +
		"for up to that long, and a callee that is empty again still rejects. Envoy's pressure is " +
		"of memory, connections or CPU; a world has no memory, so the pressure here is what is " +
		"inside, waiting in line included, as a share of max_active_requests: a stand-in that has " +
		"Envoy's triggers and not its gauge. Load shed points decide in the same way. Not here: " +
		"actions on connections, streams, timeouts and the heap. Envoy answers 503.",
	Example: "{max_active_requests: 500, trigger: scaled}",
	Source:  "Envoy, documentation of the overload manager (00a43496)",
	Sure:    FromDocument,
	Callee:  true,
	Refuses: true, Spends: true,
	Stateful: true,
}, EnvoyOverload{
	// A second is Envoy's refresh interval. It has no thresholds of its own: 95 % and 85 % to 95 %
	// are those of the examples in its documentation. The maximum is a placeholder.
	Most: 1000, Refresh: sim.Second, Trigger: "threshold", Threshold: 0.95, Scaling: 0.85,
	Saturation: 0.95,
}, func(s EnvoyOverload) []error {
	var b bounds
	b.count("max_active_requests", s.Most, 1)
	if s.Refresh < sim.Millisecond || s.Refresh > sim.Hour {
		b.say("refresh_interval", "%s; 1ms to 1h", unit.FormatDuration(s.Refresh))
	}
	for _, r := range []struct {
		name string
		unit.Ratio
	}{
		{"threshold_value", s.Threshold}, {"scaling_threshold", s.Scaling},
		{"saturation_threshold", s.Saturation},
	} {
		if x := float64(r.Ratio); !(x >= 0 && x <= 1) {
			b.say(r.name, "%s; 0%% to 100%%", r.Ratio)
		}
	}
	if s.Scaling >= s.Saturation {
		b.say("scaling_threshold", "%s; below saturation_threshold, %s", s.Scaling, s.Saturation)
	}
	return b
}, func(s EnvoyOverload) func() Policy {
	return func() Policy {
		o := &envoyOverload{terms: &s}
		return Policy{Admission: o, Finisher: o, Level: o.level}
	}
})

type envoyOverload struct {
	terms  *EnvoyOverload
	inside int
	looked int64 // how many looks there were
	state  float64
}

// look catches up with the looks that were due. What was inside has not changed since, so that the
// last of them stands for all.
func (o *envoyOverload) look(now sim.Time) {
	if looks := int64(now / o.terms.Refresh); looks > o.looked {
		o.looked = looks
		o.state = envoyState(float64(o.inside)/float64(o.terms.Most), o.terms)
	}
}

// envoyState is how far an action goes at a pressure: 0 not at all, 1 all the way.
func envoyState(pressure float64, s *EnvoyOverload) float64 {
	if s.Trigger == "threshold" {
		if pressure >= float64(s.Threshold) {
			return 1
		}
		return 0
	}
	low, high := float64(s.Scaling), float64(s.Saturation)
	return min(1, max(0, (pressure-low)/(high-low)))
}

// Enter draws whatever the state is, so that comparing two triggers changes no other draw.
func (o *envoyOverload) Enter(now sim.Time, a *Attempt) bool {
	draw := a.Chance.Float64()
	o.look(now)
	if draw < o.state {
		return false
	}
	o.inside++
	return true
}

func (o *envoyOverload) Finish(now sim.Time, _ *Attempt, _ sim.Time, _ Outcome) {
	o.look(now)
	o.inside--
}

func (o *envoyOverload) level(now sim.Time) float64 {
	o.look(now)
	return 1 - o.state
}

// EnvoyReducedTimeout is the length of a timer under Envoy's overload action reduce_timeouts, whose
// state is 0 to 1: what a file's timeout would be at a constant pressure.
func EnvoyReducedTimeout(least, most sim.Time, state float64) sim.Time {
	return least + sim.Time(float64(most-least)*(1-state))
}
