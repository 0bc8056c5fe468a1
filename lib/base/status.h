/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/*
 * What a call below the tool floor can come back with. These floors print
 * nothing and never exit: they return one of these and leave their outputs
 * as they were, and a program turns it into one line and an exit status.
 */
enum status {
	OK = 0,
	STATUS_END,          /* nothing more to read; not a failure */

	/* The system refused; trying again may help. Exit 3. */
	STATUS_MEMORY,       /* an allocation failed, or would exceed a ceiling */
	STATUS_SYSTEM,       /* a system call failed, errno says why */
	STATUS_BUSY,         /* a lock was not to be had in time */
	STATUS_FULL,         /* a structure of fixed size takes no more; a larger one would */

	/* An input that cannot be meant as lines. Exit 3, as one that cannot be read. */
	STATUS_NOT_SKETCH,   /* it is a sketch */
	STATUS_NOT_GZIP,     /* it is compressed */
	STATUS_NOT_ZSTD,
	STATUS_NOT_XZ,
	STATUS_NOT_BZIP2,

	/* The bytes are at fault; trying again never helps. Exit 4. */
	STATUS_EMPTY,        /* zero bytes where a sketch was expected */
	STATUS_FOREIGN,      /* not a sketch of ours */
	STATUS_TRUNCATED,    /* ends in the middle of a record */
	STATUS_HEADER,       /* the header's checksum differs */
	STATUS_PAYLOAD,      /* the payload's checksum differs */
	STATUS_PADDING,      /* bytes that must be zero are not */
	STATUS_ARMOR,        /* not canonical base64url */
	STATUS_DIGITS,       /* text that is not hex digits or base64 */
	STATUS_GZIP,         /* gzip or zlib data that is damaged */
	STATUS_NO_ZLIB,      /* the same, for a program without zlib */
	STATUS_UNSUPPORTED,  /* a format, kind or flag newer than this program */
	STATUS_PARAMETER,    /* a parameter outside its range */
	STATUS_SIZE,         /* the payload is not as long as the parameters say */
	STATUS_INVARIANT,    /* checksums hold, but the structure contradicts itself */
	STATUS_MISMATCH,     /* two sketches that cannot be united */
};

/* A few lower case words without a full stop, for the end of a message.
 * For STATUS_SYSTEM that is strerror(errno). */
const char *status_text(enum status);

#endif
