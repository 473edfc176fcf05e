package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// DAGOR moves a level of admission up while attempts wait long, and down while they do not.
type DAGOR struct {
	Queueing sim.Time   `yaml:"queueing_time" doc:"Mean wait in line that is an overload; from 1us."`
	Window   sim.Time   `yaml:"window" doc:"Longest time between two looks; 1 ms to 1 h."`
	Requests int        `yaml:"requests" scale:"s" doc:"Arrivals after which it looks anyway."`
	Alpha    unit.Ratio `yaml:"alpha" doc:"Share of the admitted shed in an overload; to below 1."`
	Beta     unit.Ratio `yaml:"beta" doc:"Share of the arrivals let in again otherwise; to 1."`
}

var _ = builtin(Spec{
	Name: "dagor",
	Doc: "Turns away what is below a level, and tells the level on each answer, for dagor_client at " +
		"the callers to turn it away there. The level of an attempt is its priority and, within " +
		"it, one of 128 drawn for its client, anew each hour, so that a part of the clients is " +
		"served well instead of all of them badly. After each `window` or so many `requests`, the " +
		"level rises, if the mean wait of those whose turn came was above queueing_time, until " +
		"the admitted of that window would have been `alpha` fewer, and else falls until they " +
		"would have been more by `beta` of its arrivals. It is the overload control of WeChat, " +
		"known from its paper and summaries of it only: ties, the first level (0, which admits " +
		"all) and a window without arrivals (no change) are this program's choices. Attempts of " +
		"no known client draw a level each, and their retries a new one.",
	Example:  "{queueing_time: 20ms, window: 1s, requests: 2000}",
	Source:   "H. Zhou et al., Overload Control for Scaling WeChat Microservices, SoCC 2018",
	Sure:     FromDocument,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
}, DAGOR{
	// All are the paper's.
	Queueing: 20 * sim.Millisecond, Window: sim.Second, Requests: 2000, Alpha: 0.05, Beta: 0.01,
}, func(s DAGOR) []error {
	var errs []error
	if s.Queueing < sim.Microsecond || s.Queueing > sim.Hour {
		errs = append(errs, fmt.Errorf("queueing_time: %s; 1us to 1h",
			unit.FormatDuration(s.Queueing)))
	}
	if s.Window < sim.Millisecond || s.Window > sim.Hour {
		errs = append(errs, fmt.Errorf("window: %s; 1ms to 1h", unit.FormatDuration(s.Window)))
	}
	if s.Requests < 1 || s.Requests > 1e9 {
		errs = append(errs, fmt.Errorf("requests: %d arrivals; 1 to 1e9", s.Requests))
	}
	if a := float64(s.Alpha); !(a > 0 && a < 1) {
		errs = append(errs, fmt.Errorf("alpha: %v; above 0 to below 1, where 5%% is 0.05", a))
	}
	if b := float64(s.Beta); !(b > 0 && b <= 1) {
		errs = append(errs, fmt.Errorf("beta: %v; above 0 to 1, where 1%% is 0.01", b))
	}
	return errs
}, func(s DAGOR) func() Policy {
	return func() Policy {
		d := &dagor{DAGOR: &s}
		return Policy{Admission: d, Turner: d, Adviser: d}
	}
})

const (
	dagorUsers  = 128
	dagorLevels = 8 * dagorUsers // of 8 priorities
)

// dagor is 4 KiB: how many arrived at each level in this window.
type dagor struct {
	*DAGOR
	level    int // below it nobody enters
	began    sim.Time
	arrived  int
	admitted int
	turns    int
	waited   float64 // sum over the turns, ns
	counts   [dagorLevels]int32
}

func (d *dagor) Enter(now sim.Time, a *Attempt) bool {
	d.look(now)
	level := dagorLevel(now, a)
	d.arrived++
	d.counts[level]++
	if level < d.level {
		return false
	}
	d.admitted++
	return true
}

// dagorLevel is the level of an attempt, the same at its caller and its callee.
func dagorLevel(now sim.Time, a *Attempt) int {
	var share float64
	if a.Client != 0 {
		share = sim.Ident(a.Client).Child(uint64(now / sim.Hour)).Share(0)
	} else {
		chance := a.Chance
		share = chance.Float64()
	}
	return min(max(a.Priority, 0), 7)*dagorUsers + int(share*dagorUsers)
}

func (d *dagor) Turn(now sim.Time, _ *Attempt, waited sim.Time) bool {
	d.look(now)
	d.turns++
	d.waited += float64(waited)
	return true
}

func (d *dagor) Advise(sim.Time, *Attempt) float64 { return float64(d.level) }

// look ends the window if its time has come.
func (d *dagor) look(now sim.Time) {
	if d.arrived < d.Requests && now-d.began < d.Window {
		return
	}
	if d.waited > float64(d.Queueing)*float64(d.turns) {
		d.raise()
	} else {
		d.lower()
	}
	*d = dagor{DAGOR: d.DAGOR, level: d.level, began: now}
}

// raise sheds level after level until alpha of the admitted would not have entered.
func (d *dagor) raise() {
	want := float64((1 - float64(d.Alpha)) * float64(d.admitted))
	for would := d.admitted; float64(would) > want && d.level < dagorLevels; d.level++ {
		would -= int(d.counts[d.level])
	}
}

// lower lets level after level in until beta of the arrivals more would have entered.
func (d *dagor) lower() {
	want := float64(d.admitted) + float64(float64(d.Beta)*float64(d.arrived))
	for would := d.admitted; float64(would) < want && d.level > 0; {
		d.level--
		would += int(d.counts[d.level])
	}
}
