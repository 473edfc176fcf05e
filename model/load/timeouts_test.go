package load

import (
	"strings"
	"testing"
)

// A proxy that is given a timeout per try at or above that of the whole call ignores it without a
// word (istio/istio#13167). Here the file is refused, and the setting that would do nothing is
// named.
func TestATimeoutPerTryThatNeverFiresIsNamed(t *testing.T) {
	const world = `name: pair
tiers: {web: {steps: [{call: db}]}, db: {steps: [{work: 5ms}]}}
clients: {users: {arrivals: 10/s, call: web}}
edges:
  - {from: web, to: db, timeout: {TIMEOUT}}
duration: 10s
variants: {short: {set: {edges.web->db.timeout.overall: 250ms}}}
`
	for _, c := range []struct {
		timeout string
		o       Options
		want    string // part of what is said; empty: nothing
	}{
		{"try: 999ms, overall: 1s", Options{}, ""},
		{"try: 999999999ns, overall: 1s", Options{}, ""},
		{"try: 1s, overall: 1s", Options{}, "a try of 1s has no room in 1s overall"},
		{"try: 2s, overall: 1s", Options{}, "a try of 2s has no room in 1s overall"},
		{"try: 1s", Options{}, ""},
		{"overall: 1s", Options{}, ""},
		{"try: 250ms, overall: 1s", Options{}, ""},
		{"try: 250ms, overall: 1s", Options{Variant: "short"},
			"a try of 250ms has no room in 250ms overall"},
		{"try: 250ms, overall: 1s", Options{Sets: []string{"edges.web->db.timeout.try=1s"}},
			"a try of 1s has no room in 1s overall"},
	} {
		plan, problems := openText(t, strings.Replace(world, "TIMEOUT", c.timeout, 1)).Plan(c.o)
		errs := problems.Errors()
		if c.want == "" {
			if plan == nil {
				t.Errorf("%s, %+v: refused: %v", c.timeout, c.o, errs)
			}
			continue
		}
		if plan != nil || len(errs) != 1 {
			t.Errorf("%s, %+v: got %v, want one mistake", c.timeout, c.o, errs)
			continue
		}
		if errs[0].Path != "edges.web->db.timeout.try" || !strings.Contains(errs[0].Text, c.want) {
			t.Errorf("%s, %+v: got %q at %s, want %q", c.timeout, c.o, errs[0].Text, errs[0].Path, c.want)
		}
	}
}
