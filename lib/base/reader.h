/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/record.h"
#include "base/status.h"

/*
 * Records from a stream, binary and armoured ones mixed. Nothing is believed
 * before it is checked, and buffers grow with the bytes that really came, so
 * a header that claims a terabyte costs nothing.
 *
 *	struct record_reader reader;
 *
 *	record_reader_open(&reader, fd);
 *	reader.check = parameters_in_range;
 *	while ((st = record_reader_next(&reader, &head, &extension, &payload)) == OK)
 *		...
 *	record_reader_close(&reader);
 *
 * ends with STATUS_END, or with a failure, after which number and offset say
 * which record it was and where it begins.
 */
#define READER_KEY_MAX (1 << 24)    /* a key on an armoured line is shorter */

struct record_reader {
	/* Called between header and payload, if not NULL: kind, kind version,
	 * parameters and size. For a keyed record it is called with size 0
	 * and without FLAG_KEYED, and STATUS_SIZE then is no failure. */
	enum status (*check)(const struct record *);
	unsigned char end;           /* what ends an armoured line: '\n', or NUL with -z */
	uint64_t verify_up_to;       /* from memory: a larger payload is passed over */

	/* To look at. */
	uint64_t number;             /* of the record at hand; the first is 1 */
	uint64_t offset;             /* where it begins */
	bool armored;                /* it came as text */
	unsigned char start[64];     /* how the stream begins, if not as a binary record */
	size_t start_len;
	bool verified;               /* false: its payload was passed over, and is empty */
	uint64_t sum[2];             /* its checksums, of payload and header: two records with
	                              * the same are the same (but for the chunks of a keyed one) */

	/* The rest is the reader's own. */
	int fd;                      /* -1: nothing but what is ahead */
	unsigned char *buffer;       /* NULL when reading from memory */
	struct slice ahead;          /* read, not used yet */
	uint64_t position;           /* of ahead.at in the stream */
	struct buffer line, bytes;   /* an armoured record as text, as bytes */
	bool in_chunks;              /* a keyed record's chunks come next */
	enum status failure;         /* what every further call returns */
};

/* From a descriptor that stays the caller's; it is read ahead of the record
 * at hand. From bytes that outlive the reader. */
void record_reader_open(struct record_reader *, int fd);
void record_reader_memory(struct record_reader *, struct slice);
void record_reader_close(struct record_reader *);

/*
 * The next record: its header, its extension with padding, its payload
 * without. Both buffers are emptied first and may be reused from call to
 * call. A keyed record (FLAG_KEYED) is returned with an empty payload, and
 * its entries must be read to their end by keyed_reader before the next call.
 * STATUS_END after the last, STATUS_EMPTY if there was not a single byte,
 * STATUS_MEMORY, STATUS_SYSTEM, or what is wrong with the bytes.
 */
enum status record_reader_next(struct record_reader *, struct record *,
    struct buffer *extension, struct buffer *payload);

/* For base/keyed.h: exactly n more bytes, appended. STATUS_TRUNCATED at the end. */
enum status record_reader_bytes(struct record_reader *, struct buffer *, uint64_t n);

/* As read(2), but neither a signal nor an empty pipe that somebody else has made
 * non-blocking is a failure: what comes next is waited for. *got is 0 at the
 * end. OK or STATUS_SYSTEM. */
enum status reader_read(int fd, unsigned char *to, size_t n, size_t *got);

#endif
