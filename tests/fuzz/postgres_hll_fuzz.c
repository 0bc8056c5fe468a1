/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as a value of PostgreSQL's type hll. What is accepted has an answer,
 * folds, and is written in one form, which is read as the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/postgres_hll.h"
#include "sketch/distinct/hll_postgres.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "postgres_hll_fuzz: %s\n", what);
	abort();
}

static void
answer(const struct hll_postgres *s)
{
	double low, high, estimate = hll_postgres_estimate(s);

	hll_postgres_interval(s, &low, &high);
	demand(estimate >= 0 && isfinite(high) && low <= estimate && estimate <= high,
	    "no answer");
}

/* The value in these bytes, written again; empty if it is refused. */
static struct buffer
rewritten(struct slice in)
{
	struct buffer bytes = {0}, out = {0};
	struct sketch s = {0};
	uint64_t left_out;

	demand(buffer_append(&bytes, in.at, in.len) == OK, "no memory");
	enum status st = postgres_system.read(&bytes, &s, &left_out);
	if (st == OK) {
		answer(s.body);
		demand(left_out == 0, "bytes are left out");
		demand(postgres_system.write(&s, buffer_sink(&out)) == OK, "cannot write");
		demand(out.len >= 3 && out.at[1] == in.at[1] && out.at[2] == (in.at[2] & 127),
		    "other parameters");
		demand(hll_postgres_fold(s.body, HLL_POSTGRES_LOG2M_MIN) == OK, "cannot fold");
		answer(s.body);
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
		demand(slice_equal((struct slice){again.at, again.len}, written),
		    "what was written reads as something else");
		buffer_free(&again);
	}
	buffer_free(&out);
	return 0;
}
