/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Java prints a double from its shortest decimal, half of a last digit upwards.
 * C's printf would print its exact value, half to even: 0.9997802734375 has
 * another twelfth digit then.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "interop/hdr_buckets.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_table.h"
#include "interop/hdr_units.h"

#define TICKS 5                  /* for each half distance to 100 % */
#define DIGITS_MAX 24            /* of the shortest decimal of a double */
#define TEXT_MAX 400             /* of a double without an exponent */

struct table {
	const struct hdr *hdr;
	struct buffer *out;
	enum unit unit;
	bool csv;
	enum status st;
};

static void
put(struct table *t, const char *text)
{
	if (t->st == OK)
		t->st = buffer_append(t->out, text, strlen(text));
}

/* 0.d1 d2 d3 ... times a power of ten. */
struct decimal {
	int n, point;
	char digit[DIGITS_MAX];
};

static struct decimal
shortest(double v)
{
	struct decimal d = {0};
	char text[NUM_REAL_SIZE];
	const char *p = num_real(text, v);
	bool fraction = false;

	for (; *p && *p != 'e'; p++) {
		if (*p == '.') {
			fraction = true;
		} else if (*p == '0' && d.n == 0) {
			d.point -= fraction;
		} else {
			d.digit[d.n++] = *p;
			d.point += !fraction;
		}
	}
	if (*p == 'e')
		d.point += (int)strtol(p + 1, NULL, 10);
	return d;
}

/* Cut behind so many digits after the point, and round up from a half on. */
static void
round_at(struct decimal *d, int places)
{
	int keep = d->point + places;

	if (keep < 0 || keep >= d->n) {
		if (keep < 0)
			d->n = 0;
		return;
	}
	bool up = d->digit[keep] >= '5';
	d->n = keep;
	for (int i = keep - 1; up && i >= 0; i--) {
		up = d->digit[i] == '9';
		d->digit[i] = (char)(up ? '0' : d->digit[i] + 1);
	}
	if (!up)
		return;
	memmove(d->digit + 1, d->digit, (size_t)d->n);
	d->digit[0] = '1';
	d->n++;
	d->point++;
}

/* A number that is not below 0, with so many digits after the point. */
static void
put_real(struct table *t, int width, int places, double v)
{
	struct decimal d = shortest(v);
	char text[TEXT_MAX];
	int n = 0;

	round_at(&d, places);
	for (int i = 0; i < d.point; i++)
		text[n++] = (char)(i < d.n ? d.digit[i] : '0');
	if (d.point < 1)
		text[n++] = '0';
	text[n++] = '.';
	for (int i = d.point; i < d.point + places; i++)
		text[n++] = (char)(i >= 0 && i < d.n ? d.digit[i] : '0');
	text[n] = '\0';
	for (int i = n; i < width; i++)
		put(t, " ");
	put(t, text);
}

static void
put_count(struct table *t, int width, uint64_t n)
{
	char text[NUM_REAL_SIZE];

	snprintf(text, sizeof text, "%*llu", width, (unsigned long long)n);
	put(t, text);
}

/* As they divide there, which is another rounding than multiplying. */
static double
in_unit(const struct table *t, double v)
{
	double ratio = unit_ratio(t->unit, hdr_unit(t->hdr));

	return ratio >= 1 ? v / ratio : v * unit_ratio(hdr_unit(t->hdr), t->unit);
}

/* The number that stands for a slot. */
static double
value_of(const struct table *t, const struct bin *bin)
{
	return in_unit(t, hdr_told(t->hdr, bin->low, bin->high));
}

/* level: of 100; at 100 the row is the last. */
static void
put_row(struct table *t, const struct bin *bin, double level, uint64_t count)
{
	const char *between = t->csv ? "," : " ";

	put_real(t, t->csv ? 0 : 12, (int)hdr_digits(t->hdr), value_of(t, bin));
	put(t, between);
	put_real(t, 0, 12, level / 100);
	put(t, between);
	put_count(t, t->csv ? 0 : 10, count);
	if (level < 100) {
		put(t, between);
		put_real(t, t->csv ? 0 : 14, 2, 1 / (1 - level / 100));
	} else if (t->csv) {
		put(t, ",Infinity");
	}
	put(t, "\n");
}

/* Steps are even between two halves, down to where a double has no more of them. */
static double
next_level(double level)
{
	int exponent;

	frexp(100 / (100 - level), &exponent);
	double next = level + 100 / ldexp(TICKS, exponent);
	return next > level ? next : 100;
}

static void
put_rows(struct table *t)
{
	double level = 0, total = (double)hdr_total(t->hdr);
	uint64_t at = 0, count = 0;
	struct bin bin = {0};

	while (t->st == OK && hdr_each(t->hdr, &at, &bin)) {
		count += bin.weight;
		while (t->st == OK && level < 100 && 100 * (double)count / total >= level) {
			put_row(t, &bin, level, count);
			if (count == hdr_total(t->hdr))
				break;
			level = next_level(level);
		}
	}
	if (count > 0)
		put_row(t, &bin, 100, count);
}

/* Each slot counts as the number in its middle. */
static double
middle_of(const struct hdr *h, const struct bin *bin)
{
	double width = bin->high - bin->low;

	return hdr_whole(h) ? bin->low + floor((width + 1) / 2) : bin->low + width / 2;
}

static double
mean(const struct hdr *h)
{
	uint64_t at = 0;
	double sum = 0;
	struct bin bin;

	while (hdr_each(h, &at, &bin))
		sum += middle_of(h, &bin) * (double)bin.weight;
	return hdr_total(h) > 0 ? sum / (double)hdr_total(h) : 0;
}

static double
deviation(const struct hdr *h, double from)
{
	uint64_t at = 0;
	double sum = 0;
	struct bin bin;

	while (hdr_each(h, &at, &bin)) {
		double d = middle_of(h, &bin) - from;
		sum += d * d * (double)bin.weight;
	}
	return hdr_total(h) > 0 ? sqrt(sum / (double)hdr_total(h)) : 0;
}

/* Doublings from the first slots on. What cannot be a histogram there, numbers that
 * are too large or not whole, has no first slots: it is as if its least number above
 * 0 were the end of these. */
static unsigned
buckets(const struct hdr *h)
{
	bool found = false;
	struct mismatch why;
	int least = 0, most = 0;
	uint64_t at = 0;
	struct bin bin;

	if (hdr_whole(h) && hdr_units_can_be_whole(h, hdr_unit(h), &why))
		return hdr_payload_buckets(h).buckets;
	while (hdr_each(h, &at, &bin)) {
		if (bin.low > 0)
			frexp(bin.low, &most);
		if (bin.low > 0 && !found)
			least = most;
		found |= bin.low > 0;
	}
	return (unsigned)(most - least) + 1;
}

static void
put_summary(struct table *t)
{
	const struct hdr *h = t->hdr;
	const int places = (int)hdr_digits(h);
	double average = mean(h);
	struct bin last = {0};
	uint64_t at = 0;

	while (hdr_each(h, &at, &last))
		continue;
	put(t, "#[Mean    = ");
	put_real(t, 12, places, in_unit(t, average));
	put(t, ", StdDeviation   = ");
	put_real(t, 12, places, in_unit(t, deviation(h, average)));
	put(t, "]\n#[Max     = ");
	put_real(t, 12, places, value_of(t, &last));
	put(t, ", Total count    = ");
	put_count(t, 12, hdr_total(h));
	put(t, "]\n#[Buckets = ");
	put_count(t, 12, buckets(h));
	put(t, ", SubBuckets     = ");
	put_count(t, 12, UINT64_C(2) << hdr_bits(hdr_digits(h)));
	put(t, "]\n");
}

enum status
hdr_table_write(const struct hdr *h, enum unit unit, bool csv, struct buffer *out)
{
	struct table t = {h, out, unit, csv, OK};

	put(&t, csv ? "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n" :
	    "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
	put_rows(&t);
	if (!csv)
		put_summary(&t);
	return t.st;
}
