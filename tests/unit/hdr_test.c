/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Histograms beside the sorted samples, beside HdrHistogram's own arithmetic, and
 * beside themselves by another way.
 */
#include <float.h>
#include <math.h>

#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/hdr_body.h"
#include "sketch/quantiles/hdr_slot.h"
#include "check.h"

static const struct quantiles *const q = &hdr_quantiles;

static struct hdr *
new_hdr(unsigned digits)
{
	struct hdr *h = NULL;

	CHECK(hdr_new(&h, digits) == OK);
	return h;
}

static struct hdr *
hdr_of(unsigned digits, const double *value, size_t n)
{
	struct hdr *h = new_hdr(digits);

	CHECK(hdr_add(h, value, NULL, n) == OK);
	return h;
}

/* Its record: the parameters, then the payload. */
static struct buffer
bytes_of(const struct hdr *h)
{
	struct buffer out = {0}, payload = {0};
	struct record head = {0};

	CHECK(hdr_kind.save(h, &head, &payload) == OK);
	CHECK_EQ(head.size, payload.len);
	CHECK(buffer_append(&out, head.param, sizeof head.param) == OK);
	CHECK(buffer_append(&out, &head.flags, sizeof head.flags) == OK);
	CHECK(buffer_append(&out, payload.at, payload.len) == OK);
	buffer_free(&payload);
	return out;
}

/* Both are freed. */
static bool
same_bytes(struct hdr *a, struct hdr *b)
{
	struct buffer x = bytes_of(a), y = bytes_of(b);
	bool same = x.len == y.len && memcmp(x.at, y.at, x.len) == 0;

	buffer_free(&x);
	buffer_free(&y);
	hdr_free(a);
	hdr_free(b);
	return same;
}

/* Slots. */

/* HdrHistogram's lowest and highest equivalent value, for a lowest trackable
 * value of 1: shown as the nearest doubles within. */
static void
equivalent(uint64_t v, unsigned digits, uint64_t *low, uint64_t *high)
{
	unsigned half = hdr_bits(digits);
	uint64_t mask = (UINT64_C(2) << half) - 1;
	unsigned bucket = 64 - (unsigned)__builtin_clzll(v | mask) - (half + 1);

	*low = v >> bucket << bucket;
	*high = *low + (UINT64_C(1) << bucket) - 1;
}

static bool
agrees(uint64_t v, unsigned digits)
{
	uint64_t low, high;
	double l, h;
	unsigned shift = HDR_MANTISSA - hdr_bits(digits);

	equivalent(v, digits, &low, &high);
	hdr_slot_bounds(hdr_slot((double)v, shift), shift, true, &l, &h);
	/* The highest is a whole double no greater, and there is none between. */
	return l == (double)low && h <= (double)high &&
	    ((uint64_t)h == high || (uint64_t)nextafter(h, DBL_MAX) > high);
}

static void
whole_numbers_have_the_slots_of_hdrhistogram(void)
{
	for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits++) {
		bool good = true;
		for (uint64_t v = 1; v <= 1000000; v++)
			good &= agrees(v, digits);
		CHECK(good);
		for (unsigned k = 1; k <= 62; k++) {
			uint64_t power = UINT64_C(1) << k;
			CHECK(agrees(power, digits));
			CHECK(k > 53 || agrees(power - 1, digits));
			CHECK(k > 52 || agrees(power + 1, digits));
		}
	}
}

static void
slots_are_in_order_and_fold(void)
{
	const double at[] = {
		-DBL_MAX, -1e100, -3, -1, -DBL_MIN, -5e-324, 0, 5e-324, DBL_MIN / 2, DBL_MIN,
		1e-300, 0.1, 1, 1.0000001, 2, 3, 1e18, DBL_MAX,
	};

	CHECK_EQ(hdr_slot(0.0, 42), 0);
	CHECK_EQ(hdr_slot(-0.0, 42), 0);
	for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits++) {
		unsigned shift = HDR_MANTISSA - hdr_bits(digits);
		for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
			int32_t slot = hdr_slot(at[i], shift);
			double low, high;
			hdr_slot_bounds(slot, shift, false, &low, &high);
			CHECK_IN(at[i], low, high);
			CHECK(slot > -HDR_SLOT_END && slot < HDR_SLOT_END);
			CHECK(hdr_slot(low, shift) == slot && hdr_slot(high, shift) == slot);
			CHECK(high == DBL_MAX ||
			    hdr_slot(nextafter(high, DBL_MAX), shift) == slot + 1);
			for (unsigned less = HDR_DIGITS_MIN; less < digits; less++) {
				unsigned coarse = HDR_MANTISSA - hdr_bits(less);
				CHECK_EQ(hdr_slot_coarser(slot, coarse - shift),
				    hdr_slot(at[i], coarse));
			}
		}
	}
}

/* Distributions. */

#define SAMPLES 5000

static uint64_t seed;

static double
uniform(void)
{
	return (double)(check_random(&seed) >> 11) * 0x1p-53;
}

static double
normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* Ten of them; of some, all samples are whole. */
static double
draw(int distribution, size_t i)
{
	switch (distribution) {
	case 0: return uniform();
	case 1: return normal();
	case 2: return exp(2 * normal());
	case 3: return -log(1 - uniform());
	case 4: return i % 2 ? 8 * uniform() : 1500 + 100 * uniform();
	case 5: return 42;
	case 6: return i % 3 ? 0.1 : 1e6;
	case 7: return floor(uniform() * 1e9);
	case 8: return (double)i;
	default: return (double)(i % 100) - 30;
	}
}

#define DISTRIBUTIONS 10

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const double shares[] = {
	0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1,
};

static void
check_answers(const struct hdr *h, const double *sorted, size_t n)
{
	double promised = pow(10, -(double)hdr_digits(h)), mean = 0;
	struct span s;

	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		double truth = sorted[quantiles_rank(shares[i], n) - 1];
		q->quantile(h, shares[i], true, &s);
		CHECK_IN(truth, s.low, s.high);
		CHECK_IN(s.value, s.low, s.high);
		CHECK(fabs(s.value - truth) <= promised * fabs(truth));
		CHECK(s.high - s.low <= promised * fabs(s.low) + 1e-300);
		if (hdr_whole(h))
			CHECK(s.value == s.high && floor(s.value) == s.value);

		size_t below = 0;
		while (below < n && sorted[below] <= truth)
			below++;
		q->below(h, truth, &s);
		CHECK_IN((double)below, s.low, s.high);
		CHECK_IN(s.value, s.low, s.high);
	}
	q->least(h, &s);
	CHECK(s.value == sorted[0] && s.low == sorted[0] && s.high == sorted[0]);
	q->most(h, &s);
	CHECK(s.value == sorted[n - 1] && s.low == s.high && s.low == s.value);
	q->below(h, sorted[0] - 1, &s);
	CHECK(s.low == 0 && s.value == 0 && s.high == 0);
	q->below(h, sorted[n - 1], &s);
	CHECK(s.low == (double)n && s.value == s.low && s.high == s.low);

	for (size_t i = 0; i < n; i++)
		mean += sorted[i] / (double)n;
	q->mean(h, &s);
	/* Both sums are rounded. */
	double slack = 1e-12 * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
	CHECK_IN(mean, s.low - slack, s.high + slack);
	CHECK_IN(s.value, s.low, s.high);

	uint64_t at = 0, total = 0;
	double before = -INFINITY;
	struct bin bin;
	while (q->each(h, &at, &bin)) {
		CHECK(bin.low > before && bin.low <= bin.high && bin.weight > 0);
		before = bin.high;
		total += bin.weight;
	}
	CHECK_EQ(total, n);
}

static void
answers_are_within_the_promise(void)
{
	static double value[SAMPLES], sorted[SAMPLES];

	for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++) {
		seed = (uint64_t)distribution;
		for (size_t i = 0; i < SAMPLES; i++)
			value[i] = draw(distribution, i);
		for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits++)
			for (size_t n = 1; n <= SAMPLES; n = n < 1000 ? n * 10 : n + 4000) {
				memcpy(sorted, value, n * sizeof *value);
				qsort(sorted, n, sizeof *sorted, by_value);
				struct hdr *h = hdr_of(digits, value, n);
				CHECK_EQ(hdr_total(h), n);
				check_answers(h, sorted, n);
				hdr_free(h);
			}
	}
}

/* The same samples by another way give the same bytes. */
static void
parts_make_the_whole(void)
{
	static double value[SAMPLES];
	struct mismatch why;

	for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++) {
		seed = 100 + (uint64_t)distribution;
		for (size_t i = 0; i < SAMPLES; i++)
			value[i] = draw(distribution, i);
		for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits++) {
			/* Parts of unlike lengths, from none to thousands; united in pairs. */
			struct hdr *part[16];
			size_t at = 0;
			for (size_t i = 0; i < 16; i++) {
				size_t n = i == 15 ? SAMPLES - at : (i * i * i) % 800;
				part[i] = hdr_of(digits, value + at, n);
				at += n;
			}
			for (size_t step = 1; step < 16; step *= 2)
				for (size_t i = 0; i < 16; i += 2 * step) {
					CHECK(hdr_kind.merge(part[i], part[i + step], &why) == OK);
					hdr_free(part[i + step]);
				}
			struct hdr *whole = hdr_of(digits, value, SAMPLES);
			CHECK(same_bytes(part[0], whole));

			/* One by one, backwards, into chunks from the first one on. */
			struct hdr *other = new_hdr(digits);
			CHECK(hdr_cells_spread(&other->cells) == OK);
			for (size_t i = SAMPLES; i-- > 0;)
				CHECK(hdr_add(other, &value[i], NULL, 1) == OK);
			CHECK(same_bytes(other, hdr_of(digits, value, SAMPLES)));
		}
	}
}

static void
the_finer_folds_to_the_coarser(void)
{
	static double value[SAMPLES];
	struct mismatch why;

	for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++) {
		seed = 200 + (uint64_t)distribution;
		for (size_t i = 0; i < SAMPLES; i++)
			value[i] = draw(distribution, i) - (distribution % 2 ? 3 : 0);
		for (unsigned fine = HDR_DIGITS_MIN; fine <= HDR_DIGITS_MAX; fine++)
			for (unsigned coarse = HDR_DIGITS_MIN; coarse <= fine; coarse++) {
				size_t half = (fine + coarse) % 2 ? SAMPLES / 2 : 20;
				struct hdr *a = hdr_of(fine, value, half);
				struct hdr *b = hdr_of(coarse, value + half, SAMPLES - half);
				struct hdr *c = hdr_of(fine, value, half);
				struct hdr *d = hdr_of(coarse, value + half, SAMPLES - half);
				CHECK(hdr_kind.merge(a, b, &why) == OK);
				CHECK(hdr_kind.merge(d, c, &why) == OK);
				CHECK_EQ(hdr_digits(a), coarse);
				hdr_free(b);
				hdr_free(c);
				CHECK(same_bytes(a, hdr_of(coarse, value, SAMPLES)));
				CHECK(same_bytes(d, hdr_of(coarse, value, SAMPLES)));
			}
	}
}

static void
weights_are_so_many_equal_samples(void)
{
	static double value[500], many[500 * 4];
	static uint64_t weight[500];
	size_t n = 0;

	seed = 7;
	for (size_t i = 0; i < 500; i++) {
		value[i] = draw(2, i);
		weight[i] = i % 5;
		for (uint64_t k = 0; k < weight[i]; k++)
			many[n++] = value[i];
	}
	struct hdr *h = new_hdr(3);
	CHECK(hdr_add(h, value, weight, 500) == OK);
	CHECK(same_bytes(h, hdr_of(3, many, n)));
}

static void
sums_stop_and_say_so(void)
{
	const double value[] = {1, 2, 3};
	const uint64_t weight[] = {UINT64_MAX - 2, 1, 1};
	struct hdr *h = new_hdr(3), *more = hdr_of(3, value, 2);
	struct mismatch why;
	struct span s;

	CHECK(hdr_add(h, value, weight, 3) == OK);
	CHECK(hdr_total(h) == UINT64_MAX && !hdr_saturated(h));
	q->at_rank(h, UINT64_MAX, true, &s);
	CHECK(s.value == 3);
	q->at_rank(h, UINT64_MAX - 2, true, &s);
	CHECK(s.value == 1);

	CHECK(hdr_kind.merge(h, more, &why) == OK);
	CHECK(hdr_total(h) == UINT64_MAX && hdr_saturated(h));
	CHECK(hdr_add(h, value, NULL, 3) == OK);
	CHECK(hdr_total(h) == UINT64_MAX && hdr_saturated(h));
	q->at_rank(h, UINT64_MAX, true, &s);
	CHECK_IN(s.value, 1, 3);
	q->mean(h, &s);
	CHECK_IN(s.value, 1, 3);

	/* In the other order, too. */
	struct hdr *other = hdr_of(3, value, 3);
	CHECK(hdr_kind.merge(other, more, &why) == OK);
	CHECK(hdr_add(other, value, weight, 3) == OK);
	CHECK(same_bytes(h, other));
	hdr_free(more);
}

/* Also in the midst of many, where nobody looks at them one by one. */
static void
fractions_are_seen_at_any_size(void)
{
	static double many[20000];
	const size_t n = sizeof many / sizeof *many;

	for (size_t i = 0; i < n; i++)
		many[i] = (double)i;
	many[0] = -0x1p60;
	many[1] = 0x1p60;
	for (int k = 0; k < 52; k++)
		for (int sign = -1; sign <= 1; sign += 2) {
			double whole = sign * ldexp(1, k), fraction = sign * (ldexp(1, k) + 0.5);
			struct hdr *h = hdr_of(3, many, n);
			CHECK(hdr_add(h, &whole, NULL, 1) == OK);
			CHECK(hdr_add(h, &whole, NULL, 1) == OK && hdr_whole(h));
			CHECK(hdr_add(h, &fraction, NULL, 1) == OK && !hdr_whole(h));
			hdr_free(h);
		}
}

static void
extreme_numbers_have_slots(void)
{
	const double value[] = {
		-DBL_MAX, -1, -DBL_TRUE_MIN, -0.0, 0.0, DBL_TRUE_MIN, DBL_MIN / 3, DBL_MIN, DBL_MAX,
	};
	const size_t n = sizeof value / sizeof *value;
	struct span s;

	for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits++) {
		struct hdr *h = hdr_of(digits, value, n);
		for (size_t i = 0; i < n; i++) {
			q->at_rank(h, i + 1, true, &s);
			CHECK_IN(value[i], s.low, s.high);
			CHECK_IN(s.value, s.low, s.high);
		}
		q->mean(h, &s);
		CHECK(isfinite(s.low) && isfinite(s.high));
		CHECK_IN(0, s.low, s.high);
		/* The slots are 600 powers of two apart. */
		CHECK(hdr_cells_memory(&h->cells) < (digits < 4 ? 1 << 20 : 1 << 25));
		CHECK(hdr_cells_spread(&h->cells) == OK);
		CHECK(same_bytes(h, hdr_of(digits, value, n)));
	}

	const double zero = -0.0;
	struct hdr *h = hdr_of(3, &zero, 1);
	q->least(h, &s);
	CHECK(s.value == 0 && !signbit(s.value));
	hdr_free(h);
}

static void
one_sample_is_itself(void)
{
	const double value[] = {0, 1, -1, 0.3, -0.3, 12345.678, 1e300, 1e-300, 4.5e15};

	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		struct hdr *h = hdr_of(1, &value[i], 1);
		struct span s;
		for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
			q->quantile(h, shares[k], false, &s);
			CHECK(s.value == value[i] && s.low == value[i] && s.high == value[i]);
		}
		q->mean(h, &s);
		CHECK(s.value == value[i]);
		hdr_free(h);
	}
}

static void
values_are_as_short_as_can_be(void)
{
	const struct {
		double sample[3], want;
	} cases[] = {
		{{0.12001, 0.1, 1}, 0.12}, {{0.333333, 0.1, 1}, 0.3334}, {{12345.5, 1, 1e6}, 12350},
		{{-0.12001, -1, -0.1}, -0.12}, {{9.995, 1, 1e3}, 9.996}, {{10.003, 0.5, 1e3}, 10},
		{{1.5002e-9, 1e-10, 1e-8}, 1.5e-9}, {{1.23456e30, 0.5, 1e31}, 1.2345e30},
		{{0.0099, 0.001, 1}, 0.0099}, {{123.456, 123.45, 123.47}, 123.46},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct hdr *h = hdr_of(3, cases[i].sample, 3);
		struct span s;
		q->quantile(h, 0.5, true, &s);
		CHECK(s.value == cases[i].want);
		if (s.value != cases[i].want)
			printf("# %.17g, not %.17g\n", s.value, cases[i].want);
		hdr_free(h);
	}
}

static void
few_samples_take_little_memory(void)
{
	const double value[] = {12, 15, 13, 900};
	struct hdr *h = new_hdr(3);

	for (size_t i = 0; i < 4; i++)
		CHECK(hdr_add(h, &value[i], NULL, 1) == OK);
	CHECK(sizeof *h + hdr_cells_memory(&h->cells) < 150);
	hdr_free(h);
}

static void
a_loose_range_is_told_as_such(void)
{
	const double value[] = {1024, 4096};
	struct hdr *h = hdr_of(3, value, 2);
	struct span s;

	hdr_range(h, 1024, 4099);
	q->least(h, &s);
	CHECK(s.low == 1024 && s.value == 1024 && s.high == 1024);
	q->most(h, &s);
	CHECK(s.low == 4096 && s.value == 4099 && s.high == 4099);
	q->quantile(h, 1, true, &s);
	CHECK(s.low == 4096 && s.value == 4099 && s.high == 4099);
	hdr_free(h);
}

/* Those of a grain of 512: 1000, 1030 and 70000 came as 512, 1024 and 69632. */
static void
slots_reach_as_far_as_the_grain(void)
{
	const double value[] = {512, 1024, 69632};
	struct hdr *h = hdr_of(3, value, 3), *fine = hdr_of(3, value, 3);
	struct mismatch why;
	struct span s;

	hdr_range(h, 512, 70143);
	hdr_set_lowest(h, 1000, false);
	CHECK(hdr_lowest(h) == 1000 && hdr_whole(h));
	for (unsigned rank = 1; rank <= 3; rank++) {
		q->at_rank(h, rank, true, &s);
		CHECK(s.low == value[rank - 1] && s.value == s.low + 511 && s.high == s.value);
	}
	q->below(h, 1030, &s);
	CHECK(s.low == 1 && s.value == 1 && s.high == 2);
	q->below(h, 600, &s);
	CHECK(s.low == 0 && s.value == 0 && s.high == 1);

	/* In a union with others all samples may be that much larger. */
	CHECK(hdr_kind.merge(fine, h, &why) == OK);
	CHECK(hdr_lowest(fine) == 1000);
	q->at_rank(fine, 3, true, &s);
	CHECK(s.low == 1024 && s.high == 1535);
	q->below(fine, 1100, &s);
	CHECK(s.low == 2 && s.high == 4);
	hdr_free(fine);

	/* Whole numbers are 1 apart without being told. */
	hdr_set_lowest(h, 1, false);
	CHECK(hdr_lowest(h) == 0);
	hdr_set_lowest(h, 0.25, true);
	CHECK(hdr_lowest(h) == 0.25 && !hdr_whole(h));
	q->at_rank(h, 2, true, &s);
	CHECK(s.low == 1024 && s.high >= 1024.25 && s.high < 1026);
	hdr_free(h);
}

/* Coordinated omission. */

static void
correct_one_by_one(struct hdr *h, double v, double interval)
{
	CHECK(hdr_add(h, &v, NULL, 1) == OK);
	for (double k = 1; v - k * interval >= interval; k++) {
		double hidden = v - k * interval;
		CHECK(hdr_add(h, &hidden, NULL, 1) == OK);
	}
}

static void
hidden_samples_are_added(void)
{
	const double intervals[] = {1, 7, 10, 0.1, 0.25, 33.3, 1000, 1e6};

	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
		for (unsigned digits = HDR_DIGITS_MIN; digits <= HDR_DIGITS_MAX; digits += 2) {
			struct hdr *h = new_hdr(digits), *one = new_hdr(digits);
			seed = i;
			for (size_t k = 0; k < 60; k++) {
				double v = k % 4 == 3 ? -uniform() : i % 2 ? floor(uniform() * 5000) :
				    k == 0 ? 5000 : 900 * uniform();
				CHECK(hdr_add_corrected(h, &v, NULL, 1, intervals[i]) == OK);
				correct_one_by_one(one, v, intervals[i]);
			}
			CHECK(hdr_interval(h) == intervals[i]);
			one->interval = intervals[i];
			/* Some may be whole by chance that need not be. */
			one->fractions = h->fractions;
			CHECK(same_bytes(h, one));
		}
}

static void
a_histogram_is_corrected_by_its_slots(void)
{
	double value[] = {3, 1000, 3000, 12345, 12345};
	struct hdr *from = hdr_of(2, value, 5), *into = new_hdr(2), *want = new_hdr(2);
	struct bin bin;
	uint64_t at = 0;

	while (hdr_each(from, &at, &bin))
		for (uint64_t k = 0; k < bin.weight; k++)
			correct_one_by_one(want, bin.high, 100);
	CHECK(hdr_correct(into, from, 100) == OK);
	CHECK(hdr_total(into) == hdr_total(want));
	CHECK(into->most == 12345);
	into->interval = 0;
	into->loose = false;
	into->least = want->least;
	into->most = want->most;
	CHECK(same_bytes(into, want));
	hdr_free(from);
}

static void
what_hides_billions_is_refused(void)
{
	const double value[] = {1e9, 1e11};
	const uint64_t heavy = UINT64_MAX / 4;
	struct hdr *h = new_hdr(3), *from, *into = new_hdr(3);

	CHECK(hdr_add_corrected(h, value, NULL, 1, 1) == OK);
	CHECK_EQ(hdr_total(h), 1000000000);
	CHECK(hdr_add_corrected(h, value, &heavy, 1, 1e8) == OK);
	CHECK(hdr_saturated(h));
	CHECK(hdr_add_corrected(h, value + 1, NULL, 1, 1) == STATUS_FULL);
	from = hdr_of(3, value, 2);
	CHECK(hdr_correct(into, from, 1) == STATUS_FULL);
	hdr_free(from);
	hdr_free(into);
	hdr_free(h);
}

static void
unlike_ones_do_not_unite(void)
{
	struct record settings = {.param = {3}};
	struct mismatch why;
	void *a, *b;

	CHECK(q->make(&a, &settings) == OK);
	settings.param[QUANTILES_UNIT] = UNIT_MS;
	CHECK(q->make(&b, &settings) == OK);
	CHECK(hdr_kind.merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "unit none and ms") == 0);
	hdr_kind.free(b);
	settings.param[QUANTILES_UNIT] = UNIT_NONE;
	settings.param[HDR_PARAM_INTERVAL] = real_bits(10);
	CHECK(q->make(&b, &settings) == OK);
	CHECK(hdr_interval(b) == 10);
	CHECK(hdr_kind.merge(a, b, &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "interval of --correct none and 10") == 0);
	hdr_kind.free(b);
	hdr_kind.free(a);

	void *none = NULL;
	settings.param[HDR_PARAM_INTERVAL] = real_bits(-1);
	CHECK(q->make(&none, &settings) == STATUS_PARAMETER);
	settings.param[HDR_PARAM_INTERVAL] = 0;
	settings.param[HDR_PARAM_DIGITS] = 6;
	CHECK(q->make(&none, &settings) == STATUS_PARAMETER);
	settings.param[HDR_PARAM_DIGITS] = 5;
	settings.param[QUANTILES_UNIT] = UNITS;
	CHECK(q->make(&none, &settings) == STATUS_PARAMETER);
	CHECK(none == NULL);
}

/* Records. */

static enum status
load_bytes(struct hdr **h, const struct record *head, const unsigned char *bytes, size_t n)
{
	struct buffer payload = {0};
	struct record r = *head;
	void *body = NULL;

	r.size = n;
	enum status st = hdr_kind.check(&r);
	if (st == OK)
		st = buffer_append(&payload, bytes, n);
	if (st == OK)
		st = hdr_kind.load(&body, &r, &payload);
	buffer_free(&payload);
	*h = body;
	return st;
}

static void
records_come_back(void)
{
	static double value[SAMPLES];

	for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++)
		for (size_t n = 0; n <= 1000; n = n * 10 + 1) {
			struct record head = {0};
			struct buffer payload = {0};
			struct hdr *back = NULL;
			seed = 300 + (uint64_t)distribution;
			for (size_t i = 0; i < n; i++)
				value[i] = draw(distribution, i);
			struct hdr *h = hdr_of(1 + (unsigned)distribution % 5, value, n);
			h->unit = UNIT_US;
			h->highest = 77;
			h->lowest = 2.5;
			if (distribution == 3)
				hdr_range(h, 0, 100);
			CHECK(hdr_kind.save(h, &head, &payload) == OK);
			CHECK(load_bytes(&back, &head, payload.at, payload.len) == OK);
			CHECK(hdr_highest(back) == 77 && hdr_lowest(back) == 2.5);
			buffer_free(&payload);
			CHECK(same_bytes(h, back));
		}
}

/* The example of sketch(5). */
static const double example[] = {3, 3, 1000, 1001};
static const unsigned char example_bytes[] = {
	0xc0, 0x10, 0x80, 0x8e, 0xa2, 0x02, 0x00, 0x02, 0xcf, 0x43, 0x01, 0x01, 0x01,
};

static void
the_example_is_true(void)
{
	struct hdr *h = hdr_of(3, example, 4);
	struct record head = {0};
	struct buffer payload = {0};

	CHECK(hdr_kind.save(h, &head, &payload) == OK);
	CHECK_EQ(payload.len, sizeof example_bytes);
	CHECK(payload.len == sizeof example_bytes &&
	    memcmp(payload.at, example_bytes, payload.len) == 0);
	buffer_free(&payload);
	hdr_free(h);
}

static void
nothing_is_trusted(void)
{
	const struct {
		unsigned char bytes[24];
		size_t n;
		uint64_t fractions, loose;
		enum status want;
	} cases[] = {
		{{0xc0, 0x10, 0x00, 0x00, 0x01}, 5, 0, 0, OK},
		/* Nothing but a range; no count; a count of 0. */
		{{0xc0, 0x10, 0x00}, 3, 0, 0, STATUS_SIZE},
		{{0xc0, 0x10, 0x00, 0x00}, 4, 0, 0, STATUS_INVARIANT},
		{{0xc0, 0x10, 0x00, 0x00, 0x00}, 5, 0, 0, STATUS_INVARIANT},
		/* A number in a longer form than it needs. */
		{{0xc0, 0x10, 0x00, 0x00, 0x81, 0x00}, 6, 0, 0, STATUS_INVARIANT},
		/* A gap before the least one; behind the greatest one. */
		{{0xc0, 0x10, 0x00, 0x01, 0x01}, 5, 0, 0, STATUS_INVARIANT},
		{{0xc0, 0x10, 0x00, 0x00, 0x01, 0x00, 0x01}, 7, 0, 0, STATUS_INVARIANT},
		/* The greatest one is missing; but its slot is there. */
		{{0xc0, 0x10, 0x80, 0x8e, 0xa2, 0x02, 0x00, 0x02}, 8, 0, 0, STATUS_INVARIANT},
		{{0xc0, 0x10, 0x80, 0x8e, 0xa2, 0x02, 0x00, 0x02}, 8, 0, 1, OK},
		/* The greatest one is less than the least. */
		{{0xc0, 0x11, 0x80, 0x01, 0x00, 0x01}, 6, 0, 0, STATUS_INVARIANT},
		/* -0; infinity. */
		{{0x80, 0x01, 0x00, 0x00, 0x01}, 5, 0, 0, STATUS_INVARIANT},
		{{0xff, 0xe0, 0x03, 0x00, 0x00, 0x01}, 6, 0, 0, STATUS_INVARIANT},
		/* 0.5 among whole ones; with fractions it is fine. */
		{{0xbf, 0xc0, 0x03, 0x00, 0x00, 0x01}, 6, 0, 0, STATUS_INVARIANT},
		{{0xbf, 0xc0, 0x03, 0x00, 0x00, 0x01}, 6, 1, 0, OK},
		/* One sample of two sizes. */
		{{0x3f, 0xcf, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00, 0x01},
		    12, 1, 0, STATUS_INVARIANT},
		/* Nothing at all, but with fractions. */
		{{0}, 0, 0, 0, OK},
		{{0}, 0, 1, 0, STATUS_INVARIANT},
		{{0}, 0, 0, 1, STATUS_INVARIANT},
		{{0xc0, 0x10, 0x00, 0x00, 0x01}, 5, 2, 0, STATUS_PARAMETER},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record head = {.kind = KIND_HDR, .version = 1};
		struct hdr *h = NULL;
		head.param[HDR_PARAM_DIGITS] = 3;
		head.param[HDR_PARAM_FRACTIONS] = cases[i].fractions;
		head.param[HDR_PARAM_LOOSE] = cases[i].loose;
		enum status st = load_bytes(&h, &head, cases[i].bytes, cases[i].n);
		if (st != cases[i].want)
			printf("# case %zu: %s\n", i, status_text(st));
		CHECK(st == cases[i].want);
		CHECK((h != NULL) == (st == OK));
		hdr_free(h);
	}
}

static void
a_sum_past_the_end_needs_its_flag(void)
{
	const double value[] = {1, 2};
	const uint64_t weight[] = {UINT64_MAX, 5};
	struct hdr *h = new_hdr(3), *back = NULL;
	struct record head = {0};
	struct buffer payload = {0};

	CHECK(hdr_add(h, value, weight, 2) == OK);
	CHECK(hdr_kind.save(h, &head, &payload) == OK);
	CHECK(head.flags & FLAG_SATURATED);
	CHECK(load_bytes(&back, &head, payload.at, payload.len) == OK);
	CHECK(hdr_saturated(back));
	hdr_free(back);
	head.flags = 0;
	CHECK(load_bytes(&back, &head, payload.at, payload.len) == STATUS_INVARIANT);
	buffer_free(&payload);
	hdr_free(h);
}

int
main(void)
{
	RUN(whole_numbers_have_the_slots_of_hdrhistogram);
	RUN(slots_are_in_order_and_fold);
	RUN(answers_are_within_the_promise);
	RUN(parts_make_the_whole);
	RUN(the_finer_folds_to_the_coarser);
	RUN(weights_are_so_many_equal_samples);
	RUN(sums_stop_and_say_so);
	RUN(fractions_are_seen_at_any_size);
	RUN(extreme_numbers_have_slots);
	RUN(one_sample_is_itself);
	RUN(values_are_as_short_as_can_be);
	RUN(few_samples_take_little_memory);
	RUN(a_loose_range_is_told_as_such);
	RUN(slots_reach_as_far_as_the_grain);
	RUN(hidden_samples_are_added);
	RUN(a_histogram_is_corrected_by_its_slots);
	RUN(what_hides_billions_is_refused);
	RUN(unlike_ones_do_not_unite);
	RUN(records_come_back);
	RUN(the_example_is_true);
	RUN(nothing_is_trusted);
	RUN(a_sum_past_the_end_needs_its_flag);
	return check_done();
}
