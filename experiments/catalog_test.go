package experiments_test

import (
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// Every experiment that ships can be run, and asks its one question in its first line.
func TestShippedExperimentsAreWhole(t *testing.T) {
	if len(experiments.Names()) < 10 {
		t.Fatalf("only %v ship", experiments.Names())
	}
	for _, name := range experiments.Names() {
		src, err := experiments.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		e, problems := load.OpenExperiment(src, topologies.Open)
		if e == nil {
			t.Errorf("%s: %v", name, problems)
			continue
		}
		if q := experiments.Question(name); q != e.Question || !strings.HasSuffix(q, "?") ||
			strings.Count(q, "?") != 1 {
			t.Errorf("%s: the first line is no question: %s", name, q)
		}
	}
}
