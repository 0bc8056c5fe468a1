/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Lines are taken in runs, of one pane while the clock stands still. All sets
 * but the run's own are asked about all its hashes; what none of them has met
 * is given to its own set, which knows those of the run before it.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "tool/time/recent.h"

#define RUN_MAX 256

struct set {
	int64_t pane;
	struct seen *seen;           /* NULL: the place is free */
};

struct recent {
	struct window window;
	struct set set[RECENT_SETS];
	uint64_t bytes;              /* the ceiling of each */
	bool repeated;
	double lost;
};

enum status
recent_new(struct recent **out, int64_t span, bool arrival, bool repeated, uint64_t bytes)
{
	assert(bytes >= RECENT_BYTES_MIN);
	struct recent *r = calloc(1, sizeof *r);
	if (!r)
		return STATUS_MEMORY;
	r->window = window_of(span, RECENT_PARTS, arrival);
	r->bytes = bytes / RECENT_SETS;
	r->repeated = repeated;
	*out = r;
	return OK;
}

void
recent_free(struct recent *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < RECENT_SETS; i++)
		seen_free(r->set[i].seen);
	free(r);
}

/* Panes have left the window: so do their sets. */
static void
forget(struct recent *r)
{
	for (unsigned i = 0; i < RECENT_SETS; i++) {
		struct set *set = &r->set[i];
		if (!set->seen || window_holds(&r->window, set->pane))
			continue;
		seen_free(set->seen);
		set->seen = NULL;
	}
}

static struct set *
vacant_place(struct recent *r)
{
	for (unsigned i = 0; i < RECENT_SETS; i++)
		if (!r->set[i].seen)
			return &r->set[i];
	return NULL;
}

static enum status
new_set(struct set *set, int64_t pane, uint64_t bytes)
{
	enum status st = seen_new(&set->seen, bytes);

	if (st != OK)
		set->seen = NULL;
	set->pane = pane;
	return st;
}

/* The set of a pane; an empty one if there is none yet. */
static enum status
find_set(struct recent *r, int64_t pane, struct seen **out)
{
	for (unsigned i = 0; i < RECENT_SETS; i++)
		if (r->set[i].seen && r->set[i].pane == pane) {
			*out = r->set[i].seen;
			return OK;
		}
	/* A window has as many panes as there are places, less one. */
	struct set *set = vacant_place(r);
	assert(set);
	enum status st = new_set(set, pane, r->bytes);
	*out = set->seen;
	return st;
}

/* Is a set in the window of a line of this pane? To a line that is doubted
 * only what is as near to it as the window is long. */
static bool
counts_for(const struct recent *r, const struct set *set, int64_t pane)
{
	return set->seen && set->pane >= pane - r->window.back;
}

/* The chance that a new hash of this pane is taken for one that was met. */
static double
chance(const struct recent *r, int64_t pane)
{
	double passes = 1;

	for (unsigned i = 0; i < RECENT_SETS; i++) {
		struct seen_stats stats;
		if (!counts_for(r, &r->set[i], pane))
			continue;
		seen_stats(r->set[i].seen, &stats);
		passes *= 1 - stats.fpp;
	}
	return 1 - passes;
}

/* n hashes of one pane, at most RUN_MAX. */
static enum status
meet_run(struct recent *r, int64_t pane, const uint64_t *hash, size_t n, bool *fresh)
{
	uint64_t left[RUN_MAX];
	bool met[RUN_MAX], answer[RUN_MAX];
	struct seen *own;
	size_t lefts = 0, k = 0;
	enum status st = find_set(r, pane, &own);

	if (st != OK)
		return st;
	for (size_t i = 0; i < n; i++)
		fresh[i] = true;
	for (unsigned g = 0; g < RECENT_SETS; g++) {
		if (r->set[g].seen == own || !counts_for(r, &r->set[g], pane))
			continue;
		seen_has(r->set[g].seen, hash, n, met);
		for (size_t i = 0; i < n; i++)
			fresh[i] &= !met[i];
	}
	for (size_t i = 0; i < n; i++)
		if (fresh[i])
			left[lefts++] = hash[i];

	double risk = chance(r, pane);
	st = seen_meet(own, left, lefts, answer);
	for (size_t i = 0; i < n && st == OK; i++) {
		if (fresh[i])
			fresh[i] = answer[k++];
		if (fresh[i] && risk > 0)
			r->lost += risk / (1 - risk);
	}
	return st;
}

/* What was met before is met again, under a hash that stands for that. */
static enum status
meet_run_again(struct recent *r, int64_t pane, const uint64_t *hash, size_t n, bool *second)
{
	uint64_t other[RUN_MAX];
	bool first[RUN_MAX], answer[RUN_MAX];
	size_t others = 0, k = 0;
	enum status st = meet_run(r, pane, hash, n, first);

	if (st != OK)
		return st;
	for (size_t i = 0; i < n; i++)
		if (!first[i])
			other[others++] = hash_step(hash[i], 2);
	st = meet_run(r, pane, other, others, answer);
	for (size_t i = 0; i < n && st == OK; i++)
		second[i] = !first[i] && answer[k++];
	return st;
}

enum status
recent_meet(struct recent *r, const int64_t *time, const uint64_t *hash, size_t n,
    bool *fresh)
{
	size_t from = 0;
	int64_t pane = 0;

	for (size_t i = 0; i <= n; i++) {
		struct window before = r->window;
		int64_t next = i < n ? window_take(&r->window, time[i]) : 0;
		bool stands = r->window.newest == before.newest &&
		    r->window.doubting == before.doubting && r->window.doubted == before.doubted;

		if (i > from && (i == n || next != pane || !stands || i - from == RUN_MAX)) {
			enum status st = r->repeated ?
			    meet_run_again(r, pane, hash + from, i - from, fresh + from) :
			    meet_run(r, pane, hash + from, i - from, fresh + from);
			if (st != OK)
				return st;
			from = i;
		}
		if (!stands)
			forget(r);
		pane = next;
	}
	return OK;
}

/* Set the clock to what a set says that comes after all before it. */
static bool
resume_clock(struct window *w, struct seen_use use)
{
	/* No time that can be read is beyond these. */
	if (w->doubting || use.pane > INT64_MAX / w->length / 2 ||
	    use.pane < INT64_MIN / w->length / 2)
		return false;
	if (w->started && use.pane <= w->newest + (use.doubted ? w->ahead : 0))
		return false;
	if (use.doubted) {
		w->doubting = true;
		w->doubted = use.pane;
	} else {
		w->started = true;
		w->newest = use.pane;
	}
	return true;
}

/* Each line has a set for its pane, so there is one for the newest pane. */
enum status
recent_resume(struct recent *r, struct seen_use use, uint64_t bytes, struct seen **out)
{
	if (use.pane_length != r->window.length || use.repeated != r->repeated ||
	    !resume_clock(&r->window, use))
		return STATUS_INVARIANT;
	forget(r);
	struct set *set = vacant_place(r);
	enum status st = new_set(set, use.pane, bytes > 0 ? bytes : r->bytes);
	*out = set->seen;
	return st;
}

/* Before the first line there is no set. A doubted one of the beginning of time
 * says the same: whatever comes next is far ahead of it. */
static enum status
set_before_all(struct recent *r)
{
	struct seen_use use = {
		.repeated = r->repeated, .doubted = true, .pane_length = r->window.length,
		.pane = INT64_MIN / r->window.length / 2,
	};
	struct seen *set;

	return recent_resume(r, use, 0, &set);
}

enum status
recent_sets(struct recent *r, struct seen **seen, struct seen_use *use, size_t *count)
{
	const struct window *w = &r->window;
	enum status st = w->started || w->doubting ? OK : set_before_all(r);
	size_t n = 0;

	if (st != OK)
		return st;
	for (unsigned i = 0; i < RECENT_SETS; i++) {
		const struct set *set = &r->set[i];
		if (!set->seen)
			continue;
		size_t k = n++;
		for (; k > 0 && use[k - 1].pane > set->pane; k--) {
			use[k] = use[k - 1];
			seen[k] = seen[k - 1];
		}
		seen[k] = set->seen;
		use[k] = (struct seen_use){
			.repeated = r->repeated, .pane_length = w->length, .pane = set->pane,
			.doubted = w->doubting && set->pane == w->doubted,
		};
	}
	*count = n;
	return OK;
}

const struct window *
recent_window(const struct recent *r)
{
	return &r->window;
}

void
recent_stats(const struct recent *r, struct seen_stats *sum)
{
	*sum = (struct seen_stats){.lost = r->lost};
	for (unsigned i = 0; i < RECENT_SETS; i++) {
		struct seen_stats one;
		if (!r->set[i].seen)
			continue;
		seen_stats(r->set[i].seen, &one);
		sum->exact += one.exact;
		sum->capacity += one.capacity;
		sum->filters += one.filters;
		sum->bytes += one.bytes;
	}
	sum->fpp = r->window.started ? chance(r, r->window.newest) : 0;
}

