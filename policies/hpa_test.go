package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"

	"pgregory.net/rapid"
)

// steady is a metric of so many pods that have long been ready and all use a percentage.
func steady(pods int, percent int64, target int) HPAMetric {
	m := HPAMetric{Target: target, CPU: true}
	for range pods {
		m.Pods = append(m.Pods, HPAPod{Usage: 10 * percent, Request: 1000, Ready: true})
	}
	return m
}

// longAgo is late enough for pods of time 0 to be past their start.
const longAgo = sim.Hour

// wide is an autoscaler that nothing holds back: no window, no policies.
func wide(t HPATolerance) HPASettings {
	s := DefaultHPA
	s.Tolerance, s.Max, s.ScaleDown.Window = t, 1000, 0
	s.ScaleUp.Policies = []HPARule{{Value: 1000, Period: sim.Second}}
	return s
}

func TestHPAWantsUsageOverTargetRoundedUp(t *testing.T) {
	newer, older := DefaultHPA.Tolerance, HPATolerance{Up: 0.1, Older: true}
	for _, c := range []struct {
		pods      int
		percent   int64
		target    int
		tolerance HPATolerance
		want      int
	}{
		{4, 90, 60, newer, 6}, {4, 66, 60, older, 5}, {4, 66, 60, newer, 4}, {4, 67, 60, newer, 5},
		{4, 54, 60, newer, 4}, {4, 53, 60, newer, 4}, {4, 44, 60, newer, 3}, {10, 30, 60, newer, 5},
		{1, 600, 60, newer, 10}, {10, 90, 50, newer, 18}, {10, 54, 50, newer, 10},
		{10, 25, 50, newer, 5}, {4, 90, 60, older, 6}, {4, 54, 60, older, 4},
	} {
		h := NewHPA(wide(c.tolerance))
		got := h.Decide(longAgo, c.pods, []HPAMetric{steady(c.pods, c.percent, c.target)})
		if got != c.want {
			t.Errorf("%d pods at %d %% of %d %% (older: %t): %d, want %d",
				c.pods, c.percent, c.target, c.tolerance.Older, got, c.want)
		}
	}
}

// TestHPAGoesDownAfterItsWindow plays 300 s of a load that fell, and a moment of it before.
func TestHPAGoesDownAfterItsWindow(t *testing.T) {
	for _, c := range []struct {
		pods    int
		percent int64
		want    int
	}{{4, 44, 3}, {10, 30, 5}, {10, 25, 5}} {
		target := 60
		if c.percent == 25 {
			target = 50
		}
		h := NewHPA(DefaultHPA)
		times := []sim.Time{300*sim.Second - 1}
		for at := 300*sim.Second - HPASync; at >= 0; at -= HPASync {
			times = append(times, at)
		}
		for _, at := range slices.Backward(times) {
			got := h.Decide(longAgo+at, c.pods, []HPAMetric{steady(c.pods, c.percent, target)})
			if got != c.pods {
				t.Fatalf("%v s later it wants %d of %d already", at.Seconds(), got, c.pods)
			}
		}
		got := h.Decide(longAgo+300*sim.Second, c.pods, []HPAMetric{steady(c.pods, c.percent, target)})
		if got != c.want {
			t.Errorf("after 300 s it wants %d, want %d", got, c.want)
		}
	}
}

func TestHPAStaysUpForTheHighestRecommendation(t *testing.T) {
	h := NewHPA(DefaultHPA)
	if got := h.Decide(longAgo, 4, []HPAMetric{steady(4, 90, 60)}); got != 6 {
		t.Fatalf("wants %d, want 6", got)
	}
	for at := HPASync; at < 300*sim.Second; at += HPASync {
		if got := h.Decide(longAgo+at, 6, []HPAMetric{steady(6, 20, 60)}); got != 6 {
			t.Fatalf("%d s later it wants %d", at/sim.Second, got)
		}
	}
	if got := h.Decide(longAgo+300*sim.Second, 6, []HPAMetric{steady(6, 20, 60)}); got != 2 {
		t.Errorf("300 s after its last high recommendation it wants %d, want 2", got)
	}
}

func TestHPAGoesUpByFourOrTwiceEachFifteenSeconds(t *testing.T) {
	h := NewHPA(DefaultHPA)
	if got := h.Decide(longAgo, 1, []HPAMetric{steady(1, 600, 60)}); got != 5 {
		t.Errorf("of one pod at tenfold load it makes %d at first, want 5", got)
	}
	for _, early := range []sim.Time{1, HPASync - 1} {
		got := h.Decide(longAgo+early, 5, []HPAMetric{steady(5, 120, 60)})
		if got != 5 {
			t.Errorf("within the period it makes %d, want no more than 5", got)
		}
	}
	if got := h.Decide(longAgo+HPASync, 5, []HPAMetric{steady(5, 120, 60)}); got != 10 {
		t.Errorf("then it makes %d, want 10", got)
	}
}

func TestHPAWithoutBehaviorGoesUpToFourOrTwice(t *testing.T) {
	s := DefaultHPA
	s.NoBehavior = true
	h := NewHPA(s)
	for i, want := range []int{4, 8, 10} {
		current := []int{1, 4, 8}[i]
		if got := h.Decide(longAgo, current, []HPAMetric{steady(current, 600, 60)}); got != want {
			t.Errorf("of %d it makes %d, want %d", current, got, want)
		}
	}
	h = NewHPA(s)
	h.Decide(longAgo, 10, []HPAMetric{steady(10, 60, 60)})
	for later, want := range map[sim.Time]int{300 * sim.Second: 10, 300*sim.Second + 1: 5} {
		h := NewHPA(s)
		h.Decide(longAgo, 10, []HPAMetric{steady(10, 60, 60)})
		if got := h.Decide(longAgo+later, 10, []HPAMetric{steady(10, 30, 60)}); got != want {
			t.Errorf("%d ns after a recommendation of 10 it wants %d, want %d", later, got, want)
		}
	}
}

// TestASidecarHidesFromOneMetricOrFillsIt holds the ways in which a sum over containers misleads.
func TestASidecarHidesFromOneMetricOrFillsIt(t *testing.T) {
	pods := func(usage, request int64) HPAMetric {
		m := steady(4, 0, 60)
		for i := range m.Pods {
			m.Pods[i].Usage, m.Pods[i].Request = usage, request
		}
		return m
	}
	for _, c := range []struct {
		name           string
		usage, request int64
		want           int
	}{
		{"a sidecar far above its request inflates the sum", 200 + 2000, 1000 + 100, 14},
		{"the application alone is idle", 200, 1000, 2},
		{"a sidecar at its small limit is diluted", 200 + 100, 1000 + 100, 2},
		{"the sidecar alone is full", 100, 100, 7},
	} {
		h := NewHPA(wide(DefaultHPA.Tolerance))
		got := h.Decide(longAgo, 4, []HPAMetric{pods(c.usage, c.request)})
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestPodsThatStartAreSetAside(t *testing.T) {
	const now = longAgo
	old := HPAPod{Usage: 10, Request: 1000, Ready: true, Sampled: now, Window: 30 * sim.Second}
	with := func(change func(*HPAPod)) HPAPod { p := old; change(&p); return p }
	unready := func(started, since sim.Time) HPAPod {
		return with(func(p *HPAPod) { p.Ready, p.Started, p.Since = false, started, since })
	}
	ready := func(started, since sim.Time) HPAPod {
		return with(func(p *HPAPod) { p.Started, p.Since = started, since })
	}
	for name, c := range map[string]struct {
		pod  HPAPod
		want hpaGroup
	}{
		"long ready":                {old, hpaCounts},
		"gone":                      {with(func(p *HPAPod) { p.Gone = true }), hpaIgnored},
		"pending":                   {with(func(p *HPAPod) { p.Pending = true }), hpaUnready},
		"without a metric":          {with(func(p *HPAPod) { p.Missing = true }), hpaMissing},
		"not ready any more":        {unready(0, 40*sim.Second), hpaCounts},
		"never ready":               {unready(0, 30*sim.Second-1), hpaUnready},
		"not ready since 30 s":      {unready(0, 30*sim.Second), hpaCounts},
		"starting, not ready":       {unready(now-5*sim.Minute+1, now-1), hpaUnready},
		"starting, ready and fresh": {ready(now-1, now-30*sim.Second), hpaCounts},
		"starting, sample too old":  {ready(now-1, now-30*sim.Second+1), hpaUnready},
		"started five minutes ago":  {ready(now-5*sim.Minute, now-1), hpaCounts},
	} {
		if got := c.pod.group(now, true, &DefaultHPA); got != c.want {
			t.Errorf("%s: group %d, want %d", name, got, c.want)
		}
	}
	memory := with(func(p *HPAPod) { p.Ready = false })
	if got := memory.group(now, false, &DefaultHPA); got != hpaCounts {
		t.Errorf("for another metric than processors readiness must not count: group %d", got)
	}
}

func TestPodsSetAsideMakeAChangeSmaller(t *testing.T) {
	unready := HPAPod{Request: 1000, Pending: true}
	missing := HPAPod{Request: 1000, Missing: true}
	for _, c := range []struct {
		name    string
		percent int64
		target  int
		extra   []HPAPod
		want    int
	}{
		{"unready pods count as idle when it grows", 120, 60, []HPAPod{unready, unready}, 8},
		{"they turn growth into nothing", 90, 60, []HPAPod{unready, unready}, 6},
		{"but never round", 70, 60, []HPAPod{unready, unready}, 6},
		{"they do not count when it shrinks", 30, 60, []HPAPod{unready, unready}, 2},
		{"missing ones are idle when it grows", 120, 60, []HPAPod{missing, missing}, 8},
		{"and full when it shrinks", 15, 60, []HPAPod{missing}, 3},
		{"at the target when that is above full", 60, 200, []HPAPod{missing}, 3},
		{"which can turn it round, so nothing happens", 50, 60, []HPAPod{missing, missing}, 6},
	} {
		m := steady(4, c.percent, c.target)
		m.Pods = append(m.Pods, c.extra...)
		got := NewHPA(wide(DefaultHPA.Tolerance)).Decide(longAgo, len(m.Pods), []HPAMetric{m})
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestTheLargestMetricWinsAndABrokenOneBlocksTheWayDown(t *testing.T) {
	low, high := steady(10, 30, 60), steady(10, 90, 60)
	broken := HPAMetric{Target: 60, Broken: true}
	silent := HPAMetric{Target: 60, Pods: []HPAPod{{Request: 1000, Missing: true}}}
	for _, c := range []struct {
		name    string
		metrics []HPAMetric
		want    int
	}{
		{"two", []HPAMetric{low, high}, 15}, {"down", []HPAMetric{low}, 5},
		{"down with a broken one", []HPAMetric{low, broken}, 10},
		{"down with a silent one", []HPAMetric{silent, low}, 10},
		{"up with a broken one", []HPAMetric{broken, high}, 15},
		{"all broken", []HPAMetric{broken, broken}, 10},
	} {
		got := NewHPA(wide(DefaultHPA.Tolerance)).Decide(longAgo, 10, c.metrics)
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestAnAverageValueIsRoundedDownForEachPod(t *testing.T) {
	m := HPAMetric{Target: 100, Average: true, Pods: make([]HPAPod, 3)}
	for i := range m.Pods {
		m.Pods[i].Usage = 150
	}
	m.Pods[0].Usage = 151
	h := NewHPA(wide(DefaultHPA.Tolerance))
	if got := h.Decide(longAgo, 3, []HPAMetric{m}); got != 5 { // ceil(1.5 * 3), not of 1.5033
		t.Errorf("wants %d, want 5", got)
	}
	m.Pods = append(m.Pods, HPAPod{Missing: true})
	for i := range 3 {
		m.Pods[i].Usage = 20
	}
	h = NewHPA(wide(DefaultHPA.Tolerance))
	if got := h.Decide(longAgo, 4, []HPAMetric{m}); got != 2 { // (60 + 100) / 4 = 40 %
		t.Errorf("with one missing it wants %d, want 2", got)
	}
}

func TestHPALimits(t *testing.T) {
	s := DefaultHPA
	s.Min, s.Max = 2, 8
	for current, want := range map[int]int{0: 0, 1: 2, 12: 8} {
		if got := NewHPA(s).Decide(longAgo, current, nil); got != want {
			t.Errorf("of %d it makes %d, want %d", current, got, want)
		}
	}
	for _, c := range []struct {
		name    string
		rules   HPARules
		percent int64
		want    int
	}{
		{"the least of two policies up", HPARules{Select: HPALeast, Policies: []HPARule{
			{Value: 3, Period: HPASync}, {Percent: true, Value: 10, Period: HPASync},
		}}, 600, 11},
		{"percent are rounded up", HPARules{Policies: []HPARule{
			{Percent: true, Value: 1, Period: HPASync},
		}}, 600, 11},
		{"the most of two policies down", HPARules{Policies: []HPARule{
			{Value: 3, Period: HPASync}, {Percent: true, Value: 10, Period: HPASync},
		}}, 1, 7},
		{"the least of two", HPARules{Select: HPALeast, Policies: []HPARule{
			{Value: 3, Period: HPASync}, {Percent: true, Value: 10, Period: HPASync},
		}}, 1, 9},
		{"up is switched off", HPARules{Select: HPADisabled}, 600, 10},
		{"down is switched off", HPARules{Select: HPADisabled}, 1, 10},
	} {
		s := DefaultHPA
		s.Max, s.ScaleUp, s.ScaleDown = 100, c.rules, c.rules
		if got := NewHPA(s).Decide(longAgo, 10, []HPAMetric{steady(10, c.percent, 60)}); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestHPAKeepsItsLaws drives it with random loads: its number is always within bounds, within what
// the policies allow in one period, and never lower than any it has wanted in the last window.
func TestHPAKeepsItsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := DefaultHPA
		s.Min, s.Max = rapid.IntRange(1, 5).Draw(t, "min"), rapid.IntRange(5, 50).Draw(t, "max")
		h := NewHPA(s)
		current := rapid.IntRange(s.Min, s.Max).Draw(t, "replicas")
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			now := longAgo + sim.Time(i)*HPASync
			load := rapid.Int64Range(1, 500).Draw(t, "percent")
			got := h.Decide(now, current, []HPAMetric{steady(current, load, 60)})
			if got < s.Min || got > s.Max || got > max(2*current, current+4) {
				t.Fatalf("step %d: %d of %d", i, got, current)
			}
			for _, r := range h.recommendations {
				if got < current && r.at > now-300*sim.Second && got < min(r.n, current) {
					t.Fatalf("step %d: %d, though it wanted %d lately", i, got, r.n)
				}
			}
			current = got
		}
	})
}
