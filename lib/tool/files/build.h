/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_BUILD_H
#define TOOL_BUILD_H

#include <stdbool.h>

#include "base/bytes.h"
#include "sketch/kinds.h"

/*
 * Where a finished sketch goes: standard output, or as -o, --update and -a
 * say. Whatever fails ends the program and leaves the old file as it was.
 *
 *	build_begin("hll", &old);
 *	... read the input ...
 *	build_open();
 *	... with --update, build_old() is a descriptor of the file to add to ...
 *	write records through build_sink();
 *	build_close();
 */

/*
 * First of all, refuse what would turn out to be in vain only when all input
 * is read: a sketch for a terminal, and with --update a file of another kind
 * (its name begins with only) or with other settings of the shared options.
 * True if there is a file to update, and then *old is the header of the first
 * record in it.
 */
bool build_begin(const char *only, struct record *old);

void build_open(void);

/* With --update: the file that is there, to be read now that the lock is
 * held; -1 if there is none yet. A file of armour stays one, with or without
 * -a; with -a a binary one becomes armour. */
int build_old(void);

struct sink build_sink(void);

/*
 * Ids of shards (base/ids.h). A builder's sketch gets that of --id, beside those in
 * the file that it updates; if it is among those, the file stays as it is, which is
 * told, and nothing is written. What build_unite does about it by itself, a keyed
 * builder asks for with the descriptor from build_old(): false, and it is done.
 */
bool build_shards(int old, const char *only);

/* While that file is read, for records.shards: what else is in there must be of the
 * same shards, since a keyed record has their ids in front. */
void build_same_shards(void *context, const char *name, struct slice ids);

/* The ids of what is written entry by entry. build_shards sets them, or this. */
void build_set_ids(struct slice);
struct slice build_ids(void);

/* Write it as one record, or with -a as one line. */
void build_record(const struct sketch *);

void build_close(void);

/* After build_open: leave the file as it is, and release it. */
void build_abandon(void);

/* build_open for a program whose result is one sketch: with --update it
 * becomes the one in the file united with it, behind it. */
void build_unite(struct sketch *, const char *only);

/* The same, but with --update it becomes what is left of the one in the file,
 * without it. There must be one, and its kind can subtract. */
void build_subtract(struct sketch *, const char *only);

/* All of it for such a program. The sketch is freed. */
void build_one(struct sketch *, const char *only);

/* The sketch that --like names, of a kind whose name begins with only; and
 * take over its seed and transform (contradicting options end the program).
 * See records_like for a keyed one. */
void build_like(struct sketch *, const char *only);

#endif
