/* The ladder queue of package sim, written again in C: a sorted bottom, rungs of slots whose width
   is a power of two, an unsorted top, and bags of chunks for what is unsorted. */
#include <stdlib.h>

typedef struct { uint64_t at, key; } entry;

static inline int before(entry a, entry b) {
	return ((unsigned __int128)a.at << 64 | a.key) < ((unsigned __int128)b.at << 64 | b.key);
}

enum { SLOTS = 1024, SLOT_FILL = 8, SORT_MAX = 32, BOTTOM_MAX = 128, RUNGS = 16, CHUNK = 15 };
#define FOREVER UINT64_MAX

typedef struct { uint32_t next, n; uint64_t unused; entry e[CHUNK]; } chunk;
typedef struct { uint32_t head, n; } bag;
typedef struct {
	uint64_t start, end;
	unsigned shift;
	uint64_t used[SLOTS / 64];
	bag slots[SLOTS];
} rung;

static struct {
	entry *bottom;
	long n, room, total;
	uint64_t bottom_end, top_start, top_min, top_max;
	int depth;
	rung rungs[RUNGS];
	bag top;
	chunk *pool;
	uint32_t pool_n, pool_room, pool_free;
} l;

static void *grown(void *p, long n, size_t size) {
	p = realloc(p, (size_t)n * size);
	if (!p) abort();
	return p;
}

static void ladder_init(void) {
	l.room = 1024;
	l.bottom = grown(NULL, l.room, sizeof(entry));
	l.pool_room = 1024;
	l.pool = grown(NULL, l.pool_room, sizeof(chunk));
	l.pool_n = 1;
	l.top_min = FOREVER;
}

static inline void bag_add(bag *b, entry e) {
	if (b->n % CHUNK == 0) {
		uint32_t c = l.pool_free;
		if (c) {
			l.pool_free = l.pool[c].next;
		} else {
			if (l.pool_n == l.pool_room) l.pool = grown(l.pool, l.pool_room *= 2, sizeof(chunk));
			c = l.pool_n++;
		}
		l.pool[c].next = b->head;
		b->head = c;
	}
	l.pool[b->head].e[b->n++ % CHUNK] = e;
}

/* For each entry e of the bag b, which is empty afterwards. */
#define DRAIN(b, do) \
	while ((b).n) { \
		uint32_t c_ = (b).head, m_ = ((b).n - 1) % CHUNK + 1; \
		for (uint32_t i_ = 0; i_ < m_; i_++) { entry e = l.pool[c_].e[i_]; do; } \
		(b).n -= m_; \
		(b).head = l.pool[c_].next; \
		l.pool[c_].next = l.pool_free; \
		l.pool_free = c_; \
	}

static inline void rung_put(rung *r, entry e) {
	unsigned k = (unsigned)((e.at - r->start) >> r->shift) & (SLOTS - 1);
	bag_add(&r->slots[k], e);
	r->used[k >> 6] |= (uint64_t)1 << (k & 63);
}

static int bit_length(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

static rung *spawn(uint64_t lo, uint64_t end, long n) {
	rung *r = &l.rungs[l.depth++];
	long want = n / SLOT_FILL;
	want = want < 2 ? 2 : want > SLOTS ? SLOTS : want;
	int shift = bit_length(end - lo - 1) - bit_length((uint64_t)want - 1);
	r->start = lo;
	r->end = end;
	r->shift = shift < 0 ? 0 : (unsigned)shift;
	return r;
}

static void bottom_add(entry e) {
	if (l.n == l.room) l.bottom = grown(l.bottom, l.room *= 2, sizeof(entry));
	l.bottom[l.n++] = e;
}

static void bottom_insert(entry e) {
	bottom_add(e);
	long j = l.n - 1;
	for (; j > 0 && before(l.bottom[j - 1], e); j--) l.bottom[j] = l.bottom[j - 1];
	l.bottom[j] = e;
}

static void push(entry e) {
	l.total++;
	if (e.at >= l.top_start) {
		bag_add(&l.top, e);
		if (e.at < l.top_min) l.top_min = e.at;
		if (e.at > l.top_max) l.top_max = e.at;
		return;
	}
	if (e.at >= l.bottom_end) {
		int i = l.depth - 1;
		while (e.at >= l.rungs[i].end) i--;
		rung_put(&l.rungs[i], e);
		return;
	}
	bottom_insert(e);
	uint64_t lo = l.bottom[l.n - 1].at;
	if (l.n > BOTTOM_MAX && l.depth < RUNGS && l.bottom[0].at != lo) {
		rung *r = spawn(lo, l.bottom_end, l.n);
		for (long i = 0; i < l.n; i++) rung_put(r, l.bottom[i]);
		l.n = 0;
		l.bottom_end = lo;
	}
}

static int latest_first(const void *a, const void *b) {
	return before(*(const entry *)a, *(const entry *)b) ? 1 : -1;
}

/* Fills the empty bottom of a ladder that is not empty. */
static __attribute__((noinline)) void refill(void) {
	for (;;) {
		if (l.depth == 0) {
			bag b = l.top;
			rung *r = spawn(l.top_min, l.top_max + 1, b.n);
			l.top = (bag){0, 0};
			l.top_start = l.top_max + 1;
			l.top_min = FOREVER;
			l.top_max = 0;
			DRAIN(b, rung_put(r, e))
		}
		rung *r = &l.rungs[l.depth - 1];
		int w = 0;
		while (w < SLOTS / 64 && !r->used[w]) w++;
		if (w == SLOTS / 64) {
			l.depth--;
			continue;
		}
		int k = w * 64 + __builtin_ctzll(r->used[w]);
		r->used[w] &= r->used[w] - 1;
		bag b = r->slots[k];
		r->slots[k] = (bag){0, 0};
		uint64_t lo = r->start + ((uint64_t)k << r->shift), end = lo + ((uint64_t)1 << r->shift);
		if (end > r->end) end = r->end;
		l.bottom_end = end;
		if (b.n > SORT_MAX && r->shift > 0 && l.depth < RUNGS) {
			rung *deeper = spawn(lo, end, b.n);
			DRAIN(b, rung_put(deeper, e))
			continue;
		}
		if (b.n > 2 * SORT_MAX) {
			DRAIN(b, bottom_add(e))
			qsort(l.bottom, (size_t)l.n, sizeof(entry), latest_first);
		} else {
			DRAIN(b, bottom_insert(e))
		}
		return;
	}
}

/* The earliest entry of a ladder that is not empty. */
static inline entry first(void) {
	if (l.n == 0) refill();
	return l.bottom[l.n - 1];
}

static inline void pop(void) {
	l.n--;
	l.total--;
}
