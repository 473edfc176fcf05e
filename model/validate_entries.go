package model

import "cascadesim/policies"

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

// checkRoles checks the options of an entry that only some roles have a use for. Its settings are
// known to be right.
func (n *names) checkRoles(u use) {
	n.word(u.path+".per", u.Per, perWords...)
	n.share(u.path+".low", u.Low)
	p := u.kind.New(u.Settings)
	if u.Low > 0 && p.Level == nil {
		n.errorf(u.path+".low", "%s holds no tokens that could run low", u.kind.Name)
	}
	if u.Per != "call" {
		return
	}
	if p.Gate == nil {
		n.errorf(u.path+".per", "%s refuses nothing, so that there is nothing to ask once per call",
			u.kind.Name)
		return
	}
	if tries := perTry(p); tries != "" {
		n.errorf(u.path+".per", "%s also %s, and so is asked about each try", u.kind.Name, tries)
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
	case p.Hedger != nil:
		return "sends further copies"
	}
	return ""
}
