package check

import (
	"fmt"
	"strings"
)

// Name is the tier, with the replica when it has several.
func (c Condition) Name() string {
	if c.Replica == "" {
		return c.Tier
	}
	return c.Tier + "@" + c.Replica
}

// Lines says a condition in sentences for a terminal: both sides, then which layer's budget sees
// what, and who draws on it. The first line stands alone; the others explain it.
func (c Condition) Lines() []string {
	verdict := "it cannot drain"
	if c.Holds() {
		verdict = "it can drain"
	}
	out := []string{fmt.Sprintf(
		"%s: first tries %s + retries %s = %s, capacity %s, load %s: %s",
		c.Name(), text(c.FirstPerS, Rate), text(c.RetriesPerS, Rate), text(c.Offered(), Rate),
		text(c.CapacityPerS, Rate), text(c.Load(), Ratio), verdict)}
	for _, l := range c.Layers {
		line := fmt.Sprintf("%s sends first tries %s and retries %s", l.Edge,
			text(l.FirstPerS, Rate), text(l.RetriesPerS, Rate))
		if l.Hops > 0 {
			line += "; the layers below see these retries as first tries, unless they are carried"
		}
		out = append(out, line)
		for _, b := range l.Budgets {
			out = append(out, b.line())
		}
	}
	return out
}

func (b Budget) line() string {
	line := fmt.Sprintf("%s (scope %s, key %s) refuses %s", b.Policy, b.Scope, b.Key,
		text(b.RefusedPerS, Rate))
	if len(b.Shared) > 0 {
		line += "; " + strings.Join(b.Shared, ", ") + " draw on the same state"
	}
	return line
}
