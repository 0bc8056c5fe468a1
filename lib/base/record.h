/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * A record is how one sketch lies in a file: a header of 128 bytes, an
 * extension, a payload, each padded with zeros to 64. man/sketch.5 is the
 * authority. Records are self-delimiting, so files may be concatenated.
 *
 * What a record says about itself is a struct record; the payload's meaning
 * belongs to the kind (sketch/kind.h).
 */

#define RECORD_MAGIC "\x8askch\r\n\x1a"
#define RECORD_HEADER 128
#define RECORD_ALIGN 64
#define RECORD_CHUNKED UINT64_MAX    /* payload size or items of a keyed record */

enum record_format { RECORD_FORMAT = 1 };

/* Kinds of sketch. Numbers are part of the format and never reused. */
enum record_kind {
	KIND_BLOOM_BLOCK = 1,
	KIND_BLOOM_CLASSIC = 2,
	KIND_BLOOM_COUNTING = 3,
	KIND_BLOOM_SCALABLE = 4,
	KIND_CUCKOO = 5,
	KIND_CMS = 6,
	KIND_SPACESAVING = 7,
	KIND_HLL = 8,
	KIND_SIMHASH = 9,
	KIND_MINHASH = 10,
	KIND_HDR = 11,
	KIND_TDIGEST = 12,
};

/* Flags; those in the high byte must be understood by a reader. */
enum record_flag {
	FLAG_SATURATED = 0x0001,     /* a sum reached its largest number */
	FLAG_AUTO = 0x0002,          /* the size followed from the items */
	FLAG_KEYED = 0x0100,         /* one sketch per key, in chunks */
};

enum record_transform {
	TRANSFORM_FOLD = 0x80,       /* ASCII letters of the item folded to lower case */
};

struct record {
	uint16_t kind;
	uint16_t version;            /* of the kind */
	uint16_t flags;
	uint8_t hash;                /* enum hash_id */
	uint8_t item_type;           /* 0: bytes */
	uint8_t transform;
	uint8_t join;                /* 0, or 1: fields joined by newline, 2: by NUL */
	uint64_t seed;
	uint64_t items;              /* offered, not distinct; sums saturate */
	uint64_t size;               /* payload bytes before padding */
	uint64_t param[8];           /* as the kind says; unused ones are 0 */
};

#endif
