package model

import (
	"fmt"
	"reflect"

	"cascadesim/policies"
	"cascadesim/sim/unit"
)

// checkAdmission checks where an admission policy keeps its state: at each replica, and there by
// endpoint, priority or client when it says so.
func (n *names) checkAdmission(u use) {
	n.word(u.path+".key", u.Key, keyWords...)
	switch {
	case u.Scope != "" || u.Pool != "" || u.Counts == "carried" || u.Per == "call" || u.Low != 0:
		n.errorf(u.path, "an admission policy has a state for each replica; "+
			"scope, pool, counts, per and low are for edges")
	case u.Key == "replica":
		n.errorf(u.path+".key", "an admission policy is kept for each replica anyway").
			hint("leave key out")
	case keyOf(u) != "edge" && !u.kind.Stateful:
		n.errorf(u.path, "%s keeps no state; key means nothing", u.kind.Name)
	}
}

// checkSizer doubts slots of a tier that has a policy which says how many there are.
func (n *names) checkSizer(u use, t *Entry[Tier]) {
	if !settingsFit(u.kind, u.Settings) || len(u.kind.Check(u.Settings)) > 0 ||
		u.kind.New(u.Settings).Sizer == nil {
		return
	}
	say := func(path string) {
		n.warnf(path+".slots", "%s says how many slots there are; this changes nothing", u.key)
	}
	if t.Value.Slots != Unlimited {
		say("tiers." + t.Name)
	}
	for _, r := range t.Value.Replicas.Named {
		if r.Value.Slots != nil {
			say("tiers." + t.Name + ".replicas." + r.Name)
		}
	}
}

// checkRoles checks the options of an entry that only some roles have a use for. Its settings are
// known to be right.
func (n *names) checkRoles(u use) {
	n.word(u.path+".per", u.Per, perWords...)
	n.share(u.path+".low", u.Low)
	p := u.kind.New(u.Settings)
	if u.Low > 0 && p.Level == nil {
		n.errorf(u.path+".low", "%s holds no tokens that could run low", u.kind.Name)
	}
	if p.Ejector != nil {
		n.checkEjector(u)
	}
	n.checkRatios(u)
	if u.Counts == "carried" && p.Gate == nil {
		n.errorf(u.path+".counts", "carried is about which tries a gate counts as retries, and %s "+
			"refuses nothing", u.kind.Name).hint("leave counts out")
	}
	if u.Per != "call" {
		return
	}
	if p.Gate == nil {
		n.errorf(u.path+".per", "%s refuses nothing, so that there is nothing to ask once per call",
			u.kind.Name)
		return
	}
	if p.SparesFirst || p.PassesFirst {
		n.errorf(u.path+".per", "%s lets each first try pass, so that asked once per call it would "+
			"refuse nothing", u.kind.Name)
		return
	}
	if tries := perTry(p); tries != "" {
		n.errorf(u.path+".per", "%s also %s, and so is asked about each try", u.kind.Name, tries)
	}
}

// checkEjector checks that there are hosts to choose from, and one count of each.
func (n *names) checkEjector(u use) {
	e := &n.edges[u.edge]
	switch {
	case keyOf(u) != "edge":
		n.errorf(u.path+".key", "%s looks at all replicas together", u.kind.Name).
			hint("leave key out")
	case e.to.route >= 0:
		n.errorf(u.path, "%s watches the replicas of one tier; %s leads to a route", u.kind.Name,
			e.path)
	case e.Balance.Policy == "local":
		n.errorf(u.path, "%s has nothing to choose from where balance is local", u.kind.Name)
	}
}

// checkRatios doubts a ratio above 1: most who write 10 mean 10 %.
func (n *names) checkRatios(u use) {
	v := reflect.ValueOf(u.Settings)
	if v.Kind() != reflect.Pointer || !settingsFit(u.kind, u.Settings) {
		return
	}
	for i, f := range u.kind.Fields() {
		if f.Type != reflect.TypeFor[unit.Ratio]() {
			continue
		}
		if x := v.Elem().Field(i).Float(); x > 1 && x != reflect.ValueOf(f.Value).Float() {
			n.warnf(u.path+"."+f.Name, "%v means %v %%", x, 100*x).
				hint(fmt.Sprintf("%v %% is written %v%%", x, x))
		}
	}
}

// perTry is what a policy does about single tries of a call; empty: it could stand outside them.
func perTry(p policies.Policy) string {
	switch {
	case p.Condition != nil:
		return "decides what is tried again"
	case p.Pacer != nil:
		return "says how long to wait before a retry"
	case p.Placer != nil:
		return "says where a retry goes"
	case p.Shaper != nil:
		return "holds tries back"
	case p.Queuer != nil:
		return "lets tries wait for others"
	case p.Hedger != nil:
		return "sends further copies"
	}
	return ""
}
