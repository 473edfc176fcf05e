package explain

import (
	"fmt"

	"cascadesim/model/check"
)

// mostStays is how many stages of controls are told; the first ones show the pattern.
const mostStays = 40

// controls says which stages controls of the timeline entered, when and why.
func (b *book) controls() []Fact {
	var out []Fact
	last := map[string]check.Stay{}
	for _, s := range check.Stays(b.plan, b.r) {
		how := ""
		switch before, begun := last[s.Control]; {
		case s.Back:
			how = " steps back from " + before.Stage + ", as " + before.Why() + ": it"
		case begun && before.Misses > 0:
			how = fmt.Sprintf(" goes on after %d observations, of which %d missed (at last %s): it",
				before.Looks, before.Misses, before.Why())
		case begun:
			how = " goes on, as all conditions of " + before.Stage + " were met: it"
		}
		last[s.Control] = s
		out = append(out, Fact{At: s.From, Kind: "control", Subject: "timeline." + s.Control,
			Values: map[string]float64{"end_s": s.To.Seconds(), "observations": float64(s.Looks),
				"missed": float64(s.Misses)},
			Text: s.Control + how + " enters " + s.Stage})
	}
	if more := len(out) - mostStays; more > 0 {
		out = out[:mostStays]
		out[mostStays-1].Text += fmt.Sprintf("; %d later moves are left out", more)
	}
	return out
}
