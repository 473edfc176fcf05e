package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// AIMDLimit grows by one while all goes well and shrinks by a factor when anything is dropped.
type AIMDLimit struct {
	InitialLimit int      `yaml:"initial_limit" scale:"s" doc:"Limit at the start; at least 1."`
	MinLimit     int      `yaml:"min_limit" scale:"s" doc:"Lowest limit; at least 1."`
	Most         int      `yaml:"max_concurrency" scale:"s" doc:"Highest limit."`
	BackoffRatio float64  `yaml:"backoff_ratio" doc:"Factor after a drop; 0.5 to below 1."`
	Timeout      sim.Time `yaml:"timeout" doc:"A mean time longer than this counts as a drop."`
	Windowed     bool     `yaml:"windowed" doc:"Feed by windows instead of by each attempt."`
	MinWindow    sim.Time `yaml:"min_window_time" doc:"Shortest window; at least 100 ms."`
	MaxWindow    sim.Time `yaml:"max_window_time" doc:"Longest window; at least 100 ms."`
	WindowSize   int      `yaml:"window_size" doc:"Fewest samples that count; at least 10."`
	MinRTT       sim.Time `yaml:"min_rtt_threshold" doc:"Shorter samples are ignored."`
}

var _ = builtin(Spec{
	Name: "aimd_limit",
	Doc: "A concurrency limit that is multiplied by backoff_ratio, rounded down, after a drop or a " +
		"mean time above `timeout`, and raised by one when at least half of it was in use." +
		windowedDoc + " It hears of overload only by drops: behind a long line and callers that " +
		"wait, it grows to max_concurrency.",
	Example:  "{initial_limit: 20, min_limit: 20, max_concurrency: 200}",
	Source:   netflix + "limit/AIMDLimit.java",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
}, AIMDLimit{
	// All are the library's. Its limits are not windowed unless they are wrapped; its guides wrap.
	InitialLimit: 20, MinLimit: 20, Most: 200, BackoffRatio: 0.9, Timeout: 5 * sim.Second,
	Windowed: true, MinWindow: sim.Second, MaxWindow: sim.Second, WindowSize: 10,
	MinRTT: 100 * sim.Microsecond,
}, func(s AIMDLimit) []error {
	errs := checkLimits(s.InitialLimit, s.MinLimit, s.Most)
	if !(s.BackoffRatio >= 0.5 && s.BackoffRatio < 1) {
		errs = append(errs, fmt.Errorf("backoff_ratio: %v; 0.5 to below 1", s.BackoffRatio))
	}
	if s.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout: %s; above 0s", unit.FormatDuration(s.Timeout)))
	}
	return append(errs, checkWindow(s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT)...)
}, func(s AIMDLimit) func() Policy {
	w := windowOf(s.Windowed, windowSize{s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT})
	return func() Policy {
		r := &aimdLimit{AIMDLimit: &s, limit: s.InitialLimit}
		return (&inFlight{rule: r, window: w, limit: r.limit}).policy()
	}
})

type aimdLimit struct {
	*AIMDLimit
	limit int
}

func (r *aimdLimit) update(s limitSample, _ *sim.Stream) int {
	switch {
	case s.drop || s.rtt > r.Timeout:
		r.limit = int(float64(r.limit) * r.BackoffRatio)
	case s.inside*2 >= r.limit:
		r.limit++
	}
	r.limit = min(r.Most, max(r.MinLimit, r.limit))
	return r.limit
}
