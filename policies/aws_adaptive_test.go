package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

func awsLimiter() *awsAdaptive {
	return kindOf("aws_adaptive").New(nil).Shaper.(*awsAdaptive)
}

// sixDecimals wants a figure to all the decimals that are known of it.
func sixDecimals(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5.1e-7 {
		t.Errorf("%s: %.7f, want %.6f", what, got, want)
	}
}

// TestCubicRecovery restates figures of the SDKs' tests: throttled at 5 s with 10 per second.
func TestCubicRecovery(t *testing.T) {
	sixDecimals(t, "the window of 10", cubicWindow(10), 1.957434)
	sixDecimals(t, "the window of 8", cubicWindow(8), 1.817121)
	sixDecimals(t, "the window of 0", cubicWindow(0), 0)
	for i, want := range []float64{
		7, 9.648936, 10.000031, 10.453285, 13.408697, 21.266268, 36.425999,
	} {
		sixDecimals(t, "the rate", cubicRate(10, sim.Time(i)*sim.Second), want)
	}
}

// TestCubicMixed is the SDKs' test of the formulas alone, which on throttling keeps the reduced
// rate for wmax; the limiter itself keeps the unreduced one.
func TestCubicMixed(t *testing.T) {
	wmax, throttled, before := 10.0, 5, 0.0
	for i, want := range []float64{
		7, 9.648936, 6.754255, 4.727979, 4.670126, 4.770870, 6.011820, 10.792973,
	} {
		at := 5 + i
		rate := cubicRate(wmax, sim.Time(at-throttled)*sim.Second)
		if at == 7 || at == 8 {
			rate = cubicBeta * before
			wmax, throttled = rate, at
		}
		sixDecimals(t, "the rate", rate, want)
		before = rate
	}
}

// TestAdaptiveUpdate: an answer every 200 ms, throttled at 2 and 3.2 s.
func TestAdaptiveUpdate(t *testing.T) {
	l := awsLimiter()
	for i, want := range []struct{ measured, fill float64 }{
		{0, 0.5}, {0, 0.5}, {4.8, 0.5}, {4.8, 0.5}, {4.16, 0.5}, {4.16, 0.6912}, {4.16, 1.0976},
		{5.632, 1.6384}, {5.632, 2.3328}, {4.3264, 3.02848}, {4.3264, 3.486639},
		{4.3264, 3.821874}, {5.66528, 4.053386}, {5.66528, 4.200373}, {4.333056, 4.282037},
		{4.333056, 2.997426}, {4.333056, 3.452226},
	} {
		o := Outcome{Class: OK}
		if i == 9 || i == 15 {
			o = throttled429
		}
		l.Observe(sim.Time(i+1)*200*ms, nil, o)
		sixDecimals(t, "the measured rate", l.measured, want.measured)
		sixDecimals(t, "the fill rate", l.fill, want.fill)
		if enabled := i >= 9; l.enabled != enabled {
			t.Errorf("answer %d: enabled %t", i, l.enabled)
		}
	}
}

// TestAdaptiveHoldsNothingBackBeforeThrottling, whatever fails.
func TestAdaptiveHoldsNothingBackBeforeThrottling(t *testing.T) {
	l := awsLimiter()
	for i := range 1000 {
		now := sim.Time(i) * ms
		if got := l.Delay(now, nil); got != 0 {
			t.Fatalf("attempt %d waits %d", i, got)
		}
		l.Observe(now, nil, []Outcome{status(500), {Class: TimedOut}, {Class: OK}}[i%3])
	}
}

// TestAdaptiveWaitsForATokenToTheNanosecond: throttled before anything was measured, the bucket
// fills at 0.5 per second from nothing, and every attempt takes a whole token. Just before that is
// there, rounding may make one nanosecond two.
func TestAdaptiveWaitsForATokenToTheNanosecond(t *testing.T) {
	l := awsLimiter()
	l.Observe(100*ms, nil, throttled429)
	now := 100 * ms
	for i := range 5 {
		if got := l.Delay(now, nil); got != 2*sim.Second {
			t.Fatalf("attempt %d waits %d, want 2 s", i, got)
		}
		if got := l.Delay(now+2*sim.Second-1, nil); got != 1 && got != 2 {
			t.Errorf("attempt %d: %d left a nanosecond before its token", i, got)
		}
		if got := l.Delay(now+2*sim.Second, nil); got != 0 {
			t.Errorf("attempt %d: still %d to wait for its token", i, got)
		}
		now += 2 * sim.Second
	}
}

// TestAdaptiveAlwaysMovesOn: at any rate, an attempt that waits as it is told gets its token after
// two questions more at most. Rounded down, a wait can be nothing while the token is not there.
func TestAdaptiveAlwaysMovesOn(t *testing.T) {
	luck := sim.Seed(7).Stream("rates")
	for range 20_000 {
		l := awsLimiter()
		l.enabled, l.capacity = true, 1
		l.fill, l.tokens = 0.5+100*luck.Float64(), luck.Float64()
		now := sim.Time(luck.Intn(uint64(sim.Hour)))
		l.filled = now
		asked := 0
		for {
			wait := l.Delay(now, nil)
			if wait == 0 {
				break
			}
			now += wait
			if asked++; asked > 3 {
				t.Fatalf("fill %v: %v tokens at %d after %d waits", l.fill, l.tokens, now, asked)
			}
		}
	}
}

// TestAdaptiveModeSettlesAtWhatItsServiceTakes: a service takes 20 per second and throttles the
// rest; a client that has ten times as much to send ends up near the 20.
func TestAdaptiveModeSettlesAtWhatItsServiceTakes(t *testing.T) {
	l := awsLimiter()
	service := kindOf("token_bucket").New(TokenBucket{Rate: 20, Burst: 5}).Admission
	sent, taken := 0, 0
	for now := sim.Time(0); now < 10*sim.Minute; {
		if wait := l.Delay(now, nil); wait > 0 {
			now += wait
			continue
		}
		o := throttled429
		if service.Enter(now, nil) {
			o = Outcome{Class: OK}
		}
		if now > sim.Minute {
			sent++
			if o.Class == OK {
				taken++
			}
		}
		now += 5 * ms
		l.Observe(now, nil, o)
	}
	if rate := float64(sent) / 540; rate < 14 || rate > 22 || float64(taken) < 0.9*float64(sent) {
		t.Errorf("%.1f sent per second, %d of %d taken; want near 20, and nine in ten",
			rate, taken, sent)
	}
}
