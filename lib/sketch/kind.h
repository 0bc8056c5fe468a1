/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_KIND_H
#define SKETCH_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "base/status.h"
#include "sketch/comparison.h"

/*
 * What every kind of sketch can do, so that sketch-info, sketch-merge and the
 * programs' -s need not know which one they hold. A structure fills in one of
 * these; kinds.c lists them.
 */

/* One thing a sketch says about itself, as sketch-info shows it. */
enum fact_type { FACT_COUNT, FACT_REAL, FACT_TEXT, FACT_FLAG };

struct fact {
	const char *name;            /* lower case, words joined by '_' */
	enum fact_type type;
	union {
		uint64_t count;
		double real;
		const char *text;        /* static */
		bool flag;
	};
};

#define FACTS_MAX 32

struct facts {
	size_t n;
	struct fact at[FACTS_MAX];
};

void fact_count(struct facts *, const char *name, uint64_t);
void fact_real(struct facts *, const char *name, double);
void fact_text(struct facts *, const char *name, const char *);
void fact_flag(struct facts *, const char *name, bool);

/* Why two sketches do not unite: "precision 12 and 14". */
struct mismatch {
	char text[120];
};

/*
 * How a sketch gets smaller: to the one that the same items would have made at
 * a size which divides its own.
 */
struct folding {
	/* Its size now, in whatever units: what divides it, it can have. */
	uint64_t (*size)(const void *sketch);

	/* Its payload at that size, at most. */
	uint64_t (*bytes)(const void *sketch, uint64_t size);

	/* OK, STATUS_PARAMETER (no such size; it is as it was), STATUS_MEMORY. */
	enum status (*fold)(void *sketch, uint64_t size);

	/* Its fpp at that size, without folding it. OK, STATUS_PARAMETER,
	 * STATUS_MEMORY. NULL, and the next too: it has no fpp. */
	enum status (*fpp)(const void *sketch, uint64_t size, double *fpp);

	/* From now on this fpp is wanted, and the capacity is what keeps it. */
	void (*promise)(void *sketch, double fpp);
};

struct kind {
	uint16_t id;                 /* enum record_kind */
	uint16_t version;            /* newest one this program writes and reads */
	const char *name;            /* "hll", "bloom-block": also in messages */
	uint8_t hash;                /* enum hash_id and no seed, if it has no other */
	bool typed;                  /* its items may be other than text: enum item_type */
	bool masked;                 /* and may have been masked: base/mask.h */
	uint16_t flags;              /* of those that must be understood, which are its own */
	bool retry_safe;             /* uniting one with what has it already changes no answer */

	/* Are the parameters in range, and is size what they imply? Called
	 * before the payload is read. OK, STATUS_PARAMETER or STATUS_SIZE. */
	enum status (*check)(const struct record *);

	/* A sketch from its header and payload (exactly head->size bytes). May
	 * take over the payload's memory and then leaves the buffer empty.
	 * OK, STATUS_MEMORY, STATUS_INVARIANT. */
	enum status (*load)(void **sketch, const struct record *head, struct buffer *payload);

	/* Fill in kind, version, param and size of the header (and set what it
	 * knows of flags, leaving the others) and append the payload. */
	enum status (*save)(const void *sketch, struct record *head, struct buffer *payload);

	/* into = into united with from, which stays as it is. STATUS_MISMATCH and
	 * STATUS_FULL (both do not fit into one) fill in why, and leave into as it
	 * was. */
	enum status (*merge)(void *into, const void *from, struct mismatch *why);

	/* into = what is in both of them, and perhaps a little more; else as merge.
	 * NULL: this kind cannot. */
	enum status (*intersect)(void *into, const void *from, struct mismatch *why);

	/* into = what is left of it without from, which was a part of it; else as
	 * merge. NULL: this kind cannot. */
	enum status (*subtract)(void *into, const void *from, struct mismatch *why);

	/* How much two sets have in common. OK, STATUS_MISMATCH and why,
	 * STATUS_MEMORY. NULL: this kind cannot tell. */
	enum status (*compare)(const void *a, const void *b, struct comparison *,
	    struct mismatch *why);

	const struct folding *fold;  /* NULL: its size is fixed */

	/* What a header that check() found right tells without its payload: the
	 * parameters. */
	void (*settings)(const struct record *head, struct facts *);

	/* The same, then fill, bound, answer; in a fixed order. */
	void (*facts)(const void *sketch, struct facts *);

	void (*free)(void *sketch);

	/* As save, for a payload that lies in memory as it does in a file: no
	 * second copy of a filter of a gigabyte. NULL if it does not. */
	void (*view)(const void *sketch, struct record *head, struct slice *payload);

	/* The same for a payload that lies in pieces: append them to the list, as
	 * struct slice, in their order. OK or STATUS_MEMORY. NULL if it does not. */
	enum status (*pieces)(const void *sketch, struct record *head, struct buffer *list);
};

#endif
