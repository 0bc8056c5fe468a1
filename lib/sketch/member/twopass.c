/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * THE FIRST TIME, all hashes are met by one set, with half the ceiling, which
 * may turn into a filter shard by shard; and those that it takes for met are
 * remembered in another one. In a shard that ends as a filter these are the
 * candidates: each hash that comes more than once is among them, since a filter
 * misses none, and a few that do not, since it errs.
 *
 * THE SECOND TIME, what is no candidate comes once, and is new. A candidate is
 * new if it is met for the first time now, which takes no more memory than the
 * candidates did. In a shard that has stayed exact every hash counts as one.
 */
#include <assert.h>
#include <stdlib.h>

#include "sketch/member/twopass.h"

#define SOME 256

struct twopass {
	uint64_t bytes;              /* of each of two sets */
	struct seen *all;            /* the first time only */
	struct seen *candidates;
	struct seen *met;            /* the second time only */
	bool filter[SEEN_SHARDS];    /* has the shard ended as one? */
};

enum status
twopass_new(struct twopass **out, uint64_t bytes)
{
	assert(bytes >= TWOPASS_BYTES_MIN);
	struct twopass *t = calloc(1, sizeof *t);
	if (!t)
		return STATUS_MEMORY;
	t->bytes = bytes / 2;
	if (seen_new(&t->all, t->bytes) != OK || seen_new(&t->candidates, t->bytes) != OK) {
		twopass_free(t);
		return STATUS_MEMORY;
	}
	*out = t;
	return OK;
}

void
twopass_free(struct twopass *t)
{
	if (!t)
		return;
	seen_free(t->all);
	seen_free(t->candidates);
	seen_free(t->met);
	free(t);
}

/* Up to SOME of them: those that were met before become candidates. */
static enum status
look(struct twopass *t, const uint64_t *hash, size_t n)
{
	uint64_t before[SOME];
	bool fresh[SOME];
	size_t met = 0;
	enum status st = seen_meet(t->all, hash, n, fresh);

	if (st != OK)
		return st;
	for (size_t i = 0; i < n; i++) {
		before[met] = hash[i];
		met += !fresh[i];
	}
	return seen_meet(t->candidates, before, met, fresh);
}

enum status
twopass_look(struct twopass *t, const uint64_t *hash, size_t n)
{
	enum status st = OK;

	for (size_t some; n > 0 && st == OK; hash += some, n -= some) {
		some = n < SOME ? n : SOME;
		st = look(t, hash, some);
	}
	return st;
}

enum status
twopass_turn(struct twopass *t)
{
	for (unsigned i = 0; i < SEEN_SHARDS; i++) {
		t->filter[i] = seen_turned(t->all, i);
		if (t->filter[i] && seen_turned(t->candidates, i))
			return STATUS_FULL;
	}
	seen_free(t->all);
	t->all = NULL;
	return seen_new(&t->met, t->bytes);
}

static enum status
meet(struct twopass *t, const uint64_t *hash, size_t n, bool *fresh)
{
	bool candidate[SOME], first[SOME];
	uint64_t in_doubt[SOME];
	size_t doubts = 0, k = 0;

	seen_has(t->candidates, hash, n, candidate);
	for (size_t i = 0; i < n; i++) {
		candidate[i] |= !t->filter[seen_shard(hash[i])];
		in_doubt[doubts] = hash[i];
		doubts += candidate[i];
	}
	enum status st = seen_meet(t->met, in_doubt, doubts, first);
	for (size_t i = 0; st == OK && i < n; i++)
		fresh[i] = !candidate[i] || first[k++];
	return st;
}

enum status
twopass_meet(struct twopass *t, const uint64_t *hash, size_t n, bool *fresh)
{
	enum status st = OK;

	for (size_t some; n > 0 && st == OK; hash += some, fresh += some, n -= some) {
		some = n < SOME ? n : SOME;
		st = meet(t, hash, some, fresh);
	}
	return st;
}

void
twopass_stats(const struct twopass *t, struct seen_stats *stats)
{
	struct seen_stats other;

	seen_stats(t->candidates, stats);
	seen_stats(t->met ? t->met : t->all, &other);
	stats->exact += other.exact;
	stats->bytes += other.bytes;
	stats->filters = 0;
	for (unsigned i = 0; i < SEEN_SHARDS; i++)
		stats->filters += t->filter[i];
	stats->fpp = stats->lost = 0;
}
