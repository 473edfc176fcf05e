package policies

import (
	"fmt"
	"math"

	"cascadesim/sim"
)

// GradientLimit shrinks when times are above the shortest one, which it forgets from time to time.
type GradientLimit struct {
	InitialLimit int      `yaml:"initial_limit" scale:"s" doc:"Limit at the start; at least 1."`
	MinLimit     int      `yaml:"min_limit" scale:"s" doc:"Lowest limit; at least 1."`
	Most         int      `yaml:"max_concurrency" scale:"s" doc:"Highest limit."`
	Smoothing    float64  `yaml:"smoothing" doc:"Share of a decrease taken at once; to 1."`
	Tolerance    float64  `yaml:"rtt_tolerance" doc:"Times up to so many shortest; 1 to 1000."`
	Backoff      float64  `yaml:"backoff_ratio" doc:"Factor after a drop; 0.5 to below 1."`
	Probe        int      `yaml:"probe_interval" doc:"Fewest samples between probes; -1 for never."`
	Windowed     bool     `yaml:"windowed" doc:"Feed by windows instead of by each attempt."`
	MinWindow    sim.Time `yaml:"min_window_time" doc:"Shortest window; at least 100 ms."`
	MaxWindow    sim.Time `yaml:"max_window_time" doc:"Longest window; at least 100 ms."`
	WindowSize   int      `yaml:"window_size" doc:"Fewest samples that count; at least 10."`
	MinRTT       sim.Time `yaml:"min_rtt_threshold" doc:"Shorter samples are ignored."`
}

var _ = builtin(Spec{
	Name: "gradient_limit",
	Doc: "The first concurrency limit by gradient, which gradient2_limit replaces. With g = " +
		"clamp(rtt_tolerance * shortest/time, 0.5, 1) and queue = max(4, int(sqrt(limit))) the " +
		"limit becomes limit * g + queue, or limit * backoff_ratio after a drop; decreases are " +
		"smoothed, increases are not. Nothing moves while less than half of it is in use. After " +
		"probe_interval + U(0, probe_interval) samples it falls to max(min_limit, queue) and the " +
		"shortest time is forgotten, so that the next one is measured without load: a sudden " +
		"wave of rejections that has no cause outside." + windowedDoc,
	Example:  "{initial_limit: 50, min_limit: 1, max_concurrency: 1000}",
	Source:   netflix + "limit/GradientLimit.java",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
}, GradientLimit{
	// All are the library's. Its limits are not windowed unless they are wrapped; its guides wrap.
	InitialLimit: 50, MinLimit: 1, Most: 1000, Smoothing: 0.2, Tolerance: 2, Backoff: 0.9,
	Probe:    1000,
	Windowed: true, MinWindow: sim.Second, MaxWindow: sim.Second, WindowSize: 10,
	MinRTT: 100 * sim.Microsecond,
}, func(s GradientLimit) []error {
	errs := checkLimits(s.InitialLimit, s.MinLimit, s.Most)
	errs = append(errs, checkSmoothing(s.Smoothing)...)
	errs = append(errs, checkTolerance(s.Tolerance)...)
	if !(s.Backoff >= 0.5 && s.Backoff < 1) {
		errs = append(errs, fmt.Errorf("backoff_ratio: %v; 0.5 to below 1", s.Backoff))
	}
	if s.Probe != -1 && (s.Probe < 1 || s.Probe > 1e9) {
		errs = append(errs, fmt.Errorf("probe_interval: %d samples; 1 to 1e9, or -1 for never",
			s.Probe))
	}
	return append(errs, checkWindow(s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT)...)
}, func(s GradientLimit) func() Policy {
	w := windowOf(s.Windowed, windowSize{s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT})
	return func() Policy {
		r := &gradientLimit{GradientLimit: &s, limit: float64(s.InitialLimit)}
		return (&inFlight{rule: r, window: w, limit: s.InitialLimit}).policy()
	}
})

type gradientLimit struct {
	*GradientLimit
	limit    float64
	shortest sim.Time // 0 when it is to be measured anew
	left     int      // samples until the next probe
	counting bool     // left has been drawn
}

func (r *gradientLimit) update(s limitSample, chance *sim.Stream) int {
	if !r.counting {
		r.left, r.counting = r.countdown(chance), true
	}
	queue := float64(max(4, int(math.Sqrt(math.Trunc(r.limit)))))
	if r.Probe != -1 {
		if r.left <= 0 {
			r.left = r.countdown(chance)
			r.limit = max(float64(r.MinLimit), queue)
			r.shortest = 0
			return int(r.limit)
		}
		r.left--
	}
	if r.shortest == 0 || s.rtt < r.shortest {
		r.shortest = s.rtt
	}
	if s.drop || !(float64(s.inside) < r.limit/2) {
		r.limit = r.next(s, queue)
	}
	return int(r.limit)
}

// countdown draws the samples until the next probe.
func (r *gradientLimit) countdown(chance *sim.Stream) int {
	if r.Probe == -1 {
		return 0
	}
	return r.Probe + int(chance.Intn(uint64(r.Probe)))
}

// next is the limit after a sample that moves it.
func (r *gradientLimit) next(s limitSample, queue float64) float64 {
	want := r.limit * r.Backoff
	if !s.drop {
		gradient := max(0.5, min(1, float64(r.Tolerance*float64(r.shortest))/float64(s.rtt)))
		want = float64(r.limit*gradient) + queue
	}
	if want < r.limit {
		want = float64(r.limit*(1-r.Smoothing)) + float64(r.Smoothing*want)
		want = max(float64(r.MinLimit), want)
	}
	return max(queue, min(float64(r.Most), want))
}
