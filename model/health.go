package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Health is how the callers of an edge find out which replicas are up: each probes each. The
// defaults of interval, fall and rise are those of HAProxy's `check`, as is a timeout of one
// interval.
type Health struct {
	Check    string     `yaml:"check" enum:"slot|connect" default:"slot" doc:"what a probe needs: a slot, for which it waits in line as any attempt does, or only a door that is open"`
	By       string     `yaml:"by" enum:"instance|shared" default:"instance" doc:"who probes: each calling replica for itself, or one for all"`
	Interval sim.Time   `yaml:"interval" default:"2s" doc:"from one probe of a replica to the next"`
	Timeout  sim.Time   `yaml:"timeout" default:"none" doc:"longest wait for an answer, at most the interval; none: the interval"`
	Jitter   unit.Share `yaml:"jitter" default:"0%" doc:"part of the interval by which the next probe may be later, at random (Envoy: interval_jitter_percent)"`
	Fall     int        `yaml:"fall" default:"3" doc:"failed probes in a row that take a replica out of rotation (Envoy: unhealthy_threshold)"`
	Rise     int        `yaml:"rise" default:"2" doc:"good ones in a row that bring it back (Envoy: healthy_threshold)"`
	Panic    unit.Share `yaml:"panic" default:"0%" doc:"share of replicas in rotation below which all are used (Envoy: healthy_panic_threshold, 50%)"`
	Work     sim.Dist   `yaml:"work" default:"0" doc:"slot: what a probe costs; shorter by the scale, as a smaller run has as many probes"`
}

// Spill is how a route follows the health of its targets.
type Spill struct {
	By            string     `yaml:"by" enum:"share|order" default:"share" doc:"share: each weight is worth what is left of its target; order: the first target gets what it can take, then the next"`
	Overprovision unit.Ratio `yaml:"overprovisioning" default:"140%" doc:"what a healthy part can take: at 140% a target has its whole share while 5 in 7 replicas are in rotation (Envoy: overprovisioning_factor)"`
}

// mostProbes bounds what a run spends on probes: more pairs of replicas are a slip.
const mostProbes = 1_000_000

func (n *names) checkHealth(path string, e *edge) {
	h := e.Balance.Health
	if h == nil {
		return
	}
	n.word(path+".check", h.Check, "slot", "connect")
	n.word(path+".by", h.By, "instance", "shared")
	n.count(path+".fall", h.Fall, 1)
	n.count(path+".rise", h.Rise, 1)
	n.share(path+".jitter", h.Jitter)
	n.share(path+".panic", h.Panic)
	if h.Interval < sim.Millisecond || h.Interval > longest {
		n.errorf(path+".interval", "%s; expected a duration from 1ms to %s",
			unit.FormatDuration(h.Interval), unit.FormatDuration(longest))
	}
	n.timer(path+".timeout", h.Timeout)
	if h.Timeout != sim.Never && h.Timeout > h.Interval {
		n.errorf(path+".timeout", "%s, but the next probe is due after %s",
			unit.FormatDuration(h.Timeout), unit.FormatDuration(h.Interval)).
			hint("make the interval longer, or the timeout shorter")
	}
	if h.Check == "connect" && h.Work != (sim.Dist{}) {
		n.errorf(path+".work", "a probe that only connects does no work").hint("say check: slot")
	}
	if e.ok && n.probedPairs(e) > mostProbes {
		n.errorf(path+".by", "%d pairs of a caller and a replica; expected at most %d",
			n.probedPairs(e), mostProbes).hint("say by: shared")
	}
}

// probedPairs is how many replicas all callers of an edge probe.
func (n *names) probedPairs(e *edge) int {
	callers, replicas := 1, 0
	if e.from.kind == aTier && e.Balance.Health.By != "shared" {
		callers = len(replicaNames(&n.t.Tiers[e.from.index].Value))
	}
	for _, tier := range n.probedTiers(e) {
		replicas += len(replicaNames(&n.t.Tiers[tier].Value))
	}
	return callers * replicas
}

// probedTiers are those that attempts over an edge can go to.
func (n *names) probedTiers(e *edge) []int {
	to := n.spread(e.to)
	if e.Balance.Failover != "" {
		if failover, m := n.target(e.Balance.Failover, false); m == nil {
			to = append(to, failover)
		}
	}
	var tiers []int
	seen := map[int]bool{}
	for _, t := range to {
		if !seen[t.tier] {
			seen[t.tier] = true
			tiers = append(tiers, t.tier)
		}
	}
	return tiers
}

func (n *names) checkSpill(path string, s *Spill) {
	if s == nil {
		return
	}
	n.word(path+".by", s.By, "share", "order")
	if !(s.Overprovision >= 1 && s.Overprovision <= mostFactor) {
		n.errorf(path+".overprovisioning", "%v; expected 100%% or more", s.Overprovision).
			hint("100% lets a target that lacks a part of its replicas have that much less")
	}
}

// health compiles an edge's probes.
func (c *compiler) health(e *edge) *kernel.Health {
	h := e.Balance.Health
	if h == nil {
		return nil
	}
	k := &kernel.Health{
		Shared: h.By == "shared", Interval: h.Interval, Timeout: min(h.Timeout, h.Interval),
		Jitter: float64(h.Jitter), Fall: h.Fall, Rise: h.Rise, Panic: float64(h.Panic),
	}
	for _, tier := range c.n.probedTiers(e) {
		k.Targets = append(k.Targets, c.target(target{route: -1, tier: tier}))
	}
	if h.Check != "connect" {
		k.Check, k.Step = kernel.CheckSlot, len(c.p.Programs)
		c.p.Programs = append(c.p.Programs, kernel.Step{
			Verb: kernel.Work, Time: h.Work.Scale(1 / c.scale.by),
		})
	}
	return k
}

// into puts into the plan how a route follows health.
func (s *Spill) into(k *kernel.Route) {
	if s == nil {
		return
	}
	k.Spill, k.Overprovision = kernel.SpillAll, float64(s.Overprovision)
	if s.By == "order" {
		k.Spill = kernel.SpillNext
	}
}
