/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CUCKOO_BODY_H
#define SKETCH_CUCKOO_BODY_H

#include "base/bytes.h"
#include "base/pages.h"
#include "base/status.h"
#include "sketch/member/cuckoo_table.h"

/* What the files of the cuckoo filter share among themselves: the filter
 * (cuckoo.h). */
struct cuckoo {
	struct cuckoo_shape shape;
	struct cuckoo_table table;
	uint64_t used;               /* slots */
	uint32_t victim;             /* the fingerprint that found no slot; 0: none */
	uint64_t victim_bucket;      /* and its even bucket */
	struct pages pages;          /* the table lies here, if made by us */
	struct buffer loaded;        /* or here, if it came in a record */
};

/* The victim's key, and whether a key is the victim's. */
static inline struct cuckoo_key
cuckoo_victim(const struct cuckoo *c)
{
	uint64_t other = cuckoo_other(c->table.buckets, c->victim_bucket, c->victim);

	return (struct cuckoo_key){{c->victim_bucket, other}, c->victim};
}

static inline bool
cuckoo_is_victim(const struct cuckoo *c, const struct cuckoo_key *key)
{
	return key->print == c->victim && key->bucket[key->bucket[0] & 1] == c->victim_bucket;
}

/* So many keys are worked on at a time, while their buckets are on their way
 * from memory. */
#define CUCKOO_KEYS 64

/* The keys of the slots in use, by ascending slot, and the victim's last; as
 * many as there is place for. *next is 0 at first. 0 past the last. */
size_t cuckoo_keys(const struct cuckoo *, uint64_t *next, struct cuckoo_key key[CUCKOO_KEYS]);

/* Copies of n keys, as cuckoo_add. */
enum status cuckoo_add_keys(struct cuckoo *, const struct cuckoo_key *, size_t n, size_t *done);

#endif
