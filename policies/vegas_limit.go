package policies

import (
	"fmt"
	"math"

	"cascadesim/sim"
)

// VegasLimit keeps the queue that it infers from growing times short.
type VegasLimit struct {
	InitialLimit int      `yaml:"initial_limit" scale:"s" doc:"Limit at the start; at least 1."`
	Most         int      `yaml:"max_concurrency" scale:"s" doc:"Highest limit."`
	Smoothing    float64  `yaml:"smoothing" doc:"Share of a change taken at once; above 0 to 1."`
	Probe        int      `yaml:"probe_multiplier" doc:"Samples per limit until a new base; from 1."`
	Decrease     string   `yaml:"decrease" enum:"log10|half" doc:"What a decrease does."`
	Windowed     bool     `yaml:"windowed" doc:"Feed by windows instead of by each attempt."`
	MinWindow    sim.Time `yaml:"min_window_time" doc:"Shortest window; at least 100 ms."`
	MaxWindow    sim.Time `yaml:"max_window_time" doc:"Longest window; at least 100 ms."`
	WindowSize   int      `yaml:"window_size" doc:"Fewest samples that count; at least 10."`
	MinRTT       sim.Time `yaml:"min_rtt_threshold" doc:"Shorter samples are ignored."`
}

var _ = builtin(Spec{
	Name: "vegas_limit",
	Doc: "A concurrency limit after TCP Vegas. The shortest time seen is taken as one without a " +
		"queue, and queue = ceil(limit * (1 - shortest/time)). With L = max(1, int(log10(limit))) " +
		"the limit grows by 6L up to a queue of L, by L below 3L, and shrinks by L above 6L or " +
		"after a drop; nothing happens while less than half of it is in use. Every " +
		"U(0.5, 1) * probe_multiplier * limit samples the time at hand becomes the shortest one, " +
		"which in an overload teaches it that slow is normal. decrease: half halves instead of " +
		"taking L away." + windowedDoc,
	Example:  "{initial_limit: 20, max_concurrency: 1000}",
	Source:   netflix + "limit/VegasLimit.java",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
}, VegasLimit{
	// All are the library's. Its limits are not windowed unless they are wrapped; its guides wrap.
	InitialLimit: 20, Most: 1000, Smoothing: 1, Probe: 30, Decrease: "log10",
	Windowed: true, MinWindow: sim.Second, MaxWindow: sim.Second, WindowSize: 10,
	MinRTT: 100 * sim.Microsecond,
}, func(s VegasLimit) []error {
	errs := checkLimits(s.InitialLimit, 1, s.Most)
	errs = append(errs, checkSmoothing(s.Smoothing)...)
	if s.Probe < 1 || s.Probe > 1e6 {
		errs = append(errs, fmt.Errorf("probe_multiplier: %d; 1 to 1e6", s.Probe))
	}
	return append(errs, checkWindow(s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT)...)
}, func(s VegasLimit) func() Policy {
	w := windowOf(s.Windowed, windowSize{s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT})
	return func() Policy {
		r := &vegasLimit{VegasLimit: &s, limit: float64(s.InitialLimit)}
		return (&inFlight{rule: r, window: w, limit: s.InitialLimit}).policy()
	}
})

// checkSmoothing bounds the share of a change that is taken at once: 0 would never move.
func checkSmoothing(s float64) []error {
	if !(s > 0 && s <= 1) {
		return []error{fmt.Errorf("smoothing: %v; above 0 to 1", s)}
	}
	return nil
}

type vegasLimit struct {
	*VegasLimit
	limit    float64
	shortest sim.Time // the time without a queue; 0 before the first sample
	probes   int
	jitter   float64 // of the next probe, 0.5 to 1; 0 before the first sample
}

func (r *vegasLimit) update(s limitSample, chance *sim.Stream) int {
	if r.jitter == 0 {
		r.jitter = probeJitter(chance.Float64())
	}
	r.probes++
	switch {
	case r.jitter*float64(r.Probe)*r.limit <= float64(r.probes):
		r.jitter = probeJitter(chance.Float64())
		r.probes = 0
		r.shortest = s.rtt
	case r.shortest == 0 || s.rtt < r.shortest:
		r.shortest = s.rtt
	default:
		r.move(s)
	}
	return int(r.limit)
}

// probeJitter is the factor of the next probe. draw is in [0, 1).
func probeJitter(draw float64) float64 { return 0.5 + float64(draw*0.5) }

// move changes the limit by the queue that a sample shows.
func (r *vegasLimit) move(s limitSample) {
	queue := int(math.Ceil(r.limit * (1 - float64(r.shortest)/float64(s.rtt))))
	step := log10(int(r.limit))
	want := r.limit
	switch {
	case s.drop:
		want = r.lower()
	case float64(s.inside*2) < r.limit:
		return // it would drift upwards
	case queue <= step:
		want += float64(6 * step)
	case queue < 3*step:
		want += float64(step)
	case queue > 6*step:
		want = r.lower()
	default:
		return
	}
	want = max(1, min(float64(r.Most), want))
	r.limit = float64((1-r.Smoothing)*r.limit) + float64(r.Smoothing*want)
}

func (r *vegasLimit) lower() float64 {
	if r.Decrease == "half" {
		return r.limit / 2
	}
	return r.limit - float64(log10(int(r.limit)))
}

// log10 is the whole part of the logarithm, at least 1.
func log10(n int) int {
	log := 0
	for ; n >= 10; n /= 10 {
		log++
	}
	return max(1, log)
}
