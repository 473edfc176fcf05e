package words

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"sidecar", "gateway", "token"}
	for _, c := range []struct{ word, want string }{
		{"sidecra", `did you mean "sidecar"?`}, // two letters swapped
		{"Gatewy", `did you mean "gateway"?`},  // one missing, another case
		{"tokens", `did you mean "token"?`},    // one too many
		{"database", "known: sidecar, gateway, token"},
		{strings.Repeat("x", 1000), "known: sidecar, gateway, token"},
	} {
		if got := Nearest(c.word, known, 5); got != c.want {
			t.Errorf("%.20s: got %q, want %q", c.word, got, c.want)
		}
	}
	if got := Nearest("database", known, 2); got != "" {
		t.Errorf("more than two: got %q, want nothing", got)
	}
	if got := Nearest("database", nil, 5); got != "" {
		t.Errorf("nothing known: got %q, want nothing", got)
	}
}
