package model

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

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
	{"a priority far below", func(t *Topology, _ *Scenario) {
		t.Edges[0].Priority.Retry = "-8"
	}, "edges.web->db.priority.retry"},
	{"a budget asked once per call", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "token_budget", Per: "call"}}
	}, "edges.web->db.retry.stack.token_budget.per"},
	{"a carried wait", func(t *Topology, _ *Scenario) {
		t.Edges[0].CarryAttempt = true
		t.Edges[0].Retry.Stack = []PolicyUse{attempts(2), {Policy: "exponential", Counts: "carried"}}
	}, "edges.web->db.retry.stack.exponential.counts"},
	{"a client that carries", func(t *Topology, _ *Scenario) {
		t.Edges = append(t.Edges, link("users", "web", 2*sim.Second))
		t.Edges[1].Retry = &Retry{Enabled: 1, Stack: []PolicyUse{
			{Policy: "max_attempts", Counts: "carried"}}}
	}, "edges.users->web.retry.stack.max_attempts.counts"},
	{"connections of http2", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack = []PolicyUse{{Policy: "envoy_circuit_breaker",
			Settings: &policies.EnvoyCircuitBreaker{MaxRequests: 5, Protocol: "http2", Connections: 7,
				Pending: 1024}}}
	}, "edges.web->db.retry.stack.envoy_circuit_breaker.max_connections"},
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
	}, "edges.web->db.retry.retry_on.0"},
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
	{"per call of what lets first tries pass", func(t *Topology, _ *Scenario) {
		t.Edges[0].Retry.Stack[0].Per = "call"
	}, "edges.web->db.retry.stack.max_attempts.per"},
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
