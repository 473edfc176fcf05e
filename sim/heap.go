package sim

// heap is a four-ary heap of entries, as plain as can be: the twin of the
// ladder, the rings and the heads, which must deliver what it delivers.
type heap []entry

func (h *heap) push(e entry) {
	*h = append(*h, e)
	h.up(len(*h) - 1)
}

// pop removes and returns the first entry of a heap that is not empty.
func (h *heap) pop() entry {
	e := (*h)[0]
	h.removeAt(0)
	return e
}

// remove takes e out and does nothing when it is not there. It looks at every
// entry: the twin may be slow where that keeps it obvious.
func (h *heap) remove(e entry) {
	for i := range *h {
		if (*h)[i] == e {
			h.removeAt(i)
			return
		}
	}
}

func (h *heap) removeAt(i int) {
	a := *h
	last := len(a) - 1
	a[i] = a[last]
	*h = a[:last]
	if i < last {
		h.up(i)
		h.down(i)
	}
}

func (h heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 4
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (h heap) down(i int) {
	for {
		least := i
		for c := 4*i + 1; c <= 4*i+4 && c < len(h); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// deliverPlain is deliver for the plain twin.
func (en *Engine) deliverPlain(end, last uint64, h Handler) bool {
	for {
		if len(en.heap) == 0 || en.heap[0].hi >= end {
			return true
		}
		ev := en.heap[0].event()
		if en.heap[0].timer() && !h.Live(ev) {
			en.heap.pop()
			continue
		}
		if en.events == last {
			return false
		}
		en.heap.pop()
		en.now = ev.At
		en.events++
		h.Handle(ev)
		if en.stopped {
			return false
		}
	}
}

// setPlain is Set for the plain twin. The heads serve it as a note of what each
// source had pending; an event that was delivered since is not found.
func (en *Engine) setPlain(i int32, e entry) {
	en.heap.remove(en.heads.of(i))
	en.heads.set(i, e)
	if e != idle {
		en.heap.push(e)
	}
}
