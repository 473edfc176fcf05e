package policies

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
	"testing"

	"cascadesim/sim"
)

// leg is a message of the contest that arrives somewhere, or the end of a wait.
type leg struct {
	at     sim.Time
	order  int // of those at one instant
	client int
	what   legKind
	seen   int // the version that the client knows, or knew when it wrote
	won    bool
}

type legKind uint8

const (
	reads  legKind = iota // a read reaches the row
	answer                // its answer reaches the client
	writes                // a write reaches the row
	result                // its answer reaches the client
)

type legs []leg

func (l legs) Len() int { return len(l) }
func (l legs) Less(i, j int) bool {
	return l[i].at < l[j].at || l[i].at == l[j].at && l[i].order < l[j].order
}
func (l legs) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *legs) Push(x any)   { *l = append(*l, x.(leg)) }
func (l *legs) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// contest is one row under optimistic concurrency control: a client reads its version and writes,
// which goes well if nobody has written since, and else it waits and reads again. A policy decides
// the waits and nothing else, nil waits not at all.
type contest struct {
	pacer Pacer
	hop   sim.Dist
	luck  sim.Stream
	todo  legs
	order int
	tries []Attempt // by client
}

// send makes a message take its time on the network.
func (c *contest) send(at sim.Time, l leg) {
	c.order++
	l.at, l.order = at+c.hop.Sample(&c.luck), c.order
	heap.Push(&c.todo, l)
}

// run lets clients begin together, and says when the last of them had won and how many writes it
// took.
func (c *contest) run(clients int) (end sim.Time, calls int) {
	c.tries = make([]Attempt, clients)
	for i := range clients {
		c.send(0, leg{client: i, what: reads})
	}
	version := 0
	for len(c.todo) > 0 {
		l := heap.Pop(&c.todo).(leg)
		end = l.at
		switch l.what {
		case reads:
			c.send(l.at, leg{client: l.client, what: answer, seen: version})
		case answer:
			c.send(l.at, leg{client: l.client, what: writes, seen: l.seen})
		case writes:
			calls++
			won := l.seen == version
			if won {
				version++
			}
			c.send(l.at, leg{client: l.client, what: result, won: won})
		case result:
			if !l.won {
				c.send(l.at+c.wait(l.client), leg{client: l.client, what: reads})
			}
		}
	}
	return end, calls
}

// wait is how long a client that lost waits before it reads again.
func (c *contest) wait(client int) sim.Time {
	a := &c.tries[client]
	a.N = max(a.N, 1) + 1
	if c.pacer == nil {
		return 0
	}
	a.Chance = sim.Seed(c.luck.Uint64()).Stream("wait")
	a.Wait = c.pacer.Wait(0, a, Outcome{Class: Error, Status: 409})
	return a.Wait
}

// TestContestForARow plays the simulator of the AWS architecture blog: messages take 10 ms, give or
// take 2, and waits are of base 5 ms and cap 2 s. What is expected are means of a hundred contests
// of a reference simulation, in whole numbers; a value holds within 2 % of the calls and 5 % of the
// time and the rounding of print, or when its interval holds the figure and is narrower than that.
// The time of ten clients without jitter is the loosest figure: it spreads by 38 % from one contest
// to the next, so that a mean of a hundred has an error of 4 %, the reference's too.
func TestContestForARow(t *testing.T) {
	onOneMachine(t)
	table := []struct {
		clients int
		kind    string
		ms      float64
		calls   float64
	}{
		{10, "none", 382, 51}, {10, "exponential", 3672, 51}, {10, "equal", 736, 43},
		{10, "full", 456, 39}, {10, "decorrelated", 436, 38},
		{50, "none", 1144, 690}, {50, "exponential", 36461, 624}, {50, "equal", 4232, 347},
		{50, "full", 2864, 333}, {50, "decorrelated", 2133, 373},
		{100, "none", 2033, 2427}, {100, "exponential", 64004, 1863}, {100, "equal", 6698, 812},
		{100, "full", 4996, 796}, {100, "decorrelated", 4609, 1003},
	}
	const runs = 100
	calls := map[string]float64{}
	for _, c := range table {
		end, wrote := contests(c.clients, c.kind, runs)
		name := fmt.Sprintf("%d %s", c.clients, c.kind)
		calls[name] = mean(wrote)
		t.Logf("%-16s %7.0f ms of %6.0f, %6.0f calls of %5.0f", name, mean(end), c.ms, mean(wrote),
			c.calls)
		if !agrees(end, c.ms, 0.05) {
			t.Errorf("%s: the last event is at %.0f ms (+- %.0f), want %.0f", name, mean(end),
				errorOf(end), c.ms)
		}
		if !agrees(wrote, c.calls, 0.02) {
			t.Errorf("%s: %.1f calls (+- %.1f), want %.0f", name, mean(wrote), errorOf(wrote), c.calls)
		}
	}
	for _, n := range []string{"50", "100"} {
		order := []float64{calls[n+" full"], calls[n+" decorrelated"], calls[n+" exponential"],
			calls[n+" none"]}
		if !slices.IsSorted(order) {
			t.Errorf("%s clients: calls of full, decorrelated, exponential, none are %v", n, order)
		}
		if d := calls[n+" equal"]/calls[n+" full"] - 1; math.Abs(d) > 0.1 {
			t.Errorf("%s clients: equal jitter differs from full by %.2f", n, d)
		}
	}
	if 2*calls["100 full"] > calls["100 exponential"] {
		t.Error("full jitter of 100 makes more than half the calls of no jitter")
	}
	if grew := calls["100 none"] / calls["50 none"]; grew < 3 || grew > 5 {
		t.Errorf("without a wait twice as many clients make %.1f times the calls, want about 4", grew)
	}
}

// contests are the ends, in ms, and the calls of many contests.
func contests(clients int, kind string, runs int) (end, calls []float64) {
	for run := range runs {
		c := &contest{
			hop:  sim.MustParseDist("normal mean=10ms sd=2ms"),
			luck: sim.Seed(run).Stream(fmt.Sprintf("contest/%s/%d", kind, clients)),
		}
		if kind != "none" {
			c.pacer = kindOf("aws_blog_backoff").New(AWSBlogBackoff{
				Kind: kind, Base: 5 * sim.Millisecond, Cap: 2 * sim.Second,
			}).Pacer
		}
		at, n := c.run(clients)
		end, calls = append(end, at.Seconds()*1e3), append(calls, float64(n))
	}
	return end, calls
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// errorOf is the half width of the 95 % interval of the mean.
func errorOf(x []float64) float64 {
	m, squares := mean(x), 0.0
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	n := float64(len(x))
	return 1.96 * math.Sqrt(squares/(n-1)/n)
}

func agrees(x []float64, want, within float64) bool {
	off, half := math.Abs(mean(x)-want), errorOf(x)
	return off <= within*want+0.5 || off <= half && half < within*want
}
