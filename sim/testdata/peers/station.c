/* station REQUESTS STATIONS: the workload of package sim's benchmark Station, with the same design
   and the same draws: requests in one Poisson stream, each for a random single server that is busy
   90 % of the time; an attempt is given up after 30 ms and repeated at most twice. The first
   arrival head, the ring of timeouts and the ladder are merged by one key. Prints the processor
   time of a request in nanoseconds, events, attempts, answered, failed, and the trace. */
#include <stdio.h>
#include "chance.h"
#include "ladder.h"

enum { ARRIVAL, FINISH, TIMEOUT, RETRY };
enum { QUEUED, SERVED, ABANDONED, WAITING };
#define PATIENCE 30000000u

typedef struct {
	uint64_t start, timer; /* key of the timer that is armed; 0: none */
	uint32_t next, station;
	uint8_t tries, state;
} attempt;
typedef struct { uint32_t serving, first, last; } station;

static attempt *slab;
static uint32_t slab_n = 1, slab_room = 1 << 20, unused;
static station *stations;
static entry *ring, arrival;
static uint64_t head, tail, ring_room = 1024;
static uint64_t now, seq, events, attempts, answered, failed, trace;
static stream arrivals, service, backoff, route;

static inline uint64_t stamp(unsigned kind, uint32_t id) { return ++seq << 36 | (uint64_t)kind << 30 | id; }

static uint32_t take(void) {
	uint32_t id = unused;
	if (id) {
		unused = slab[id].next;
		return id;
	}
	if (slab_n == slab_room) slab = grown(slab, slab_room *= 2, sizeof *slab);
	return slab_n++;
}

static void release(uint32_t id) {
	slab[id].next = unused;
	slab[id].timer = 0;
	unused = id;
}

static inline int live(entry e) { return slab[e.key & 0x3fffffff].timer == e.key; }

static void ring_grow(void) {
	uint64_t kept = head;
	for (uint64_t i = head; i != tail; i++) {
		entry e = ring[i & (ring_room - 1)];
		if (i == head || live(e)) ring[kept++ & (ring_room - 1)] = e;
	}
	tail = kept;
	if (tail - head <= ring_room / 2) return;
	entry *wider = grown(NULL, (long)ring_room * 2, sizeof *ring);
	for (uint64_t i = head; i != tail; i++) wider[i & (2 * ring_room - 1)] = ring[i & (ring_room - 1)];
	free(ring);
	ring = wider;
	ring_room *= 2;
}

static void serve(station *s, uint32_t id) {
	s->serving = id;
	slab[id].state = SERVED;
	uint64_t at = now + 1 + (uint64_t)(exponential(&service) * 1e6);
	push((entry){at, stamp(FINISH, slab[id].station)});
}

static void enqueue(uint32_t id) {
	attempts++;
	attempt *a = &slab[id];
	a->timer = stamp(TIMEOUT, id);
	if (tail - head == ring_room) ring_grow();
	ring[tail++ & (ring_room - 1)] = (entry){now + PATIENCE, a->timer};
	station *s = &stations[a->station];
	if (!s->serving) {
		serve(s, id);
		return;
	}
	a->state = QUEUED;
	a->next = 0;
	if (s->last)
		slab[s->last].next = id;
	else
		s->first = id;
	s->last = id;
}

static void on_finish(uint32_t number) {
	station *s = &stations[number];
	attempt *a = &slab[s->serving];
	if (a->state == SERVED) {
		answered++;
		trace = (trace ^ (now - a->start)) * 0x9e3779b97f4a7c15u;
	}
	release(s->serving);
	s->serving = 0;
	while (s->first) {
		uint32_t id = s->first;
		if (!(s->first = slab[id].next)) s->last = 0;
		if (slab[id].state == QUEUED) {
			serve(s, id);
			return;
		}
		release(id);
	}
}

static void on_timeout(uint32_t id) {
	attempt a = slab[id];
	slab[id].state = ABANDONED;
	slab[id].timer = 0;
	if (a.tries == 2) {
		failed++;
		return;
	}
	uint64_t wait = 1 + (uint64_t)(uniform(&backoff) * (double)(10000000u << a.tries));
	uint32_t again = take();
	slab[again] = (attempt){.start = a.start, .station = a.station, .tries = (uint8_t)(a.tries + 1), .state = WAITING};
	push((entry){now + wait, stamp(RETRY, again)});
}

int main(int argc, char **argv) {
	if (argc != 3) return fprintf(stderr, "usage: station REQUESTS STATIONS\n"), 2;
	uint64_t requests = strtoull(argv[1], NULL, 10), n = strtoull(argv[2], NULL, 10), left = requests;
	double gap = 1e6 / 0.9 / (double)n;
	chance_init();
	ladder_init();
	slab = grown(NULL, slab_room, sizeof *slab);
	ring = grown(NULL, (long)ring_room, sizeof *ring);
	stations = calloc(n, sizeof *stations);
	arrivals = named(1, "arrival");
	service = named(1, "service");
	backoff = named(1, "backoff");
	route = named(1, "route");
	arrival = (entry){0, stamp(ARRIVAL, 0)};
	double began = cpu();
	while (left) {
		while (head != tail && !live(ring[head & (ring_room - 1)])) head++;
		entry e = arrival, t = head == tail ? (entry){FOREVER, FOREVER} : ring[head & (ring_room - 1)];
		int from = ARRIVAL;
		if (before(t, e)) e = t, from = TIMEOUT;
		if (l.total && before(first(), e)) e = first(), from = -1;
		now = e.at;
		events++;
		uint32_t id = e.key & 0x3fffffff;
		if (from == ARRIVAL) {
			id = take();
			slab[id] = (attempt){.start = now, .station = (uint32_t)below(&route, n)};
			arrival = (entry){now + 1 + (uint64_t)(exponential(&arrivals) * gap), stamp(ARRIVAL, 0)};
			enqueue(id);
			left--;
		} else if (from == TIMEOUT) {
			head++;
			on_timeout(id);
		} else {
			pop();
			if ((e.key >> 30 & 63) == FINISH)
				on_finish(id);
			else
				enqueue(id);
		}
	}
	printf("%.2f %llu %llu %llu %llu %016llx\n", (cpu() - began) / (double)requests,
		(unsigned long long)events, (unsigned long long)attempts, (unsigned long long)answered,
		(unsigned long long)failed, (unsigned long long)trace);
	return 0;
}
