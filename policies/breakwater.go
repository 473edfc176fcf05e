package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Breakwater hands out credits by the wait in line.
type Breakwater struct {
	Target   sim.Time `yaml:"target" doc:"Wait above which the credits shrink; whole us, from 1us."`
	RTT      sim.Time `yaml:"rtt" doc:"How often they change; from 1us."`
	Clients  int      `yaml:"clients" scale:"s" doc:"Sessions that share the credits; at least 1."`
	Cores    int      `yaml:"cores" scale:"s" doc:"Fewest credits, and those at the start."`
	Additive float64  `yaml:"additive" doc:"Growth per session and rtt; 0 to 1."`
	Decrease float64  `yaml:"multiplicative" doc:"Share lost per target of excess; 0 to 1."`
	Most     int      `yaml:"max_window" doc:"Most credits of one session; at least 1."`
}

var _ = builtin(Spec{
	Name: "breakwater",
	Doc: "Every `rtt` a pool of credits grows by max(1, int(additive * clients)) while the wait in " +
		"line is below `target`, else it is multiplied by max(0.5, 1 - multiplicative * (wait - " +
		"target)/target), between `cores` and max_window * clients. An attempt that arrives while " +
		"the wait is twice the target is turned away. Each answer tells its caller, with " +
		"breakwater_client, how many attempts it may have in flight. Pool and drop are those of " +
		"Breakwater in caladan. How credits reach the callers is not, so this is no exact copy: " +
		"there each session is granted credits by its demand and its use, and one with none is " +
		"woken by a message when there are some; here each has an equal share, clients that are " +
		"idle included. The wait is that of the last attempt whose turn came, and 0 while nobody " +
		"waits. The defaults are for work of 10 us on a network of 10 us.",
	Example:  "{target: 80us, rtt: 10us, clients: 1000}",
	Source:   "shenango/caladan@018324d0, breakwater/src/bw_server.c, with bw_config.h",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
}, Breakwater{
	// Those of bw_config.h, but for what a machine has: a thousand clients is its recommended case.
	Target: 80 * sim.Microsecond, RTT: 10 * sim.Microsecond, Clients: 1000, Cores: 10,
	Additive: 0.001, Decrease: 0.02, Most: 64,
}, checkBreakwater, func(s Breakwater) func() Policy {
	return func() Policy {
		b := &breakwater{Breakwater: &s, credits: s.Cores}
		return Policy{Admission: b, Turner: b, Finisher: b, Adviser: b}
	}
})

func checkBreakwater(s Breakwater) []error {
	var errs []error
	if s.Target < sim.Microsecond || s.Target > sim.Hour || s.Target%sim.Microsecond != 0 {
		errs = append(errs, fmt.Errorf("target: %s; 1us to 1h in whole microseconds",
			unit.FormatDuration(s.Target)))
	}
	if s.RTT < sim.Microsecond || s.RTT > sim.Hour {
		errs = append(errs, fmt.Errorf("rtt: %s; 1us to 1h", unit.FormatDuration(s.RTT)))
	}
	for _, n := range []struct {
		name string
		n    int
	}{{"clients", s.Clients}, {"cores", s.Cores}, {"max_window", s.Most}} {
		if n.n < 1 || n.n > 1e6 {
			errs = append(errs, fmt.Errorf("%s: %d; 1 to 1e6", n.name, n.n))
		}
	}
	if !(s.Additive >= 0 && s.Additive <= 1) {
		errs = append(errs, fmt.Errorf("additive: %v; 0 to 1", s.Additive))
	}
	if !(s.Decrease >= 0 && s.Decrease <= 1) {
		errs = append(errs, fmt.Errorf("multiplicative: %v; 0 to 1", s.Decrease))
	}
	return errs
}

// breakwater catches up with its clock at each event. The note of an attempt is 1 while it waits.
type breakwater struct {
	*Breakwater
	credits int
	at      sim.Time // of the last change of the credits
	waiting int
	wait    sim.Time // of the last attempt whose turn came
}

func (b *breakwater) Enter(now sim.Time, a *Attempt) bool {
	b.catchUp(now)
	if b.delay() >= 2*b.Target {
		return false
	}
	b.waiting++
	*a.Note = 1
	return true
}

func (b *breakwater) Turn(now sim.Time, a *Attempt, waited sim.Time) bool {
	b.catchUp(now)
	b.quit(a)
	b.wait = waited
	return true
}

func (b *breakwater) Finish(now sim.Time, a *Attempt, _ sim.Time, _ Outcome) {
	if *a.Note == 1 {
		b.catchUp(now)
		b.quit(a) // it gave up in line, or the line was full
	}
}

func (b *breakwater) quit(a *Attempt) {
	*a.Note = 0
	b.waiting--
}

// Advise is the caller's share of the credits.
func (b *breakwater) Advise(now sim.Time, _ *Attempt) float64 {
	b.catchUp(now)
	return float64(b.credits) / float64(b.Clients)
}

// delay is the wait in line as the runtime would tell it.
func (b *breakwater) delay() sim.Time {
	if b.waiting == 0 {
		return 0
	}
	return b.wait
}

// catchUp changes the credits once for each rtt that has passed.
func (b *breakwater) catchUp(now sim.Time) {
	rounds := (now - b.at) / b.RTT
	b.at += rounds * b.RTT
	delay := b.delay()
	if delay/sim.Microsecond < b.Target/sim.Microsecond {
		b.credits += int(min(rounds, 1<<30)) * max(int(float64(b.Clients)*b.Additive), 1)
		b.clamp()
		return
	}
	for ; rounds > 0; rounds-- {
		before := b.credits
		b.shrink(delay)
		if b.clamp(); b.credits == before {
			return // and stays so
		}
	}
}

// shrink is one step of the decrease, in the single precision of the source.
func (b *breakwater) shrink(delay sim.Time) {
	target := b.Target / sim.Microsecond
	excess := float32(delay/sim.Microsecond-target) / float32(target)
	keep := float32(max(0.5, 1-float64(float32(float64(excess)*b.Decrease))))
	b.credits = int(float32(b.credits) * keep)
}

func (b *breakwater) clamp() {
	b.credits = min(max(b.credits, b.Cores), b.Most*b.Clients)
}
