package report

import (
	"regexp"
	"strconv"
	"strings"
)

// warnings are the doubts about the numbers. Those about pools that the scale leaves small are one
// note for people; the summary has each.
func (r Run) warnings() []Note {
	var out []Note
	var pools fewSlots
	at := -1
	for _, w := range r.Summary.Warnings {
		if pools.take(w) {
			if at < 0 {
				at = len(out)
				out = append(out, Note{})
			}
			continue
		}
		out = append(out, Note{Doubt, w})
	}
	if at >= 0 {
		out[at] = Note{Doubt, pools.text()}
	}
	return out
}

// fewSlots are the pools that the scale leaves with few slots.
type fewSlots struct {
	scale     string
	tiny, few []string // name and slots; tiny ones are too small to read waits of
}

// slotsLeft is such a warning as the model writes it: place, path, slots and scale.
var slotsLeft = regexp.MustCompile(
	`^(?:.*: )?tiers\.(\S+)\.slots: (ONLY )?(\d+) slots are left of (\d+) at ([^:]+): `)

// take keeps a warning that is about slots, and says whether it is.
func (f *fewSlots) take(warning string) bool {
	m := slotsLeft.FindStringSubmatch(warning)
	if m == nil || f.scale != "" && f.scale != m[5] {
		return false
	}
	f.scale = m[5]
	pool := m[1] + " " + m[3] + " of " + m[4]
	if m[2] != "" {
		f.tiny = append(f.tiny, pool)
		return true
	}
	f.few = append(f.few, pool)
	return true
}

// tinyPool is below how many slots the model says ONLY.
const tinyPool = 20

func (f *fewSlots) text() string {
	var parts []string
	if len(f.tiny) > 0 {
		parts = append(parts, strings.Join(f.tiny, ", ")+" (BELOW "+strconv.Itoa(tinyPool)+
			": DO NOT READ waits and percentiles of these)")
	}
	if len(f.few) > 0 {
		parts = append(parts, strings.Join(f.few, ", ")+" (a p99 can be off by more than about 2 %)")
	}
	return "FEW SLOTS at " + f.scale + ": " + strings.Join(parts, "; ")
}
