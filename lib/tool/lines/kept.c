/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <string.h>

#include "tool/lines/kept.h"
#include "tool/report.h"

/*
 * Which lines pass cannot be predicted, and a branch that is mispredicted costs
 * more than copying a line: so each one is copied, and the end moves on by its
 * length or by 0. Behind every line lies its end byte, and then slack to copy
 * in pieces. Long lines are cheaper to skip.
 */
#define PIECE 64
#define LONG 256
#define WORD 8

/* Where the lines will go: room for all, and for more bytes with each. */
static unsigned char *
make_room(struct buffer *out, const struct batch *b, size_t more)
{
	const struct slice *last = &b->line[b->n - 1];
	size_t span = (size_t)(last->at + last->len + 1 - b->line[0].at);

	if (buffer_reserve(out, span + b->n * more + PIECE) != OK)
		die(STATUS_MEMORY, "cannot gather output");
	return out->at + out->len;
}

static void
copy_pieces(unsigned char *to, const unsigned char *from, size_t len)
{
	for (size_t k = 0; k < len; k += PIECE)
		memcpy(to + k, from + k, PIECE);
}

void
kept_lines(struct buffer *out, const struct batch *b, const bool *wanted)
{
	if (b->n == 0)
		return;
	unsigned char *to = make_room(out, b, 0);
	for (size_t i = 0; i < b->n; i++) {
		const unsigned char *from = b->line[i].at;
		size_t len = b->line[i].len + 1;

		if (len <= LONG)
			copy_pieces(to, from, len);
		else if (wanted[i])
			memcpy(to, from, len);
		to += len & -(size_t)wanted[i];
	}
	out->len = (size_t)(to - out->at);
}

void
kept_tagged(struct buffer *out, const struct batch *b, const bool *which, const char *no,
    const char *yes)
{
	char word[2][WORD + 1] = {{0}};
	size_t length[2] = {strlen(no), strlen(yes)};

	assert(length[0] <= WORD && length[1] <= WORD);
	strcpy(word[0], no);
	strcpy(word[1], yes);
	if (b->n == 0)
		return;
	unsigned char *to = make_room(out, b, WORD);
	for (size_t i = 0; i < b->n; i++) {
		size_t len = b->line[i].len + 1;

		memcpy(to, word[which[i]], WORD);
		to += length[which[i]];
		if (len <= LONG)
			copy_pieces(to, b->line[i].at, len);
		else
			memcpy(to, b->line[i].at, len);
		to += len;
	}
	out->len = (size_t)(to - out->at);
}
