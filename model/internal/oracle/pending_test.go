package oracle

import (
	"fmt"
	"slices"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// pooled lets one try out at a time and three wait.
type pooled struct {
	out  *int
	told around
}

func (x pooled) Join(now sim.Time, _ *policies.Attempt, ahead int) policies.QueueVerb {
	x.told.say(now, fmt.Sprintf("asked behind %d", ahead))
	switch {
	case *x.out == 0:
		*x.out++
		return policies.QueuePass
	case ahead < 3:
		return policies.QueueWait
	}
	return policies.QueueRefuse
}

func (x pooled) Observe(now sim.Time, a *policies.Attempt, o policies.Outcome) {
	*x.out--
	x.told.say(now, fmt.Sprintf("%s, %d wait", o.Class, a.Waiting))
}

// TestWhoWaitsAtTheCallerGoesInTurn: of five at once one goes, three wait and one is refused. Each
// answer lets the first one go at that instant; whose deadline comes then has left the line before.
func TestWhoWaitsAtTheCallerGoesInTurn(t *testing.T) {
	const took = 12
	for _, c := range []struct {
		overall sim.Time
		want    []string
		ends    string
	}{
		{0, []string{
			"0 p asked behind 0", "0 p asked behind 0", "0 p asked behind 1", "0 p asked behind 2",
			"0 p asked behind 3",
			"12 p ok, 3 wait", "12 p asked behind 0", "12 p asked behind 0",
			"24 p ok, 2 wait", "24 p asked behind 0", "24 p asked behind 0",
			"36 p ok, 1 wait", "36 p asked behind 0", "48 p ok, 0 wait",
		}, "0 end refused, 12 end ok, 24 end ok, 36 end ok, 48 end ok"},
		{ms(2 * took), []string{
			"0 p asked behind 0", "0 p asked behind 0", "0 p asked behind 1", "0 p asked behind 2",
			"0 p asked behind 3",
			"12 p ok, 3 wait", "12 p asked behind 0", "12 p asked behind 0",
			"24 p timed_out, 2 wait",
		}, "0 end refused, 12 end ok, 24 end timed_out, 24 end timed_out, 24 end timed_out"},
	} {
		l := newLab(5)
		l.tier = Station(5)
		l.edge.Overall = c.overall
		var told []string
		l.more = func(b *Builder) {
			b.Plan.Edges[0].Stack = []kernel.Use{{Name: "pool", Stride: 1}}
			b.Plan.States = []kernel.State{{Name: "p", Len: 1, New: func() policies.Policy {
				x := pooled{new(int), around{"p", &told}}
				return policies.Policy{Queuer: x, Observer: x}
			}}}
		}
		for who, tape := range both(t, l.plan()) {
			if got := tape.tell("end"); got != c.ends {
				t.Errorf("%s: %s\nwant %s", who, got, c.ends)
			}
		}
		half := len(told) / 2
		if !slices.Equal(told[:half], c.want) || !slices.Equal(told[half:], c.want) {
			t.Errorf("oracle, kernel: %q\nwant %q of each", told, c.want)
		}
	}
}
