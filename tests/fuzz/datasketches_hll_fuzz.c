/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as an image of DataSketches' HLL sketch. What is accepted has an answer,
 * folds, and is written in one form, which is read as the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/datasketches_hll.h"
#include "sketch/distinct/hll_datasketches.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "datasketches_hll_fuzz: %s\n", what);
	abort();
}

static void
answer(const struct hll_datasketches *s)
{
	double low, high, estimate = hll_datasketches_estimate(s);

	hll_datasketches_interval(s, &low, &high);
	demand(estimate >= 0 && isfinite(high) && low <= estimate && estimate <= high,
	    "no answer");
}

/* Smaller, and united with what it was: the same as smaller. */
static void
fold(struct hll_datasketches *s)
{
	struct hll_datasketches *whole;

	demand(hll_datasketches_new(&whole, hll_datasketches_lgk(s)) == OK &&
	    hll_datasketches_merge(whole, s) == OK, "cannot copy");
	demand(hll_datasketches_fold(s, HLL_DATASKETCHES_LGK_MIN) == OK, "cannot fold");
	answer(s);
	double before = hll_datasketches_estimate(s);
	demand(hll_datasketches_merge(s, whole) == OK, "cannot unite");
	demand(hll_datasketches_hip(s) == 0, "HIP outlives a union");
	demand(hll_datasketches_estimate(s) == before || hll_datasketches_lgk(whole) ==
	    HLL_DATASKETCHES_LGK_MIN, "a fold has lost something");
	hll_datasketches_free(whole);
}

/* The sketch in these bytes, written again; empty if it is refused. */
static struct buffer
rewritten(struct slice in)
{
	struct buffer bytes = {0}, out = {0};
	struct sketch s = {0};
	uint64_t left_out;

	demand(buffer_append(&bytes, in.at, in.len) == OK, "no memory");
	enum status st = datasketches_system.read(&bytes, &s, &left_out);
	if (st == OK) {
		answer(s.body);
		demand(left_out == 0, "bytes are left out");
		demand(datasketches_system.looks(in), "it does not look like one");
		demand(datasketches_system.write(&s, buffer_sink(&out)) == OK, "cannot write");
		demand(out.len >= 8 && out.at[3] == in.at[3], "another lgK");
		fold(s.body);
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
