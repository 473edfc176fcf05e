package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// clock turns times as people write them into instants of the run. Times may name timeline
// entries, whose own times may name others; each is worked out when it is first asked for.
type clock struct {
	epoch    time.Time
	hasEpoch bool
	end      moment // of the run
	entries  map[string]*entryTimes
	names    []string          // of the entries, in order
	removed  map[string]string // names of entries that are gone, and who removed them
}

// moment is one time to work out.
type moment struct {
	node  *node // as written; nil: not given
	state state
	at    sim.Time
	err   error
}

type state uint8

const (
	unknown state = iota
	asked         // being worked out: who asks again goes in a circle
	known
)

// entryTimes are the times of a timeline entry.
type entryTimes struct {
	start, end moment
	length     *node // for, beside start
	stays      bool  // it has no end
	waits      bool  // it begins when a measure says so
}

// newClock reads what a clock needs from the scenario's nodes. What is misspelt there is reported
// when the scenario is decoded.
func newClock(scenario *node) *clock {
	k := &clock{entries: map[string]*entryTimes{}}
	if n := scenario.get("epoch"); n != nil {
		if t, err := parseDate(n.text); err == nil {
			k.epoch, k.hasEpoch = t, true
		}
	}
	k.end.node = scenario.get("until")
	if n := scenario.get("duration"); !n.absent() {
		k.end.state = known
		k.end.at, k.end.err = unit.ParseDuration(n.text)
	} else if k.end.node.absent() {
		k.end.state, k.end.err = known, fmt.Errorf("the run has no end: duration or until is missing")
	}
	timeline := scenario.get("timeline")
	if timeline == nil {
		return k
	}
	for _, item := range timeline.items {
		name := item.word("name")
		if name == "" || k.entries[name] != nil {
			continue
		}
		e := &entryTimes{length: item.get("for")}
		e.start.node, e.end.node = item.get("at"), item.get("until")
		if restart := item.get("restart"); restart != nil && e.length.absent() {
			e.length = restart.get("down")
		}
		e.stays = e.length.absent() && e.end.node.absent()
		if e.waits = !item.get("when").absent(); e.waits {
			e.start.state = known
			e.start.err = fmt.Errorf("%s begins when its condition is met, and nobody knows that "+
				"time before the run", name)
		}
		k.entries[name] = e
		k.names = append(k.names, name)
	}
	return k
}

// runEnd is the length of the run.
func (k *clock) runEnd() (sim.Time, error) {
	return k.resolve(&k.end, "the end of the run", func(n *node) (sim.Time, error) {
		return k.time(n.text)
	})
}

// resolve works a moment out once.
func (k *clock) resolve(m *moment, what string, read func(*node) (sim.Time, error),
) (sim.Time, error) {
	switch m.state {
	case asked:
		return 0, fmt.Errorf("times go in a circle through %s", what)
	case unknown:
		m.state = asked
		if m.node.absent() {
			m.err = fmt.Errorf("%s is not given", what)
		} else {
			m.at, m.err = read(m.node)
		}
		m.state = known
	}
	return m.at, m.err
}

// startOf is when a named entry begins.
func (k *clock) startOf(name string) (sim.Time, error) {
	e := k.entries[name]
	return k.resolve(&e.start, "the start of "+name, func(n *node) (sim.Time, error) {
		return k.time(n.text)
	})
}

// endOf is when a named entry ends.
func (k *clock) endOf(name string) (sim.Time, error) {
	e := k.entries[name]
	if e.stays {
		return 0, fmt.Errorf("%s has no end: give it for or until", name)
	}
	if e.length.absent() {
		return k.resolve(&e.end, "the end of "+name, func(n *node) (sim.Time, error) {
			return k.time(n.text)
		})
	}
	start, err := k.startOf(name)
	if err != nil {
		return 0, err
	}
	length, err := unit.ParseDuration(e.length.text)
	if err != nil || length == sim.Never {
		return 0, fmt.Errorf("%s has no length", name)
	}
	return start + length, nil
}

// time works out a time: 2m, end, 13:28, a date, NAME or NAME.end, and either + or - a duration.
func (k *clock) time(text string) (sim.Time, error) {
	for _, op := range []string{" + ", " - "} {
		head, tail, ok := strings.Cut(text, op)
		if !ok {
			continue
		}
		base, err := k.instant(strings.TrimSpace(head))
		if err != nil {
			return 0, err
		}
		by, err := unit.ParseDuration(strings.TrimSpace(tail))
		if err != nil {
			return 0, err
		}
		if by == sim.Never {
			return 0, fmt.Errorf("nothing can be added to none")
		}
		if op == " - " {
			by = -by
		}
		return base + by, nil
	}
	return k.instant(strings.TrimSpace(text))
}

// following is the entry that a time counts from which nobody knows before the run, and how long
// after its start it is. Not ok: the time is of another kind.
func (k *clock) following(text string) (name string, delay sim.Time, ok bool, err error) {
	head, tail, sum := strings.Cut(text, " + ")
	name, isEnd := strings.CutSuffix(strings.TrimSpace(head), ".end")
	if !k.unknowable(name) {
		return "", 0, false, nil
	}
	if sum {
		if delay, err = unit.ParseDuration(strings.TrimSpace(tail)); err != nil {
			return "", 0, false, err
		}
	}
	if isEnd {
		length := k.entries[name].length
		if length.absent() {
			return "", 0, false, fmt.Errorf("%s has no length: give it for", name)
		}
		more, err := unit.ParseDuration(length.text)
		if err != nil || more == sim.Never {
			return "", 0, false, fmt.Errorf("%s has no length", name)
		}
		delay += more
	}
	return name, delay, true, nil
}

// unknowable tells whether an entry waits for a measure, or follows one that does.
func (k *clock) unknowable(name string) bool {
	for range k.entries {
		e := k.entries[name]
		if e == nil || e.waits {
			return e != nil
		}
		if e.start.node.absent() {
			return false
		}
		head, _, _ := strings.Cut(e.start.node.text, " + ")
		name, _ = strings.CutSuffix(strings.TrimSpace(head), ".end")
	}
	return false
}

// instant is a time without a sum. A name that looks like a duration is a duration.
func (k *clock) instant(text string) (sim.Time, error) {
	if text == "end" {
		return k.runEnd()
	}
	if t, err := unit.ParseDuration(text); err == nil && t != sim.Never {
		return t, nil
	}
	if h, m, s, ok := clockTime(text); ok {
		return k.next(h, m, s)
	}
	if t, err := parseDate(text); err == nil {
		if !k.hasEpoch {
			return 0, fmt.Errorf("%q is a date: it needs epoch, the date of second 0", text)
		}
		return sim.Time(t.Sub(k.epoch)), nil
	}
	name, isEnd := strings.CutSuffix(text, ".end")
	if k.entries[name] == nil {
		return 0, k.noTime(text, name)
	}
	if isEnd {
		return k.endOf(name)
	}
	return k.startOf(name)
}

// timeError carries a hint.
type timeError struct{ text, hint string }

func (e *timeError) Error() string { return e.text }

func (k *clock) noTime(text, name string) error {
	if text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '-' || text[0] == '+') {
		if _, err := unit.ParseDuration(text); err != nil && nearest(name, k.names) == "" {
			return err
		}
	}
	if by, gone := k.removed[name]; gone {
		return fmt.Errorf("%q is no time any more: %s removed %s from the timeline", text, by, name)
	}
	hint := nearest(name, k.names)
	for _, known := range k.names {
		if rest, ok := strings.CutPrefix(text, known); ok && strings.ContainsAny(rest, "+-") {
			hint = "a sum needs blanks around its sign: " + known + " + 6m"
		}
	}
	return &timeError{fmt.Sprintf("%q is no time: neither a duration, a clock time nor the name "+
		"of a timeline entry", text), hint}
}

// clockTime reads 13:28 or 13:28:30.
func clockTime(text string) (h, m, s int, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return 0, 0, 0, false
	}
	var x [3]int
	for i, part := range parts {
		v, err := strconv.Atoi(part)
		if err != nil || len(part) > 2 || part[0] == '+' || part[0] == '-' ||
			(i > 0 && (len(part) != 2 || v > 59)) || v > 23 && i == 0 {
			return 0, 0, 0, false
		}
		x[i] = v
	}
	return x[0], x[1], x[2], true
}

// next is the first such time of day at or after the epoch.
func (k *clock) next(h, m, s int) (sim.Time, error) {
	if !k.hasEpoch {
		return 0, fmt.Errorf("%d:%02d is a time of day: it needs epoch, the date and time of second 0",
			h, m)
	}
	e := k.epoch
	t := time.Date(e.Year(), e.Month(), e.Day(), h, m, s, 0, time.UTC)
	if t.Before(e) {
		t = t.AddDate(0, 0, 1)
	}
	return sim.Time(t.Sub(e)), nil
}

// isAbsolute reports whether a time is one of the day or of a date, not a length.
func isAbsolute(text string) bool {
	_, err := unit.ParseDuration(text)
	return err != nil
}
