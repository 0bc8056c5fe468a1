/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>

#include "check.h"
#include "tool/names.h"

static void
they_are_numbered_as_they_come(void)
{
	struct names names = {0};

	CHECK_EQ(names_number(&names, slice_of("b")), 0);
	CHECK_EQ(names_number(&names, slice_of("a")), 1);
	CHECK_EQ(names_number(&names, slice_of("b")), 0);
	CHECK_EQ(names_number(&names, slice_of("ab")), 2);
	CHECK_EQ(names.n, 3);
	CHECK(slice_equal(names.at[1], slice_of("a")));
	names_free(&names);
	CHECK_EQ(names.n, 0);
	CHECK_EQ(names_number(&names, slice_of("a")), 0);
	names_free(&names);
}

/* Empty ones, and any byte. */
static void
a_name_is_bytes(void)
{
	struct names names = {0};
	const unsigned char *bytes = (const unsigned char *)"x\0y\0z";

	CHECK_EQ(names_number(&names, (struct slice){NULL, 0}), 0);
	for (size_t n = 1; n <= 5; n++)
		CHECK_EQ(names_number(&names, (struct slice){bytes, n}), n);
	CHECK_EQ(names_number(&names, (struct slice){bytes, 0}), 0);
	CHECK_EQ(names_number(&names, (struct slice){bytes, 3}), 3);
	CHECK_EQ(names_number(&names, (struct slice){bytes + 4, 1}), 6);
	names_free(&names);
}

/* The caller's bytes may go. */
static void
copies_are_kept(void)
{
	struct names names = {0};
	char text[32];

	for (unsigned i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "name %u", i * 7);
		CHECK_EQ(names_number(&names, slice_of(text)), i);
	}
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "name %u", i * 7);
		CHECK_EQ(names_number(&names, slice_of(text)), i);
		CHECK(slice_equal(names.at[i], slice_of(text)));
	}
	CHECK_EQ(names.n, 20000);
	names_free(&names);
}

int
main(void)
{
	RUN(they_are_numbered_as_they_come);
	RUN(a_name_is_bytes);
	RUN(copies_are_kept);
	return check_done();
}
