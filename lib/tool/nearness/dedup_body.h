/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DEDUP_BODY_H
#define TOOL_DEDUP_BODY_H

#include "sketch/nearness/nearindex.h"
#include "sketch/nearness/recall.h"
#include "tool/nearness/documents.h"
#include "tool/options/opts.h"

/* Between the files that tool/nearness/dedup.h is made of. */
struct dedup;

enum dedup_keep { KEEP_FIRST, KEEP_LONGEST };
enum dedup_show { SHOW_LINES, SHOW_PAIRS, SHOW_MAP, SHOW_COUNTS };

extern struct dedup_options {
	struct dedup *program;
	struct documents documents;
	enum dedup_keep keep;
	enum dedup_show show;
	const char *dropped, *index;
	bool read_only, explain, count;
} dedup;

/* Once all are parsed, refuse those that exclude each other. */
void dedup_check(void);

/* What documents_run calls of tool/nearness/dedup_sign.c: features and signatures of a
 * batch, by any worker. */
enum verdict dedup_sign(void *context, unsigned worker, struct batch *);
void dedup_sign_start(const struct recall *);
void dedup_sign_free(void);
void dedup_extra_free(void *);

/* Document i of a batch that was signed, in the order of the input. False: it
 * cannot be read. */
struct dedup_signed {
	uint64_t key[2];             /* XXH3-128 of the masked text */
	bool known;                  /* there seems to be an answer: doc is not filled in */
	bool failed;
	size_t size;                 /* how long it is, for --keep longest */
	struct near_document doc;
};
struct dedup_signed *dedup_signed_at(const struct batch *, size_t i);

/* Now, since it has to be known after all: doc is the worker's until its next
 * document, and so are the features. NULL: it cannot be read. */
const struct features *dedup_sign_late(unsigned worker, const struct batch *, size_t i,
    struct near_document *);

/* A document was met, the number-th of this run, from 1. leader: of the one it is
 * like, among those in the index, from 0; found is false if it passes, and then it
 * is the leader of its own. Returns STATUS_MEMORY if -M leaves no room. */
struct dedup_met {
	uint64_t number;
	bool found;
	uint32_t leader;
	double similarity;           /* -1: not verified */
	size_t size;                 /* of the document: line may be a file's name */
	struct slice line;
};

/* tool/nearness/dedup_show.c: what comes out. first: of this run's documents in the
 * index. */
void dedup_show_start(uint64_t first);
enum status dedup_show(unsigned worker, const struct dedup_met *);
void dedup_show_end(void);
/* Bytes that it keeps of lines. */
uint64_t dedup_show_memory(void);
void dedup_show_free(void);

/* tool/nearness/dedup_filter.c: what takes the index's place when -M is used up, if all that
 * is asked for is whether a document passes. */
bool dedup_filter_may(void);
/* Bytes of -M that are kept for it. */
uint64_t dedup_filter_share(void);
/* The index is full of so many documents. OK or STATUS_MEMORY. */
enum status dedup_filter_start(uint64_t kept);
bool dedup_filter_on(void);
/* Was one like it seen by the filter? The features are the document's. */
bool dedup_filter_meet(const struct features *, const struct near_document *);
void dedup_filter_tell(void);

/* tool/nearness/dedup_index.c: the file of --index. Loads what is there into the index,
 * which is empty. */
void dedup_index_open(struct nearindex *);
void dedup_index_save(struct nearindex *, uint64_t items);

/* tool/nearness/dedup_explain.c: status for main to return. */
int dedup_explain(int argc, char **argv);

#endif
