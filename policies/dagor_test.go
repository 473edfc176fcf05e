package policies

import (
	"testing"

	"cascadesim/sim"
)

// arrivals sends one attempt of each of some clients at a time, and tells who entered.
func arrivals(p Policy, now sim.Time, priority, clients int) (entered int) {
	for c := range clients {
		if p.Admission.Enter(now, &Attempt{N: 1, Priority: priority, Client: uint64(c + 1)}) {
			entered++
		}
	}
	return entered
}

// waits ends a window in which everybody waited so long.
func waits(p Policy, now sim.Time, waited sim.Time) {
	p.Turner.Turn(now, &Attempt{}, waited)
}

func TestDAGORShedsATwentiethAndLetsAHundredthBackIn(t *testing.T) {
	p := kindOf("dagor").New(DAGOR{
		Queueing: 20 * ms, Window: sim.Second, Requests: 1e9, Alpha: 0.05, Beta: 0.01,
	})
	const clients = 12_800 // about a hundred at each of 128 levels
	if got := arrivals(p, 0, 0, clients); got != clients {
		t.Fatalf("%d of %d entered at first", got, clients)
	}
	waits(p, 999*ms, 20*ms+1)
	shed := arrivals(p, sim.Second, 0, clients)
	if shed > clients*95/100 || shed < clients*93/100 {
		t.Errorf("after an overload %d enter, want just below 95 %% of %d", shed, clients)
	}
	waits(p, 1500*ms, 20*ms) // the mean is not above the bound
	again := arrivals(p, 2*sim.Second, 0, clients)
	if again < shed+clients/100 || again > shed+3*clients/100 {
		t.Errorf("%d enter again, want 1 %% of %d more than %d", again, clients, shed)
	}
	for i := range 20 {
		arrivals(p, sim.Time(3+i)*sim.Second, 0, clients)
	}
	if got := p.Adviser.Advise(0, nil); got != 0 {
		t.Errorf("long after the overload the level is %v, want 0", got)
	}
}

func TestDAGORShedsAllOfALowPriorityFirst(t *testing.T) {
	p := kindOf("dagor").New(nil)
	d := p.Admission.(*dagor)
	for i := range 400 {
		now := sim.Time(i) * sim.Second
		arrivals(p, now, 1, 500)
		arrivals(p, now, 3, 500)
		waits(p, now, sim.Second)
		if d.level <= 3*dagorUsers && arrivals(p, now, 3, 100) != 100 {
			t.Fatalf("at level %d of priority 1 some of priority 3 were shed", d.level)
		}
	}
	if d.level <= 3*dagorUsers {
		t.Errorf("an overload that lasts sheds up to level %d", d.level)
	}
}

func TestDAGORLooksAfterItsWindowOrItsRequests(t *testing.T) {
	p := kindOf("dagor").New(nil)
	d := p.Admission.(*dagor)
	arrivals(p, 0, 0, 1999)
	waits(p, 0, sim.Second)
	if arrivals(p, 0, 0, 1); d.level != 0 {
		t.Error("it looked before 2000 requests")
	}
	if arrivals(p, 0, 0, 1); d.level == 0 {
		t.Error("it did not look after 2000 requests")
	}
	for at, want := range map[sim.Time]bool{sim.Second - 1: false, sim.Second: true} {
		p := kindOf("dagor").New(nil)
		arrivals(p, 0, 0, 100)
		waits(p, 0, sim.Second)
		if arrivals(p, at, 0, 1); (p.Adviser.Advise(at, nil) > 0) != want {
			t.Errorf("at %d it has looked: %t, want %t", at, !want, want)
		}
	}
}

// TestAClientKeepsItsLevelForAnHour also sees that the levels of clients are spread evenly.
func TestAClientKeepsItsLevelForAnHour(t *testing.T) {
	counts := make([]int, dagorUsers)
	moved := 0
	for c := uint64(1); c <= 12_800; c++ {
		a := Attempt{Client: c, Chance: sim.Seed(c).Stream("any")}
		level := dagorLevel(0, &a)
		a.Chance = sim.Seed(c).Stream("other")
		if got := dagorLevel(sim.Hour-1, &a); got != level {
			t.Fatalf("client %d moved from %d to %d within the hour", c, level, got)
		}
		if dagorLevel(sim.Hour, &a) != level {
			moved++
		}
		counts[level]++
	}
	if moved < 12_600 {
		t.Errorf("only %d of 12,800 clients have another level in the next hour", moved)
	}
	for level, n := range counts {
		if n < 50 || n > 160 {
			t.Errorf("%d clients have level %d, want about 100", n, level)
		}
	}
}

func TestADAGORClientRefusesWhatItsCalleeWould(t *testing.T) {
	p := kindOf("dagor_client").New(nil)
	refused := func(now sim.Time) (n int) {
		for c := uint64(1); c <= 1000; c++ {
			a := Attempt{N: 1, Client: c}
			if sent := p.Gate.Admit(now, &a); sent != (dagorLevel(now, &a) >= 64) {
				n++
			}
		}
		return n
	}
	p.Observer.Observe(0, &Attempt{}, Outcome{Class: Rejected, Status: 503, Advice: 64})
	p.Observer.Observe(ms, &Attempt{}, Outcome{Class: TimedOut})
	p.Observer.Observe(ms, &Attempt{}, Outcome{Class: Blocked, Status: 403})
	if n := refused(sim.Second - 1); n != 0 {
		t.Errorf("%d decisions differ from those of its callee", n)
	}
	a := Attempt{N: 1, Client: 1}
	for dagorLevel(0, &a) >= 64 {
		a.Client++
	}
	if p.Gate.Admit(sim.Second-1, &a) || !p.Gate.Admit(sim.Second, &a) {
		t.Error("a level must be believed for a second and no longer")
	}
}
