package policies

import (
	"fmt"

	"cascadesim/sim"
)

// Gradient2Limit shrinks when times are above their own long-term mean.
type Gradient2Limit struct {
	InitialLimit int      `yaml:"initial_limit" scale:"s" doc:"Limit at the start; at least 1."`
	MinLimit     int      `yaml:"min_limit" scale:"s" doc:"Lowest limit; at least 1."`
	Most         int      `yaml:"max_concurrency" scale:"s" doc:"Highest limit."`
	Smoothing    float64  `yaml:"smoothing" doc:"Share of a change taken at once; above 0 to 1."`
	Queue        int      `yaml:"queue_size" scale:"s" doc:"Growth while times stay short."`
	Tolerance    float64  `yaml:"rtt_tolerance" doc:"Times up to so many long means; 1 to 1000."`
	LongWindow   int      `yaml:"long_window" doc:"Samples that the long mean remembers; from 1."`
	Windowed     bool     `yaml:"windowed" doc:"Feed by windows instead of by each attempt."`
	MinWindow    sim.Time `yaml:"min_window_time" doc:"Shortest window; at least 100 ms."`
	MaxWindow    sim.Time `yaml:"max_window_time" doc:"Longest window; at least 100 ms."`
	WindowSize   int      `yaml:"window_size" doc:"Fewest samples that count; at least 10."`
	MinRTT       sim.Time `yaml:"min_rtt_threshold" doc:"Shorter samples are ignored."`
}

var _ = builtin(Spec{
	Name: "gradient2_limit",
	Doc: "A concurrency limit that compares each time with a long mean of times: g = " +
		"clamp(rtt_tolerance * long/time, 0.5, 1), and limit = (1 - smoothing) * limit + " +
		"smoothing * (limit * g + queue_size), between min_limit and max_concurrency. The long " +
		"mean is a plain one of the first ten samples, then exponential with 2/(long_window + 1), " +
		"and loses 5 % whenever it is above twice the time at hand. Nothing moves while less than " +
		"half of the limit is in use. Drops are ignored. An overload that lasts becomes the long " +
		"mean, and the limit then grows again." + windowedDoc,
	Example:  "{initial_limit: 20, min_limit: 20, max_concurrency: 200}",
	Source:   netflix + "limit/Gradient2Limit.java",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Notes:    true,
}, Gradient2Limit{
	// All are the library's. Its limits are not windowed unless they are wrapped; its guides wrap.
	InitialLimit: 20, MinLimit: 20, Most: 200, Smoothing: 0.2, Queue: 4, Tolerance: 1.5,
	LongWindow: 600,
	Windowed:   true, MinWindow: sim.Second, MaxWindow: sim.Second, WindowSize: 10,
	MinRTT: 100 * sim.Microsecond,
}, func(s Gradient2Limit) []error {
	errs := checkLimits(s.InitialLimit, s.MinLimit, s.Most)
	errs = append(errs, checkSmoothing(s.Smoothing)...)
	errs = append(errs, checkTolerance(s.Tolerance)...)
	if s.Queue < 0 || s.Queue > 1e9 {
		errs = append(errs, fmt.Errorf("queue_size: %d attempts; 0 to 1e9", s.Queue))
	}
	if s.LongWindow < 1 || s.LongWindow > 1e9 {
		errs = append(errs, fmt.Errorf("long_window: %d samples; 1 to 1e9", s.LongWindow))
	}
	return append(errs, checkWindow(s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT)...)
}, func(s Gradient2Limit) func() Policy {
	w := windowOf(s.Windowed, windowSize{s.MinWindow, s.MaxWindow, s.WindowSize, s.MinRTT})
	return func() Policy {
		r := &gradient2Limit{Gradient2Limit: &s, limit: float64(s.InitialLimit)}
		return (&inFlight{rule: r, window: w, limit: s.InitialLimit}).policy()
	}
})

// checkTolerance bounds how far times may grow: below 1 every normal time would shrink the limit.
func checkTolerance(t float64) []error {
	if !(t >= 1 && t <= 1000) {
		return []error{fmt.Errorf("rtt_tolerance: %v; 1 to 1000", t)}
	}
	return nil
}

type gradient2Limit struct {
	*Gradient2Limit
	limit float64
	long  longMean
}

func (r *gradient2Limit) update(s limitSample, _ *sim.Stream) int {
	short := float64(s.rtt)
	long := r.long.add(short, r.LongWindow)
	if long/short > 2 {
		r.long.value *= 0.95
	}
	if !(float64(s.inside) < r.limit/2) {
		r.limit = r.next(long, short)
	}
	return int(r.limit)
}

// next is the limit after a time, with the long mean that already holds it.
func (r *gradient2Limit) next(long, short float64) float64 {
	gradient := max(0.5, min(1, float64(r.Tolerance*long)/short))
	want := float64(r.limit*gradient) + float64(r.Queue)
	limit := float64(r.limit*(1-r.Smoothing)) + float64(want*r.Smoothing)
	return max(float64(r.MinLimit), min(float64(r.Most), limit))
}

// longMean is a plain mean of its first ten samples, and exponential from then on.
type longMean struct {
	value, sum float64
	count      int
}

func (m *longMean) add(x float64, window int) float64 {
	if m.count < 10 {
		m.count++
		m.sum += x
		m.value = m.sum / float64(m.count)
		return m.value
	}
	factor := 2 / float64(window+1)
	m.value = float64(m.value*(1-factor)) + float64(x*factor)
	return m.value
}
