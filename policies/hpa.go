package policies

import (
	"math"

	"cascadesim/sim"
)

// HPASettings are those of a Kubernetes HorizontalPodAutoscaler, and of the controller that serves
// it. Like HPA they are no policy of a stack.
type HPASettings struct {
	Min, Max  int // replicas; Min of 0 lets it scale to nothing
	Tolerance HPATolerance
	// ScaleUp and ScaleDown are spec.behavior. Without behavior the controller uses a rule of its
	// own: down to the highest recommendation of ScaleDown.Window, up to twice or to four.
	ScaleUp, ScaleDown HPARules
	NoBehavior         bool
	CPUInitialization  sim.Time // how long the sample of a pod that starts must be fresh
	InitialReadiness   sim.Time // how soon after its start a pod's first readiness may come
}

// HPATolerance is how far from 1 a ratio may be without a change. Older tests |1 - ratio| <= Up,
// for which 66/60 is outside 0.1 by rounding; from about Kubernetes 1.33 on it is between 1 - Down
// and 1 + Up, for which it is inside.
type HPATolerance struct {
	Down, Up float64
	Older    bool
}

// HPARules are one direction of a behavior.
type HPARules struct {
	Window   sim.Time // stabilisation: going up the lowest, down the highest recommendation counts
	Select   HPASelect
	Policies []HPARule
}

// HPARule allows a change of so many pods, or so many percent, per period.
type HPARule struct {
	Percent bool
	Value   int
	Period  sim.Time
}

// HPASelect says which of several policies counts.
type HPASelect uint8

// The selections.
const (
	HPAMost     HPASelect = iota // the one that allows the largest change
	HPALeast                     // the smallest
	HPADisabled                  // no change in this direction
)

// DefaultHPA are the defaults of autoscaling/v2 and of the controller, read in kubernetes'
// podautoscaler as of 1.33. An object must say its Max; 1 to 10 stands for it here.
var DefaultHPA = HPASettings{
	Min: 1, Max: 10,
	Tolerance: HPATolerance{Down: 0.1, Up: 0.1},
	ScaleUp: HPARules{Policies: []HPARule{
		{Value: 4, Period: 15 * sim.Second}, {Percent: true, Value: 100, Period: 15 * sim.Second},
	}},
	ScaleDown: HPARules{Window: 300 * sim.Second, Policies: []HPARule{
		{Percent: true, Value: 100, Period: 15 * sim.Second},
	}},
	CPUInitialization: 5 * sim.Minute, InitialReadiness: 30 * sim.Second,
}

// HPASync is how often the controller decides.
const HPASync = 15 * sim.Second

// HPA decides how many replicas there should be, as a Kubernetes HorizontalPodAutoscaler does.
type HPA struct {
	set             HPASettings
	begun           bool
	recommendations []hpaChange // unstabilised, oldest first
	ups, downs      []hpaChange // what was changed, oldest first
}

type hpaChange struct {
	at sim.Time
	n  int
}

// NewHPA is an autoscaler that has decided nothing yet.
func NewHPA(set HPASettings) *HPA { return &HPA{set: set} }

// Decide says how many replicas there should be, and remembers that there will be. current is what
// is asked for now, ready or not.
func (h *HPA) Decide(now sim.Time, current int, metrics []HPAMetric) int {
	if !h.begun {
		h.begun = true
		h.recommendations = append(h.recommendations, hpaChange{now, current})
	}
	want := current
	switch {
	case current == 0 && h.set.Min != 0: // somebody has switched it off
		return 0
	case current > h.set.Max:
		want = h.set.Max
	case current < h.set.Min:
		want = h.set.Min
	default:
		proposed, ok := h.set.propose(now, current, metrics)
		if !ok {
			return current
		}
		want = h.normalize(now, current, proposed)
	}
	h.store(now, current, want)
	return want
}

// propose is the most that any metric asks for. One that cannot be read lets the others scale up
// only.
func (s *HPASettings) propose(now sim.Time, current int, metrics []HPAMetric) (int, bool) {
	most, broken := 0, 0
	for i := range metrics {
		n, ok := metrics[i].replicas(now, current, s)
		if !ok {
			broken++
		} else {
			most = max(most, n)
		}
	}
	return most, broken < len(metrics) && (broken == 0 || most >= current)
}

// within tells whether a ratio of usage to target asks for no change.
func (t HPATolerance) within(ratio float64) bool {
	if t.Older {
		return math.Abs(1-ratio) <= t.Up
	}
	return 1-t.Down <= ratio && ratio <= 1+t.Up
}

func (h *HPA) normalize(now sim.Time, current, want int) int {
	s := &h.set
	if s.NoBehavior {
		stable := h.stabilizeOldRule(now, want)
		return max(s.Min, min(stable, s.Max, max(2*current, 4)))
	}
	stable := h.stabilize(now, current, want)
	switch {
	case stable > current:
		return min(stable, s.Max, max(current, h.limitUp(now, current)))
	case stable < current:
		return max(stable, s.Min, min(current, h.limitDown(now, current)))
	}
	return stable
}

// stabilize keeps the number between the lowest recommendation of the window of one direction and
// the highest of the other's.
func (h *HPA) stabilize(now sim.Time, current, want int) int {
	up, down := h.set.ScaleUp.Window, h.set.ScaleDown.Window
	low, high := want, want
	h.recommendations = recent(h.recommendations, now-max(up, down))
	for _, r := range h.recommendations {
		if r.at > now-up {
			low = min(low, r.n)
		}
		if r.at > now-down {
			high = max(high, r.n)
		}
	}
	h.recommendations = append(h.recommendations, hpaChange{now, want})
	return min(max(current, low), high)
}

// stabilizeOldRule is the rule without behavior, whose window holds its own beginning.
func (h *HPA) stabilizeOldRule(now sim.Time, want int) int {
	high := want
	h.recommendations = recent(h.recommendations, now-h.set.ScaleDown.Window-1)
	for _, r := range h.recommendations {
		high = max(high, r.n)
	}
	h.recommendations = append(h.recommendations, hpaChange{now, want})
	return high
}

// recent drops what happened at or before then.
func recent(list []hpaChange, then sim.Time) []hpaChange {
	for len(list) > 0 && list[0].at <= then {
		list = list[1:]
	}
	return list
}

// limitUp is the most replicas that the policies of scaling up allow.
func (h *HPA) limitUp(now sim.Time, current int) int {
	return h.limit(now, current, &h.set.ScaleUp, func(p HPARule, began int) int {
		if p.Percent {
			return int(math.Ceil(float64(began) * (1 + float64(p.Value)/100)))
		}
		return began + p.Value
	})
}

// limitDown is the fewest that the policies of scaling down allow.
func (h *HPA) limitDown(now sim.Time, current int) int {
	return h.limit(now, current, &h.set.ScaleDown, func(p HPARule, began int) int {
		if p.Percent {
			return int(float64(began) * (1 - float64(p.Value)/100))
		}
		return began - p.Value
	})
}

// limit asks each policy, by the number of replicas as its period began, and selects one answer.
func (h *HPA) limit(now sim.Time, current int, r *HPARules, ask func(HPARule, int) int) int {
	if r.Select == HPADisabled || len(r.Policies) == 0 {
		return current
	}
	best := current
	for i, p := range r.Policies {
		began := current - changed(h.ups, now-p.Period) + changed(h.downs, now-p.Period)
		n := ask(p, began)
		farther := (n > best) == (r == &h.set.ScaleUp)
		if i == 0 || n != best && farther == (r.Select == HPAMost) {
			best = n
		}
	}
	return best
}

// changed is how many replicas were changed after then.
func changed(list []hpaChange, then sim.Time) (n int) {
	for _, c := range list {
		if c.at > then {
			n += c.n
		}
	}
	return n
}

// store remembers a change for as long as a policy may ask for it.
func (h *HPA) store(now sim.Time, current, want int) {
	longest := sim.Time(0)
	for _, r := range []*HPARules{&h.set.ScaleUp, &h.set.ScaleDown} {
		for _, p := range r.Policies {
			longest = max(longest, p.Period)
		}
	}
	h.ups, h.downs = recent(h.ups, now-longest), recent(h.downs, now-longest)
	switch {
	case want > current:
		h.ups = append(h.ups, hpaChange{now, want - current})
	case want < current:
		h.downs = append(h.downs, hpaChange{now, current - want})
	}
}
