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
	Maxqueue  int      `yaml:"maxqueue" scale:"s" doc:"Requests that may wait for the server; needed with maxconn."`
	Slowstart sim.Time `yaml:"slowstart" doc:"How long the limit ramps up after up_at; 0 for not at all."`
	UpAt      sim.Time `yaml:"up_at" doc:"When the server came up."`
}

var _ = builtin(Spec{
	Name: "haproxy_maxconn",
	Doc: "Turns away at once a request that HAProxy pins to a server (by cookie, stick table or a " +
		"hash) and whose queue is full: when what is at the replica has reached the limit, and " +
		"maxqueue more. The limit is maxconn, or with minconn and below fullconn max(minconn, beconn * " +
		"maxconn / fullconn), where beconn is what is at the backend; while a server starts slowly it " +
		"is that percentage of it, by whole seconds and whole percent, at least 1. A request that " +
		"nothing pins waits in the backend's queue, which has no end: leave this policy out for those. " +
		"It only counts; waiting is the tier's. For the rest of HAProxy's queue give the tier slots: " +
		"maxconn and line: {timeout: the backend's timeout queue}, with 503 as its reject. Without " +
		"minconn and slowstart that is exact. With them HAProxy would let wait what here is in a slot " +
		"already, at most maxqueue requests; what is served above a limit that has just fallen counts " +
		"as waiting; and one replica knows of the others only their number. Not modelled: priorities " +
		"in the queue, and that a request with a cookie and option redispatch goes to another server " +
		"instead (haproxy_retry does that on a 503 when told to).",
	Example:  "{maxconn: 100, maxqueue: 50}",
	Source:   "haproxy/haproxy@50872daa6 (3.5-dev): queue.c, proxy.c, configuration manual",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
}, HaproxyMaxconn{
	// HAProxy's own: no limit anywhere. One server is a backend of which nothing is known.
	Servers: 1,
}, checkHaproxyMaxconn, func(s HaproxyMaxconn) func() Policy {
	t := newHaproxyTerms(s)
	return func() Policy {
		h := &haproxyMaxconn{terms: t}
		return Policy{Admission: h, Finisher: h}
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
	if s.Servers < 1 || s.Servers > 1e6 {
		errs = append(errs, fmt.Errorf("servers: %d; 1 to 1e6", s.Servers))
	}
	switch {
	case s.Maxqueue < 0 || s.Maxqueue > 1e9:
		errs = append(errs, fmt.Errorf("maxqueue: %d; 0 to 1e9", s.Maxqueue))
	case s.Maxqueue == 0 && s.Maxconn > 0:
		errs = append(errs, fmt.Errorf("maxqueue: 0 lets any number wait, and nothing is refused: "+
			"leave this policy out, and give the tier slots and a line with a timeout"))
	case s.Maxqueue > 0 && s.Maxconn == 0:
		errs = append(errs, fmt.Errorf("maxqueue: %d; without maxconn nothing ever waits", s.Maxqueue))
	}
	if s.Slowstart < 0 || s.Slowstart > sim.MaxTime {
		errs = append(errs, fmt.Errorf("slowstart: %s; not negative", unit.FormatDuration(s.Slowstart)))
	}
	if s.UpAt < 0 || s.UpAt > sim.MaxTime {
		errs = append(errs, fmt.Errorf("up_at: %s; not negative", unit.FormatDuration(s.UpAt)))
	}
	return errs
}

// haproxyTerms are the settings as the arithmetic wants them.
type haproxyTerms struct {
	minconn, maxconn, fullconn int64
	servers, maxqueue          int64
	slowstart, up              int64 // whole seconds, as HAProxy counts them
}

func newHaproxyTerms(s HaproxyMaxconn) *haproxyTerms {
	t := &haproxyTerms{
		minconn: int64(s.Minconn), maxconn: int64(s.Maxconn), fullconn: int64(s.Fullconn),
		servers: int64(s.Servers), maxqueue: int64(s.Maxqueue),
		slowstart: int64((s.Slowstart + sim.Second - 1) / sim.Second),
		up:        int64(s.UpAt / sim.Second),
	}
	if t.minconn == 0 {
		t.minconn = t.maxconn
	}
	t.maxconn = max(t.maxconn, t.minconn)
	return t
}

// limit is how many requests the server works on while beconn are at its backend.
func (t *haproxyTerms) limit(now sim.Time, beconn int64) int64 {
	limit := t.maxconn
	if t.minconn != t.maxconn && beconn < t.fullconn {
		limit = max(t.minconn, beconn*t.maxconn/t.fullconn)
	}
	if up := int64(now/sim.Second) - t.up; up >= 0 && up < t.slowstart {
		limit = max(1, limit*(100*up/t.slowstart)/100)
	}
	return limit
}

// haproxyMaxconn counts what is at one replica.
type haproxyMaxconn struct {
	terms  *haproxyTerms
	inside int64
}

func (h *haproxyMaxconn) Enter(now sim.Time, _ *Attempt) bool {
	t := h.terms
	if t.maxqueue > 0 {
		beconn := h.inside*t.servers + 1 // with this one
		if queued := h.inside - t.limit(now, beconn); queued >= t.maxqueue {
			return false
		}
	}
	h.inside++
	return true
}

func (h *haproxyMaxconn) Finish(sim.Time, *Attempt, sim.Time, Outcome) { h.inside-- }
