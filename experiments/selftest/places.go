package selftest

import (
	"context"
	"fmt"
	"slices"
)

// order looks to which replicas the tries of each call go when all of them are turned away: to four
// different ones, or to one three times and then to another.
func order(ctx context.Context, j job) ([]Outcome, error) {
	wanted := map[string][]bool{ // for each try, whether it goes where none of its call went before
		"c10-abcd": {true, true, true, true},
		"c10-aaab": {true, false, false, true},
	}
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.load(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		arrivals, err := w.trace(ctx, "arrive")
		if err != nil {
			return nil, err
		}
		var seen []int // replicas of the call at hand; nothing takes time, so calls do not mix
		calls, wrong := 0, 0
		for _, a := range arrivals {
			if w.plan.World.Clients[a.Client].Name != "users" {
				continue
			}
			if a.N == 1 {
				seen = seen[:0]
				calls++
			}
			if slices.Contains(seen, a.Replica) == wanted[w.run.Variant][a.N-1] {
				wrong++
			}
			seen = append(seen, a.Replica)
		}
		w.size = fmt.Sprintf("%d calls, %d tries", calls, len(arrivals))
		o := w.exactly("tries that go elsewhere", float64(wrong))
		o.OK = o.OK && calls > 0
		out = append(out, o)
	}
	return out, nil
}
