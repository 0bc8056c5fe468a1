/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A library to be preloaded, that takes chance away from a program and counts how
 * often it compares bytes:
 *
 *	ENTROPY=N COMPARES=FILE LD_PRELOAD=build/entropy.so hll-count --by 1 lines
 *
 * What the system would give as random bytes follows from N, and is all zeros for
 * 0; without ENTROPY the system has none. The number of calls of memcmp is written
 * to FILE at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static atomic_ulong compares;

ssize_t
getrandom(void *to, size_t n, unsigned flags)
{
	const char *text = getenv("ENTROPY");
	uint64_t z = text ? strtoull(text, NULL, 10) : 0;
	unsigned char *p = to;

	(void)flags;
	if (!text) {
		errno = ENOSYS;
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		z *= UINT64_C(6364136223846793005);
		p[i] = (unsigned char)(z >> 56);
		z += z != 0;
	}
	return (ssize_t)n;
}

int
memcmp(const void *left, const void *right, size_t n)
{
	const unsigned char *a = left, *b = right;

	atomic_fetch_add_explicit(&compares, 1, memory_order_relaxed);
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

__attribute__((destructor)) static void
write_compares(void)
{
	const char *name = getenv("COMPARES");
	char text[32];
	int fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

	if (fd < 0)
		return;
	int n = snprintf(text, sizeof text, "%lu\n", (unsigned long)compares);
	if (write(fd, text, (size_t)n) != n)
		abort();
	close(fd);
}

/* What clang makes of a memcmp that is only asked whether it is 0. */
int bcmp(const void *, const void *, size_t);

int
bcmp(const void *left, const void *right, size_t n)
{
	return memcmp(left, right, n);
}
