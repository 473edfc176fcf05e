package queue

import "math/bits"

// Levels is the number of priority levels: 0, the lowest, to Levels-1.
const Levels = 8

// link is the neighbours of one waiting id, towards the front and the back.
type link struct{ ahead, behind uint32 }

// Links holds the places of everything that can wait, by id; 0 names nothing.
// All lines of a replication share one. The zero value is ready for use once
// Grow has made room.
type Links struct{ at []link }

// Grow makes room for ids up to and including id.
func (l *Links) Grow(id uint32) {
	need := int(id) + 1
	if need <= len(l.at) {
		return
	}
	if need <= cap(l.at) {
		l.at = l.at[:need]
		return
	}
	at := make([]link, need, max(need, 2*cap(l.at)))
	copy(at, l.at)
	l.at = at
}

// Discipline says who is next in a line.
type Discipline uint8

// The disciplines.
const (
	FIFO       Discipline = iota // the one that waits longest
	LIFO                         // the one that came last
	Priority                     // the highest level, and FIFO within a level
	Adaptive                     // LIFO while more than SwitchAbove wait, else FIFO
	DropOldest                   // FIFO; when full, Displace makes room of who waits longest
	EDF                          // what is due first (PushDue); FIFO among equals
	CoDel                        // FIFO; whoever takes from it turns some away by their waits
	PS                           // processor sharing: nobody waits, the station's owner shares
)

var names = [...]string{
	FIFO: "fifo", LIFO: "lifo", Priority: "priority", Adaptive: "adaptive_lifo",
	DropOldest: "drop_oldest",
	EDF:        "edf",
	CoDel:      "codel",
	PS:         "ps",
}

// String is the discipline's name in scenario files.
func (d Discipline) String() string { return names[d] }

// Names are those of all disciplines.
func Names() []string { return names[:] }

// ParseDiscipline is the inverse of String; false for a name that is none.
func ParseDiscipline(name string) (Discipline, bool) {
	for d, n := range names {
		if n == name {
			return Discipline(d), true
		}
	}
	return 0, false
}

// Line is a waiting line. It must be given a discipline and a limit by Init.
type Line struct {
	front, back [Levels]uint32 // only level 0 unless the discipline is Priority
	used        uint8          // bit i: somebody waits at level i
	discipline  Discipline
	heap        []due  // EDF
	pushed      uint64 // EDF: how many have ever joined
	n, limit    int
	above       int // Adaptive: how many may wait before it serves the newest first
}

// Init empties the line and sets what kind it is. A negative limit is none; 0
// lets nobody wait.
func (q *Line) Init(d Discipline, limit int) {
	*q = Line{discipline: d, limit: limit}
}

// Len is the number of ids that wait.
func (q *Line) Len() int { return q.n }

// Limit is the most ids that may wait, negative for no limit.
func (q *Line) Limit() int { return q.limit }

// SetLimit changes the limit. One below Len refuses arrivals until enough have
// left; it sends nobody away.
func (q *Line) SetLimit(n int) { q.limit = n }

// SwitchAbove says how many may wait in an Adaptive line while it is FIFO. With one more the newest
// are served first, until no more than n wait; 0 makes it LIFO. Facebook's HHVM calls it
// ServerThreadJobLIFOSwitchThreshold.
func (q *Line) SwitchAbove(n int) { q.above = n }

// Full tells whether Push would refuse.
func (q *Line) Full() bool { return q.limit >= 0 && q.n >= q.limit }

// level is where an id waits: only Priority tells levels apart.
func (q *Line) level(asked uint8) uint8 {
	if q.discipline != Priority {
		return 0
	}
	if asked >= Levels {
		panic("queue: a priority level is not below 8")
	}
	return asked
}

// Push lets id, which must not be 0 nor wait anywhere, join the line at a
// level below Levels (ignored unless the discipline is Priority). It returns
// false, and does nothing, when the line is full. For EDF there is PushDue.
func (q *Line) Push(l *Links, id uint32, level uint8) bool {
	if q.Full() {
		return false
	}
	if id == 0 || q.discipline == EDF {
		panic("queue: id 0 cannot wait, and in a line of discipline edf only who says when it is due")
	}
	level = q.level(level)
	q.n++
	if q.used&(1<<level) == 0 {
		q.used |= 1 << level
		q.front[level], q.back[level] = id, id
		l.at[id] = link{}
		return true
	}
	if q.discipline == LIFO {
		first := q.front[level]
		l.at[id] = link{behind: first}
		l.at[first].ahead = id
		q.front[level] = id
		return true
	}
	last := q.back[level]
	l.at[id] = link{ahead: last}
	l.at[last].behind = id
	q.back[level] = id
	return true
}

// First is who waits longest, in a line without levels; 0 when nobody waits.
func (q *Line) First() uint32 { return q.front[0] }

// Pop takes the next id out of the line; 0 when nobody waits.
func (q *Line) Pop(l *Links) uint32 {
	if q.discipline == EDF {
		return q.popDue(l)
	}
	if q.used == 0 {
		return 0
	}
	level := uint8(bits.Len8(q.used)-1) & (Levels - 1)
	if q.discipline == Adaptive && q.n > q.above {
		id := q.back[0]
		q.Remove(l, id, 0)
		return id
	}
	id := q.front[level]
	q.n--
	behind := l.at[id].behind
	q.front[level] = behind
	if behind == 0 {
		q.back[level] = 0
		q.used &^= 1 << level
		return id
	}
	l.at[behind].ahead = 0
	return id
}

// Displace lets id join a full line in the place of the one that waits longest, which it returns;
// 0, and id has not joined, when nobody waits. It is for lines without levels.
func (q *Line) Displace(l *Links, id uint32) uint32 {
	oldest := q.front[0]
	if oldest == 0 {
		return 0
	}
	q.Remove(l, oldest, 0)
	limit := q.limit
	q.limit = -1 // as many wait as before
	q.Push(l, id, 0)
	q.limit = limit
	return oldest
}

// Remove takes id out of the line, in which it must wait at this level.
func (q *Line) Remove(l *Links, id uint32, level uint8) {
	if q.discipline == EDF {
		q.removeDue(l, id)
		return
	}
	level = q.level(level)
	at := l.at[id]
	if at.ahead == 0 && q.front[level] != id || at.behind == 0 && q.back[level] != id {
		panic("queue: an id was removed from a line it does not wait in")
	}
	q.n--
	if at.ahead == 0 {
		q.front[level] = at.behind
	} else {
		l.at[at.ahead].behind = at.behind
	}
	if at.behind == 0 {
		q.back[level] = at.ahead
	} else {
		l.at[at.behind].ahead = at.ahead
	}
	if q.front[level] == 0 {
		q.used &^= 1 << level
	}
}
