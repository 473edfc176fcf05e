package model

import "cascadesim/sim/queue"

// shares tells whether all that work at a replica share its slots, so that nobody waits for one.
func (l *Line) shares() bool { return l.Discipline == queue.PS.String() }

// checkSharing refuses, on a line of discipline ps, what is about those who wait.
func (n *names) checkSharing(path string, l *Line) {
	if !l.shares() {
		return
	}
	if l.Limit != Unlimited {
		n.errorf(path+".limit", "nobody waits under ps, and a limit of the line limits nothing").
			hint("in_flight bounds how many share")
	}
	if !l.Timeout.IsZero() {
		n.errorf(path+".timeout", "nobody waits under ps").hint("time out the caller")
	}
}

// checkSharedTier checks what a tier says beside a line of discipline ps.
func (n *names) checkSharedTier(path string, t *Tier) {
	shares := t.Line.shares() && len(t.Replicas.Named) == 0
	endless := shares && t.Slots == Unlimited
	for i := range t.Replicas.Named {
		r := &t.Replicas.Named[i].Value
		own := r.Line == nil && t.Line.shares() || r.Line != nil && r.Line.shares()
		shares = shares || own
		endless = endless || own && (r.Slots == nil && t.Slots == Unlimited ||
			r.Slots != nil && *r.Slots == Unlimited)
	}
	if !shares {
		return
	}
	if endless {
		n.warnf(path+".slots", "slots without end are shared by nobody: all work at full speed").
			hint("say how many there are")
	}
	if t.Deadline != "" && t.Deadline != "ignore" {
		n.warnf(path+".deadline", "%s is about those whose turn comes, and nobody waits under ps",
			t.Deadline)
	}
	for i, u := range t.Admission {
		kind, ok := n.reg.Lookup(u.Policy)
		if !ok {
			continue
		}
		if p := kind.New(nil); p.Sizer != nil || p.Turner != nil {
			n.errorf(path+".admission."+useKey(t.Admission, i), "%s is about who waits for a slot, "+
				"and nobody does under ps", u.Policy).hint("use another discipline, or in_flight")
		}
	}
}
