package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Topology is what was declared: which tiers there are, who calls whom, and under which policies.
// It is plain data in the long form of the file format; real-world values, before any scale.
//
// Tags: live:"true" may change during a run; scale:"s" is divided by the scale; enum lists the
// words a field takes; doc is the line of the reference.
type Topology struct {
	Name     string      `yaml:"name" doc:"how commands call it"`
	Doc      string      `yaml:"doc" doc:"one line for people"`
	Defaults Defaults    `yaml:"defaults" doc:"fields that an entry lacks, each as a whole"`
	Tiers    Map[Tier]   `yaml:"tiers" doc:"kinds of node"`
	Routes   Map[Route]  `yaml:"routes" doc:"targets that share traffic, for zones (a tier for each site) and canaries"`
	Clients  Map[Client] `yaml:"clients" doc:"populations that send requests"`
	Edges    []Edge      `yaml:"edges" key:"from->to" doc:"how one tier or client reaches another"`
}

// Map is a map that remembers the order of the file, so that nothing depends on map iteration.
type Map[T any] []Entry[T]

// Entry is one named entry of a Map.
type Entry[T any] struct {
	Name  string
	Value T
}

// Get finds an entry by name.
func (m Map[T]) Get(name string) (*T, bool) {
	for i := range m {
		if m[i].Name == name {
			return &m[i].Value, true
		}
	}
	return nil, false
}

// Defaults are fields taken where an entry lacks them. The loader merges them into each entry, so
// that nothing after it looks here, except for edges that exist only by a call.
type Defaults struct {
	Tier   Tier   `yaml:"tier" doc:"for each tier"`
	Client Client `yaml:"client" doc:"for each client"`
	Edge   Edge   `yaml:"edge" doc:"for each edge, and for edges that exist only by a call"`
}

// Tier is a kind of node with replicas; its steps say what it does for each attempt.
type Tier struct {
	Site      string       `yaml:"site" doc:"label for faults, grouping and charts"`
	Replicas  Replicas     `yaml:"replicas" live:"true" doc:"a count, a list of names, or a map of named replicas with weights"`
	Slots     int          `yaml:"slots" live:"true" scale:"s" default:"unlimited" doc:"attempts in work per replica"`
	Line      Line         `yaml:"line" doc:"attempts that wait for a slot"`
	InFlight  InFlight     `yaml:"in_flight" doc:"the flow limit: everything admitted and not yet answered"`
	Async     bool         `yaml:"async" doc:"true: a slot is held by work only, not while calls are awaited"`
	Steps     []Step       `yaml:"steps" doc:"what one attempt does, in order; a nested list runs in parallel"`
	Endpoints Map[[]Step]  `yaml:"endpoints" doc:"steps by kind of request, instead of steps"`
	Admission []PolicyUse  `yaml:"admission" doc:"policies asked in order before in_flight and slots"`
	Keys      *Idempotency `yaml:"idempotency" doc:"a store of idempotency keys: repeats of an operation are answered from it, and with 409 while the first is executed"`
	Reject    Reject       `yaml:"reject" doc:"what a rejected attempt gets and costs"`
	Deadline  string       `yaml:"deadline" enum:"ignore|drop_expired|drop_unlikely" default:"ignore" doc:"what to do, when a slot is free, with an attempt whose carried deadline has passed or is too near"`
	Crash     *Crash       `yaml:"crash" doc:"when a replica goes down by itself; what it holds is lost"`
	Memory    *Memory      `yaml:"memory" doc:"what attempts take of a replica's memory; out of memory it goes down"`
	ColdStart *ColdStart   `yaml:"cold_start" doc:"how much slower a replica works while it is new"`
	Autoscale *Autoscale   `yaml:"autoscale" doc:"the Kubernetes rule on any gauge of any tier, or the whole decision of a Kubernetes HPA"`
}

// Replicas is Count unnamed replicas, or Named ones. Named replicas may differ.
type Replicas struct {
	Count int          `yaml:"count"`
	Named Map[Replica] `yaml:"named"`
}

// Replica is one named replica; a nil field takes the tier's value.
type Replica struct {
	Weight   float64   `yaml:"weight" live:"true" default:"1" doc:"what balancers use"`
	Slots    *int      `yaml:"slots" live:"true" scale:"s" doc:"instead of the tier's"`
	InFlight *InFlight `yaml:"in_flight" doc:"instead of the tier's"`
	Line     *Line     `yaml:"line" doc:"instead of the tier's"`
}

// Unlimited is a count without a limit.
const Unlimited = -1

// Line is the waiting line of a replica: waiting attempts, without those in work.
type Line struct {
	Limit      int    `yaml:"limit" live:"true" scale:"s" default:"unlimited" doc:"most attempts that wait"`
	Discipline string `yaml:"discipline" enum:"fifo|lifo|priority|adaptive_lifo|drop_oldest|edf|codel|ps" default:"fifo" doc:"who is next; adaptive_lifo: the newest while the line is long, else the oldest; drop_oldest: fifo, where a full line turns away who has waited longest, not the newcomer; edf: whose carried deadline is first, without one last; codel: fifo that turns away at its head once waits have been above target for an interval (RFC 8289); ps: processor sharing, nobody waits and all that work share the slots"`
	// SwitchAbove has no default that would suit: 0 is lifo, HHVM's is never.
	SwitchAbove int      `yaml:"switch_above" scale:"s" default:"0" doc:"adaptive_lifo: the newest is next while more than so many wait (HHVM: ServerThreadJobLIFOSwitchThreshold)"`
	Full        string   `yaml:"full" enum:"reject|drop" default:"reject" doc:"what a full line does to who is turned away, and codel: reject answers, drop does not"`
	Target      sim.Time `yaml:"target" default:"5ms" doc:"codel: the wait that may last"`
	Interval    sim.Time `yaml:"interval" default:"100ms" doc:"codel: how long waits are above target before the first is turned away"`
	Timeout     sim.Dist `yaml:"timeout" default:"none" doc:"longest wait; over it the attempt is rejected"`
}

// InFlight is the flow limit of a replica.
type InFlight struct {
	Limit   int    `yaml:"limit" live:"true" scale:"s" default:"unlimited" doc:"most attempts admitted and not answered"`
	Over    string `yaml:"over" enum:"reject|backlog|drop" default:"reject" doc:"what happens over the limit"`
	Backlog int    `yaml:"backlog" scale:"s" default:"0" doc:"most attempts that wait outside; over it they are rejected"`
}

// Reject is what a rejection looks like and what it costs.
type Reject struct {
	Status     int      `yaml:"status" live:"true" default:"503" doc:"status of the answer"`
	RetryAfter sim.Time `yaml:"retry_after" live:"true" default:"0" doc:"what the answer asks the caller to wait; none or 0 asks nothing"`
	Cost       sim.Time `yaml:"cost" live:"true" default:"0" doc:"work in a slot, done before what waits in line"`
	Delay      sim.Time `yaml:"delay" live:"true" default:"0" doc:"time until the answer leaves; no slot is held"`
}

// Step is one thing a tier does for an attempt; exactly one field is set.
type Step struct {
	Name     string  `yaml:"name" doc:"key of the step in paths, when its verb is not the only one"`
	Work     *Work   `yaml:"work" doc:"take time in a slot"`
	Call     *Call   `yaml:"call" doc:"call another tier or a route"`
	Fail     *Fail   `yaml:"fail" doc:"fail a share of attempts"`
	Effect   *Effect `yaml:"effect" doc:"a side effect, such as a write"`
	Cache    *Cache  `yaml:"cache" doc:"look a key up; fetch it on a miss"`
	Parallel []Step  `yaml:"parallel" doc:"steps that run side by side; all are awaited"`
}

// Work takes time. Base comes from the distribution; PerInFlight is added for each attempt in
// flight at the replica when the work starts, this one included (it grows by 1/scale).
type Work struct {
	Time        sim.Dist `yaml:"time" inline:"true" doc:"the distribution"`
	PerInFlight sim.Time `yaml:"per_in_flight" default:"0" doc:"added for each attempt in flight when the work starts"`
	USL         USL      `yaml:"usl" doc:"the universal scalability law: work takes longer the more work at once"`
}

// USL stretches work that starts while n attempts hold a slot at its replica, itself included, by
// 1 + contention·(n-1) + coherence·n·(n-1). A scaled run counts each as 1/scale.
type USL struct {
	Contention unit.Share `yaml:"contention" default:"0%" doc:"what each other one adds: the part of the work that only one can do at a time"`
	Coherence  unit.Share `yaml:"coherence" default:"0%" doc:"what each pair adds: keeping what they share the same"`
}

// Call asks another tier or route, Times times one after the other; the first failure ends it.
type Call struct {
	To       string     `yaml:"to" doc:"tier, tier/endpoint, route, route/endpoint, or name of an edge"`
	Times    int        `yaml:"times" default:"1" doc:"how often, one after the other"`
	Chance   unit.Share `yaml:"chance" default:"100%" doc:"share of attempts that make this call"`
	Wait     *bool      `yaml:"wait" default:"true" doc:"false: the attempt goes on at once and knows nothing of how the call ends, as with a message or a write behind the answer"`
	OnFail   string     `yaml:"on_fail" default:"pass" doc:"pass: the attempt fails; ignore: it goes on; a status: it fails with that"`
	Fallback []Step     `yaml:"fallback" doc:"steps that are done when the call has failed for good, instead of failing; the answer then counts as degraded"`
}

// Detached tells whether nobody waits for the call.
func (c *Call) Detached() bool { return c.Wait != nil && !*c.Wait }

// Fail fails a share of attempts.
type Fail struct {
	Share  unit.Share `yaml:"share" default:"100%" doc:"share of attempts that fail here"`
	Status int        `yaml:"status" default:"500" doc:"status of the error"`
}

// Effect is a side effect that an operation should have once. An operation is what a request wants
// here: all tries, at every layer, of the same calls are for the same one.
type Effect struct {
	What string `yaml:"what" doc:"what happens, in a word; for readers"`
}

// Cache is a store of answers by key. Looking a key up takes no time of its own; a hit passes over
// Miss, whose last step stores what was fetched.
type Cache struct {
	Keys     CacheKeys `yaml:"keys" doc:"what requests ask for"`
	Capacity int       `yaml:"capacity" scale:"s" default:"unlimited" doc:"most keys in a store; over it the least recently used one goes"`
	TTL      *sim.Dist `yaml:"ttl" doc:"how long a key is kept from when it is stored; left out: until there is no room. A distribution spreads what was stored together"`
	Scope    string    `yaml:"scope" enum:"replica|tier" default:"replica" doc:"replica: each has a store of its own; tier: one for all of them"`
	Negative sim.Time  `yaml:"negative_ttl" default:"0" doc:"how long a failed fetch is kept and answered with its status"`
	Coalesce bool      `yaml:"coalesce" default:"false" doc:"a miss of a key that is being fetched waits for that fetch"`
	Miss     []Step    `yaml:"miss" doc:"steps that fetch the key"`
}

// CacheKeys is what the requests of a key space ask for: each request asks for one of them, in all
// its tries and at all tiers.
type CacheKeys struct {
	Count int     `yaml:"count" scale:"s" doc:"how many keys there are; at a scale each stands for several, neighbours in popularity"`
	Zipf  float64 `yaml:"zipf" default:"0" doc:"exponent of popularity: rank k is asked for as k to the power of minus it; 0: all are as popular"`
	Name  string  `yaml:"name" doc:"caches whose keys have one name are asked for the same keys, such as those of two levels; left out: this cache's own"`
}

// Idempotency is a tier's store of idempotency keys, shared by its replicas. The key is the
// operation. While the first request of a key is executed, others are answered 409.
type Idempotency struct {
	Replay string   `yaml:"replay" enum:"all|success" default:"all" doc:"results that repeats get again; all: errors too (Stripe's API v1), success: what failed is executed again (v2, preview of 2026)"`
	TTL    sim.Time `yaml:"ttl" default:"24h" doc:"how long a key is kept, from its first request on"`
}

// Route is a target that shares traffic among others by weight.
type Route struct {
	To    Map[Weight] `yaml:"to" live:"true" doc:"target: share; percentages must add to 100"`
	Key   string      `yaml:"key" enum:"attempt|call|request|client" default:"request" doc:"what keeps its pick"`
	Spill *Spill      `yaml:"spill" doc:"the shares follow the health of the targets, as the calling edge sees it"`
}

// Weight is a relative weight; Percent says that it was written as a share.
type Weight struct {
	Value   float64
	Percent bool
}

// Client is a population with an arrival process and its own policies.
type Client struct {
	Call       string    `yaml:"call" doc:"what a request asks for"`
	Arrivals   *Arrivals `yaml:"arrivals" doc:"open loop"`
	Population int       `yaml:"population" scale:"s" default:"0" doc:"distinct clients; beside arrivals, the identities that share them"`
	Think      *Think    `yaml:"think" doc:"closed loop: pause between requests of one client"`
	Tokens     *Tokens   `yaml:"tokens" doc:"closed loop: instead of thinking, each identity refreshes a token before it expires"`
	Start      string    `yaml:"start" enum:"spread|together" default:"spread" doc:"closed loop: first think time from time 0, or all at once"`
	SlowAfter  sim.Time  `yaml:"slow_after" default:"1s" doc:"an ok request that took longer counts as slow"`
	Priority   int       `yaml:"priority" default:"0" doc:"0 to 7; it travels to every tier; lines of discipline priority serve higher ones first"`
	Outer      *Outer    `yaml:"outer" doc:"a loop around the requests and all their policies: a user who refreshes, a process that restarts, a message that is delivered again"`
}

// Tokens is what the identities of a client refresh. A request of the holder whose token has
// expired is not sent: it fails as refused, with 401.
type Tokens struct {
	Of        string     `yaml:"of" doc:"client whose identities hold the tokens, one each, and how many there are; left out: nobody needs them"`
	Lifetime  sim.Time   `yaml:"lifetime" doc:"from when a token is issued until it expires"`
	RefreshAt unit.Share `yaml:"refresh_at" default:"80%" doc:"part of the lifetime after which it is refreshed"`
	Jitter    unit.Share `yaml:"jitter" default:"0%" doc:"part of that time by which the refresh may come earlier"`
	Retry     sim.Dist   `yaml:"retry" default:"1s" doc:"pause after a refresh that failed, with all its retries"`
	Issued    string     `yaml:"issued" enum:"together|spread" default:"together" doc:"the first tokens: all at time 0, or of all ages"`
}

// Outer repeats an operation whose request has failed, as a new request.
type Outer struct {
	On    []string `yaml:"on" default:"failed" doc:"ways to end that are repeated: failed (all but ok), error, rejected, timed_out, refused, blocked, dropped"`
	Wait  sim.Dist `yaml:"wait" doc:"pause before the repeat, such as how long a restart takes"`
	Times int      `yaml:"times" default:"unlimited" doc:"most repeats of an operation; then it is given up"`
}

// Arrivals is an open-loop arrival process; the rate is multiplied by the profile.
type Arrivals struct {
	Process string    `yaml:"process" enum:"poisson|constant|burst|mmpp|file" default:"poisson" doc:"random, evenly spaced, all at time 0, random at a rate that changes by states (Markov-modulated), or as recorded in a file"`
	Rate    unit.Rate `yaml:"rate" live:"true" scale:"s" doc:"requests per second"`
	Count   int       `yaml:"count" scale:"s" doc:"requests of a burst"`
	Profile *Profile  `yaml:"profile" doc:"curve that multiplies the rate, or the name of one"`
	States  []State   `yaml:"states" doc:"mmpp: they follow each other, and begin anew after the last"`
	File    string    `yaml:"file" doc:"arrivals as recorded: a CSV file beside this one, with the columns time[,class] (an arrival each) or start,count[,class] (how many until the next start), named in its first line; times are seconds, durations or dates. At a scale each arrival is kept with that probability"`
	Class   string    `yaml:"class" doc:"file: which class of its rows; all: every one"`
	Within  string    `yaml:"within" enum:"random|even" default:"random" doc:"file with counts: where in its stretch of time each arrival is"`

	Recording *Recording // what File holds; the loader reads it
}

// State is a time in which arrivals come at another rate. With exp times in two states they are a
// Markov-modulated Poisson process.
type State struct {
	Rate unit.Factor `yaml:"rate" doc:"multiplies the rate"`
	For  sim.Dist    `yaml:"for" doc:"how long it lasts"`
}

// Recording is arrivals as a file holds them, each at its time or counted by stretches of time.
type Recording = kernel.Recording

// Counted is how many arrivals there were in a stretch of time.
type Counted = kernel.Counted

// Profile is a curve, written in place or by the name of an entry of profiles.
type Profile struct {
	Name  string
	Curve Curve
}

// Think is a closed loop's pause, by how the request ended; Default for the ways not named.
type Think struct {
	Default sim.Dist      `yaml:"default" doc:"pause after a request"`
	By      Map[sim.Dist] `yaml:"by" inline:"true" doc:"ok, error, rejected, timed_out, refused, blocked, dropped: pause after a request that ended so"`
}

// Edge is how one tier or client reaches a target.
type Edge struct {
	From              string       `yaml:"from" doc:"caller (a list in the file makes one edge each)"`
	To                string       `yaml:"to" doc:"target"`
	Name              string       `yaml:"name" doc:"needed when two edges join the same pair"`
	Latency           sim.Dist     `yaml:"latency" live:"true" default:"0" doc:"each way"`
	Loss              unit.Share   `yaml:"loss" live:"true" default:"0%" doc:"requests lost on the way"`
	Connections       *Connections `yaml:"connections" doc:"attempts go over connections, which take time to open and are kept; left out: there is always one"`
	Retransmit        *Retransmit  `yaml:"retransmit" doc:"what gets lost before a replica took it in is sent again, unseen by the caller's policies"`
	RepliesLost       unit.Share   `yaml:"replies_lost" live:"true" default:"0%" doc:"replies lost after the work"`
	Timeout           Timeout      `yaml:"timeout" doc:"the caller's clocks"`
	PropagateDeadline bool         `yaml:"propagate_deadline" doc:"the attempt carries what is left of its caller's time"`
	Cancel            string       `yaml:"cancel" enum:"none|queued|all" default:"none" doc:"what becomes of abandoned work"`
	Balance           Balance      `yaml:"balance" doc:"which replica"`
	Block             Block        `yaml:"block" doc:"an operator's rule at the door"`
	CarryAttempt      bool         `yaml:"carry_attempt" doc:"the attempt number travels with the request"`
	Priority          Priority     `yaml:"priority" doc:"which priority its calls and retries have, for lines and policies that serve by it"`
	Retry             *Retry       `yaml:"retry" doc:"none: one try"`
}

// Retransmit is how a caller's system sends again the first packet of a connection. The defaults
// are those of Linux: a second (RFC 6298), doubled each time, six times (tcp_syn_retries): 63 s in
// all. That connect fails 64 s after the last one is not modelled: a timeout ends the wait.
type Retransmit struct {
	First  sim.Time    `yaml:"first" default:"1s" doc:"from the send until the first one"`
	Factor unit.Factor `yaml:"factor" default:"2x" doc:"each wait over the one before"`
	Tries  int         `yaml:"tries" default:"6" doc:"most of them"`
}

// Timeout is the caller's clocks; both start at send, of the try and of the first try.
type Timeout struct {
	Try     sim.Time `yaml:"try" live:"true" default:"none" doc:"for one try: latency, waiting, work and reply"`
	Overall sim.Time `yaml:"overall" live:"true" default:"none" doc:"for all tries and waits"`
	Lease   sim.Time `yaml:"lease" live:"true" default:"none" doc:"for one try, from when its work begins at the callee: the visibility timeout of a queue, whose line is the callee's"`
}

// Balance picks a replica of the target.
type Balance struct {
	Policy   string  `yaml:"policy" enum:"round_robin|random|least_request|least_connections|hash|local" default:"round_robin" doc:"how a replica is picked; all but local by weight"`
	Key      string  `yaml:"key" enum:"attempt|call|request|client" default:"request" doc:"hash: what keeps its pick"`
	Choices  int     `yaml:"choices" default:"2" doc:"least_request: replicas looked at"`
	OnRetry  string  `yaml:"on_retry" enum:"any|same|other" default:"any" doc:"where a retry goes (hash: other needs rehash)"`
	Rehash   bool    `yaml:"rehash" doc:"hash: a key whose replica is out of rotation goes to another by weight, and comes back; else to the failover"`
	Health   *Health `yaml:"health" doc:"callers probe replicas and go by what they find; without it they know at once who is paused, and nothing else"`
	Failover string  `yaml:"failover" doc:"target when the pick is out of rotation; without one the attempt is rejected"`
}

// Block is an operator's rule at the door: outcome blocked, the tier never sees it.
type Block struct {
	Share  unit.Share `yaml:"share" live:"true" default:"0%" doc:"share that is turned away"`
	Status int        `yaml:"status" live:"true" default:"403" doc:"status of the answer"`
	By     string     `yaml:"by" enum:"attempt|request|client" default:"attempt" doc:"what the share is drawn for"`
}

// Retry is how an edge's caller tries again.
type Retry struct {
	RetryOn []string    `yaml:"retry_on" default:"timed_out,dropped,rejected,5xx" doc:"outcomes that are tried again: class words, 503, 5xx"`
	Scope   string      `yaml:"scope" enum:"client|instance|tier|shared" default:"instance" doc:"who shares the state of the policies"`
	Enabled unit.Share  `yaml:"enabled" live:"true" default:"100%" doc:"share of calls that may retry"`
	Stack   []PolicyUse `yaml:"stack" key:"policy" doc:"policies in order; one that neither bounds tries, waits nor decides itself what is tried again makes no retries"`
}

// PolicyUse is one entry of a stack: a policy of the registry and its settings.
type PolicyUse struct {
	Policy   string     // name in the registry
	Name     string     `yaml:"name" doc:"key of the entry in paths, when its policy is not the only one"`
	Scope    string     `yaml:"scope" enum:"client|instance|tier|shared" doc:"instead of the stack's"`
	Key      string     `yaml:"key" enum:"edge|endpoint|replica|priority|client" default:"edge" doc:"one state for each; client: each entry of clients; an admission policy has them at each replica"`
	Pool     string     `yaml:"pool" doc:"one state for all entries of that pool, across edges"`
	Counts   string     `yaml:"counts" enum:"own|carried" default:"own" doc:"carried: a first try made for a carried retry is a retry too"`
	Charges  string     `yaml:"charges" enum:"last|first" default:"last" doc:"first: it may spend although a later policy refuses"`
	Per      string     `yaml:"per" enum:"attempt|call" default:"attempt" doc:"call: a gate outside the retries, asked at the first try and told how the call ended"`
	Low      unit.Share `yaml:"low" default:"0%" doc:"alert when its level falls below this share (tokens left; of a breaker 1 closed, 0 open); 0%: never"`
	ByClient Map[any]   `yaml:"by_client" doc:"with key: client, NAME: settings of the policy that are another number for that client, such as its quota"`
	Settings any        // the policy's own settings, a pointer to its settings type
}
