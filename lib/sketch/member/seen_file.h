/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_SEEN_FILE_H
#define SKETCH_SEEN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "sketch/member/seen.h"

/*
 * What was seen, in a file: hashes in ascending order, or the filters that took
 * their place. Written and read in pieces, so that the set is the only copy in
 * memory. The layout is drawn in seen_file.c.
 */

/* Of n hashes in ascending order at the beginning of a payload: how many are
 * below h, and where those of a shard begin (of one past the last: n). */
uint64_t seen_hashes_below(const unsigned char *payload, uint64_t n, uint64_t h);
uint64_t seen_shard_start(const unsigned char *payload, uint64_t n, unsigned shard);

/* What a header says beside the set itself. */
struct seen_use {
	bool repeated;               /* by seen_meet_again */
	bool doubted;                /* a pane that may not be one: tool/time/window.h */
	int64_t pane_length;         /* microseconds; 0: the set is of no window */
	int64_t pane;                /* its number */
};

struct seen_use seen_use_of(const struct record *head);

/* Is a shard a filter, say the parameters? */
static inline bool
seen_filters(const uint64_t *param, unsigned shard)
{
	return param[1] >> shard & 1;
}

/* Fill in kind, version, parameters and size. */
void seen_head(const struct seen *, struct seen_use, struct record *head);

/* The payload, in pieces. What the sink returned, or OK, or STATUS_MEMORY. */
enum status seen_write(const struct seen *, struct sink);

/* The ceiling at which a set has these filters, 0 if there are none. A set to
 * load them into must have been made with it. */
uint64_t seen_bytes_of(const struct record *head);

/* A payload on its way into an empty set, piece by piece; the header is one
 * that check() of the kind found right. */
struct seen_loader {
	struct seen *seen;
	struct record head;
	uint64_t at;                 /* bytes so far */
	uint64_t last;               /* hash */
};

/* payload is all of it, of which a few bytes are looked at: how many hashes each
 * shard will have. STATUS_MEMORY: the set is lost. */
enum status seen_load_start(struct seen_loader *, struct seen *, const struct record *head,
    const unsigned char *payload);
/* len is a multiple of 8. STATUS_MEMORY or STATUS_INVARIANT: the set is lost. */
enum status seen_load_some(struct seen_loader *, const unsigned char *, size_t len);
/* All of it has come. STATUS_INVARIANT: a shard that has its fill should have
 * been a filter, as others are. */
enum status seen_load_end(struct seen_loader *);

#endif
