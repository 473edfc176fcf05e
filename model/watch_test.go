package model

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of measures has a row for each kind of thing that can be looked at while a run runs. Its
// words are those that a condition takes, all of them and no others.
func TestThePageOfMeasuresKnowsWhatCanBeWatched(t *testing.T) {
	page, err := os.ReadFile("../docs/measures.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## What a run can look at while it runs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	classes := []string{"ok", "error", "rejected", "timed_out", "blocked", "dropped"}
	for _, kind := range []struct {
		row, of         string
		counters, other []string
		rates           []string // counters that are no share
	}{
		{"clients.NAME", "clients.users", liveClients, []string{"latency.Q"}, liveClients[:2]},
		{"edges.FROM->TO", "edges.web->db", slices.Concat(liveEdges, classes),
			[]string{"attempt_latency.Q"}, liveEdges[:2]},
		{"tiers.NAME", "tiers.db", liveReplicas, slices.Concat([]string{"hit_ratio"}, liveGauges),
			liveReplicas[:1]},
	} {
		i := strings.Index(section, "\n| `"+kind.row+".…`")
		if i < 0 {
			t.Fatalf("the page has no row of %s", kind.row)
		}
		row, _, _ := strings.Cut(section[i+1:], "\n")
		cells := strings.Split(row, " | ")
		inTicks := func(cell string) (out []string) {
			for _, m := range regexp.MustCompile("`([a-z_.Q]+)`").FindAllStringSubmatch(cell, -1) {
				if m[1] != "_per_s" {
					out = append(out, m[1])
				}
			}
			return out
		}
		same(t, kind.row, inTicks(cells[1]), kind.counters)
		same(t, kind.row, inTicks(cells[2]), kind.other)
		n := resolve(twoTier(), minute(), nil)
		for _, c := range kind.counters {
			_, m := n.watching(kind.of + "." + c + "_per_s")
			_, s := n.watching(kind.of + "." + c + "_share")
			if only := slices.Contains(kind.rates, c); m != nil || (s != nil) != only {
				t.Errorf("%s.%s: per second %v, share %v", kind.row, c, m, s)
			}
		}
		for _, c := range kind.other {
			if _, m := n.watching(kind.of + "." + strings.Replace(c, ".Q", ".p999", 1)); m != nil {
				t.Errorf("%s.%s: %v", kind.row, c, m)
			}
		}
	}
}

// same reports words that one list has and the other has not.
func same(t *testing.T, row string, page, known []string) {
	t.Helper()
	for _, w := range page {
		if !slices.Contains(known, w) {
			t.Errorf("%s has no %s, which the page tells of", row, w)
		}
	}
	for _, w := range known {
		if !slices.Contains(page, w) {
			t.Errorf("the page lacks %s of %s", w, row)
		}
	}
}
