package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

func TestThresholdsAreEvenlySpaced(t *testing.T) {
	p := &priorityShedding{PriorityShedding: &PriorityShedding{Lowest: 0.6, Highest: 0.9, Levels: 4}}
	for priority, want := range map[int]float64{-1: 0.6, 0: 0.6, 1: 0.7, 2: 0.8, 3: 0.9, 9: 0.9} {
		if got := p.threshold(priority); math.Abs(got-want) > 1e-12 {
			t.Errorf("priority %d is shed at %v, want %v", priority, got, want)
		}
	}
	p.Levels = 1
	if got := p.threshold(0); got != 0.9 {
		t.Errorf("a single level is shed at %v, want the highest", got)
	}
}

func TestTheLeastImportantAreShedFirst(t *testing.T) {
	p := kindOf("priority_shedding").New(PriorityShedding{
		Capacity: 10, Lowest: 0.5, Highest: 1, Levels: 2,
	})
	enter := func(priority int) bool { return p.Admission.Enter(0, &Attempt{Priority: priority}) }
	for i := range 5 {
		if !enter(0) {
			t.Fatalf("arrival %d was shed", i+1)
		}
	}
	if enter(0) {
		t.Error("priority 0 entered at half the capacity")
	}
	for i := range 5 {
		if !enter(1) {
			t.Errorf("important arrival %d was shed", i+1)
		}
	}
	if enter(1) {
		t.Error("an important one entered above the capacity")
	}
	p.Finisher.Finish(0, &Attempt{}, 0, Outcome{Class: OK})
	if enter(0) || !enter(1) {
		t.Error("a place that is free again must go to the important one")
	}
}

func TestUtilisationIsSmoothedExponentially(t *testing.T) {
	p := kindOf("priority_shedding").New(PriorityShedding{
		Capacity: 100, Lowest: 1, Highest: 1, Levels: 1, Smooth: sim.Second,
	})
	s := p.Admission.(*priorityShedding)
	for range 200 {
		p.Admission.Enter(0, &Attempt{})
	}
	if s.inside != 200 || s.smoothed != 0 {
		t.Fatalf("%d inside, %v smoothed; want 200, 0", s.inside, s.smoothed)
	}
	s.smooth(sim.Second)
	if want := 200 * (1 - math.Exp(-1)); math.Abs(s.smoothed-want) > 1e-9 {
		t.Errorf("after a time constant it is %v, want %v", s.smoothed, want)
	}
	if p.Admission.Enter(sim.Second, &Attempt{}) {
		t.Error("an attempt entered at 126 % of the capacity")
	}
}
