package model

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

var scenarioMistakes = []mistakeCase{
	{"no duration", func(_ *Topology, s *Scenario) { s.Duration = 0 }, "duration"},
	{"longer than the clock", func(_ *Topology, s *Scenario) {
		s.Duration, s.Window = 79*sim.Hour, sim.Minute
	}, "duration"},
	{"drain beyond the clock", func(_ *Topology, s *Scenario) {
		s.Duration, s.Drain, s.Window = 78*sim.Hour, sim.Hour, sim.Minute
	}, "drain"},
	{"warm-up between windows", func(_ *Topology, s *Scenario) {
		s.Warmup = 1500 * sim.Millisecond
	}, "warmup"},
	{"nothing after the warm-up", func(_ *Topology, s *Scenario) {
		s.Warmup = s.Duration
	}, "warmup"},
	{"duration between windows", func(_ *Topology, s *Scenario) {
		s.Duration = 60*sim.Second + sim.Millisecond
	}, "duration"},
	{"no window", func(_ *Topology, s *Scenario) { s.Window = 0 }, "window"},
	{"too many windows", func(_ *Topology, s *Scenario) {
		s.Window = 100 * sim.Microsecond
	}, "window"},
	{"too many windows while it drains", func(_ *Topology, s *Scenario) {
		s.Drain, s.Window = 60*sim.Hour, sim.Second
	}, "window"},
	{"series that fill the memory", func(t *Topology, s *Scenario) {
		t.Tiers[1].Value.Replicas.Count, s.Window = 100_000, sim.Millisecond
	}, "window"},
	{"no replications", func(_ *Topology, s *Scenario) { s.Replications = 0 }, "replications"},
	{"scaled up", func(_ *Topology, s *Scenario) { s.Scale = 100 }, "scale"},
	{"scale 0", func(_ *Topology, s *Scenario) { s.Scale = 0 }, "scale"},
	{"recovery after nothing", func(_ *Topology, s *Scenario) {
		s.Timeline = []TimelineEntry{slotsTo("outage", 10)}
		s.Recovery.After = "outrage"
	}, "recovery.after"},
	{"nobody watched", func(_ *Topology, s *Scenario) {
		s.Recovery.Watch = "clients.user"
	}, "recovery.watch"},
	{"descending profile", func(_ *Topology, s *Scenario) {
		s.Profiles = Map[Curve]{{"day", Curve{{sim.Minute, 1}, {sim.Second, 2}}}}
	}, "profiles.day"},
	{"negative profile", func(_ *Topology, s *Scenario) {
		s.Profiles = Map[Curve]{{"day", Curve{{0, -1}}}}
	}, "profiles.day"},
}

var clientMistakes = []mistakeCase{
	{"neither arrivals nor think", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = nil
	}, "clients.users"},
	{"both arrivals and think", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Think = &Think{Default: sim.MustParseDist("exp 1s")}
	}, "clients.users"},
	{"nobody thinks", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = nil
		t.Clients[0].Value.Think = &Think{Default: sim.MustParseDist("exp 1s")}
	}, "clients.users.population"},
	{"think after an unknown end", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value = Client{Call: "web", Population: 5, Think: &Think{
			By: Map[sim.Dist]{{"blokced", sim.Dist{}}}}}
	}, "clients.users.think.blokced"},
	{"together without a loop", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Start = "together"
	}, "clients.users.start"},
	{"no call", func(t *Topology, _ *Scenario) { t.Clients[0].Value.Call = "" },
		"clients.users.call"},
	{"priority 8", func(t *Topology, _ *Scenario) { t.Clients[0].Value.Priority = 8 },
		"clients.users.priority"},
	{"negative population", func(t *Topology, _ *Scenario) { t.Clients[0].Value.Population = -3 },
		"clients.users.population"},
	{"negative rate", func(t *Topology, _ *Scenario) { t.Clients[0].Value.Arrivals.Rate = -1 },
		"clients.users.arrivals.rate"},
	{"a file that nobody read", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "file"}
	}, "clients.users.arrivals.file"},
	{"a file beside a rate", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "file", File: "a.csv", Rate: 3,
			Recording: &Recording{Times: []sim.Time{1}}}
	}, "clients.users.arrivals"},
	{"a file and another process", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "constant", File: "a.csv",
			Recording: &Recording{Times: []sim.Time{1}}}
	}, "clients.users.arrivals.process"},
	{"a class without a file", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals.Class = "web"
	}, "clients.users.arrivals.class"},
	{"a fallback of nothing", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Fallback = []Step{}
	}, "tiers.web.steps.call.fallback"},
	{"a fallback beside on_fail", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Fallback = []Step{work("1ms")}
		t.Tiers[0].Value.Steps[0].Call.OnFail = "ignore"
	}, "tiers.web.steps.call.on_fail"},
	{"a fallback of a branch", func(t *Topology, _ *Scenario) {
		branch := call("db")
		branch.Call.Fallback = []Step{work("1ms")}
		t.Tiers[0].Value.Steps = []Step{{Parallel: []Step{branch}}}
	}, "tiers.web.steps.parallel.call.fallback"},
	{"a fallback of a call that nobody waits for", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Wait = new(bool)
		t.Tiers[0].Value.Steps[0].Call.Fallback = []Step{work("1ms")}
	}, "tiers.web.steps.call.fallback"},
	{"a failure that nobody waits for", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Wait = new(bool)
		t.Tiers[0].Value.Steps[0].Call.OnFail = "503"
	}, "tiers.web.steps.call.on_fail"},
	{"a fallback that calls nobody", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Fallback = []Step{call("nobody")}
	}, "tiers.web.steps.call.fallback.call.to"},
	{"a cache that fetches nothing", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{{Cache: &Cache{Keys: CacheKeys{Count: 5}, Capacity: Unlimited}},
			call("db")}
	}, "tiers.web.steps.cache.miss"},
	{"a cache without keys", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{{Cache: &Cache{Capacity: Unlimited, Miss: []Step{call("db")}}}}
	}, "tiers.web.steps.cache.keys.count"},
	{"a cache in a cache", func(t *Topology, _ *Scenario) {
		c := Step{Cache: &Cache{Keys: CacheKeys{Count: 5}, Capacity: Unlimited,
			Miss: []Step{call("db")}}}
		t.Tiers[0].Value.Steps = []Step{{Cache: &Cache{Keys: CacheKeys{Count: 5}, Capacity: Unlimited,
			Miss: []Step{c}}}}
	}, "tiers.web.steps.cache.miss"},
	{"a cache in a branch", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{{Parallel: []Step{{Cache: &Cache{Keys: CacheKeys{Count: 5},
			Capacity: Unlimited, Miss: []Step{call("db")}}}}}}
	}, "tiers.web.steps.parallel.cache"},
	{"popularity", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{{Cache: &Cache{Keys: CacheKeys{Count: 5, Zipf: -1},
			Capacity: Unlimited, Miss: []Step{call("db")}}}}
	}, "tiers.web.steps.cache.keys.zipf"},
	{"an outer loop without an end or a wait", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Outer = &Outer{On: []string{"failed"}, Times: Unlimited}
	}, "clients.users.outer.wait"},
	{"an outer loop longer than it can count", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Outer = &Outer{On: []string{"failed"}, Times: 70_000,
			Wait: sim.MustParseDist("1s")}
	}, "clients.users.outer.times"},
	{"an outer loop around nothing", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Outer = &Outer{Wait: sim.MustParseDist("5s"), Times: 3}
	}, "clients.users.outer.on"},
	{"an outer loop around what went well", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Outer = &Outer{On: []string{"ok"}, Wait: sim.MustParseDist("5s"), Times: 3}
	}, "clients.users.outer.on"},
	{"tokens of nobody", func(t *Topology, _ *Scenario) {
		t.Clients = append(t.Clients, Entry[Client]{"refresh", Client{Call: "db", Tokens: &Tokens{
			Of: "user", Lifetime: sim.Hour, RefreshAt: 0.8, Retry: sim.MustParseDist("1s")}}})
	}, "clients.refresh.tokens.of"},
	{"tokens that nobody counts", func(t *Topology, _ *Scenario) {
		t.Clients = append(t.Clients, Entry[Client]{"refresh", Client{Call: "db", Tokens: &Tokens{
			Lifetime: sim.Hour, RefreshAt: 0.8, Retry: sim.MustParseDist("1s")}}})
	}, "clients.refresh.population"},
	{"tokens that never live", func(t *Topology, _ *Scenario) {
		t.Clients = append(t.Clients, Entry[Client]{"refresh", Client{Call: "db", Population: 5,
			Tokens: &Tokens{RefreshAt: 0.8, Retry: sim.MustParseDist("1s")}}})
	}, "clients.refresh.tokens.lifetime"},
	{"tokens beside arrivals", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Population = 5
		t.Clients[0].Value.Tokens = &Tokens{Lifetime: sim.Hour, RefreshAt: 0.8,
			Retry: sim.MustParseDist("1s")}
	}, "clients.users"},
	{"one state", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals.Process = "mmpp"
		t.Clients[0].Value.Arrivals.States = []State{{Rate: 1, For: sim.MustParseDist("1s")}}
	}, "clients.users.arrivals.states"},
	{"states that never end", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals.Process = "mmpp"
		t.Clients[0].Value.Arrivals.States = []State{{Rate: 1, For: sim.MustParseDist("1s")}, {Rate: 2}}
	}, "clients.users.arrivals.states.1.for"},
	{"states of another process", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals.States = []State{{Rate: 1, For: sim.MustParseDist("1s")}}
	}, "clients.users.arrivals.states"},
	{"a lease beside a timeout", func(t *Topology, _ *Scenario) {
		t.Edges[0].Timeout.Lease = 30 * sim.Second
	}, "edges.web->db.timeout.lease"},
	{"burst of nothing", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "burst"}
	}, "clients.users.arrivals.count"},
	{"burst with a rate", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "burst", Count: 5, Rate: 5}
	}, "clients.users.arrivals"},
	{"unknown profile", func(t *Topology, s *Scenario) {
		s.Profiles = Map[Curve]{{"day", Curve{{0, 1}}}}
		t.Clients[0].Value.Arrivals.Profile = &Profile{Name: "dya"}
	}, "clients.users.arrivals.profile"},
	{"name taken", func(t *Topology, _ *Scenario) {
		t.Clients = append(t.Clients, Entry[Client]{"users", arrivals("web", 1)})
	}, "clients.users"},
	{"impossible name", func(t *Topology, _ *Scenario) {
		t.Clients = append(t.Clients, Entry[Client]{"Mobile Users", arrivals("web", 1)})
	}, "clients.Mobile Users"},
}

var tierMistakes = []mistakeCase{
	{"no slots", func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Slots = 0 }, "tiers.db.slots"},
	{"no replicas", func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Replicas.Count = 0 },
		"tiers.db.replicas"},
	{"replica twice", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Replicas = Replicas{Named: Map[Replica]{
			{"a", Replica{Weight: 1}}, {"a", Replica{Weight: 1}}}}
	}, "tiers.db.replicas.a"},
	{"no weight", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Replicas = Replicas{Named: Map[Replica]{{"a", Replica{}}}}
	}, "tiers.db.replicas"},
	{"negative line", func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Line.Limit = -2 },
		"tiers.db.line.limit"},
	{"unknown discipline", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Discipline = "filo"
	}, "tiers.db.line.discipline"},
	{"adaptive line that never switches", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Discipline = "adaptive_lifo"
	}, "tiers.db.line.switch_above"},
	{"switch of another line", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.SwitchAbove = 10
	}, "tiers.db.line.switch_above"},
	{"negative switch", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Discipline, t.Tiers[1].Value.Line.SwitchAbove = "adaptive_lifo", -3
	}, "tiers.db.line.switch_above"},
	{"a line of those who share", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line = Line{Limit: 10, Discipline: "ps"}
	}, "tiers.db.line.limit"},
	{"patience of those who share", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line = Line{Limit: Unlimited, Discipline: "ps",
			Timeout: sim.MustParseDist("1s")}
	}, "tiers.db.line.timeout"},
	{"waits of those who share", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line = Line{Limit: Unlimited, Discipline: "ps"}
		t.Tiers[1].Value.Admission = []PolicyUse{{Policy: "codel", Settings: &policies.CoDel{
			Target: sim.Second, Interval: 2 * sim.Second}}}
	}, "tiers.db.admission.codel"},
	{"idle connections that owe", func(t *Topology, _ *Scenario) {
		t.Edges[0].Connections = &Connections{Idle: -7}
	}, "edges.web->db.connections.idle"},
	{"one connection, and more of them", func(t *Topology, _ *Scenario) {
		t.Edges[0].Connections = &Connections{Idle: 2, Multiplexed: true}
	}, "edges.web->db.connections.idle"},
	{"retransmits at once", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{Factor: 2, Tries: 6}
	}, "edges.web->db.retransmit.first"},
	{"retransmits that come faster", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{First: sim.Second, Factor: 0.5, Tries: 6}
	}, "edges.web->db.retransmit.factor"},
	{"retransmits for ever", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{First: sim.Second, Factor: 1, Tries: 1000}
	}, "edges.web->db.retransmit.tries"},
	{"probes that overtake each other", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Health = &Health{Interval: sim.Second, Timeout: 2 * sim.Second,
			Fall: 3, Rise: 2}
	}, "edges.web->db.balance.health.timeout"},
	{"probes without a pause", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Health = &Health{Timeout: sim.Never, Fall: 3, Rise: 2}
	}, "edges.web->db.balance.health.interval"},
	{"a fall of none", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Health = &Health{Interval: sim.Second, Timeout: sim.Never, Rise: 2}
	}, "edges.web->db.balance.health.fall"},
	{"work of who only connects", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Health = &Health{Check: "connect", Interval: sim.Second,
			Timeout: sim.Never, Fall: 3, Rise: 2, Work: sim.MustParseDist("1ms")}
	}, "edges.web->db.balance.health.work"},
	{"keys of no hash", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance = Balance{Policy: "random", Rehash: true}
	}, "edges.web->db.balance.rehash"},
	{"contention above all", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps[0].Work.USL = USL{Contention: 1.5}
	}, "tiers.db.steps.work.usl.contention"},
	{"target of another line", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Target = sim.Second
	}, "tiers.db.line.target"},
	{"codel without a target", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Discipline, t.Tiers[1].Value.Line.Interval = "codel", sim.Second
	}, "tiers.db.line.target"},
	{"codel with a negative interval", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Line.Discipline = "codel"
		t.Tiers[1].Value.Line.Target, t.Tiers[1].Value.Line.Interval = sim.Second, -sim.Second
	}, "tiers.db.line.interval"},
	{"backlog without over", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.InFlight = InFlight{Limit: 10, Backlog: 10}
	}, "tiers.db.in_flight.backlog"},
	{"steps and endpoints", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Endpoints = Map[[]Step]{{"read", nil}}
		t.Tiers[0].Value.Steps = []Step{call("db/read")}
	}, "tiers.db"},
	{"two verbs", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps[0].Fail = &Fail{Share: 1, Status: 500}
	}, "tiers.db.steps.work"},
	{"called 0 times", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.Times = 0
	}, "tiers.web.steps.call.times"},
	{"on_fail of no status", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps[0].Call.OnFail = "ingore"
	}, "tiers.web.steps.call.on_fail"},
	{"lists in lists", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps = []Step{{Parallel: []Step{{Parallel: []Step{work("1ms")}}}}}
	}, "tiers.db.steps.parallel.parallel"},
	{"async work in a branch", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Async = true
		t.Tiers[1].Value.Steps = []Step{{Parallel: []Step{work("1ms"), work("2ms")}}}
	}, "tiers.db.steps.parallel"},
	{"utilization of unlimited slots", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Slots = Unlimited
		t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilization")
	}, "tiers.db.autoscale.metric"},
	{"burst for a farm", func(t *Topology, _ *Scenario) {
		t.Clients[0].Value.Arrivals = &Arrivals{Process: "burst", Count: 300_000_000}
	}, "clients.users.arrivals.count"},
	{"status 42", func(t *Topology, _ *Scenario) { t.Tiers[1].Value.Reject.Status = 42 },
		"tiers.db.reject.status"},
	{"unknown gauge", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilisation")
	}, "tiers.db.autoscale.metric"},
	{"gauge of no tier", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Autoscale = scaler("tiers.bd.utilization")
	}, "tiers.db.autoscale.metric"},
	{"no most replicas", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilization")
		t.Tiers[1].Value.Autoscale.Max = 0
	}, "tiers.db.autoscale.max"},
	{"unlimited slots adjusted", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Autoscale = scaler("tiers.db.utilization")
		t.Tiers[0].Value.Autoscale.Adjust = "slots"
	}, "tiers.web.autoscale.adjust"},
	{"named replicas added", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Replicas = Replicas{Named: Map[Replica]{{"a", Replica{Weight: 1}}}}
		t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilization")
	}, "tiers.db.autoscale.adjust"},
}

func scaler(metric string) *Autoscale {
	return &Autoscale{Metric: metric, Target: 0.6, Min: 1, Max: 4, Every: sim.Second,
		Tolerance: 0.1}
}

var callMistakes = []mistakeCase{
	{"call to nowhere", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{call("bd")}
	}, "tiers.web.steps.call.to"},
	{"call to a client", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = append(t.Tiers[0].Value.Steps, call("users"))
	}, "tiers.web.steps.1.to"},
	{"client calls nowhere", func(t *Topology, _ *Scenario) { t.Clients[0].Value.Call = "wbe" },
		"clients.users.call"},
	{"endpoints without one", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps = nil
		t.Tiers[1].Value.Endpoints = Map[[]Step]{{"read", []Step{work("1ms")}}, {"write", nil}}
	}, "tiers.web.steps.call.to"},
	{"endpoint of a tier with steps", func(t *Topology, _ *Scenario) {
		t.Tiers[0].Value.Steps = []Step{call("db/read")}
	}, "tiers.web.steps.call.to"},
	{"unknown endpoint", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps = nil
		t.Tiers[1].Value.Endpoints = Map[[]Step]{{"read", []Step{work("1ms")}}}
		t.Tiers[0].Value.Steps = []Step{call("db/raed")}
	}, "tiers.web.steps.call.to"},
	{"cycle", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Steps = append(t.Tiers[1].Value.Steps, call("web"))
	}, "tiers.db.steps.call.to"},
	{"cycle by failover", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Failover = "web"
	}, "tiers.web.steps.call.to"},
	{"route to nowhere", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{{"bd", Weight{Value: 1}}}}}}
	}, "routes.any.to.bd"},
	{"route to a route", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{
			{"one", Route{To: Map[Weight]{{"db", Weight{Value: 1}}}}},
			{"two", Route{To: Map[Weight]{{"one", Weight{Value: 1}}}}},
		}
	}, "routes.two.to.one"},
	{"route of 99 %", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{
			{"db", Weight{0.58, true}}, {"web", Weight{0.41, true}}}}}}
	}, "routes.any.to"},
	{"route of no weight", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{{"db", Weight{}}}}}}
	}, "routes.any.to"},
	{"route of shares and weights", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{
			{"db", Weight{0.5, true}}, {"web", Weight{1, false}}}}}}
	}, "routes.any.to"},
	{"endpoint behind a route", func(t *Topology, _ *Scenario) {
		t.Routes = Map[Route]{{"any", Route{To: Map[Weight]{{"db", Weight{Value: 1}}}}}}
		t.Tiers[0].Value.Steps = []Step{call("any/read")}
	}, "tiers.web.steps.call.to"},
}
