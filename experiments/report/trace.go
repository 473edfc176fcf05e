package report

import (
	"fmt"
	"io"
	"strings"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Wanted says which request a Trace looks for: the first of those that match.
type Wanted struct {
	Client string   // of this client; empty: of any
	After  sim.Time // started at or after this time
	Number int      // the so-many-th that matches, from 1; 0 means 1
	Failed bool     // only requests that failed
}

// Trace is a tracer that keeps the life of one request. It holds the records of requests that may
// still turn out to be the one, and forgets those that do not.
type Trace struct {
	world   *model.World
	wanted  Wanted
	stop    func() // called when nothing more can happen to the request
	open    map[sim.Ident][]model.TraceRecord
	matched int
	Found   sim.Ident // the request, when Ended or Chosen
	Chosen  bool
	Ended   bool
	Records []model.TraceRecord // of the request, in order
}

// aftermath is how long after its end a request is still followed: late answers come then.
const aftermath = 2 * sim.Minute

// NewTrace looks for a request in runs of a plan; stop is called when it has been seen to its end.
func NewTrace(plan *model.Plan, wanted Wanted, stop func()) *Trace {
	wanted.Number = max(wanted.Number, 1)
	return &Trace{
		world: plan.World, wanted: wanted, stop: stop,
		open: map[sim.Ident][]model.TraceRecord{},
	}
}

// Trace is told what happens.
func (t *Trace) Trace(r model.TraceRecord) {
	if t.Chosen {
		t.follow(r)
		return
	}
	if r.What == "request" && t.matches(r) {
		t.open[r.Request] = nil
		if !t.wanted.Failed {
			t.matched++
			t.choose(r.Request, t.matched == t.wanted.Number)
		}
	}
	records, looked := t.open[r.Request]
	if t.Chosen {
		t.follow(r)
		return
	}
	if !looked {
		return
	}
	t.open[r.Request] = append(records, r)
	if r.What != "end" {
		return
	}
	if r.Class != policies.OK {
		t.matched++
		t.choose(r.Request, t.matched == t.wanted.Number)
	}
	if t.Chosen {
		t.Ended = true
		return
	}
	delete(t.open, r.Request)
}

func (t *Trace) matches(r model.TraceRecord) bool {
	return r.At >= t.wanted.After &&
		(t.wanted.Client == "" || t.world.Clients[r.Client].Name == t.wanted.Client)
}

// choose settles which request it is, or forgets one that is not.
func (t *Trace) choose(request sim.Ident, chosen bool) {
	if !chosen {
		delete(t.open, request)
		return
	}
	t.Found, t.Chosen = request, true
	t.Records = t.open[request]
	t.open = nil
}

func (t *Trace) follow(r model.TraceRecord) {
	if r.Request == t.Found && r.What != "change" {
		t.Records = append(t.Records, r)
		t.Ended = t.Ended || r.What == "end"
		return
	}
	if t.Ended && r.At > t.Records[len(t.Records)-1].At+aftermath {
		t.stop()
	}
}

// WriteText writes the life of the request, indented by how deep in the topology things happen.
// At most limit lines are written; 0: all.
func (t *Trace) WriteText(w io.Writer, clock Clock, limit int) error {
	if len(t.Records) == 0 {
		_, err := io.WriteString(w, "no such request in this run\n")
		return err
	}
	first := t.Records[0]
	var out strings.Builder
	fmt.Fprintf(&out, "request of %s, started at %s; times are from its start\n",
		Visible(t.world.Clients[first.Client].Name), clock.Format(first.At.Seconds()))
	depths := newDepths(t.world)
	records := told(t.Records)
	for i, r := range records {
		if limit > 0 && i == limit {
			fmt.Fprintf(&out, "… %d more; --limit 0 shows all\n", len(records)-limit)
			break
		}
		fmt.Fprintf(&out, "%12s  %s%s\n", sinceStart(r.At-first.At),
			strings.Repeat("  ", depths.of(r)), Visible(describe(t.world, r)))
	}
	if !t.Ended {
		out.WriteString("the run ended before the request did\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// told are the records without those that the next one says better: that a caller stops waiting
// shows in how the try ends for it.
func told(records []model.TraceRecord) []model.TraceRecord {
	var out []model.TraceRecord
	for i, r := range records {
		if r.What == "abandon" && i+1 < len(records) &&
			records[i+1].What == "settle" && records[i+1].Attempt == r.Attempt {
			continue
		}
		out = append(out, r)
	}
	return out
}

// sinceStart is a time with a fixed number of places, so that columns stand still.
func sinceStart(t sim.Time) string { return fmt.Sprintf("+%.3fms", t.Seconds()*1e3) }

// depths knows how many tiers stand above what happens: the depth of an edge is one more than the
// depth at which its caller was last reached.
type depths struct {
	world *model.World
	tier  []int
	try   map[sim.Ident]int
}

func newDepths(w *model.World) *depths {
	return &depths{w, make([]int, len(w.Tiers)), map[sim.Ident]int{}}
}

func (d *depths) of(r model.TraceRecord) int {
	depth, known := d.try[r.Attempt]
	if !known || r.What == "send" {
		depth = 0
		if r.Edge >= 0 {
			if e := d.world.Edges[r.Edge]; e.Client < 0 {
				depth = d.tier[e.From]
			}
			depth++
		}
		if r.Attempt != 0 {
			d.try[r.Attempt] = depth
		}
	}
	if r.What == "arrive" && r.Replica >= 0 {
		d.tier[d.world.Replicas[r.Replica].Tier] = depth
	}
	return depth
}

// describe says in words what happened.
func describe(w *model.World, r model.TraceRecord) string {
	edge, where := "", ""
	if r.Edge >= 0 {
		edge = w.Edges[r.Edge].Name
	}
	if r.Replica >= 0 {
		where = replicaName(w, r.Replica)
	}
	switch r.What {
	case "request":
		return "request starts"
	case "send":
		return fmt.Sprintf("%s  try %d sent", edge, r.N)
	case "refused":
		return fmt.Sprintf("%s  try %d refused by %s", edge, r.N, r.Text)
	case "arrive":
		return fmt.Sprintf("%s  try %d arrives at %s", edge, r.N, where)
	case "wait":
		return fmt.Sprintf("%s  try %d waits in line at %s", edge, r.N, where)
	case "start":
		return fmt.Sprintf("%s  try %d gets a slot at %s", edge, r.N, where)
	case "answer":
		return fmt.Sprintf("%s  try %d is answered: %s", edge, r.N, outcomeText(r))
	case "settle":
		return fmt.Sprintf("%s  try %d ends for its caller: %s", edge, r.N, outcomeText(r))
	case "late":
		return fmt.Sprintf("%s  try %d: the answer comes too late", edge, r.N)
	case "backoff":
		return fmt.Sprintf("%s  waits %s before the next try", edge, seconds(r.Wait.Seconds()))
	case "abandon":
		return fmt.Sprintf("%s  try %d: its caller stops waiting", edge, r.N)
	case "cancel":
		return fmt.Sprintf("%s  try %d is taken out: its caller has left", edge, r.N)
	case "end":
		return "request ends: " + outcomeText(r)
	case "change":
		return "timeline: " + r.Text
	}
	return strings.TrimSpace(r.What + " " + edge + " " + where + " " + r.Text)
}

func outcomeText(r model.TraceRecord) string {
	text := strings.ReplaceAll(r.Class.String(), "_", " ")
	if r.Status != 0 {
		text += fmt.Sprintf(" (%d)", r.Status)
	}
	return text
}

// replicaName is tier@replica, or the tier alone when it has only one.
func replicaName(w *model.World, i int) string {
	r := w.Replicas[i]
	t := w.Tiers[r.Tier]
	if t.Count == 1 {
		return t.Name
	}
	return t.Name + "@" + r.Name
}

// Tail is a tracer that keeps the last things that happened, whatever the request.
type Tail struct {
	world *model.World
	size  int
	kept  []model.TraceRecord // a ring
	next  int
}

// NewTail keeps the last n records of a run.
func NewTail(plan *model.Plan, n int) *Tail {
	return &Tail{world: plan.World, size: max(n, 1)}
}

// Trace is told what happens.
func (t *Tail) Trace(r model.TraceRecord) {
	if len(t.kept) < t.size {
		t.kept = append(t.kept, r)
		return
	}
	t.kept[t.next] = r
	t.next = (t.next + 1) % t.size
}

// WriteText writes what was kept, oldest first: number of the event, time, request, what happened.
func (t *Tail) WriteText(w io.Writer) error {
	var out strings.Builder
	for i := range t.kept {
		r := t.kept[(t.next+i)%len(t.kept)]
		fmt.Fprintf(&out, "%10d  %14.6fs  %016x  %s\n",
			r.Event, r.At.Seconds(), uint64(r.Request), Visible(describe(t.world, r)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
