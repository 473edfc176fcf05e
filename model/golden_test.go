package model

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// sites is a small world with a bit of everything that is compiled: two sites behind a route, kinds
// of request, named replicas, a closed population, shared and keyed policies, an autoscaler, and a
// timeline with a ramp, layers, faults of all scopes and a pause.
func sites() (*Topology, *Scenario) {
	front := tier(Unlimited)
	front.Steps = nil
	front.Endpoints = Map[[]Step]{
		{"web", []Step{work("1ms"), call("cell")}},
		{"bulk", []Step{{Parallel: []Step{call("cell"), work("3ms")}}, fail(0.1)}},
	}
	cell := tier(800, work("exp 100ms"))
	cell.Replicas = Replicas{Named: Map[Replica]{
		{"a", Replica{Weight: 3}}, {"b", Replica{Weight: 1, Slots: new(400)}},
	}}
	cell.InFlight, cell.Line.Limit = InFlight{Limit: 4000, Over: "backlog", Backlog: 800}, 2000
	spare := tier(2000, work("50ms"))
	spare.Autoscale = scaler("tiers.cell.in_line")
	spare.Steps[0].Work.PerInFlight = sim.Microsecond

	top := &Topology{
		Tiers: Map[Tier]{{"east", front}, {"west", front}, {"cell", cell}, {"spare", spare}},
		Routes: Map[Route]{{"front", Route{Key: "client", To: Map[Weight]{
			{"east", Weight{0.75, true}}, {"west", Weight{0.25, true}}}}}},
		Clients: Map[Client]{
			{"users", arrivals("front/web", 4000)},
			{"jobs", Client{Call: "front/bulk", Population: 8000, SlowAfter: sim.Never, Priority: 2,
				Think: &Think{Default: sim.MustParseDist("exp 30s"),
					By: Map[sim.Dist]{{"blocked", sim.MustParseDist("exp 60s")}}}}},
		},
	}
	top.Clients[0].Value.Arrivals.Profile = &Profile{Name: "day"}
	shared, keyed := budget(2000), budget(80)
	shared.Scope, keyed.Key, keyed.Name = "shared", "replica", "per_cell"
	keyed.Charges = "first"
	for _, from := range []string{"east", "west"} {
		e := link(from, "cell", 2*sim.Second, attempts(3), keyed, shared)
		e.Balance = Balance{Policy: "hash", Key: "call", Failover: "spare"}
		e.Retry.RetryOn = []string{"rejected", "429", "5xx"}
		top.Edges = append(top.Edges, e)
	}
	own := budget(5)
	own.Scope = "client"
	top.Edges = append(top.Edges, link("jobs", "front", 5*sim.Second, attempts(2), own))
	return top, sitesDay()
}

func sitesDay() *Scenario {
	s := minute()
	s.Scale = 1.0 / 8
	s.Profiles = Map[Curve]{{"day", Curve{{-10 * sim.Second, 0.5}, {30 * sim.Second, 1.5}}}}
	move := TimelineEntry{Name: "move", At: 10 * sim.Second, End: sim.Never, Set: []Setting{{
		Path: "routes.front.to", Value: Value{Weights: Map[Weight]{
			{"east", Weight{Value: 1}}, {"west", Weight{Value: 3}}}}}}}
	less := slotsTo("less", 160)
	less.End = 40 * sim.Second
	less.Set[0].Path = "tiers.cell.slots"
	twice := setAt("twice", "tiers.cell.slots", Multiply, 2)
	twice.At = 40 * sim.Second
	more := setAt("more", "tiers.cell.line.limit", Add, 80)
	steps := TimelineEntry{Name: "steps", At: 10 * sim.Second, End: 50 * sim.Second,
		Set: []Setting{{Path: "clients.users.arrivals.rate", Curve: Curve{
			{20 * sim.Second, 800}, {30 * sim.Second, 1600}, {50 * sim.Second, 2400}}}}}
	delay := sim.MustParseDist("3s")
	s.Timeline = []TimelineEntry{move, twice, less, more, steps,
		faultFor("slow", Fault{Tier: "cell@b", Speed: 0.25}),
		faultFor("late", Fault{Site: "spare", Delay: &delay}),
		faultFor("wrong", Fault{Tier: "west/bulk", Errors: &FaultErrors{Share: 0.5, Status: 502}}),
		faultFor("cut", Fault{Edge: "*->cell", Link: "held", Loss: 0.1}),
		pauseFor("stop", 20*sim.Second, 30*sim.Second, Pause{Tier: "cell@a", Flows: "reset"}),
	}
	return s
}

func TestCompiledWorld(t *testing.T) {
	top, s := sites()
	p := compiled(t, top, s)
	var b strings.Builder
	showWorld(&b, p.World)
	fmt.Fprintf(&b, "\nwarnings\n%s\n", texts(p.Warnings))
	golden(t, "world.txt", b.String())
}

// showWorld prints a plan as tables in which params stand by their base and path.
func showWorld(b *strings.Builder, p *kernel.Plan) {
	table := func(title string, rows func(w *tabwriter.Writer)) {
		fmt.Fprintf(b, "%s\n", title)
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		rows(w)
		w.Flush()
		b.WriteString("\n")
	}
	base := func(i int) string {
		if i < 0 {
			return "-"
		}
		return fmt.Sprintf("%v", p.Params[i].Base)
	}
	table("clients", func(w *tabwriter.Writer) {
		for _, c := range p.Clients {
			fmt.Fprintf(w, "%s\tedge %d\ttarget %d\tprocess %d\trate %s\tidentities %d+%d\t"+
				"priority %d\tprofile %v\tthink ok %.0fs blocked %.0fs\n", c.Name, c.Edge, c.Target,
				c.Process, base(c.Rate), c.First, c.Population, c.Priority, c.Profile,
				c.Think[policies.OK].Mean()/1e9, c.Think[policies.Blocked].Mean()/1e9)
		}
	})
	table("tiers", func(w *tabwriter.Writer) {
		for _, k := range p.Tiers {
			fmt.Fprintf(w, "%s\treplicas %d+%d\tactive %s\texpected %v\n", k.Name, k.First, k.Count,
				base(k.Active), k.Expected)
			for _, e := range k.Endpoints {
				fmt.Fprintf(w, "\t%q\tsteps %d+%d\texpected %v\n", e.Name, e.First, e.Count,
					e.Expected)
			}
		}
	})
	table("replicas", func(w *tabwriter.Writer) {
		for _, r := range p.Replicas {
			fmt.Fprintf(w, "%s@%s\trow %d\tweight %s\tslots %s\tline %s\tin flight %s\tover %d\t"+
				"backlog %d\n", p.Tiers[r.Tier].Name, r.Name, r.Row, base(r.Weight), base(r.Slots),
				base(r.LineLimit), base(r.InFlight), r.Over, r.Backlog)
		}
	})
	showCalls(p, table, base)
	fmt.Fprintf(b, "pauses %+v\nscalers %+v\nmarks %+v\n", p.Pauses, p.Scalers, p.Marks)
}

// tables prints one table.
type tables func(title string, rows func(w *tabwriter.Writer))

// showCalls prints who calls whom, and what changes.
func showCalls(p *kernel.Plan, table tables, base func(int) string) {
	table("programs", func(w *tabwriter.Writer) {
		for i, s := range p.Programs {
			fmt.Fprintf(w, "%d\tverb %d\tmean %v\tper in flight %d\tedge %d\ttarget %d\ttimes %d\t"+
				"share %v\tstatus %d\tbranches %d\n", i, s.Verb, s.Time.Mean(), s.PerInFlight,
				s.Edge, s.Target, s.Times, s.Share, s.Status, s.Count)
		}
	})
	table("targets", func(w *tabwriter.Writer) {
		for i, k := range p.Targets {
			fmt.Fprintf(w, "%d\troute %d\ttier %d\tendpoint %d\n", i, k.Route, k.Tier, k.Endpoint)
		}
	})
	table("routes", func(w *tabwriter.Writer) {
		for _, r := range p.Routes {
			fmt.Fprintf(w, "%s\tkey %d\tto %v\t", r.Name, r.Key, r.To)
			for _, i := range r.Weights {
				fmt.Fprintf(w, "%s ", base(i))
			}
			fmt.Fprintln(w)
		}
	})
	table("edges", func(w *tabwriter.Writer) { showEdges(w, p, base) })
	table("states", func(w *tabwriter.Writer) {
		for i, s := range p.States {
			fmt.Fprintf(w, "%d\t%s\t%d\tsingle %v\n", i, s.Name, s.Len, s.Single)
		}
	})
	table("changes", func(w *tabwriter.Writer) {
		for _, c := range p.Changes {
			fmt.Fprintf(w, "%gs\t%s of %d\tlayer %d\t%s\t%v\tmark %v\n", c.At.Seconds(),
				p.Params[c.Param].Path, p.Params[c.Param].Of, c.Layer,
				[]string{"replace", "multiply", "add", "lift", "combine"}[c.Op], c.Value, c.Mark)
		}
	})
}

func showEdges(w *tabwriter.Writer, p *kernel.Plan, base func(int) string) {
	for _, e := range p.Edges {
		fmt.Fprintf(w, "%s\tfrom %d\tclient %d\ttry %s\toverall %s\tpick %+v\treach %v\n", e.Name,
			e.From, e.Client, base(e.Try), base(e.Overall), e.Balance, e.CanReach)
		for _, u := range e.Stack {
			fmt.Fprintf(w, "\t%s\tstate %d\tscope %d\tkey %d\tstride %d\tbase %d\n",
				u.Name, u.State, u.Scope, u.Key, u.Stride, u.Base)
		}
		fmt.Fprintf(w, "\tpick first %v, retry on %v %x\n", e.PickFirst, e.RetryOn.Class,
			e.RetryOn.Status)
	}
}
