package queue

// due is somebody's place in a line of discipline EDF.
type due struct {
	at  int64
	seq uint64
	id  uint32
}

func (d *due) before(e *due) bool { return d.at < e.at || d.at == e.at && d.seq < e.seq }

// PushDue is Push for a line of discipline EDF: who is due first is next, and who came first among
// those that are due at the same time. It takes a time that grows with the logarithm of Len.
func (q *Line) PushDue(l *Links, id uint32, at int64) bool {
	if q.Full() {
		return false
	}
	if q.discipline != EDF || id == 0 {
		panic("queue: only a line of discipline edf knows who is due, and id 0 cannot wait")
	}
	q.n++
	q.pushed++
	q.heap = append(q.heap, due{at, q.pushed, id})
	q.up(l, len(q.heap)-1)
	return true
}

// popDue is Pop for EDF.
func (q *Line) popDue(l *Links) uint32 {
	if q.n == 0 {
		return 0
	}
	id := q.heap[0].id
	q.removeAt(l, 0)
	return id
}

// removeDue is Remove for EDF. An id's link holds its index in the heap.
func (q *Line) removeDue(l *Links, id uint32) {
	i := int(l.at[id].ahead)
	if i >= len(q.heap) || q.heap[i].id != id {
		panic("queue: an id was removed from a line it does not wait in")
	}
	q.removeAt(l, i)
}

func (q *Line) removeAt(l *Links, i int) {
	q.n--
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i == last {
		return
	}
	q.heap[i] = moved
	q.down(l, i)
	q.up(l, int(l.at[moved.id].ahead))
}

func (q *Line) up(l *Links, i int) {
	x := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&q.heap[parent]) {
			break
		}
		q.put(l, i, q.heap[parent])
		i = parent
	}
	q.put(l, i, x)
}

func (q *Line) down(l *Links, i int) {
	x := q.heap[i]
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.heap[child+1].before(&q.heap[child]) {
			child++
		}
		if !q.heap[child].before(&x) {
			break
		}
		q.put(l, i, q.heap[child])
		i = child
	}
	q.put(l, i, x)
}

func (q *Line) put(l *Links, i int, x due) {
	q.heap[i] = x
	l.at[x.id] = link{ahead: uint32(i)}
}
