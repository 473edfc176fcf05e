package policies

import (
	"os"
	"testing"
)

// onOneMachine marks a test that takes long to see a mean come out near a formula, or to count what
// no rounding moves: a processor that rounds otherwise shows in the tests to the bit long before.
// CASCADESIM_SIZE=exact leaves it out, for emulators, which are ten times slower.
func onOneMachine(t *testing.T) {
	t.Helper()
	if os.Getenv("CASCADESIM_SIZE") == "exact" {
		t.Skip("it has run on another machine; here only what is compared to the bit does")
	}
}
