/* sketchutils: BSD-2-Clause, see LICENSE */
#include <sys/mman.h>
#include <unistd.h>

#include "base/pages.h"

/*
 * Zeros from the system cost nothing until they are touched. Huge pages save
 * most of the time that random touches of a large array spend on address
 * translation, and nearly all page faults; they need an address that is a
 * multiple of their own size, which not every kernel sees to.
 */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_MIN (2 * HUGE_PAGE)

static enum status
map(struct pages *pages, uint64_t bytes, int flags, int advice)
{
	size_t spare = bytes >= HUGE_MIN ? HUGE_PAGE : 0;

	if (bytes > SIZE_MAX / 2)
		return STATUS_MEMORY;
	size_t size = (size_t)bytes + spare;
	unsigned char *all = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (all == MAP_FAILED)
		return STATUS_MEMORY;
	unsigned char *at = all;
	if (spare) {
		at += -(uintptr_t)all & (HUGE_PAGE - 1);
		/* Only a wish: a system without them does as well, slower. */
		(void)madvise(at, (size_t)bytes, advice);
	}
	*pages = (struct pages){at, all, size};
	return OK;
}

enum status
pages_map(struct pages *pages, uint64_t bytes)
{
	return map(pages, bytes, 0, MADV_HUGEPAGE);
}

enum status
pages_reserve(struct pages *pages, uint64_t bytes)
{
	return map(pages, bytes, MAP_NORESERVE, MADV_NOHUGEPAGE);
}

/* The part of at..at+bytes that consists of whole pages of this size. */
static size_t
whole_pages(unsigned char **at, uint64_t bytes, size_t page)
{
	size_t skip = -(uintptr_t)*at & (page - 1);

	*at += skip;
	return bytes < skip ? 0 : (size_t)(bytes - skip) & ~(page - 1);
}

void
pages_huge(void *at, uint64_t bytes)
{
	unsigned char *from = at;
	size_t len = whole_pages(&from, bytes, HUGE_PAGE);

	if (len > 0)
		(void)madvise(from, len, MADV_HUGEPAGE);
}

void
pages_drop(void *at, uint64_t bytes)
{
	unsigned char *from = at;
	size_t len = whole_pages(&from, bytes, (size_t)sysconf(_SC_PAGESIZE));

	if (len > 0)
		(void)madvise(from, len, MADV_DONTNEED);
}

void
pages_unmap(struct pages *pages)
{
	if (pages->mapped)
		munmap(pages->map, pages->mapped);
	*pages = (struct pages){0};
}
