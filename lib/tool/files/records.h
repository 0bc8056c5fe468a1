/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_RECORDS_H
#define TOOL_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "interop/hdr_log.h"
#include "sketch/kinds.h"
#include "tool/files/parts.h"

/*
 * The sketches that operands hold: any number of records a file, binary and armoured
 * ones mixed; or, with --from, what another system wrote: one sketch a file, or one
 * in each row of a table. What is wrong with one ends the program, with a line that
 * says in which file, which record and why.
 */
struct records {
	const char *only;            /* kinds whose names begin so (several: "bloom|cuckoo"), or NULL: any */
	unsigned char end;           /* ends an armoured line */
	bool may_be_empty;           /* an operand of no bytes holds no sketch, and no harm */
	struct parts *parts;         /* where a shard that comes twice is found out; NULL: no matter.
	                              * Sketches then come without their ids. */
	bool looks;                  /* nothing is united yet: entries of a keyed record that
	                              * will turn out to be passed over may come */
	void *context;

	/* Each record and each line: the ids of its shards, or none. May be NULL. */
	void (*shards)(void *context, const char *name, struct slice ids);

	/* Each sketch in turn; key is NULL unless it is one of a keyed record or
	 * line. What is left in the sketch is freed afterwards: to keep it, move
	 * it out and set it to zero. */
	void (*sketch)(void *context, const char *name, struct sketch *, const struct slice *key);

	/* A keyed record begins: the header its entries share. May be NULL. */
	void (*keyed)(void *context, const char *name, const struct record *);

	/* With --from: so many bytes of the file have no place in a sketch. Called
	 * before sketch(). May be NULL. */
	void (*left_out)(void *context, const char *name, uint64_t bytes);

	/* The same: when the samples of the next sketch were taken. May be NULL. */
	void (*interval)(void *context, const struct interval *);

	/* After each operand. May be NULL. */
	void (*input_end)(void *context, const char *name);
};

/* Returns how many records were read; entries of a keyed one do not count. */
uint64_t records_run(const struct records *, int count, char *const *operands);

/* The one sketch in this file. Ends the program if there are more, none, or
 * it is keyed. */
void records_one(const char *path, const char *only, struct sketch *);

/* As records_one, for the settings' sake: of a keyed record or keyed lines it
 * is an empty sketch or the first key's. */
void records_like(const char *path, const char *only, struct sketch *);

/* From an open descriptor; name is for messages. */
uint64_t records_from(const struct records *, int fd, const char *name);
void records_one_from(int fd, const char *name, const char *only, struct sketch *);

/* The ids of the first record, from where the descriptor is, and there it is again. */
void records_ids(int fd, const char *name, const char *only, struct buffer *ids);

/* The header of the first record, without FLAG_KEYED; its payload is not
 * looked at. */
void records_head(int fd, const char *name, const char *only, struct record *);

#endif
