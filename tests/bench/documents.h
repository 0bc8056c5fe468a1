/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BENCH_DOCUMENTS_H
#define BENCH_DOCUMENTS_H

#include "draw.h"

/*
 * Documents that a program makes: begin one of a group, put its words, begin the
 * next. They stay in memory until all are there, so that they can be shuffled.
 */

static inline void
fail(const char *why)
{
	fprintf(stderr, "corpus: %s\n", why);
	exit(2);
}

/* The documents, behind each other in bytes. */
static struct document {
	size_t at, len;
	uint64_t group;
} *made;
static size_t made_n, made_room;
static char *bytes;
static size_t bytes_n, bytes_room;

static inline void *
grown(void *at, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return at;
	*room = need + need / 2 + 1024;
	if (!(at = realloc(at, *room * size)))
		fail("out of memory");
	return at;
}

static inline void
begin(uint64_t group)
{
	made = grown(made, &made_room, made_n + 1, sizeof *made);
	made[made_n++] = (struct document){bytes_n, 0, group};
}

/* One more token, with a blank before it unless it is the first. */
static inline void
put(const char *token)
{
	struct document *d = &made[made_n - 1];
	size_t len = strlen(token);

	bytes = grown(bytes, &bytes_room, bytes_n + len + 1, 1);
	if (d->len > 0) {
		bytes[bytes_n++] = ' ';
		d->len++;
	}
	memcpy(bytes + bytes_n, token, len);
	bytes_n += len;
	d->len += len;
}

static inline void
shuffle(void)
{
	for (size_t i = made_n; i > 1; i--) {
		size_t j = (size_t)below(i);
		struct document d = made[i - 1];

		made[i - 1] = made[j];
		made[j] = d;
	}
}

static inline void
put_rank(uint32_t rank)
{
	char name[64];

	name[word(name, rank)] = '\0';
	put(name);
}

#endif
