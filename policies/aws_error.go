package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// awsError is what an AWS SDK sees in an outcome.
type awsError uint8

const (
	awsFinal      awsError = iota // not tried again, or no error
	awsTransient                  // connection errors, timeouts, 500, 502, 503, 504
	awsThrottling                 // one of the service's throttling codes
)

// awsErrorOf classifies an outcome. AWS services say that they throttle by a code, mostly on a
// status of 400 or 503; a world has none, so that 429 stands for it, or with rejected every
// answer of a callee that turned the attempt away.
func awsErrorOf(o Outcome, rejected bool) awsError {
	switch {
	case o.Class == TimedOut || o.Class == Dropped || o.Class == Rejected && o.Unreached:
		return awsTransient
	case o.is(429) || rejected && o.Class == Rejected:
		return awsThrottling
	case o.is(500, 502, 503, 504):
		return awsTransient
	}
	return awsFinal
}

// checkAWS bounds what the modes have in common.
func checkAWS(attempts int, longest sim.Time) []error {
	var errs []error
	if attempts < 0 || attempts > 1000 {
		errs = append(errs, fmt.Errorf("max_attempts: %d; 1 to 1000, or 0 for the SDK's own",
			attempts))
	}
	if longest <= 0 || longest > sim.MaxTime {
		errs = append(errs, fmt.Errorf("max_backoff: %s; more than 0, and at most %s",
			unit.FormatDuration(longest), unit.FormatDuration(sim.MaxTime)))
	}
	return errs
}

// awsBackoff is the wait before retry i, from 0, in float nanoseconds: base doubled i times, capped
// and then spread from 0; draw is in [0, 1).
func awsBackoff(base, longest float64, i int, draw float64) float64 {
	return draw * min(base*sim.Pow(2, float64(i)), longest)
}
