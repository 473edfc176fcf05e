package model

import (
	"fmt"
	"math"
	"strconv"

	"cascadesim/sim"
)

// A scaled run simulates a smaller system with the same times, shares, ratios and numbers of
// replicas: rates, slots, limits and populations are divided. Counts go to the nearest whole
// number, and what was there stays at least 1.
const (
	// roundingDoubt is how far rounding may move a count before it is said: a per cent of capacity
	// moves the moment at which an overload begins by minutes.
	roundingDoubt = 0.01
	// fewSlots is the pool under which queues are visibly unlike those of the real one: 99th
	// percentiles are off by more than about 2 %.
	fewSlots = 40
	// tooFewSlots is the pool under which nobody should read them.
	tooFewSlots = 20
)

// scaling divides what the scale divides.
type scaling struct {
	by   float64 // the real system is so many times as large
	text string  // as people write it: 1/200
}

// newScaling inverts a scale. Scales are written as fractions: the nearest whole divisor is taken
// when the scale is within rounding of it, so that 3600 slots at 1/400 are exactly 9.
func newScaling(scale float64) scaling {
	by := 1 / scale
	if whole := math.Floor(by + 0.5); math.Abs(by-whole) < 1e-9*whole {
		by = whole
		return scaling{by, "1/" + strconv.FormatFloat(by, 'f', -1, 64)}
	}
	return scaling{by, strconv.FormatFloat(scale, 'g', 6, 64)}
}

// divide is a count of the simulated system: at least 1 when there was one.
func (s scaling) divide(count float64) float64 {
	got := math.Floor(count/s.by + 0.5)
	if count >= 1 && got < 1 {
		return 1
	}
	return got
}

// doubt is what to say of a count that became another by more than rounding allows; empty: nothing.
func (s scaling) doubt(count float64, what string) string {
	if s.by == 1 || count <= 0 {
		return ""
	}
	return s.doubtOf(count, s.divide(count), what)
}

func (s scaling) doubtOf(count, got float64, what string) string {
	off := got*s.by/count - 1
	if math.Abs(off) <= roundingDoubt {
		return ""
	}
	if what != "" {
		what = " " + what
	}
	return fmt.Sprintf("%s%s at %s become %s, %+.1f %%", plain(count), what, s.text, plain(got),
		100*off)
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// count scales a count, and says so when rounding moved it. Unlimited stays.
func (c *compiler) count(path string, v int, what string) int {
	if v < 0 {
		return v
	}
	if text := c.scale.doubt(float64(v), what); text != "" {
		c.doubt(path, text)
	}
	return int(c.scale.divide(float64(v)))
}

// pool scales the slots of a station, and says so when few are left.
func (c *compiler) pool(path string, v int) int {
	got := c.count(path, v, "slots")
	switch {
	case c.scale.by == 1 || v < 0:
	case got < tooFewSlots && v >= tooFewSlots:
		c.doubt(path, fmt.Sprintf("ONLY %d slots are left of %d at %s: waits and their "+
			"percentiles are those of a much smaller pool; do not read them", got, v, c.scale.text))
	case got < fewSlots && v >= fewSlots:
		c.doubt(path, fmt.Sprintf("%d slots are left of %d at %s: a p99 can be off by more than "+
			"about 2 %%", got, v, c.scale.text))
	}
	return got
}

// doubt adds a warning, once for each place and text: replicas share their tier's fields.
func (c *compiler) doubt(path, text string) {
	for _, p := range c.n.problems {
		if p.Path == path && p.Text == text {
			return
		}
	}
	c.n.warnf(path, "%s", text)
}

// settings scales the settings of a policy. Each client keeps what it has: a smaller system has
// fewer clients, not poorer ones.
func (c *compiler) settings(u use) any {
	if c.scale.by == 1 || u.edge >= 0 && u.scope == "client" {
		return u.Settings
	}
	c.roundedSettings(u)
	return u.kind.Scaled(u.Settings, c.scale.by)
}

func (c *compiler) roundedSettings(u use) {
	for _, r := range u.kind.Rounded(u.Settings, c.scale.by) {
		real := r.Want * c.scale.by
		if r.Got == r.Want {
			c.doubt(u.path+"."+r.Field, fmt.Sprintf("only %s are left of %s at %s: what each retry "+
				"costs is not divided, so it may allow none, or one where it allowed many",
				plain(r.Got), plain(real), c.scale.text))
			continue
		}
		if text := c.scale.doubtOf(real, r.Got, ""); text != "" && real > 0 {
			c.doubt(u.path+"."+r.Field, text)
		}
	}
}

// grown is a length of time that grows as the system shrinks: what each of fewer attempts adds.
func (s scaling) grown(t sim.Time) sim.Time {
	x := float64(float64(t) * s.by)
	if !(x < float64(sim.MaxTime)) {
		return sim.MaxTime
	}
	return sim.Time(math.Floor(x + 0.5))
}
