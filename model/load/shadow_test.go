package load

import (
	"strings"
	"testing"
)

// A tier's field that each replica has of its own is read by nobody: setting it during a run is a
// mistake, and writing it beforehand a doubt.
func TestFieldsThatEachReplicaHasOfItsOwn(t *testing.T) {
	text := strings.Replace(pair3, "{a: {weight: 36}, b: {}}",
		"{a: {slots: 3, line: {limit: 9}}, b: {slots: 2}}", 1)
	cut := "timeline.cut={at: 3m, set: {tiers.web."
	for _, c := range []struct{ set, want string }{
		{cut + "slots: 9}}", "tiers.web.slots: each replica has its own, so nothing would change; " +
			"write tiers.web.replicas.a.slots"},
		{cut + "line.limit: 9}}", ""}, // b takes the tier's
		{cut + "replicas.b.slots: 9}}", ""},
		{"tiers.web.slots=9", "tiers.web.slots: each replica has its own, so nothing changes; " +
			"write tiers.web.replicas.a.slots"},
		{"tiers.*.slots=9", ""},
		{"tiers.db.slots=9", ""},
	} {
		_, _, problems := openText(t, text).Build(Options{Sets: []string{c.set}})
		got := problems.Error()
		if !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s:\n got %s\nwant %s", c.set, got, c.want)
		}
		if errs := len(problems.Errors()); errs > 0 && !strings.HasPrefix(c.set, cut) {
			t.Errorf("%s: %d errors, want a warning", c.set, errs)
		}
	}
	sets := []string{"tiers.web.slots=9", "tiers.web.replicas.b.slots=null"}
	if _, _, problems := openText(t, text).Build(Options{Sets: sets}); len(problems) > 0 {
		t.Errorf("a replica that takes the tier's after all: %v", problems)
	}
}
