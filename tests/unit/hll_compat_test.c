/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What the HyperLogLogs of Redis and PostgreSQL do beyond single files: when
 * they turn to registers, which of them unite, how far their answers are off.
 */
#include <math.h>

#include "base/hash.h"
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll_postgres.h"
#include "sketch/distinct/hll_redis.h"
#include "sketch/kinds.h"
#include "check.h"

static struct hll_postgres *
postgres(unsigned log2m, unsigned regwidth, int64_t expthresh, bool sparseon)
{
	struct hll_postgres_shape shape = {log2m, regwidth, 0, sparseon};
	struct hll_postgres *s = NULL;

	CHECK(hll_postgres_code(expthresh, &shape.expthresh));
	CHECK_EQ(hll_postgres_new(&s, &shape), OK);
	return s;
}

static void
draw(struct hll_postgres *s, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t h = check_random(seed);
		CHECK_EQ(hll_postgres_add(s, &h, 1), OK);
	}
}

static void
expthresh_is_a_power_of_two_or_a_word(void)
{
	static const int64_t refused[] = {-2, 3, 160, INT64_MIN, INT64_MAX, (INT64_C(1) << 61) + 1,
		INT64_C(1) << 62};
	unsigned code;

	for (int64_t e = 1; e <= INT64_C(1) << 61; e *= 2) {
		CHECK(hll_postgres_code(e, &code));
		CHECK(code >= 1 && code <= 62);
		CHECK(hll_postgres_expthresh(code) == e);
	}
	CHECK(hll_postgres_code(0, &code) && code == 0 && hll_postgres_expthresh(code) == 0);
	CHECK(hll_postgres_code(-1, &code) && code == 63 && hll_postgres_expthresh(code) == -1);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		CHECK(!hll_postgres_code(refused[i], &code));
}

static void
so_many_hashes_are_kept(void)
{
	static const struct { unsigned log2m, regwidth, code; size_t kept; } row[] = {
		{11, 5, 63, 160}, {14, 5, 63, 1280}, {17, 5, 63, 10240}, {4, 1, 63, 0}, {4, 5, 63, 1},
		{17, 8, 63, 16383}, {11, 5, 0, 0}, {11, 5, 1, 1}, {11, 5, 7, 64}, {11, 5, 14, 8192},
		{11, 5, 15, 16383}, {11, 5, 62, 16383},
	};
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct hll_postgres_shape shape = {row[i].log2m, row[i].regwidth, row[i].code, true};
		size_t kept = hll_postgres_threshold(&shape);

		CHECK_EQ(kept, row[i].kept);
		struct hll_postgres *s;
		CHECK_EQ(hll_postgres_new(&s, &shape), OK);
		draw(s, kept, &seed);
		CHECK(hll_postgres_hashes(s) != NULL);
		CHECK(hll_postgres_estimate(s) == (double)kept);
		draw(s, 1, &seed);
		CHECK(hll_postgres_hashes(s) == NULL);
		CHECK(hll_postgres_registers(s) != NULL);
		hll_postgres_free(s);
	}
}

/* Its hash is 0. */
static void
the_empty_item_counts_among_few_only(void)
{
	struct hll_postgres *s = postgres(11, 5, 4, true);
	struct slice empty = slice_of("");
	enum hll_postgres_type type;
	struct buffer body = {0};
	uint64_t hash, seed = 2;

	hash_items(HASH_MURMUR3, &empty, 1, &hash);
	CHECK_EQ(hash, 0);
	CHECK_EQ(hll_postgres_add(s, &hash, 1), OK);
	CHECK_EQ(hll_postgres_add(s, &hash, 1), OK);
	CHECK(hll_postgres_estimate(s) == 1);
	draw(s, 3, &seed);
	CHECK(hll_postgres_estimate(s) == 4);
	draw(s, 1, &seed);
	CHECK_IN(hll_postgres_estimate(s), 4, 4.01);
	hll_postgres_free(s);

	/* Alone among registers it leaves no trace but that of an item. */
	s = postgres(11, 5, 0, true);
	CHECK_EQ(hll_postgres_add(s, &hash, 1), OK);
	CHECK(hll_postgres_estimate(s) == 0);
	CHECK_EQ(hll_postgres_encode(s, &body, &type), OK);
	CHECK_EQ(type, HLL_POSTGRES_SPARSE);
	CHECK_EQ(body.len, 0);
	hll_postgres_free(s);
	buffer_free(&body);
}

static void
parameters_that_differ_are_named(void)
{
	struct hll_postgres *a = postgres(11, 5, -1, true);
	struct { struct hll_postgres *b; const char *why; } row[] = {
		{postgres(12, 5, -1, true), "log2m 11 and 12"},
		{postgres(11, 4, -1, true), "regwidth 5 and 4"},
		{postgres(11, 5, 64, true), "expthresh -1 and 64"},
		{postgres(11, 5, -1, false), "sparseon 1 and 0"},
	};
	struct mismatch why;
	uint64_t seed = 3;

	draw(a, 10, &seed);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		draw(row[i].b, 5, &seed);
		CHECK_EQ(hll_postgres_merge(a, row[i].b, &why), STATUS_MISMATCH);
		CHECK(strcmp(why.text, row[i].why) == 0);
		CHECK(hll_postgres_estimate(a) == 10);
		hll_postgres_free(row[i].b);
	}
	CHECK_EQ(hll_postgres_merge(a, a, &why), OK);
	CHECK(hll_postgres_estimate(a) == 10);
	hll_postgres_free(a);
}

static void
settings_out_of_range_are_refused(void)
{
	static const uint64_t good[8] = {11, 5, 63, 1};
	static const struct { unsigned at; uint64_t value; } bad[] = {
		{0, 3}, {0, 18}, {0, UINT64_C(11) << 32 | 11}, {1, 0}, {1, 9}, {2, 64}, {3, 2},
		{3, UINT64_MAX}, {1, (UINT64_C(1) << 32) + 5},
	};
	const struct distinct *d = distinct_find(KIND_HLL_POSTGRES);
	void *body;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct record head = {.kind = KIND_HLL_POSTGRES, .version = 1, .hash = HASH_MURMUR3};

		memcpy(head.param, good, sizeof good);
		head.param[4] = HLL_POSTGRES_EMPTY;
		CHECK_EQ(kind_check(&head), OK);
		head.param[bad[i].at] = bad[i].value;
		CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
		CHECK_EQ(d->make(&body, &head), STATUS_PARAMETER);
	}
}

/* A payload whose bytes are not the one form of what they say. */
static enum status
load(uint16_t kind, const uint64_t *param, const void *bytes, size_t n)
{
	struct record head = {.kind = kind, .version = 1, .hash = kind_find(kind)->hash, .size = n};
	struct buffer payload = {malloc(n > 0 ? n : 1), n, n};
	struct sketch s = {0};

	memcpy(payload.at, bytes, n);
	for (size_t i = 0; param && i < 5; i++)
		head.param[i] = param[i];
	enum status st = kind_check(&head);
	if (st == OK)
		st = sketch_load(&s, &head, &payload);
	sketch_free(&s);
	buffer_free(&payload);
	return st;
}

static void
a_redis_payload_has_one_form(void)
{
	static unsigned char zeros[12289];
	static const uint64_t odd[5] = {1};

	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x7f\xff", 2), OK);
	CHECK_EQ(load(KIND_HLL_REDIS, odd, "\x7f\xff", 2), STATUS_PARAMETER);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x7f", 1), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, zeros, 0), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, zeros, 2985), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, zeros, 12287), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, zeros, 12289), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, zeros, 12288), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x40\x00\x7f\xfe", 4), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x00\x7f\xfe", 3), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x80\x80\x7f\xfd", 4), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x81\x7f\xfd", 3), OK);
	CHECK_EQ(load(KIND_HLL_REDIS, NULL, "\x81\x7f\xfc", 3), STATUS_INVARIANT);
}

static void
a_postgres_payload_has_one_form(void)
{
	static const uint64_t empty[5] = {11, 5, 63, 1, 1}, few[5] = {11, 5, 63, 1, 2},
	    sparse[5] = {11, 5, 63, 1, 3}, full[5] = {11, 5, 63, 1, 4}, none[5] = {11, 5, 63, 1, 0},
	    dense[5] = {11, 5, 63, 0, 3}, undefined[5] = {11, 5, 63, 1, 5};
	static unsigned char zeros[1281], ones[8 * 161];

	CHECK_EQ(load(KIND_HLL_POSTGRES, empty, zeros, 0), OK);
	CHECK_EQ(load(KIND_HLL_POSTGRES, empty, zeros, 1), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_POSTGRES, none, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load(KIND_HLL_POSTGRES, undefined, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, zeros, 8), OK);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, zeros, 0), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, zeros, 12), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, zeros, 16), STATUS_INVARIANT);
	for (size_t i = 0; i < 161; i++)
		ones[8 * i + 7] = (unsigned char)(i + 1);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, ones, 160 * 8), OK);
	CHECK_EQ(load(KIND_HLL_POSTGRES, few, ones, 161 * 8), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, zeros, 0), OK);
	CHECK_EQ(load(KIND_HLL_POSTGRES, dense, zeros, 0), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, "\x00\x61\x00\xa1", 4), OK);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, "\x00\xa1\x00\x61", 4), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, "\x00\x61\x00\x62", 4), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, zeros, 2), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, zeros, 1), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, sparse, zeros, 1281), STATUS_SIZE);
	CHECK_EQ(load(KIND_HLL_POSTGRES, full, zeros, 1280), STATUS_INVARIANT);
	CHECK_EQ(load(KIND_HLL_POSTGRES, full, zeros, 1279), STATUS_SIZE);
}

/*
 * Registers so few that the zeros behind a SPARSE body are as long as a word
 * or longer: no register is lost in them, register 0 least of all.
 */
static void
every_small_geometry_comes_back(void)
{
	uint64_t seed = 4;

	for (unsigned log2m = 4; log2m <= 7; log2m++)
		for (unsigned regwidth = 1; regwidth <= 8; regwidth++)
			for (size_t n = 0; n < (size_t)3 << log2m; n++) {
				struct hll_postgres *s = postgres(log2m, regwidth, n % 2 ? 0 : 2, n % 3);
				uint64_t to_zero = check_random(&seed) >> log2m << log2m;
				struct record head = {.kind = KIND_HLL_POSTGRES, .version = 1};
				struct buffer payload = {0}, again = {0};
				struct sketch back = {0};

				draw(s, n, &seed);
				CHECK_EQ(hll_postgres_add(s, &to_zero, 1), OK);
				CHECK_EQ(hll_postgres_kind.save(s, &head, &payload), OK);
				head.hash = HASH_MURMUR3;
				CHECK_EQ(kind_check(&head), OK);
				CHECK_EQ(sketch_load(&back, &head, &payload), OK);
				CHECK_EQ(back.kind->save(back.body, &head, &again), OK);
				CHECK(again.len == payload.len &&
				    (again.len == 0 || memcmp(again.at, payload.at, again.len) == 0));
				CHECK(hll_postgres_estimate(back.body) == hll_postgres_estimate(s));
				sketch_free(&back);
				hll_postgres_free(s);
				buffer_free(&payload);
				buffer_free(&again);
			}
}

/* Folded at any stage it is what the items make at that size. */
static void
a_fold_is_the_sketch_of_that_size(void)
{
	static const size_t many[] = {0, 1, 30, 159, 161, 700, 20000};
	static const int64_t expthresh[] = {-1, 0, 64};
	const struct folding *f = hll_postgres_kind.fold;

	for (size_t e = 0; e < 3; e++)
		for (size_t i = 0; i < sizeof many / sizeof *many; i++)
			for (unsigned log2m = 4; log2m <= 11; log2m++) {
				struct hll_postgres *s = postgres(11, 5, expthresh[e], true);
				struct hll_postgres *want = postgres(log2m, 5, expthresh[e], true);
				uint64_t seed = 5, again = 5;
				struct buffer a = {0}, b = {0};
				enum hll_postgres_type type, other;

				draw(s, many[i], &seed);
				draw(want, many[i], &again);
				CHECK_EQ(f->size(s), 2048);
				uint64_t bytes = f->bytes(s, UINT64_C(1) << log2m);
				CHECK_EQ(f->fold(s, UINT64_C(1) << log2m), OK);
				CHECK_EQ(hll_postgres_encode(s, &a, &type), OK);
				CHECK_EQ(hll_postgres_encode(want, &b, &other), OK);
				CHECK(type == other && a.len == b.len && a.len <= bytes);
				CHECK(a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
				CHECK_EQ(hll_postgres_fold(s, 12), STATUS_PARAMETER);
				CHECK_EQ(hll_postgres_fold(s, 3), STATUS_PARAMETER);
				hll_postgres_free(s);
				hll_postgres_free(want);
				buffer_free(&a);
				buffer_free(&b);
			}
}

/* Of so many random items in so many runs: how often the interval holds the
 * truth, and the mean of the estimate's relative error. */
struct result {
	double held, bias, spread;
};

static struct result
measure(const struct distinct *d, const struct record *settings, size_t n, size_t runs)
{
	uint64_t hash[256], seed = n;
	struct result r = {0};

	for (size_t run = 0; run < runs; run++) {
		double low, high;
		void *body;

		CHECK_EQ(d->make(&body, settings), OK);
		for (size_t done = 0, some; done < n; done += some) {
			some = n - done < 256 ? n - done : 256;
			for (size_t i = 0; i < some; i++)
				hash[i] = check_random(&seed);
			CHECK_EQ(d->add(body, hash, some), OK);
		}
		d->interval(body, &low, &high);
		double error = d->estimate(body) / (double)n - 1;
		r.held += low <= (double)n && (double)n <= high;
		r.bias += error;
		r.spread += error * error;
		kind_find(d->kind)->free(body);
	}
	r.held /= (double)runs;
	r.bias /= (double)runs;
	r.spread = sqrt(r.spread / (double)runs);
	return r;
}

/* 95 %, less three standard deviations of what so many runs can tell. */
static double
at_least(size_t runs)
{
	return 0.95 - 3 * sqrt(0.95 * 0.05 / (double)runs);
}

static void
redis_errs_as_it_says(void)
{
	static const size_t many[] = {1, 10, 1000, 20000, 60000, 300000};
	size_t runs = check_times(30, 60, 400);
	struct record none = {0};

	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		struct result r = measure(distinct_find(KIND_HLL_REDIS), &none, many[i], runs);
		CHECK_IN(r.held, at_least(runs), 1);
		CHECK_IN(r.spread, 0, 1.04 / 128 * (1 + 3 / sqrt(2.0 * (double)runs)));
	}
}

static void
postgres_errs_as_it_says(void)
{
	static const struct { unsigned log2m, regwidth; size_t n; } row[] = {
		{11, 5, 100}, {11, 5, 500}, {11, 5, 2000}, {11, 5, 5120}, {11, 5, 50000},
		{14, 5, 3000}, {14, 5, 41000}, {4, 5, 20}, {4, 5, 1000}, {6, 5, 160}, {8, 5, 640},
		/* Registers that are full. */
		{10, 4, 100000}, {8, 3, 3000}, {8, 3, 100000}, {8, 1, 200}, {8, 1, 2000},
	};
	size_t runs = check_times(75, 150, 800);

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct hll_postgres_shape shape = {row[i].log2m, row[i].regwidth, 0, true};
		struct record settings = {0};

		hll_postgres_put(&shape, &settings);
		struct result r = measure(distinct_find(KIND_HLL_POSTGRES), &settings, row[i].n, runs);
		if (r.held < at_least(runs))
			printf("# log2m %u, regwidth %u, %zu items\n", row[i].log2m, row[i].regwidth,
			    row[i].n);
		CHECK_IN(r.held, at_least(runs), 1);
		if (getenv("CHECK_SHOW"))
			printf("# %u %u %zu: held %.3f bias %+.4f spread %.4f\n", row[i].log2m,
			    row[i].regwidth, row[i].n, r.held, r.bias, r.spread);
	}
}

/* The bump of the classic estimator, which the manual tells of. */
static void
postgres_is_biased_where_linear_counting_ends(void)
{
	static const struct { unsigned log2m; double at, low, high; } row[] = {
		{11, 2.6, 0.017, 0.027}, {11, 5, -0.003, 0.006}, {11, 1, -0.004, 0.004},
		{14, 2.6, 0.019, 0.025},
	};
	size_t runs = check_times(150, 150, 500);

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct hll_postgres_shape shape = {row[i].log2m, 5, 0, true};
		struct record settings = {0};
		size_t n = (size_t)(row[i].at * (1 << row[i].log2m));

		hll_postgres_put(&shape, &settings);
		struct result r = measure(distinct_find(KIND_HLL_POSTGRES), &settings, n, runs);
		CHECK_IN(r.bias, row[i].low, row[i].high);
	}
}

/* All registers are 1, so that none is counted as empty: alpha m^2 / (m / 2). */
static void
alphas_of_postgres_are_the_published_ones(void)
{
	static const double alpha[] = {0.673, 0.697, 0.709, 0.7213 / (1 + 1.079 / 128)};

	for (unsigned log2m = 4; log2m <= 7; log2m++) {
		struct hll_postgres *s = postgres(log2m, 5, 0, true);
		uint64_t m = UINT64_C(1) << log2m;

		for (uint64_t i = 0; i < m; i++) {
			uint64_t h = i | m;
			CHECK_EQ(hll_postgres_add(s, &h, 1), OK);
		}
		double wanted = 2 * alpha[log2m - 4] * (double)m;
		CHECK_IN(hll_postgres_estimate(s), wanted - 1e-9, wanted + 1e-9);
		hll_postgres_free(s);
	}
}

int
main(void)
{
	RUN(alphas_of_postgres_are_the_published_ones);
	RUN(expthresh_is_a_power_of_two_or_a_word);
	RUN(so_many_hashes_are_kept);
	RUN(the_empty_item_counts_among_few_only);
	RUN(parameters_that_differ_are_named);
	RUN(settings_out_of_range_are_refused);
	RUN(a_redis_payload_has_one_form);
	RUN(a_postgres_payload_has_one_form);
	RUN(every_small_geometry_comes_back);
	RUN(a_fold_is_the_sketch_of_that_size);
	RUN(redis_errs_as_it_says);
	RUN(postgres_errs_as_it_says);
	RUN(postgres_is_biased_where_linear_counting_ends);
	return check_done();
}
