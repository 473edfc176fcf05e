package policies

import (
	"math"
	"testing"

	"cascadesim/sim"

	"pgregory.net/rapid"
)

const ms = sim.Millisecond

// sample is what a rule of concurrency-limits learns, in milliseconds.
func sample(rtt float64, inside int) limitSample {
	return limitSample{rtt: sim.Time(rtt * float64(ms)), inside: inside}
}

// TestVegasMovesAsTheLibraryDoes holds the figures of its own tests, and of its formulas.
func TestVegasMovesAsTheLibraryDoes(t *testing.T) {
	ten := VegasLimit{InitialLimit: 10, Most: 20, Smoothing: 1, Probe: 30}
	large := VegasLimit{InitialLimit: 10_000, Most: 20_000, Smoothing: 1, Probe: 30}
	halving := VegasLimit{InitialLimit: 100, Most: 200, Smoothing: 0.5, Probe: 30, Decrease: "half"}
	abrupt := halving
	abrupt.Smoothing = 1
	for _, c := range []struct {
		name     string
		settings VegasLimit
		shortest sim.Time
		samples  []limitSample
		want     []int
	}{
		{"grows by six without a queue", ten, 10 * ms, []limitSample{sample(10, 11)}, []int{16}},
		{"shrinks by one with a long queue", ten, 10 * ms, []limitSample{sample(50, 11)}, []int{9}},
		{"stays in between", ten, 10 * ms, []limitSample{sample(14, 14)}, []int{10}},
		{"grows by one with a short queue", ten, 10 * ms, []limitSample{sample(12, 10)}, []int{11}},
		{"steps by four at ten thousand", large, 0,
			[]limitSample{sample(10_000, 5000), sample(10_000, 6000)}, []int{10_000, 10_024}},
		{"smooths a halving", halving, 10 * ms,
			[]limitSample{sample(20, 100), sample(20, 100)}, []int{75, 56}},
		{"or does it at once", abrupt, 10 * ms,
			[]limitSample{sample(20, 100), sample(20, 100)}, []int{50, 25}},
		{"stays while half is unused", ten, 10 * ms, []limitSample{sample(10, 4)}, []int{10}},
		{"moves at exactly a half", ten, 10 * ms, []limitSample{sample(10, 5)}, []int{16}},
		{"never above its most", ten, 10 * ms,
			[]limitSample{sample(10, 10), sample(10, 10), sample(10, 10)}, []int{16, 20, 20}},
		{"a drop shrinks it unused", ten, 10 * ms,
			[]limitSample{{rtt: 10 * ms, inside: 1, drop: true}}, []int{9}},
		{"a shorter time is only noted", ten, 10 * ms,
			[]limitSample{{rtt: 9 * ms, inside: 11, drop: true}}, []int{10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &vegasLimit{
				VegasLimit: &c.settings, limit: float64(c.settings.InitialLimit),
				shortest: c.shortest, jitter: 1,
			}
			for i, s := range c.samples {
				if got := r.update(s, nil); got != c.want[i] {
					t.Errorf("sample %d: limit %d, want %d", i, got, c.want[i])
				}
			}
		})
	}
}

func TestVegasForgetsTheShortestTimeAfterItsProbes(t *testing.T) {
	s := VegasLimit{InitialLimit: 10, Most: 20, Smoothing: 1, Probe: 30}
	r := &vegasLimit{VegasLimit: &s, limit: 10, shortest: 10 * ms, jitter: 0.5}
	chance := sim.Seed(1).Stream("probe")
	for i := range 149 { // 0.5 * 30 * 10 samples, the last of which probes
		r.update(sample(14, 14), &chance)
		if r.shortest != 10*ms {
			t.Fatalf("sample %d already probed", i+1)
		}
	}
	if r.update(sample(14, 14), &chance); r.shortest != 14*ms || r.probes != 0 {
		t.Errorf("after the probe the shortest time is %d and the count %d", r.shortest, r.probes)
	}
	for draw, want := range map[float64]float64{0: 0.5, 0.5: 0.75, 0.999: 0.9995} {
		if got := probeJitter(draw); got != want {
			t.Errorf("a draw of %v is a jitter of %v, want %v", draw, got, want)
		}
	}
}

func TestLogarithmsAreWholeAndAtLeastOne(t *testing.T) {
	for n, want := range map[int]int{
		0: 1, 1: 1, 9: 1, 10: 1, 99: 1, 100: 2, 999: 2, 1000: 3, 9999: 3, 10_000: 4, 1e9: 9,
	} {
		if got := log10(n); got != want {
			t.Errorf("log10(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestGradient2MovesAsItsFormulaSays starts from a long mean that already holds the time.
func TestGradient2MovesAsItsFormulaSays(t *testing.T) {
	s := *kindOf("gradient2_limit").Settings().(*Gradient2Limit)
	for _, c := range []struct{ limit, long, short, want float64 }{
		{20, 100, 100, 20.8}, {100, 100, 100, 100.8}, {100, 100, 200, 95.8}, {100, 100, 400, 90.8},
		{100, 100, 150, 100.8}, {200, 100, 100, 200}, {20, 100, 400, 20},
	} {
		r := &gradient2Limit{Gradient2Limit: &s, limit: c.limit}
		if got := r.next(c.long, c.short); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("limit %v with %v over %v becomes %v, want %v",
				c.limit, c.short, c.long, got, c.want)
		}
	}
}

func TestGradient2IgnoresDropsAndAnUnusedLimit(t *testing.T) {
	s := *kindOf("gradient2_limit").Settings().(*Gradient2Limit)
	update := func(s2 limitSample) float64 {
		r := &gradient2Limit{Gradient2Limit: &s, limit: 100}
		r.update(s2, nil)
		return r.limit
	}
	well, dropped := sample(10, 50), sample(10, 50)
	dropped.drop = true
	if a, b := update(well), update(dropped); a != b || a <= 100 {
		t.Errorf("limit %v, and %v with a drop; want the same, above 100", a, b)
	}
	if got := update(sample(10, 49)); got != 100 {
		t.Errorf("with less than half in use the limit became %v", got)
	}
}

func TestTheLongMeanIsPlainAndThenExponential(t *testing.T) {
	var m longMean
	for i := 1; i <= 10; i++ {
		m.add(float64(i), 600)
	}
	if m.value != 5.5 {
		t.Errorf("the mean of 1 to 10 is %v", m.value)
	}
	if got, want := m.add(606.5, 600), 5.5+601*2.0/601; math.Abs(got-want) > 1e-9 {
		t.Errorf("the eleventh makes it %v, want %v", got, want)
	}
	s := *kindOf("gradient2_limit").Settings().(*Gradient2Limit)
	r := &gradient2Limit{Gradient2Limit: &s, limit: 100, long: longMean{value: 100e6, count: 10}}
	r.update(sample(1, 0), nil)
	want := (100e6*(1-2.0/601) + 1e6*2/601) * 0.95
	if got := r.long.value; math.Abs(got-want) > 1e-3 {
		t.Errorf("a long mean far above the time is %v afterwards, want %v", got, want)
	}
}

func TestGradientOneMovesAsItsFormulaSays(t *testing.T) {
	s := *kindOf("gradient_limit").Settings().(*GradientLimit)
	for _, c := range []struct {
		name  string
		limit float64
		s     limitSample
		want  float64
	}{
		{"grows by the root at once", 100, sample(10, 100), 110},
		{"by four when that is more", 9, sample(10, 9), 13},
		{"within the tolerance too", 100, sample(20, 100), 110},
		{"shrinks smoothed", 100, sample(40, 100), 92}, // 80 + 0.2 * (50 + 10)
		{"by half at most before the queue", 100, sample(99, 100), 92},
		{"after a drop", 100, limitSample{rtt: 10 * ms, drop: true}, 98}, // 80 + 0.2 * 90
		{"not while half is unused", 100, sample(40, 49), 100},
		{"never above its most", 1000, sample(10, 1000), 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &gradientLimit{
				GradientLimit: &s, limit: c.limit, shortest: 10 * ms, left: 5, counting: true,
			}
			r.update(c.s, nil)
			if math.Abs(r.limit-c.want) > 1e-9 {
				t.Errorf("limit %v, want %v", r.limit, c.want)
			}
		})
	}
}

func TestGradientOneForgetsAllAtItsProbe(t *testing.T) {
	s := *kindOf("gradient_limit").Settings().(*GradientLimit)
	r := &gradientLimit{
		GradientLimit: &s, limit: 400, shortest: 10 * ms, left: 1, counting: true,
	}
	chance := sim.Seed(1).Stream("probe")
	r.update(sample(20, 0), &chance)
	if r.limit != 400 {
		t.Fatalf("it probed a sample too early: %v", r.limit)
	}
	if got := r.update(sample(20, 0), &chance); got != 20 || r.shortest != 0 {
		t.Errorf("limit %d, shortest time %d; want 20, forgotten", got, r.shortest)
	}
	if r.left < 1000 || r.left >= 2000 {
		t.Errorf("the next probe is in %d samples, want 1000 to 1999", r.left)
	}
	never := s
	never.Probe = -1
	r = &gradientLimit{GradientLimit: &never, limit: 400}
	if got := r.update(sample(20, 0), nil); got != 400 {
		t.Errorf("without probes the limit fell to %d", got)
	}
}

func TestAIMDAddsOneAndTakesATenth(t *testing.T) {
	s := *kindOf("aimd_limit").Settings().(*AIMDLimit)
	for _, c := range []struct {
		name  string
		limit int
		s     limitSample
		want  int
	}{
		{"grows when half is used", 20, sample(10, 10), 21},
		{"not below half", 21, sample(10, 10), 21},
		{"shrinks after a drop", 30, limitSample{rtt: 10 * ms, inside: 10, drop: true}, 27},
		{"a time of the timeout is none", 30, sample(5000, 30), 31},
		{"a longer one is", 30, limitSample{rtt: 5*sim.Second + 1, inside: 30}, 27},
		{"never below its least", 20, limitSample{rtt: 10 * ms, drop: true}, 20},
		{"never above its most", 200, sample(10, 200), 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &aimdLimit{AIMDLimit: &s, limit: c.limit}
			if got := r.update(c.s, nil); got != c.want {
				t.Errorf("limit %d, want %d", got, c.want)
			}
		})
	}
}

// guest is one attempt inside a callee.
type guest struct {
	a    Attempt
	note uint64
	at   sim.Time
}

func arrive(p Policy, now sim.Time) (*guest, bool) {
	g := &guest{at: now}
	g.a.Note = &g.note
	return g, p.Admission.Enter(now, &g.a)
}

func (g *guest) leave(p Policy, now sim.Time, o Outcome) {
	p.Finisher.Finish(now, &g.a, now-g.at, o)
}

func TestAFixedLimitCountsWhoIsInside(t *testing.T) {
	p := kindOf("fixed_limit").New(FixedLimit{Limit: 3})
	var inside []*guest
	for i := range 5 {
		g, in := arrive(p, 0)
		if want := i < 3; in != want {
			t.Errorf("arrival %d entered: %t, want %t", i+1, in, want)
		}
		if in {
			inside = append(inside, g)
		}
	}
	inside[1].leave(p, ms, Outcome{Class: Dropped})
	if _, in := arrive(p, ms); !in {
		t.Error("a place that was given back was not given again")
	}
	if _, in := arrive(p, ms); in {
		t.Error("it was given twice")
	}
}

// TestNoPlaceIsEverLost lets everything happen to attempts and empties the callee at the end.
func TestNoPlaceIsEverLost(t *testing.T) {
	kinds := []string{"fixed_limit", "aimd_limit", "vegas_limit", "gradient_limit", "gradient2_limit"}
	rapid.Check(t, func(t *rapid.T) {
		p := kindOf(rapid.SampledFrom(kinds).Draw(t, "kind")).New(nil)
		f := p.Admission.(*inFlight)
		var inside []*guest
		now := sim.Time(0)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += sim.Time(rapid.IntRange(0, 500).Draw(t, "ms")) * ms
			if g, in := arrive(p, now); in {
				inside = append(inside, g)
			}
			if len(inside) > 0 && rapid.Bool().Draw(t, "leave") {
				i := rapid.IntRange(0, len(inside)-1).Draw(t, "who")
				class := rapid.SampledFrom([]Class{OK, Error, Rejected, Dropped}).Draw(t, "class")
				inside[i].leave(p, now, Outcome{Class: class})
				inside = append(inside[:i], inside[i+1:]...)
			}
			if f.inside != len(inside) || f.limit < 1 {
				t.Fatalf("%d inside of %d, want %d", f.inside, f.limit, len(inside))
			}
		}
	})
}

// TestAWindowPassesOnTheMeanAndTheMost feeds ten attempts that entered one after another.
func TestAWindowPassesOnTheMeanAndTheMost(t *testing.T) {
	z := &windowSize{sim.Second, sim.Second, 10, 100 * sim.Microsecond}
	var w sampleWindow
	if _, ready := w.add(z, 5*ms, sample(5, 99)); ready {
		t.Fatal("the first window, of one sample, was passed on")
	}
	end := w.ends
	if end != sim.Second+5*ms {
		t.Fatalf("the first window ends at %d", end)
	}
	w.add(z, end-ms, limitSample{rtt: 100*sim.Microsecond - 1, inside: 1000, drop: true})
	for i := range 8 {
		w.add(z, end-ms, sample(float64(10+i), i))
	}
	if _, ready := w.add(z, end, sample(18, 3)); ready {
		t.Fatal("it was passed on at its end, not after it")
	}
	s, ready := w.add(z, end+1, limitSample{rtt: 20 * ms, inside: 2, drop: true})
	if want := (limitSample{14600 * sim.Microsecond, 7, true}); !ready || s != want {
		t.Errorf("passed on %t: %+v, want %+v", ready, s, want)
	}
	for i := range 9 {
		w.add(z, w.ends-sim.Time(i), sample(10, 1))
	}
	if _, ready := w.add(z, w.ends+1, limitSample{rtt: 99 * sim.Microsecond}); ready {
		t.Error("an ignored sample ended a window")
	}
	long := &windowSize{sim.Second, 3 * sim.Second, 10, 0}
	for rtt, want := range map[sim.Time]sim.Time{
		400 * ms: sim.Second, 700 * ms: 1400 * ms, 2 * sim.Second: 3 * sim.Second,
	} {
		var w sampleWindow
		if w.add(long, 1, limitSample{rtt: rtt}); w.ends != 1+want {
			t.Errorf("a window after %d lasts %d, want %d", rtt, w.ends-1, want)
		}
	}
}

func TestASampleTellsHowManyWereInsideAsItEntered(t *testing.T) {
	s := AIMDLimit{InitialLimit: 4, MinLimit: 1, Most: 100, BackoffRatio: 0.5, Timeout: sim.Second}
	p := kindOf("aimd_limit").New(s)
	first, _ := arrive(p, 0)
	var others []*guest
	for range 3 {
		g, _ := arrive(p, 0)
		others = append(others, g)
	}
	first.leave(p, ms, Outcome{Class: OK}) // one of four: less than half were in use
	if got := p.Admission.(*inFlight).limit; got != 4 {
		t.Errorf("limit %d after one that entered alone, want 4", got)
	}
	others[2].leave(p, ms, Outcome{Class: OK})
	if got := p.Admission.(*inFlight).limit; got != 5 {
		t.Errorf("limit %d after one that entered fourth, want 5", got)
	}
	others[0].leave(p, ms, Outcome{Class: Error, Status: 504})
	if got := p.Admission.(*inFlight).limit; got != 2 {
		t.Errorf("limit %d after an answer 504, want 2", got)
	}
}
