/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as a HyperLogLog of Redis. What is accepted has an answer and is
 * written in one form, which is read as the same; an unaltered one, canonical or
 * not, tells of no more than 16384 registers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/redis_hll.h"
#include "sketch/distinct/hll_redis.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "redis_hll_fuzz: %s\n", what);
	abort();
}

static void
answer(const struct sketch *s)
{
	double low, high, estimate = hll_redis_estimate(s->body);

	hll_redis_interval(s->body, &low, &high);
	demand(estimate >= 0 && isfinite(high) && low <= estimate && estimate <= high,
	    "no answer");
	demand((estimate == 0) == (hll_low_used(s->body) == 0), "0 is for no items");
}

/* The value in these bytes, written again; empty if it is refused. */
static struct buffer
rewritten(struct slice in)
{
	struct buffer bytes = {0}, out = {0};
	struct sketch s = {0};
	uint64_t left_out;

	demand(buffer_append(&bytes, in.at, in.len) == OK, "no memory");
	enum status st = redis_system.read(&bytes, &s, &left_out);
	if (st == OK) {
		answer(&s);
		demand(left_out == 0, "bytes are left out");
		demand(redis_system.write(&s, buffer_sink(&out)) == OK, "cannot write");
		demand(redis_system.looks(in), "it does not look like one");
		sketch_free(&s);
	} else {
		demand(st == STATUS_FOREIGN || st == STATUS_TRUNCATED || st == STATUS_PARAMETER ||
		    st == STATUS_SIZE || st == STATUS_INVARIANT || st == STATUS_MEMORY,
		    "an odd status");
	}
	buffer_free(&bytes);
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer out = rewritten((struct slice){data, size});

	if (out.len > 0) {
		struct slice written = {out.at, out.len};
		struct buffer again = rewritten(written);
		demand(out.len <= 3000 || out.len == 12304, "an odd length");
		demand(slice_equal((struct slice){again.at, again.len}, written),
		    "what was written reads as something else");
		buffer_free(&again);
	}
	buffer_free(&out);
	return 0;
}
