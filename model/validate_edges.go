package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// maxChoices bounds the replicas that least_request looks at; with more, nothing is left to chance.
const maxChoices = 1000

// mostResent bounds how often a request is sent again.
const mostResent = 100

func (n *names) checkEdge(e *edge) {
	path := e.path
	n.share(path+".loss", e.Loss)
	n.share(path+".replies_lost", e.RepliesLost)
	n.timer(path+".timeout.try", e.Timeout.Try)
	n.timer(path+".timeout.overall", e.Timeout.Overall)
	if lease := e.Timeout.Lease; lease != 0 {
		n.timer(path+".timeout.lease", lease)
		if lease != sim.Never && e.Timeout.Try != sim.Never {
			n.errorf(path+".timeout.lease", "a try has one clock, and try sets it when it is sent").
				hint("leave try out for a queue, whose messages may wait as long as they like")
		}
	}
	if e.Timeout.Overall != sim.Never && e.Timeout.Try != sim.Never &&
		e.Timeout.Try >= e.Timeout.Overall {
		n.errorf(path+".timeout.try", "a try of %s has no room in %s overall",
			unit.FormatDuration(e.Timeout.Try), unit.FormatDuration(e.Timeout.Overall)).
			hint("make try shorter, or leave one of them out")
	}
	n.checkConnections(path+".connections", e.Connections)
	n.checkRetransmit(path+".retransmit", e.Retransmit)
	n.word(path+".cancel", e.Cancel, "none", "queued", "all")
	n.checkBalance(path+".balance", e)
	n.checkHealth(path+".balance.health", e)
	n.share(path+".block.share", e.Block.Share)
	n.status(path+".block.status", e.Block.Status)
	n.checkPriority(path+".priority", e.Priority)
	n.word(path+".block.by", e.Block.By, "attempt", "request", "client")
	if e.Block.By == "client" {
		n.needsPopulation(path+".block.by", "by: client")
	}
	if e.Balance.Policy == "hash" && e.Balance.Key == "client" {
		n.needsPopulation(path+".balance.key", "key: client")
	}
	if e.Retry == nil {
		return
	}
	if e.Retry.Scope == "client" && len(e.Retry.Stack) > 0 {
		n.needsPopulation(path+".retry.scope", "scope: client")
	}
	n.word(path+".retry.scope", e.Retry.Scope, scopeWords...)
	n.share(path+".retry.enabled", e.Retry.Enabled)
	n.checkRetryOn(path+".retry.retry_on", e)
	switch {
	case len(e.Retry.Stack) == 0:
		n.warnf(path+".retry.stack", "the stack is empty: one try, and no retry")
	case !n.triesAgain(e) && !n.hedges(e):
		n.warnf(path+".retry.stack", "one try, and no retry: no entry bounds the tries, waits "+
			"before one or decides what is tried again").hint("add max_attempts to retry")
	}
}

// checkRetransmit checks how lost requests are sent again; nil: not at all.
func (n *names) checkRetransmit(path string, r *Retransmit) {
	if r == nil {
		return
	}
	n.length(path+".first", r.First)
	if r.First == 0 {
		n.errorf(path+".first", "0; expected some time, such as 1s")
	}
	if !(r.Factor >= 1 && r.Factor <= mostFactor) {
		n.errorf(path+".factor", "%vx; expected a factor from 1x to 1000000x", float64(r.Factor))
	}
	if r.Tries < 1 || r.Tries > mostResent {
		n.errorf(path+".tries", "%d; expected 1 to %d", r.Tries, mostResent)
	}
}

// triesAgain tells whether a stack is about retries: one that only breaks, throttles, ejects or
// hedges makes no try after a failed one. What is not known may be.
func (n *names) triesAgain(e *edge) bool {
	if e.Retry == nil {
		return false
	}
	return slices.ContainsFunc(e.Retry.Stack, func(u PolicyUse) bool {
		kind, ok := n.reg.Lookup(u.Policy)
		return !ok || kind.Bounds || kind.Paces || kind.Judges
	})
}

// hedges tells whether a stack sends copies, which is no retry but meant to be.
func (n *names) hedges(e *edge) bool {
	return slices.ContainsFunc(e.Retry.Stack, func(u PolicyUse) bool {
		kind, ok := n.reg.Lookup(u.Policy)
		return ok && kind.New(nil).Hedger != nil
	})
}

// checkRetryOn checks which outcomes are tried again.
func (n *names) checkRetryOn(path string, e *edge) {
	on := e.Retry.RetryOn
	if judge := n.judge(e); judge != "" && len(on) > 0 {
		n.errorf(path, "%s decides itself what is tried again", judge).
			hint("leave retry_on out, and use the settings of " + judge)
		return
	}
	if e.Timeout.Try != sim.Never && !slices.Contains(on, "timed_out") &&
		slices.ContainsFunc(on, means504) {
		n.warnf(path, "a try that timed out has no status at its caller, "+
			"so that no status word matches it").hint("write timed_out beside it")
	}
	for i, word := range on {
		if _, m := retryOn(on[i : i+1]); m != nil {
			n.errorf(fmt.Sprintf("%s.%d", path, i), "%s", m.text).hint(m.hint)
		}
		if word == "refused" && !n.gateInLoop(e.Retry.Stack) {
			n.warnf(path, "nothing of this stack can be refused and tried again: only a breaker or "+
				"limiter, which is asked as a try is sent, after the wait in the stack").
				hint("put it after the wait; a callee whose own call was refused answers 503")
		}
	}
}

// gateInLoop tells whether a gate that is asked at the send stands after what waits or decides, so
// that what it refuses can be tried again.
func (n *names) gateInLoop(stack []PolicyUse) bool {
	inside := false
	for i := range stack {
		kind, ok := n.reg.Lookup(stack[i].Policy)
		if !ok {
			continue
		}
		if inside && kind.Refuses && kind.AtSend {
			return true
		}
		inside = inside || kind.Paces || kind.Judges
	}
	return false
}

// judge is the policy of an edge's stack that decides what is tried again; empty: retry_on does.
func (n *names) judge(e *edge) string {
	for _, u := range e.Retry.Stack {
		if kind, ok := n.reg.Lookup(u.Policy); ok && kind.Decides() {
			return kind.Name
		}
	}
	return ""
}

func (n *names) checkBalance(path string, e *edge) {
	b := &e.Balance
	n.word(path+".policy", b.Policy, "round_robin", "random", "least_request",
		"least_connections", "hash", "local")
	n.word(path+".key", b.Key, "request", "attempt", "call", "client")
	n.word(path+".on_retry", b.OnRetry, "any", "same", "other")
	if b.Policy == "least_request" {
		n.count(path+".choices", b.Choices, 1)
		if b.Choices > maxChoices {
			n.errorf(path+".choices", "%d; expected at most %d", b.Choices, maxChoices)
		}
	}
	fixed := b.Policy == "hash" && !(b.Rehash && b.OnRetry == "other") || b.Policy == "local"
	if b.Rehash && b.Policy != "hash" {
		n.errorf(path+".rehash", "only hash has keys").hint("say policy: hash")
	}
	if fixed && b.OnRetry != "" && b.OnRetry != "any" {
		n.errorf(path+".on_retry", "%s does not go with %s, which says itself where a retry goes",
			b.OnRetry, b.Policy)
	}
	if b.Failover == "" {
		return
	}
	to, m := n.target(b.Failover, false)
	if m == nil && to.route >= 0 {
		m = &mistake{fmt.Sprintf("%q is a route; expected a tier", b.Failover),
			"name one of its targets"}
	}
	if m != nil {
		n.errorf(path+".failover", "%s", m.text).hint(m.hint)
	}
}

// outcomeWords are the ways to fail that a retry can name.
var outcomeWords = []string{"timed_out", "dropped", "rejected", "blocked", "refused", "error"}

// retryOn reads the outcomes that are tried again.
func retryOn(words []string) (classes [policies.Classes]bool, m *mistake) {
	for _, w := range words {
		if c := classNamed(w); c != policies.Pending && c != policies.OK {
			classes[c] = true
			continue
		}
		if _, _, ok := statusWord(w); !ok {
			return classes, &mistake{fmt.Sprintf("%q; expected outcomes such as timed_out, "+
				"503 or 5xx", w), nearest(w, outcomeWords)}
		}
	}
	return classes, nil
}

// needsPopulation warns where clients should be told apart although none has a population: each
// class of clients is then one client.
func (n *names) needsPopulation(path, what string) {
	for i := range n.t.Clients {
		if n.t.Clients[i].Value.Population > 1 {
			return
		}
	}
	n.warnf(path, "%s, but no client has a population: all requests of a client count as one's", what).
		hint("give the client a population")
}

func means504(word string) bool {
	first, last, ok := statusWord(word)
	return ok && first <= 504 && 504 <= last
}

// statusWord is the range of statuses that a word such as 503 or 5xx means.
func statusWord(w string) (first, last int, ok bool) {
	if len(w) == 3 && strings.HasSuffix(w, "xx") && w[0] >= '1' && w[0] <= '5' {
		first = int(w[0]-'0') * 100
		return first, first + 99, true
	}
	v, err := strconv.Atoi(w)
	return v, v, err == nil && v >= 100 && v <= 599
}

// retries tells whether an edge tries again what ends with a class and status; where a policy
// decides that, whether it might.
func (n *names) retries(e *edge, class policies.Class, status int) bool {
	if !n.triesAgain(e) {
		return false
	}
	if n.judge(e) != "" {
		return true
	}
	for _, w := range e.Retry.RetryOn {
		if classNamed(w) == class {
			return true
		}
		if first, last, ok := statusWord(w); ok && first <= status && status <= last {
			return true
		}
	}
	return false
}

// checkInto checks what depends on the tiers that an edge reaches.
func (n *names) checkInto(i int) {
	e := &n.edges[i]
	if !e.ok {
		return
	}
	if e.Balance.Policy == "local" {
		n.checkLocal(i)
	}
	n.checkLoss(i)
	n.checkStandstill(i)
}

func (n *names) checkLocal(i int) {
	e := &n.edges[i]
	path := e.path + ".balance.policy"
	if e.from.kind == aClient {
		n.errorf(path, "local pairs replicas, and client %q has none", e.From)
		return
	}
	for _, to := range n.spread(e.to) {
		if !n.sameReplicas(path, "local", e.from.index, to.tier) {
			return
		}
		a, b := e.from.index, to.tier
		if (n.countMoves(a) || n.countMoves(b)) && !n.samePods(a, b) {
			n.errorf(path, "local pairs replicas one to one, but their number changes in the run")
			return
		}
	}
}

// countMoves tells whether the number of a tier's replicas changes during the run.
func (n *names) countMoves(tier int) bool {
	return n.scalerOf(tier) != nil || n.isSet("tiers."+n.t.Tiers[tier].Name+".replicas")
}

// samePods tells whether two tiers are containers of the same pods, so that they move together.
func (n *names) samePods(a, b int) bool {
	s := n.scalerOf(a)
	return s != nil && s.HPA != nil && s == n.scalerOf(b) &&
		!n.isSet("tiers."+n.t.Tiers[a].Name+".replicas") &&
		!n.isSet("tiers."+n.t.Tiers[b].Name+".replicas")
}

// isSet tells whether the timeline sets a path.
func (n *names) isSet(path string) bool {
	for i := range n.s.Timeline {
		for _, s := range n.s.Timeline[i].settings() {
			if s.Path == path {
				return true
			}
		}
	}
	return false
}
