/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "sketch/distinct/distinct.h"
#include "sketch/kinds.h"
#include "sketch/nearness/minhash.h"
#include "check.h"

/*
 * A MinHash beside the plain set: what is kept, what two of them have in common, and
 * how far estimates stray.
 */

#define MOST 40000

static struct record
sized(uint64_t size)
{
	return (struct record){.kind = KIND_MINHASH, .param[MINHASH_PARAM_SIZE] = size};
}

static struct minhash *
sketch_of(uint64_t size, const uint64_t *hash, size_t n)
{
	const struct record settings = sized(size);
	struct minhash *m = NULL;

	CHECK_EQ(minhash_new(&m, &settings), OK);
	/* In batches of unlike sizes. */
	for (size_t i = 0, some = 1; i < n; i += some, some = some % 300 + 7) {
		if (some > n - i)
			some = n - i;
		CHECK_EQ(minhash_add(m, hash + i, some), OK);
	}
	return m;
}

/* The record it makes, header and all. */
static struct buffer
record_of(const struct minhash *m)
{
	struct sketch s = {.kind = &minhash_kind, .body = (void *)(uintptr_t)m};
	struct buffer out = {0};

	s.head.hash = 1;
	CHECK_EQ(sketch_write(&s, (struct slice){NULL, 0}, buffer_sink(&out)), OK);
	return out;
}

static bool
same_record(const struct minhash *a, const struct minhash *b)
{
	struct buffer x = record_of(a), y = record_of(b);
	bool same = x.len == y.len && memcmp(x.at, y.at, x.len) == 0;

	buffer_free(&x);
	buffer_free(&y);
	return same;
}

static int
ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t
distinct_of(uint64_t *hash, size_t n)
{
	size_t kept = 0;

	qsort(hash, n, sizeof *hash, ascending);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || hash[kept - 1] != hash[i])
			hash[kept++] = hash[i];
	return kept;
}

static uint64_t hash[2 * MOST], plain[2 * MOST];

/* n draws of values distinct ones, with what no place of a table can hold and the
 * greatest there is among them. */
static void
draw(uint64_t seed, size_t n, size_t values)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t state = seed + check_random(&seed) % values;

		hash[i] = check_random(&state);
	}
	if (n > 10) {
		hash[n / 2] = hash[3] = 0;
		hash[n / 3] = UINT64_MAX;
	}
	memcpy(plain, hash, n * sizeof *hash);
}

static void
check_payload(const struct minhash *m, uint64_t size, size_t distinct)
{
	struct record head = {0};
	struct buffer payload = {0};
	size_t kept = distinct < size ? distinct : (size_t)size;

	CHECK_EQ(minhash_kind.save(m, &head, &payload), OK);
	CHECK_EQ(head.size, 8 * kept);
	CHECK_EQ(head.param[MINHASH_PARAM_MORE], distinct > size);
	CHECK_EQ(minhash_kind.check(&head), OK);
	CHECK_EQ(minhash_exact(m), distinct <= size);
	for (size_t i = 0; i < kept; i++)
		CHECK_EQ(get_le64(payload.at + 8 * i), plain[i]);
	if (distinct <= size)
		CHECK_EQ(minhash_estimate(m), distinct);
	buffer_free(&payload);
}

static void
it_holds_the_smallest_hashes(void)
{
	static const uint64_t size[] = {16, 17, 100, 1024, 4096};
	static const size_t count[] = {0, 1, 2, 15, 16, 17, 33, 100, 1000, 1025, 5000, MOST};

	for (size_t s = 0; s < sizeof size / sizeof *size; s++)
		for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
			draw(s * 100 + c, count[c], count[c] / (c % 3 + 1) + 1);
			struct minhash *m = sketch_of(size[s], hash, count[c]);
			check_payload(m, size[s], distinct_of(plain, count[c]));
			minhash_free(m);
		}
}

/* The worst order: every hash is among the smallest so far. */
static void
no_order_is_worse_than_others(void)
{
	for (size_t i = 0; i < MOST; i++)
		plain[i] = hash[i] = (uint64_t)(MOST - i) << 40;
	struct minhash *m = sketch_of(16, hash, MOST);
	check_payload(m, 16, distinct_of(plain, MOST));
	minhash_free(m);
}

/* What was saved can be added to. */
static void
it_goes_on_where_it_was(void)
{
	for (size_t n = 10; n <= 10000; n *= 10) {
		draw(n, n, n);
		struct minhash *half = sketch_of(64, hash, n / 2);
		struct record head = {0};
		struct buffer payload = {0};
		void *loaded = NULL;

		CHECK_EQ(minhash_kind.save(half, &head, &payload), OK);
		CHECK_EQ(minhash_kind.load(&loaded, &head, &payload), OK);
		CHECK_EQ(minhash_add(loaded, hash + n / 2, n - n / 2), OK);
		check_payload(loaded, 64, distinct_of(plain, n));
		buffer_free(&payload);
		minhash_free(half);
		minhash_free(loaded);
	}
}

static void
parts_unite_to_the_whole(void)
{
	static const size_t count[] = {3, 60, 64, 65, 130, 5000};
	struct mismatch why;

	for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
		size_t n = count[c];
		draw(c, n, n);
		for (size_t cut = 0; cut <= n; cut += n / 3 + 1) {
			/* The coarser one of two decides, whichever comes first. */
			struct minhash *whole = sketch_of(64, hash, n);
			struct minhash *a = sketch_of(64, hash, cut);
			struct minhash *b = sketch_of(200, hash + cut, n - cut);
			struct minhash *again = sketch_of(64, hash, cut);

			CHECK_EQ(minhash_merge(a, b, &why), OK);
			CHECK(same_record(a, whole));
			CHECK_EQ(minhash_merge(b, again, &why), OK);
			CHECK(same_record(b, whole));
			CHECK_EQ(minhash_merge(a, b, &why), OK);
			CHECK(same_record(a, whole));
			CHECK_EQ(minhash_merge(a, a, &why), OK);
			CHECK(same_record(a, whole));
			minhash_free(whole);
			minhash_free(a);
			minhash_free(b);
			minhash_free(again);
		}
	}
}

static void
unlike_elements_do_not_unite(void)
{
	struct record words = sized(16);
	struct minhash *a = sketch_of(16, hash, 0), *b;
	struct comparison c;
	struct mismatch why;

	words.param[MINHASH_PARAM_UNIT] = MINHASH_WORDS;
	words.param[MINHASH_PARAM_RUN] = 3;
	CHECK_EQ(minhash_new(&b, &words), OK);
	CHECK_EQ(minhash_merge(a, b, &why), STATUS_MISMATCH);
	CHECK(strcmp(why.text, "elements items and word:3") == 0);
	CHECK_EQ(minhash_compare(b, a, &c, &why), STATUS_MISMATCH);
	CHECK(strcmp(why.text, "elements word:3 and items") == 0);
	minhash_free(a);
	minhash_free(b);
}

/* Two sets of n elements or a few more in all, of which the first shared are in both
 * and the rest are by turns in one or the other. */
static struct comparison
compare_sets(uint64_t seed, size_t n, size_t shared, uint64_t size_a, uint64_t size_b)
{
	size_t a = 0, b = MOST;
	struct comparison c;
	struct mismatch why;

	for (size_t i = 0; i < n; i++) {
		uint64_t h = check_random(&seed);

		if (i < shared || i % 2 == 0)
			hash[a++] = h;
		if (i < shared || i % 2 != 0)
			hash[b++] = h;
	}
	struct minhash *x = sketch_of(size_a, hash, a), *y = sketch_of(size_b, hash + MOST, b - MOST);
	CHECK_EQ(minhash_compare(x, y, &c, &why), OK);
	minhash_free(x);
	minhash_free(y);
	return c;
}

static bool
is(struct estimate e, double value)
{
	return e.value == value && e.low == value && e.high == value;
}

static void
small_sets_are_compared_exactly(void)
{
	for (size_t n = 1; n <= 1000; n += n / 3 + 1)
		for (size_t shared = 0; shared <= n; shared += n / 7 + 1) {
			struct comparison c = compare_sets(n, n, shared, 1024, 2048);
			double a = (double)(shared + (n - shared + (shared % 2 == 0)) / 2);
			double b = (double)(n + shared) - a;

			CHECK(is(c.either, (double)n) && is(c.both, (double)shared));
			CHECK(is(c.a, a) && is(c.b, b));
			CHECK(is(c.only_a, a - (double)shared) && is(c.only_b, b - (double)shared));
			CHECK(is(c.jaccard, (double)shared / (double)n));
			CHECK(is(c.a_in_b, a > 0 ? (double)shared / a : 0));
			CHECK(is(c.b_in_a, b > 0 ? (double)shared / b : 0));
			CHECK(c.sampled && c.shared == shared && c.total == n);
		}
}

static void
nothing_is_like_nothing(void)
{
	struct comparison c = compare_sets(1, 0, 0, 16, 16);

	CHECK(is(c.a, 0) && is(c.either, 0) && is(c.both, 0) && is(c.jaccard, 0));
	CHECK(is(c.a_in_b, 0) && c.total == 0);
}

/* The least share of so many 95 % intervals that may hold what they should. */
static double
most_of(unsigned times)
{
	return 0.95 - 3.5 * sqrt(0.95 * 0.05 / times);
}

/* Of J at .3 to .95: bias, root of the mean squared error, and how often the interval
 * holds it. With 20,000 elements the sample is small, with 300 it is a third. */
static void
estimates_stray_as_far_as_promised(void)
{
	static const size_t count[] = {300, 1000, 20000};
	unsigned times = check_long() ? 1200 : 250;
	const uint64_t k = 128;

	for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
		for (unsigned percent = 30; percent <= 95; percent += 13) {
			size_t n = count[c], shared = n * percent / 100;
			double j = (double)shared / (double)n, sum = 0, squares = 0;
			unsigned within = 0, both = 0, alone = 0;

			if (n == 20000 && percent != 56 && !check_long())
				continue;
			for (unsigned i = 0; i < times; i++) {
				struct comparison r = compare_sets(i * 7919 + percent, n, shared, k,
				    i % 2 ? k : 3 * k);
				double off = r.jaccard.value - j;
				sum += off;
				squares += off * off;
				within += r.jaccard.low <= j && j <= r.jaccard.high;
				both += r.both.low <= (double)shared && (double)shared <= r.both.high;
				double only = (double)(n - shared) / 2;
				alone += r.only_a.low <= ceil(only) && floor(only) <= r.only_a.high;
			}
			double sd = sqrt(j * (1 - j) / (double)k);
			CHECK_IN(sum / times, -(0.002 + 3 * sd / sqrt(times)), 0.002 + 3 * sd / sqrt(times));
			CHECK_IN(sqrt(squares / times), 0, 1.05 * sd);
			CHECK_IN((double)within / times, most_of(times), 1);
			CHECK_IN((double)both / times, most_of(times), 1);
			CHECK_IN((double)alone / times, most_of(times), 1);
		}
	}
}

static void
distinct_elements_are_counted(void)
{
	unsigned times = check_long() ? 1000 : 200, within = 0;
	double sum = 0, squares = 0;
	const size_t n = 5000, k = 100;

	for (unsigned i = 0; i < times; i++) {
		uint64_t state = i * UINT64_C(104729);
		double low, high;

		for (size_t e = 0; e < n; e++)
			hash[e] = check_random(&state);
		struct minhash *m = sketch_of(k, hash, n);
		double off = minhash_estimate(m) / n - 1;
		minhash_interval(m, &low, &high);
		CHECK(low <= minhash_estimate(m) && minhash_estimate(m) <= high);
		within += low <= n && n <= high;
		sum += off;
		squares += off * off;
		minhash_free(m);
	}
	double error = 1 / sqrt(k - 2.0);
	CHECK_IN(sum / times, -3 * error / sqrt(times), 3 * error / sqrt(times));
	CHECK_IN(sqrt(squares / times), 0.8 * error, 1.15 * error);
	CHECK_IN((double)within / times, most_of(times), 1);
}

static void
nobody_shares_anything(void)
{
	struct comparison c = compare_sets(5, 20000, 0, 256, 256);

	CHECK(c.both.value == 0 && c.both.low == 0 && estimate_is_at_most(&c.both));
	CHECK(c.jaccard.value == 0 && c.jaccard.low == 0);
	CHECK_IN(c.jaccard.high, 0.001, 0.02);
	c = compare_sets(5, 20000, 20000, 256, 256);
	CHECK(c.jaccard.value == 1 && c.jaccard.high == 1 && c.only_a.value == 0);
	CHECK_IN(c.jaccard.low, 0.97, 0.999);
}

static void
refused(const struct record *head, enum status want)
{
	CHECK_EQ(minhash_kind.check(head), want);
}

static void
wrong_headers_are_refused(void)
{
	struct record good = {.size = 8 * 16, .param = {16, 0, 0, 1}}, r;

	refused(&good, OK);
#define WRONG(change, want) (r = good, change, refused(&r, want))
	WRONG(r.param[0] = 15, STATUS_PARAMETER);
	WRONG(r.param[0] = MINHASH_SIZE_MAX + 1, STATUS_PARAMETER);
	WRONG(r.param[1] = 1, STATUS_PARAMETER);
	WRONG(r.param[1] = 3, STATUS_PARAMETER);
	WRONG(r.param[2] = 2, STATUS_PARAMETER);
	WRONG((r.param[1] = 2, r.param[2] = 17), STATUS_PARAMETER);
	WRONG((r.param[1] = 2, r.param[2] = 16), OK);
	WRONG(r.param[3] = 2, STATUS_PARAMETER);
	WRONG(r.param[4] = 1, STATUS_PARAMETER);
	WRONG(r.param[7] = 1, STATUS_PARAMETER);
	WRONG(r.size = 8 * 15, STATUS_SIZE);
	WRONG(r.size = 8 * 17, STATUS_SIZE);
	WRONG((r.size = 8 * 15, r.param[3] = 0), OK);
	WRONG((r.size = 8 * 15 + 1, r.param[3] = 0), STATUS_SIZE);
	WRONG((r.size = 8 * 17, r.param[3] = 0), STATUS_SIZE);
#undef WRONG
	for (uint64_t size = 0; size <= MINHASH_SIZE_MAX + 1; size += MINHASH_SIZE_MAX + 1) {
		struct record settings = sized(size);
		void *body = NULL;
		CHECK_EQ(distinct_find(KIND_MINHASH)->make(&body, &settings), STATUS_PARAMETER);
	}
}

static void
hashes_out_of_order_are_refused(void)
{
	const struct record head = {.size = 16, .param = {16}};

	for (unsigned i = 0; i < 3; i++) {
		struct buffer payload = {0};
		unsigned char at[16];
		void *body = NULL;

		put_le64(at, 5);
		put_le64(at + 8, 4 + i);
		CHECK_EQ(buffer_append(&payload, at, 16), OK);
		CHECK_EQ(minhash_kind.load(&body, &head, &payload), i < 2 ? STATUS_INVARIANT : OK);
		minhash_free(body);
		buffer_free(&payload);
	}
}

static void
a_size_follows_from_an_error(void)
{
	CHECK_EQ(minhash_size_for(0.05), 100);
	CHECK_EQ(minhash_size_for(0.01), 2500);
	CHECK_EQ(minhash_size_for(0.5), MINHASH_SIZE_MIN);
	CHECK_EQ(minhash_size_for(0.001), 0);
}

int
main(void)
{
	RUN(it_holds_the_smallest_hashes);
	RUN(no_order_is_worse_than_others);
	RUN(it_goes_on_where_it_was);
	RUN(parts_unite_to_the_whole);
	RUN(unlike_elements_do_not_unite);
	RUN(small_sets_are_compared_exactly);
	RUN(nothing_is_like_nothing);
	RUN(estimates_stray_as_far_as_promised);
	RUN(distinct_elements_are_counted);
	RUN(nobody_shares_anything);
	RUN(wrong_headers_are_refused);
	RUN(hashes_out_of_order_are_refused);
	RUN(a_size_follows_from_an_error);
	return check_done();
}
