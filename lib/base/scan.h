/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/fields.h"
#include "base/item.h"
#include "base/siphash.h"
#include "base/status.h"
#include "base/time.h"
#include "base/unit.h"

/*
 * From bytes to items: find the ends of lines, cut fields out, hash, and hand
 * on a batch. This is the loop that every program spends its time in, so the
 * line ends are found by 64-byte masks, a whole line is hashed in the same
 * loop that finds it, and nothing is copied unless it must be (folded case,
 * joined fields, a doubled quote).
 */

#define BATCH_MAX 256

/* Readable bytes that must surround the bytes given to the scanner: its masks
 * load 64 bytes at a time and run over the end by design. */
#define SCAN_SLACK 64

/* How a line becomes an item. */
struct scan {
	unsigned char end;           /* ends a line: newline, or NUL */
	bool crlf;                   /* drop one CR before it */
	bool fold;                   /* ASCII letters of the item to lower case */
	bool skip_empty;             /* an empty item is no item */
	bool want_items;             /* fill in item[] */
	bool want_lines;             /* fill in line[] */
	bool no_hash;                /* leave hash[] alone; implies items */
	bool want_values;            /* items are numbers: fill in value[], no hash[] */
	bool has_key, has_weight, has_stamp;
	enum unit unit;              /* which the values are to have */
	unsigned char hash;          /* enum hash_id of the items; 0 is HASH_XXH3 */
	unsigned char item_type;     /* what is hashed of an item's text; not with ours */
	enum field_mode mode;
	unsigned char delimiter;
	uint64_t seed;               /* or the fingerprint of the key */
	struct siphash_key secret;   /* of HASH_SIPHASH */
	struct fields item;          /* none: the whole line */
	struct fields key;           /* --by */
	struct fields weight;        /* one field */
	struct fields stamp;         /* the time, its fields joined by one space */
	struct time_format format;   /* what it looks like */
};

/* Items of a few lines, at most BATCH_MAX. Slices point into the scanned
 * bytes or into scratch; they live until either is used again. */
struct batch {
	size_t n;
	uint64_t hash[BATCH_MAX];
	struct slice item[BATCH_MAX];
	struct slice line[BATCH_MAX];        /* as it came, without the end byte */
	struct slice key[BATCH_MAX];
	uint64_t key_hash[BATCH_MAX];        /* salt_shard_hash */
	uint64_t weight[BATCH_MAX];
	double value[BATCH_MAX];             /* see base/real.h */
	int64_t time[BATCH_MAX];             /* see base/time.h */
	uint64_t lines;                      /* consumed, with skipped and rejected ones */
	uint64_t rejected;                   /* open quotes, weights, times, values and items that are none */
	uint64_t ignored;                    /* empty items that their system skips; hash 0 */
	enum status status;                  /* STATUS_MEMORY if scratch could not grow */
	struct buffer scratch;
	struct buffer encoded;               /* an item, while it is hashed */
	void *extra;                         /* a program's own, kept with the batch */
};

/* Do keys lie in scratch, so that they go with their batch? */
static inline bool
scan_key_moves(const struct scan *s)
{
	return s->key.joined || s->mode == FIELD_CSV;
}

/* Scan lines from at; *end must be the byte after an end byte: the last line
 * is complete. Returns where the next call goes on, end when all is done. */
typedef const unsigned char *scan_function(const struct scan *,
    const unsigned char *at, const unsigned char *end, struct batch *);

/* The fastest form this processor can run. */
scan_function *scan_choose(void);

/* The forms there are: portable C, the architecture's baseline, and on x86-64
 * one for AVX2 and BMI (NULL elsewhere). All give the same batches. */
extern scan_function scan_batch_plain, scan_batch_base;
#if defined(__x86_64__)
extern scan_function scan_batch_v3;
#endif

/* For the kernels: hash a batch by a function that is not fused, or take out and
 * count as rejected what is no item of its type. */
void scan_hash(const struct scan *, struct batch *);

/* All fields of one line, for a header; the count, or SIZE_MAX if the line is
 * rejected (or memory short). Only the first max are stored. A name that had
 * to be unquoted lies in scratch, which must not be freed while names are used. */
size_t scan_split(const struct scan *, struct slice line, struct slice *names,
    size_t max, struct buffer *scratch);

#endif
