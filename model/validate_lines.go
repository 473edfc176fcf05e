package model

import (
	"cascadesim/sim"
	"cascadesim/sim/queue"
	"cascadesim/sim/unit"
)

func (n *names) checkLine(path string, l *Line) {
	n.limit(path+".limit", l.Limit, 0)
	n.word(path+".full", l.Full, "reject", "drop")
	n.word(path+".discipline", l.Discipline, queue.Names()...)
	if l.Discipline == queue.DropOldest.String() && l.Limit == Unlimited {
		n.warnf(path+".limit", "a line without a limit is never full, so that it turns nobody away").
			hint("for example limit: 100")
	}
	n.checkCoDel(path, l)
	n.checkSharing(path, l)
	at := path + ".switch_above"
	n.count(at, l.SwitchAbove, 0)
	adaptive := l.Discipline == queue.Adaptive.String()
	switch {
	case adaptive && l.SwitchAbove == 0:
		n.errorf(at, "adaptive_lifo must know how many may wait while the oldest is served first").
			hint("for example switch_above: 10; with 0 it is lifo")
	case !adaptive && l.SwitchAbove > 0:
		n.errorf(at, "only adaptive_lifo switches").hint("say discipline: adaptive_lifo")
	case adaptive && l.Limit != Unlimited && l.SwitchAbove >= l.Limit:
		n.warnf(at, "no more than %s can wait, so that the line is always fifo",
			unit.Count(l.Limit))
	}
}

// checkCoDel checks what only a line of discipline codel has.
func (n *names) checkCoDel(path string, l *Line) {
	times := []struct {
		name        string
		value, none sim.Time
	}{{".target", l.Target, codelTarget}, {".interval", l.Interval, codelInterval}}
	for _, t := range times {
		switch {
		case l.Discipline == queue.CoDel.String():
			n.length(path+t.name, t.value)
			if t.value == 0 {
				n.errorf(path+t.name, "0; expected some time, such as %s", unit.FormatDuration(t.none))
			}
		case t.value != t.none && t.value != 0:
			n.errorf(path+t.name, "only codel has one").hint("say discipline: codel")
		}
	}
	if l.Discipline == queue.CoDel.String() && l.Interval < l.Target {
		n.warnf(path+".interval", "it is shorter than the wait that may last").
			hint("RFC 8289 takes an interval of twenty times the target")
	}
}

// What RFC 8289 takes for a network; the defaults of the file format.
const (
	codelTarget   = 5 * sim.Millisecond
	codelInterval = 100 * sim.Millisecond
)
