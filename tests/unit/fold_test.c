/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <string.h>

#include "sketch/member/bloom.h"
#include "sketch/member/counting.h"
#include "sketch/fold.h"
#include "sketch/distinct/hll.h"
#include "check.h"

#define ITEMS 20000

static uint64_t hash[ITEMS];

static void
draw(uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < ITEMS; i++)
		hash[i] = check_random(&state);
}

static struct sketch
bloom_sketch(enum bloom_type type, uint64_t size, size_t n)
{
	struct bloom_shape shape = {type, size, 2, n, 0.01};
	struct bloom *b = NULL;

	CHECK(bloom_new(&b, &shape) == OK);
	bloom_add(b, hash, n);
	return (struct sketch){
		.head = {.kind = bloom_kind(type)->id, .items = n}, .kind = bloom_kind(type), .body = b,
	};
}

static struct sketch
counting_sketch(uint64_t size, size_t n)
{
	struct bloom_shape shape = {BLOOM_CLASSIC, size, 2, n, 0.01};
	struct counting *c = NULL;

	CHECK(counting_new(&c, &shape) == OK);
	counting_add(c, hash, n);
	return (struct sketch){.head = {.items = n}, .kind = &counting_kind, .body = c};
}

/* The same in either structure. */
static struct sketch
any_sketch(unsigned which, uint64_t size, size_t n)
{
	return which == 2 ? counting_sketch(size, n) :
	    bloom_sketch(which == 0 ? BLOOM_BLOCK : BLOOM_CLASSIC, size, n);
}

static uint64_t
size_of(const struct sketch *s)
{
	return s->kind->fold->size(s->body);
}

static double
fpp_of(const struct sketch *s)
{
	double fpp = -1;

	CHECK(s->kind->fold->fpp(s->body, size_of(s), &fpp) == OK);
	return fpp;
}

static bool
same_payload(const struct sketch *a, const struct sketch *b)
{
	struct record x = {0}, y = {0};
	struct slice p, q;

	a->kind->view(a->body, &x, &p);
	b->kind->view(b->body, &y, &q);
	return p.len == q.len && memcmp(p.at, q.at, p.len) == 0;
}

/* Sizes with many divisors, few, and none but themselves and 1. */
static const uint64_t sizes[] = {1, 2, 720, 5040, 1009, 2 * 1009, 4096, 3 * 5 * 7 * 11};

static void
the_largest_size_that_fits_is_taken(void)
{
	draw(1);
	for (unsigned which = 0; which < 3; which++)
		for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct sketch whole = any_sketch(which, sizes[i], 100);
			const struct folding *f = whole.kind->fold;

			for (uint64_t bytes = 1; bytes < 2 * f->bytes(whole.body, sizes[i]); bytes += 1 + bytes / 5) {
				struct sketch s = any_sketch(which, sizes[i], 100);
				struct mismatch why;
				uint64_t best = 0;
				for (uint64_t d = 1; d <= sizes[i]; d++)
					if (sizes[i] % d == 0 && f->bytes(s.body, d) <= bytes)
						best = d;
				bool near = best > 0 && (best == sizes[i] ||
				    f->bytes(s.body, best) >= bytes / 2);
				enum status st = fold_sketch(&s, &(struct fold){.bytes = bytes}, &why);
				CHECK_EQ(st, near ? OK : STATUS_MISMATCH);
				CHECK_EQ(size_of(&s), near ? best : sizes[i]);
				struct sketch direct = any_sketch(which, size_of(&s), 100);
				CHECK(same_payload(&s, &direct));
				sketch_free(&direct);
				sketch_free(&s);
			}
			sketch_free(&whole);
		}
}

static void
the_smallest_size_that_keeps_the_fpp_is_taken(void)
{
	static const double wanted[] = {0.3, 0.05, 0.01, 1e-3, 1e-6};

	draw(2);
	for (unsigned which = 0; which < 3; which++)
		for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
			struct sketch s = any_sketch(which, 5040, 300);
			struct mismatch why;
			double best = 0, fpp;

			for (uint64_t d = 5040; d >= 1; d--)
				if (5040 % d == 0 && s.kind->fold->fpp(s.body, d, &fpp) == OK &&
				    fpp <= wanted[i])
					best = (double)d;
			enum status st = fold_sketch(&s, &(struct fold){.fpp = wanted[i]}, &why);
			CHECK_EQ(st, best > 0 ? OK : STATUS_MISMATCH);
			CHECK_EQ(size_of(&s), best > 0 ? best : 5040);
			CHECK(best == 0 || fpp_of(&s) <= wanted[i]);
			/* It does not promise what it does not keep. */
			struct record head = {0};
			struct slice payload;
			s.kind->view(s.body, &head, &payload);
			struct bloom_shape shape = bloom_shape_of(&head);
			if (best > 0) {
				CHECK(shape.fpp == wanted[i]);
				CHECK(bloom_expected_fpp(&shape, shape.capacity) <= wanted[i]);
				CHECK(bloom_expected_fpp(&shape, shape.capacity + 1) > wanted[i]);
				CHECK(shape.capacity >= 250);
			} else {
				CHECK(shape.fpp == 0.01 && shape.capacity == 300);
				CHECK(strncmp(why.text, "its fpp is ", 11) == 0);
			}
			sketch_free(&s);
		}
}

static void
unlike_sizes_fold_to_what_they_have_in_common(void)
{
	static const uint64_t pairs[][3] = {
		{720, 5040, 720}, {720, 1009, 1}, {64, 48, 16}, {100, 100, 100},
	};

	draw(3);
	for (unsigned which = 0; which < 3; which++)
		for (unsigned i = 0; i < 4; i++) {
			struct sketch a = any_sketch(which, pairs[i][0], 200);
			struct sketch b = any_sketch(which, pairs[i][1], 200);
			bool folded;

			CHECK(fold_alike(&a, &b, &folded) == OK);
			CHECK(folded == (pairs[i][0] != pairs[i][1]));
			CHECK_EQ(size_of(&a), pairs[i][2]);
			CHECK(same_payload(&a, &b));
			sketch_free(&a);
			sketch_free(&b);
		}
}

static void
a_hyperloglog_folds_by_its_registers(void)
{
	struct mismatch why;

	draw(4);
	for (unsigned precision = 10; precision <= 14; precision++) {
		struct hll *fine = NULL, *coarse = NULL;
		CHECK(hll_new(&fine, 14) == OK && hll_new(&coarse, precision) == OK);
		CHECK(hll_add(fine, hash, ITEMS) == OK && hll_add(coarse, hash, ITEMS) == OK);
		struct sketch s = {.kind = &hll_kind, .body = fine};
		struct fold to = {.bytes = hll_bytes(precision)};
		CHECK(fold_sketch(&s, &to, &why) == OK);
		CHECK_EQ(hll_precision(fine), precision);
		CHECK(hll_estimate(fine) == hll_estimate(coarse));
		hll_free(fine);
		hll_free(coarse);
	}
	CHECK(!fold_can(&hll_kind, &(struct fold){.fpp = 0.01}));
}

/* What both report, and nothing else. */
static void
an_intersection_reports_what_both_do(void)
{
	static bool in_a[ITEMS], in_b[ITEMS], in_both[ITEMS];

	draw(5);
	for (unsigned which = 0; which < 3; which++) {
		const struct kind *k = which == 2 ? &counting_kind :
		    bloom_kind(which == 0 ? BLOOM_BLOCK : BLOOM_CLASSIC);
		struct sketch a = any_sketch(which, which == 0 ? 64 : 4000, 1000);
		memmove(hash, hash + 500, (ITEMS - 500) * sizeof *hash);
		struct sketch b = any_sketch(which, which == 0 ? 64 : 4000, 1000);
		struct mismatch why;
		size_t both = 0;

		b.head.items = 700;
		b.head.flags = FLAG_AUTO;
		if (which < 2) {
			bloom_has(a.body, hash, ITEMS, in_a);
			bloom_has(b.body, hash, ITEMS, in_b);
		} else {
			counting_has(a.body, hash, ITEMS, in_a);
			counting_has(b.body, hash, ITEMS, in_b);
		}
		CHECK(a.kind == k && sketch_intersect(&a, &b, &why) == OK);
		if (which < 2)
			bloom_has(a.body, hash, ITEMS, in_both);
		else
			counting_has(a.body, hash, ITEMS, in_both);
		for (size_t i = 0; i < ITEMS; i++) {
			CHECK(in_both[i] == (in_a[i] && in_b[i]));
			both += in_both[i];
		}
		CHECK(both >= 500 && both < ITEMS);
		CHECK_EQ(a.head.items, 700);
		CHECK_EQ(a.head.flags, FLAG_INTERSECTED | FLAG_AUTO);
		/* It stays. */
		CHECK(sketch_merge(&b, &a, &why) == OK && (b.head.flags & FLAG_INTERSECTED));
		sketch_free(&a);
		sketch_free(&b);
	}
}

/* The expected fpp of a classic filter is worked out without libm. */
static void
series_agree_with_libm(void)
{
	static const uint64_t size[] = {2, 3, 10, 999, 1000, 1001, 95851, UINT64_C(1) << 33};
	static const double load[] = {1e-6, 1e-3, 0.1, 0.3, 0.69, 1, 3, 20, 100};

	for (unsigned i = 0; i < sizeof size / sizeof *size; i++)
		for (unsigned k = 1; k <= 64; k += 9)
			for (unsigned l = 0; l < sizeof load / sizeof *load; l++) {
				struct bloom_shape s = {BLOOM_CLASSIC, size[i], k, 1, 0.01};
				uint64_t n = 1 + (uint64_t)((double)size[i] * load[l] / k);
				double probed = (double)n * k;
				double wanted = pow(-expm1(probed * log1p(-1 / (double)size[i])), k);
				CHECK_IN(bloom_expected_fpp(&s, n), wanted * (1 - 1e-12), wanted * (1 + 1e-12));
			}
}

int
main(void)
{
	RUN(the_largest_size_that_fits_is_taken);
	RUN(the_smallest_size_that_keeps_the_fpp_is_taken);
	RUN(unlike_sizes_fold_to_what_they_have_in_common);
	RUN(a_hyperloglog_folds_by_its_registers);
	RUN(an_intersection_reports_what_both_do);
	RUN(series_agree_with_libm);
	return check_done();
}
