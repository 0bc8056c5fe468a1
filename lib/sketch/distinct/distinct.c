/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/hll_postgres.h"
#include "sketch/distinct/hll_redis.h"
#include "sketch/nearness/minhash.h"

static enum status
hll_make(void **body, const struct record *settings)
{
	uint64_t precision = settings->param[HLL_PARAM_PRECISION];
	struct hll *h;

	if (precision > HLL_PRECISION_MAX)
		return STATUS_PARAMETER;
	enum status st = hll_new(&h, (unsigned)precision);
	if (st == OK)
		*body = h;
	return st;
}

static enum status
hll_distinct_add(void *body, const uint64_t *hash, size_t n)
{
	return hll_add(body, hash, n);
}

static double
hll_distinct_estimate(const void *body)
{
	return hll_estimate(body);
}

static void
hll_distinct_interval(const void *body, double *low, double *high)
{
	hll_interval(body, low, high);
}

static enum status
redis_make(void **body, const struct record *settings)
{
	struct hll_low *l;
	enum status st = hll_redis_new(&l);

	(void)settings;
	if (st == OK)
		*body = l;
	return st;
}

static enum status
redis_add(void *body, const uint64_t *hash, size_t n)
{
	return hll_low_add(body, hash, n);
}

static double
redis_estimate(const void *body)
{
	return hll_redis_estimate(body);
}

static void
redis_interval(const void *body, double *low, double *high)
{
	hll_redis_interval(body, low, high);
}

static enum status
postgres_make(void **body, const struct record *settings)
{
	struct hll_postgres_shape shape;
	struct hll_postgres *h;

	enum status st = hll_postgres_get(settings, &shape);
	if (st == OK)
		st = hll_postgres_new(&h, &shape);
	if (st == OK)
		*body = h;
	return st;
}

static enum status
postgres_add(void *body, const uint64_t *hash, size_t n)
{
	return hll_postgres_add(body, hash, n);
}

static double
postgres_estimate(const void *body)
{
	return hll_postgres_estimate(body);
}

static void
postgres_interval(const void *body, double *low, double *high)
{
	hll_postgres_interval(body, low, high);
}

static enum status
datasketches_make(void **body, const struct record *settings)
{
	uint64_t lgk = settings->param[HLL_DATASKETCHES_LGK];
	struct hll_datasketches *h;

	if (lgk > HLL_DATASKETCHES_LGK_MAX)
		return STATUS_PARAMETER;
	enum status st = hll_datasketches_new(&h, (unsigned)lgk);
	if (st == OK)
		*body = h;
	return st;
}

static enum status
datasketches_add(void *body, const uint64_t *hash, size_t n)
{
	return hll_datasketches_add(body, hash, n);
}

static double
datasketches_estimate(const void *body)
{
	return hll_datasketches_estimate(body);
}

static void
datasketches_interval(const void *body, double *low, double *high)
{
	hll_datasketches_interval(body, low, high);
}

static enum status
minhash_make(void **body, const struct record *settings)
{
	struct minhash *m;
	enum status st = minhash_new(&m, settings);

	if (st == OK)
		*body = m;
	return st;
}

static enum status
minhash_distinct_add(void *body, const uint64_t *hash, size_t n)
{
	return minhash_add(body, hash, n);
}

static double
minhash_distinct_estimate(const void *body)
{
	return minhash_estimate(body);
}

static void
minhash_distinct_interval(const void *body, double *low, double *high)
{
	minhash_interval(body, low, high);
}

static const struct distinct rows[] = {
	{
		.kind = KIND_HLL, .hash = HASH_XXH3, .make = hll_make, .add = hll_distinct_add,
		.estimate = hll_distinct_estimate, .interval = hll_distinct_interval,
	},
	{
		.kind = KIND_HLL_REDIS, .hash = HASH_MURMUR64A, .make = redis_make, .add = redis_add,
		.estimate = redis_estimate, .interval = redis_interval,
	},
	{
		.kind = KIND_HLL_POSTGRES, .hash = HASH_MURMUR3, .make = postgres_make,
		.add = postgres_add, .estimate = postgres_estimate, .interval = postgres_interval,
	},
	{
		.kind = KIND_HLL_DATASKETCHES, .hash = HASH_MURMUR3_COUPON,
		.make = datasketches_make, .add = datasketches_add,
		.estimate = datasketches_estimate, .interval = datasketches_interval,
	},
	{
		.kind = KIND_MINHASH, .hash = HASH_XXH3, .make = minhash_make,
		.add = minhash_distinct_add, .estimate = minhash_distinct_estimate,
		.interval = minhash_distinct_interval,
	},
};

const struct distinct *
distinct_row(size_t i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct distinct *
distinct_find(uint16_t kind)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == kind)
			return &rows[i];
	return NULL;
}
