package sim

import (
	"slices"
	"testing"
)

// reader is a diary that is told ahead.
type reader struct {
	diary
	ahead map[Key]int // how many events had come when it was told
	late  int         // events told of after they came
}

func (r *reader) Fetch(evs []Event) {
	for _, ev := range evs {
		r.fetch(ev)
	}
}

func (r *reader) fetch(ev Event) {
	if slices.ContainsFunc(r.got[max(0, len(r.got)-100):], func(g Event) bool { return g == ev }) {
		r.late++
	}
	if _, known := r.ahead[ev.Key]; !known {
		r.ahead[ev.Key] = len(r.got)
	}
}

// crowd schedules events of the set and timers of a lane, of which two in three are dead, and tells
// which.
func crowd(en *Engine) map[Key]bool {
	dead := map[Key]bool{}
	lane := en.TimerLane(Second)
	luck := Seed(3).Stream("crowd")
	for i := range uint32(5 * deep) {
		en.At(Time(luck.Intn(uint64(2*Second))), 1, i)
		if k := en.Arm(lane, 2, i); i%3 > 0 {
			dead[k] = true
		}
	}
	return dead
}

func TestEventsAreFetchedBeforeTheyCome(t *testing.T) {
	en := NewEngine()
	r := &reader{ahead: map[Key]int{}}
	r.dead = crowd(en)
	en.Run(MaxTime, 0, r)
	fetched := 0
	for i, ev := range r.got {
		if told, ok := r.ahead[ev.Key]; ok && told <= i {
			fetched++
		}
	}
	if all := len(r.got); fetched < all/2 || r.late > 0 {
		t.Errorf("of %d events %d were fetched in time; %d were told of after they came",
			all, fetched, r.late)
	}

	plain := NewPlain()
	d := &diary{dead: crowd(plain)}
	plain.Run(MaxTime, 0, d)
	if !slices.Equal(r.got, d.got) {
		t.Error("events came in another order to a handler that is told ahead")
	}
}
