/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "tool/kept.h"
#include "tool/report.h"

/*
 * Which lines pass cannot be predicted, and a branch that is mispredicted costs
 * more than copying a line: so each one is copied, and the end moves on by its
 * length or by 0. Behind every line lies its end byte, and then slack to copy
 * in pieces. Long lines are cheaper to skip.
 */
#define PIECE 64
#define LONG 256

void
kept_lines(struct buffer *out, const struct batch *b, const bool *wanted)
{
	if (b->n == 0)
		return;
	const struct slice *last = &b->line[b->n - 1];
	size_t span = (size_t)(last->at + last->len + 1 - b->line[0].at);

	if (buffer_reserve(out, span + PIECE) != OK)
		die(STATUS_MEMORY, "cannot gather output");
	unsigned char *to = out->at + out->len;
	for (size_t i = 0; i < b->n; i++) {
		const unsigned char *from = b->line[i].at;
		size_t len = b->line[i].len + 1;

		if (len <= LONG)
			for (size_t k = 0; k < len; k += PIECE)
				memcpy(to + k, from + k, PIECE);
		else if (wanted[i])
			memcpy(to, from, len);
		to += len & -(size_t)wanted[i];
	}
	out->len = (size_t)(to - out->at);
}
