package model

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// setAt sets a path to a number from second 10 on.
func setAt(name, path string, op Op, v float64) TimelineEntry {
	return TimelineEntry{Name: name, At: 10 * sim.Second, End: sim.Never,
		Set: []Setting{{Path: path, Op: op, Value: Value{Number: v}}}}
}

func slotsTo(name string, v float64) TimelineEntry {
	return setAt(name, "tiers.db.slots", Replace, v)
}

// faultFor is a fault from second 10 to 20.
func faultFor(name string, f Fault) TimelineEntry {
	return TimelineEntry{Name: name, At: 10 * sim.Second, End: 20 * sim.Second, Fault: &f}
}

func pauseFor(name string, at, end sim.Time, p Pause) TimelineEntry {
	return TimelineEntry{Name: name, At: at, End: end, Pause: &p}
}

// restartOf takes a tier down for 30 s from second 10 on.
func restartOf(name string, r Restart) TimelineEntry {
	r.Down = 30 * sim.Second
	return TimelineEntry{Name: name, At: 10 * sim.Second, End: 40 * sim.Second, Restart: &r}
}

// deployOf deploys a tier, which has one replica, from second 10 on.
func deployOf(name string, batch unit.Share, tier string) TimelineEntry {
	d := &Deploy{Tier: tier, Batch: batch, Down: 10 * sim.Second}
	return TimelineEntry{Name: name, At: 10 * sim.Second, End: 20 * sim.Second, Deploy: d}
}

// remembering gives db a memory.
func remembering(m Memory) func(*Topology, *Scenario) {
	m.Down, _ = sim.ConstDist(sim.Second)
	return func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Memory = &m }
}

func cold(c ColdStart) func(*Topology, *Scenario) {
	return func(t *Topology, _ *Scenario) { t.Tiers[1].Value.ColdStart = &c }
}

// entries makes a mistake of a timeline.
func entries(es ...TimelineEntry) func(*Topology, *Scenario) {
	return func(_ *Topology, s *Scenario) { s.Timeline = es }
}

// waiting is an entry that waits for a measure above a bound.
func waiting(measure string, above Bound) TimelineEntry {
	e := slotsTo("a", 5)
	e.At, e.When = 0, &When{Measure: measure, Above: &above, Over: sim.Second}
	return e
}

// crashing makes replicas of db crash by a measure.
func crashing(measure string, above Bound) func(*Topology, *Scenario) {
	return func(t *Topology, _ *Scenario) {
		down, _ := sim.ConstDist(sim.Minute)
		t.Tiers[1].Value.Crash = &Crash{Down: down,
			When: When{Measure: measure, Above: &above, Over: sim.Second}}
	}
}

var waitingMistakes = []mistakeCase{
	{"waits for what cannot be seen", entries(waiting("totals.ok", Bound{1, "count"})),
		"timeline.a.when.measure"},
	{"waits for a count", entries(waiting("clients.users.failed", Bound{1, "count"})),
		"timeline.a.when.measure"},
	{"waits for a share in a rate", entries(waiting("clients.users.failed_share", Bound{1, "rate"})),
		"timeline.a.when.above"},
	{"waits for nobody", entries(waiting("tiers.dbs.in_line", Bound{1, "count"})),
		"timeline.a.when.measure"},
	{"waits for no bound", func(_ *Topology, s *Scenario) {
		e := waiting("tiers.db.in_line", Bound{1, "count"})
		e.When.Above = nil
		s.Timeline = []TimelineEntry{e}
	}, "timeline.a.when"},
	{"ramp from nobody knows where", func(_ *Topology, s *Scenario) {
		e := waiting("tiers.db.in_line", Bound{1, "count"})
		e.Over = sim.Minute
		s.Timeline = []TimelineEntry{e}
	}, "timeline.a.over"},
	{"follows what does not wait", func(_ *Topology, s *Scenario) {
		e := setAt("b", "tiers.db.line.limit", Replace, 5)
		e.Follows = "a"
		s.Timeline = []TimelineEntry{slotsTo("a", 1), e}
	}, "timeline.b.at"},
	{"follows itself", func(_ *Topology, s *Scenario) {
		e := slotsTo("a", 5)
		e.Follows = "a"
		s.Timeline = []TimelineEntry{e}
	}, "timeline.a.at"},
	{"crash by a tier's name", crashing("tiers.db.in_line", Bound{1, "count"}),
		"tiers.db.crash.when.measure"},
	{"crash over a share of time", crashing("in_line", Bound{0.5, "duration"}),
		"tiers.db.crash.when.above"},
	{"crash of no length", func(t *Topology, s *Scenario) {
		crashing("in_line", Bound{1, "count"})(t, s)
		t.Tiers[1].Value.Crash.Down = sim.Dist{}
	}, "tiers.db.crash.down"},
	{"memory of no room", remembering(Memory{Limit: 100, Base: 100, PerRequest: 1}),
		"tiers.db.memory.limit"},
	{"memory of attempts of nothing", remembering(Memory{Limit: 100}), "tiers.db.memory.per_request"},
	{"memory for not one", remembering(Memory{Limit: 100, PerRequest: 101}),
		"tiers.db.memory.per_request"},
	{"memory, down for no time", func(t *Topology, s *Scenario) {
		remembering(Memory{Limit: 100, PerRequest: 1})(t, s)
		t.Tiers[1].Value.Memory.Down = sim.Dist{}
	}, "tiers.db.memory.down"},
	{"memory's flows", remembering(Memory{Limit: 100, PerRequest: 1, Flows: "finish"}),
		"tiers.db.memory.flows"},
	{"a cold start that is fast", cold(ColdStart{Slow: 0.5, For: sim.Second}),
		"tiers.db.cold_start.slow"},
	{"a cold start of no length", cold(ColdStart{Slow: 2}), "tiers.db.cold_start.for"},
}

var restartMistakes = []mistakeCase{
	{"restart of nobody", entries(restartOf("a", Restart{Tier: "dbs"})), "timeline.a.restart.tier"},
	{"restart that keeps", entries(restartOf("a", Restart{Tier: "db", Flows: "keep"})),
		"timeline.a.restart.flows"},
	{"restart that ends early", entries(TimelineEntry{Name: "a", At: 0, End: sim.Second,
		Restart: &Restart{Tier: "db", Down: sim.Minute}}), "timeline.a.restart"},
	{"restart of no length", entries(TimelineEntry{Name: "a", At: 0, End: sim.Second,
		Restart: &Restart{Tier: "db"}}), "timeline.a.restart.down"},
	{"restart in a pause", entries(restartOf("a", Restart{Tier: "db"}),
		pauseFor("b", 20*sim.Second, sim.Minute, Pause{Tier: "db"})), "timeline.b"},
	{"deployment without batches", entries(deployOf("a", 0, "db")), "timeline.a.deploy.batch"},
	{"deployment of one replica", entries(deployOf("a", 0.2, "db@0")), "timeline.a.deploy.tier"},
	{"deployment that ends early", entries(TimelineEntry{Name: "a", At: 0, End: sim.Second,
		Deploy: &Deploy{Tier: "db", Batch: 1, Down: sim.Minute}}), "timeline.a.deploy"},
	{"crash of nobody", entries(faultFor("a", Fault{Tier: "db", Crash: &FaultCrash{}})),
		"timeline.a.fault.crash.share"},
	{"crash of part of a replica", entries(faultFor("a",
		Fault{Tier: "db@0", Crash: &FaultCrash{Share: 0.1}})), "timeline.a.fault.crash.share"},
	{"crash of an edge", entries(faultFor("a",
		Fault{Edge: "web->db", Crash: &FaultCrash{Share: 0.1}})), "timeline.a.fault.crash"},
}

var timelineMistakes = []mistakeCase{
	{"two of one name", entries(slotsTo("a", 1), setAt("a", "tiers.db.line.limit", Replace, 5)),
		"timeline.a"},
	{"after the end", entries(TimelineEntry{Name: "a", At: sim.Hour, End: sim.Never,
		Set: slotsTo("", 1).Set}), "timeline.a.at"},
	{"ends before it starts", entries(TimelineEntry{Name: "a", At: 20 * sim.Second,
		End: 10 * sim.Second, Set: slotsTo("", 1).Set}), "timeline.a"},
	{"nothing to do", entries(TimelineEntry{Name: "a", End: sim.Never}), "timeline.a"},
	{"longer over than it lasts", entries(TimelineEntry{Name: "a", End: sim.Second,
		Over: sim.Minute, Set: slotsTo("", 1).Set}), "timeline.a.over"},
	{"no such path", entries(setAt("a", "tiers.db.slot", Replace, 1)),
		"timeline.a.set.tiers.db.slot"},
	{"path that is not live", entries(setAt("a", "tiers.db.async", Replace, 1)),
		"timeline.a.set.tiers.db.async"},
	{"share of 120 %", entries(setAt("a", "edges.web->db.loss", Replace, 1.2)),
		"timeline.a.set.edges.web->db.loss"},
	{"retries of an edge without", func(t *Topology, s *Scenario) {
		t.Edges[0].Retry = nil
		s.Timeline = []TimelineEntry{setAt("a", "edges.web->db.retry.enabled", Replace, 0)}
	}, "timeline.a.set.edges.web->db.retry.enabled"},
	{"negative factor", entries(setAt("a", "tiers.db.slots", Multiply, -1)),
		"timeline.a.set.tiers.db.slots"},
	{"half a slot", entries(slotsTo("a", 1.5)), "timeline.a.set.tiers.db.slots"},
	{"unlimited times 2", entries(setAt("a", "tiers.web.slots", Multiply, 2)),
		"timeline.a.set.tiers.web.slots"},
	{"half a status", entries(setAt("a", "tiers.db.reject.status", Multiply, 2)),
		"timeline.a.set.tiers.db.reject.status"},
	{"ramp to no limit", entries(TimelineEntry{Name: "a", End: sim.Never, Over: sim.Second,
		Set: slotsTo("", Unlimited).Set}), "timeline.a.set.tiers.db.slots"},
	{"two at one instant", entries(slotsTo("a", 1), slotsTo("b", 2)),
		"timeline.b.set.tiers.db.slots"},
	{"curve out of order", entries(TimelineEntry{Name: "a", End: sim.Never, Set: []Setting{{
		Path: "tiers.db.slots", Curve: Curve{{sim.Minute, 1}, {sim.Second, 2}}}}}),
		"timeline.a.set.tiers.db.slots"},
	{"curve and over", entries(TimelineEntry{Name: "a", End: sim.Never, Over: sim.Second,
		Set: []Setting{{Path: "tiers.db.slots", Curve: Curve{{0, 1}}}}}),
		"timeline.a.set.tiers.db.slots"},
	{"halfway to a distribution", func(_ *Topology, s *Scenario) {
		d := sim.MustParseDist("exp 1ms")
		s.Timeline = []TimelineEntry{{Name: "a", End: sim.Never, Over: sim.Second, Set: []Setting{{
			Path: "edges.web->db.latency", Value: Value{Dist: &d}}}}}
	}, "timeline.a.set.edges.web->db.latency"},
	{"weights that do not add up", func(t *Topology, s *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{{"db", Weight{1, true}}}}}}
		s.Timeline = []TimelineEntry{{Name: "a", End: sim.Never, Set: []Setting{{
			Path: "routes.any.to", Value: Value{Weights: Map[Weight]{{"db", Weight{0.9, true}}}}}}}}
	}, "timeline.a.set.routes.any.to"},
}

var faultMistakes = []mistakeCase{
	{"fault nowhere", entries(faultFor("a", Fault{Slow: 2})), "timeline.a.fault"},
	{"fault without effect", entries(faultFor("a", Fault{Tier: "db"})), "timeline.a.fault"},
	{"fault without end", entries(TimelineEntry{Name: "a", End: sim.Never,
		Fault: &Fault{Tier: "db", Slow: 2}}), "timeline.a"},
	{"fault of no tier", entries(faultFor("a", Fault{Tier: "dp", Slow: 2})),
		"timeline.a.fault.tier"},
	{"fault of no replica", entries(faultFor("a", Fault{Tier: "db@7", Slow: 2})),
		"timeline.a.fault.tier"},
	{"fault of no endpoint", entries(faultFor("a", Fault{Tier: "db/read", Slow: 2})),
		"timeline.a.fault.tier"},
	{"fault of no edge", entries(faultFor("a", Fault{Edge: "web->dp", Loss: 1})),
		"timeline.a.fault.edge"},
	{"fault of no site", entries(faultFor("a", Fault{Site: "mars", Slow: 2})),
		"timeline.a.fault.site"},
	{"slow edge", entries(faultFor("a", Fault{Edge: "web->db", Slow: 2})),
		"timeline.a.fault.slow"},
	{"loss at a tier", entries(faultFor("a", Fault{Tier: "db", Loss: 0.5})),
		"timeline.a.fault.loss"},
	{"unknown link", entries(faultFor("a", Fault{Edge: "web->db", Link: "hold"})),
		"timeline.a.fault.link"},
	{"latency that replaces", entries(faultFor("a", Fault{Edge: "web->db",
		Latency: &Setting{Value: Value{Number: 5}}})), "timeline.a.fault.latency"},
	{"errors of 200 %", entries(faultFor("a", Fault{Tier: "db",
		Errors: &FaultErrors{Share: 2, Status: 500}})), "timeline.a.fault.errors.share"},
	{"pause of nobody", entries(pauseFor("a", 0, sim.Second, Pause{Tier: "dp"})),
		"timeline.a.pause.tier"},
	{"pauses that overlap", entries(
		pauseFor("a", 0, 5*sim.Second, Pause{Tier: "db@0"}),
		pauseFor("b", 4*sim.Second, 6*sim.Second, Pause{Tier: "db"})), "timeline.b"},
	{"unknown flows", entries(pauseFor("a", 0, sim.Second, Pause{Tier: "db", Flows: "kill"})),
		"timeline.a.pause.flows"},
}

func allDoubts() []mistakeCase {
	return append(append(doubtsOfWorlds(), doubtsOfScales()...), mistakeCase{
		"one client for all", func(t *Topology, _ *Scenario) { t.Edges[0].Block.By = "client" },
		"edges.web->db.block.by",
	}, mistakeCase{"slots beside a policy that counts them", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Slots = 2
		t.Tiers[1].Value.Admission = []PolicyUse{{Policy: "haproxy_maxconn",
			Settings: &policies.HaproxyMaxconn{Maxconn: 5, Servers: 1}}}
	}, "tiers.db.slots"})
}

func doubtsOfWorlds() []mistakeCase {
	return []mistakeCase{
		{"a line without end that drops its oldest", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Line.Discipline = "drop_oldest"
		}, "tiers.db.line.limit"},
		{"endless slots that are shared", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Line.Discipline, t.Tiers[1].Value.Slots = "ps", Unlimited
		}, "tiers.db.slots"},
		{"a line by deadlines that nobody carries", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Line.Discipline = "edf"
		}, "tiers.db.line.discipline"},
		{"codel that is not patient", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Line = Line{Limit: Unlimited, Discipline: "codel", Target: 9, Interval: 3}
		}, "tiers.db.line.interval"},
		{"tier that nobody calls", func(t *Topology, _ *Scenario) {
			t.Tiers = append(t.Tiers, Entry[Tier]{"cache", tier(1, work("1ms"))})
		}, "tiers.cache"},
		{"edge that nobody uses", func(t *Topology, _ *Scenario) {
			t.Edges = append(t.Edges, link("users", "db", sim.Second))
		}, "edges.users->db"},
		{"lost without a timeout", func(t *Topology, _ *Scenario) {
			t.Edges[0].Timeout, t.Edges[0].Loss = NoTimeout, 0.01
		}, "edges.web->db.timeout"},
		{"link lost without a timeout", func(t *Topology, s *Scenario) {
			t.Edges[0].Timeout = NoTimeout
			s.Timeline = []TimelineEntry{faultFor("cut", Fault{Edge: "*->db", Link: "lost"})}
		}, "edges.web->db.timeout"},
		{"dropped without a timeout", func(t *Topology, _ *Scenario) {
			t.Edges[0].Timeout = NoTimeout
			t.Tiers[1].Value.Line = Line{Limit: 5, Full: "drop"}
		}, "edges.web->db.timeout"},
		{"deadlines that nobody carries", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.Deadline = "drop_expired"
		}, "tiers.db.deadline"},
		{"retry on refused", func(t *Topology, _ *Scenario) {
			t.Edges[0].Retry.RetryOn = []string{"refused"}
		}, "edges.web->db.retry.retry_on"},
		{"stack without policies", func(t *Topology, _ *Scenario) { t.Edges[0].Retry.Stack = nil },
			"edges.web->db.retry.stack"},
		{"tier without steps", func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Steps = nil },
			"tiers.db"},
		{"backlog of 0", func(t *Topology, _ *Scenario) {
			t.Tiers[1].Value.InFlight = InFlight{Limit: 5, Over: "backlog"}
		}, "tiers.db.in_flight.backlog"},
		{"a million clients and one bucket", func(t *Topology, _ *Scenario) {
			t.Clients[0].Value.Population = 1_000_000
			t.Edges = append(t.Edges, link("users", "web", 2*sim.Second, attempts(2), budget(10)))
		}, "edges.users->web.retry.stack.token_budget.scope"},
	}
}

func doubtsOfScales() []mistakeCase {
	return []mistakeCase{
		{"rounding", func(t *Topology, s *Scenario) {
			t.Tiers[1].Value.Slots, s.Scale = 9003, 1.0/200
			t.Tiers[1].Value.InFlight.Limit = 3508
		}, "tiers.db.in_flight.limit"},
		{"few slots", func(t *Topology, s *Scenario) {
			t.Tiers[1].Value.Slots, s.Scale = 3600, 0.01
		}, "tiers.db.slots"},
		{"too few slots", func(t *Topology, s *Scenario) {
			t.Tiers[1].Value.Slots, s.Scale = 3600, 1.0/400
		}, "tiers.db.slots"},
		{"rounding in the timeline", func(t *Topology, s *Scenario) {
			t.Tiers[1].Value.Slots, s.Scale = 10000, 1.0/200
			s.Timeline = []TimelineEntry{slotsTo("less", 3508)}
		}, "timeline.less.set.tiers.db.slots"},
		{"a try longer than overall, from a time on", func(t *Topology, s *Scenario) {
			t.Edges[0].Timeout = Timeout{Try: sim.Second, Overall: 3 * sim.Second}
			s.Timeline = []TimelineEntry{
				timeoutTo("ok", "try", 2, 5, 20), timeoutTo("patient", "try", 4, 20, 30),
			}
		}, "timeline.patient.set.edges.web->db.timeout.try"},
		{"an overall timeout that comes back", func(t *Topology, s *Scenario) {
			t.Edges[0].Timeout = Timeout{Try: sim.Second, Overall: 3 * sim.Second}
			s.Timeline = []TimelineEntry{
				timeoutTo("longer", "overall", 9, 5, 20), timeoutTo("patient", "try", 4, 10, 30),
			}
		}, "timeline.longer.set.edges.web->db.timeout.overall"},
		{"rounding of a burst", func(t *Topology, s *Scenario) {
			t.Tiers[1].Value.Slots, s.Scale = 10000, 1.0/200
			t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "token_budget",
				Settings: &policies.TokenBudget{Ratio: 0.1, Burst: 130, DepositOn: "success",
					Needs: 1}}}
		}, "edges.web->db.retry.stack.token_budget.burst"},
	}
}

// timeoutTo sets a timeout of the edge from web to db to so many seconds, from and until others.
func timeoutTo(name, which string, to, from, until int) TimelineEntry {
	return TimelineEntry{Name: name, At: sim.Time(from) * sim.Second,
		End: sim.Time(until) * sim.Second, Set: []Setting{{Path: "edges.web->db.timeout." + which,
			Value: Value{Number: float64(to) * float64(sim.Second)}}}}
}
