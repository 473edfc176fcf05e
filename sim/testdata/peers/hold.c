/* hold PENDING HOLDS: whatever comes up is scheduled again, an exponential time later, as the
   benchmark Hold of package sim does. Prints the mean processor time of a hold in nanoseconds and
   a hash of all that came up. */
#include <stdio.h>
#include "chance.h"
#include "ladder.h"

int main(int argc, char **argv) {
	if (argc != 3) return fprintf(stderr, "usage: hold PENDING HOLDS\n"), 2;
	uint64_t pending = strtoull(argv[1], NULL, 10), holds = strtoull(argv[2], NULL, 10);
	uint64_t warm = pending > 200000 ? pending : 200000, key = 0, trace = 0;
	double mean = (double)pending * 1e3, began = 0;
	chance_init();
	ladder_init();
	stream luck = named(1, "hold");
	for (uint64_t i = 0; i < pending; i++)
		push((entry){(uint64_t)(exponential(&luck) * mean), ++key << 30 | i});
	for (uint64_t i = 0; i < warm + holds; i++) {
		if (i == warm) began = cpu();
		entry e = first();
		pop();
		trace = (trace ^ e.at) * 0x9e3779b97f4a7c15u;
		push((entry){e.at + (uint64_t)(exponential(&luck) * mean), ++key << 30 | (e.key & 0x3fffffff)});
	}
	printf("%.2f %016llx\n", (cpu() - began) / (double)holds, (unsigned long long)trace);
	return 0;
}
