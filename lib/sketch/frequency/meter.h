/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_METER_H
#define SKETCH_METER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How much of a key has passed lately, of a stream in which no more than a
 * limit may: one count for each of the panes that time is cut into, in as few
 * bits as the limit takes. A meter is a few words of somebody's memory; zeros
 * are a meter through which nothing has passed.
 *
 * The panes are told apart by how old they are, in panes: 0 is the newest. Not
 * every meter is touched when time goes on, so each has the stamp of the pane
 * that was the newest when it was written; `now` is the stamp of the newest.
 * Stamps are at most METER_STAMP_MAX, and then all begin again.
 */
#define METER_PANES_MAX 17
#define METER_STAMP_MAX 8191
#define METER_LIMIT_MAX UINT64_C(100000000000000000)

struct meter_form {
	uint64_t limit;
	unsigned panes;              /* that are kept */
	unsigned back;               /* how many before its own a line looks at */
	bool tumbling;               /* each pane has the limit by itself */
	unsigned stamp;              /* bits: 0 if time stands still */
	unsigned bits;               /* of a count */
	unsigned first, each;        /* counts in the first word, in each other one */
	unsigned words;
};

/* A limit for all time: one pane. */
struct meter_form meter_for_ever(uint64_t limit);

/*
 * A limit for a window of so many panes before the newest one, and that. ages:
 * lines may be up to so many panes old. Such a line passes if there is room in
 * the window that ends with its pane, with all that has passed since; so there
 * is in every window that it belongs to.
 */
struct meter_form meter_sliding(uint64_t limit, unsigned back, unsigned ages);

/* A limit for each pane; lines may be up to so many panes old. */
struct meter_form meter_tumbling(uint64_t limit, unsigned ages);

/* Bits of a meter, if they are less than a word: then several may share one. */
unsigned meter_bits(const struct meter_form *);

/*
 * What has passed, by age: in a pane of that age and since, or, tumbling, in
 * that pane alone. So a meter that has at least the sums of another one now has
 * them later, too, when old panes have gone.
 */
struct meter_sums {
	uint64_t at[METER_PANES_MAX];
};

void meter_read(const struct meter_form *, const uint64_t *meter, unsigned now,
    struct meter_sums *);
void meter_write(const struct meter_form *, uint64_t *meter, unsigned now,
    const struct meter_sums *);

/* Has anything passed in the panes that are kept? */
bool meter_live(const struct meter_form *, const uint64_t *meter, unsigned now);

/* Is there room for so much more, in a pane of this age? */
static inline bool
meter_room(const struct meter_form *f, const struct meter_sums *s, unsigned age, uint64_t weight)
{
	unsigned k = f->tumbling ? age : age + f->back;

	return weight <= f->limit && s->at[k < f->panes ? k : f->panes - 1] <= f->limit - weight;
}

/* Raise sums to at least what others come to when so much passes at that age. */
void meter_raise(const struct meter_form *, struct meter_sums *, const struct meter_sums *others,
    unsigned age, uint64_t weight);

/* Raise, or lower, sums to the larger, or smaller, of both, at every age. */
void meter_join(const struct meter_form *, struct meter_sums *, const struct meter_sums *);
void meter_meet(const struct meter_form *, struct meter_sums *, const struct meter_sums *);

#endif
