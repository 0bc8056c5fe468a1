/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/record.h"
#include "sketch/frequency/cms.h"
#include "sketch/frequency/frequency.h"
#include "sketch/frequency/heavy.h"
#include "sketch/frequency/spacesaving.h"

static void
table_bounds(const void *body, struct slice item, uint64_t hash, uint64_t *low, uint64_t *high)
{
	spacesaving_bounds(body, item, hash, low, high);
}

static bool
table_each(const void *body, size_t *at, struct counter *c)
{
	return spacesaving_each(body, at, c);
}

static size_t
table_listed(const void *body)
{
	return spacesaving_distinct(body);
}

static uint64_t
table_missing(const void *body)
{
	return spacesaving_missing(body);
}

static uint64_t
table_total(const void *body)
{
	return spacesaving_total(body);
}

static bool
table_saturated(const void *body)
{
	return spacesaving_saturated(body);
}

static bool
table_exact(const void *body)
{
	return spacesaving_exact(body);
}

static uint64_t
table_excess(const void *body, double *probability)
{
	struct counter c;
	uint64_t most = spacesaving_missing(body);

	for (size_t at = 0; spacesaving_each(body, &at, &c);)
		if (most < c.high - c.low)
			most = c.high - c.low;
	*probability = 1;
	return most;
}

static void
count_min_bounds(const void *body, struct slice item, uint64_t hash,
    uint64_t *low, uint64_t *high)
{
	cms_bounds(body, item, hash, low, high);
}

static bool
count_min_each(const void *body, size_t *at, struct counter *c)
{
	return cms_each(body, at, c);
}

static size_t
count_min_listed(const void *body)
{
	return cms_candidates(body);
}

static uint64_t
count_min_missing(const void *body)
{
	return cms_missing(body);
}

static uint64_t
count_min_total(const void *body)
{
	return cms_total(body);
}

static bool
count_min_saturated(const void *body)
{
	return cms_saturated(body);
}

static bool
count_min_exact(const void *body)
{
	struct counter c;
	bool exact = cms_missing(body) == 0;

	for (size_t at = 0; exact && cms_each(body, &at, &c);)
		exact = c.low == c.high;
	return exact;
}

static uint64_t
count_min_excess(const void *body, double *probability)
{
	*probability = 1 - cms_parameters(body).delta;
	return cms_excess(body);
}

static void
saved_bounds(const void *body, struct slice item, uint64_t hash, uint64_t *low, uint64_t *high)
{
	heavy_bounds(body, item, hash, low, high);
}

static bool
saved_each(const void *body, size_t *at, struct counter *c)
{
	return heavy_each(body, at, c);
}

static size_t
saved_listed(const void *body)
{
	return heavy_listed(body);
}

static uint64_t
saved_missing(const void *body)
{
	return heavy_missing(body);
}

static uint64_t
saved_total(const void *body)
{
	return heavy_total(body);
}

static bool
saved_saturated(const void *body)
{
	return heavy_saturated(body);
}

static bool
saved_exact(const void *body)
{
	return heavy_exact(body);
}

static uint64_t
saved_excess(const void *body, double *probability)
{
	*probability = 1;
	return heavy_excess(body);
}

static const struct frequency rows[] = {
	{
		.kind = KIND_CMS, .type = "cms", .bounds = count_min_bounds,
		.each = count_min_each, .listed = count_min_listed,
		.missing = count_min_missing, .total = count_min_total,
		.saturated = count_min_saturated, .exact = count_min_exact,
		.excess = count_min_excess,
	}, {
		.kind = KIND_SPACESAVING, .type = "spacesaving", .bounds = saved_bounds,
		.each = saved_each, .listed = saved_listed, .missing = saved_missing,
		.total = saved_total, .saturated = saved_saturated, .exact = saved_exact,
		.excess = saved_excess,
	},
};

const struct frequency frequency_of_table = {
	.type = "spacesaving", .bounds = table_bounds, .each = table_each,
	.listed = table_listed, .missing = table_missing, .total = table_total,
	.saturated = table_saturated, .exact = table_exact, .excess = table_excess,
};

const struct frequency *
frequency_row(size_t i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct frequency *
frequency_find(uint16_t kind)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == kind)
			return &rows[i];
	return NULL;
}
