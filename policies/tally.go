package policies

// tally counts two kinds of events over a sliding window that is cut into slots of equal width. It
// keeps a cell only for a slot in which something happened:
//
//	slot    907        911 912             930      now
//	cells  [a  b] ... [a  b][a  b] ...... [a  b]
//	        first                          last
//
// A client that sends once a minute so costs a few cells, and a busy one as many as the window has
// slots. The ring grows by doubling until it holds them all, and from then on allocates nothing.
type tally struct {
	cells  []cell // a ring; its length is a power of two
	first  uint32
	used   uint32
	earned int64 // sums over the cells
	spent  int64
}

type cell struct {
	slot          int64
	earned, spent uint32
}

// roll forgets what is too old at slot now: earnings of slots up to now-keep, and spendings of
// slots up to now-keep-grace. The grace is 0 or 1, so at most one cell is in between.
func (t *tally) roll(now, keep, grace int64) {
	for t.used > 0 {
		c := &t.cells[t.first]
		age := now - c.slot
		if age < keep {
			return
		}
		t.earned -= int64(c.earned)
		c.earned = 0
		if age < keep+grace {
			return
		}
		t.spent -= int64(c.spent)
		t.first = (t.first + 1) & uint32(len(t.cells)-1)
		t.used--
	}
}

func (t *tally) earn(now int64) {
	t.at(now).earned++
	t.earned++
}

func (t *tally) spend(now int64) {
	t.at(now).spent++
	t.spent++
}

// at is the cell of slot now, which is the last one or a new one behind it.
func (t *tally) at(now int64) *cell {
	if t.used > 0 {
		if c := t.nth(t.used - 1); c.slot == now {
			return c
		}
	}
	if int(t.used) == len(t.cells) {
		t.grow()
	}
	t.used++
	c := t.nth(t.used - 1)
	*c = cell{slot: now}
	return c
}

func (t *tally) nth(i uint32) *cell { return &t.cells[(t.first+i)&uint32(len(t.cells)-1)] }

func (t *tally) grow() {
	cells := make([]cell, max(4, 2*len(t.cells)))
	for i := range t.used {
		cells[i] = *t.nth(i)
	}
	t.cells, t.first = cells, 0
}
