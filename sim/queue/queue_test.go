package queue

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// waiter is what the plain list knows about one id.
type waiter struct {
	id    uint32
	level uint8
	due   int64
}

// list is a waiting line written for the eye: arrivals in order.
type list struct {
	discipline Discipline
	limit      int
	above      int
	in         []waiter
}

func (q *list) push(w waiter) bool {
	if q.limit >= 0 && len(q.in) >= q.limit {
		return false
	}
	q.in = append(q.in, w)
	return true
}

// next is the index of who is to be served first.
func (q *list) next() int {
	best := 0
	for i, w := range q.in {
		switch {
		case q.discipline == LIFO, q.discipline == Adaptive && len(q.in) > q.above:
			best = i
		case q.discipline == EDF && w.due < q.in[best].due:
			best = i
		case q.discipline == Priority && w.level > q.in[best].level:
			best = i
		}
	}
	return best
}

// world is three lines that share one Links, each beside its list.
type world struct {
	links Links
	lines [3]Line
	lists [3]list
	newID uint32
	done  map[string]int // how often each operation did something
}

func (w *world) pick(t *rapid.T) (*Line, *list) {
	i := rapid.IntRange(0, 2).Draw(t, "line")
	return &w.lines[i], &w.lists[i]
}

func (w *world) push(t *rapid.T) {
	q, l := w.pick(t)
	level := uint8(rapid.IntRange(0, Levels-1).Draw(t, "level"))
	w.newID++
	w.links.Grow(w.newID)
	x := waiter{w.newID, level, int64(rapid.IntRange(0, 4).Draw(t, "due"))}
	want := l.push(x)
	var got bool
	if l.discipline == EDF {
		got = q.PushDue(&w.links, x.id, x.due)
	} else {
		got = q.Push(&w.links, x.id, level)
	}
	if got != want {
		t.Fatalf("Push into %d of %d: %v, want %v", len(l.in), l.limit, got, want)
	}
	w.done["push"]++
	if !want {
		w.done["refuse"]++
	}
}

// displace pushes into a line that is full and drops its oldest.
func (w *world) displace(t *rapid.T) {
	q, l := w.pick(t)
	if l.discipline != DropOldest || l.limit < 0 || len(l.in) < l.limit {
		return
	}
	w.newID++
	w.links.Grow(w.newID)
	want := uint32(0)
	if len(l.in) > 0 {
		want = l.in[0].id
		l.in = append(slices.Delete(l.in, 0, 1), waiter{id: w.newID})
		w.done["displace"]++
	}
	if got := q.Displace(&w.links, w.newID); got != want {
		t.Fatalf("Displace sent %d away, want %d", got, want)
	}
}

func (w *world) pop(t *rapid.T) {
	q, l := w.pick(t)
	want := uint32(0)
	if len(l.in) > 0 {
		i := l.next()
		want = l.in[i].id
		l.in = slices.Delete(l.in, i, i+1)
		w.done["pop"]++
	} else {
		w.done["pop nothing"]++
	}
	if got := q.Pop(&w.links); got != want {
		t.Fatalf("Pop gave %d, want %d; left %v", got, want, l.in)
	}
}

func (w *world) remove(t *rapid.T) {
	q, l := w.pick(t)
	if len(l.in) == 0 {
		return // nobody waits
	}
	i := rapid.IntRange(0, len(l.in)-1).Draw(t, "who")
	q.Remove(&w.links, l.in[i].id, l.in[i].level)
	l.in = slices.Delete(l.in, i, i+1)
	w.done["remove"]++
}

func (w *world) relimit(t *rapid.T) {
	q, l := w.pick(t)
	l.limit = rapid.IntRange(-1, 6).Draw(t, "limit")
	q.SetLimit(l.limit)
	if l.limit >= 0 && l.limit < len(l.in) {
		w.done["cut below"]++
	}
}

func (w *world) check(t *rapid.T) {
	for i := range w.lines {
		q, l := &w.lines[i], &w.lists[i]
		full := l.limit >= 0 && len(l.in) >= l.limit
		if q.Len() != len(l.in) || q.Limit() != l.limit || q.Full() != full {
			t.Fatalf("line %d: %d of %d, full %v; want %d of %d",
				i, q.Len(), q.Limit(), q.Full(), len(l.in), l.limit)
		}
	}
}

func TestLinesServeAsThePlainListDoes(t *testing.T) {
	done := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := &world{done: done}
		for i := range w.lines {
			d := Discipline(rapid.IntRange(0, int(CoDel)).Draw(t, "discipline"))
			limit := rapid.IntRange(-1, 12).Draw(t, "limit")
			above := rapid.IntRange(0, 4).Draw(t, "above")
			if i == 2 { // with chance alone it is seldom that somebody is displaced
				d, limit = DropOldest, min(limit, 3)
			}
			w.lines[i].Init(d, limit)
			w.lines[i].SwitchAbove(above)
			w.lists[i] = list{discipline: d, limit: limit, above: above}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": w.push, "push more": w.push, "pop": w.pop, "remove": w.remove,
			"limit": w.relimit, "displace": w.displace, "": w.check,
		})
	})
	for _, what := range []string{
		"push", "refuse", "pop", "pop nothing", "remove", "cut below", "displace",
	} {
		if done[what] == 0 {
			t.Errorf("the test never did %q", what)
		}
	}
}

func TestPriorityIsFirstComeWithinALevel(t *testing.T) {
	var links Links
	links.Grow(9)
	var q Line
	q.Init(Priority, -1)
	for id, level := range []uint8{1: 3, 2: 7, 3: 0, 4: 3, 5: 7} {
		if id > 0 {
			q.Push(&links, uint32(id), level)
		}
	}
	var got []uint32
	for id := q.Pop(&links); id != 0; id = q.Pop(&links) {
		got = append(got, id)
	}
	if want := []uint32{2, 5, 1, 4, 3}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
}

func TestAnAdaptiveLineServesTheNewestWhileItIsLong(t *testing.T) {
	var links Links
	links.Grow(9)
	var q Line
	q.Init(Adaptive, -1)
	q.SwitchAbove(2)
	for id := uint32(1); id <= 5; id++ {
		q.Push(&links, id, 7)
	}
	var got []uint32
	for id := q.Pop(&links); id != 0; id = q.Pop(&links) {
		got = append(got, id)
	}
	if want := []uint32{5, 4, 3, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
}

func TestDisciplinesHaveNames(t *testing.T) {
	for _, d := range []Discipline{FIFO, LIFO, Priority, Adaptive, DropOldest, EDF, CoDel, PS} {
		if got, ok := ParseDiscipline(d.String()); !ok || got != d {
			t.Errorf("ParseDiscipline(%q) = %v, %v", d.String(), got, ok)
		}
	}
	for _, name := range []string{"", "FIFO", "random"} {
		if d, ok := ParseDiscipline(name); ok {
			t.Errorf("ParseDiscipline(%q) = %v, want none", name, d)
		}
	}
}

func TestMisuseIsRefused(t *testing.T) {
	cases := map[string]func(q *Line, l *Links){
		"knows who is due": func(q *Line, l *Links) { q.PushDue(l, 3, 8) },
		"id 0":             func(q *Line, l *Links) { q.Push(l, 0, 0) },
		"below 8":          func(q *Line, l *Links) { q.Push(l, 3, 8) },
		"not wait in":      func(q *Line, l *Links) { q.Remove(l, 3, 0) },
	}
	for want, do := range cases {
		t.Run(want, func(t *testing.T) {
			var links Links
			links.Grow(3)
			var q Line
			q.Init(Priority, -1)
			q.Push(&links, 1, 0)
			q.Push(&links, 2, 0)
			defer func() {
				said, _ := recover().(string)
				if !strings.HasPrefix(said, "queue: ") || !strings.Contains(said, want) {
					t.Errorf("panic %q, want one with %q", said, want)
				}
			}()
			do(&q, &links)
		})
	}
}

func TestWaitingAllocatesNothing(t *testing.T) {
	var links Links
	links.Grow(1000)
	var q Line
	q.Init(Priority, -1)
	got := testing.AllocsPerRun(10, func() {
		for id := uint32(1); id <= 1000; id++ {
			links.Grow(id)
			q.Push(&links, id, uint8(id%Levels))
		}
		q.Remove(&links, 500, 500%Levels)
		for q.Pop(&links) != 0 {
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}
