/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Digests beside the sorted samples. The published figures of the t-digest are
 * errors of rank "typically" below 1000 parts per million in the middle, and of
 * some parts per million at the extremes; what is demanded here is
 *
 *	min(1000, 10000 q (1 - q)) ppm, and three samples
 *
 * of every distribution, at compression 100, from q = 0.001 to 0.999.
 */
#include <float.h>
#include <math.h>

#include "base/unit.h"
#include "sketch/quantiles/tdigest.h"
#include "sketch/quantiles/tdigest_body.h"
#include "sketch/quantiles/tdigest_sort.h"
#include "check.h"

static const struct quantiles *const q = &tdigest_quantiles;

static struct tdigest *
new_tdigest(unsigned compression)
{
	struct tdigest *t = NULL;

	CHECK(tdigest_new(&t, compression) == OK);
	return t;
}

static struct tdigest *
tdigest_of(unsigned compression, const double *value, const uint64_t *weight, size_t n)
{
	struct tdigest *t = new_tdigest(compression);

	CHECK(tdigest_add(t, value, weight, n) == OK);
	return t;
}

struct saved {
	struct record head;
	struct buffer payload;
};

static struct saved
save(const struct tdigest *t)
{
	struct saved s = {0};

	CHECK(tdigest_kind.save(t, &s.head, &s.payload) == OK);
	CHECK_EQ(s.head.size, s.payload.len);
	return s;
}

static enum status
load(struct tdigest **out, const struct saved *s)
{
	struct buffer copy = {0};
	void *body = NULL;
	enum status st = tdigest_kind.check(&s->head);

	CHECK(buffer_append(&copy, s->payload.at, s->payload.len) == OK);
	if (st == OK)
		st = tdigest_kind.load(&body, &s->head, &copy);
	buffer_free(&copy);
	*out = body;
	return st;
}

/* The same digest, from its record. */
static struct tdigest *
reloaded(struct tdigest *t)
{
	struct saved s = save(t);
	struct tdigest *again;

	CHECK(load(&again, &s) == OK);
	buffer_free(&s.payload);
	tdigest_free(t);
	return again;
}

static bool
same_bytes(const struct tdigest *a, const struct tdigest *b)
{
	struct saved x = save(a), y = save(b);
	bool same = memcmp(x.head.param, y.head.param, sizeof x.head.param) == 0 &&
	    x.head.flags == y.head.flags && x.payload.len == y.payload.len &&
	    (x.payload.len == 0 || memcmp(x.payload.at, y.payload.at, x.payload.len) == 0);

	buffer_free(&x.payload);
	buffer_free(&y.payload);
	return same;
}

/* Samples of all kinds. */

static uint64_t seed;

static double
uniform(void)
{
	return (double)(check_random(&seed) >> 11) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static double
bimodal(void)
{
	return uniform() < 0.7 ? 10 + normal() : 500 + 40 * normal();
}

static const struct distribution {
	const char *name;
	double (*draw)(void);
} distributions[] = {
	{"uniform", uniform}, {"normal", normal}, {"bimodal", bimodal},
	{"lognormal", NULL}, {"exponential", NULL}, {"constant", NULL}, {"two values", NULL},
	{"sorted", NULL}, {"reversed", NULL}, {"sawtooth", NULL}, {"whole", NULL},
	{"bimodal, far apart", NULL}, {"bimodal, with noise between", NULL},
	{"many zeros", NULL}, {"two values and noise", NULL}, {"heavy tail", NULL},
};
#define DISTRIBUTIONS (sizeof distributions / sizeof *distributions)

static double
draw(size_t which, size_t i, size_t n)
{
	double u;

	switch (which) {
	case 3:
		return exp(2 * normal());
	case 4:
		return -log(1 - uniform());
	case 5:
		return 42;
	case 6:
		return uniform() < 0.3 ? 1 : 2;
	case 7:
		return (double)i;
	case 8:
		return (double)(n - i);
	case 9:
		return (double)(i % 3000);
	case 10:
		return floor(exp(8 + normal()));
	case 11:
		return uniform() < 0.5 ? normal() : 1e6 + normal();
	case 12:
		u = uniform();
		return u < 0.5 ? normal() : u < 0.501 ? 1000 * uniform() : 1000 + normal();
	case 13:
		return uniform() < 0.3 ? 0 : 1000 + normal();
	case 14:
		u = uniform();
		return u < 0.4 ? 1 : u < 0.8 ? 2 : uniform();
	case 15:
		return pow(1 - uniform(), -1 / 1.1);
	default:
		return distributions[which].draw();
	}
}

static int
by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

#define SAMPLES 100000
static double sample[SAMPLES], sorted[SAMPLES];

static void
fill(size_t which, size_t n)
{
	seed = which;
	for (size_t i = 0; i < n; i++)
		sample[i] = draw(which, i, n);
	memcpy(sorted, sample, n * sizeof *sample);
	qsort(sorted, n, sizeof *sorted, by_value);
}

/* How many of the sorted are below, or with equal at, a number. */
static size_t
count_below(size_t n, double number, bool equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (sorted[middle] < number || (equal && sorted[middle] == number))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* By how many samples the rank of a value differs from rank. */
static double
rank_error(size_t n, double value, double rank)
{
	double low = (double)count_below(n, value, false);
	double high = (double)count_below(n, value, true);

	return rank < low ? low - rank : rank > high ? rank - high : 0;
}

/* A centroid that was there before a heavy sample came into its midst lies on
 * one side of it with all its weight. */
static bool heavy;

static double
allowed(size_t n, double at)
{
	return (heavy ? 3 : 1) * (double)n * 1e-6 * fmin(1000, 10000 * at * (1 - at)) + 3;
}

/* All answers of a digest beside the sorted samples. */
static void
check_answers(const struct tdigest *t, size_t n, const char *name)
{
	double before = -INFINITY, count_before = 0;
	struct span span;
	unsigned guessed = 0;

	q->least(t, &span);
	CHECK(span.value == sorted[0] && span.low == span.value && span.high == span.value);
	q->most(t, &span);
	CHECK(span.value == sorted[n - 1] && span.low == span.value && span.high == span.value);
	CHECK_EQ(q->total(t), n);
	for (int i = 1; i <= 999; i++) {
		double at = i / 1000.0;
		q->quantile(t, at, false, &span);
		double error = rank_error(n, span.value, at * (double)n);
		if (error > allowed(n, at))
			printf("# %s, q = %.3f: rank off by %.1f of %zu\n", name, at, error, n);
		CHECK(error <= allowed(n, at));
		CHECK(span.value >= before && span.low <= span.value && span.value <= span.high);
		CHECK(span.low >= sorted[0] && span.high <= sorted[n - 1]);
		before = span.value;
		double truth = sorted[quantiles_rank(at, n) - 1];
		guessed += truth >= span.low && truth <= span.high;

		q->below(t, truth, &span);
		error = fmax((double)count_below(n, truth, false) - span.value,
		    span.value - (double)count_below(n, truth, true));
		CHECK(error <= allowed(n, at));
		CHECK(span.value >= count_before && span.low <= span.value && span.value <= span.high);
		count_before = span.value;
	}
	/* The bounds are a guess, but a good one. */
	CHECK(guessed >= 970);
}

static void
ranks_are_within_the_published_figures(void)
{
	for (size_t which = 0; which < DISTRIBUTIONS; which++) {
		fill(which, SAMPLES);
		struct tdigest *t = tdigest_of(100, sample, NULL, SAMPLES);
		check_answers(t, SAMPLES, distributions[which].name);
		CHECK(tdigest_look(t).n <= 1000);
		tdigest_free(t);
	}
}

static void
so_they_are_of_64_parts(void)
{
	for (size_t which = 0; which < DISTRIBUTIONS; which++) {
		struct tdigest *all = new_tdigest(100);
		fill(which, SAMPLES);
		for (size_t part = 0; part < 64; part++) {
			size_t from = SAMPLES * part / 64, to = SAMPLES * (part + 1) / 64;
			struct tdigest *t = reloaded(tdigest_of(100, sample + from, NULL, to - from));
			CHECK(tdigest_merge(all, t, NULL) == OK);
			tdigest_free(t);
		}
		check_answers(all, SAMPLES, distributions[which].name);
		tdigest_free(all);
	}
}

/* New ones fall into the midst of older ones time and again. */
static void
numbers_that_drift_are_off_by_more(void)
{
	for (uint64_t walk = 0; walk < 4; walk++) {
		double at = 0, worst = 0;
		seed = walk;
		for (size_t i = 0; i < SAMPLES; i++)
			sorted[i] = sample[i] = at += normal();
		qsort(sorted, SAMPLES, sizeof *sorted, by_value);
		struct tdigest *t = tdigest_of(100, sample, NULL, SAMPLES);
		for (int i = 1; i <= 999; i++) {
			struct span span;
			q->quantile(t, i / 1000.0, false, &span);
			worst = fmax(worst, rank_error(SAMPLES, span.value, i / 1000.0 * SAMPLES));
		}
		CHECK_IN(worst, 0, 0.004 * SAMPLES);
		tdigest_free(t);
	}
}

static void
they_are_better_with_a_higher_compression(void)
{
	double worst[3] = {0};
	static const unsigned compression[] = {20, 100, 500};

	fill(0, SAMPLES);
	for (size_t c = 0; c < 3; c++) {
		struct tdigest *t = tdigest_of(compression[c], sample, NULL, SAMPLES);
		for (int i = 1; i <= 999; i++) {
			struct span span;
			q->quantile(t, i / 1000.0, false, &span);
			worst[c] = fmax(worst[c], rank_error(SAMPLES, span.value, i / 1000.0 * SAMPLES));
		}
		tdigest_free(t);
	}
	CHECK(worst[0] > worst[1] && worst[1] > worst[2]);
}

/* Few samples. */

static void
check_exact(const struct tdigest *t, size_t n)
{
	struct span span;

	CHECK(tdigest_exact(t));
	for (size_t rank = 1; rank <= n; rank++)
		for (unsigned discrete = 0; discrete < 2; discrete++) {
			q->at_rank(t, rank, discrete, &span);
			CHECK(span.value == sorted[rank - 1]);
			CHECK(span.low == span.value && span.high == span.value);
		}
	for (int i = 0; i <= 1000; i++)
		for (unsigned discrete = 0; discrete < 2; discrete++) {
			q->quantile(t, i / 1000.0, discrete, &span);
			CHECK(span.value == sorted[quantiles_rank(i / 1000.0, n) - 1]);
		}
	for (size_t i = 0; i < n; i += 1 + n / 50) {
		q->below(t, sorted[i], &span);
		CHECK(span.value == (double)count_below(n, sorted[i], true));
		CHECK(span.low == span.value && span.high == span.value);
		q->below(t, nextafter(sorted[i], -INFINITY), &span);
		CHECK(span.value == (double)count_below(n, sorted[i], false));
	}
}

static void
few_samples_are_kept_as_they_came(void)
{
	static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 95, 96, 97, 500, 999, 1000, 1999, 2000};

	for (size_t which = 0; which < DISTRIBUTIONS; which++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			fill(which, sizes[i]);
			struct tdigest *t = tdigest_of(100, sample, NULL, sizes[i]);
			check_exact(t, sizes[i]);
			t = reloaded(t);
			check_exact(t, sizes[i]);
			tdigest_free(t);
		}
}

static void
it_is_different_ones_that_count(void)
{
	struct tdigest *t = new_tdigest(100), *merged = new_tdigest(100);
	struct span span;

	for (size_t i = 0; i < SAMPLES; i++)
		sample[i] = (double)(i * 7919 % 2000);
	memcpy(sorted, sample, sizeof sample);
	qsort(sorted, SAMPLES, sizeof *sorted, by_value);
	for (size_t i = 0; i < SAMPLES; i += 1000) {
		struct tdigest *part = tdigest_of(100, sample + i, NULL, 1000);
		CHECK(tdigest_add(t, sample + i, NULL, 1000) == OK);
		CHECK(tdigest_merge(merged, part, NULL) == OK);
		tdigest_free(part);
	}
	CHECK(tdigest_exact(t) && tdigest_exact(merged) && same_bytes(t, merged));
	for (size_t rank = 1; rank <= SAMPLES; rank += 77) {
		q->at_rank(t, rank, false, &span);
		CHECK(span.value == sorted[rank - 1]);
	}
	/* One too many. */
	double more = 0.5;
	CHECK(tdigest_add(t, &more, NULL, 1) == OK);
	CHECK(!tdigest_exact(t));
	tdigest_free(t);
	tdigest_free(merged);
}

static void
equal_values_are_one_centroid(void)
{
	struct tdigest *t = new_tdigest(100);
	struct span span;

	for (size_t i = 0; i < SAMPLES; i++)
		sample[i] = -0.1;
	for (size_t i = 0; i < 10; i++)
		CHECK(tdigest_add(t, sample, NULL, SAMPLES) == OK);
	CHECK_EQ(tdigest_look(t).n, 1);
	CHECK_EQ(q->total(t), 1000000);
	CHECK(tdigest_exact(t));
	/* Nor do they need memory. */
	CHECK(t->tail_room <= 64 && t->room <= 200 && !t->seen);
	q->quantile(t, 0.3, false, &span);
	CHECK(span.value == -0.1);
	q->mean(t, &span);
	CHECK(span.value == -0.1);
	tdigest_free(t);
}

static void
keys_with_few_samples_are_small(void)
{
	struct tdigest *t = new_tdigest(100);
	double five[] = {5, 3, 4, 3, -0.0};

	CHECK(tdigest_add(t, five, NULL, 5) == OK);
	CHECK(sizeof *t + t->room * sizeof *t->at <= 200);
	CHECK(!t->tail && !t->seen);
	CHECK_EQ(tdigest_look(t).n, 4);
	CHECK(!signbit(tdigest_look(t).at[0].mean));
	tdigest_free(t);
}

/* What counts is the samples and their order. */

static void
asking_changes_nothing(void)
{
	static const size_t steps[] = {1, 7, 1000, 4095, 4096, 4097, 30000};
	uint64_t weight = 1;

	for (size_t which = 0; which < DISTRIBUTIONS; which += 3) {
		size_t n = 30000;
		fill(which, n);
		struct tdigest *whole = tdigest_of(50, sample, NULL, n);
		for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
			struct tdigest *t = new_tdigest(50);
			for (size_t i = 0; i < n; i += steps[s]) {
				size_t some = n - i < steps[s] ? n - i : steps[s];
				CHECK(tdigest_add(t, sample + i, some == 1 && i % 2 ? &weight : NULL, some) == OK);
				struct span span;
				if (steps[s] >= 1000 || i % 301 == 0)
					q->quantile(t, 0.5, false, &span);
			}
			CHECK(same_bytes(whole, t));
			tdigest_free(t);
		}
		tdigest_free(whole);
	}
}

static void
a_loaded_digest_answers_alike(void)
{
	struct span a, b;

	for (size_t n = 10; n < 40000; n = n * 5 / 2) {
		fill(3, n);
		struct tdigest *t = tdigest_of(20, sample, NULL, n);
		struct tdigest *again = reloaded(tdigest_of(20, sample, NULL, n));
		CHECK(same_bytes(t, again));
		for (int i = 0; i <= 100; i++) {
			q->quantile(t, i / 100.0, i % 2, &a);
			q->quantile(again, i / 100.0, i % 2, &b);
			CHECK(memcmp(&a, &b, sizeof a) == 0);
		}
		CHECK(tdigest_exact(t) == tdigest_exact(again));
		tdigest_free(t);
		tdigest_free(again);
	}
}

/* A sample with a weight is that many samples. */
static void
weights_are_samples(void)
{
	static uint64_t weight[SAMPLES];
	static double value[SAMPLES];

	seed = 5;
	for (unsigned i = 0; i < 2; i++) {
		size_t n = 0, all = 0;
		heavy = i > 0;
		for (; all < SAMPLES; n++) {
			value[n] = normal();
			weight[n] = heavy && n % 1000 == 0 ? 3000 : check_random(&seed) % 5;
			if (weight[n] > SAMPLES - all)
				weight[n] = SAMPLES - all;
			for (uint64_t k = 0; k < weight[n]; k++)
				sorted[all++] = value[n];
		}
		qsort(sorted, SAMPLES, sizeof *sorted, by_value);
		struct tdigest *t = tdigest_of(100, value, weight, n);
		check_answers(t, SAMPLES, heavy ? "heavy weights" : "weights");
		tdigest_free(t);
	}
	heavy = false;
}

static void
weights_of_all_sizes_keep_to_the_room(void)
{
	static const unsigned compression[] = {20, 100, 300, 1000};

	for (size_t c = 0; c < 4; c++) {
		struct tdigest *t = new_tdigest(compression[c]);
		uint64_t sum = 0;
		seed = c;
		for (size_t i = 0; i < 30000; i++) {
			double value = normal() * (double)(1 + i % 7 * 1000);
			uint64_t weight = check_random(&seed) >> (16 + check_random(&seed) % 48);
			CHECK(tdigest_add(t, &value, &weight, 1) == OK);
			sum += weight;
		}
		struct centroids all = tdigest_look(t);
		CHECK(all.n <= tdigest_room(compression[c]));
		CHECK_EQ(q->total(t), sum);
		CHECK(!q->saturated(t));
		uint64_t held = 0;
		for (size_t i = 0; i < all.n; i++)
			held += all.at[i].weight;
		CHECK_EQ(held, sum);
		tdigest_free(reloaded(t));
	}
}

static void
sizes_are_as_a_plan_tells(void)
{
	static const unsigned compression[] = {20, 100, 500};

	for (size_t c = 0; c < 3; c++)
		for (size_t n = 500; n <= SAMPLES; n *= 3) {
			fill(0, n);
			struct tdigest *t = tdigest_of(compression[c], sample, NULL, n);
			double expected = (double)tdigest_expect(compression[c], n);
			CHECK_IN(tdigest_look(t).n, 0.7 * expected, 1.3 * expected);
			CHECK(n > tdigest_room(compression[c]) || expected == (double)n);
			tdigest_free(t);
		}
}

static void
totals_stop_at_their_largest(void)
{
	struct tdigest *t = new_tdigest(100), *other = new_tdigest(100);
	double value[] = {3, 1, 2, 9};
	uint64_t weight[] = {UINT64_MAX - 10, 0, 20, 5};
	struct mismatch why;
	struct span span;

	CHECK(tdigest_add(t, value, weight, 2) == OK);
	CHECK(!q->saturated(t));
	CHECK(tdigest_add(t, value + 2, weight + 2, 2) == OK);
	CHECK(q->saturated(t));
	CHECK_EQ(q->total(t), UINT64_MAX);
	CHECK(tdigest_add(t, value, NULL, 4) == OK);
	q->least(t, &span);
	CHECK(span.value == 2);
	q->most(t, &span);
	CHECK(span.value == 3);
	q->at_rank(t, 10, true, &span);
	CHECK(span.value == 2);
	q->at_rank(t, 11, true, &span);
	CHECK(span.value == 3);
	t = reloaded(t);
	CHECK(q->saturated(t));
	CHECK(tdigest_add(other, value, NULL, 1) == OK);
	CHECK(tdigest_merge(other, t, &why) == STATUS_FULL);
	CHECK(strcmp(why.text, "1 and 18446744073709551615 samples") == 0);
	CHECK_EQ(q->total(other), 1);
	tdigest_free(t);
	tdigest_free(other);
}

/* No request took between 20 and 380. */
static void
a_gap_has_no_values(void)
{
	struct span span;

	for (unsigned parts = 1; parts <= 64; parts *= 8) {
		struct tdigest *t = new_tdigest(100);
		seed = parts;
		for (unsigned part = 0; part < parts; part++) {
			struct tdigest *some = new_tdigest(100);
			for (size_t i = 0; i < 60000 / parts; i++) {
				double value = bimodal();
				if (value < 20 || value > 380)
					CHECK(tdigest_add(some, &value, NULL, 1) == OK);
			}
			CHECK(tdigest_merge(t, some, NULL) == OK);
			tdigest_free(some);
		}
		for (int i = 0; i <= 10000; i++)
			for (unsigned discrete = 0; discrete < 2; discrete++) {
				q->quantile(t, i / 10000.0, discrete, &span);
				CHECK(span.value < 20 || span.value > 380);
			}
		tdigest_free(t);
	}
}

static void
numbers_of_any_size_have_means(void)
{
	static const double extremes[] = {DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, 0.0, -0.0};
	struct tdigest *t = new_tdigest(20);
	struct span span;

	seed = 9;
	for (size_t i = 0; i < 30000; i++) {
		double value = i % 3 == 0 ? extremes[check_random(&seed) % 6] :
		    ldexp(uniform() - 0.5, (int)(check_random(&seed) % 2000) - 1000);
		CHECK(tdigest_add(t, &value, NULL, 1) == OK);
	}
	double before = -DBL_MAX;
	for (int i = 0; i <= 1000; i++) {
		q->quantile(t, i / 1000.0, false, &span);
		CHECK(span.value >= before && span.value <= DBL_MAX);
		before = span.value;
	}
	q->mean(t, &span);
	CHECK(isfinite(span.value));
	uint64_t at = 0, sum = 0;
	struct bin bin;
	double end = -DBL_MAX;
	while (q->each(t, &at, &bin)) {
		CHECK(bin.low >= end && bin.high >= bin.low && bin.weight > 0);
		end = bin.high;
		sum += bin.weight;
	}
	CHECK(end == DBL_MAX);
	CHECK_EQ(sum, 30000);
	tdigest_free(reloaded(t));
}

static void
means_are_kept_by_sweeps(void)
{
	double sum = 0;
	struct span span;

	fill(4, SAMPLES);
	for (size_t i = 0; i < SAMPLES; i++)
		sum += (sample[i] += 1.7e9) - 1.7e9;
	struct tdigest *t = tdigest_of(20, sample, NULL, SAMPLES);
	q->mean(t, &span);
	CHECK_IN(span.value - 1.7e9, sum / SAMPLES - 1e-5, sum / SAMPLES + 1e-5);
	tdigest_free(t);
}

/* Merging. */

static void
merging_does_not_depend_on_who_is_first(void)
{
	for (size_t n = 100; n < SAMPLES; n *= 6) {
		fill(1, n);
		struct tdigest *pair[2][2];
		for (unsigned i = 0; i < 2; i++) {
			pair[i][0] = tdigest_of(100, sample, NULL, n / 3);
			pair[i][1] = tdigest_of(60, sample + n / 3, NULL, n - n / 3);
			CHECK(tdigest_merge(pair[i][i], pair[i][!i], NULL) == OK);
		}
		CHECK(same_bytes(pair[0][0], pair[1][1]));
		CHECK_EQ(pair[0][0]->compression, 60);
		for (unsigned i = 0; i < 4; i++)
			tdigest_free(pair[i / 2][i % 2]);
	}
}

static void
an_empty_one_adds_nothing(void)
{
	for (size_t n = 0; n <= 10000; n += 5000) {
		fill(2, n + 1);
		struct tdigest *t = tdigest_of(100, sample, NULL, n), *empty = new_tdigest(100);
		struct tdigest *same = tdigest_of(100, sample, NULL, n);
		CHECK(tdigest_merge(t, empty, NULL) == OK);
		CHECK(same_bytes(t, same));
		CHECK(tdigest_merge(empty, t, NULL) == OK);
		CHECK(same_bytes(empty, same));
		CHECK(tdigest_exact(empty) == (n <= 2000));
		tdigest_free(t);
		tdigest_free(empty);
		tdigest_free(same);
	}
}

static void
unlike_units_do_not_unite(void)
{
	struct record settings = {.param = {[TDIGEST_PARAM_COMPRESSION] = 100}};
	void *body[2];
	struct mismatch why;

	CHECK(q->make(&body[0], &settings) == OK);
	settings.param[QUANTILES_UNIT] = UNIT_MS;
	CHECK(q->make(&body[1], &settings) == OK);
	CHECK(tdigest_kind.merge(body[0], body[1], &why) == STATUS_MISMATCH);
	CHECK(strcmp(why.text, "unit none and ms") == 0);
	tdigest_free(body[0]);
	tdigest_free(body[1]);
	settings.param[QUANTILES_UNIT] = UNITS;
	CHECK(q->make(&body[0], &settings) == STATUS_PARAMETER);
	settings.param[QUANTILES_UNIT] = 0;
	settings.param[TDIGEST_PARAM_COMPRESSION] = (UINT64_C(1) << 32) + 100;
	CHECK(q->make(&body[0], &settings) == STATUS_PARAMETER);
}

static void
parameters_out_of_range_are_refused(void)
{
	struct tdigest *t;

	CHECK(tdigest_new(&t, 19) == STATUS_PARAMETER);
	CHECK(tdigest_new(&t, 1001) == STATUS_PARAMETER);
	CHECK(tdigest_new(&t, 1000) == OK);
	tdigest_free(t);
	tdigest_free(NULL);
}

/* The sort. */

static void
check_sort(uint64_t *key, size_t n, bool weighted)
{
	static uint64_t weight[8192], spare[4096], spare_weight[4096];
	uint64_t sum = 0, xor = 0, sorted_xor = 0, pairs = 0;

	for (size_t i = 0; i < n; i++) {
		weight[i] = key[i] * 3 + 1;
		xor ^= key[i];
		sum += key[i];
	}
	tdigest_sort(key, weighted ? weight : NULL, spare, weighted ? spare_weight : NULL, n);
	for (size_t i = 0; i < n; i++) {
		CHECK(i == 0 || key[i - 1] <= key[i]);
		sorted_xor ^= key[i];
		sum -= key[i];
		pairs += weight[i] == key[i] * 3 + 1;
	}
	CHECK(sum == 0 && xor == sorted_xor);
	CHECK(!weighted || pairs == n);
}

static void
keys_are_sorted_in_every_case(void)
{
	static uint64_t key[4096];
	static const size_t sizes[] = {0, 1, 2, 24, 25, 100, 4096};

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (unsigned kind = 0; kind < 9; kind++)
			for (unsigned weighted = 0; weighted < 2; weighted++) {
				size_t n = sizes[s];
				for (size_t i = 0; i < n; i++) {
					uint64_t r = check_random(&seed);
					key[i] = kind == 0 ? r : kind == 1 ? r & 0xff0000000000 :
					    kind == 2 ? i : kind == 3 ? n - i : kind == 4 ? 5 :
					    kind == 5 ? r >> 60 << 60 | (r & 15) :
					    /* The upper digits tell nothing of these. */
					    kind == 6 ? (i == 0 ? UINT64_C(1) << 63 : n - i) :
					    kind == 7 ? (r & 1) << 63 | (r >> 1 & 0xfffff) :
					    tdigest_key(ldexp(uniform() - 0.5, (int)(r % 100)));
				}
				check_sort(key, n, weighted);
			}
}

static void
keys_are_in_the_order_of_numbers(void)
{
	static const double value[] = {
		-DBL_MAX, -1e10, -1.5, -1, -DBL_MIN, -DBL_TRUE_MIN, 0, DBL_TRUE_MIN, DBL_MIN, 1,
		1.5, 1e10, DBL_MAX,
	};

	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		CHECK(tdigest_value(tdigest_key(value[i])) == value[i]);
		CHECK(i == 0 || tdigest_key(value[i - 1]) < tdigest_key(value[i]));
	}
	CHECK(tdigest_key(-0.0) == tdigest_key(0.0));
}

/* Records. */

static void
the_example_on_the_first_page_is_right(void)
{
	static const unsigned char payload[] = {
		0, 0, 0, 0, 0, 0, 0xf0, 0x3f,  0, 0, 0, 0, 0, 0, 4, 0x40,  1, 2,
	};
	double value[] = {2.5, 1, 2.5};
	struct tdigest *t = tdigest_of(100, value, NULL, 3);
	struct saved s = save(t);

	CHECK_EQ(s.payload.len, sizeof payload);
	CHECK(s.payload.len == sizeof payload && memcmp(s.payload.at, payload, sizeof payload) == 0);
	CHECK_EQ(s.head.param[0], 100);
	CHECK_EQ(s.head.param[1], 2);
	CHECK_EQ(s.head.param[2], 0);
	CHECK_EQ(s.head.param[3], 3);
	buffer_free(&s.payload);
	tdigest_free(t);
}

/* Of evenly spaced numbers every centroid is the middle of its own, so that what lies
 * between two of them is where a straight line says. */
static void
evenly_spaced_numbers_lie_on_a_line(void)
{
	enum { MANY = 100000 };
	static double value[MANY];

	for (size_t i = 0; i < MANY; i++)
		value[i] = (double)i + 0.5;
	struct tdigest *t = tdigest_of(100, value, NULL, MANY);
	for (double share = 0.001; share < 1; share += 0.001) {
		struct span s;

		q->quantile(t, share, false, &s);
		CHECK_IN(s.value, share * MANY - 0.501, share * MANY + 0.501);
		q->below(t, share * MANY, &s);
		CHECK_IN(s.value, share * MANY - 0.501, share * MANY + 0.501);
	}
	tdigest_free(t);
}

static enum status
load_changed(const struct saved *s, size_t at, uint64_t word)
{
	struct saved copy = {.head = s->head};
	struct tdigest *t;

	CHECK(buffer_append(&copy.payload, s->payload.at, s->payload.len) == OK);
	put_le64(copy.payload.at + at, word);
	enum status st = load(&t, &copy);
	tdigest_free(t);
	buffer_free(&copy.payload);
	return st;
}

static enum status
load_with(const struct saved *s, unsigned param, uint64_t value)
{
	struct saved copy = *s;
	struct tdigest *t;

	copy.head.param[param] = value;
	enum status st = load(&t, &copy);
	tdigest_free(t);
	return st;
}

static void
records_that_cannot_be_are_refused(void)
{
	fill(1, 20000);
	struct tdigest *t = tdigest_of(20, sample, NULL, 20000);
	struct saved s = save(t);
	size_t n = (size_t)s.head.param[1], middle = n / 2 * 8;
	struct tdigest *again;

	/* The mean of the middle one can be another one, but not any. */
	double mean = real_from(get_le64(s.payload.at + middle));
	CHECK(load_changed(&s, middle, real_bits(nextafter(mean, INFINITY))) == OK);
	CHECK(load_changed(&s, middle, real_bits(1e9)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, middle, real_bits(NAN)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, middle, real_bits(-1e9)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, middle, get_le64(s.payload.at + middle - 8)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, 0, real_bits(-INFINITY)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, 0, real_bits(-1e300)) == OK);
	CHECK(load_changed(&s, 8 * n - 8, real_bits(INFINITY)) == STATUS_INVARIANT);

	/* Which are mixed: neither end is; and so many, behind which nothing is. */
	unsigned char *bits = s.payload.at + 8 * n;
	size_t last = n - 1;
	bits[0] ^= 1;
	CHECK(load(&again, &s) == STATUS_INVARIANT);
	s.head.param[2]++;
	CHECK(load(&again, &s) == STATUS_INVARIANT);
	bits[0] ^= 1;
	bits[last / 8] ^= (unsigned char)(1 << last % 8);
	CHECK(load(&again, &s) == STATUS_INVARIANT);
	bits[last / 8] ^= (unsigned char)(1 << last % 8);
	s.head.param[2]--;
	if (n % 8 != 0) {
		bits[n / 8] ^= 0x80;
		CHECK(load(&again, &s) == STATUS_INVARIANT);
		bits[n / 8] ^= 0x80;
	}

	/* Weights: one of one sample does not mix, and none is nothing. */
	unsigned char *weight = bits + (n + 7) / 8;
	CHECK_EQ(weight[0], 1);
	weight[0] = 0;
	CHECK(load_with(&s, 3, 19999) == STATUS_INVARIANT);
	weight[0] = 2;
	CHECK(load(&again, &s) == STATUS_INVARIANT);
	CHECK(load_with(&s, 3, 20001) == OK);
	weight[0] = 1;
	size_t mixed = 1;
	while (!(bits[mixed / 8] >> mixed % 8 & 1))
		mixed++;
	unsigned char was = weight[mixed];
	CHECK(was >= 2 && was < 0x80);
	weight[mixed] = 1;
	CHECK(load_with(&s, 3, 20000 - was + 1) == STATUS_INVARIANT);
	weight[mixed] = was;

	CHECK(load_with(&s, 0, 19) == STATUS_PARAMETER);
	CHECK(load_with(&s, 0, 1001) == STATUS_PARAMETER);
	CHECK(load_with(&s, 1, 1201) == STATUS_PARAMETER);
	CHECK(load_with(&s, 1, n + 1) == STATUS_INVARIANT);
	s.head.size = 9 * n + (n + 7) / 8 - 1;
	CHECK(load(&again, &s) == STATUS_SIZE);
	s.head.size = 18 * n + (n + 7) / 8 + 1;
	CHECK(load(&again, &s) == STATUS_SIZE);
	s.head.size = s.payload.len;
	CHECK(load_with(&s, 2, n - 1) == STATUS_PARAMETER);
	CHECK(load_with(&s, 3, n - 1) == STATUS_PARAMETER);
	CHECK(load_with(&s, 3, 0) == STATUS_PARAMETER);
	CHECK(load_with(&s, 4, 1) == STATUS_PARAMETER);
	CHECK(load_with(&s, 6, 1) == STATUS_PARAMETER);
	CHECK(load_with(&s, 7, UNITS - 1) == OK);
	CHECK(load_with(&s, 7, UNITS) == STATUS_PARAMETER);
	s.head.flags |= FLAG_SATURATED;
	CHECK(load(&again, &s) == STATUS_INVARIANT);
	buffer_free(&s.payload);
	tdigest_free(t);

	/* -0 is not written, nor are equal samples apart. */
	double two[] = {0, 1};
	t = tdigest_of(20, two, NULL, 2);
	s = save(t);
	CHECK(load_changed(&s, 0, real_bits(0.0)) == OK);
	CHECK(load_changed(&s, 0, real_bits(-0.0)) == STATUS_INVARIANT);
	CHECK(load_changed(&s, 0, real_bits(1)) == STATUS_INVARIANT);
	buffer_free(&s.payload);
	tdigest_free(t);
}

/* A digest that was loaded goes on as one that was not empty. */
static void
a_loaded_digest_can_be_added_to(void)
{
	static const size_t sizes[] = {5, 40, 3000, 20000};

	for (size_t i = 0; i < 4; i++) {
		size_t n = sizes[i];
		fill(0, 2 * n);
		struct tdigest *t = reloaded(tdigest_of(20, sample, NULL, n));
		CHECK(tdigest_add(t, sample + n, NULL, n) == OK);
		CHECK_EQ(q->total(t), 2 * n);
		for (int k = 1; k < 100; k++) {
			struct span span;
			q->quantile(t, k / 100.0, false, &span);
			CHECK(rank_error(2 * n, span.value, k / 100.0 * 2 * (double)n) <= 3 + (double)n / 100);
		}
		tdigest_free(reloaded(t));
	}
}

int
main(void)
{
	RUN(ranks_are_within_the_published_figures);
	RUN(so_they_are_of_64_parts);
	RUN(numbers_that_drift_are_off_by_more);
	RUN(they_are_better_with_a_higher_compression);
	RUN(few_samples_are_kept_as_they_came);
	RUN(it_is_different_ones_that_count);
	RUN(equal_values_are_one_centroid);
	RUN(keys_with_few_samples_are_small);
	RUN(asking_changes_nothing);
	RUN(a_loaded_digest_answers_alike);
	RUN(weights_are_samples);
	RUN(weights_of_all_sizes_keep_to_the_room);
	RUN(sizes_are_as_a_plan_tells);
	RUN(totals_stop_at_their_largest);
	RUN(a_gap_has_no_values);
	RUN(numbers_of_any_size_have_means);
	RUN(means_are_kept_by_sweeps);
	RUN(merging_does_not_depend_on_who_is_first);
	RUN(an_empty_one_adds_nothing);
	RUN(unlike_units_do_not_unite);
	RUN(parameters_out_of_range_are_refused);
	RUN(keys_are_sorted_in_every_case);
	RUN(keys_are_in_the_order_of_numbers);
	RUN(the_example_on_the_first_page_is_right);
	RUN(evenly_spaced_numbers_lie_on_a_line);
	RUN(records_that_cannot_be_are_refused);
	RUN(a_loaded_digest_can_be_added_to);
	return check_done();
}
