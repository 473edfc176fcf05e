package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// drive plays a fixed and busy history of calls of five tries each to a policy and returns every
// answer it gave.
func drive(t *testing.T, k *Kind, p Policy, seed uint64) []int64 {
	var answers []int64
	luck := sim.Seed(seed).Stream("drive")
	root := sim.Seed(seed).Ident("drive")
	now := sim.Time(0)
	a := Attempt{Deadline: sim.Never}
	var note uint64
	ready(p)
	for i := range 3000 {
		now += sim.Time(luck.Intn(20_000_000))
		if a.N = 1 + i%5; a.N == 1 {
			a.Started, a.Last, note = now, Outcome{}, 0
		}
		if k.Notes {
			a.Note = &note
		}
		a.Wait = sim.Time(luck.Intn(3_000_000_000))
		a.Chance = root.Child(uint64(i)).Draw(0)
		o := Outcome{Class: Class(1 + luck.Intn(uint64(Classes)-1))}
		o.RetryAfter = sim.Time(luck.Intn(2)) * 1500 * sim.Millisecond
		o.Latency = sim.Time(luck.Intn(2_000_000_000))
		now = hold(t, p, now, &a)
		answers = append(answers, ask(t, p, now, &a, o), askCallee(p, now, &a, o))
		if p.Level != nil {
			if level := p.Level(now); !(level >= 0 && level <= 1) {
				t.Fatalf("level %v at %v", level, now)
			}
		}
		a.Last = o
	}
	return answers
}

// ask puts one attempt, which ends with o, through every role of a caller that the policy plays;
// its answers are mixed into one number.
func ask(t *testing.T, p Policy, now sim.Time, a *Attempt, o Outcome) (answer int64) {
	say := func(x int64) { answer = answer*1_000_003 + x }
	if a.N > 1 && p.Condition != nil {
		a.N--
		say(yes(p.Condition.Retryable(now, a, a.Last)))
		a.N++
	}
	if p.Shaper != nil { // a gate beside it is asked at the send
		say(int64(delayed(t, p.Shaper, now, a)))
	}
	if p.Queuer != nil {
		say(int64(p.Queuer.Join(now, a, a.N%3)))
	}
	if p.Gate != nil {
		say(yes(p.Gate.Admit(now, a)))
	}
	if p.Lingerer != nil && a.N > 1 {
		linger := p.Lingerer.Linger(now, a, a.Last)
		if linger < 0 || linger > sim.MaxTime {
			t.Fatalf("lingers %d ns before the end at %d", linger, now)
		}
		say(int64(linger))
	}
	if p.Pacer != nil && a.N > 1 {
		wait := p.Pacer.Wait(now, a, a.Last)
		if wait < 0 || wait > sim.MaxTime {
			t.Fatalf("waits %d ns before try %d at %d", wait, a.N, now)
		}
		if p.Fixed != 0 && wait != p.Fixed {
			t.Fatalf("waits %d ns but says that every wait is %d", wait, p.Fixed)
		}
		say(int64(wait))
	}
	if p.Placer != nil && a.N > 1 {
		say(int64(p.Placer.Place(now, a)))
	}
	if p.Hedger != nil {
		say(hedge(t, p.Hedger.Sent(now, a)))
		say(hedge(t, p.Hedger.Failed(now, a, o)))
	}
	if p.Ejector != nil {
		say(eject(t, p.Ejector, now, a, o))
	}
	if p.Wrapper != nil && a.N == 4 {
		p.Wrapper.Unsent(now, a, Outcome{Class: Refused})
		return answer
	}
	if p.Starter != nil {
		p.Starter.Start(now, a)
	}
	if p.Observer != nil {
		p.Observer.Observe(now, a, o)
	}
	if p.Closer != nil && a.N == 5 {
		p.Closer.Close(now, a, o)
	}
	return answer
}

func delayed(t *testing.T, s Shaper, now sim.Time, a *Attempt) sim.Time {
	delay := s.Delay(now, a)
	if delay < 0 {
		t.Fatalf("delays try %d by %d ns at %d", a.N, delay, now)
	}
	return delay
}

// askCallee puts one attempt through the roles of a callee.
func askCallee(p Policy, now sim.Time, a *Attempt, o Outcome) (answer int64) {
	if p.Sizer != nil {
		answer = int64(p.Sizer.Slots(now, a.N, a.Started)) ^ int64(p.Sizer.Until(now, a.Started))<<20
	}
	entered := p.Admission == nil || p.Admission.Enter(now, a)
	turned := entered && (p.Turner == nil || p.Turner.Turn(now, a, a.Wait))
	answer = 4*answer + 2*yes(entered) + yes(turned)
	if p.Finisher != nil && entered {
		p.Finisher.Finish(now, a, a.Wait, o)
	}
	if p.Answerer != nil {
		said := p.Answerer.Answer(now, a, Outcome{Class: Rejected, Status: 503})
		answer = answer<<16 ^ int64(said.Status) ^ int64(said.RetryAfter)<<24
	}
	if p.Adviser != nil {
		answer = answer<<32 ^ int64(math.Float64bits(p.Adviser.Advise(now, a)))
	}
	return answer
}

// ready gives a state its chance and tells an ejector what there is to choose from, which comes
// before everything else.
func ready(p Policy) Policy {
	if p.Seed != nil {
		p.Seed(sim.Seed(9).Stream("state"))
	}
	if p.Ejector != nil {
		p.Ejector.Hosts(0, hosts)
	}
	return p
}

// hold sends an attempt through a shaper as a world does: it is asked again after each wait until
// it says 0, which it must, with time going on. The time is then later.
func hold(t *testing.T, p Policy, now sim.Time, a *Attempt) sim.Time {
	if p.Shaper == nil {
		return now
	}
	for range 1000 {
		delay := p.Shaper.Delay(now, a)
		if delay == 0 {
			return now
		}
		now += delay
	}
	t.Fatalf("try %d is held back for ever", a.N)
	return now
}

// hedge is what a hedger wants as a number.
func hedge(t *testing.T, h Hedge) int64 {
	if h.Verb > HedgeFail || h.Delay < 0 || h.Delay > sim.MaxTime || h.Delay > 0 &&
		h.Verb != HedgeNext {
		t.Fatalf("wants %+v", h)
	}
	return int64(h.Verb)<<40 ^ int64(h.Delay)
}

// hosts is how many callees an ejector chooses from.
const hosts = 12

// eject asks about every callee, as a balancer does, sends one attempt to one of them and reports
// how it ended. Asking twice at one instant must say the same.
func eject(t *testing.T, e Ejector, now sim.Time, a *Attempt, o Outcome) (answer int64) {
	for host := range hosts {
		is := e.Out(now, host)
		if e.Out(now, host) != is {
			t.Fatalf("callee %d is out and is not", host)
		}
		answer = 2*answer + yes(is)
	}
	host := a.N % hosts
	e.Picked(now, host)
	e.Report(now, host, o)
	return answer
}

func yes(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestNotesAreTakenOnlyWhereDeclared hands a note to policies that say they keep none.
func TestNotesAreTakenOnlyWhereDeclared(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		if k.Notes {
			return
		}
		p := ready(k.New(settings))
		note := uint64(7)
		a := Attempt{Deadline: sim.Never, Note: &note}
		for n := 1; n < 6; n++ {
			a.N = n
			o := Outcome{Class: Rejected, Status: 503}
			ask(t, p, sim.Second, &a, o)
			askCallee(p, sim.Second, &a, o)
			a.Last = o
		}
		if note != 7 {
			t.Errorf("wrote %d into a note that it does not keep", note)
		}
	})
}

// TestEveryOutcomeIsTaken puts calls of two tries, whose first ends in any way there is, with any
// status and hint, through all roles: none may panic, and no wait may be negative.
func TestEveryOutcomeIsTaken(t *testing.T) {
	hints := []sim.Time{0, 1, sim.Second, sim.MaxTime, sim.Never, RetryNow, DontRetry}
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := ready(k.New(settings))
		now := sim.Time(0)
		var note uint64
		for class := OK; class < Classes; class++ {
			for status := 0; status < 600; status += 1 + 98*int(yes(status == 0)) {
				now += sim.Millisecond
				o := Outcome{Class: class, RetryAfter: hints[status%len(hints)], Status: status,
					Unreached: status%2 == 1, Cancelled: status%3 == 1}
				note = 0
				for n := 1; n <= 2; n++ {
					a := Attempt{N: n, Deadline: sim.Never, Started: now}
					if n == 2 {
						a.Last = o
					}
					if k.Notes {
						a.Note = &note
					}
					ask(t, p, now, &a, o)
					askCallee(p, now, &a, o)
				}
			}
		}
	})
}

// TestWhoWrapsIsAskedAtTheSend, and whoever takes something there is told when it was in vain.
func TestWhoWrapsIsAskedAtTheSend(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := k.New(settings)
		if p.Wrapper != nil && (p.Gate == nil || !k.AtSend) {
			t.Error("wraps, and is no gate at the send")
		}
		if p.Starter != nil && k.AtSend {
			t.Error("is a gate at the send that waits for Start to count what it let pass")
		}
	})
}

// TestWhatIsNeverSentIsForgotten: attempts that a gate lets pass at the send and that another gate
// refuses then leave nothing behind that an hour would not undo, whether their calls try again or
// end.
func TestWhatIsNeverSentIsForgotten(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		if !k.AtSend {
			return
		}
		p := ready(k.New(settings))
		a := Attempt{Deadline: sim.Never, Note: new(uint64)}
		now := sim.Time(0)
		admits := func(n int) bool {
			a.N = n
			a.Chance = sim.Seed(uint64(now)).Stream("admit")
			now = hold(t, p, now, &a)
			passed := p.Gate.Admit(now, &a)
			if passed && p.Wrapper != nil {
				p.Wrapper.Unsent(now, &a, Outcome{Class: Refused})
			}
			return passed
		}
		for i := range 3000 {
			now += sim.Millisecond
			admits(1 + i%7)
			if i%7 < 6 {
				continue
			}
			if p.Closer != nil {
				p.Closer.Close(now, &a, Outcome{Class: Refused})
			}
			*a.Note = 0
		}
		now += sim.Hour
		if !admits(1) {
			t.Error("refuses a call after an hour in which there were none")
		}
	})
}

// TestEjectedCalleesComeBack: whatever happened, an hour of peace gives everybody another chance,
// and a state that has seen nothing ejects nobody.
func TestEjectedCalleesComeBack(t *testing.T) {
	everyVariant(t, func(t *testing.T, k *Kind, settings any) {
		p := k.New(settings)
		if p.Ejector == nil {
			return
		}
		p.Ejector.Hosts(0, hosts)
		out := func(now sim.Time, n int) (count int) {
			for host := range n {
				count += int(yes(p.Ejector.Out(now, host)))
			}
			return count
		}
		if n := out(0, hosts); n > 0 {
			t.Errorf("%d callees are out before anything happened", n)
		}
		now := sim.Time(0)
		for i := range 4000 {
			now += 10 * sim.Millisecond
			host := i % hosts
			o := Outcome{Class: Error, Status: 503, Latency: sim.Millisecond}
			if host >= 2 {
				o = Outcome{Class: OK, Latency: sim.Millisecond}
			}
			if !p.Ejector.Out(now, host) {
				p.Ejector.Picked(now, host)
				p.Ejector.Report(now, host, o)
			}
		}
		if n := out(now+sim.Hour, hosts); n > 0 {
			t.Errorf("%d callees are out after an hour of peace", n)
		}
	})
}
