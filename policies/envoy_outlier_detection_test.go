package policies

import (
	"testing"

	"cascadesim/sim"
)

const outliers = "envoy_outlier_detection"

// Five hosts with rates of 50, 100, 100, 100 and 100 %: mean 90, deviation 20, threshold 52.
func TestEnvoyEjectsOutliersOfTheSuccessRate(t *testing.T) {
	for _, test := range []struct{ settings, want string }{
		{"{max_ejection_percent: 20}", "1----"},
		{"{}", "-----"}, // one of five is more than 10 %
		{"{always_eject_one_host: true}", "1----"},
		// A factor of 2 puts the threshold at 50, and 50 is not below it.
		{"{max_ejection_percent: 20, success_rate_stdev_factor: 2000}", "-----"},
		{"{max_ejection_percent: 20, success_rate_stdev_factor: 1999}", "1----"},
		{"{max_ejection_percent: 20, success_rate_minimum_hosts: 6}", "-----"},
		{"{max_ejection_percent: 20, success_rate_request_volume: 100}", "1----"},
		{"{max_ejection_percent: 20, success_rate_request_volume: 101}", "-----"},
		{"{max_ejection_percent: 20, enforcing_success_rate: 0}", "-----"},
	} {
		f := newFleet(t, outliers, test.settings, 5)
		for host := range 5 {
			for range 50 {
				f.sends(host, 1, healthy)
				if host == 0 {
					f.sends(host, 1, broken)
				} else {
					f.sends(host, 1, healthy)
				}
			}
		}
		f.now = 10*sim.Second - 1
		if got := f.out(); got != "-----" {
			t.Errorf("%s: %s before the interval ends", test.settings, got)
		}
		f.now = 10 * sim.Second
		if got := f.out(); got != test.want {
			t.Errorf("%s: %s at the end of the interval, want %s", test.settings, got, test.want)
		}
	}
}

func TestEnvoyEjectsByFailurePercentage(t *testing.T) {
	const settings = "{max_ejection_percent: 20, enforcing_failure_percentage: 100, " +
		"enforcing_success_rate: 0, consecutive_5xx: 1000}"
	for _, test := range []struct {
		failed int // of 100 requests to the first host
		want   string
	}{{84, "-----"}, {85, "1----"}, {100, "1----"}} {
		f := newFleet(t, outliers, settings, 5)
		f.sends(0, test.failed, broken)
		f.sends(0, 100-test.failed, healthy)
		for host := 1; host < 5; host++ {
			f.sends(host, 50, healthy)
		}
		f.now = 10 * sim.Second
		if got := f.out(); got != test.want {
			t.Errorf("%d %% failed: %s, want %s", test.failed, got, test.want)
		}
	}
}

func TestEnvoyEjectsOnlySoManyPercent(t *testing.T) {
	f := newFleet(t, outliers, "{}", 10)
	f.sends(3, 5, broken) // 100 * 1/10 is 10
	f.sends(7, 5, broken) // 100 * 2/10 is 20
	if got := f.out(); got != "---1------" {
		t.Errorf("out: %s, want the first one alone", got)
	}
	f.sends(7, 4, broken)
	f.e.Hosts(f.now, 20)
	f.hosts = 20
	f.sends(7, 1, broken) // its row began anew when it was detected and not ejected
	if got := f.out(); got != "---1---1------------" {
		t.Errorf("out: %s, want two of twenty", got)
	}
}

func TestEnvoyCountsRowsByKind(t *testing.T) {
	const gateways = "{consecutive_gateway_failure: 3, enforcing_consecutive_gateway_failure: 100, " +
		"max_ejection_percent: 50}"
	limited := Outcome{Class: Rejected, Status: 429}
	for _, test := range []struct {
		name, settings string
		answers        []Outcome
		out            bool
	}{
		{"four errors", "{max_ejection_percent: 50}",
			[]Outcome{broken, broken, broken, broken}, false},
		{"five errors", "{max_ejection_percent: 50}",
			[]Outcome{broken, gateway, slow, refused, broken}, true},
		{"a success in between", "{max_ejection_percent: 50}",
			[]Outcome{broken, broken, broken, broken, healthy, broken}, false},
		{"429 is no error", "{max_ejection_percent: 50}",
			[]Outcome{broken, broken, broken, broken, limited, broken}, false},
		{"three gateway failures", gateways, []Outcome{gateway, slow, refused}, true},
		{"a 500 in between", gateways, []Outcome{gateway, slow, broken, refused}, false},
		{"gateway failures by default", "{consecutive_5xx: 1000, max_ejection_percent: 50}",
			[]Outcome{gateway, gateway, gateway, gateway, gateway}, false},
	} {
		f := newFleet(t, outliers, test.settings, 4)
		for _, o := range test.answers {
			f.sends(2, 1, o)
		}
		if got := f.e.Out(f.now, 2); got != test.out {
			t.Errorf("%s: out %t, want %t", test.name, got, test.out)
		}
	}
}

func TestEnvoyEjectsForLongerEachTime(t *testing.T) {
	f := newFleet(t, outliers, "{}", 10)
	for _, seconds := range []sim.Time{30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300, 300} {
		f.sends(0, 5, broken) // at an interval's end, so that nothing is rounded
		f.now += seconds*sim.Second - 1
		if !f.e.Out(f.now, 0) {
			t.Fatalf("back before %d s", seconds)
		}
		f.now++
		if f.e.Out(f.now, 0) {
			t.Fatalf("not back after %d s", seconds)
		}
	}
}

func TestEnvoyReturnsHostsAtTheEndOfAnInterval(t *testing.T) {
	f := newFleet(t, outliers, "{}", 10)
	f.now = 1
	f.sends(0, 5, broken)
	for _, at := range []sim.Time{30*sim.Second + 1, 40*sim.Second - 1} {
		if f.now = at; !f.e.Out(at, 0) {
			t.Errorf("back at %d ns, between two intervals", at)
		}
	}
	if f.now = 40 * sim.Second; f.e.Out(f.now, 0) {
		t.Error("not back at the interval's end after its 30 s")
	}
}

func TestEnvoyForgetsAnEjectionInEachInterval(t *testing.T) {
	for _, test := range []struct{ quiet, next sim.Time }{
		{0, 120 * sim.Second}, {10 * sim.Second, 90 * sim.Second},
		{20 * sim.Second, 60 * sim.Second}, {30 * sim.Second, 30 * sim.Second},
		{sim.Hour, 30 * sim.Second},
	} {
		f := newFleet(t, outliers, "{}", 10)
		for _, length := range []sim.Time{30, 60, 90} {
			f.sends(0, 5, broken)
			f.now += length * sim.Second
			f.out()
		}
		f.now += test.quiet
		f.sends(0, 5, broken)
		f.now += test.next - 1
		before := f.e.Out(f.now, 0)
		f.now++
		if after := f.e.Out(f.now, 0); !before || after {
			t.Errorf("after %v s in peace: out %t, then %t around %v s",
				test.quiet.Seconds(), before, after, test.next.Seconds())
		}
	}
}

func TestEnvoyDoesNotEjectTwice(t *testing.T) {
	f := newFleet(t, outliers, "{}", 10)
	f.sends(0, 5, broken)
	f.now = 29 * sim.Second
	f.sends(0, 9, broken) // were under way
	f.now = 30 * sim.Second
	if f.e.Out(f.now, 0) {
		t.Error("what was under way kept it out")
	}
	f.sends(0, 4, broken)
	if f.e.Out(f.now, 0) {
		t.Error("its row did not begin anew when it came back")
	}
}

func TestEnvoyPanics(t *testing.T) {
	for _, test := range []struct {
		settings string
		ejected  int
		want     string
	}{
		{"{max_ejection_percent: 100}", 5, "11111-----"},
		{"{max_ejection_percent: 100}", 6, "----------"},
		{"{max_ejection_percent: 100, healthy_panic_threshold: 0}", 10, "1111111111"},
	} {
		f := newFleet(t, outliers, test.settings, 10)
		for host := range test.ejected {
			f.sends(host, 5, broken)
		}
		if got := f.out(); got != test.want {
			t.Errorf("%s, %d ejected: %s, want %s", test.settings, test.ejected, got, test.want)
		}
	}
}

func TestEnvoyCountsLocalFailuresApart(t *testing.T) {
	const split = "{split_external_local_origin_errors: true, max_ejection_percent: 100, " +
		"healthy_panic_threshold: 0}"
	f := newFleet(t, outliers, split, 4)
	f.sends(0, 100, slow) // each has ended the row by its connection
	for range 5 {         // but five that were under way together are a row
		f.e.Picked(f.now, 1)
	}
	for range 5 {
		f.e.Report(f.now, 1, slow)
	}
	f.sends(2, 1, refused)
	f.sends(2, 4, refused)
	f.sends(3, 4, broken)
	f.sends(3, 4, slow)
	if got := f.out(); got != "-11-" {
		t.Errorf("out: %s, want those with five in a row", got)
	}
	f.sends(3, 1, broken) // local failures do not end a row of answers
	if !f.e.Out(f.now, 3) {
		t.Error("five error answers in a row, and not out")
	}
}

func TestEnvoyEjectsAndWaitsByChance(t *testing.T) {
	ejected, longest := 0, sim.Time(0)
	for i := range 1000 {
		f := newFleet(t, outliers, "{enforcing_consecutive_5xx: 30, max_ejection_time_jitter: 60s, "+
			"interval: 100ms}", 10)
		f.p.Seed(sim.Seed(i).Stream("state"))
		f.sends(0, 5, broken)
		if !f.e.Out(f.now, 0) {
			continue
		}
		ejected++
		for f.e.Out(f.now, 0) {
			f.now += 10 * sim.Millisecond
		}
		if f.now < 30*sim.Second || f.now > 90*sim.Second+110*sim.Millisecond {
			t.Fatalf("out for %v s", f.now.Seconds())
		}
		longest = max(longest, f.now)
	}
	if ejected < 250 || ejected > 350 { // five standard deviations are 72
		t.Errorf("%d of 1000 ejected at 30 %%", ejected)
	}
	if longest < 85*sim.Second {
		t.Errorf("the longest of %d is out for %v s", ejected, longest.Seconds())
	}
}

// Those who eject a host at the same instant take it back at times of their own.
func TestEnvoysDoNotSweepTogether(t *testing.T) {
	const n = 100
	early, late := 0, 0
	for i := range n {
		f := newFleet(t, outliers, "{}", 10)
		f.p.Seed(sim.Seed(i).Stream("state"))
		f.now = 20 * sim.Second
		f.sends(0, 5, broken)
		f.now = 50*sim.Second - 1
		if !f.e.Out(f.now, 0) {
			t.Fatal("back before its time")
		}
		f.now = 55 * sim.Second
		if f.e.Out(f.now, 0) {
			late++
		} else {
			early++
		}
		f.now = 60*sim.Second + 1
		if f.e.Out(f.now, 0) {
			t.Fatal("out for longer than its time and an interval")
		}
	}
	if early < 30 || late < 30 {
		t.Errorf("%d come back in the first half of the interval, %d in the second", early, late)
	}
}
