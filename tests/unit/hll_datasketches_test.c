/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What the HLL sketch of DataSketches does beyond single files: when it turns to
 * registers, what becomes of unlike sizes and of HIP's answer, and how its answers
 * are those of the library, from its own tables.
 */
#include <math.h>

#include "base/hash.h"
#include "interop/systems.h"
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/kinds.h"
#include "check.h"

#define FOLDER "tests/interop/hll/"

static struct hll_datasketches *
make(unsigned lgk)
{
	struct hll_datasketches *s = NULL;

	CHECK_EQ(hll_datasketches_new(&s, lgk), OK);
	return s;
}

static void
add_numbers(struct hll_datasketches *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to; i++) {
		char text[24];
		uint64_t hash;

		snprintf(text, sizeof text, "%llu", (unsigned long long)i);
		struct slice item = slice_of(text);
		hash_items(HASH_MURMUR3_COUPON, &item, 1, &hash);
		CHECK_EQ(hll_datasketches_add(s, &hash, 1), OK);
	}
}

static struct hll_datasketches *
numbers(unsigned lgk, uint64_t from, uint64_t to)
{
	struct hll_datasketches *s = make(lgk);

	add_numbers(s, from, to);
	return s;
}

/* The record of a sketch: header and payload. */
static struct buffer
saved(const struct hll_datasketches *s)
{
	struct record head = {.kind = KIND_HLL_DATASKETCHES};
	struct buffer out = {0};

	CHECK_EQ(hll_datasketches_kind.save(s, &head, &out), OK);
	CHECK_EQ(buffer_append(&out, head.param, sizeof head.param), OK);
	return out;
}

static bool
equal(const struct hll_datasketches *a, const struct hll_datasketches *b)
{
	struct buffer x = saved(a), y = saved(b);
	bool same = x.len == y.len && memcmp(x.at, y.at, x.len) == 0;

	buffer_free(&x);
	buffer_free(&y);
	return same;
}

static void
coupons_are_those_of_the_library(void)
{
	static const struct { const char *item; uint64_t coupon; } row[] = {
		{"1", 0x060fa6aa}, {"2", 0x0ed92c8f}, {"hello", 0x0435c1aa}, {"", 0},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct slice item = slice_of(row[i].item);
		uint64_t hash = 1;

		hash_items(HASH_MURMUR3_COUPON, &item, 1, &hash);
		CHECK_EQ(hash, row[i].coupon);
	}
}

/* 7 listed ones, or three quarters of the largest table. */
static void
so_many_coupons_are_kept(void)
{
	static const size_t limit[] = {
		7, 7, 7, 7, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288, 24576, 49152, 98304,
		196608,
	};

	for (unsigned lgk = 4; lgk <= 21; lgk++) {
		struct hll_datasketches *s = make(lgk);
		size_t kept = limit[lgk - 4];

		CHECK_EQ(hll_datasketches_limit(lgk), kept);
		add_numbers(s, 1, kept);
		add_numbers(s, 1, kept);
		/* Of 200,000 coupons in 2^26 places some hundreds share one, but few have
		 * the same rank, too. */
		size_t have = hll_explicit_count(hll_datasketches_coupons(s));
		CHECK_IN(have, (double)kept * (1 - 1e-3), (double)kept);
		for (uint64_t i = kept + 1; hll_datasketches_coupons(s); i++) {
			have = hll_explicit_count(hll_datasketches_coupons(s));
			add_numbers(s, i, i);
		}
		CHECK_EQ(have, kept);
		CHECK(hll_datasketches_registers(s) != NULL);
		hll_datasketches_free(s);
	}
}

static void
empty_items_are_left_out(void)
{
	struct hll_datasketches *a = make(12), *b = make(12);
	static const uint64_t none[3];

	CHECK_EQ(hll_datasketches_add(a, none, 3), OK);
	CHECK(hll_datasketches_estimate(a) == 0);
	CHECK(equal(a, b));
	add_numbers(a, 1, 1000);
	add_numbers(b, 1, 1000);
	CHECK_EQ(hll_datasketches_add(a, none, 1), OK);
	CHECK(equal(a, b));
	hll_datasketches_free(a);
	hll_datasketches_free(b);
}

/* Whatever the sizes, in either order: as if made at the smaller one at once. */
static void
unlike_sizes_unite_at_the_smaller(void)
{
	static const struct { unsigned a, b; uint64_t n, m; } row[] = {
		{14, 12, 1000, 100}, {14, 12, 1000, 10000}, {14, 12, 10000, 100}, {14, 12, 5, 5},
		{12, 4, 5, 2}, {12, 4, 5, 3}, {21, 4, 3000, 0}, {21, 8, 0, 24}, {8, 7, 20, 1},
		{14, 12, 20000, 20000}, {10, 10, 50, 46}, {10, 10, 50, 47},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct hll_datasketches *a = numbers(row[i].a, 1, row[i].n);
		struct hll_datasketches *b = numbers(row[i].b, row[i].n + 1, row[i].n + row[i].m);
		struct hll_datasketches *c = numbers(row[i].a, 1, row[i].n);
		struct hll_datasketches *d = numbers(row[i].a < row[i].b ? row[i].a : row[i].b, 1,
		    row[i].n + row[i].m);

		CHECK_EQ(hll_datasketches_merge(a, b), OK);
		CHECK(equal(a, d));
		CHECK_EQ(hll_datasketches_merge(b, c), OK);
		CHECK(equal(b, d));
		hll_datasketches_free(a);
		hll_datasketches_free(b);
		hll_datasketches_free(c);
		hll_datasketches_free(d);
	}
}

static void
folded_is_as_made_smaller(void)
{
	static const uint64_t many[] = {0, 7, 8, 384, 385, 5000};

	for (size_t i = 0; i < sizeof many / sizeof *many; i++)
		for (unsigned lgk = 4; lgk <= 13; lgk++) {
			struct hll_datasketches *s = numbers(13, 1, many[i]);
			struct hll_datasketches *small = numbers(lgk, 1, many[i]);

			CHECK_EQ(hll_datasketches_fold(s, 14), STATUS_PARAMETER);
			CHECK_EQ(hll_datasketches_fold(s, 3), STATUS_PARAMETER);
			CHECK_EQ(hll_datasketches_fold(s, lgk), OK);
			CHECK(equal(s, small));
			struct buffer bytes = saved(s);
			CHECK(bytes.len - 64 <= hll_datasketches_kind.fold->bytes(s,
			    UINT64_C(1) << lgk));
			buffer_free(&bytes);
			hll_datasketches_free(s);
			hll_datasketches_free(small);
		}
}

static struct buffer
load(const char *name)
{
	struct buffer b = {0};
	char path[200], some[4096];
	size_t n;

	snprintf(path, sizeof path, FOLDER "%s", name);
	FILE *in = fopen(path, "rb");
	CHECK(in != NULL);
	while (in && (n = fread(some, 1, sizeof some, in)) > 0)
		CHECK(buffer_append(&b, some, n) == OK);
	if (in)
		fclose(in);
	return b;
}

static struct hll_datasketches *
read_file(const char *name)
{
	struct buffer bytes = load(name);
	struct sketch s = {0};
	uint64_t left_out;

	CHECK_EQ(system_find("datasketches")->read(&bytes, &s, &left_out), OK);
	buffer_free(&bytes);
	return s.body;
}

static struct buffer
written(struct hll_datasketches *h)
{
	struct sketch s = {.head = {.kind = KIND_HLL_DATASKETCHES}, .body = h};
	struct buffer out = {0};

	CHECK_EQ(system_find("datasketches")->write(&s, buffer_sink(&out)), OK);
	return out;
}

/* HIP knows 100,000 items to be 98816.7, and the registers 99076.6. */
static void
hip_lasts_until_something_is_added(void)
{
	static const char file[] = "datasketches/seq-100000-k12h8.compact.bin";
	struct hll_datasketches *s = read_file(file), *empty = make(12), *large = make(14);
	double hip = hll_datasketches_hip(s), low, high;
	const uint64_t skipped = 0;

	CHECK_IN(hip, 98816.7184, 98816.7185);
	CHECK(hll_datasketches_estimate(s) == hip);
	CHECK_EQ(hll_datasketches_add(s, &skipped, 1), OK);
	CHECK_EQ(hll_datasketches_merge(s, empty), OK);
	CHECK_EQ(hll_datasketches_merge(empty, s), OK);
	CHECK_EQ(hll_datasketches_merge(large, s), OK);
	CHECK(hll_datasketches_estimate(s) == hip);
	CHECK(hll_datasketches_estimate(empty) == hip);
	CHECK(equal(s, empty));
	CHECK(equal(s, large));

	/* All of these are in it already. */
	add_numbers(empty, 1, 1);
	CHECK(hll_datasketches_hip(empty) == 0);
	CHECK_IN(hll_datasketches_estimate(empty), 99076.587, 99076.588);
	hll_datasketches_interval(empty, &low, &high);
	CHECK_IN((high - low) / hip, 0.064, 0.065);
	hll_datasketches_interval(s, &low, &high);
	CHECK_IN((high - low) / hip, 0.051, 0.052);
	CHECK_EQ(hll_datasketches_merge(s, empty), OK);
	CHECK(equal(s, empty));
	hll_datasketches_free(s);
	s = read_file(file);
	CHECK_EQ(hll_datasketches_fold(s, 12), OK);
	CHECK(hll_datasketches_hip(s) == hip);
	CHECK_EQ(hll_datasketches_fold(s, 11), OK);
	CHECK(hll_datasketches_hip(s) == 0);
	CHECK(!hll_datasketches_set_hip(s, NAN));
	CHECK(!hll_datasketches_set_hip(s, INFINITY));
	CHECK(!hll_datasketches_set_hip(s, 2047));
	CHECK(hll_datasketches_set_hip(s, 2048));
	CHECK(!hll_datasketches_set_hip(large, 0.5));
	hll_datasketches_free(s);
	hll_datasketches_free(empty);
	hll_datasketches_free(large);
}

static int
compare_coupons(const void *a, const void *b)
{
	uint32_t x = get_le32(a), y = get_le32(b);

	return (x > y) - (x < y);
}

/* The library's own bytes of HLL_8, compact, and ours: the same, but that coupons
 * lie in the order in which they came, or in that of a table. */
static void
its_own_bytes_come_back(void)
{
	static const char *const file[] = {
		"seq-0-k12", "seq-1-k12", "seq-2-k12", "seq-5-k12", "seq-5-k4", "seq-7-k12",
		"seq-8-k4", "seq-8-k7", "seq-8-k12", "seq-10-k12", "seq-97-k10", "seq-100-k4",
		"seq-100-k12", "seq-1000-k7", "seq-1000-k10", "seq-1000-k12", "seq-1000-k14",
		"seq-10000-k12", "seq-100000-k10", "seq-100000-k12", "seq-100000-k14",
		"seq-1000000-k12", "int64-seq-5-k12", "int64-seq-100-k12", "int64-seq-1000-k12",
		"utf16-seq-5-k12", "utf16-seq-100-k12", "utf16-seq-1000-k12", "len0-64-k12", "odd-k12",
		"odd-text-k12", "utf16-odd-text-k12", "union-1-100+51-150-k12",
		"union-1-1000+501-1500-k12", "union-1-100000+50001-150000-k12",
		"union-fold-k14+k12-",
	};

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		char name[100];

		snprintf(name, sizeof name, "datasketches/%sh8.compact.bin", file[i]);
		struct hll_datasketches *s = read_file(name);
		struct buffer theirs = load(name), ours = written(s);
		size_t start = theirs.at[0] * 4u;

		if (hll_datasketches_coupons(s) && theirs.len > start)
			qsort(theirs.at + start, (theirs.len - start) / 4, 4, compare_coupons);
		/* Java does not say of registers that they are compact. */
		if (hll_datasketches_registers(s))
			theirs.at[5] |= 8;
		if (ours.len != theirs.len || memcmp(ours.at, theirs.at, ours.len) != 0) {
			printf("# %s\n", name);
			CHECK(!"other bytes");
		}
		hll_datasketches_free(s);
		buffer_free(&theirs);
		buffer_free(&ours);
	}
}

static bool
near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * want;
}

/* Without the answer of HIP; the bounds are around that. */
static void
answers_and_bounds_are_those_of_the_library(void)
{
	FILE *in = fopen(FOLDER "datasketches/bounds.tsv", "r");
	double composite, want_low, want_high, low, high;
	char name[100];
	size_t lines = 0;

	CHECK(in != NULL);
	for (; in && fscanf(in, "%99s%lf%lf%lf", name, &composite, &want_low, &want_high) == 4;
	    lines++) {
		struct hll_datasketches *s = read_file(name);

		hll_datasketches_interval(s, &low, &high);
		CHECK(near(low, want_low) && near(high, want_high));
		CHECK_EQ(hll_datasketches_merge(s, s), OK);
		CHECK(near(hll_datasketches_estimate(s), composite));
		hll_datasketches_free(s);
	}
	CHECK_EQ(lines, 79);
	if (in)
		fclose(in);
}

/* Registers of all sizes, from nearly empty to nearly full: see the README there. */
static void
registers_answer_as_in_the_library(void)
{
	FILE *in = fopen(FOLDER "datasketches/composite.tsv", "r");
	static unsigned char rank[1 << 21];
	double estimate, want_low, want_high, low, high;
	size_t lines = 0;
	unsigned lgk;
	int shift;

	CHECK(in != NULL);
	for (; in && fscanf(in, "%u%d%lf%lf%lf", &lgk, &shift, &estimate, &want_low,
	    &want_high) == 5; lines++) {
		struct hll_datasketches *s = make(lgk);

		for (unsigned i = 0; i >> lgk == 0; i++) {
			int r = shift + 1 + __builtin_ctzll(hash_step(0, i + 1));
			rank[i] = (unsigned char)(r < 0 ? 0 : r > 63 ? 63 : r);
		}
		CHECK_EQ(hll_datasketches_raise(s, rank), OK);
		double got = hll_datasketches_estimate(s);
		hll_datasketches_interval(s, &low, &high);
		/* Ours lies in its interval, and none is above 2^64. */
		bool right = estimate > 0x1p64 ? near(got, 0x1p64) && low <= got && got <= high :
		    near(got, estimate) && near(low, fmin(want_low, got)) &&
		    near(high, fmin(want_high, 0x1p64));
		if (!right)
			printf("# lgk %u shift %d\n", lgk, shift);
		CHECK(right);
		hll_datasketches_free(s);
	}
	CHECK_EQ(lines, 250);
	if (in)
		fclose(in);
}

/* Of n items, how many distinct coupons there are on average: the sum over the
 * ranks of 2^26 (1 - (1 - p)^n), where p is the chance of one coupon. */
static double
expected_coupons(double n)
{
	double sum = 0;

	for (int rank = 1; rank <= 63; rank++)
		sum -= 0x1p26 * expm1(n * log1p(-ldexp(1, -26 - (rank < 62 ? rank : 62))));
	return sum;
}

static void
coupons_answer_for_items_that_share_one(void)
{
	for (double n = 1; n < 200000; n *= 1.7) {
		double coupons = expected_coupons(n);
		CHECK_IN(composite_coupons(coupons), n * (1 - 1e-6), n * (1 + 1e-6));
	}
	for (double coupons = 0; coupons < 196608; coupons = coupons * 1.5 + 1)
		CHECK(composite_coupons(coupons) >= coupons);
}

/* A payload whose bytes are not the one form of what they say. */
static enum status
load_payload(unsigned lgk, uint64_t form, double hip, const void *bytes, size_t n)
{
	struct record head = {.kind = KIND_HLL_DATASKETCHES, .version = 1,
		.hash = HASH_MURMUR3_COUPON, .size = n, .param = {lgk, form}};
	struct buffer payload = {malloc(n > 0 ? n : 1), n, n};
	struct sketch s = {0};

	memcpy(payload.at, bytes, n);
	memcpy(&head.param[2], &hip, sizeof hip);
	enum status st = kind_check(&head);
	if (st == OK)
		st = sketch_load(&s, &head, &payload);
	sketch_free(&s);
	buffer_free(&payload);
	return st;
}

static void
a_payload_has_one_form(void)
{
	static unsigned char zeros[32], some[12] = {1};

	CHECK_EQ(load_payload(4, 0, 0, zeros, 0), OK);
	CHECK_EQ(load_payload(3, 0, 0, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load_payload(22, 0, 0, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load_payload(4, 2, 0, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load_payload(4, 0, 1, zeros, 0), STATUS_PARAMETER);
	CHECK_EQ(load_payload(12, 0, 0, "\x01\0\0\x04", 4), OK);
	CHECK_EQ(load_payload(12, 0, 0, "\x01\0\0\x04", 3), STATUS_SIZE);
	CHECK_EQ(load_payload(12, 0, 0, "\x01\0\0\x03", 4), STATUS_INVARIANT);
	CHECK_EQ(load_payload(12, 0, 0, "\x01\0\0\x04\x02\0\0\x04", 8), OK);
	CHECK_EQ(load_payload(12, 0, 0, "\x02\0\0\x04\x01\0\0\x04", 8), STATUS_INVARIANT);
	CHECK_EQ(load_payload(12, 0, 0, "\x01\0\0\x04\x01\0\0\x04", 8), STATUS_INVARIANT);
	CHECK_EQ(load_payload(4, 0, 0, zeros, 32), STATUS_SIZE);
	CHECK_EQ(load_payload(4, 1, 0, zeros, 12), STATUS_INVARIANT);
	CHECK_EQ(load_payload(4, 1, 0, some, 12), OK);
	CHECK_EQ(load_payload(4, 1, 0, some, 11), STATUS_SIZE);
	CHECK_EQ(load_payload(5, 1, 0, some, 12), STATUS_SIZE);
	CHECK_EQ(load_payload(4, 1, 1, some, 12), OK);
	CHECK_EQ(load_payload(4, 1, 0.5, some, 12), STATUS_INVARIANT);
	CHECK_EQ(load_payload(4, 1, -1, some, 12), STATUS_INVARIANT);
	CHECK_EQ(load_payload(4, 1, NAN, some, 12), STATUS_INVARIANT);
}

static void
lgk_is_a_setting(void)
{
	const struct system *d = system_find("datasketches");
	static const char *const bad[] = {"3", "22", "x", "12,", "-4", "120", " 12", "1e1", "012"};
	struct record head = {0};
	struct mismatch why;

	CHECK(d->settings("", &head, &why) && head.param[0] == 12);
	CHECK(d->settings("4", &head, &why) && head.param[0] == 4);
	CHECK(d->settings("21", &head, &why) && head.param[0] == 21);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!d->settings(bad[i], &head, &why) && strlen(why.text) > 0);
	CHECK(strcmp(why.text, "LGK '012' is not in 4..21") == 0);
}

/* Of so many random items in so many runs, how often the interval holds the truth. */
static double
held(unsigned lgk, size_t n, size_t runs)
{
	uint64_t seed = n;
	size_t held = 0;

	for (size_t run = 0; run < runs; run++) {
		struct hll_datasketches *s = make(lgk);
		double low, high;

		for (size_t i = 0; i < n; i++) {
			uint64_t h = check_random(&seed), zeros = (uint64_t)__builtin_clzll(h | 4);
			uint64_t coupon = (zeros + 1) << 26 | (check_random(&seed) & 0x3ffffff);
			CHECK_EQ(hll_datasketches_add(s, &coupon, 1), OK);
		}
		hll_datasketches_interval(s, &low, &high);
		held += low <= (double)n && (double)n <= high;
		hll_datasketches_free(s);
	}
	return (double)held / (double)runs;
}

static void
intervals_hold(void)
{
	static const struct { unsigned lgk; size_t n; } row[] = {
		{4, 100}, {4, 12}, {7, 500}, {10, 96}, {10, 700}, {10, 2000}, {10, 20000}, {12, 384},
		{12, 20000}, {14, 30000},
	};
	size_t runs = check_times(30, 60, 600);

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		CHECK_IN(held(row[i].lgk, row[i].n, runs),
		    0.95 - 3 * sqrt(0.95 * 0.05 / (double)runs), 1);
}

int
main(void)
{
	RUN(coupons_are_those_of_the_library);
	RUN(so_many_coupons_are_kept);
	RUN(empty_items_are_left_out);
	RUN(unlike_sizes_unite_at_the_smaller);
	RUN(folded_is_as_made_smaller);
	RUN(hip_lasts_until_something_is_added);
	RUN(its_own_bytes_come_back);
	RUN(answers_and_bounds_are_those_of_the_library);
	RUN(registers_answer_as_in_the_library);
	RUN(coupons_answer_for_items_that_share_one);
	RUN(a_payload_has_one_form);
	RUN(lgk_is_a_setting);
	RUN(intervals_hold);
	return check_done();
}
