package model

import (
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// gaugeWords are the gauges that an autoscaler can look at.
var gaugeWords = []string{"utilization", "busy", "in_line", "in_system", "slots"}

func (n *names) checkAutoscale(path string, tier int, t *Tier) {
	a := t.Autoscale
	n.word(path+".adjust", a.Adjust, "replicas", "slots")
	n.word(path+".per", a.Per, "tier", "replica")
	n.checkPace(path, a)
	if a.HPA != nil {
		n.checkHPA(path, tier, a)
		return
	}
	metric, ok := n.metric(path+".metric", a.Metric)
	if ok && strings.HasSuffix(a.Metric, ".utilization") &&
		n.t.Tiers[metric].Value.Slots == Unlimited {
		n.errorf(path+".metric", "the slots of %s are unlimited, so it has no utilization",
			n.t.Tiers[metric].Name).hint("look at busy or in_system")
	}
	if !(a.Target > 0 && a.Target <= mostCount) {
		n.errorf(path+".target", "%v; expected a value above 0", a.Target)
	}
	if a.Adjust == "slots" {
		if t.Slots == Unlimited {
			n.errorf(path+".adjust", "slots is unlimited; there is nothing to adjust")
		}
		if a.Per == "replica" && ok && metric != tier {
			n.sameReplicas(path+".per", "per: replica", metric, tier)
		}
		return
	}
	n.checkReplicaScaler(path, t, a)
}

// checkPace checks how often and how far an autoscaler goes.
func (n *names) checkPace(path string, a *Autoscale) {
	n.count(path+".min", a.Min, 1)
	n.count(path+".max", a.Max, max(1, a.Min))
	if a.Every < sim.Millisecond || a.Every > longest {
		n.errorf(path+".every", "%s; expected a duration from 1ms on", unit.FormatDuration(a.Every))
	}
	n.length(path+".delay", a.Delay)
	n.length(path+".down_window", a.DownWindow)
	n.tolerance(path+".tolerance", a.Tolerance)
}

func (n *names) tolerance(path string, v unit.Ratio) {
	if !(v >= 0 && v < 1) {
		n.errorf(path, "%v; expected 0%% up to less than 100%%", float64(v))
	}
}

// checkReplicaScaler checks what scales the number of replicas.
func (n *names) checkReplicaScaler(path string, t *Tier, a *Autoscale) {
	if len(t.Replicas.Named) > 0 {
		n.errorf(path+".adjust", "the replicas have names, and a new one would have none").
			hint("give replicas a count, or adjust: slots")
	}
	if a.Per == "replica" {
		n.errorf(path+".per", "a number of replicas belongs to the tier; "+
			"per: replica is for adjust: slots")
	}
	if a.Max > maxReplicas {
		n.errorf(path+".max", "%d; expected at most %d", a.Max, maxReplicas)
	}
}

// metric finds the tier that an autoscaler looks at.
func (n *names) metric(path, text string) (tier int, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || parts[0] != "tiers" {
		n.errorf(path, "%q; expected tiers.NAME.GAUGE with one of the gauges %s", text,
			strings.Join(gaugeWords, ", "))
		return 0, false
	}
	n.word(path, parts[2], gaugeWords...)
	p, ok := n.places[parts[1]]
	if !ok || p.kind != aTier {
		n.errorf(path, "no tier %q", parts[1]).hint(nearest(parts[1], n.known(aTier)))
		return 0, false
	}
	return p.index, true
}
