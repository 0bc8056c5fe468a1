/* sketchutils: BSD-2-Clause, see LICENSE */

/* Any bytes as a Parquet filter. What is accepted is written as the very same
 * bytes: there is one form for each. */
#include <stdio.h>
#include <stdlib.h>

#include "interop/parquet_bloom.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "parquet_fuzz: %s\n", what);
	abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = {data, size};
	struct buffer bytes = {0}, out = {0};
	struct sketch s = {0};
	struct facts facts = {0};
	uint64_t left_out = 0;

	demand(buffer_append(&bytes, data, size) == OK, "no memory");
	enum status st = parquet_system.read(&bytes, &s, &left_out);
	if (st == OK) {
		s.kind->facts(s.body, &facts);
		demand(facts.n > 0 && facts.n <= FACTS_MAX, "no facts, or too many");
		demand(parquet_system.write(&s, buffer_sink(&out)) == OK, "cannot write");
		demand(left_out == 0 && slice_equal(in, (struct slice){out.at, out.len}),
		    "a filter has a second form");
		demand(parquet_system.looks(in), "it does not look like one");
		sketch_free(&s);
	} else {
		demand(st == STATUS_FOREIGN || st == STATUS_TRUNCATED || st == STATUS_PARAMETER ||
		    st == STATUS_SIZE || st == STATUS_MEMORY, "an odd status");
	}
	buffer_free(&bytes);
	buffer_free(&out);
	return 0;
}
