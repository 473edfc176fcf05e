package sim

import "fmt"

// Lane is a queue of events that are all due the same delay after they are
// scheduled, made by Engine.Lane or Engine.TimerLane.
type Lane int32

// Source is an arrival head: something that has at most one event to come,
// made by Engine.Source.
type Source int32

// class tells the heads apart.
type class uint8

const (
	sourceHead class = iota
	laneHead
	timerHead
)

// String names the constructor, for panics.
func (c class) String() string {
	return [...]string{"Source", "Lane", "TimerLane"}[c]
}

// head is an ordered source of events outside the event set, known to the
// others by its earliest event only.
type head struct {
	ring  ring // of a lane: its events, the standing one first
	delay Time // of a lane
	id    uint32
	kind  Kind
	class class
}

// heads orders the heads. The one with the earliest event, the leader, stands
// apart: most often it has the next event too, and then one comparison says so.
// The others are in a four-ary heap with the root at place 3, so that the
// children of place i are the four at 4i-8 and share a cache line. All of them
// are in it always, the ones without an event as idle; so are the places that
// pad the last four.
type heads struct {
	lead   entry // the leader's event
	leader int32 // -1 before there is any head
	key    []entry
	who    []int32 // the head at each place
	place  []int32 // and the place of each head, out of date for the leader
	all    []head
}

const headRoot = 3

func (hs *heads) init() {
	hs.lead, hs.leader = idle, -1
	hs.key = []entry{idle, idle, idle, idle}
	hs.who = []int32{-1, -1, -1, -1}
}

// add makes a head, idle at first.
func (hs *heads) add(hd head) int32 {
	i := int32(len(hs.all))
	hs.all = append(hs.all, hd)
	place := headRoot + len(hs.all) - 2
	hs.place = append(hs.place, int32(place))
	if hs.leader < 0 {
		hs.leader = i
		return i
	}
	for len(hs.key) <= place {
		hs.key = append(hs.key, idle, idle, idle, idle)
		hs.who = append(hs.who, -1, -1, -1, -1)
	}
	hs.who[place] = i
	return i
}

// of is the earliest event of head i, or idle.
func (hs *heads) of(i int32) entry {
	if i == hs.leader {
		return hs.lead
	}
	return hs.key[hs.place[i]]
}

// advance takes the first event of all away, which must be of a timer lane, and
// lets the next live one stand.
func (en *Engine) advance(h Handler) {
	r := &en.heads.all[en.heads.leader].ring
	if ahead := &en.set.ahead; ahead.fetcher != nil && r.len() > deep {
		r.skipLong(h, ahead)
	} else {
		r.skip(h)
	}
	en.heads.follow(r.first())
}

// follow gives the leader another earliest event.
func (hs *heads) follow(e entry) {
	if !hs.key[headRoot].before(e) {
		hs.lead = e
		return
	}
	hs.give(e)
}

// give makes the first of the heap the leader; the event of the present one is
// e from now on.
func (hs *heads) give(e entry) {
	i := hs.leader
	hs.lead, hs.leader = hs.key[headRoot], hs.who[headRoot]
	hs.down(headRoot, e, i)
}

// set gives head i another earliest event.
func (hs *heads) set(i int32, e entry) {
	if i == hs.leader {
		hs.follow(e)
		return
	}
	place := int(hs.place[i])
	if !e.before(hs.key[place]) {
		hs.down(place, e, i)
		return
	}
	hs.up(place, e, i)
	if hs.key[headRoot].before(hs.lead) {
		hs.give(hs.lead)
	}
}

func (hs *heads) put(place int, e entry, i int32) {
	hs.key[place] = e
	hs.who[place] = i
	hs.place[i] = int32(place)
}

func (hs *heads) up(place int, e entry, i int32) {
	for place > headRoot {
		parent := place>>2 + 2
		if !e.before(hs.key[parent]) {
			break
		}
		hs.put(place, hs.key[parent], hs.who[parent])
		place = parent
	}
	hs.put(place, e, i)
}

func (hs *heads) down(place int, e entry, i int32) {
	for {
		c := 4*place - 8
		if c >= len(hs.key) {
			break
		}
		four := hs.key[c : c+4 : c+4]
		// The least of four, without a branch that would be a coin toss.
		a := four[1].less(four[0])
		b := four[3].less(four[2]) + 2
		a ^= (a ^ b) & -four[b&3].less(four[a&3])
		if !four[a].before(e) {
			break
		}
		hs.put(place, four[a], hs.who[c+a])
		place = c + a
	}
	hs.put(place, e, i)
}

func (hs *heads) pending() int {
	n := 0
	for i := range hs.all {
		hd := &hs.all[i]
		n += hd.ring.len()
		if hd.class == sourceHead && hs.of(int32(i)) != idle {
			n++
		}
	}
	return n
}

// Source makes an arrival head whose events are of kind k and about id. It is
// not armed: Set gives it its first event.
func (en *Engine) Source(k Kind, id uint32) Source {
	en.check(k, id)
	return Source(en.heads.add(head{class: sourceHead, kind: k, id: id}))
}

// Set schedules the one event of s at t, instead of the one it had if any;
// Never takes it away. It counts as newly scheduled among events of instant t.
func (en *Engine) Set(s Source, t Time) {
	hd := &en.heads.all[s]
	if hd.class != sourceHead {
		panic(fmt.Sprintf("sim: Set called with a %v", hd.class))
	}
	e := idle
	if t != Never {
		e = en.stamp(t, hd.kind, hd.id, 0)
	}
	if en.plain {
		en.setPlain(int32(s), e)
		return
	}
	if en.firing == int32(s) {
		en.firing = -1
	}
	en.heads.set(int32(s), e)
}

// Lane is the queue for events that come delay (not negative) after they are
// scheduled: the same lane whenever the same delay is asked for.
func (en *Engine) Lane(delay Time) Lane { return en.lane(delay, laneHead) }

// TimerLane is the queue for timers of one delay, most of which are cancelled
// before they fire: the same lane whenever the same delay is asked for.
func (en *Engine) TimerLane(delay Time) Lane { return en.lane(delay, timerHead) }

func (en *Engine) lane(delay Time, c class) Lane {
	if delay < 0 || delay > MaxTime {
		panic(fmt.Sprintf("sim: %v with a delay of %d ns, which is not in [0, MaxTime]", c, delay))
	}
	for i := range en.heads.all {
		if hd := &en.heads.all[i]; hd.class == c && hd.delay == delay {
			return Lane(i)
		}
	}
	return Lane(en.heads.add(head{class: c, delay: delay}))
}

// After schedules an event at now plus the lane's delay. It is always
// delivered. It costs no operation on the event set.
func (en *Engine) After(l Lane, k Kind, id uint32) Key {
	hd := &en.heads.all[l]
	if hd.class != laneHead {
		panic(fmt.Sprintf("sim: After called with a %v", hd.class))
	}
	e := en.stamp(en.now+hd.delay, k, id, 0)
	if en.plain {
		en.heap.push(e)
		return Key(e.lo)
	}
	if hd.ring.full() {
		hd.ring.grow()
	}
	en.queue(hd, int32(l), e)
	return Key(e.lo)
}

// Arm schedules a timer at now plus the lane's delay. Only the earliest live
// timer of a lane costs anything while it waits; one that dies before it comes
// up is dropped on the way. The lane's memory follows the live timers.
func (en *Engine) Arm(l Lane, k Kind, id uint32) Key {
	hd := &en.heads.all[l]
	if hd.class != timerHead {
		panic(fmt.Sprintf("sim: Arm called with a %v", hd.class))
	}
	e := en.stamp(en.now+hd.delay, k, id, timerMark)
	if en.plain {
		en.heap.push(e)
		return Key(e.lo)
	}
	if hd.ring.full() {
		en.makeRoom(&hd.ring)
	}
	en.queue(hd, int32(l), e)
	return Key(e.lo)
}

// queue appends e to the lane's ring, which has room, and lets it stand among
// the heads if it is the first.
func (en *Engine) queue(hd *head, i int32, e entry) {
	first := hd.ring.head == hd.ring.tail
	hd.ring.push(e)
	if first {
		en.heads.set(i, e)
	}
}

// makeRoom drops the dead timers of a full ring and doubles it only when more
// than half are live. So a ring holds O(live) entries instead of the rate
// times the delay, and each push pays for at most two looks at a timer.
func (en *Engine) makeRoom(r *ring) {
	if en.running != nil && r.len() > 0 {
		r.compact(en.running)
		if r.len() <= len(r.buf)/2 {
			return
		}
	}
	r.grow()
}

// check refuses a kind or an id that no event can carry.
func (en *Engine) check(k Kind, id uint32) {
	if k>>kindBits != 0 || id>>idBits != 0 {
		en.unusual(en.now, k, id)
	}
}
