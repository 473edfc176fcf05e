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
	{"retransmits at once", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{Factor: 2, Tries: 6}
	}, "edges.web->db.retransmit.first"},
	{"retransmits that come faster", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{First: sim.Second, Factor: 0.5, Tries: 6}
	}, "edges.web->db.retransmit.factor"},
	{"retransmits for ever", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retransmit = &Retransmit{First: sim.Second, Factor: 1, Tries: 1000}
	}, "edges.web->db.retransmit.tries"},
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

var edgeMistakes = []mistakeCase{
	{"from nobody", func(t *Topology, _ *Scenario) {
		t.Edges = append(t.Edges, link("wbe", "db", sim.Second))
	}, "edges.wbe->db.from"},
	{"to nobody", func(t *Topology, _ *Scenario) {
		t.Edges = append(t.Edges, link("web", "bd", sim.Second))
	}, "edges.web->bd.to"},
	{"two of one key", func(t *Topology, _ *Scenario) {
		t.Edges = append(t.Edges, link("web", "db", sim.Second))
	}, "edges.web->db"},
	{"two named ones, and a call of the tier", func(t *Topology, _ *Scenario) {
		t.Edges = []Edge{link("web", "db", sim.Second), link("web", "db", 2*sim.Second)}
		t.Edges[0].Name, t.Edges[1].Name = "fast", "slow"
	}, "tiers.web.steps.call.to"},
	{"edge of another caller", func(t *Topology, _ *Scenario) {
		t.Edges[0].Name = "fast"
		t.Clients[0].Value.Call = "fast"
	}, "clients.users.call"},
	{"name of a tier", func(t *Topology, _ *Scenario) { t.Edges[0].Name = "db" }, "edges.db.name"},
	{"loss of 120 %", func(t *Topology, _ *Scenario) { t.Edges[0].Loss = 1.2 },
		"edges.web->db.loss"},
	{"timeout 0", func(t *Topology, _ *Scenario) { t.Edges[0].Timeout.Try = 0 },
		"edges.web->db.timeout.try"},
	{"try as long as overall", func(t *Topology, _ *Scenario) {
		t.Edges[0].Timeout.Overall = sim.Second
	}, "edges.web->db.timeout.try"},
	{"unknown balance", func(t *Topology, _ *Scenario) { t.Edges[0].Balance.Policy = "ramdom" },
		"edges.web->db.balance.policy"},
	{"no choices", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Policy = "least_request"
	}, "edges.web->db.balance.choices"},
	{"hash and elsewhere", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance = Balance{Policy: "hash", OnRetry: "other"}
	}, "edges.web->db.balance.on_retry"},
	{"failover to nowhere", func(t *Topology, _ *Scenario) { t.Edges[0].Balance.Failover = "db2" },
		"edges.web->db.balance.failover"},
	{"local of other counts", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Policy = "local"
		t.Tiers[1].Value.Replicas.Count = 3
	}, "edges.web->db.balance.policy"},
	{"local of other names", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Policy = "local"
		t.Tiers[1].Value.Replicas = Replicas{Named: Map[Replica]{{"a", Replica{Weight: 1}}}}
	}, "edges.web->db.balance.policy"},
	{"local to a client", func(t *Topology, _ *Scenario) {
		t.Edges = append(t.Edges, link("users", "web", sim.Second))
		t.Edges[1].Balance.Policy = "local"
	}, "edges.users->web.balance.policy"},
	{"local to a tier that grows", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Policy = "local"
		t.Tiers[1].Value.Autoscale = scaler("tiers.db.utilization")
	}, "edges.web->db.balance.policy"},
	{"unknown outcome", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.RetryOn = []string{"timeout"}
	}, "edges.web->db.retry.retry_on"},
	{"retries that take no time", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{{Policy: "constant",
			Settings: &policies.Constant{}}}
	}, "edges.web->db.retry.stack"},
	{"retries of what is blocked", func(t *Topology, _ *Scenario) {
		t.Edges[0].Latency = sim.MustParseDist("1ms")
		t.Edges[0].Block.Share = 0.1
		t.Edges[0].Retry.RetryOn = []string{"403"}
		t.Edges[0].Retry.Stack = []PolicyUse{{Policy: "constant",
			Settings: &policies.Constant{}}}
	}, "edges.web->db.retry.stack"},
	{"retries of a refused link", func(t *Topology, s *Scenario) {
		t.Edges[0].Latency = sim.MustParseDist("1ms")
		t.Edges[0].Retry.Stack = []PolicyUse{{Policy: "constant",
			Settings: &policies.Constant{}}}
		s.Timeline = []TimelineEntry{faultFor("cut", Fault{Edge: "web->db", Link: "refused"})}
	}, "edges.web->db.retry.stack"},
	{"retries at a pause without a name", func(t *Topology, s *Scenario) {
		t.Edges[0].Latency = sim.MustParseDist("1ms")
		t.Edges[0].Retry.Stack = []PolicyUse{{Policy: "constant",
			Settings: &policies.Constant{}}}
		s.Timeline = []TimelineEntry{pauseFor("", sim.Second, 2*sim.Second, Pause{Tier: "db"})}
	}, "edges.web->db.retry.stack"},
}

var policyMistakes = []mistakeCase{
	{"unknown policy", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Policy = "max_attempt"
	}, "edges.web->db.retry.stack.max_attempt"},
	{"settings out of bounds", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(0)}
	}, "edges.web->db.retry.stack.max_attempts.attempts"},
	{"settings of another policy", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Settings = &policies.TokenBudget{}
	}, "edges.web->db.retry.stack.max_attempts"},
	{"two of one key in a stack", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), attempts(3)}
	}, "edges.web->db.retry.stack.max_attempts"},
	{"spends before one that may refuse", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{budget(10), attempts(2)}
	}, "edges.web->db.retry.stack.token_budget"},
	{"two pacers", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "exponential"},
			{Policy: "constant"}}
	}, "edges.web->db.retry.stack.constant"},
	{"caller's policy at a tier", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Admission = []PolicyUse{attempts(2)}
	}, "tiers.db.admission.max_attempts"},
	{"scope of a policy without state", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Scope = "tier"
	}, "edges.web->db.retry.stack.max_attempts"},
	{"carried where nothing is", func(t *Topology, _ *Scenario) {
		b := budget(10)
		b.Counts = "carried"
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), b}
	}, "edges.web->db.retry.stack.token_budget.counts"},
	{"per call of what waits before tries", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "exponential", Per: "call"}}
	}, "edges.web->db.retry.stack.exponential.per"},
	{"per word", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Per = "request"
	}, "edges.web->db.retry.stack.max_attempts.per"},
	{"ejection by replica", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{
			attempts(2), {Policy: "envoy_outlier_detection", Key: "replica"}}
	}, "edges.web->db.retry.stack.envoy_outlier_detection.key"},
	{"ejection where the replica is given", func(t *Topology, _ *Scenario) {
		t.Edges[0].Balance.Policy = "local"
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "envoy_outlier_detection"}}
	}, "edges.web->db.retry.stack.envoy_outlier_detection"},
	{"low of what holds no tokens", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Low = 0.1
	}, "edges.web->db.retry.stack.max_attempts.low"},
	{"low above everything", func(t *Topology, _ *Scenario) {
		b := budget(10)
		b.Low = 1.5
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), b}
	}, "edges.web->db.retry.stack.token_budget.low"},
	{"admission by replica", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Admission = []PolicyUse{{Policy: "token_bucket", Key: "replica"}}
	}, "tiers.db.admission.token_bucket.key"},
	{"admission of a scope", func(t *Topology, _ *Scenario) {
		t.Tiers[1].Value.Admission = []PolicyUse{{Policy: "token_bucket", Scope: "tier"}}
	}, "tiers.db.admission.token_bucket"},
	{"pool of different settings", func(t *Topology, _ *Scenario) {
		a, b := budget(10), budget(20)
		a.Pool, b.Pool, a.Scope, b.Scope = "one", "one", "shared", "shared"
		t.Edges = []Edge{link("web", "db", sim.Second, a), link("users", "web", sim.Second, b)}
	}, "edges.users->web.retry.stack.token_budget"},
	{"pool of different keys", func(t *Topology, _ *Scenario) {
		a, b := budget(10), budget(10)
		a.Pool, b.Pool, a.Scope, b.Scope = "one", "one", "shared", "shared"
		b.Key = "priority"
		t.Edges = []Edge{link("web", "db", sim.Second, a), link("users", "web", sim.Second, b)}
	}, "edges.users->web.retry.stack.token_budget"},
	{"pool over callers by instance", func(t *Topology, _ *Scenario) {
		a, b := budget(10), budget(10)
		a.Pool, b.Pool = "one", "one"
		t.Edges = []Edge{link("web", "db", sim.Second, a), link("users", "web", sim.Second, b)}
	}, "edges.users->web.retry.stack.token_budget"},
	{"shared by different settings", func(t *Topology, _ *Scenario) {
		a, b := budget(10), budget(20)
		a.Scope, b.Scope = "shared", "shared"
		t.Edges = []Edge{link("web", "db", sim.Second, a), link("users", "db", sim.Second, b)}
	}, "edges.users->db.retry.stack.token_budget"},
}
