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
	KIND_BLOOM_PARQUET = 13,
	KIND_BLOOM_DCSO = 14,
	KIND_SEEN = 15,
	KIND_HLL_REDIS = 16,
	KIND_HLL_POSTGRES = 17,
	KIND_HLL_DATASKETCHES = 18,
	KIND_BANDS = 19,
};

/* Flags; those in the high byte must be understood by a reader. */
enum record_flag {
	FLAG_SATURATED = 0x0001,     /* a sum reached its largest number */
	FLAG_AUTO = 0x0002,          /* the size followed from the items */
	FLAG_INTERSECTED = 0x0004,   /* an intersection: may hold more than its items made */
	FLAG_KEYED = 0x0100,         /* one sketch per key, in chunks */
	FLAG_CONSERVATIVE = 0x0200,  /* counters no higher than needed: they do not add up */
};

enum record_transform {
	TRANSFORM_FOLD = 0x80,       /* ASCII letters of the item folded to lower case */
	TRANSFORM_MASK = 0x07,       /* then masked at this level: base/mask.h */
};

#define TRANSFORM_MASK_MAX 4

/* How several fields became one item. */
enum record_join {
	JOIN_NONE = 0,               /* the whole line, or one field */
	JOIN_NEWLINE = 1,
	JOIN_NUL = 2,
};

struct record {
	uint16_t kind;
	uint16_t version;            /* of the kind */
	uint16_t flags;
	uint8_t hash;                /* enum hash_id */
	uint8_t item_type;           /* enum item_type */
	uint8_t transform;
	uint8_t join;                /* enum record_join */
	uint64_t seed;
	uint64_t items;              /* offered, not distinct; sums saturate */
	uint64_t size;               /* payload bytes before padding */
	uint64_t param[8];           /* as the kind says; unused ones are 0 */
};

/*
 * Extensions say about a record what its kind need not know: a tag, a length
 * and so many bytes each, by ascending tag, none twice. A reader skips tags it
 * does not know, except those of the upper half, which must be understood.
 */
enum extension_tag {
	EXTENSION_ID = 0x0001,       /* base/ids.h: the shards in here, so that none is added twice */
	EXTENSION_ALIAS = 0x0002,    /* names for people */
	EXTENSION_KEY = 0x8001,      /* the key an armoured keyed line belongs to */
};

/* Append one; the caller keeps to the order. OK or STATUS_MEMORY. */
enum status extension_add(struct buffer *, uint16_t tag, struct slice value);
/* The value of this tag; false if there is none. */
bool extension_find(struct slice extension, uint16_t tag, struct slice *value);
/* OK, STATUS_UNSUPPORTED (a tag that must be understood), STATUS_PADDING,
 * STATUS_INVARIANT (a length past the end, tags out of order). */
enum status extension_check(struct slice extension);

/* The header, byte by byte. extension is the extension's size with padding;
 * checksum is the one of extension, payload and padding. */
void record_encode(const struct record *, uint32_t extension, uint64_t checksum,
    unsigned char out[RECORD_HEADER]);
/* In this order: STATUS_FOREIGN, STATUS_UNSUPPORTED (format version),
 * STATUS_HEADER, STATUS_UNSUPPORTED (a flag, hash, item type, transform or
 * join of a newer program), STATUS_SIZE, STATUS_PARAMETER. Kind, kind version
 * and parameters are for the kind to judge. */
enum status record_decode(struct record *, uint32_t *extension, uint64_t *checksum,
    const unsigned char in[RECORD_HEADER]);

/* The two checksums in a header that was decoded: of extension, payload and padding,
 * and of the header itself. */
void record_sums(const unsigned char header[RECORD_HEADER], uint64_t sum[2]);

/* n rounded up to RECORD_ALIGN; n is below 2^63. */
static inline uint64_t
record_padded(uint64_t n)
{
	return (n + RECORD_ALIGN - 1) & ~(uint64_t)(RECORD_ALIGN - 1);
}

/* One whole record that is not keyed. head->size must be payload.len; the
 * extension may come with or without its padding. What the sink returned,
 * or OK. */
enum status record_write(struct sink, const struct record *head,
    struct slice extension, struct slice payload);
/* The same for a payload that lies in n pieces, together head->size bytes. */
enum status record_write_pieces(struct sink, const struct record *head,
    struct slice extension, const struct slice *piece, size_t n);

/*
 * The record that bytes in memory begin with: header, extension and lengths
 * are checked, the payload's checksum is not (see record_verify), so a large
 * map is opened without touching its pages. extension and payload point into
 * in; used is the whole record's length. Of a keyed record only header and
 * extension are looked at: payload is empty and used ends where its chunks
 * begin. Besides record_decode's and extension_check's answers: STATUS_EMPTY,
 * STATUS_TRUNCATED.
 */
enum status record_parse(struct slice in, struct record *, struct slice *extension,
    struct slice *payload, size_t *used);
/* Checksum and padding of what record_parse accepted: its first used bytes.
 * OK, STATUS_PAYLOAD, STATUS_PADDING. */
enum status record_verify(struct slice record);

/* Are they all zero? */
bool record_zeros(const unsigned char *, size_t);

#endif
