/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_SYSTEM_H
#define INTEROP_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/unit.h"
#include "interop/dump.h"
#include "sketch/kinds.h"

/*
 * Other systems whose bytes are read and written here. What their sketches are
 * belongs to lib/sketch, as a kind with that system's hash and geometry; how
 * they lie in a file belongs to a module of this floor.
 */
/* What a system has whose sketches are of numbers, which may have a unit. */
struct system_numbers {
	/* The numbers of one that was read are in this unit. NULL: none is read. */
	void (*set_unit)(struct sketch *, enum unit);

	/* The unit it is written in unless told otherwise. */
	enum unit (*unit)(const struct sketch *);

	/* Can it be written in this one? Else why->text is the end of a message. */
	bool (*can)(const struct sketch *, enum unit, struct mismatch *why);

	/* Append it, in a unit that it can be written in. OK, STATUS_MEMORY,
	 * STATUS_NO_ZLIB. */
	enum status (*write)(const struct sketch *, enum unit, struct buffer *);
};

struct system {
	const char *name;            /* as --compat, --from and --to call it */
	const char *what;            /* "DCSO bloom filter", for messages */
	uint16_t kind;               /* enum record_kind of its sketches here */
	const char *builder;         /* the program whose --compat makes them; NULL: they are ours */

	/*
	 * The settings of a new sketch, as parameters of a header, from what follows
	 * ':' in --compat; "" are those that the system has unless told otherwise.
	 * False: it cannot be used, and why->text is the end of a message. NULL: it
	 * takes none.
	 */
	bool (*settings)(const char *text, struct record *, struct mismatch *why);
	const char *settings_form;   /* "LOG2M,REGWIDTH,EXPTHRESH,SPARSEON" */

	/* How its sketches lie in the rows of a table. Of those that are read,
	 * raw() tells whether a file that begins so is the bytes of one sketch. */
	enum dump_form dump;
	bool text;                   /* it has no other files than of text */
	bool (*raw)(struct slice start);

	/* Could a file that begins so be one? Told by a few bytes, for a hint. */
	bool (*looks)(struct slice start);

	/*
	 * The sketch that these bytes are, all of them. May take over their memory
	 * and then leaves the buffer empty. *left_out: bytes that belong to the
	 * file and have no place in a sketch. STATUS_FOREIGN, STATUS_TRUNCATED,
	 * STATUS_PARAMETER, STATUS_SIZE, STATUS_INVARIANT, STATUS_GZIP,
	 * STATUS_MEMORY. NULL: they only go out.
	 */
	enum status (*read)(struct buffer *, struct sketch *, uint64_t *left_out);

	/* The bytes of a sketch of this kind. What the sink says. NULL: see numbers. */
	enum status (*write)(const struct sketch *, struct sink);

	const struct system_numbers *numbers;
};

#endif
