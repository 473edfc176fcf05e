package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// windowSize is when the WindowedLimit of concurrency-limits passes its samples on.
type windowSize struct {
	least, most sim.Time // of one window, which else lasts twice its shortest sample
	samples     int      // fewer are thrown away
	shortest    sim.Time // a sample below it is ignored
}

// windowOf is how a limit's samples are windowed, nil when each attempt is a sample.
func windowOf(windowed bool, w windowSize) *windowSize {
	if !windowed {
		return nil
	}
	return &w
}

// sampleWindow is one window of WindowedLimit. It ends with the first sample after its time has
// come; the very first one ends a window that has just begun, and so is always thrown away.
type sampleWindow struct {
	ends     sim.Time
	sum      sim.Time
	shortest sim.Time
	count    int
	inside   int
	drop     bool
}

// add takes one sample in. When it ends the window, and there were enough, it returns what a rule
// is to learn: the mean time, the most inside, any drop.
func (w *sampleWindow) add(z *windowSize, now sim.Time, s limitSample) (limitSample, bool) {
	if s.rtt < z.shortest {
		return s, false
	}
	if w.count == 0 || s.rtt < w.shortest {
		w.shortest = s.rtt
	}
	w.sum += s.rtt
	w.count++
	w.inside = max(w.inside, s.inside)
	w.drop = w.drop || s.drop
	if now <= w.ends {
		return s, false
	}
	s = limitSample{rtt: w.sum / sim.Time(w.count), inside: w.inside, drop: w.drop}
	ready := w.count >= z.samples && s.rtt > 0
	*w = sampleWindow{ends: now + min(max(2*w.shortest, z.least), z.most)}
	return s, ready
}

// checkWindow bounds the settings of a window as the library does.
func checkWindow(least, most sim.Time, samples int, shortest sim.Time) []error {
	var errs []error
	for _, d := range []struct {
		name string
		t    sim.Time
	}{{"min_window_time", least}, {"max_window_time", most}} {
		if d.t < 100*sim.Millisecond || d.t > sim.Hour {
			errs = append(errs, fmt.Errorf("%s: %s; 100ms to 1h",
				d.name, unit.FormatDuration(d.t)))
		}
	}
	if samples < 10 || samples > 1e9 {
		errs = append(errs, fmt.Errorf("window_size: %d samples; 10 to 1e9", samples))
	}
	if shortest < 0 || shortest > sim.Hour {
		errs = append(errs, fmt.Errorf("min_rtt_threshold: %s; 0s to 1h",
			unit.FormatDuration(shortest)))
	}
	return errs
}

// checkLimits bounds a limit between its least and its most.
func checkLimits(initial, least, most int) []error {
	var errs []error
	if initial < 1 || initial > 1e9 {
		errs = append(errs, fmt.Errorf("initial_limit: %d attempts; 1 to 1e9", initial))
	}
	if least < 1 || least > 1e9 {
		errs = append(errs, fmt.Errorf("min_limit: %d attempts; 1 to 1e9", least))
	}
	if most < max(1, least) || most > 1e9 {
		errs = append(errs, fmt.Errorf("max_concurrency: %d attempts; %d to 1e9",
			most, max(1, least)))
	}
	return errs
}

// windowedDoc is what the doc of each adaptive limit says of how it is fed.
const windowedDoc = " It admits while fewer than int(limit) attempts are inside, waiting ones " +
	"included. With windowed the rule is fed by WindowedLimit: at the first answer after a window " +
	"of min_window_time (twice its shortest time if that is longer, up to max_window_time) it " +
	"gets the mean time, the most that were inside as an attempt entered, and whether any was " +
	"dropped; windows of fewer than window_size samples are thrown away and times below " +
	"min_rtt_threshold ignored. A drop is an attempt that was given up, turned away after all, " +
	"or answered 504; every other answer is a success, as for its gRPC server interceptor."

// netflix is the source of the adaptive limits.
const netflix = "Netflix/concurrency-limits@78a74b9, "
