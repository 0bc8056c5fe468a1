/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OPTS_H
#define TOOL_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"
#include "interop/systems.h"
#include "sketch/nearness/features.h"
#include "tool/lines/parallel.h"
#include "tool/options/usage.h"

/*
 * One command line for all programs. Rows that mean the same everywhere live
 * here, in groups; a program names its groups, adds rows of its own, and gets
 * only its own back:
 *
 *	opts_start(OPTS_LINES | OPTS_ANSWER, own, usage, help);
 *	while ((c = opts_next(&argc, &argv)) != -1)
 *		switch (c) {
 *		case 'k':
 *			opt.top = opts_count(1, UINT32_MAX);
 *			break;
 *		...
 *
 * After the loop argv holds the operands only. A wrong option ends the program
 * with one line and status 2; --help and --version end it with 0.
 */

enum opts_group {
	OPTS_INPUT = 1 << 0,         /* -f -d --quoted --csv --header -z --crlf --skip-empty -j --stats --strict --progress */
	OPTS_WEIGHT = 1 << 1,        /* -W */
	OPTS_BY = 1 << 2,            /* --by */
	OPTS_BUILD = 1 << 3,         /* -o --update --like --id --seed --key-file -a */
	OPTS_SKETCH = 1 << 4,        /* -s --expect */
	OPTS_ANSWER = 1 << 5,        /* --bounds --json */
	OPTS_MEMORY = 1 << 6,        /* -M */
	OPTS_BUFFER = 1 << 7,        /* --line-buffered */
	OPTS_RECORDS = 1 << 8,       /* -o -a, for what writes a record that is not built from lines */
	OPTS_JSON = 1 << 9,          /* --json alone */
	OPTS_SEED = 1 << 10,         /* --seed --key-file */
	OPTS_CASE = 1 << 11,         /* -i */
	OPTS_ZERO = 1 << 12,         /* -z alone, for lines of armour */
	OPTS_WINDOW = 1 << 13,       /* --window --time-field --time-format */
	OPTS_STRICT = 1 << 14,       /* --strict alone */
	OPTS_COMPAT = 1 << 15,       /* --compat */
	OPTS_ITEM = 1 << 17,         /* --item */
	OPTS_FROM = 1 << 16,         /* --from */
	OPTS_STEPS = 1 << 18,        /* --window --every --tumble --time-field --time-format */
	OPTS_TUMBLE = 1 << 19,       /* --tumble, beside OPTS_WINDOW */
	OPTS_UNIT = 1 << 20,         /* --unit */
	OPTS_UPDATE = 1 << 21,       /* OPTS_BUILD without --seed --key-file, where nothing is hashed */
	OPTS_STATS = 1 << 22,        /* --stats alone */
	OPTS_KEY = 1 << 23,          /* --key-file alone */
	OPTS_EXPECT = 1 << 24,       /* --expect alone */
	OPTS_LINES = OPTS_INPUT | OPTS_CASE,
};

/* What the shared rows said. */
struct shared_options {
	struct scan scan;
	bool header, stats, strict, line_buffered;
	unsigned threads;
	enum progress_when progress;
	const char *output, *update, *like, *key_file;
	const char *id;              /* of the shard that is built; NULL: none */
	bool expects;
	uint64_t expected;           /* so many sketches, or shards */
	bool armor, seed_given;
	bool sketch, bounds, json;
	const struct system *compat; /* NULL: not given, and so below */
	struct record settings;      /* then: the kind, and the parameters if it has settings */
	bool settings_given, item_given;
	const struct system *from;
	enum unit from_unit;
	uint64_t memory;             /* bytes; 0: not given */
	bool memory_given;
	uint64_t window;             /* microseconds; 0: not given, and so below */
	uint64_t every, tumble;
};

extern struct shared_options shared;

/* usage: the SYNOPSIS, one "program [OPTION]... OPERANDS" a line. about: what
 * it does, in a sentence or two. hints may be NULL. */
void opts_start(unsigned groups, const struct opts_row *own, const char *usage,
    const char *about, const struct opts_hint *hints);
int opts_next(int *argc, char ***argv);

/* Of which kinds (as records' only: "bloom|cuckoo") another system's sketches may
 * be for --compat, --from and opts_to; unless called, of any. */
void opts_systems(const char *only);

/* The value of the option at hand. Each ends the program with the option,
 * the value and the range if it does not fit. */
uint64_t opts_count(uint64_t low, uint64_t high);
uint64_t opts_size(uint64_t low, uint64_t high);
uint64_t opts_duration(uint64_t low, uint64_t high);     /* microseconds */
double opts_share(double low, double high);
const char *opts_text(void);
/* SYSTEM or SYSTEM:UNIT: one that is read, or one that is written; UNIT_NONE: not
 * said. */
const struct system *opts_from(enum unit *);
const struct system *opts_to(enum unit *);
/* SYSTEM[:SETTINGS], which go into the header with its kind. */
const struct system *opts_compat(struct record *settings);
/* The option itself as it was given, "-k" or "--top", for messages. */
const char *opts_typed(void);

/* "--this and --that exclude each other", and the like, once all is parsed. */
void opts_exclude(bool a, const char *name_a, bool b, const char *name_b);

/* A job with the shared rows filled in. */
struct job opts_job(void);

/* What the shared rows say about the identity of a sketch: hash, seed,
 * transform, join. */
struct record opts_identity(void);

/* Make features as the items of these options are hashed: seed and key. */
void opts_hash_features(struct feature_rule *);

/* Is --key-file there or not as this sketch needs it? Else why not: the end of a
 * message. */
const char *opts_key_unlike(const struct record *);

/* Take over from this sketch what the options leave open of the hash of items. If
 * it was made with a key and there is none, or the other way round, the program
 * ends. */
void opts_adopt_hash(const struct record *, const char *verb, const char *name);

/* Make items as those in this sketch were made: its hash, seed and transform,
 * where the options do not say otherwise. If they contradict it, the program
 * ends: "cannot VERB 'NAME': seed 0 and 1". */
void opts_adopt(const struct record *, const char *verb, const char *name);

/* --stats, and the warning about rejected lines, once the input is through. */
void opts_tally(const struct intake *);

/* --stats of a program that read so many saved sketches instead. */
void opts_records(uint64_t records);

#endif
