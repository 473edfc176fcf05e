package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Try is one attempt of a request. Times are seconds from the start of the request; NaN: it never
// came to that.
type Try struct {
	Edge, Where string
	N, Depth    int // the number of the try; how many tiers stand above it
	Sent        float64
	Arrived     float64
	Waited      bool    // in line
	Started     float64 // has a slot
	Answered    float64 // the answer leaves, or the work is taken out
	Settled     float64 // its caller knows the outcome, or no longer waits
	Outcome     string
	OK          bool
	Refused     bool // by a policy of the caller, so that it was never sent
	Late        bool // its answer came when nobody waited any more
}

// End is when nothing more happens to it, as far as the run shows.
func (t Try) End() float64 {
	end := t.Sent
	for _, at := range []float64{t.Arrived, t.Started, t.Answered, t.Settled} {
		if at > end {
			end = at
		}
	}
	return end
}

// Left is when it left the line, with or without a slot; NaN: not in this run.
func (t Try) Left() float64 {
	if math.IsNaN(t.Started) {
		return t.Answered
	}
	return t.Started
}

// Life is the life of a request, try by try in the order in which they were sent.
type Life struct {
	Client  string
	Started float64 // seconds after the start of the run
	Took    float64 // seconds until the client had its answer; NaN: it had none in this run
	Outcome string
	OK      bool
	Tries   []Try
}

// Length is until when anything happened for the request, in seconds from its start.
func (l Life) Length() float64 {
	length := 0.0
	if l.Took > 0 {
		length = l.Took
	}
	for _, t := range l.Tries {
		length = max(length, t.End())
	}
	return length
}

// Life reads the records of the request that was found, of which there must be some.
func (t *Trace) Life() Life {
	first := t.Records[0]
	l := Life{Client: t.world.Clients[first.Client].Name, Started: first.At.Seconds(),
		Took: math.NaN()}
	depths, at := newDepths(t.world), map[sim.Ident]int{}
	for _, r := range t.Records {
		since, depth := (r.At - first.At).Seconds(), depths.of(r)
		i, known := at[r.Attempt]
		switch r.What {
		case "send":
			at[r.Attempt] = len(l.Tries)
			l.Tries = append(l.Tries, newTry(t.world, r, since, depth))
		case "refused":
			one := newTry(t.world, r, since, depth)
			one.Refused, one.Settled, one.Outcome = true, since, "refused by "+r.Text
			l.Tries = append(l.Tries, one)
		case "end":
			l.Took, l.Outcome, l.OK = since, outcomeText(r), r.Class == policies.OK
		default:
			if known {
				l.Tries[i].happened(t.world, r, since)
			}
		}
	}
	return l
}

func newTry(w *model.World, r model.TraceRecord, since float64, depth int) Try {
	never := math.NaN()
	return Try{Edge: w.Edges[r.Edge].Name, N: r.N, Depth: depth, Sent: since, Arrived: never,
		Started: never, Answered: never, Settled: never}
}

// happened takes in what a record says of a try that was sent.
func (t *Try) happened(w *model.World, r model.TraceRecord, since float64) {
	switch r.What {
	case "arrive":
		t.Arrived, t.Where = since, replicaName(w, r.Replica)
	case "wait":
		t.Waited = true
	case "start":
		t.Started = since
	case "answer", "cancel":
		t.Answered = since
	case "late":
		t.Late = true
	case "settle", "abandon":
		t.Settled = since
		if r.What == "settle" {
			t.Outcome, t.OK = outcomeText(r), r.Class == policies.OK
		}
	}
}

// chromeEvent is one event of the Trace Event Format: a complete event, or what a lane is called
// and where it stands.
type chromeEvent struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	TS   float64        `json:"ts"` // µs
	Dur  *float64       `json:"dur,omitempty"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	Args map[string]any `json:"args,omitempty"`
}

// chromeTrace collects events.
type chromeTrace struct{ events []chromeEvent }

// lane begins a lane below the others. Events of one lane must lie within each other or apart.
func (c *chromeTrace) lane(tid int, name string) {
	c.events = append(c.events,
		chromeEvent{Name: "thread_name", Ph: "M", PID: 1, TID: tid,
			Args: map[string]any{"name": name}},
		chromeEvent{Name: "thread_sort_index", Ph: "M", PID: 1, TID: tid,
			Args: map[string]any{"sort_index": tid}})
}

// span is from one instant to another, if it came to both.
func (c *chromeTrace) span(tid int, name, cat string, from, to float64, args map[string]any) {
	if math.IsNaN(from) || math.IsNaN(to) || to < from {
		return
	}
	nanos := func(s float64) float64 { return math.Round(s * 1e9) }
	dur := (nanos(to) - nanos(from)) / 1e3
	c.events = append(c.events, chromeEvent{name, cat, "X", nanos(from) / 1e3, &dur, 1, tid, args})
}

// WriteChrome writes the life as Chrome trace JSON, which Perfetto, speedscope and the tools of
// browsers open: a lane for each try with what its caller saw, and one below it for its time in
// line and its work, which may outlast what the caller waits for.
func (l Life) WriteChrome(w io.Writer) error {
	var c chromeTrace
	c.events = append(c.events, chromeEvent{Name: "process_name", Ph: "M", PID: 1,
		Args: map[string]any{"name": "a request of " + l.Client}})
	c.lane(0, "request of "+l.Client)
	c.span(0, "request", "request", 0, l.Took, map[string]any{"outcome": l.Outcome})
	for i, t := range l.Tries {
		name := fmt.Sprintf("%s try %d", t.Edge, t.N)
		c.lane(2*i+1, name)
		end := t.Settled
		if math.IsNaN(end) {
			end = t.End()
		}
		args := map[string]any{"outcome": t.Outcome}
		if t.Late {
			args["late"] = "the answer came when nobody waited any more"
		}
		c.span(2*i+1, name, "try", t.Sent, end, args)
		if t.Where == "" || !t.Waited && math.IsNaN(t.Started) {
			continue
		}
		c.lane(2*i+2, name+" at "+t.Where)
		if t.Waited {
			c.span(2*i+2, "in line", "line", t.Arrived, t.Left(), nil)
		}
		c.span(2*i+2, "served", "served", t.Started, t.Answered, nil)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{"displayTimeUnit": "ms", "traceEvents": c.events})
}
