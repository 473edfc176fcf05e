package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// HaproxyMaxconn is what an HAProxy server line says about concurrency.
type HaproxyMaxconn struct {
	Maxconn   int      `yaml:"maxconn" scale:"s" doc:"Requests that the server works on at once; 0 for no limit."`
	Minconn   int      `yaml:"minconn" scale:"s" doc:"The limit while little is going on; 0 for always maxconn."`
	Fullconn  int      `yaml:"fullconn" scale:"s" doc:"Requests at the backend from which the limit is maxconn; needed with minconn."`
	Servers   int      `yaml:"servers" doc:"Servers of the backend, taken to be as busy as this one; at least 1."`
	Maxqueue  int      `yaml:"maxqueue" scale:"s" doc:"Pinned requests that may wait for the server; 0 for any number."`
	Slowstart sim.Time `yaml:"slowstart" doc:"How long the limit ramps up after a start; 0 for not at all."`
	UpAt      sim.Time `yaml:"up_at" doc:"When the server came up first."`
}

var _ = builtin(Spec{
	Name: "haproxy_maxconn",
	Doc: "Bounds how many requests a server works on at once, in place of its tier's slots, as " +
		"maxconn on an HAProxy server line does. The rest waits in the tier's line, whose timeout is " +
		"the backend's timeout queue; the tier's reject is the 503 that follows. The limit is maxconn, " +
		"or with minconn and below fullconn max(minconn, beconn * maxconn / fullconn), where beconn is " +
		"what is at the backend, waiting or not; while a server starts slowly it is that percentage of " +
		"it, by whole seconds and whole percent, at least 1. When it falls below what is being worked " +
		"on, that goes on, and nothing starts until there is room. maxqueue is for requests that " +
		"HAProxy pins to a server, by a cookie, a stick table or a hash: one that finds maxqueue of " +
		"them waiting is turned away at once. A request that nothing pins waits in the backend's " +
		"queue, which has no end: leave maxqueue out for those. HAProxy looks at a queue when a " +
		"request is queued or leaves, and while a server starts slowly each second or twentieth of " +
		"slowstart, whichever is longer; it starts so at up_at, and whenever it has been out and is " +
		"back. One that leaves is no longer part of beconn. One replica knows of the others only " +
		"their number. Not modelled: priorities in the queue, weights that ramp up, and that a " +
		"request with a cookie and option redispatch goes to another server instead of being " +
		"turned away (haproxy_retry does that on a 503 when told to).",
	Example:  "{maxconn: 100, maxqueue: 50}",
	Source:   "haproxy/haproxy@50872daa6 (3.5-dev): queue.c, proxy.c, configuration manual",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
}, HaproxyMaxconn{
	// HAProxy's own: no limit anywhere. One server is a backend of which nothing is known.
	Servers: 1,
}, checkHaproxyMaxconn, func(s HaproxyMaxconn) func() Policy {
	t := newHaproxyTerms(s)
	return func() Policy {
		h := &haproxyMaxconn{terms: t}
		return Policy{Admission: h, Sizer: h, Turner: h, Finisher: h}
	}
})

func checkHaproxyMaxconn(s HaproxyMaxconn) []error {
	var errs []error
	for _, c := range []struct {
		name string
		n    int
	}{{"maxconn", s.Maxconn}, {"minconn", s.Minconn}, {"fullconn", s.Fullconn}} {
		if c.n < 0 || c.n > 1e9 {
			errs = append(errs, fmt.Errorf("%s: %d; 0 to 1e9", c.name, c.n))
		}
	}
	if s.Minconn > 0 && s.Minconn < s.Maxconn && s.Fullconn == 0 {
		errs = append(errs, fmt.Errorf("fullconn: 0; with a minconn below maxconn say from how many "+
			"requests on the limit is maxconn"))
	}
	errs = append(errs, checkHaproxyBackend(s)...)
	switch {
	case s.Maxqueue < 0 || s.Maxqueue > 1e9:
		errs = append(errs, fmt.Errorf("maxqueue: %d; 0 to 1e9", s.Maxqueue))
	case s.Maxqueue > 0 && s.Maxconn == 0:
		errs = append(errs, fmt.Errorf("maxqueue: %d; without maxconn nothing ever waits", s.Maxqueue))
	}
	if s.Slowstart < 0 || s.Slowstart > sim.MaxTime {
		errs = append(errs, fmt.Errorf("slowstart: %s; 0 to %s",
			unit.FormatDuration(s.Slowstart), unit.FormatDuration(sim.MaxTime)))
	}
	if s.Slowstart > 0 && s.Maxconn == 0 {
		errs = append(errs, fmt.Errorf("slowstart: %s; without maxconn there is no limit that could "+
			"ramp up", unit.FormatDuration(s.Slowstart)))
	}
	if s.UpAt < 0 || s.UpAt > sim.MaxTime {
		errs = append(errs, fmt.Errorf("up_at: %s; 0 to %s",
			unit.FormatDuration(s.UpAt), unit.FormatDuration(sim.MaxTime)))
	}
	return errs
}

// checkHaproxyBackend checks what is about the backend, which matters between minconn and maxconn.
func checkHaproxyBackend(s HaproxyMaxconn) []error {
	var errs []error
	const always = "without a minconn below maxconn the limit is always maxconn"
	moves := s.Minconn > 0 && s.Minconn < s.Maxconn
	if s.Fullconn > 0 && !moves {
		errs = append(errs, fmt.Errorf("fullconn: %d; %s", s.Fullconn, always))
	}
	switch {
	case s.Servers < 1 || s.Servers > 1e6:
		errs = append(errs, fmt.Errorf("servers: %d; 1 to 1e6", s.Servers))
	case s.Servers > 1 && !moves:
		errs = append(errs, fmt.Errorf("servers: %d; %s, however many there are", s.Servers, always))
	}
	return errs
}

// haproxyTerms are the settings as the arithmetic wants them.
type haproxyTerms struct {
	minconn, maxconn, fullconn int64
	servers, maxqueue          int64
	slowstart                  int64 // whole seconds, as HAProxy counts them
	up, ramp, look             sim.Time
}

func newHaproxyTerms(s HaproxyMaxconn) *haproxyTerms {
	t := &haproxyTerms{
		minconn: int64(s.Minconn), maxconn: int64(s.Maxconn), fullconn: int64(s.Fullconn),
		servers: int64(s.Servers), maxqueue: int64(s.Maxqueue),
		slowstart: int64((s.Slowstart + sim.Second - 1) / sim.Second),
		up:        s.UpAt,
		ramp:      s.Slowstart, look: max(sim.Second, s.Slowstart/20),
	}
	if t.minconn == 0 {
		t.minconn = t.maxconn
	}
	t.maxconn = max(t.maxconn, t.minconn)
	return t
}

// limit is how many requests a server that came up at that time works on while beconn are at its
// backend.
func (t *haproxyTerms) limit(now sim.Time, beconn int64, up sim.Time) int64 {
	limit := t.maxconn
	if t.minconn != t.maxconn && beconn < t.fullconn {
		limit = max(t.minconn, beconn*t.maxconn/t.fullconn)
	}
	since := int64(now/sim.Second) - int64(max(t.up, up)/sim.Second)
	if since >= 0 && since < t.slowstart {
		limit = max(1, limit*(100*since/t.slowstart)/100)
	}
	return limit
}

// haproxyMaxconn counts what is at one replica, and what of it is worked on. The note of an attempt
// is whether it is.
type haproxyMaxconn struct {
	terms          *haproxyTerms
	inside, served int64
}

// Enter looks at the queue alone: who finds one does not look for room.
func (h *haproxyMaxconn) Enter(sim.Time, *Attempt) bool {
	if most := h.terms.maxqueue; most > 0 && h.inside-h.served >= most {
		return false
	}
	h.inside++
	return true
}

func (h *haproxyMaxconn) Turn(_ sim.Time, a *Attempt, _ sim.Time) bool {
	if *a.Note == 0 {
		*a.Note = 1
		h.served++
	}
	return true
}

func (h *haproxyMaxconn) Finish(_ sim.Time, a *Attempt, _ sim.Time, _ Outcome) {
	h.inside--
	h.served -= int64(*a.Note)
}

func (h *haproxyMaxconn) Slots(now sim.Time, inSystem int, up sim.Time) int {
	if h.terms.maxconn == 0 {
		return -1
	}
	return int(h.terms.limit(now, int64(inSystem)*h.terms.servers, up))
}

// Until is when a server that starts slowly looks at its queue, up to the first look after that.
func (h *haproxyMaxconn) Until(now, up sim.Time) sim.Time {
	t := h.terms
	since := now - max(t.up, up)
	if t.ramp == 0 || since < 0 {
		return sim.Never
	}
	last := since / t.look * t.look
	if last >= t.ramp {
		return sim.Never
	}
	return now - since + last + t.look
}
