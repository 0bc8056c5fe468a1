/* sketchutils: BSD-2-Clause, see LICENSE */
#include <sys/mman.h>

#include "base/pages.h"

/*
 * Zeros from the system cost nothing until they are touched. Huge pages save
 * most of the time that random touches of a large array spend on address
 * translation, and nearly all page faults; they need an address that is a
 * multiple of their own size, which not every kernel sees to.
 */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_MIN (2 * HUGE_PAGE)

enum status
pages_map(struct pages *pages, uint64_t bytes)
{
	size_t spare = bytes >= HUGE_MIN ? HUGE_PAGE : 0;

	if (bytes > SIZE_MAX / 2)
		return STATUS_MEMORY;
	size_t size = (size_t)bytes + spare;
	unsigned char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return STATUS_MEMORY;
	unsigned char *at = map;
	if (spare) {
		at += -(uintptr_t)map & (HUGE_PAGE - 1);
		/* Only a wish: a system without them does as well, slower. */
		(void)madvise(at, (size_t)bytes, MADV_HUGEPAGE);
	}
	*pages = (struct pages){at, map, size};
	return OK;
}

void
pages_unmap(struct pages *pages)
{
	if (pages->mapped)
		munmap(pages->map, pages->mapped);
	*pages = (struct pages){0};
}
