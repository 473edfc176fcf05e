package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyAdmissionControl turns requests away by how many of the last ones succeeded.
type EnvoyAdmissionControl struct {
	Window     sim.Time   `yaml:"sampling_window" doc:"How long answers count; 1 s to 1 h, whole s."`
	Threshold  unit.Ratio `yaml:"sr_threshold" doc:"Success rate below which it acts; 1% to 100%."`
	Aggression float64    `yaml:"aggression" doc:"Above 1 it rejects sooner; 0 to 1000."`
	Rate       int        `yaml:"rps_threshold" scale:"s" doc:"Whole answers/s below which it rests."`
	Most       unit.Ratio `yaml:"max_rejection_probability" doc:"Never more than this; 0% to 100%."`
	GRPC       bool       `yaml:"grpc" doc:"The callee speaks gRPC: statuses stand for its codes."`
}

var envoyAdmissionDefaults = EnvoyAdmissionControl{
	// Envoy's, all of them.
	Window: 30 * sim.Second, Threshold: 0.95, Aggression: 1, Most: 0.8,
}

const envoyAdmissionDoc = "with probability ((total - successes / sr_threshold) / (total + 1)) ^ " +
	"(1 / aggression), at most max_rejection_probability, over the answers of the last " +
	"sampling_window. What it rejected itself is not counted, unlike in the client-side " +
	"throttling of the SRE book, so it never sees how much it keeps away and lets at least a fifth " +
	"through by default. A success is a status below 500; with grpc OK, CANCELLED, UNKNOWN, " +
	"INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS (a 409 counts as this), UNAUTHENTICATED, " +
	"FAILED_PRECONDITION, OUT_OF_RANGE and UNIMPLEMENTED. The window is of buckets that begin " +
	"when they are touched, at least 1 s apart. aggression below 1 is 1. Envoy counts for each " +
	"worker thread, and has its state here for each member of the scope: with many threads each " +
	"sees a part of the traffic. "

const envoyAdmissionSource = "Envoy, admission_control.cc and thread_local_controller.cc"

var _ = builtin(Spec{
	Name: "envoy_admission_control",
	Doc: "Rejects an attempt as it arrives " + envoyAdmissionDoc + "Attempts that their caller gave " +
		"up have no answer and do not count.",
	Example:  "{sr_threshold: 95%, aggression: 1.5}",
	Source:   envoyAdmissionSource,
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
}, envoyAdmissionDefaults, checkEnvoyAdmission, func(s EnvoyAdmissionControl) func() Policy {
	return func() Policy {
		c := &envoyAdmission{terms: &s}
		return Policy{Admission: c, Finisher: c}
	}
})

var _ = builtin(Spec{
	Name: "envoy_admission_control_caller",
	Doc: "Refuses to send an attempt " + envoyAdmissionDoc + "This is the filter at the caller. " +
		"With per: call it stands before the router, as in a listener's chain: it is asked once for a " +
		"call and counts what became of it after all retries. Without, it is asked about each try, as " +
		"in a cluster's chain. A timeout, a reset or an overflow of a later policy counts as a " +
		"failure, as its 504 or 503 does before the router; in a cluster's chain Envoy would not count " +
		"it. What is given up because its caller has gone has no answer and does not count.",
	Example:  "{sr_threshold: 95%, aggression: 1.5}",
	Source:   envoyAdmissionSource,
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, envoyAdmissionDefaults, checkEnvoyAdmission, func(s EnvoyAdmissionControl) func() Policy {
	return func() Policy {
		c := &envoyAdmission{terms: &s}
		return Policy{Gate: c, Wrapper: c, Observer: c}
	}
})

func checkEnvoyAdmission(s EnvoyAdmissionControl) []error {
	var b bounds
	if s.Window < sim.Second || s.Window > sim.Hour || s.Window%sim.Second != 0 {
		b.say("sampling_window", "%s; 1s to 1h in whole seconds", unit.FormatDuration(s.Window))
	}
	if r := float64(s.Threshold); !(r >= 0.01 && r <= 1) {
		b.say("sr_threshold", "%s; 1%% to 100%%", s.Threshold)
	}
	b.number("aggression", s.Aggression, 0, 1000)
	b.count("rps_threshold", s.Rate, 0)
	if r := float64(s.Most); !(r >= 0 && r <= 1) {
		b.say("max_rejection_probability", "%s; 0%% to 100%%", s.Most)
	}
	return b
}

// envoyAdmission keeps successes as what is earned and all answers as what is spent, each in a
// bucket that is known by the time it began.
type envoyAdmission struct {
	terms *EnvoyAdmissionControl
	tally tally
}

func (c *envoyAdmission) Enter(now sim.Time, a *Attempt) bool { return c.Admit(now, a) }

// Admit draws whatever the probability is, so that comparing two settings changes no other draw.
func (c *envoyAdmission) Admit(now sim.Time, a *Attempt) bool {
	draw := a.Chance.Uint64() % envoyOdds
	c.bucket(now)
	total := c.tally.spent
	if total/int64(c.terms.Window/sim.Second) < int64(c.terms.Rate) {
		return true
	}
	return !(envoyOdds*envoyRejection(total, c.tally.earned, c.terms) > float64(draw))
}

// envoyOdds is how finely a rejection is drawn.
const envoyOdds = 10_000

// envoyRejection is the probability of a rejection.
func envoyRejection(total, successes int64, s *EnvoyAdmissionControl) float64 {
	p := float64(total) - float64(successes)/float64(s.Threshold)
	p /= float64(total) + 1
	if p <= 0 {
		return 0
	}
	if s.Aggression > 1 {
		p = sim.Pow(p, 1/s.Aggression)
	}
	return min(p, float64(s.Most))
}

func (c *envoyAdmission) Finish(now sim.Time, a *Attempt, _ sim.Time, o Outcome) {
	if o.answered() {
		c.Observe(now, a, o)
	}
}

func (c *envoyAdmission) Observe(now sim.Time, _ *Attempt, o Outcome) {
	bucket := c.bucket(now)
	if o.letGo() {
		return
	}
	c.tally.spend(bucket)
	if c.success(o) {
		c.tally.earn(bucket)
	}
}

// Unsent: before the router, its 503 of an overflow is an answer like others.
func (c *envoyAdmission) Unsent(now sim.Time, a *Attempt, o Outcome) { c.Observe(now, a, o) }

const envoySuccesses = grpcOK | grpcCancelled | grpcUnknown | grpcInvalidArgument | grpcNotFound |
	grpcAlreadyExists | grpcUnauthenticated | grpcFailedPrecondition | grpcOutOfRange |
	grpcUnimplemented

func (c *envoyAdmission) success(o Outcome) bool {
	if o.Class == Rejected && o.Status == 0 {
		return false // a callee may turn away without saying yet with which status: 503 as a rule
	}
	if c.terms.GRPC {
		return o.grpcCodes()&envoySuccesses != 0
	}
	return o.answered() && o.Status < 500
}

// bucket forgets what is too old and finds the bucket of now, or begins it.
func (c *envoyAdmission) bucket(now sim.Time) int64 {
	c.tally.roll(int64(now), int64(c.terms.Window), 0)
	if c.tally.used > 0 {
		if last := c.tally.nth(c.tally.used - 1).slot; int64(now)-last < int64(sim.Second) {
			return last
		}
	}
	c.tally.at(int64(now))
	return int64(now)
}
