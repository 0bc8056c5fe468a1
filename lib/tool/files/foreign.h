/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_FOREIGN_H
#define TOOL_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "interop/hdr_log.h"
#include "interop/system.h"

/*
 * A file of another system: either the bytes of one sketch, which end where the
 * file does, or, from a system that has tables, text with one sketch in each row
 * (interop/dump.h), or a log with one in each line (interop/hdr_log.h). Which of
 * them it is the first bytes say. Of a log, a line that is damaged is told on
 * standard error and passed over, but for strict.
 */
struct foreign {
	const struct system *system;
	const char *name;            /* of the file, for messages */
	bool strict;
	enum unit unit;              /* of its numbers */
	unsigned char join;          /* between the columns of a row's key */
	void *context;

	/* Each sketch in turn. key: NULL if it has none. left_out: see
	 * interop/system.h. What is left in the sketch is freed afterwards. */
	void (*sketch)(void *context, struct sketch *, const struct slice *key, uint64_t left_out);

	/* After a failure: the line on which its row begins, 0 if there are no rows;
	 * and for STATUS_FOREIGN what the file seems to be instead, as the end of a
	 * message, or NULL. */
	uint64_t line;
	const char *guess;

	bool any;                    /* there was a sketch */
	bool looks;                  /* it begins as such a file does */

	/* When the sketch at hand was taken, or NULL. */
	const struct interval *interval;
	struct hdr_log log;
};

/* From an open descriptor to its end. What the system's reader says,
 * STATUS_DIGITS, STATUS_EMPTY (not a byte, or no row but NULL), STATUS_SYSTEM. So
 * after OK there was a sketch. */
enum status foreign_each(struct foreign *, int fd);

/* Where a failure is, for a message: ", line 3", or nothing. */
#define FOREIGN_PLACE_SIZE 64
const char *foreign_place(const struct foreign *, char out[FOREIGN_PLACE_SIZE]);

#endif
