package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// mistakes are the errors among the answers of checks, nil where a check found nothing.
func mistakes(found ...error) []error {
	var errs []error
	for _, err := range found {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// outside says that a whole number is not within its bounds.
func outside(name string, n, least, most int) error {
	if n >= least && n <= most {
		return nil
	}
	return fmt.Errorf("%s: %d; %d to %d", name, n, least, most)
}

// outsideTime says that a length of time is not within its bounds.
func outsideTime(name string, t, least, most sim.Time) error {
	if t >= least && t <= most {
		return nil
	}
	return fmt.Errorf("%s: %s; %s to %s", name,
		unit.FormatDuration(t), unit.FormatDuration(least), unit.FormatDuration(most))
}

// outsideReal says that a number is not within its bounds.
func outsideReal(name string, x, least, most float64) error {
	if x >= least && x <= most {
		return nil
	}
	return fmt.Errorf("%s: %v; %v to %v", name, x, least, most)
}
