/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * touches BYTES TIMES: the floor under a large filter's build. Touch one cache
 * line at random in that much memory, that many times, prefetched in batches
 * as the filter does, on huge pages where the system gives them.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BATCH = 256 };

int
main(int argc, char *argv[])
{
	if (argc != 3) {
		fputs("usage: touches BYTES TIMES\n", stderr);
		return 2;
	}
	uint64_t bytes = strtoull(argv[1], NULL, 10), times = strtoull(argv[2], NULL, 10);
	uint64_t blocks = bytes / 64, state = 1, sum = 0;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *at = map;

	if (map == MAP_FAILED || blocks == 0 || blocks > UINT32_MAX) {
		fputs("touches: cannot have that much memory\n", stderr);
		return 3;
	}
	madvise(map, bytes, MADV_HUGEPAGE);
	for (uint64_t done = 0; done < times; done += BATCH) {
		uint64_t *place[BATCH];

		for (int i = 0; i < BATCH; i++) {
			state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			place[i] = at + ((state >> 32) * blocks >> 32) * 8;
			__builtin_prefetch(place[i], 1);
		}
		for (int i = 0; i < BATCH; i++)
			sum += *place[i] += 1;
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
