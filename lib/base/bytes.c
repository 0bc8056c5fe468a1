/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/bytes.h"

int
slice_compare(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.at, b.at, n) : 0;

	if (c != 0)
		return c;
	return (a.len > b.len) - (a.len < b.len);
}

enum status
buffer_reserve(struct buffer *b, size_t more)
{
	if (more <= b->room - b->len)
		return OK;
	if (more > SIZE_MAX / 2 - b->len)
		return STATUS_MEMORY;

	size_t room = b->room < 64 ? 64 : b->room * 2;
	if (room < b->len + more)
		room = b->len + more;
	unsigned char *at = realloc(b->at, room);
	if (!at)
		return STATUS_MEMORY;
	b->at = at;
	b->room = room;
	return OK;
}

enum status
buffer_append(struct buffer *b, const void *p, size_t n)
{
	if (n == 0)
		return OK;
	enum status st = buffer_reserve(b, n);
	if (st != OK)
		return st;
	memcpy(b->at + b->len, p, n);
	b->len += n;
	return OK;
}

enum status
buffer_zeros(struct buffer *b, size_t n)
{
	if (n == 0)
		return OK;
	enum status st = buffer_reserve(b, n);
	if (st != OK)
		return st;
	memset(b->at + b->len, 0, n);
	b->len += n;
	return OK;
}

static enum status
sink_to_buffer(void *to, const void *p, size_t n)
{
	return buffer_append(to, p, n);
}

struct sink
buffer_sink(struct buffer *b)
{
	return (struct sink){sink_to_buffer, b};
}

void
buffer_free(struct buffer *b)
{
	free(b->at);
	*b = (struct buffer){0};
}

size_t
number_put(unsigned char *p, uint64_t n)
{
	size_t len = 0;

	for (; n > 0x7f; n >>= 7)
		p[len++] = (unsigned char)(n | 0x80);
	p[len++] = (unsigned char)n;
	return len;
}

bool
number_get(struct slice *in, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < in->len && i < NUMBER_BYTES; i++) {
		unsigned char c = in->at[i];

		if (i == NUMBER_BYTES - 1 && c > 1)
			return false;
		n |= (uint64_t)(c & 0x7f) << 7 * i;
		if (c & 0x80)
			continue;
		if (c == 0 && i > 0)
			return false;
		in->at += i + 1;
		in->len -= i + 1;
		*out = n;
		return true;
	}
	return false;
}
