/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/nearbloom.h"

#include "check.h"

#define FEATURES 60

/* A set of features of which so many are replaced. */
static void
make(uint64_t *feature, uint64_t base, size_t edits, uint64_t *random)
{
	for (size_t i = 0; i < FEATURES; i++)
		feature[i] = check_random(&base);
	for (size_t i = 0; i < edits; i++)
		feature[i] = check_random(random);
}

static bool
meet(struct nearbloom *b, const uint64_t *feature)
{
	uint64_t content[2] = {feature[0], feature[1]};

	return nearbloom_meet(b, feature, FEATURES, content, false);
}

static void
pairs_are_found_as_often_as_told(void)
{
	static const double similarity[] = {0.5, 0.65, 0.8, 0.95};
	unsigned pairs = check_long() ? 20000 : 2000;

	for (size_t s = 0; s < 4; s++)
		for (size_t edits = 0; edits <= 20; edits += 4) {
			struct nearbloom *b;
			uint64_t feature[FEATURES], random = 3;
			unsigned found = 0;
			double shared = FEATURES - (double)edits, j = shared / (2 * FEATURES - shared);

			CHECK_EQ(nearbloom_new(&b, similarity[s], 8 << 20), OK);
			for (unsigned i = 0; i < pairs; i++) {
				make(feature, i, 0, &random);
				CHECK(!meet(b, feature));
				make(feature, i, edits, &random);
				/* Another content, so that bands alone decide. */
				uint64_t content[2] = {i, ~(uint64_t)i};
				found += nearbloom_meet(b, feature, FEATURES, content, false);
			}
			double told = nearbloom_finds(b, j);
			CHECK_IN((double)found / pairs, told - 0.04, told + 0.04);
			nearbloom_free(b);
		}
}

static void
what_is_lost_is_told(void)
{
	/* Strangers only: whatever is seen is lost. */
	for (unsigned kib = 64; kib <= 256; kib *= 2) {
		struct nearbloom *b;
		uint64_t feature[FEATURES], random = 4;
		unsigned lost = 0;

		CHECK_EQ(nearbloom_new(&b, 0.8, (uint64_t)kib << 10), OK);
		for (unsigned i = 0; i < 12000; i++) {
			make(feature, 1000000 + i, 0, &random);
			lost += meet(b, feature);
		}
		CHECK_IN((double)lost, nearbloom_lost(b) * 0.8 - 20, nearbloom_lost(b) * 1.2 + 20);
		CHECK(kib > 64 || (lost > 500 && nearbloom_fpp(b) > 0.1));
		CHECK(nearbloom_memory(b) <= (kib << 10) + 256);
		nearbloom_free(b);
	}
}

static void
short_documents_are_told_apart_by_content(void)
{
	struct nearbloom *b;
	uint64_t feature = 7;

	CHECK_EQ(nearbloom_new(&b, 0.8, 1 << 16), OK);
	for (uint64_t i = 0; i < 100; i++)
		CHECK(!nearbloom_meet(b, &feature, 1, (uint64_t[2]){i, 5}, true));
	for (uint64_t i = 0; i < 100; i++)
		CHECK(nearbloom_meet(b, &feature, 1, (uint64_t[2]){i, 5}, true));
	nearbloom_free(b);
	nearbloom_free(NULL);
}

int
main(void)
{
	RUN(pairs_are_found_as_often_as_told);
	RUN(what_is_lost_is_told);
	RUN(short_documents_are_told_apart_by_content);
	return check_done();
}
