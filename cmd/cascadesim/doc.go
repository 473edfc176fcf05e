// Cascadesim simulates cascading retry storms: a tier slows down, its callers time out and try
// again, and the tries of every layer above multiply.
//
// It reads a topology (who calls whom, under which timeouts, retries, budgets and limits) and a
// scenario (how much load, what breaks, what operators do), and simulates it event by event. The
// same files, the same seed and the same version give the same bytes on any machine.
//
// # A first run
//
// Some topologies ship with the program. A name alone runs its default scenario:
//
//	$ cascadesim run two-tier
//	two-tier/outage  the database is ten times slower for a minute
//	seed 1   scale 1   simulated 10m00s   events 836,582   warm-up left out 1m00s   version 0.1.0
//
//	Clients
//	client  requests     ok  failed     p50    p99  p99.9
//	───────────────────────────────────────────────────────
//	users    107,856  88.3%   11.7%  66.4ms  168ms  266ms
//	16 requests were still in flight at the end
//
//	Edges  (outcomes are shares of the attempts)
//	edge          calls  attempts  retries  amplif.     ok  error  rejected  timed out
//	────────────────────────────────────────────────────────────────────────────────────
//	users->web  107,856   107,856        0       1x  88.3%  11.7%        0%         0%
//	web->db     107,855   109,312    1,457    1.01x  87.1%     0%      7.9%       4.9%
//	amplif.: attempts per request of the clients that can reach the edge
//
//	Refused by a policy of the caller  (share of the attempts that were wanted)
//	edge     policy        refused  share
//	───────────────────────────────────────
//	web->db  ratio_budget   12,406  10.2%
//
//	Levels of callers' policies
//	(share of the tokens that were left; of a breaker how far it was closed)
//	edge     policy         mean  lowest  alert below  first at
//	─────────────────────────────────────────────────────────────
//	web->db  ratio_budget  86.6%      0%            –         –
//	lowest: of all states together, at the start of any window; an alert looks at each state
//
//	Tiers
//	tier  arrivals  rejected  dropped  utilization  in line  in flight  wait p99  service p50
//	───────────────────────────────────────────────────────────────────────────────────────────
//	web      200/s        0%       0%         4.5%        0       8.55        0s       3.47ms
//	db       202/s      7.9%       0%        41.5%      110        117       17s       20.8ms
//	utilization, in line and in flight are means over the run
//
//	Requests that failed, over time (time from the start)
//	users  ··············█████████··················································  worst 100%
//	                     a
//	       ╵00:00                              ╵05:00
//	  a  02:00 to 03:00   outage
//
//	recovery  recovered: ok share 97% again at 03:03, 3s after outage ended; the busiest edge,
//	          web->db, surged to 1.91x of its traffic before
//
//	What decides  (load above 1: more arrives than can be done)
//	  db, 02:15 to 02:30, under outage: first tries 203.4/s + retries 13.67/s = 217.1/s, capacity
//	  56.93/s, load 3.813: it cannot drain
//	    web->db sends first tries 203.5/s and retries 13.67/s
//	    ratio_budget (scope tier, key edge) refuses 201/s
//	  db, 03:00 to 03:15: first tries 198.2/s + retries 12.47/s = 210.7/s, capacity 574.7/s, load
//	  0.3666: it can drain
//
//	Checks
//	check     what           simulated  wanted      ok
//	─────────────────────────────────────────────────────
//	recovers  recovery.time         3s  at most 2m  yes
//
// Results go to stdout, everything else to stderr: progress, how long it took, what to look at
// next. With --json the summary is written instead of tables; -o DIR writes summary.json,
// windows.csv (one row for each window and client, edge and tier), scenario.yaml (what was run,
// with every default) and report.html, a page that opens without a network. Files appear whole or
// not at all.
//
// What ships:
//
//	$ cascadesim list topologies
//	topology                     what it is
//	────────────────────────────────────────────────────────────────────────────────────────────────
//	aws-dynamodb-2015            storage servers, the metadata service that tells them which
//	                             partitions they hold, and a limit on the time to answer
//	aws-us-east-1-2025           a fleet whose leases all ran out, and a lease manager in
//	                             congestive collapse
//	chain-3x5                    retries at every layer multiply
//	drill-cold-restart           four cells with empty caches before a database that serves two
//	                             fifths of the load; reopened at once, by ramps and by controllers
//	drill-degraded-dependency    constant traffic and one dependency that fails in part, then is
//	                             late; how many requests reach it under each preset
//	drill-health-checks          one of eight web servers is lost for a minute; its load makes the
//	                             others fail their health checks, one after the other
//	drill-lost-responses         one answer in fifty is lost after the order was written; how many
//	                             orders are written twice
//	drill-memory                 a slow minute of a database fills the memory of a service, which
//	                             then restarts again and again
//	drill-noisy-neighbour        two tenants of one service, of which one asks for more than there
//	                             is and storms; a limit, quotas, priorities
//	drill-region-failover        two regions with 55 and 45 % of the traffic; one is lost for
//	                             three minutes, and the other takes its users over
//	github-2026-07-29            a dispatcher in fifty partitions, one of which runs out of memory
//	                             each time it comes back
//	github-2026-08-06            an event service whose pods a deployment takes away, and runners
//	                             lost to jobs that are no longer valid
//	github-2026-08-17            Two sites, an auth path of three cells behind HAProxy and
//	                             sidecars, a token service, web, archive and IDE clients
//	google-service-control-2025  all tasks of a region start within seconds and read their
//	                             policies from its one table
//	hotos21                      280 queries/s on a database that serves 300/s; stable below 150,
//	                             vulnerable above
//	mm1                          one server at 80 %, against theory
//	osdi22-retry                 a store at 37 % of its capacity; a trigger of ten seconds is
//	                             survived or not by a hair
//	pokemon-go-2016              a database fails all that waits for it at once, and the phones
//	                             retry in step
//	slack-2021                   a web tier that waits for a lossy network is made smaller, and
//	                             cannot be made larger in time
//	square-2017                  everything signs in through one service and its Redis, whose
//	                             client tries a transaction up to 501 times
//	sre-cascade                  taking load off a crash loop does not help until little enough is
//	                             left
//	sregym-946                   every pod is ready and nothing recovers
//	two-tier                     users, a web tier of three, one database
//
// # Change something
//
// --variant takes a change that the scenario offers, --set writes any value of the file by its
// path. web:db means the edge web->db, which a shell would take for a redirection.
//
//	$ cascadesim check two-tier --set edges.web:db.retry.stack.ratio_budget=null
//	two-tier/outage  seed 1  scale 1
//	check     what           simulated  wanted      ok
//	────────────────────────────────────────────────────
//	recovers  recovery.time      never  at most 2m  NO
//	failed  recovers: recovery.time is never, wanted at most 2m
//
//	1 of 1 checks failed
//
// Mistakes are told all at once, each with its place and a way out, and nothing is run:
//
//	$ cascadesim run two-tier --set tiers.dbb.slots=3 --set tiers.db.line.full=wait
//	--set tiers.dbb.slots=3: tiers.dbb.slots: there is no "dbb" in tiers; did you mean "db"?
//	--set tiers.db.line.full=wait: tiers.db.line.full: "wait" is none of reject, drop
//	2 problems; nothing was run
//
// --scale 1/100 simulates a hundredth of the system: rates, slots, limits and populations are
// divided, times and shares stay. Tables, checks and charts are those of the real system all the
// same; a warning says where a pool becomes too small to stand for the real one.
//
// # Judge
//
// check compares what a scenario's checks measure with their bounds, for CI: status 1 when one
// fails, --junit for build servers, --seeds 1-10 for more than one throw of the dice.
//
//	$ cascadesim check hotos21 --variant v34-145 --seeds 1-3
//	hotos21/outage (v34-145)  seeds 1 to 3  scale 1
//	check    what              simulated  wanted     ok
//	───────────────────────────────────────────────────────────────
//	verdict  recovery.verdict  recovered  recovered  yes (3 of 3)
//
//	the check holds
//
// # Look closer
//
// trace follows one request: every try at every tier.
//
//	$ cascadesim trace two-tier --after 2m30s
//	request of users, started at 02:30.020; times are from its start
//	    +0.000ms    request starts
//	    +0.000ms    users->web  try 1 sent
//	   +20.000ms    users->web  try 1 arrives at web@0
//	   +20.000ms    users->web  try 1 gets a slot at web@0
//	   +20.537ms      web->db  try 1 sent
//	   +21.037ms      web->db  try 1 arrives at db
//	   +21.037ms      web->db  try 1 is answered: rejected (503)
//	   +21.537ms      web->db  try 1 ends for its caller: rejected (503)
//	   +21.537ms      web->db  try 2 refused by ratio_budget
//	   +21.537ms    users->web  try 1 is answered: error (503)
//	   +41.537ms    users->web  try 1 ends for its caller: error (503)
//	   +41.537ms    request ends: error (503)
//
// show prints a topology, a scenario, or what a policy or a preset does and what may be set:
//
//	$ cascadesim show policy max_attempts
//	max_attempts: decides which attempts may be sent
//
//	Refuses every try of a call beyond `attempts`, the first try included. It bounds what one call
//	may send, not what a fleet of failing calls sends: when everything fails, traffic grows by the
//	full factor at each layer. gRPC calls it maxAttempts (gRFC A6) and Envoy num_retries, which is
//	one less.
//
//	Source: docs/semantics.md (a definition, named after no product)
//	Example: max_attempts: {attempts: 3}
//
//	setting   default  unit   meaning
//	──────────────────────────────────────────────────────────────────────────────────
//	attempts  3        count  Tries of one call, the first one included; at least 1.
//
// A product's retries are a preset, which a file names (retry: {preset: envoy}) and --set can put
// in. show preset NAME has its settings, with two names in what they differ:
//
//	$ cascadesim show preset aws-sdk-standard aws-sdk-standard@2.0
//	setting                     aws-sdk-standard                  aws-sdk-standard@2.0
//	────────────────────────────────────────────────────────────────────────────────────────────────
//	product                     AWS SDK, standard mode 2.1 (2026  AWS SDK, standard mode 2.0
//	                            and later)                        (until 2026)
//	version                     2.1                               2.0
//	tries                       3 (DynamoDB 4)                    3
//	wait before retry n         50ms x 2^(n-1); after throttling  1s x 2^(n-1); jitter full; cap
//	                            1s x 2^(n-1); jitter full; cap    20s
//	                            20s
//	bounds a storm              quota of 500 a client, 14 or 5    quota of 500 a client, 5 or 10
//	                            for each retry                    for each retry
//	stack.aws_standard.version  v2.1                              v2.0
//	12 more are equal
//
// # Status
//
//	0  ok
//	1  a check failed, trace found no such request, or the work was interrupted before it was
//	   complete
//	2  a mistake on the command line or in a file, or a check of scenarios without checks
//	3  a law of the simulation was broken: no number can be trusted, and the command that
//	   replays it is printed
//
// Ctrl-C stops cleanly. Replications that are finished are shown, judged and written, and a warning
// beside them says how many of those asked for they are. The JUnit file of an interrupted check has
// an error for each scenario that was not judged by all of its replications.
//
// The completion command writes a script with which a shell completes names, variants and policies.
//
// # How the program is built
//
//  1. main hands the streams and the arguments to run, which returns the status.
//  2. root.go lists the commands. Each has a file: flags to a call of a package to a writer.
//  3. choice.go finds the scenario that the words mean and compiles it; status.go says what went
//     wrong.
//  4. files.go writes directories of results, progress.go shows how far a batch is, completion.go
//     knows what shells may complete.
//
// Every example above is executed by a test, and its output is the one that the program gives.
package main
