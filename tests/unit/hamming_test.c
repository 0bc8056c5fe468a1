/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/hamming.h"

#include "check.h"

#define MOST 20000

static uint64_t signature[MOST];

static struct hits hits;

/* All of them. */
static const struct hit *
find(struct hamming *h, uint64_t ask)
{
	bool cut = true;

	hits.n = 0;
	hits.most = SIZE_MAX;
	CHECK_EQ(hamming_find(h, ask, &hits, &cut), OK);
	CHECK(!cut);
	return hits.at;
}

/* Offer all signatures to an index of this distance; after every few, ask and
 * compare with a plain loop. */
static void
compare(unsigned distance, size_t n, uint64_t *random)
{
	struct hamming *h;

	CHECK_EQ(hamming_new(&h, distance), OK);
	for (size_t i = 0; i < n; i++) {
		if (i % 97 == 0 || i + 20 > n) {
			size_t want = 0;
			uint64_t ask = signature[check_random(random) % n];

			/* A few bits beside one that is there, or will be. */
			for (uint64_t flips = check_random(random) % (distance + 3); flips > 0; flips--)
				ask ^= UINT64_C(1) << check_random(random) % 64;
			const struct hit *hit = find(h, ask);
			size_t found = hits.n;
			for (size_t j = 0; j < i; j++)
				want += (unsigned)__builtin_popcountll(signature[j] ^ ask) <= distance;
			CHECK_EQ(found, want);
			for (size_t j = 0; j < found; j++) {
				CHECK(hit[j].number % 3 == 1 && hit[j].number / 3 < i);
				CHECK_EQ(hit[j].distance,
				    __builtin_popcountll(signature[hit[j].number / 3] ^ ask));
				CHECK(j == 0 || hit[j - 1].distance < hit[j].distance ||
				    (hit[j - 1].distance == hit[j].distance &&
				    hit[j - 1].number < hit[j].number));
			}
		}
		CHECK_EQ(hamming_reserve(h, UINT64_MAX), OK);
		hamming_add(h, signature[i], (uint32_t)(3 * i + 1));
	}
	hamming_free(h);
}

static void
random_signatures_are_found_as_by_a_scan(void)
{
	uint64_t random = 1;

	for (size_t i = 0; i < MOST; i++)
		signature[i] = check_random(&random);
	for (unsigned distance = 0; distance <= 24; distance++)
		compare(distance, distance < 9 ? 12000 : 3000, &random);
	compare(10, MOST, &random);
	compare(64, 200, &random);
}

static void
crowded_signatures_are_found_as_by_a_scan(void)
{
	uint64_t random = 2;

	/* One block the same in all; two; few bits that vary; mixtures. */
	for (unsigned shape = 0; shape < 5; shape++) {
		static const uint64_t vary[] = {
			UINT64_C(0xffffffffffff0000), UINT64_C(0xffff0000ffff0000),
			UINT64_C(0x8001800180018001), UINT64_C(0x00000000000fffff), 0,
		};

		for (size_t i = 0; i < MOST; i++) {
			uint64_t mask = vary[shape];

			if (mask == 0)
				mask = vary[check_random(&random) % 4] | 0xff;
			signature[i] = check_random(&random) & mask;
		}
		for (unsigned distance = 0; distance <= 16; distance += 3)
			compare(distance, distance < 9 ? 6000 : 2500, &random);
	}
}

/* With a block that is the same in all signatures, twice as many must not
 * cost four times as much: the work is counted, not timed. */
static void
an_equal_block_does_not_make_work_quadratic(void)
{
	uint64_t random = 3, work[3];
	size_t most = check_long() ? 400000 : 100000;

	for (unsigned shape = 0; shape < 3; shape++) {
		uint64_t last = 0;

		for (unsigned turn = 0; turn < 3; turn++) {
			struct hamming *h;
			size_t n = most >> (2 - turn);

			CHECK_EQ(hamming_new(&h, 6), OK);
			for (size_t i = 0; i < n; i++) {
				uint64_t s = check_random(&random);

				if (shape == 1)
					s &= ~UINT64_C(0xffff);
				if (shape == 2 && i % 2)
					s = (s & ~UINT64_C(0xffff)) | (i % 4 == 1);
				find(h, s);
				CHECK_EQ(hamming_reserve(h, UINT64_MAX), OK);
				hamming_add(h, s, (uint32_t)i);
			}
			work[shape] = hamming_work(h);
			CHECK(shape == 0 || hamming_largest(h) >= n / 4);
			/* Quadratic would be 4; the keys grow in steps. */
			CHECK(turn == 0 || work[shape] * 10 < last * 35);
			last = work[shape];
			hamming_free(h);
		}
	}
	CHECK(work[1] < 10 * work[0] && work[2] < 10 * work[0]);
}

/* Where nearly all are near, a search ends early: work grows with what is wanted,
 * and what is found is the same again. */
static void
too_many_end_a_search(void)
{
	uint64_t random = 5;
	static struct hit first[100];

	for (unsigned distance = 3; distance <= 9; distance += 6) {
		struct hamming *h;
		bool cut;

		CHECK_EQ(hamming_new(&h, distance), OK);
		for (size_t i = 0; i < MOST; i++) {
			/* 16 bits vary: one in 94 lies within 3 of 0. */
			uint64_t s = check_random(&random) & UINT64_C(0x1111111111111111);
			CHECK_EQ(hamming_reserve(h, UINT64_MAX), OK);
			hamming_add(h, s, (uint32_t)i);
		}
		for (unsigned turn = 0; turn < 3; turn++) {
			hits.n = 0;
			hits.most = 100;
			CHECK_EQ(hamming_find(h, 0, &hits, &cut), OK);
			CHECK(cut && hits.n <= 100 && hits.n >= 100 / 4);
			CHECK_EQ(hits.most, 100);
			for (size_t i = 0; i < hits.n; i++)
				CHECK(hits.at[i].distance <= distance);
			if (turn > 0)
				CHECK(memcmp(first, hits.at, hits.n * sizeof *first) == 0);
			memcpy(first, hits.at, hits.n * sizeof *first);
		}
		hamming_free(h);
	}
}

/* Lines of one template: 18 bits of each are not the template's. */
static void
crowded_blocks_do_not_make_work_quadratic(void)
{
	uint64_t random = 6, last = 0;
	size_t most = check_long() ? 60000 : 20000;

	for (unsigned turn = 0; turn < 2; turn++) {
		struct hamming *h;
		size_t n = most << turn;

		CHECK_EQ(hamming_new(&h, 3), OK);
		for (size_t i = 0; i < n; i++) {
			uint64_t s = 0;
			bool cut;
			for (unsigned k = 0; k < 22; k++)
				s |= UINT64_C(1) << check_random(&random) % 64;
			hits.n = 0;
			hits.most = 1000;
			CHECK_EQ(hamming_find(h, s, &hits, &cut), OK);
			CHECK_EQ(hamming_reserve(h, UINT64_MAX), OK);
			hamming_add(h, s, (uint32_t)i);
		}
		/* Below, it costs no more than it may. */
		CHECK(turn == 0 || hamming_work(h) < last * 3);
		last = hamming_work(h);
		hamming_free(h);
	}
}

static void
a_ceiling_is_kept(void)
{
	uint64_t random = 4, most = 1 << 20;
	struct hamming *h;
	size_t n = 0;

	CHECK_EQ(hamming_new(&h, 3), OK);
	while (hamming_reserve(h, most) == OK && n < 100000) {
		CHECK(hamming_memory(h) <= most);
		signature[n % MOST] = check_random(&random);
		hamming_add(h, signature[n % MOST], (uint32_t)n);
		n++;
	}
	CHECK(n > 3000 && n < MOST);
	CHECK_EQ(hamming_reserve(h, most), STATUS_MEMORY);
	/* It still answers, and goes on with a higher ceiling. */
	for (size_t i = 0; i < n; i += 50) {
		const struct hit *hit = find(h, signature[i]);

		CHECK(hits.n == 1 && hit[0].number == i && hit[0].distance == 0);
	}
	CHECK_EQ(hamming_reserve(h, 4 * most), OK);
	hamming_add(h, 0, (uint32_t)n);
	hamming_free(h);
	hamming_free(NULL);
}

int
main(void)
{
	RUN(random_signatures_are_found_as_by_a_scan);
	RUN(crowded_signatures_are_found_as_by_a_scan);
	RUN(an_equal_block_does_not_make_work_quadratic);
	RUN(too_many_end_a_search);
	RUN(crowded_blocks_do_not_make_work_quadratic);
	RUN(a_ceiling_is_kept);
	hits_free(&hits);
	return check_done();
}
