/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any bytes as a file of DCSO's bloom, plain or gzip. What is accepted is
 * written again: a plain file gives its own bytes, less what stands behind the
 * bits, and a gzip one a file that is read as the same filter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop/dcso_bloom.h"
#include "interop/gunzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "dcso_fuzz: %s\n", what);
	abort();
}

/* The bytes of the filter in these; empty if it is refused. */
static struct buffer
rewritten(struct slice in, uint64_t *left_out)
{
	struct buffer bytes = {0}, out = {0};
	struct sketch s = {0};
	struct facts facts = {0};

	demand(buffer_append(&bytes, in.at, in.len) == OK, "no memory");
	enum status st = dcso_system.read(&bytes, &s, left_out);
	if (st == OK) {
		s.kind->facts(s.body, &facts);
		demand(facts.n > 0 && facts.n <= FACTS_MAX, "no facts, or too many");
		demand(dcso_system.write(&s, buffer_sink(&out)) == OK, "cannot write");
		sketch_free(&s);
	} else {
		demand(st == STATUS_FOREIGN || st == STATUS_TRUNCATED || st == STATUS_PARAMETER ||
		    st == STATUS_SIZE || st == STATUS_INVARIANT || st == STATUS_GZIP || st == STATUS_NO_ZLIB ||
		    st == STATUS_MEMORY, "an odd status");
	}
	buffer_free(&bytes);
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice in = {data, size};
	uint64_t left_out = 0, none = 0;
	struct buffer out = rewritten(in, &left_out);
	struct slice written = {out.at, out.len};

	if (out.len > 0 && !gunzip_looks(in)) {
		demand(left_out == size - out.len, "bytes are lost");
		demand(memcmp(out.at, data, out.len) == 0, "a filter has a second form");
		demand(dcso_system.looks(in), "it does not look like one");
	}
	if (out.len > 0) {
		struct buffer again = rewritten(written, &none);
		demand(none == 0 && slice_equal((struct slice){again.at, again.len}, written),
		    "what was written reads as something else");
		buffer_free(&again);
	}
	buffer_free(&out);
	return 0;
}
