package sim

// ahead tells a Fetcher of events, some at a time.
type ahead struct {
	fetcher Fetcher // nil: nobody wants to be told
	evs     []Event
}

// tell says that entries are due soon.
func (a *ahead) tell(soon []entry) {
	a.evs = a.evs[:0]
	for _, e := range soon {
		a.evs = append(a.evs, e.event())
	}
	a.fetcher.Fetch(a.evs)
}
