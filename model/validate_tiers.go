package model

import (
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// maxReplicas bounds the replicas of a tier; each has a station and its own series.
const maxReplicas = 100_000

// maxTimes bounds how often a call is repeated: identities of calls keep the repetition in 16 bits.
const maxTimes = 1<<16 - 1

func (n *names) checkTier(i int) {
	t := &n.t.Tiers[i].Value
	path := "tiers." + n.t.Tiers[i].Name
	n.checkReplicas(path+".replicas", t)
	n.limit(path+".slots", t.Slots, 1)
	n.checkLine(path+".line", &t.Line)
	n.checkInFlight(path+".in_flight", &t.InFlight)
	n.checkSharedTier(path, t)
	n.word(path+".deadline", t.Deadline, "ignore", "drop_expired", "drop_unlikely")
	n.status(path+".reject.status", t.Reject.Status)
	if t.Reject.RetryAfter != sim.Never {
		n.length(path+".reject.retry_after", t.Reject.RetryAfter)
	}
	n.length(path+".reject.cost", t.Reject.Cost)
	n.length(path+".reject.delay", t.Reject.Delay)
	switch {
	case len(t.Steps) > 0 && len(t.Endpoints) > 0:
		n.errorf(path, "steps and endpoints exclude each other")
	case len(t.Steps) == 0 && len(t.Endpoints) == 0:
		n.warnf(path, "there are no steps: every attempt is answered at once")
	}
	n.checkSteps(path+".steps", t.Steps, false)
	if t.Async {
		n.checkAsync(path+".steps", t.Steps)
	}
	for k := range t.Endpoints {
		e := &t.Endpoints[k]
		if !validName(e.Name) {
			n.errorf(path+".endpoints."+e.Name, "name %q: expected lower-case letters, "+
				"digits, _ and -, and a letter or digit first", e.Name)
		}
		n.checkSteps(path+".endpoints."+e.Name, e.Value, false)
		if t.Async {
			n.checkAsync(path+".endpoints."+e.Name, e.Value)
		}
	}
	if k := t.Keys; k != nil {
		n.word(path+".idempotency.replay", k.Replay, "all", "success")
		n.length(path+".idempotency.ttl", k.TTL)
		if k.TTL == 0 {
			n.errorf(path+".idempotency.ttl", "0; expected some time, such as 24h")
		}
	}
	if t.Autoscale != nil {
		n.checkAutoscale(path+".autoscale", i, t)
	}
	if t.Crash != nil {
		n.checkCrashRule(path+".crash", i, t.Crash)
	}
	if t.Memory != nil {
		n.checkMemoryLimit(path+".memory", t.Memory)
	}
	if t.ColdStart != nil {
		n.checkColdStart(path+".cold_start", t.ColdStart)
	}
}

func (n *names) checkReplicas(path string, t *Tier) {
	if len(t.Replicas.Named) == 0 {
		n.count(path, t.Replicas.Count, 1)
		if t.Replicas.Count > maxReplicas {
			n.errorf(path, "%d; expected at most %d", t.Replicas.Count, maxReplicas)
		}
		return
	}
	sum := 0.0
	for i := range t.Replicas.Named {
		r := &t.Replicas.Named[i]
		at := path + "." + r.Name
		if !validName(r.Name) {
			n.errorf(at, "name %q: expected lower-case letters, digits, _ and -, "+
				"and a letter or digit first", r.Name)
		}
		for k := range i {
			if t.Replicas.Named[k].Name == r.Name {
				n.errorf(at, "two replicas are called %q", r.Name)
			}
		}
		if !(r.Value.Weight >= 0 && r.Value.Weight <= mostFactor) {
			n.errorf(at+".weight", "%v; expected a weight from 0 to %v", r.Value.Weight, mostFactor)
		}
		sum += r.Value.Weight
		if r.Value.Slots != nil {
			n.limit(at+".slots", *r.Value.Slots, 1)
		}
		if r.Value.Line != nil {
			n.checkLine(at+".line", r.Value.Line)
		}
		if r.Value.InFlight != nil {
			n.checkInFlight(at+".in_flight", r.Value.InFlight)
		}
	}
	if sum == 0 {
		n.errorf(path, "all weights are 0; expected one above 0")
	}
}

func (n *names) checkInFlight(path string, f *InFlight) {
	n.limit(path+".limit", f.Limit, 1)
	n.word(path+".over", f.Over, "reject", "backlog", "drop")
	n.limit(path+".backlog", f.Backlog, 0)
	if f.Backlog != 0 && f.Over != "backlog" {
		n.errorf(path+".backlog", "%s have nowhere to wait", unit.Count(f.Backlog)).
			hint("say over: backlog")
	}
	if f.Over == "backlog" && f.Backlog == 0 {
		n.warnf(path+".backlog", "a backlog of 0 rejects, as over: reject does")
	}
}

// checkSteps checks a list of steps; branches are those of a parallel step.
func (n *names) checkSteps(path string, steps []Step, branches bool) {
	seen := map[string]bool{}
	for i := range steps {
		key := stepKey(steps, i)
		if seen[key] {
			n.errorf(path+"."+key, "two steps have this key").hint("give them different names")
		}
		seen[key] = true
		n.checkStep(path+"."+key, &steps[i], branches)
	}
}

// checkAsync refuses what an asynchronous tier cannot do yet: work in branches would hold no slot,
// so that its capacity would not bind.
func (n *names) checkAsync(path string, steps []Step) {
	for i := range steps {
		if c := steps[i].Call; c != nil {
			n.checkAsync(path+"."+stepKey(steps, i)+".fallback", c.Fallback)
		}
		if c := steps[i].Cache; c != nil {
			n.checkAsync(path+"."+stepKey(steps, i)+".miss", c.Miss)
		}
		for k := range steps[i].Parallel {
			if steps[i].Parallel[k].Work != nil {
				n.errorf(path+"."+stepKey(steps, i), "not in this version: "+
					"work inside a parallel list of an async tier").hint("put the work before or after the list")
				break
			}
		}
	}
}

func (n *names) checkStep(path string, s *Step, branch bool) {
	verbs := 0
	for _, set := range []bool{s.Work != nil, s.Call != nil, s.Fail != nil, s.Effect != nil,
		s.Cache != nil, s.Parallel != nil} {
		if set {
			verbs++
		}
	}
	if verbs != 1 {
		n.errorf(path, "%d verbs; expected one of work, call, fail, effect, "+
			"cache, or a nested list", verbs)
	}
	if s.Work != nil {
		n.length(path+".per_in_flight", s.Work.PerInFlight)
		n.share(path+".usl.contention", s.Work.USL.Contention)
		n.share(path+".usl.coherence", s.Work.USL.Coherence)
	}
	if s.Call != nil {
		n.checkCallStep(path, s.Call)
		n.checkFallback(path, s.Call, branch)
	}
	if s.Cache != nil {
		n.checkCache(path, s.Cache, branch)
	}
	if s.Fail != nil {
		n.share(path+".share", s.Fail.Share)
		n.status(path+".status", s.Fail.Status)
	}
	if s.Parallel == nil {
		return
	}
	if branch {
		n.errorf(path, "a list of parallel steps cannot stand within another")
	}
	if len(s.Parallel) == 0 {
		n.errorf(path, "expected at least one step")
	}
	n.checkSteps(path, s.Parallel, true)
}

func (n *names) checkCallStep(path string, c *Call) {
	if c.To == "" {
		n.errorf(path+".to", "expected a target: what is called")
	}
	n.count(path+".times", c.Times, 1)
	if c.Times > maxTimes {
		n.errorf(path+".times", "%d; expected at most %d", c.Times, maxTimes)
	}
	n.share(path+".chance", c.Chance)
	if c.Detached() {
		n.checkDetached(path, c)
		return
	}
	switch c.OnFail {
	case "", "pass", "ignore":
		return
	}
	status, err := strconv.Atoi(c.OnFail)
	if err != nil {
		n.errorf(path+".on_fail", "%q; expected pass, ignore or a status", c.OnFail).
			hint(nearest(c.OnFail, []string{"pass", "ignore", "503"}))
		return
	}
	n.status(path+".on_fail", status)
}

// checkDetached refuses what says how an attempt goes on after a call that it does not wait for.
func (n *names) checkDetached(path string, c *Call) {
	const hint = "leave wait out, or leave it to the retries of the edge"
	if c.OnFail != "" && c.OnFail != "pass" {
		n.errorf(path+".on_fail", "%s, but nobody waits for this call", c.OnFail).hint(hint)
	}
	if c.Fallback != nil {
		n.errorf(path+".fallback", "nobody waits for this call").hint(hint)
	}
}

// checkFallback checks the steps that stand in for a call. Branches have none yet: they would run
// beside others in the slot that the attempt holds.
func (n *names) checkFallback(path string, c *Call, branch bool) {
	switch {
	case c.Fallback == nil:
		return
	case branch:
		n.errorf(path+".fallback", "not in this version: a fallback within a parallel list").
			hint("put the call before or after the list, or into a tier of its own")
	case len(c.Fallback) == 0:
		n.errorf(path+".fallback", "expected at least one step").hint("on_fail: ignore does nothing")
	case c.OnFail != "" && c.OnFail != "pass":
		n.errorf(path+".on_fail", "%s, but there is a fallback: it says what is done", c.OnFail).
			hint("leave on_fail out")
	}
	n.checkSteps(path+".fallback", c.Fallback, false)
}

// sameReplicas checks that replica i of one tier stands for replica i of another.
func (n *names) sameReplicas(path, why string, a, b int) bool {
	x, y := &n.t.Tiers[a], &n.t.Tiers[b]
	xs, ys := replicaNames(&x.Value), replicaNames(&y.Value)
	if len(xs) != len(ys) {
		n.errorf(path, "%s pairs replicas by name, but %s has %d of them and %s has %d", why,
			x.Name, len(xs), y.Name, len(ys))
		return false
	}
	for i := range xs {
		if xs[i] != ys[i] {
			n.errorf(path, "%s pairs replicas by name, but %s has %s and %s has %s", why,
				x.Name, namesText(&x.Value), y.Name, namesText(&y.Value)).
				hint("write the same names in the same order")
			return false
		}
	}
	return true
}

func namesText(t *Tier) string {
	if len(t.Replicas.Named) == 0 {
		return "none with names"
	}
	return strings.Join(mapNames(t.Replicas.Named), ", ")
}

// replicaNames are the names of a tier's replicas at the start: numbers when nobody named them.
func replicaNames(t *Tier) []string {
	if len(t.Replicas.Named) > 0 {
		return mapNames(t.Replicas.Named)
	}
	out := make([]string, max(0, min(t.Replicas.Count, maxReplicas)))
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
