package policies

import "cascadesim/sim"

// envoyStarts counts the tries that were sent in the last budget_interval, in one of the ways that
// Envoy's developers went through. They differ in how long a start is remembered:
//
//	deque   0.9 to 1.0 of the interval: nine tenths that are over, and the one that runs
//	timers  1.0 to 1.1: ten tenths that are over, and the one that runs
//	tower   1.1 when starts fall on tenths exactly, else about 0.55 in dense traffic
type envoyStarts interface {
	add(now sim.Time)
	count(now sim.Time) int64
}

// newEnvoyStarts makes the one that the settings name, nil when there is no interval.
func newEnvoyStarts(s EnvoyRetry) envoyStarts {
	if !s.Budget || s.Interval == 0 {
		return nil
	}
	tenth := s.Interval / 10
	switch s.Window {
	case "deque":
		return &tenths{width: tenth, keep: 9 + 1}
	case "timers":
		return &tenths{width: tenth, keep: 10 + 1}
	case "tower":
		return &towerStarts{slot: tenth}
	}
	panic("policies: envoy_retry has no window " + s.Window)
}

// tenths remembers whole tenths of an interval, cut from the beginning of the run as a timer does
// that is started with the process. A start at the very tick belongs to the tenth that begins.
type tenths struct {
	width sim.Time
	keep  int64 // tenths, the one that runs included
	tally tally
}

func (w *tenths) add(now sim.Time) { w.tally.spend(w.roll(now)) }

func (w *tenths) count(now sim.Time) int64 {
	w.roll(now)
	return w.tally.spent
}

func (w *tenths) roll(now sim.Time) int64 {
	slot := int64(now / w.width)
	w.tally.roll(slot, w.keep, 0)
	return slot
}

// towerStarts counts on the ring of tower.
type towerStarts struct {
	slot sim.Time
	ring towerRing
}

func (w *towerStarts) add(now sim.Time)         { w.ring.add(now, w.slot, 1) }
func (w *towerStarts) count(now sim.Time) int64 { return w.ring.sum(now, w.slot) }
