/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Memory for one large flat array that is touched at random: zeros, aligned
 * to 64 bytes at least, in huge pages where the system has them. Not for
 * arrays that grow, nor for many small ones: each is a mapping of its own.
 */
struct pages {
	unsigned char *at;
	void *map;                   /* the pages' own */
	size_t mapped;
};

/* OK or STATUS_MEMORY; then *pages is as it was. */
enum status pages_map(struct pages *, uint64_t bytes);

/* The same for arrays that grow within it, far apart: a small page at a time,
 * until pages_huge is asked for huge ones in a part of it that has grown to
 * some megabytes. Contents stay. */
enum status pages_reserve(struct pages *, uint64_t bytes);
void pages_huge(void *at, uint64_t bytes);

/* Give this part's memory back; zeros come when it is touched again, or what is
 * in the file if it is a map of one. Pages that lie in it only partly stay. */
void pages_drop(void *at, uint64_t bytes);

/* All zero is no memory, and is left behind. */
void pages_unmap(struct pages *);

#endif
