/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_FORM_H
#define SKETCH_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/member/bloom_size.h"
#include "sketch/member/cuckoo_size.h"
#include "sketch/kind.h"

/*
 * What a membership filter is to be like before there is one: its type, what
 * it promises, and the size that follows. So that a program which makes one
 * need not know the types apart; what filters do once they exist is in
 * sketch/member/member.h.
 */
struct form {
	uint16_t kind;               /* enum record_kind */
	uint64_t capacity;           /* distinct items; scalable: of the first stage */
	double fpp;                  /* wanted */
	union {
		struct bloom_shape bloom;    /* block, classic, counting, other systems' */
		struct cuckoo_shape cuckoo;
	};
};

/* What a type asks of whoever fills it. */
struct form_type {
	uint16_t kind;
	const char *name;            /* as --type calls it */
	bool ordered;                /* the order of the items makes a difference */
	unsigned copies;             /* of one item, so many make a difference */
	unsigned seats;              /* and so many take room */
	double fpp_min, fpp_max;
	uint64_t capacity;           /* unless told; 0: as many as the items are */
	const char *limit;           /* of its size, "32 TiB" */
	bool compat;                 /* another system's: --compat asks for it, not --type */
};

/* The type of this kind; the one that --type calls so, or NULL; the i-th one,
 * NULL past the last. */
const struct form_type *form_type(uint16_t kind);
const struct form_type *form_named(const char *name);
#define FORM_NAMES "block, classic, counting, scalable or cuckoo"
const struct form_type *form_row(size_t i);

/* The form for so many items, 0 being sized as 1, at this fpp. False, and
 * nothing changed, if fpp is not in the type's range or the filter would be
 * larger than one can be. */
bool form_for(struct form *, uint16_t kind, uint64_t capacity, double fpp);

/* The form of the filter with this header, which check() of its kind found
 * right. False, and nothing changed, if that is none of our types. */
bool form_of(struct form *, const struct record *head);

/* Can filters of these two be united, as far as that can be said before there
 * is anything in them? STATUS_MISMATCH, and why is filled in, if not. */
enum status form_unites(const struct form *, const struct form *, struct mismatch *why);

/* Bytes of an empty one, which are also its payload in a file. */
uint64_t form_bytes(const struct form *);

/* An empty filter. STATUS_MEMORY. */
enum status form_empty(const struct form *, void **body);

/*
 * Some types lie in memory as they do in a file, begin as zeros, and take
 * items in any order. Many small ones are best filled right there.
 */
bool form_flat(uint16_t kind);
/* Add n items to one in form_bytes() bytes, aligned to 64. */
void form_pour(const struct form *, unsigned char *at, const uint64_t *hash, size_t n);
/* Kind, version, parameters and size of its record; the rest stays. */
void form_head(const struct form *, struct record *head);

#endif
