/* sketchutils: BSD-2-Clause, see LICENSE */
#include "cms_streams.h"

#define END 100000               /* of the stream */

/* Let truth be that of these events. */
static void
only(size_t from, size_t to, bool weighted)
{
	memset(truth, 0, sizeof truth);
	for (size_t i = from; i < to; i++)
		truth[stream[i]] += weighted ? weights[i] : 1;
}

static void
subtract(struct cms *whole, struct cms *part)
{
	struct mismatch why = {""};

	CHECK(cms_subtract(whole, part, &why) == OK);
	if (why.text[0])
		printf("# %s\n", why.text);
	cms_free(part);
}

static void
plain_counters_of_the_rest_are_left_byte_for_byte(void)
{
	for (size_t cut = 0; cut <= END; cut += END / 4) {
		struct cms *whole = cms_from(0, END, BUDGET, true, 0);
		struct cms *rest = cms_from(cut, END, BUDGET, true, 0);

		subtract(whole, cms_from(0, cut, BUDGET, true, 0));
		CHECK(same_bytes(whole, rest));
		cms_free(whole);
		cms_free(rest);
	}
}

/* Candidates and all, as long as no count was other than exact. */
static void
exact_counts_stay_exact(void)
{
	struct cms *whole = cms_from(0, 1000, BUDGET, false, 1024);
	struct cms *rest = cms_from(400, 1000, BUDGET, false, 1024);

	subtract(whole, cms_from(0, 400, BUDGET, false, 1024));
	CHECK(same_bytes(whole, rest));
	/* Nothing is left, and so no candidate. */
	subtract(whole, rest);
	CHECK_EQ(cms_candidates(whole), 0);
	CHECK_EQ(cms_total(whole), 0);
	CHECK_EQ(cms_missing(whole), 0);
	cms_free(whole);
}

/* Whatever the lists of candidates know, and however the whole was made. */
static void
bounds_hold_for_what_is_left(void)
{
	static const unsigned lists[] = {0, 10, 300, 65536};

	for (unsigned i = 0; i < 64; i++) {
		bool weighted = i & 1, merged = i & 2;
		unsigned of_whole = lists[i / 4 % 4], of_part = lists[i / 16];
		size_t a = END / 5, b = END - END / 5;
		struct cms *whole = cms_from(0, merged ? a : END, BUDGET, weighted, of_whole);

		if (merged) {
			struct cms *more = cms_from(a, END, BUDGET, weighted, of_whole);
			CHECK(cms_merge(whole, more, NULL) == OK);
			cms_free(more);
		}
		subtract(whole, cms_from(0, a, BUDGET, weighted, of_part));
		subtract(whole, cms_from(b, END, BUDGET, weighted, of_part));
		only(a, b, weighted);
		CHECK(check_bounds(whole) >= (of_whole > 10 && of_part > 10));

		/* And it is a sketch like any other. */
		struct saved s = save(whole);
		struct cms *again = NULL;
		CHECK(load(&s, &again) == OK);
		CHECK(same_bytes(whole, again));
		buffer_free(&s.payload);
		cms_free(again);
		cms_free(whole);
	}
}

/* REFUSED, and the whole stays as it was. */
static void
refused(struct cms *whole, struct cms *part, const char *text)
{
	struct mismatch why = {""};
	struct saved before = save(whole);

	CHECK(cms_subtract(whole, part, &why) == STATUS_MISMATCH);
	if (strcmp(why.text, text) != 0)
		check_fail(__FILE__, __LINE__, why.text);
	struct saved after = save(whole);
	CHECK(same(&before, &after));
	buffer_free(&before.payload);
	buffer_free(&after.payload);
	cms_free(whole);
	cms_free(part);
}

static void
what_is_no_part_is_refused(void)
{
	const char *no_part = "not a part: a count would be below 0";

	/* More, and as many of others. */
	refused(cms_from(0, 999, BUDGET, false, 9), cms_from(0, 1000, BUDGET, false, 9), no_part);
	refused(cms_from(0, 999, BUDGET, false, 9), cms_from(1000, 1999, BUDGET, false, 9), no_part);

	/* Counters alone could not tell: there is one for all. */
	struct slice item[] = {slice_of("a"), slice_of("b"), slice_of("b")};
	uint64_t hash[3];
	struct cms *side[2];
	for (size_t i = 0; i < 3; i++)
		hash[i] = hash_bytes(item[i].at, 1, 0);
	for (size_t i = 0; i < 2; i++) {
		struct spacesaving *table;
		side[i] = cms_of(1, 1, 2);
		CHECK(spacesaving_new(&table, 0) == OK);
		CHECK(cms_feed(side[i], table, item + i, hash + i, NULL, 2) == OK);
		CHECK(cms_take_candidates(side[i], table) == OK);
		spacesaving_free(table);
	}
	refused(side[0], side[1], no_part);
}

/* Not by a lower end above an upper one, either: of a's two, one would be left
 * for sure, and by the counters none. */
static void
contradictions_among_candidates_are_refused(void)
{
	struct slice item[] = {slice_of("a"), slice_of("a"), slice_of("b")};
	uint64_t hash[3];
	struct cms *whole = cms_of(1, 1, 2), *part = cms_of(1, 1, 2);
	struct spacesaving *table;

	for (size_t i = 0; i < 3; i++)
		hash[i] = hash_bytes(item[i].at, 1, 0);
	CHECK(spacesaving_new(&table, 0) == OK);
	CHECK(cms_feed(whole, table, item, hash, NULL, 2) == OK);
	CHECK(cms_take_candidates(whole, table) == OK);
	spacesaving_free(table);
	CHECK(spacesaving_new(&table, 0) == OK);
	CHECK(cms_feed(part, table, item + 1, hash + 1, NULL, 1) == OK);
	CHECK(cms_take_candidates(part, table) == OK);
	spacesaving_free(table);
	/* One that is not a, which the part does not list. */
	struct saved s = save(part);
	put_le64(s.payload.at, 2);                      /* the counter */
	s.head.param[7] = 2;                            /* the total */
	struct cms *bad = NULL;
	CHECK(load(&s, &bad) == OK);
	refused(whole, bad, "not a part: a count would be below 0");
	buffer_free(&s.payload);
	cms_free(part);
}

static void
conservative_saturated_and_unlike_ones_are_refused(void)
{
	const uint64_t most[] = {UINT64_MAX, 2};

	for (unsigned i = 0; i < 2; i++) {
		struct cms *side[2] = {cms_of(272, 5, 0), cms_of(272, 5, 0)};
		cms_conserve(side[i]);
		refused(side[0], side[1], "conservative counters are no sums");

		side[0] = cms_of(272, 5, 0);
		side[1] = cms_of(272, 5, 0);
		cms_add(side[i], hash_of, most, 2);
		refused(side[0], side[1], "a sum reached 2^64-1 and stopped there");
	}
	refused(cms_of(272, 5, 0), cms_of(273, 5, 0), "width 272 and 273");
	refused(cms_of(272, 5, 0), cms_of(272, 6, 0), "depth 5 and 6");
}

int
main(void)
{
	make_stream();
	RUN(plain_counters_of_the_rest_are_left_byte_for_byte);
	RUN(exact_counts_stay_exact);
	RUN(bounds_hold_for_what_is_left);
	RUN(what_is_no_part_is_refused);
	RUN(contradictions_among_candidates_are_refused);
	RUN(conservative_saturated_and_unlike_ones_are_refused);
	return check_done();
}
