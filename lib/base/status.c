/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <string.h>

#include "base/status.h"

const char *
status_text(enum status st)
{
	switch (st) {
	case OK:
		return "done";
	case STATUS_END:
		return "end of file";
	case STATUS_MEMORY:
		return "not enough memory";
	case STATUS_SYSTEM:
		return strerror(errno);
	case STATUS_BUSY:
		return "another process holds the lock";
	case STATUS_FULL:
		return "it is full";
	case STATUS_NOT_SKETCH:
		return "it is a sketch, not lines";
	case STATUS_NOT_GZIP:
		return "it is gzip data, not lines (use zcat FILE | ...)";
	case STATUS_NOT_ZSTD:
		return "it is zstd data, not lines (use zstdcat FILE | ...)";
	case STATUS_NOT_XZ:
		return "it is xz data, not lines (use xzcat FILE | ...)";
	case STATUS_NOT_BZIP2:
		return "it is bzip2 data, not lines (use bzcat FILE | ...)";
	case STATUS_EMPTY:
		return "empty, not a sketch";
	case STATUS_FOREIGN:
		return "not a sketch";
	case STATUS_TRUNCATED:
		return "truncated";
	case STATUS_HEADER:
		return "header checksum differs";
	case STATUS_PAYLOAD:
		return "payload checksum differs";
	case STATUS_PADDING:
		return "padding is not zero";
	case STATUS_ARMOR:
		return "armour is not canonical base64url";
	case STATUS_DIGITS:
		return "the text is not hex digits or base64";
	case STATUS_GZIP:
		return "the zlib or gzip data in it is damaged";
	case STATUS_NO_ZLIB:
		return "it takes zlib, and this program was built without it (gzip data: use zcat FILE | ...)";
	case STATUS_UNSUPPORTED:
		return "needs a newer version of sketchutils";
	case STATUS_PARAMETER:
		return "a parameter is out of range";
	case STATUS_SIZE:
		return "the size contradicts the parameters";
	case STATUS_INVARIANT:
		return "the payload contradicts itself";
	case STATUS_MISMATCH:
		return "the sketches do not match";
	}
	return "unknown status";
}
