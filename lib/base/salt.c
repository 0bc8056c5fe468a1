/* sketchutils: BSD-2-Clause, see LICENSE */
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/salt.h"

struct salt salt = {0, {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9)}};

/* By Newton's method: each step doubles the bits that are right, of which the factor
 * itself has three. */
static uint64_t
inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

uint64_t
salt_gather(uint64_t scattered)
{
	uint64_t hash = scattered * inverse(salt.odd[1]);

	hash ^= hash >> 32;
	return hash * inverse(salt.odd[0]);
}

/* Of what differs between runs even where the system gives nothing random: the
 * time, the process, and where the system put its stack. */
static void
draw_otherwise(uint64_t number[3])
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t h = hash_step((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, 1);
	h = hash_step(h ^ (uint64_t)getpid(), 1);
	h = hash_step(h ^ (uint64_t)(uintptr_t)&now, 1);
	for (unsigned i = 0; i < 3; i++)
		number[i] = hash_step(h, i + 1);
}

void
salt_draw(void)
{
	uint64_t number[3];

	/* A machine that has just started has nothing yet; nobody waits for it. */
	if (getrandom(number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
		draw_otherwise(number);
	salt = (struct salt){number[0], {number[1] | 1, number[2] | 1}};
}
