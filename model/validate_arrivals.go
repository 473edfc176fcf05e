package model

import "strconv"

// hasRate tells whether arrivals follow a rate, which can change.
func (a *Arrivals) hasRate() bool { return a.Process != "burst" && a.Process != "file" }

// checkRecorded checks arrivals that come from a file, which the loader has read.
func (n *names) checkRecorded(path string, a *Arrivals) {
	n.word(path+".within", a.Within, "random", "even")
	switch {
	case a.Process != "file":
		n.errorf(path+".process", "%s, but the arrivals come from a file", a.Process).
			hint("leave process out")
	case a.Recording == nil:
		n.errorf(path+".file", "expected the name of a CSV file beside this one")
	}
	if a.Rate != 0 || a.Profile != nil || a.Count != 0 {
		n.errorf(path, "a file says when requests arrive; it has no rate, profile or count beside it").
			hint("a smaller --scale keeps fewer of them")
	}
	r := a.Recording
	if r == nil || a.File == "" {
		return
	}
	within := len(r.Times) > 0 && r.Times[0] < n.s.Duration
	for _, k := range r.Counts {
		within = within || k.From < n.s.Duration
	}
	if !within {
		n.warnf(path+".file", "none of its arrivals are within the run")
	}
}

// checkStates checks the states of a modulated process.
func (n *names) checkStates(path string, a *Arrivals) {
	if a.Process != "mmpp" {
		if len(a.States) > 0 {
			n.errorf(path, "only process: mmpp has states")
		}
		return
	}
	if len(a.States) < 2 {
		n.errorf(path, "%d states; expected at least two", len(a.States)).
			hint("for example states: [{rate: 1x, for: exp 60s}, {rate: 5x, for: exp 5s}]")
	}
	high := false
	for i, s := range a.States {
		at := path + "." + strconv.Itoa(i)
		if !(s.Rate >= 0 && s.Rate <= mostFactor) {
			n.errorf(at+".rate", "%v; expected a factor from 0 to %v", float64(s.Rate), mostFactor)
		}
		if s.For.IsZero() {
			n.errorf(at+".for", "0; expected how long the state lasts, such as exp 10s")
		}
		high = high || s.Rate > 0
	}
	if len(a.States) > 1 && !high {
		n.errorf(path, "all rates are 0x; expected one above")
	}
}
