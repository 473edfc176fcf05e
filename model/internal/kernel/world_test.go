package kernel

import (
	"context"
	"math"
	"syscall"
	"testing"
	"unsafe"

	"cascadesim/policies"
	"cascadesim/sim"
)

// planner builds small plans by hand.
type planner struct{ p Plan }

func (b *planner) param(path string, f Field, of int, base float64) int {
	b.p.Params = append(b.p.Params, Param{Path: path, Field: f, Of: of, Base: base})
	return len(b.p.Params) - 1
}

func (b *planner) dist(path, text string) int {
	b.p.Params = append(b.p.Params, Param{Path: path, Field: FieldDist, Dist: sim.MustParseDist(text)})
	return len(b.p.Params) - 1
}

// tier adds a tier of one replica with one endpoint.
func (b *planner) tier(name string, slots, limit int, steps ...Step) int {
	t := len(b.p.Tiers)
	r, first := len(b.p.Replicas), len(b.p.Programs)
	b.p.Programs = append(b.p.Programs, steps...)
	b.p.Replicas = append(b.p.Replicas, Replica{
		Name: "0", Tier: t, Row: len(b.p.Rows),
		Weight:    b.param("weight", FieldWeight, r, 1),
		Slots:     b.param("slots", FieldSlots, r, float64(slots)),
		LineLimit: b.param("limit", FieldLine, r, float64(limit)),
		InFlight:  b.param("in_flight", FieldInFlight, r, -1),
	})
	b.p.Rows = append(b.p.Rows, Row{r, 0, -1, -1, -1, -1})
	b.p.Tiers = append(b.p.Tiers, Tier{
		Name: name, First: r, Count: 1, Active: b.param("active", FieldActive, t, 1),
		RejectStatus: b.param("status", FieldPlain, t, 503),
		RejectAfter:  b.param("after", FieldPlain, t, 0),
		RejectCost:   b.param("cost", FieldPlain, t, 0),
		RejectDelay:  b.param("delay", FieldPlain, t, 0),
		Slow:         b.param("slow", FieldPlain, t, 1),
		Delay:        b.dist("delay", "0"),
		Endpoints: []Endpoint{{
			First: first, Count: len(steps),
			Errors:      b.param("errors", FieldPlain, t, 0),
			ErrorStatus: b.param("error status", FieldPlain, t, 500),
		}},
	})
	b.p.Targets = append(b.p.Targets, Target{Route: -1, Tier: t})
	return t
}

// edge adds an edge with retries at once, attempts in all.
func (b *planner) edge(from, client, to, attempts int, try sim.Time) int {
	i := len(b.p.Edges)
	e := Edge{
		Name: "edge", From: from, Client: client, Latency: b.dist("latency", "0"),
		ReplyLatency: b.dist("reply", "0"),
		Loss:         b.param("loss", FieldPlain, i, 0), RepliesLost: b.param("lost", FieldPlain, i, 0),
		Try: b.param("try", FieldPlain, i, float64(try)), Overall: b.param("o", FieldPlain, i, -1),
		BlockShare:  b.param("block", FieldPlain, i, 0),
		BlockStatus: b.param("block status", FieldPlain, i, 403),
		Link:        b.param("link", FieldLink, i, 0), Enabled: b.param("en", FieldPlain, i, 1),
		Balance: Balance{Failover: -1, Choices: 2}, CanReach: []bool{true},
	}
	if attempts > 1 {
		e.HasRetry = true
		e.RetryOn.Class[policies.TimedOut] = true
		e.RetryOn.Class[policies.Rejected] = true
		e.RetryOn.Class[policies.Error] = true
		k, _ := policies.Builtins().Lookup("max_attempts")
		s := k.Settings().(*policies.MaxAttempts)
		s.Attempts = attempts
		b.p.States = append(b.p.States, State{
			Name: "max_attempts", New: func() policies.Policy { return k.New(s) }, Len: 1, Single: true,
		})
		e.Stack = []Use{{Name: "max_attempts", State: len(b.p.States) - 1, Stride: 1}}
	}
	b.p.Edges = append(b.p.Edges, e)
	return i
}

func (b *planner) client(rate float64, edge, target int) {
	i := len(b.p.Clients)
	b.p.Clients = append(b.p.Clients, Client{
		Name: "users", Edge: edge, Target: target, Process: Poisson, Population: 1,
		Rate: b.param("rate", FieldRate, i, rate), SlowAfter: sim.Second,
	})
}

func (b *planner) plan(end sim.Time) *Plan {
	b.p.End, b.p.Window, b.p.Scale = end, sim.Second, 1
	b.p.Identify()
	return &b.p
}

func work(text string) Step { return Step{Verb: Work, Time: sim.MustParseDist(text)} }

// mm1 is one server with exponential work of mean 1 ms.
func mm1(rate float64, attempts int, try, end sim.Time) *Plan {
	var b planner
	t := b.tier("server", 1, -1, work("exp 1ms"))
	e := b.edge(-1, 0, t, attempts, try)
	b.client(rate, e, t)
	return b.plan(end)
}

func run(t testing.TB, p *Plan, seed uint64) *Result {
	t.Helper()
	res, err := Run(context.Background(), p, seed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// At ρ = 0.8 an M/M/1 queue has W = 1/(μ-λ) = 5 ms. The relaxation time is about 1/(1-√ρ)² = 90
// services, so 800,000 requests hold some 9,000 independent stretches: 2 % is about two standard
// deviations of the estimate.
func TestSojournOfMM1(t *testing.T) {
	res := run(t, mm1(800, 1, -1, 1000*sim.Second), 1)
	if got := res.Clients[0].Latency.Mean() / 1e6; math.Abs(got-5)/5 > 0.03 {
		t.Errorf("mean time in an M/M/1 queue at 0.8: got %.3f ms, want 5 ms within 3 %%", got)
	}
}

func TestPlainEventSetGivesTheSameRun(t *testing.T) {
	p := mm1(900, 3, 30*sim.Millisecond, 20*sim.Second)
	fast := run(t, p, 7)
	plain, err := Run(context.Background(), p, 7, Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	if fast.Fingerprint != plain.Fingerprint || fast.Events != plain.Events {
		t.Errorf("ladder and rings: %v, heap: %v", fast.Fingerprint, plain.Fingerprint)
	}
}

// In a steady state the handlers allocate nothing: what a run of twice the length allocates more is
// less than one object for a thousand events.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	p := mm1(900, 3, 30*sim.Millisecond, 200*sim.Second)
	p.Edges[0].Cancel = CancelQueued
	w := newWorld(p, 1, Options{})
	w.en.Run(50*sim.Second, 0, w)
	before := w.en.Events()
	until := 50 * sim.Second
	allocs := testing.AllocsPerRun(20, func() {
		until += 100 * sim.Millisecond
		w.en.Run(until, 0, w)
	})
	if events := w.en.Events() - before; events < 1000 || allocs > 0 {
		t.Errorf("%v allocations in a slice of the steady state (%d events)", allocs, events)
	}
}

func BenchmarkMM1Retries(b *testing.B) {
	p := mm1(900, 3, 30*sim.Millisecond, sim.Time(b.N)*sim.Second/900+sim.Second)
	p.Edges[0].Cancel = CancelQueued
	p.Window = 10 * sim.Second
	p.End += p.Window - p.End%p.Window
	before := cpuTime(b)
	res := run(b, p, 1)
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(res.Events)/float64(b.N), "events/op")
}

// cpuTime is the process's CPU time in ns: wall time says little on a shared machine.
func cpuTime(t testing.TB) int64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		t.Fatal(err)
	}
	return ru.Utime.Nano() + ru.Stime.Nano()
}

// Records of attempts lie in pages, one after the other: only with this size does each begin with a
// line of the processor's cache, and its lines hold what they are meant to.
func TestAttemptFillsLinesOfTheCache(t *testing.T) {
	var a attempt
	if size := unsafe.Sizeof(a); size != 192 || unsafe.Offsetof(a.replica) != 64 ||
		unsafe.Offsetof(a.since) != 128 {
		t.Errorf("an attempt takes %d bytes; its second line begins at %d, its third at %d",
			size, unsafe.Offsetof(a.replica), unsafe.Offsetof(a.since))
	}
}

// The last tier of a plan may have nothing to do: its steps begin where there are no more.
func TestTierWithoutStepsAnswers(t *testing.T) {
	var b planner
	to := b.tier("nothing", 1, -1)
	e := b.edge(-1, 0, to, 1, -1)
	b.client(10, e, to)
	res := run(t, b.plan(sim.Second), 1)
	if got := res.Clients[0].Cells[0]; got.OK == 0 || got.OK != got.Requests {
		t.Errorf("%d of %d requests to a tier without steps went well", got.OK, got.Requests)
	}
}
