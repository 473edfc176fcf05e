/* station REQUESTS STATIONS: the workload of package sim's benchmark Station on the core of ns-3,
   with the same draws. ns-3's default set of events, a map; timers are cancelled when they are no
   longer needed. Prints the processor time of a request in nanoseconds, events, attempts, answered,
   failed, and the trace. */
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "ns3/core-module.h"

#include "chance.h"

using namespace ns3;

struct Station;
struct Attempt {
	int64_t start;
	int tries;
	bool abandoned;
	Station *at;
	EventId timeout;
};
struct Station {
	Attempt *serving = nullptr;
	std::deque<Attempt *> line;
};

static std::vector<Station> stations;
static uint64_t left, events, attempts, answered, failed, trace;
static double gap;
static stream arrivals, service, backoff, route;

static int64_t now() { return Simulator::Now().GetNanoSeconds(); }
static void enqueue(Attempt *a);

static void finish(Station *s);

static void serve(Attempt *a) {
	a->at->serving = a;
	Simulator::Schedule(NanoSeconds(1 + (int64_t)(exponential(&service) * 1e6)), &finish, a->at);
}

static void finish(Station *s) {
	events++;
	Attempt *a = s->serving;
	if (!a->abandoned) {
		answered++;
		trace = (trace ^ (uint64_t)(now() - a->start)) * 0x9e3779b97f4a7c15u;
		Simulator::Cancel(a->timeout);
	}
	delete a;
	s->serving = nullptr;
	while (!s->line.empty()) {
		Attempt *next = s->line.front();
		s->line.pop_front();
		if (!next->abandoned) {
			serve(next);
			return;
		}
		delete next;
	}
}

static void again(Attempt *a) {
	events++;
	enqueue(a);
}

static void give_up(Attempt *a) {
	events++;
	a->abandoned = true;
	if (a->tries == 2) {
		failed++;
		return;
	}
	int64_t wait = 1 + (int64_t)(uniform(&backoff) * (double)(10000000u << a->tries));
	Attempt *next = new Attempt{a->start, a->tries + 1, false, a->at, EventId()};
	Simulator::Schedule(NanoSeconds(wait), &again, next);
}

static void enqueue(Attempt *a) {
	attempts++;
	a->timeout = Simulator::Schedule(NanoSeconds(30000000), &give_up, a);
	if (!a->at->serving)
		serve(a);
	else
		a->at->line.push_back(a);
}

static void arrive() {
	events++;
	Station *at = &stations[below(&route, stations.size())];
	Attempt *a = new Attempt{now(), 0, false, at, EventId()};
	Simulator::Schedule(NanoSeconds(1 + (int64_t)(exponential(&arrivals) * gap)), &arrive);
	enqueue(a);
	if (!--left) Simulator::Stop();
}

int main(int argc, char **argv) {
	if (argc != 3) return fprintf(stderr, "usage: station REQUESTS STATIONS\n"), 2;
	uint64_t requests = left = strtoull(argv[1], nullptr, 10);
	stations.resize(strtoull(argv[2], nullptr, 10));
	gap = 1e6 / 0.9 / (double)stations.size();
	chance_init();
	arrivals = named(1, "arrival");
	service = named(1, "service");
	backoff = named(1, "backoff");
	route = named(1, "route");
	Simulator::Schedule(NanoSeconds(0), &arrive);
	double began = cpu();
	Simulator::Run();
	printf("%.2f %llu %llu %llu %llu %016llx\n", (cpu() - began) / (double)requests,
		(unsigned long long)events, (unsigned long long)attempts, (unsigned long long)answered,
		(unsigned long long)failed, (unsigned long long)trace);
	return 0;
}
