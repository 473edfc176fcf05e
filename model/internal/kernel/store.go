package kernel

import "cascadesim/sim"

// keyStore is what a cache holds: keys and when each expires. Over its capacity the one that was
// used least recently goes. It is a hash table by open addressing into a list of entries; an entry
// that is gone is used again, so that a full store allocates nothing.
type keyStore struct {
	cells    []int32 // place in entries plus 1; 0: free. Their number is a power of two
	entries  []kept
	free     int32 // first entry that is not in use, by next; -1: none
	newest   int32 // in the order of use; -1: none
	oldest   int32
	n        int
	capacity int // < 0: unlimited
	flights  map[uint32]*flight
}

// kept is an answer in a cache.
type kept struct {
	key         uint32
	status      int16 // of a failure that is kept; 0: a good answer
	newer, next int32 // next: the one used before it, or the next free one
	expires     sim.Time
}

func (s *keyStore) init(capacity int) {
	*s = keyStore{free: -1, newest: -1, oldest: -1, capacity: capacity, cells: make([]int32, 16)}
}

// home is where the search for a key begins.
func (s *keyStore) home(key uint32) uint32 {
	return uint32(uint64(key)*0x9e3779b97f4a7c15>>32) & uint32(len(s.cells)-1)
}

// find is the cell of a key, or the free cell where it would be.
func (s *keyStore) find(key uint32) uint32 {
	i := s.home(key)
	for s.cells[i] != 0 && s.entries[s.cells[i]-1].key != key {
		i = (i + 1) & uint32(len(s.cells)-1)
	}
	return i
}

// get is the entry of a key; nil: there is none.
func (s *keyStore) get(key uint32) *kept {
	if c := s.cells[s.find(key)]; c != 0 {
		return &s.entries[c-1]
	}
	return nil
}

// use makes an entry the newest.
func (s *keyStore) use(k *kept) {
	i := s.cells[s.find(k.key)] - 1
	s.unlink(i)
	s.link(i)
}

func (s *keyStore) link(i int32) {
	k := &s.entries[i]
	k.newer, k.next = -1, s.newest
	if s.newest >= 0 {
		s.entries[s.newest].newer = i
	} else {
		s.oldest = i
	}
	s.newest = i
}

func (s *keyStore) unlink(i int32) {
	k := &s.entries[i]
	if k.newer >= 0 {
		s.entries[k.newer].next = k.next
	} else {
		s.newest = k.next
	}
	if k.next >= 0 {
		s.entries[k.next].newer = k.newer
	} else {
		s.oldest = k.newer
	}
}

// put keeps an answer, as the newest.
func (s *keyStore) put(key uint32, status int16, expires sim.Time) {
	if s.capacity == 0 {
		return
	}
	if k := s.get(key); k != nil {
		k.status, k.expires = status, expires
		s.use(k)
		return
	}
	if s.capacity > 0 && s.n >= s.capacity {
		s.drop(s.entries[s.oldest].key)
	}
	i := s.free
	if i >= 0 {
		s.free = s.entries[i].next
	} else {
		i = int32(len(s.entries))
		s.entries = append(s.entries, kept{})
	}
	s.entries[i] = kept{key: key, status: status, expires: expires}
	s.link(i)
	s.cells[s.find(key)] = i + 1
	if s.n++; 2*s.n > len(s.cells) {
		s.grow()
	}
}

// drop forgets a key that is there. The cells after it move up, so that none is hidden by the gap.
func (s *keyStore) drop(key uint32) {
	gap := s.find(key)
	i := s.cells[gap] - 1
	s.unlink(i)
	s.entries[i].next, s.free = s.free, i
	s.n--
	mask := uint32(len(s.cells) - 1)
	for at := gap; ; {
		at = (at + 1) & mask
		if s.cells[at] == 0 {
			break
		}
		if home := s.home(s.entries[s.cells[at]-1].key); (at-home)&mask >= (at-gap)&mask {
			s.cells[gap] = s.cells[at]
			gap = at
		}
	}
	s.cells[gap] = 0
}

// grow doubles the table.
func (s *keyStore) grow() {
	s.cells = make([]int32, 2*len(s.cells))
	for i := s.newest; i >= 0; i = s.entries[i].next {
		s.cells[s.find(s.entries[i].key)] = i + 1
	}
}

// clear forgets everything.
func (s *keyStore) clear() {
	flights := s.flights
	s.init(s.capacity)
	s.flights = flights
}
