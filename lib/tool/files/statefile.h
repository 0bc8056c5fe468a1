/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_STATEFILE_H
#define TOOL_STATEFILE_H

#include "base/bytes.h"
#include "base/record.h"
#include "base/status.h"

/*
 * A file that a program goes on from and leaves for its next run: one record,
 * or several. It is locked as long as the program runs, so that runs take turns,
 * and is replaced whole: at the end, and by statefile_save_now in between. It is
 * read through a map and written in pieces, so that what lies in it needs no
 * second copy in memory. What fails ends the program; the file is then as it was
 * saved last. One such file in a process.
 *
 * What was answered must be written before it is saved: a crash then makes lines
 * pass twice, and none is lost.
 */

/* What messages call it. */
struct statefile_names {
	const char *option;          /* "--state" */
	const char *noun;            /* "state": "cannot use state 'FILE'" */
};

/* Lock it, waiting up to 60 seconds for another run. names must live on. */
void statefile_open(const char *path, const struct statefile_names *names);

/* To look into it only: no lock, and no saving. */
void statefile_open_to_read(const char *path, const struct statefile_names *names);

/* Each record in it, if there is such a file. fits() may end the program before a
 * payload is verified, by statefile_differs; take() has it verified. It is gone
 * after that, and parts of it may be dropped from memory (pages_drop) before. Its
 * header agrees with mine in kind, hash, seed, transform and join rule. Returns
 * items in all records. */
uint64_t statefile_load(const struct record *mine, void (*fits)(const struct record *head),
    enum status (*take)(const struct record *head, struct slice payload));

/* "cannot use state 'FILE': TEXT". Status 4. */
_Noreturn void statefile_differs(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A record to be written: its whole header but for the checksum, and what puts
 * the payload into a sink, the same each time it is called. */
struct statefile_part {
	struct record head;
	enum status (*write)(const void *body, struct sink);
	const void *body;
};

/* Records 0 to n - 1, from the function that has them one after the other. */
typedef struct statefile_part statefile_source(const void *context, size_t i);

void statefile_save_now(statefile_source *, const void *context, size_t n);
/* The last time; the lock is given up. */
void statefile_save(statefile_source *, const void *context, size_t n);

#endif
