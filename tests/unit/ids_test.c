/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>

#include "base/ids.h"
#include "check.h"

/* A text of ids, in which '|' stands for NUL. */
static struct buffer
ids_from(const char *text)
{
	struct buffer b = {0};

	buffer_append(&b, text, strlen(text));
	for (size_t i = 0; i < b.len; i++)
		if (b.at[i] == '|')
			b.at[i] = '\0';
	return b;
}

static bool
is_valid(const char *text)
{
	struct buffer b = ids_from(text);
	bool valid = ids_valid((struct slice){b.at, b.len});

	buffer_free(&b);
	return valid;
}

static bool
is(const struct buffer *ids, const char *text)
{
	struct buffer b = ids_from(text);
	bool equal = slice_equal((struct slice){ids->at, ids->len}, (struct slice){b.at, b.len});

	buffer_free(&b);
	return equal;
}

static void
one_has_1_to_255_bytes_and_no_control_characters(void)
{
	char text[ID_BYTES + 2];

	memset(text, 'x', sizeof text);
	CHECK(id_valid((struct slice){(unsigned char *)text, ID_BYTES}));
	CHECK(!id_valid((struct slice){(unsigned char *)text, ID_BYTES + 1}));
	CHECK(!id_valid((struct slice){(unsigned char *)text, 0}));
	for (int c = 0; c < 256; c++) {
		text[1] = (char)c;
		CHECK_EQ(id_valid((struct slice){(unsigned char *)text, 3}), c >= ' ' && c != 127);
	}
}

static void
a_set_ascends_and_has_none_twice(void)
{
	CHECK(is_valid("a|"));
	CHECK(is_valid("a|ab|b|"));
	CHECK(is_valid("1|10|2|\xff|"));
	CHECK(!is_valid(""));
	CHECK(!is_valid("a"));
	CHECK(!is_valid("a|b"));
	CHECK(!is_valid("b|a|"));
	CHECK(!is_valid("a|a|"));
	CHECK(!is_valid("|"));
	CHECK(!is_valid("a||"));
	CHECK(!is_valid("a|b\n|"));
}

static void
a_set_unites_with_another(void)
{
	struct buffer a = ids_from("a|c|e|"), b = ids_from("b|c|f|"), none = {0};

	CHECK_EQ(ids_unite(&a, (struct slice){b.at, b.len}), OK);
	CHECK(is(&a, "a|b|c|e|f|"));
	CHECK_EQ(ids_count((struct slice){a.at, a.len}), 5);
	CHECK_EQ(ids_unite(&a, (struct slice){NULL, 0}), OK);
	CHECK(is(&a, "a|b|c|e|f|"));
	CHECK_EQ(ids_unite(&none, (struct slice){b.at, b.len}), OK);
	CHECK(is(&none, "b|c|f|"));
	CHECK_EQ(ids_add(&none, slice_of("bb")), OK);
	CHECK_EQ(ids_add(&none, slice_of("f")), OK);
	CHECK(is(&none, "b|bb|c|f|"));
	CHECK(ids_has((struct slice){none.at, none.len}, slice_of("bb")));
	CHECK(!ids_has((struct slice){none.at, none.len}, slice_of("bbb")));
	CHECK(!ids_has((struct slice){none.at, none.len}, slice_of("")));
	buffer_free(&a);
	buffer_free(&b);
	buffer_free(&none);
}

static void
others_are_taken_out_if_all_are_there(void)
{
	struct buffer a = ids_from("a|b|c|d|"), some = ids_from("a|c|"), more = ids_from("b|c|d|");
	struct buffer before = ids_from("0|b|"), behind = ids_from("b|e|");
	struct slice missing = {0};

	CHECK(ids_remove(&a, (struct slice){some.at, some.len}, &missing));
	CHECK(is(&a, "b|d|"));
	CHECK(!ids_remove(&a, (struct slice){more.at, more.len}, &missing));
	CHECK(slice_equal(missing, slice_of("c")));
	CHECK(!ids_remove(&a, (struct slice){before.at, before.len}, &missing));
	CHECK(slice_equal(missing, slice_of("0")));
	CHECK(!ids_remove(&a, (struct slice){behind.at, behind.len}, &missing));
	CHECK(slice_equal(missing, slice_of("e")));
	CHECK(is(&a, "b|d|"));
	CHECK(ids_remove(&a, (struct slice){NULL, 0}, &missing));
	CHECK(is(&a, "b|d|"));
	a.len = 0;
	CHECK(ids_remove(&a, (struct slice){NULL, 0}, &missing));
	CHECK(!ids_remove(&a, (struct slice){some.at, some.len}, &missing));
	CHECK(slice_equal(missing, slice_of("a")));
	buffer_free(&a);
	buffer_free(&some);
	buffer_free(&more);
	buffer_free(&before);
	buffer_free(&behind);
}

/* So many ids of so many bytes each, ascending. */
static struct buffer
many(unsigned n, int width)
{
	struct buffer b = {0};
	char text[ID_BYTES + 1];

	for (unsigned i = 0; i < n; i++) {
		int len = snprintf(text, sizeof text, "%0*u", width, i);
		buffer_append(&b, text, (size_t)len + 1);
	}
	return b;
}

static void
there_are_limits(void)
{
	struct buffer most = many(IDS_MAX, 6), long_ones = many(1 << 12, 255);

	CHECK(ids_valid((struct slice){most.at, most.len}));
	CHECK_EQ(ids_add(&most, slice_of("000007")), OK);
	CHECK_EQ(ids_add(&most, slice_of("x")), STATUS_FULL);
	CHECK_EQ(ids_count((struct slice){most.at, most.len}), IDS_MAX);
	buffer_append(&most, "x", 2);
	CHECK(!ids_valid((struct slice){most.at, most.len}));

	CHECK_EQ(long_ones.len, IDS_BYTES_MAX);
	CHECK(ids_valid((struct slice){long_ones.at, long_ones.len}));
	CHECK_EQ(ids_add(&long_ones, slice_of("x")), STATUS_FULL);
	buffer_append(&long_ones, "x", 2);
	CHECK(!ids_valid((struct slice){long_ones.at, long_ones.len}));
	buffer_free(&most);
	buffer_free(&long_ones);
}

int
main(void)
{
	RUN(one_has_1_to_255_bytes_and_no_control_characters);
	RUN(a_set_ascends_and_has_none_twice);
	RUN(a_set_unites_with_another);
	RUN(others_are_taken_out_if_all_are_there);
	RUN(there_are_limits);
	return check_done();
}
