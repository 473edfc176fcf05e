package policies

import (
	"fmt"
	"slices"
	"strconv"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// HaproxyRetry is how an HAProxy backend tries a request again.
type HaproxyRetry struct {
	Retries     int      `yaml:"retries" doc:"Retries of one request, whatever their cause; 0 to 1000."`
	RetryOn     []string `yaml:"retry_on" enum:"none|conn-failure|empty-response|junk-response|response-timeout|0rtt-rejected|all-retryable-errors|401|403|404|408|421|425|429|500|501|502|503|504" doc:"The failures that are tried again."`
	Redispatch  string   `yaml:"redispatch" enum:"off|every|last" doc:"Option redispatch: not there, with an interval above 0, or below."`
	Interval    int      `yaml:"redispatch_interval" doc:"That interval without its sign; 1 to the retries."`
	Timeout     sim.Time `yaml:"timeout_connect" doc:"Of the backend; whole milliseconds, or none."`
	Persistence string   `yaml:"persistence" enum:"none|cookie|hash" doc:"What pins a request to its server."`
	Servers     int      `yaml:"servers" doc:"Active servers of the backend; needed with redispatch."`
	Maxconn     int      `yaml:"maxconn" scale:"s" doc:"Requests at once for each of them; 0 for no limit here."`
	Queue       sim.Time `yaml:"timeout_queue" doc:"Longest wait for a server; 0 for timeout_connect."`
}

var _ = builtin(Spec{
	Name: "haproxy_retry",
	Doc: "Tries a request again up to `retries` times, one counter for all causes, as an HAProxy " +
		"backend does; it takes the place of retry_on, on_retry, max_attempts and a wait. Words: " +
		"conn-failure is a connection refused or timed out before anything was sent, empty-response a " +
		"reset after the request was sent, response-timeout a try that ran out of time at the server, " +
		"and a number an answer of that status. Without `redispatch` every retry goes to the same " +
		"server. With it a request that nothing pins moves on at every retry while more than one " +
		"server is active. One pinned by a cookie, a stick table or an algorithm that hashes " +
		"(persistence) moves at each redispatch_interval-th retry with every (interval N); with last " +
		"(interval -N, and -1 is the option without a number) at each (retries + 1 - N)-th, which for " +
		"1 is the last. The first move takes a cookie's pin away. Before a retry it waits min(1 s, " +
		"timeout_connect) if the connection was refused and the same server, or the only one, is tried " +
		"again; else not at all: not after a connect timeout, not when moving on, not after a failed " +
		"response. The edge's timeout per try stands for timeout connect and timeout server. Nothing " +
		"grows, nothing is spread, and no budget bounds what a fleet sends. With maxconn at most " +
		"maxconn * servers requests are tried at once; the others wait at the proxy, before they " +
		"connect, in the queue of the backend, which has no end, and who has waited for timeout_queue " +
		"gets a 503. A request that is tried again on its server keeps its place there, during the " +
		"wait too, so that a server which refuses everybody is asked by maxconn requests alone; one " +
		"that moves on gives its place back and queues again. Without maxconn the called tier's slots " +
		"are the limit, of which a refused request has none. scope: instance is one queue for each " +
		"proxy. Not modelled: which of the servers has room; without the option a server that went " +
		"down is tried again, where here a replica that left the rotation is left; requests too large " +
		"to be kept (16 kB) are not tried again after they were sent; reused connections, which never " +
		"wait; junk-response and 0rtt-rejected, which do not happen here. To its own callers a tier " +
		"answers as HAProxy does: 503 when no connection could be made, 504 when the server was late, " +
		"502 when it reset the connection. HAProxy never tries its own 503 of a full or slow queue " +
		"again: leave 503 out where the called tier's line stands for that queue.",
	Example: "{retries: 3, retry_on: [conn-failure, 503], redispatch: last, servers: 4}",
	Source:  "haproxy/haproxy@50872daa6 (3.5-dev): stream.c, backend.c, stream.h, http_ana.c",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	// The last three are of maxconn.
	Observes: true,
	Stateful: true,
	Notes:    true,
}, HaproxyRetry{
	// All are HAProxy's own: it redispatches only when told to, and has no timeout unless given one.
	Retries: 3, RetryOn: []string{"conn-failure"}, Redispatch: "off", Interval: 1, Timeout: sim.Never,
	Persistence: "none", Servers: 0,
}, checkHaproxyRetry, func(s HaproxyRetry) func() Policy {
	h := newHaproxyRetry(s)
	return func() Policy {
		p := Policy{Condition: h, Pacer: h, Placer: h, FailedAs: haproxyStatus}
		if s.Maxconn > 0 {
			b := &haproxyBackend{haproxyRetry: h}
			p.Queuer, p.Observer, p.Closer, p.QueueFor = b, b, b, h.queueFor
		}
		return p
	}
})

func checkHaproxyRetry(s HaproxyRetry) []error {
	var errs []error
	if s.Retries < 0 || s.Retries > 1000 {
		errs = append(errs, fmt.Errorf("retries: %d; 0 to 1000", s.Retries))
	}
	switch {
	case len(s.RetryOn) == 0:
		errs = append(errs, fmt.Errorf("retry_on: no word; none says that nothing is tried again"))
	case len(s.RetryOn) > 1 && slices.Contains(s.RetryOn, "none"):
		errs = append(errs, fmt.Errorf("retry_on: none stands alone"))
	}
	// Counted back, the interval is retries + 1 - N, which must be left.
	if n := s.Interval; n < 1 || s.Redispatch == "last" && n > max(1, s.Retries) {
		errs = append(errs, fmt.Errorf("redispatch_interval: %d; 1 to the number of retries, %d",
			n, s.Retries))
	}
	if t := s.Timeout; t < sim.Millisecond || t != sim.Never && t%sim.Millisecond != 0 {
		errs = append(errs, fmt.Errorf("timeout_connect: %s; whole milliseconds, at least one, or none",
			unit.FormatDuration(t)))
	}
	switch {
	case s.Maxconn < 0 || s.Maxconn > 1e9:
		errs = append(errs, fmt.Errorf("maxconn: %d; 0 to 1e9", s.Maxconn))
	case s.Maxconn > 0 && s.Persistence != "none":
		errs = append(errs, fmt.Errorf("maxconn: %d; a request that %s pins waits for its own server, "+
			"in the called tier's line: set haproxy_maxconn there", s.Maxconn, s.Persistence))
	}
	if s.Queue < 0 {
		errs = append(errs, fmt.Errorf("timeout_queue: %s; not negative",
			unit.FormatDuration(s.Queue)))
	}
	if s.Servers < 0 || s.Redispatch != "off" && s.Servers < 1 {
		errs = append(errs, fmt.Errorf("servers: %d; with redispatch at least 1, for with a single one "+
			"a retry waits and with several it moves on", s.Servers))
	}
	return errs
}

// haproxyRetry holds nothing that changes: how often a request was tried again is in the attempt.
type haproxyRetry struct {
	retries        int
	interval       int  // of redispatching, counted from the first retry; 0 without it
	alone          bool // at most one server is active
	pinned, hashed bool
	turnAround     sim.Time
	most           int      // requests at once, with maxconn
	queueFor       sim.Time // 0: any time

	unconnected, empty, slow bool // conn-failure, empty-response, response-timeout
	statuses                 []int
}

func newHaproxyRetry(s HaproxyRetry) *haproxyRetry {
	h := &haproxyRetry{
		retries:    s.Retries,
		alone:      s.Servers <= 1,
		pinned:     s.Persistence == "cookie",
		hashed:     s.Persistence == "hash",
		turnAround: min(sim.Second, s.Timeout),
		most:       s.Maxconn * max(1, s.Servers),
		queueFor:   s.Queue,
	}
	if h.queueFor == 0 {
		h.queueFor = s.Timeout
	}
	if h.queueFor == sim.Never {
		h.queueFor = 0
	}
	switch s.Redispatch {
	case "off":
	case "every":
		h.interval = s.Interval
	case "last":
		h.interval = max(1, s.Retries+1-s.Interval)
	}
	for _, word := range s.RetryOn {
		h.retryOn(word)
	}
	return h
}

func (h *haproxyRetry) retryOn(word string) {
	switch word {
	case "none", "junk-response", "0rtt-rejected": // the last two do not happen in a world
	case "conn-failure":
		h.unconnected = true
	case "empty-response":
		h.empty = true
	case "response-timeout":
		h.slow = true
	case "all-retryable-errors":
		h.unconnected, h.empty, h.slow = true, true, true
		h.statuses = append(h.statuses, 500, 502, 503, 504)
	default:
		status, err := strconv.Atoi(word)
		if err != nil {
			panic("policies: haproxy_retry has no word " + word)
		}
		h.statuses = append(h.statuses, status)
	}
}

func (h *haproxyRetry) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	switch {
	case a.N > h.retries:
		return false
	case o.Unreached: // no replica at all (Rejected) is no failed connection: a 503 at once
		return h.unconnected && (o.Class == Dropped || o.Class == TimedOut)
	case o.Class == Dropped:
		return h.empty
	case o.Class == TimedOut:
		return h.slow
	}
	return o.is(h.statuses...)
}

// Wait is the turn-around: only a refused connection is an error that was reported, and only the
// same server would likely refuse again.
func (h *haproxyRetry) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	refused := last.Class == Dropped && last.Unreached
	if refused && (h.alone || !h.moves(a.N-1)) {
		return h.turnAround
	}
	return 0
}

func (h *haproxyRetry) Place(_ sim.Time, a *Attempt) Where {
	if h.moves(a.N - 1) {
		return OtherReplica
	}
	return SameReplica
}

// moves tells whether retry c, from 1, gives up its server and is balanced again.
func (h *haproxyRetry) moves(c int) bool {
	if h.interval == 0 {
		return false
	}
	if c%h.interval == 0 {
		return true
	}
	// A request without a pin moves whenever it can; the first move takes a cookie's pin away.
	free := !h.hashed && (!h.pinned || c > h.interval)
	return free && !h.alone
}

// haproxyStatus is what HAProxy answers when no try of a request has got an answer.
func haproxyStatus(o Outcome) int {
	switch {
	case o.Unreached || o.Class == Refused:
		return 503
	case o.Class == TimedOut:
		return 504
	}
	return 502
}

// haproxyBackend is the queue of a backend with maxconn. The note of a call is whether it counts as
// served.
type haproxyBackend struct {
	*haproxyRetry
	served int
}

func (b *haproxyBackend) Join(_ sim.Time, a *Attempt, ahead int) QueueVerb {
	switch {
	case *a.Note == 1: // it has kept its place
	case ahead > 0 || b.served >= b.most:
		return QueueWait
	default:
		*a.Note = 1
		b.served++
	}
	return QueuePass
}

// Observe gives back the place of a request that is not tried again there.
func (b *haproxyBackend) Observe(now sim.Time, a *Attempt, o Outcome) {
	if o.Class == OK || b.moves(a.N) || !b.Retryable(now, a, o) {
		b.leave(a)
	}
}

func (b *haproxyBackend) Close(_ sim.Time, a *Attempt, _ Outcome) { b.leave(a) }

func (b *haproxyBackend) leave(a *Attempt) {
	b.served -= int(*a.Note)
	*a.Note = 0
}
