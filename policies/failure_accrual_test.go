package policies

import (
	"testing"

	"cascadesim/sim"
)

const (
	finagles = "finagle_failure_accrual"
	linkerds = "linkerd_failure_accrual"
)

// A success each 100 ms from 0 to 30,000 ms, then a failure each 100 ms.
func TestFinagleMarksDeadAfterThirtyGoodSeconds(t *testing.T) {
	for _, test := range []struct {
		settings string
		at       sim.Time
		average  float64
	}{
		{"{}", 30_500 * ms, 0},
		{"{policy: consecutive_failures}", 30_500 * ms, 0},
		{"{policy: success_rate}", 36_700 * ms, 0.799848},
	} {
		f := newFleet(t, finagles, test.settings, 2)
		for ; f.now <= 30_000*ms; f.now += 100 * ms {
			f.sends(0, 1, healthy)
		}
		for ; f.now <= 60_000*ms; f.now += 100 * ms {
			f.sends(0, 1, broken)
			if f.e.Out(f.now, 0) {
				break
			}
		}
		if f.now != test.at {
			t.Errorf("%s: dead at %v s, want %v", test.settings,
				f.now.Seconds(), test.at.Seconds())
		}
		got := f.e.(*failureAccrual).counts[0].average
		if test.average > 0 && (got < test.average-1e-6 || got > test.average+1e-6) {
			t.Errorf("average %v, want %v", got, test.average)
		}
	}
}

func TestFinagleNeedsAWholeWindowAndEnoughRequests(t *testing.T) {
	for _, test := range []struct {
		first, second sim.Time // of two and of three failures
		dead          bool
	}{
		{7000 * ms, 30_000*ms - 1, false}, // a clock of milliseconds
		{7000 * ms, 30_000 * ms, true},
		{0, 30_000 * ms, false}, // the first two are forgotten: five slices of 6 s
		{7000 * ms, 90_000 * ms, false},
	} {
		f := newFleet(t, finagles, "{policy: success_rate}", 2)
		f.now = test.first
		f.sends(0, 2, broken)
		f.now = test.second
		f.sends(0, 3, broken)
		if got := f.e.Out(f.now, 0); got != test.dead {
			t.Errorf("failures at %d and %d ns: dead %t, want %t",
				test.first, test.second, got, test.dead)
		}
	}
}

func TestFinagleHearsOneAnswerAMillisecond(t *testing.T) {
	f := newFleet(t, finagles, "{policy: success_rate}", 2)
	f.sends(0, 1, healthy)
	f.now = 60_000 * ms
	f.sends(0, 1, healthy)
	f.now += ms - 1
	f.sends(0, 1000, broken) // all within the millisecond of a success
	if f.e.Out(f.now, 0) || f.e.(*failureAccrual).counts[0].average != 1 {
		t.Error("answers of one millisecond count beside the first")
	}
}

func TestFinagleProbesWithOneRequest(t *testing.T) {
	f := newFleet(t, finagles, "{}", 3)
	f.sends(1, 5, broken)
	f.now = 5*sim.Second - 1
	if got := f.out(); got != "-1-" {
		t.Fatalf("out: %s before 5 s are over", got)
	}
	f.e.Report(f.now, 1, broken) // of before; the dead are not heard
	f.now = 5 * sim.Second
	if got := f.out(); got != "---" {
		t.Fatalf("out: %s when it is to be probed", got)
	}
	f.e.Picked(f.now, 1)
	if got := f.out(); got != "-1-" {
		t.Fatalf("out: %s while it is probed", got)
	}
	f.e.Report(f.now, 1, slow) // the sixth failure in a row marks it dead again
	f.now += 5*sim.Second - 1
	if !f.e.Out(f.now, 1) {
		t.Error("dead for less than 5 s the second time")
	}
	f.now += 5 * sim.Second
	if f.e.Out(f.now, 1) {
		t.Error("dead for more than 10 s the second time")
	}
	f.e.Picked(f.now, 1)
	f.e.Report(f.now, 1, healthy)
	f.sends(1, 4, broken)
	if f.e.Out(f.now, 1) {
		t.Error("dead after four failures since a good probe")
	}
	f.sends(1, 1, broken)
	f.now += 5 * sim.Second
	if f.e.Out(f.now, 1) {
		t.Error("its list did not begin anew")
	}
}

func TestFinagleProbesAgainWhenItsPoliciesAreNotSure(t *testing.T) {
	f := newFleet(t, finagles, "{policy: success_rate}", 2)
	for ; f.now < 30*sim.Second; f.now += sim.Second {
		f.sends(0, 1, broken)
	}
	f.sends(0, 1, broken) // dead for 5 s
	f.now += 5 * sim.Second
	f.e.Picked(f.now, 0)
	f.now += 60 * sim.Second
	f.e.Report(f.now, 0, slow) // the only one in the window: the rate says nothing
	if f.e.Out(f.now, 0) {
		t.Error("dead or still probed, although no policy said so")
	}
	f.e.Picked(f.now, 0)
	if !f.e.Out(f.now, 0) {
		t.Error("a second request may go while it is probed")
	}
}

func TestFinagleFailsOpen(t *testing.T) {
	f := newFleet(t, finagles, "{}", 2)
	f.sends(0, 5, broken)
	f.sends(1, 5, refused)
	if got := f.out(); got != "--" {
		t.Errorf("out: %s when all are dead", got)
	}
	f.e.Hosts(f.now, 3)
	f.hosts = 3
	if got := f.out(); got != "11-" {
		t.Errorf("out: %s with a new one", got)
	}
}

func TestFinagleDeathsGrowToFiveMinutes(t *testing.T) {
	f := newFleet(t, finagles, "{}", 2)
	f.p.Seed(sim.Seed(1).Stream("state"))
	low := []sim.Time{5, 5, 10, 20, 40, 80, 160, 300, 300, 300}
	f.sends(0, 5, broken)
	for i, least := range low {
		since := f.now
		for f.e.Out(f.now, 0) {
			f.now += 10 * ms
		}
		took := f.now - since
		most := 2 * least
		if i == 0 || least == 300 {
			most = least
		}
		if took < least*sim.Second || took > min(300, most)*sim.Second+10*ms {
			t.Errorf("death %d takes %v s, want %d to %d", i+1, took.Seconds(), least, most)
		}
		f.sends(0, 1, broken) // the probe
	}
}

func TestLinkerdTakesOutAtTheSeventhFailure(t *testing.T) {
	f := newFleet(t, linkerds, "{}", 3)
	f.sends(0, 6, broken)
	f.sends(0, 1, Outcome{Class: Rejected, Status: 429})
	f.sends(0, 6, refused)
	if got := f.out(); got != "---" {
		t.Errorf("out: %s after six in a row", got)
	}
	f.sends(0, 1, slow)
	if got := f.out(); got != "1--" {
		t.Errorf("out: %s after seven in a row", got)
	}
}

func TestLinkerdPenaltiesDouble(t *testing.T) {
	f := newFleet(t, linkerds, "{jitter_ratio: 0}", 2)
	f.sends(0, 7, broken)
	for _, seconds := range []sim.Time{1, 2, 4, 8, 16, 32, 60, 60} {
		f.now += seconds*sim.Second - 1
		if !f.e.Out(f.now, 0) {
			t.Fatalf("probed before %d s", seconds)
		}
		f.now++
		if f.e.Out(f.now, 0) {
			t.Fatalf("not probed after %d s", seconds)
		}
		f.e.Picked(f.now, 0)
		if !f.e.Out(f.now, 0) {
			t.Fatal("a second probe may go")
		}
		f.e.Report(f.now, 0, broken)
	}
	f.now += 60 * sim.Second
	f.sends(0, 1, healthy)
	f.sends(0, 7, broken)
	f.now += sim.Second
	if f.e.Out(f.now, 0) {
		t.Error("its penalties did not begin anew after a good probe")
	}
}

// Whole seconds and the rest are multiplied apart, and what is no whole number is cut off.
func TestLinkerdJitterIsCutToWholeSeconds(t *testing.T) {
	terms := linkerdAccrualTerms{min: sim.Second, max: 60 * sim.Second, jitter: 0.5}
	half := linkerdAccrualTerms{min: 1500 * ms, max: 60 * sim.Second, jitter: 0.5}
	for _, test := range []struct {
		terms  linkerdAccrualTerms
		probes int
		luck   float64
		want   sim.Time
	}{
		{terms, 0, 0.999, 1000 * ms}, {terms, 1, 0.999, 2000 * ms}, {terms, 2, 0.499, 4000 * ms},
		{terms, 2, 0.5, 5000 * ms}, {terms, 3, 0.999, 11_000 * ms}, {terms, 4, 0.5, 20_000 * ms},
		{terms, 5, 0.999, 47_000 * ms}, {terms, 6, 0.999, 60_000 * ms},
		{terms, 63, 0.999, 60_000 * ms}, {terms, 5, 0, 32_000 * ms},
		{half, 0, 0.8, 1700 * ms}, // 0.4 s are cut off, of the half second 0.2 are kept
		{half, 1, 0.8, 4000 * ms}, // 3 s: 1.2
	} {
		if got := test.terms.penalty(test.probes, test.luck); got != test.want {
			t.Errorf("penalty after %d probes at %v: %v s, want %v s",
				test.probes, test.luck, got.Seconds(), test.want.Seconds())
		}
	}
}

func TestLinkerdOldAnswersDecideAProbe(t *testing.T) {
	for _, o := range []Outcome{healthy, broken} {
		f := newFleet(t, linkerds, "{}", 2)
		f.e.Picked(f.now, 0) // answers late
		f.e.Picked(f.now, 0)
		f.sends(0, 7, broken)
		f.e.Report(f.now, 0, o) // in the penalty nothing is heard
		f.now = sim.Second
		f.e.Picked(f.now, 0)
		f.e.Report(f.now, 0, o)
		if got, want := f.e.Out(f.now, 0), o == broken; got != want {
			t.Errorf("after an old answer %v: out %t, want %t", o, got, want)
		}
	}
}

func TestLinkerdHasNoPanicThreshold(t *testing.T) {
	f := newFleet(t, linkerds, "{}", 2)
	f.sends(0, 7, broken)
	f.sends(1, 7, broken)
	if got := f.out(); got != "11" {
		t.Errorf("out: %s, want all", got)
	}
}

func TestLinkerdUnifiedHasARateToo(t *testing.T) {
	limited := Outcome{Class: Rejected, Status: 429}
	for _, test := range []struct {
		name string
		play func(f *fleet)
		out  bool
	}{
		{"three of four good", func(f *fleet) { f.sends(0, 3, healthy); f.sends(0, 1, broken) }, false},
		{"four of five good: not below 80 %",
			func(f *fleet) { f.sends(0, 4, healthy); f.sends(0, 1, broken) }, false},
		{"three of five good", func(f *fleet) { f.sends(0, 3, healthy); f.sends(0, 2, broken) }, true},
		{"429 counts", func(f *fleet) { f.sends(0, 3, healthy); f.sends(0, 2, limited) }, true},
		{"forgotten after 10 s", func(f *fleet) {
			f.sends(0, 4, broken)
			f.now = 10 * sim.Second
			f.sends(0, 4, healthy)
			f.sends(0, 1, broken)
		}, false},
		{"remembered until then", func(f *fleet) {
			f.sends(0, 4, broken)
			f.now = 10*sim.Second - 1
			f.sends(0, 1, healthy)
		}, true},
		{"a good probe", func(f *fleet) {
			f.sends(0, 5, broken)
			f.now = sim.Second
			f.sends(0, 1, healthy)
		}, false},
		{"a probe answered 429", func(f *fleet) {
			f.sends(0, 5, broken)
			f.now = sim.Second
			f.sends(0, 1, limited)
		}, true},
	} {
		f := newFleet(t, linkerds, "{mode: unified, jitter_ratio: 0}", 2)
		test.play(f)
		if got := f.e.Out(f.now, 0); got != test.out {
			t.Errorf("%s: out %t, want %t", test.name, got, test.out)
		}
	}
}
