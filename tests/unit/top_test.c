/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/frequency/top.h"

#include "check.h"

/* A source: counters of one-letter items, up to one without a letter. */
struct row {
	const char *item;
	uint64_t low, high;
};

static bool
next_row(const void *source, size_t *at, struct counter *c)
{
	const struct row *row = (const struct row *)source + *at;

	if (!row->item)
		return false;
	*c = (struct counter){.item = slice_of(row->item), .low = row->low, .high = row->high};
	++*at;
	return true;
}

/* The items listed, each followed by '~' unless it is certain. */
static const char *
top(const struct row *rows, size_t k, uint64_t missing)
{
	static char text[64];
	struct counter *out;
	size_t n, len = 0;

	CHECK(top_of(rows, next_row, k, missing, &out, &n) == OK);
	CHECK(n <= k);
	for (size_t i = 0; i < n; i++) {
		text[len++] = (char)out[i].item.at[0];
		if (!out[i].certain)
			text[len++] = '~';
	}
	text[len] = '\0';
	free(out);
	return text;
}

#define CHECK_TOP(rows, k, missing, want) \
	CHECK(strcmp(top((rows), (k), (missing)), (want)) == 0)

static void
largest_high_first_then_low_then_bytes(void)
{
	static const struct row rows[] = {
		{"d", 5, 5}, {"a", 5, 5}, {"x", 9, 9}, {"b", 4, 5}, {"c", 4, 5}, {0}
	};

	CHECK_TOP(rows, 9, 0, "xadbc");
	CHECK_TOP(rows, 3, 0, "xad~");  /* b may have 5 too */
	CHECK_TOP(rows, 0, 0, "");
	CHECK_TOP(rows + 5, 3, 0, "");
}

static void
exact_counts_are_certain_even_in_ties(void)
{
	static const struct row rows[] = {
		{"a", 7, 7}, {"b", 7, 7}, {"c", 7, 7}, {"d", 0, 0}, {0}
	};

	CHECK_TOP(rows, 2, 0, "ab");
	CHECK_TOP(rows, 2, 6, "ab");
	CHECK_TOP(rows, 2, 7, "a~b~");
	CHECK_TOP(rows, 4, 0, "abcd");
	CHECK_TOP(rows, 4, 1, "abcd~");
}

static void
what_others_may_reach_is_not_certain(void)
{
	static const struct row rows[] = {
		{"a", 10, 20}, {"b", 18, 18}, {"c", 9, 12}, {"d", 5, 11}, {0}
	};

	/* c and d may have more than a's 10. */
	CHECK_TOP(rows, 1, 0, "a~");
	CHECK_TOP(rows, 2, 0, "a~b");
	CHECK_TOP(rows, 3, 0, "a~bc~");
	CHECK_TOP(rows, 4, 0, "abcd");
	CHECK_TOP(rows, 4, 9, "abc~d~");
	CHECK_TOP(rows, 5, 5, "abcd~");
}

static void
a_tie_at_the_edge_goes_by_bytes(void)
{
	static const struct row rows[] = {{"a", 3, 8}, {"b", 8, 8}, {"c", 8, 8}, {"d", 1, 3}, {0}};
	static const struct row other[] = {{"b", 3, 8}, {"c", 8, 8}, {"d", 8, 8}, {"a", 1, 3}, {0}};

	/* At its worst a has 3, like d at its best, but comes first. */
	CHECK_TOP(rows, 3, 0, "bca");
	CHECK_TOP(other, 3, 0, "cdb~");
	/* c is third if a has 8. */
	CHECK_TOP(rows, 2, 0, "bc~");
}

/* All orders in which many rows may come give one answer. */
static void
the_order_of_the_source_does_not_matter(void)
{
	static char letters[200][2];
	struct row rows[201] = {{0}};
	char first[64];
	uint64_t random = 1;

	for (unsigned i = 0; i < 200; i++) {
		letters[i][0] = (char)(i + 33);
		rows[i].item = letters[i];
		rows[i].low = check_random(&random) % 10;
		rows[i].high = rows[i].low + check_random(&random) % 4;
	}
	strcpy(first, top(rows, 25, 2));
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 199; i > 0; i--) {
			size_t j = check_random(&random) % (i + 1);
			struct row row = rows[i];
			rows[i] = rows[j];
			rows[j] = row;
		}
		CHECK_TOP(rows, 25, 2, first);
	}
}

int
main(void)
{
	RUN(largest_high_first_then_low_then_bytes);
	RUN(exact_counts_are_certain_even_in_ties);
	RUN(what_others_may_reach_is_not_certain);
	RUN(a_tie_at_the_edge_goes_by_bytes);
	RUN(the_order_of_the_source_does_not_matter);
	return check_done();
}
