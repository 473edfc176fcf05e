package model

import (
	"fmt"

	"cascadesim/policies"
	"cascadesim/sim"
)

// checkStandstill refuses retries that can follow each other without any time passing: the run
// would never get beyond that instant. It takes an edge without a limit on tries and without a
// wait, and a way for a try to fail in no time.
func (n *names) checkStandstill(i int) {
	e := &n.edges[i]
	if !n.triesAgain(e) || n.limits(e.Retry.Stack) {
		return
	}
	if why := n.failsAtOnce(i); why != "" {
		n.errorf(e.path+".retry.stack", "retries without limit and without wait: %s, "+
			"so that time would stand still", why).
			hint("add max_attempts, or a backoff")
	}
}

// limits tells whether a stack bounds the tries of one instant, by a count, a gate or a wait.
// Settings that are wrong have been reported, and count as a limit here.
func (n *names) limits(stack []PolicyUse) bool {
	for i := range stack {
		kind, ok := n.reg.Lookup(stack[i].Policy)
		if !ok || kind.Refuses || kind.Bounds || !settingsFit(kind, stack[i].Settings) {
			return true
		}
		if !kind.Paces {
			continue
		}
		if len(kind.Check(stack[i].Settings)) > 0 || waits(kind.New(stack[i].Settings)) {
			return true
		}
	}
	return false
}

// waits asks a pacer for some waits; one that never waits is as good as none.
func waits(p policies.Policy) bool {
	if p.Pacer == nil {
		return false
	}
	last := policies.Outcome{Class: policies.TimedOut, Status: 504}
	var note uint64
	for k := 2; k < 10; k++ {
		a := policies.Attempt{N: k, Chance: sim.Seed(1).Stream("model"), Deadline: sim.Never,
			Last: last, Note: &note}
		if p.Pacer.Wait(0, &a, last) > 0 {
			return true
		}
	}
	return false
}

// failsAtOnce says how a try over an edge can fail in no time, in a way that is tried again; empty:
// it cannot. Blocks, broken links and missing replicas answer before the hop.
func (n *names) failsAtOnce(i int) string {
	e := &n.edges[i]
	rejects := n.retries(e, policies.Rejected, 503)
	if e.Latency.IsZero() && e.called {
		return "the hop takes no time"
	}
	blocks := e.Block.Share > 0 || n.isSet(e.path+".block.share")
	if blocks && n.retries(e, policies.Blocked, e.Block.Status) {
		return "what is blocked is answered at once"
	}
	for k := range n.s.Timeline {
		entry := &n.s.Timeline[k]
		f := entry.Fault
		if f != nil && f.Link == "refused" && e.fits(f.Edge) &&
			n.retries(e, policies.Dropped, 502) {
			return fmt.Sprintf("%s refuses at once", entryPath(n.s.Timeline, k))
		}
		for _, d := range n.downtimes(k) {
			if rejects && n.reaches(i, n.t.Tiers[d.tier].Name) {
				return fmt.Sprintf("with %s a call without a replica is rejected at once",
					entryPath(n.s.Timeline, k))
			}
		}
	}
	return ""
}
