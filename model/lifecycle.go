package model

import (
	"fmt"
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Restart takes replicas down for a while and brings them back as new ones. Its entry ends when
// they are back: End is At + Down.
type Restart struct {
	Tier  string   `yaml:"tier" doc:"tier or tier@replica"`
	Down  sim.Time `yaml:"down" doc:"how long until they are back"`
	Flows string   `yaml:"flows" enum:"finish|reset|drop" default:"drop" doc:"finish: out of rotation at once, serve what they hold, and what is left when they are back is reset; reset: callers are told at once; drop: callers find out by their timeout"`
}

// Deploy restarts the replicas of a tier batch after batch, the first ones first. Its entry ends
// when the last batch is back; see Takes.
type Deploy struct {
	Tier  string     `yaml:"tier" doc:"tier"`
	Batch unit.Share `yaml:"batch" default:"25%" doc:"share of the replicas that are down together, rounded down, at least one (Kubernetes: maxUnavailable)"`
	Down  sim.Time   `yaml:"down" doc:"how long each batch is down"`
	Gap   sim.Time   `yaml:"gap" default:"0" doc:"from the return of a batch to the start of the next"`
	Flows string     `yaml:"flows" enum:"finish|reset|drop" default:"finish" doc:"as of restart"`
}

// FaultCrash takes a share of a tier's replicas down until the fault ends: the last ones of those
// that take part when it begins.
type FaultCrash struct {
	Share unit.Share `yaml:"share" doc:"share of the replicas, to the nearest whole number and at least one"`
	Flows string     `yaml:"flows" enum:"reset|drop" default:"drop" doc:"reset: callers are told at once; drop: callers find out by their timeout"`
}

// Crash takes a replica down when a measure of its own is beyond a bound. It comes back as a new
// one, and what the measure is of counts from then on.
type Crash struct {
	When  When     `yaml:"when" doc:"the condition, of each replica alone: arrivals_per_s above 110/s, in_system, utilization"`
	Down  sim.Dist `yaml:"down" doc:"how long until it is back, each time"`
	Flows string   `yaml:"flows" enum:"reset|drop" default:"drop" doc:"reset: callers are told at once; drop: callers find out by their timeout"`
}

// Memory is that of each replica. One that has let in more than fits is killed at once, and comes
// back as a new one.
type Memory struct {
	Limit      unit.Size `yaml:"limit" doc:"over it the replica is killed"`
	Base       unit.Size `yaml:"base" default:"0" doc:"what it takes when it holds nothing"`
	PerRequest unit.Size `yaml:"per_request" doc:"what each attempt takes that it holds: in work, in line, or outside a flow limit (it grows by 1/scale)"`
	Down       sim.Dist  `yaml:"down" doc:"how long until it is back, each time"`
	Flows      string    `yaml:"flows" enum:"reset|drop" default:"drop" doc:"reset: callers are told at once; drop: callers find out by their timeout"`
}

// most is how many attempts fit.
func (m *Memory) most() int {
	return int(min((m.Limit-m.Base)/m.PerRequest, mostCount))
}

// ColdStart is how much longer work takes at a replica that is new: one that has been restarted,
// has crashed and come back, or was added.
type ColdStart struct {
	Slow    unit.Factor `yaml:"slow" doc:"how many times as long work takes at first"`
	For     sim.Time    `yaml:"for" doc:"how long until it takes as long as ever; the factor falls evenly"`
	AtStart bool        `yaml:"at_start" doc:"true: all replicas are new when the run begins"`
}

// batch is how many of so many replicas are down together.
func (d *Deploy) batch(replicas int) int {
	return max(1, int(math.Floor(float64(float64(d.Batch)*float64(replicas))+1e-9)))
}

// Takes is how long a deployment of so many replicas lasts.
func (d *Deploy) Takes(replicas int) sim.Time {
	size := d.batch(replicas)
	batches := sim.Time((replicas + size - 1) / size)
	return batches*d.Down + (batches-1)*d.Gap
}

// downtime is a time in which some replicas of a tier are out.
type downtime struct {
	tier, first, count int // first within the tier
	kernel.Pause
}

// downtimes are those of an entry whose names are right.
func (n *names) downtimes(i int) []downtime {
	e := &n.s.Timeline[i]
	switch {
	case e.Pause != nil:
		flows := flowsNamed(e.Pause.Flows, kernel.Finish)
		return n.downtime(e, e.Pause.Tier, kernel.Pause{Flows: flows})
	case e.Restart != nil:
		flows := flowsNamed(e.Restart.Flows, kernel.Drop)
		return n.downtime(e, e.Restart.Tier, kernel.Pause{Flows: flows, Fresh: true})
	case e.Deploy != nil:
		return n.rollout(e)
	case e.Fault != nil && e.Fault.Crash != nil:
		return n.crashes(e)
	}
	return nil
}

// downtime is that of the replicas that a text names, from start to end of the entry.
func (n *names) downtime(e *TimelineEntry, text string, p kernel.Pause) []downtime {
	s, m := n.replicas(text)
	if m != nil {
		return nil
	}
	d := downtime{tier: s.tier, count: n.declared(s.tier), Pause: p}
	if s.replica >= 0 {
		d.first, d.count = s.replica, 1
	}
	d.From, d.To = e.At, e.End
	return []downtime{d}
}

// declared is how many replicas a tier has before anything changes their number.
func (n *names) declared(tier int) int { return len(replicaNames(&n.t.Tiers[tier].Value)) }

// rollout is a downtime for each batch.
func (n *names) rollout(e *TimelineEntry) []downtime {
	s, m := n.replicas(e.Deploy.Tier)
	if m != nil {
		return nil
	}
	replicas, from := n.declared(s.tier), e.At
	size := e.Deploy.batch(replicas)
	var out []downtime
	for first := 0; first < replicas; first += size {
		d := downtime{tier: s.tier, first: first, count: min(size, replicas-first)}
		d.From, d.To, d.Fresh = from, from+e.Deploy.Down, true
		d.Flows = flowsNamed(e.Deploy.Flows, kernel.Finish)
		out = append(out, d)
		from = d.To + e.Deploy.Gap
	}
	return out
}

// crashes are the downtimes of a fault.
func (n *names) crashes(e *TimelineEntry) []downtime {
	flows := flowsNamed(e.Fault.Crash.Flows, kernel.Drop)
	var out []downtime
	for _, s := range n.scopes(e.Fault) {
		d := downtime{tier: s.tier, count: -1}
		d.Pause = kernel.Pause{From: e.At, To: e.End, Flows: flows, Fresh: true,
			Share: float64(e.Fault.Crash.Share)}
		if s.replica >= 0 {
			d.first, d.count, d.Share = s.replica, 1, 0
		}
		out = append(out, d)
	}
	return out
}

// pauses compiles all downtimes. A share is of the replicas that there are when it begins, so that
// all that there can be are meant.
func (c *compiler) pauses() {
	for i := range c.n.s.Timeline {
		for _, d := range c.n.downtimes(i) {
			t := &c.p.Tiers[d.tier]
			if d.count < 0 || d.first == 0 && d.count == c.n.declared(d.tier) {
				d.count = t.Count
			}
			d.First, d.Count, d.Trigger = t.First+d.first, d.count, c.trigger[i]
			c.p.Pauses = append(c.p.Pauses, d.Pause)
		}
	}
}

// checkRestart checks a restart and that its entry ends with it.
func (n *names) checkRestart(path string, e *TimelineEntry) {
	r := e.Restart
	n.word(path+".flows", r.Flows, "finish", "reset", "drop")
	n.checkOut(path+".tier", r.Tier)
	n.checkDown(path, r.Down)
	if r.Down > 0 && e.End != e.At+r.Down {
		n.errorf(path, "its entry ends at %s; a restart ends when the replicas are back, at %s",
			unit.FormatDuration(e.End), unit.FormatDuration(e.At+r.Down))
	}
}

// checkDeploy checks a rolling deployment and that its entry ends with it.
func (n *names) checkDeploy(path string, e *TimelineEntry) {
	d := e.Deploy
	n.word(path+".flows", d.Flows, "finish", "reset", "drop")
	n.share(path+".batch", d.Batch)
	if d.Batch == 0 {
		n.errorf(path+".batch", "expected a share above 0%%, such as 25%%")
	}
	n.checkDown(path, d.Down)
	if d.Gap < 0 || d.Gap > longest {
		n.errorf(path+".gap", "%s; expected a duration", unit.FormatDuration(d.Gap))
	}
	s, m := n.replicas(d.Tier)
	switch {
	case m != nil:
		n.errorf(path+".tier", "%s", m.text).hint(m.hint)
	case s.replica >= 0:
		n.errorf(path+".tier", "%s is one replica, which has no batches", d.Tier).
			hint("restart takes one replica down")
	case d.Down > 0 && e.End != e.At+d.Takes(n.declared(s.tier)):
		n.errorf(path, "its entry ends at %s; the last batch is back at %s",
			unit.FormatDuration(e.End), unit.FormatDuration(e.At+d.Takes(n.declared(s.tier))))
	}
}

func (n *names) checkDown(path string, down sim.Time) {
	if down <= 0 || down > longest {
		n.errorf(path+".down", "%s; expected how long replicas are down, such as 30s",
			unit.FormatDuration(down))
	}
}

func (n *names) checkOut(path, text string) {
	if _, m := n.replicas(text); m != nil {
		n.errorf(path, "%s", m.text).hint(m.hint)
	}
}

// checkCrash checks a fault that takes replicas down.
func (n *names) checkCrash(path string, f *Fault) {
	n.share(path+".share", f.Crash.Share)
	n.word(path+".flows", f.Crash.Flows, "reset", "drop")
	if f.Crash.Share == 0 {
		n.errorf(path+".share", "expected a share above 0%%, such as 30%%")
	}
	for _, s := range n.scopes(f) {
		switch {
		case s.endpoint >= 0:
			n.errorf(path, "an endpoint cannot crash").hint("name its tier")
		case s.replica >= 0 && f.Crash.Share < 1:
			n.errorf(path+".share", "%s is one replica, which crashes as a whole: 100%%", f.Tier)
		}
	}
}

// checkPauses reports entries that take one replica out at the same time.
func (n *names) checkPauses() {
	type held struct {
		entry int
		downtime
	}
	var seen []held
	for i := range n.s.Timeline {
		if n.s.Timeline[i].Fault != nil || n.s.Timeline[i].Waits() {
			continue // something may break whatever else happens, and at any time
		}
		path := entryPath(n.s.Timeline, i)
		for _, d := range n.downtimes(i) {
			for _, o := range seen {
				if o.entry != i && o.tier == d.tier && o.first < d.first+d.count &&
					d.first < o.first+o.count && d.From < o.To && o.From < d.To {
					n.errorf(path, "%s takes %s out at the same time",
						entryPath(n.s.Timeline, o.entry), n.replicasOf(o.downtime))
					break
				}
			}
			seen = append(seen, held{i, d})
		}
	}
}

// replicasOf names what a downtime takes out.
func (n *names) replicasOf(d downtime) string {
	t := &n.t.Tiers[d.tier]
	if d.count == n.declared(d.tier) {
		return t.Name
	}
	if d.count == 1 {
		return t.Name + "@" + replicaNames(&t.Value)[d.first]
	}
	return fmt.Sprintf("replicas of %s", t.Name)
}

// checkCrashRule checks when replicas of a tier go down by themselves.
func (n *names) checkCrashRule(path string, tier int, c *Crash) {
	n.word(path+".flows", c.Flows, "reset", "drop")
	n.checkDowntime(path, &c.Down)
	n.checkWhen(path+".when", &c.When, &faultScope{tier, 0, -1})
	if c.When.After != 0 {
		n.errorf(path+".when.after", "a replica crashes at once; after is for the timeline")
	}
}

func (n *names) checkDowntime(path string, down *sim.Dist) {
	if down.IsZero() {
		n.errorf(path+".down", "expected how long a replica is down, such as 60s or exp 60s")
	}
}

// crashRules compiles when replicas go down by themselves.
func (c *compiler) crashRules() {
	for i := range c.n.t.Tiers {
		t := &c.n.t.Tiers[i]
		if m := t.Value.Memory; m != nil {
			most := c.count("tiers."+t.Name+".memory.limit", m.most(), "attempts in memory")
			c.p.Crashes = append(c.p.Crashes, kernel.Crash{Tier: i, Most: most, Down: m.Down,
				Flows: flowsNamed(m.Flows, kernel.Drop)})
		}
		rule := t.Value.Crash
		if rule == nil {
			continue
		}
		k := kernel.Crash{Tier: i, Down: rule.Down, Flows: flowsNamed(rule.Flows, kernel.Drop)}
		for r := range c.p.Tiers[i].Count {
			k.When = append(k.When, c.watch(&rule.When, &faultScope{i, r, -1}))
		}
		c.p.Crashes = append(c.p.Crashes, k)
	}
}

// checkMemoryLimit checks what attempts take of a replica's memory.
func (n *names) checkMemoryLimit(path string, m *Memory) {
	n.word(path+".flows", m.Flows, "reset", "drop")
	n.checkDowntime(path, &m.Down)
	switch {
	case m.PerRequest <= 0:
		n.errorf(path+".per_request", "expected what an attempt takes, such as 1MB")
	case m.Limit <= m.Base:
		n.errorf(path+".limit", "%s is not above base, %s", m.Limit, m.Base)
	case m.most() == 0:
		n.errorf(path+".per_request", "%s; not even one attempt fits beside base", m.PerRequest)
	}
}

func (n *names) checkColdStart(path string, c *ColdStart) {
	if !(c.Slow >= 1 && c.Slow <= mostFactor) {
		n.errorf(path+".slow", "%s; expected a factor from 1x to %s", c.Slow, unit.Factor(mostFactor))
	}
	if c.For <= 0 || c.For > longest {
		n.errorf(path+".for", "%s; expected a duration above 0 and at most %s",
			unit.FormatDuration(c.For), unit.FormatDuration(longest))
	}
}
