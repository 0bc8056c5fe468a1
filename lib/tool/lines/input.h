/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/scan.h"
#include "base/status.h"

/*
 * Inputs, and the blocks of whole lines that come out of them. Read with
 * read(2) or pread(2), never mapped: others may write to a log while we read
 * it. A pipe is enlarged where the system allows.
 */

struct input {
	const char *operand;         /* as given; "-" is standard input */
	int fd;
	bool regular;                /* can be read at any offset */
	off_t start, size;           /* of a regular file: the current offset, the end */
};

/* What a message calls it: the operand, or "standard input". */
const char *input_name(const struct input *);

/* STATUS_SYSTEM: errno says why. A directory fails here, with EISDIR. Ends
 * the program (status 2) if standard output is the same regular file. */
enum status input_open(struct input *, const char *operand);
/* Leaves a shared standard input's offset at the end of what was read. */
void input_close(struct input *);

/* Can an input that starts with these bytes be meant as lines? OK, or one of
 * STATUS_NOT_*. With *more set, the bytes are too few to tell. */
enum status input_sniff(struct slice start, bool *more);

/* Whole lines in a row, each with its end byte: one that the input lacks
 * behind its last line has been put there. SCAN_SLACK bytes around it may be
 * read. */
struct block {
	const unsigned char *at, *end;
	uint64_t number;             /* 0, 1, ... in input order */
};

/* A worker's memory for blocks. All zero is empty. */
struct room {
	unsigned char *base;
	size_t size;
};

void room_free(struct room *);

/*
 * Where blocks come from: a whole input from front to back (read by whoever
 * calls next, one at a time), or the lines that start within a range of a
 * regular file (one stream for each worker).
 */
struct stream {
	const struct input *input;
	unsigned char end;           /* ends a line */
	size_t step;                 /* bytes a read asks for */
	off_t offset;                /* of the next pread; -1: read(2) */
	off_t limit;                 /* lines that start here or later are not ours */
	bool fresh;                  /* at the input's start: look for magic bytes */
	bool skip;                   /* drop the rest of a line begun before us */
	bool whole;                  /* everything in one block */
	bool done;
	uint64_t number;             /* of the next block */
	/* Called before a read that may block, or NULL. Milliseconds after which
	 * to call it again, -1: not before there is input. */
	int (*before_wait)(void *context);
	void *context;
	struct buffer carry;         /* the start of a line whose end is to come */
};

#define STREAM_NO_LIMIT INT64_MAX

void stream_open(struct stream *, const struct input *, unsigned char end, size_t step);

/* Lines that start in from..limit-1 of a regular file whose first line starts
 * at input->start; no longer fresh. */
void stream_range(struct stream *, off_t from, off_t limit, bool whole);

/* The next block lies in the caller's room until the room is used again.
 * OK, STATUS_END, STATUS_SYSTEM, STATUS_MEMORY, or one of STATUS_NOT_* when
 * the input's first bytes are those of a sketch or a compressed file. */
enum status stream_block(struct stream *, struct room *, struct block *);
void stream_close(struct stream *);

#endif
