package policies

// gobreakerCounts are what gobreaker counts, in its whole window or in one bucket of it.
type gobreakerCounts struct {
	requests, successes, failures, exclusions uint32
	successRow, failureRow                    uint32 // without one of the other kind in between
}

// valid is how many requests count against max_requests.
func (c *gobreakerCounts) valid() uint32 { return less(c.requests, c.exclusions) }

func (c *gobreakerCounts) succeed() {
	c.successes++
	c.successRow++
	c.failureRow = 0
}

func (c *gobreakerCounts) fail() {
	c.failures++
	c.failureRow++
	c.successRow = 0
}

// gobreakerWindow is the sum over a ring of buckets, of which age is the number of the newest since
// the generation began. Without buckets all is in the sum.
type gobreakerWindow struct {
	all     gobreakerCounts
	age     int64
	buckets []gobreakerCounts
}

// at is the bucket of an age; nil when it has left the window, or without buckets. ok tells whether
// the age still counts.
func (w *gobreakerWindow) at(age int64) (bucket *gobreakerCounts, ok bool) {
	n := int64(len(w.buckets))
	if n == 0 {
		return nil, true
	}
	if age > w.age || w.age-age >= n {
		return nil, false
	}
	return &w.buckets[age%n], true
}

func (w *gobreakerWindow) request() {
	w.all.requests++
	if b, _ := w.at(w.age); b != nil {
		b.requests++
	}
}

func (w *gobreakerWindow) succeed(age int64) {
	b, ok := w.at(age)
	if ok {
		w.all.succeed()
	}
	if b != nil {
		b.succeed()
	}
}

func (w *gobreakerWindow) fail(age int64) {
	b, ok := w.at(age)
	if ok {
		w.all.fail()
	}
	if b != nil {
		b.fail()
	}
}

func (w *gobreakerWindow) exclude(age int64) {
	b, ok := w.at(age)
	if ok {
		w.all.exclusions++
	}
	if b != nil {
		b.exclusions++
	}
}

func (w *gobreakerWindow) clear() {
	w.all, w.age = gobreakerCounts{}, 0
	clear(w.buckets)
}

// grow moves on to the bucket of an age.
func (w *gobreakerWindow) grow(age int64) {
	if age-w.age >= int64(len(w.buckets)) {
		w.clear()
		w.age = age
	}
	for w.age < age {
		w.age++
		oldest := &w.buckets[w.age%int64(len(w.buckets))]
		w.drop(oldest)
		*oldest = gobreakerCounts{}
	}
}

// drop takes the oldest bucket out of the sum. A row shrinks by what the bucket ended with only if
// it reaches back that far: if nothing of the other kind lies in the buckets since, which shows in
// the row being as long as all of its kind since.
func (w *gobreakerWindow) drop(oldest *gobreakerCounts) {
	successes, failures := oldest.successRow, oldest.failureRow
	for i := range w.buckets {
		if b := &w.buckets[i]; b != oldest {
			successes += b.successes
			failures += b.failures
		}
	}
	if w.all.successRow == successes {
		w.all.successRow = less(w.all.successRow, oldest.successRow)
	}
	if w.all.failureRow == failures {
		w.all.failureRow = less(w.all.failureRow, oldest.failureRow)
	}
	w.all.requests = less(w.all.requests, oldest.requests)
	w.all.successes = less(w.all.successes, oldest.successes)
	w.all.failures = less(w.all.failures, oldest.failures)
	w.all.exclusions = less(w.all.exclusions, oldest.exclusions)
}

// less is x - y, but never below 0.
func less(x, y uint32) uint32 { return x - min(x, y) }
