package model

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
