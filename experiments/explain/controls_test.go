package explain_test

import (
	"context"
	"strings"
	"testing"

	"cascadesim/experiments/explain"
	"cascadesim/model/load"
)

// What a control does is told with its reasons, and an outage that ends as it opens says so.
func TestControlsAreTold(t *testing.T) {
	plan := planOf(t, "two-tier", load.Options{Until: "100s", Sets: []string{
		`timeline.reopen={at: 20s, control: {observe: 20s, stages: [
{name: shed, set: {edges.users->web.block.share: 100%}},
{name: open, pass: [{measure: clients.users.failed_share, below: 1%}]},
{name: more, observe: 10s, set: {edges.users->web.block.share: 10%},
 pass: [{measure: clients.users.failed_share, below: 1%}]}]}}`}})
	x, err := explain.Explain(context.Background(), plan, 1, explain.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	said := told(x)
	for _, want := range []string{
		"20 control timeline.reopen: reopen enters shed\n",
		"40 control timeline.reopen: reopen goes on, as all conditions of shed were met: " +
			"it enters open\n",
		"40 end clients.users: requests of users are answered again, when reopen entered open at 00:40",
		"reopen steps back from more, as clients.users.failed_share was 9.109%, " +
			"wanted below 1%: it enters open\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it is not told that %q:\n%s", want, said)
		}
	}
}
