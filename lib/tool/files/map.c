/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/map.h"
#include "tool/report.h"

#define MAPS 1024

/* What is mapped, for the handler. */
static struct map *maps[MAPS];

/*
 * A page that cannot be brought in raises SIGBUS in whoever touched it. The
 * report takes locks, which a handler should not; but this thread was reading
 * a filter and holds none of them, and the program ends here.
 */
static void
lost_page(int sig, siginfo_t *info, void *context)
{
	const unsigned char *at = info->si_addr;

	(void)context;
	for (unsigned i = 0; i < MAPS; i++) {
		const struct map *m = maps[i];
		if (m && at >= m->bytes.at && at < m->bytes.at + m->bytes.len) {
			errno = EIO;
			die(STATUS_SYSTEM, "cannot read '%s', which changed while in use", m->name);
		}
	}
	/* Somebody else's: returning raises it again, with its default. */
	signal(sig, SIG_DFL);
}

static void
catch_lost_pages(void)
{
	struct sigaction act = {.sa_sigaction = lost_page, .sa_flags = SA_SIGINFO};

	sigemptyset(&act.sa_mask);
	sigaction(SIGBUS, &act, NULL);
}

enum status
map_open(struct map *m, const char *path)
{
	struct stat st;

	*m = (struct map){.name = path};
	/* A fifo's writer would notice that we were there and left. */
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return STATUS_END;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return STATUS_SYSTEM;
	if (fstat(fd, &st) != 0)
		goto fail;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		goto fail;
	}
	/* The files of /proc hold bytes and say that they have none. */
	if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		close(fd);
		return STATUS_END;
	}
	unsigned slot = 0;
	while (slot < MAPS && maps[slot])
		slot++;
	if (slot == MAPS) {
		errno = EMFILE;
		goto fail;
	}
	void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		goto fail;
	m->bytes = (struct slice){at, (size_t)st.st_size};
	maps[slot] = m;
	catch_lost_pages();
	close(fd);
	return OK;
fail:
	{
		int error = errno;
		close(fd);
		errno = error;
	}
	return STATUS_SYSTEM;
}

void
map_close(struct map *m)
{
	for (unsigned i = 0; i < MAPS; i++)
		if (maps[i] == m)
			maps[i] = NULL;
	if (m->bytes.len > 0)
		munmap((void *)(uintptr_t)m->bytes.at, m->bytes.len);
	m->bytes = (struct slice){NULL, 0};
}
