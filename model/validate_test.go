package model

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cascadesim/policies"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// golden compares a text with a file of testdata, or rewrites the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			t.Fatalf("%s:%d: got %q beyond its end", file, i+1, g[i])
		case i >= len(g):
			t.Fatalf("%s:%d: got nothing, want %q", file, i+1, w[i])
		case w[i] != g[i]:
			t.Fatalf("%s:%d:\n got %q\nwant %q", file, i+1, g[i], w[i])
		}
	}
}

// mistakeCase is one mistake in the two-tier world, and the path at which it must be said.
type mistakeCase struct {
	name string
	make func(*Topology, *Scenario)
	path string
}

// TestMistakes makes one mistake at a time. Each must be found at its path and stop the compiler,
// and nothing else may be found; the golden holds what is said.
func TestMistakes(t *testing.T) {
	said := &strings.Builder{}
	for _, c := range allMistakes() {
		top, s := twoTier(), minute()
		c.make(top, s)
		p, problems := Compile(top, s, policies.Builtins())
		if p != nil {
			t.Errorf("%s: got a plan, want a problem at %s", c.name, c.path)
		}
		for _, e := range problems.Errors() {
			if e.Path != c.path {
				t.Errorf("%s: got a problem at %q, want only %q\n%s", c.name, e.Path, c.path, e)
			}
		}
		fmt.Fprintf(said, "%s\n", c.name)
		for _, e := range problems {
			fmt.Fprintf(said, "    %s\n", e)
		}
	}
	golden(t, "mistakes.txt", said.String())
}

// TestDoubts makes worlds that run but about which something must be said.
func TestDoubts(t *testing.T) {
	said := &strings.Builder{}
	for _, c := range allDoubts() {
		top, s := twoTier(), minute()
		c.make(top, s)
		p, problems := Compile(top, s, policies.Builtins())
		if p == nil {
			t.Errorf("%s: got no plan\n%s", c.name, texts(problems))
			continue
		}
		if len(p.Warnings) == 0 {
			t.Errorf("%s: got no warning, want one at %s", c.name, c.path)
		}
		fmt.Fprintf(said, "%s\n", c.name)
		for _, w := range p.Warnings {
			if w.Path != c.path || !w.Warning {
				t.Errorf("%s: got %q (warning: %v), want a warning at %q", c.name, w.Path,
					w.Warning, c.path)
			}
			fmt.Fprintf(said, "    %s\n", w)
		}
	}
	golden(t, "doubts.txt", said.String())
}

// TestAllMistakesAreSaidAtOnce keeps the compiler from stopping at the first.
func TestAllMistakesAreSaidAtOnce(t *testing.T) {
	top, s := twoTier(), minute()
	top.Tiers[1].Value.Slots = 0
	top.Edges[0].Loss = 2
	top.Clients[0].Value.Priority = 8
	s.Scale = 2
	s.Recovery.After = "outage"
	_, problems := Compile(top, s, policies.Builtins())
	want := []string{"scale", "recovery.after", "clients.users.priority", "tiers.db.slots",
		"edges.web->db.loss"}
	var got []string
	for _, p := range problems {
		got = append(got, p.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("paths: got %q, want %q", got, want)
	}
}

func allMistakes() []mistakeCase {
	var out []mistakeCase
	for _, cases := range [][]mistakeCase{
		scenarioMistakes, clientMistakes, tierMistakes, callMistakes, edgeMistakes,
		policyMistakes, timelineMistakes, restartMistakes, waitingMistakes, faultMistakes, hpaMistakes,
		controlMistakes,
	} {
		out = append(out, cases...)
	}
	return out
}
