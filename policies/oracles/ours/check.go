package ours

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// Check plays a thousand random scripts, or as many as -rapid.checks says.
func Check(t *testing.T, play func(*rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("1000"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, play)
}
