/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "tool/files/save.h"
#include "tool/files/save_body.h"

#define LINKS_MAX 40

/* /dev/stdout, /dev/stderr, /dev/fd/N and where they lead: the descriptor, or
 * -1. Opening these names again would start a regular file from its beginning,
 * over what has been written there. */
static int
descriptor_named(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t n;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t len = strlen(folders[i]);
		if (strncmp(path, folders[i], len) == 0 &&
		    num_field(slice_of(path + len), &n) && n <= INT_MAX)
			return (int)n;
	}
	return -1;
}

size_t
path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

char *
path_join(const char *folder, size_t len, const char *prefix, const char *name,
    const char *suffix)
{
	size_t size = len + strlen(prefix) + strlen(name) + strlen(suffix) + 1;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%.*s%s%s%s", (int)len, folder, prefix, name, suffix);
	return path;
}

enum status
save_resolve(struct save *s, struct stat *file, int *fd)
{
	char link[PATH_MAX];

	s->target = path_join("", 0, "", s->path, "");
	for (int links = 0; s->target; links++) {
		*file = (struct stat){0};
		*fd = descriptor_named(s->target);
		if (*fd != -1)
			return OK;
		if (lstat(s->target, file) == -1)
			return errno == ENOENT ? OK : STATUS_SYSTEM;
		if (!S_ISLNK(file->st_mode))
			return OK;
		if (links == LINKS_MAX) {
			errno = ELOOP;
			return STATUS_SYSTEM;
		}
		ssize_t n = readlink(s->target, link, sizeof link - 1);
		if (n == -1)
			return STATUS_SYSTEM;
		link[n] = '\0';
		char *next = path_join(s->target, *link == '/' ? 0 : path_folder(s->target),
		    "", link, "");
		free(s->target);
		s->target = next;
	}
	return STATUS_MEMORY;
}
