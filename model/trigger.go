package model

import (
	"fmt"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// triggers compiles what entries wait for.
func (c *compiler) triggers() {
	entries := c.n.s.Timeline
	c.trigger = make([]int, len(entries))
	for i := range entries {
		e := &entries[i]
		if !e.Waits() {
			continue
		}
		k := kernel.Trigger{Name: entryName(entries, i), Nominal: e.At, From: e.At,
			After: e.Delay, Lasts: sim.Never, Entry: i}
		if e.End < sim.Never {
			k.Lasts = e.End - e.At
		}
		if e.When != nil {
			when := c.watch(e.When, nil)
			k.When, k.After, k.Arm, k.Chained = &when, e.When.After, e.Delay, e.Follows != ""
		}
		c.p.Triggers = append(c.p.Triggers, k)
		c.trigger[i] = len(c.p.Triggers)
	}
	for k := range c.p.Triggers {
		t := &c.p.Triggers[k]
		if t.When == nil || t.Chained {
			t.Follows = c.trigger[c.n.entryIndex(entries[t.Entry].Follows)] - 1
		}
	}
}

// entryIndex is the index of a timeline entry, or -1.
func (n *names) entryIndex(name string) int {
	for i := range n.s.Timeline {
		if n.s.Timeline[i].Name == name {
			return i
		}
	}
	return -1
}

// checkWaits checks what an entry waits for.
func (n *names) checkWaits(path string, e *TimelineEntry) {
	if e.When != nil {
		n.checkWhen(path+".when", e.When, nil)
	}
	if e.Follows != "" {
		n.length(path+".at", e.Delay)
		n.checkFollows(path+".at", e)
	}
	for i := range e.Set {
		if s := &e.Set[i]; e.Over > 0 && s.Op == Replace {
			n.errorf(path+".over", "from where a ramp starts is not known before the run").
				hint(fmt.Sprintf("write {ramp: {0: FROM, %s: TO}} for %s", "1m", s.Path))
		}
	}
}

// checkFollows checks that the chain of entries that follow one another begins with a measure.
func (n *names) checkFollows(path string, e *TimelineEntry) {
	for range n.s.Timeline {
		i := n.entryIndex(e.Follows)
		if i < 0 {
			n.errorf(path, "no timeline entry %q", e.Follows)
			return
		}
		if e = &n.s.Timeline[i]; e.When != nil && e.Follows == "" {
			return
		}
		if e.Follows == "" {
			n.errorf(path, "%s does not wait for anything; its time is known", e.Name)
			return
		}
	}
	n.errorf(path, "entries follow each other in a circle")
}

// rampFrom reports a ramp whose start another entry may have moved.
func (n *names) rampFrom(path string, set *Setting) {
	for i := range n.s.Timeline {
		e := &n.s.Timeline[i]
		if !e.varies() {
			continue
		}
		for _, s := range e.settings() {
			if s.Path == set.Path && s.Op == Replace {
				n.errorf(path, "%s may have changed it by then, so that nobody knows where a ramp starts",
					entryPath(n.s.Timeline, i)).hint("write {ramp: {0: FROM, 1m: TO}}")
			}
		}
	}
}
