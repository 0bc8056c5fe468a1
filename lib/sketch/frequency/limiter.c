/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A shard begins as meters of its hashes (meters.h) and ends as a grid of meters
 * that they share (metergrid.h) in the same memory. The ceiling is cut into 17
 * parts: one for each shard, and a spare one for the shard that is about to go
 * over to another array, which one does at a time.
 *
 * LOSSES. How many lines a grid holds back that should pass depends on how often
 * its hashes come and in which order; no formula tells. So it is measured. A
 * sixteenth of a shard that has turned is a sample: meters of their own for one
 * hash in 2^n, the ones with n zeros at their low end, with what an exact limiter
 * would let pass. Each line of the sample stands for 2^n of the shard. When the
 * sample is full, n grows by one and half of it goes.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sketch/frequency/limiter.h"
#include "sketch/frequency/metergrid.h"
#include "sketch/frequency/meters.h"

_Static_assert(LIMITER_SHARDS == 1 << SLOTS_TOP, "a shard's hashes share their top bits");

#define ALIGN 64
#define AHEAD 128                    /* hashes whose memory is sent for at a time */
#define SAMPLE_SHARE 16              /* a shard's memory is so many times a sample's */
#define SAMPLE_LEAST 64              /* hashes */

struct shard {
	_Alignas(ALIGN) struct meters exact;
	bool turned;                 /* then there are a grid and a sample instead */
	struct metergrid grid;
	struct meters sample;
	unsigned thin;               /* the sample has one hash in 2^thin */
	uint64_t passed;
	double due, lost;
};

struct limiter {
	struct shard shard[LIMITER_SHARDS];
	struct meter_form form;
	uint64_t bytes;              /* of a shard, and of the spare part */
	unsigned now;                /* stamp of the newest pane */
	pthread_mutex_t spare;       /* who holds it may use that part */
};

static inline unsigned
shard_of(uint64_t hash)
{
	return (unsigned)(hash >> (64 - SLOTS_TOP));
}

/* 0 is no hash to a table: 1 stands for both. */
static inline uint64_t
key_of(uint64_t hash)
{
	return hash + (hash == 0);
}

static uint64_t
sample_bytes(const struct limiter *l)
{
	uint64_t least = SAMPLE_LEAST * (1 + l->form.words) * sizeof(uint64_t);
	uint64_t share = l->bytes / SAMPLE_SHARE;

	return share > least ? share : least;
}

static void
shard_clear(struct shard *s)
{
	meters_clear(&s->exact);
	metergrid_clear(&s->grid);
	meters_clear(&s->sample);
	s->turned = false;
	s->thin = 0;
}

enum status
limiter_new(struct limiter **out, struct meter_form form, uint64_t bytes)
{
	assert(bytes >= LIMITER_BYTES_MIN);
	struct limiter *l = aligned_alloc(ALIGN, sizeof *l);
	enum status st = OK;

	if (!l)
		return STATUS_MEMORY;
	memset(l, 0, sizeof *l);
	l->form = form;
	l->bytes = bytes / (LIMITER_SHARDS + 1);
	l->now = form.panes;
	int error = pthread_mutex_init(&l->spare, NULL);
	if (error != 0) {
		free(l);
		errno = error;
		return STATUS_SYSTEM;
	}
	for (unsigned i = 0; i < LIMITER_SHARDS && st == OK; i++)
		st = meters_init(&l->shard[i].exact, &form, l->bytes);
	if (st != OK) {
		limiter_free(l);
		return st;
	}
	*out = l;
	return OK;
}

void
limiter_free(struct limiter *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < LIMITER_SHARDS; i++)
		shard_clear(&l->shard[i]);
	pthread_mutex_destroy(&l->spare);
	free(l);
}

/*
 * The sample.
 */

static inline uint64_t
sample_mask(const struct shard *s)
{
	return (UINT64_C(1) << s->thin) - 1;
}

static inline bool
in_sample(const struct shard *s, uint64_t hash)
{
	return (hash & sample_mask(s)) == 0;
}

/* There is room for a hash, or it is one of those that leave the sample. */
static enum status
sample_make_room(const struct limiter *l, struct shard *s)
{
	enum status st = meters_renew(&s->sample, &l->form, l->now, l->now, sample_mask(s));

	while (st == STATUS_FULL) {
		s->thin++;
		st = meters_renew(&s->sample, &l->form, l->now, l->now, sample_mask(s));
	}
	return st;
}

/* A hash of the sample, with what has passed before the shard turned. */
static enum status
sample_put(const struct limiter *l, struct shard *s, uint64_t hash, const struct meter_sums *sums)
{
	if (meters_full(&s->sample)) {
		enum status st = sample_make_room(l, s);
		if (st != OK || !in_sample(s, hash))
			return st;
	}
	uint64_t *entry = meters_find(&s->sample, hash);
	*entry = hash;
	meter_write(&l->form, entry + 1, l->now, sums);
	s->sample.taken++;
	return OK;
}

/*
 * Turning.
 */

/* All that has passed goes from the array of each hash's own into the grid. */
static enum status
hand_over(const struct limiter *l, struct shard *s)
{
	const struct meters *m = &s->exact;
	enum status st = OK;

	for (uint64_t i = 0; i < m->size && st == OK; i++) {
		const uint64_t *entry = m->at + i * m->stride;
		struct meter_sums sums;

		if (*entry == 0 || !meter_live(&l->form, entry + 1, l->now))
			continue;
		meter_read(&l->form, entry + 1, l->now, &sums);
		metergrid_put(&s->grid, &l->form, l->now, *entry, &sums);
		if (in_sample(s, *entry))
			st = sample_put(l, s, *entry, &sums);
	}
	return st;
}

static enum status
turn(const struct limiter *l, struct shard *s)
{
	uint64_t sample = sample_bytes(l);
	enum status st = metergrid_init(&s->grid, &l->form, l->bytes - sample);

	if (st == OK)
		st = meters_init(&s->sample, &l->form, sample);
	if (st == OK)
		st = hand_over(l, s);
	if (st != OK)
		return st;
	meters_clear(&s->exact);
	s->turned = true;
	return OK;
}

/* There is room for a hash, or the shard has turned. */
static enum status
make_room(struct limiter *l, struct shard *s)
{
	pthread_mutex_lock(&l->spare);
	enum status st = meters_renew(&s->exact, &l->form, l->now, l->now, 0);
	if (st == STATUS_FULL)
		st = turn(l, s);
	pthread_mutex_unlock(&l->spare);
	return st;
}

/*
 * Passing.
 */

/* Does it pass one's own meter, which is there or will be? STATUS_FULL: there is
 * no room for one. */
static inline enum status
pass_own(struct meters *m, const struct limiter *l, unsigned age, uint64_t hash, uint64_t weight,
    bool *passes)
{
	uint64_t *entry = meters_find(m, hash);
	struct meter_sums sums = {{0}};

	if (*entry != 0)
		meter_read(&l->form, entry + 1, l->now, &sums);
	*passes = meter_room(&l->form, &sums, age, weight);
	if (!*passes || weight == 0)
		return OK;
	if (*entry == 0 && meters_full(m))
		return STATUS_FULL;
	m->taken += *entry == 0;
	*entry = hash;
	meter_raise(&l->form, &sums, &sums, age, weight);
	meter_write(&l->form, entry + 1, l->now, &sums);
	return OK;
}

/* What an exact limiter would have said of a hash of the sample. */
static enum status
pass_sample(struct limiter *l, struct shard *s, unsigned age, uint64_t hash, uint64_t weight,
    bool passed)
{
	bool due;
	enum status st = pass_own(&s->sample, l, age, hash, weight, &due);

	if (st == STATUS_FULL) {
		pthread_mutex_lock(&l->spare);
		st = sample_make_room(l, s);
		pthread_mutex_unlock(&l->spare);
		if (st != OK || !in_sample(s, hash))
			return st;
		st = pass_own(&s->sample, l, age, hash, weight, &due);
	}
	if (st == OK && due) {
		double stands_for = (double)(UINT64_C(1) << s->thin);
		s->due += stands_for;
		s->lost += passed ? 0 : stands_for;
	}
	return st;
}

static inline enum status
pass_one(struct limiter *l, unsigned age, uint64_t hash, uint64_t weight, bool *passes)
{
	struct shard *s = &l->shard[shard_of(hash)];
	enum status st = STATUS_FULL;

	while (!s->turned) {
		st = pass_own(&s->exact, l, age, hash, weight, passes);
		if (st != STATUS_FULL)
			break;
		st = make_room(l, s);
		if (st != OK)
			return st;
	}
	if (s->turned) {
		*passes = metergrid_pass(&s->grid, &l->form, l->now, hash, age, weight);
		st = in_sample(s, hash) ? pass_sample(l, s, age, hash, weight, *passes) : OK;
	}
	s->passed += *passes;
	return st;
}

static inline void
prefetch(const struct limiter *l, uint64_t hash)
{
	const struct shard *s = &l->shard[shard_of(hash)];

	if (s->turned)
		metergrid_prefetch(&s->grid, hash);
	else
		__builtin_prefetch(meters_home(&s->exact, hash), 1);
}

enum status
limiter_pass(struct limiter *l, unsigned age, const uint64_t *hash, const uint64_t *weight,
    size_t n, bool *passes)
{
	enum status st = OK;

	for (size_t from = 0; from < n && st == OK; from += AHEAD) {
		size_t to = n - from < AHEAD ? n : from + AHEAD;

		for (size_t i = from; i < to; i++)
			prefetch(l, key_of(hash[i]));
		for (size_t i = from; i < to && st == OK; i++)
			st = pass_one(l, age, key_of(hash[i]), weight ? weight[i] : 1, &passes[i]);
	}
	return st;
}

/*
 * Time.
 */

/* All panes there were have gone: so has all that passed in them. */
static enum status
begin_again(struct limiter *l)
{
	enum status st = OK;

	for (unsigned i = 0; i < LIMITER_SHARDS && st == OK; i++) {
		struct shard *s = &l->shard[i];

		if (!s->turned) {
			st = meters_empty(&s->exact, &l->form);
			continue;
		}
		shard_clear(s);
		st = meters_init(&s->exact, &l->form, l->bytes);
	}
	l->now = l->form.panes;
	return st;
}

static enum status
restamp(struct limiter *l, unsigned then)
{
	enum status st = OK;

	for (unsigned i = 0; i < LIMITER_SHARDS && st == OK; i++) {
		struct shard *s = &l->shard[i];

		if (s->turned) {
			metergrid_restamp(&s->grid, &l->form, l->now, then);
			st = meters_renew(&s->sample, &l->form, l->now, then, 0);
		} else {
			st = meters_renew(&s->exact, &l->form, l->now, then, 0);
		}
	}
	l->now = then;
	return st;
}

enum status
limiter_advance(struct limiter *l, uint64_t panes)
{
	if (panes >= l->form.panes)
		return begin_again(l);
	if (l->now + panes > METER_STAMP_MAX) {
		enum status st = restamp(l, l->form.panes);
		if (st != OK)
			return st;
	}
	l->now += (unsigned)panes;
	return OK;
}

void
limiter_stats(const struct limiter *l, struct limiter_stats *stats)
{
	*stats = (struct limiter_stats){0};
	for (unsigned i = 0; i < LIMITER_SHARDS; i++) {
		const struct shard *s = &l->shard[i];

		stats->hashes += s->exact.taken;
		stats->sketches += s->turned;
		stats->bytes += meters_bytes(&s->exact) + metergrid_bytes(&s->grid) +
		    meters_bytes(&s->sample);
		stats->passed += s->passed;
		stats->due += s->due;
		stats->lost += s->lost;
	}
}
