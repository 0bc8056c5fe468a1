/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_METERS_H
#define SKETCH_METERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/pages.h"
#include "base/salt.h"
#include "base/status.h"
#include "sketch/frequency/meter.h"
#include "sketch/member/slots.h"

/*
 * A meter for each of many 64-bit hashes, which all have the same SLOTS_TOP top
 * bits: in a flat array, behind the hash that it belongs to. 0 marks an empty
 * entry and is no hash. Meters through which nothing has passed lately are
 * forgotten when there is no room for a new one. Nothing here locks.
 */
struct meters {
	uint64_t *at;
	struct pages pages;
	unsigned stride;             /* words of an entry */
	uint64_t size, size_max;     /* entries */
	uint64_t taken, limit;       /* taken grows no further than limit */
};

/* An empty one; no array is ever larger than so many bytes, which must be enough
 * for METERS_LEAST entries. STATUS_MEMORY. */
#define METERS_LEAST 16
enum status meters_init(struct meters *, const struct meter_form *, uint64_t bytes);
/* All zero is allowed. */
void meters_clear(struct meters *);

/* Nothing has passed: as after meters_init. STATUS_MEMORY: it was cleared. */
enum status meters_empty(struct meters *, const struct meter_form *);

static inline uint64_t
meters_bytes(const struct meters *m)
{
	return m->size * m->stride * sizeof *m->at;
}

/* The entry where the search for h begins: salted, as hashes may have been chosen. No
 * answer tells in which order meters lie. */
static inline uint64_t
meters_place(const struct meters *m, uint64_t h)
{
	return hash_place(salt_scatter(h), m->size);
}

static inline const uint64_t *
meters_home(const struct meters *m, uint64_t h)
{
	return m->at + meters_place(m, h) * m->stride;
}

/* The entry that holds h, or the empty one where it belongs. */
static inline uint64_t *
meters_find(const struct meters *m, uint64_t h)
{
	uint64_t i = meters_place(m, h);
	uint64_t *entry = m->at + i * m->stride;

	while (*entry != 0 && *entry != h) {
		i = i + 1 < m->size ? i + 1 : 0;
		entry = m->at + i * m->stride;
	}
	return entry;
}

static inline bool
meters_full(const struct meters *m)
{
	return m->taken == m->limit;
}

/*
 * Go over to another array, which is not full, with what has passed lately: for
 * as long as that takes there are two. Of all hashes only those keep their
 * meters that have none of the bits of `mask`. STATUS_FULL: too many of them
 * do, and no array is larger. STATUS_MEMORY. Then all is as it was.
 *
 * now: the stamp up to here, then: from here on. If that is another one, all
 * must be written anew, and it is done even if the array is full.
 */
enum status meters_renew(struct meters *, const struct meter_form *, unsigned now, unsigned then,
    uint64_t mask);

#endif
