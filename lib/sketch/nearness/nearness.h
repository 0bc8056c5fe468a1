/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_NEARNESS_H
#define SKETCH_NEARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "base/status.h"
#include "sketch/nearness/features.h"
#include "sketch/nearness/hits.h"

/*
 * What all ways to find near-duplicates do alike, so that a program need not
 * know which one it uses: SimHash looks for signatures that differ in few bits,
 * MinHash for ones that have a band in common. Over a row of this table stands
 * an index of documents (sketch/nearness/nearindex.h), which has the exact part: equal
 * contents, and features that bear a candidate out.
 */

/* A signature is at most so many numbers of 64 bits. */
#define NEAR_WORDS_MAX 256

/* When two documents are alike. */
struct near_rule {
	struct feature_rule features;
	double similarity;           /* demanded, in whole millionths; 0: not verified */
	unsigned distance;           /* simhash: bits that may differ */
	unsigned bands, rows;        /* minhash: one of the bands agrees, of so many slots */
};

/* The nearest number of millionths. */
double near_similarity(double);

struct nearness {
	const char *name;            /* "simhash" */
	uint16_t kind;               /* enum record_kind of a saved index */

	/* A feature counts once, however often it occurs: similarity is the
	 * Jaccard one of sets, else of multisets. */
	bool sets;

	/* A document with fewer features (all of them counted) is alike only what
	 * equals it, and has no signature. */
	size_t few;

	/* Is the rule one that a file may have? Looks at its own fields only. */
	bool (*valid)(const struct near_rule *);

	/* Numbers in a signature, 1 to NEAR_WORDS_MAX. */
	size_t (*words)(const struct near_rule *);

	/* The signature of n features, at least one. From any thread. */
	void (*sign)(const struct near_rule *, const uint64_t *feature, size_t n,
	    uint64_t *signature);

	/* What finds signatures: OK or STATUS_MEMORY. */
	enum status (*open)(void **finder, const struct near_rule *);
	void (*close)(void *finder);

	/* Make room for one more. STATUS_MEMORY: refused by the system, or the
	 * finder would take more than this many bytes; it is as it was. */
	enum status (*reserve)(void *finder, uint64_t most);

	/* After a reserve that returned OK. Numbers come in ascending order. */
	void (*add)(void *finder, const uint64_t *signature, uint32_t number);

	/* A hint: find will be asked for this signature soon. May be NULL. */
	void (*expect)(const void *finder, const uint64_t *signature);

	/* Add to hits, which is empty, all that may be alike, likeliest first, each
	 * once. If they are more than hits->most, some of them (always the same
	 * ones, in a finder that the same signatures went into in the same order)
	 * and *cut is set: finding costs no more than in proportion to most. OK or
	 * STATUS_MEMORY. */
	enum status (*find)(void *finder, const uint64_t *signature, struct hits *, bool *cut);

	/* Of this many documents that have nothing in common, how many may be found
	 * by accident? In whole numbers, the same on every machine. */
	uint64_t (*strangers)(const struct near_rule *, uint64_t documents);

	uint64_t (*memory)(const void *finder);

	/* Signatures in its fullest place, and how many were compared so far. */
	uint32_t (*largest)(const void *finder);
	uint64_t (*work)(const void *finder);
};

/* A document that was looked at, by any thread. What it points to is the
 * caller's. */
struct near_document {
	/* XXH3-128 (low, high half) of the features as little-endian numbers, in the
	 * order of the text: equal for documents that are equal but for case and,
	 * with words, punctuation. Two others agree with a chance of 2^-64. */
	uint64_t content[2];
	const uint64_t *signature;
	const uint32_t *id;          /* the low halves of the features, in that order */
	size_t ids;                  /* 0: they will not be asked for */
	bool exact;                  /* too few features for a signature */
};

/* Look at a document: write its signature to the caller's words and append its
 * ids to the caller's buffer, where id points until that grows. Ids are left out
 * where the rule does not verify or the document has no signature. OK or
 * STATUS_MEMORY. */
enum status near_document(const struct nearness *, const struct near_rule *,
    struct features *scratch, struct slice text, uint64_t *signature, struct buffer *ids,
    struct near_document *);

/* Append the low halves of these features. */
enum status near_ids(const struct features *, struct buffer *ids);

#endif
