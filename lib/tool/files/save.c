/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/save.h"
#include "tool/files/save_body.h"
#include "tool/files/temporary.h"

static enum status
open_through(struct save *s, int descriptor)
{
	if (descriptor != -1) {
		s->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
	} else {
		/* A fifo waits here for its reader. */
		do
			s->fd = open(s->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (s->fd == -1 && errno == EINTR);
	}
	return s->fd == -1 ? STATUS_SYSTEM : OK;
}

/* The second temporary's name. One that was left by the dead is removed as soon
 * as the lock is ours, since the next one may be a long time off. */
static enum status
name_interim(struct save *s)
{
	s->interim = path_join("", 0, s->temporary, "", "");
	if (!s->interim)
		return STATUS_MEMORY;
	memcpy(s->interim + strlen(s->interim) - 3, "now", 3);
	unlink_keeping_errno(s->interim);
	return OK;
}

enum status
save_open(struct save *s, const char *path)
{
	struct stat file;
	int descriptor;
	enum status st;

	*s = (struct save){.path = path, .fd = -1, .lock = -1};
	st = save_resolve(s, &file, &descriptor);
	if (st == OK && S_ISDIR(file.st_mode)) {
		errno = EISDIR;
		st = STATUS_SYSTEM;
	} else if (st == OK && (descriptor != -1 ||
	    (file.st_mode != 0 && !S_ISREG(file.st_mode)))) {
		st = open_through(s, descriptor);
	} else if (st == OK) {
		st = save_lock(s);
		if (st == OK)
			st = name_interim(s);
	}
	if (st != OK)
		save_abort(s);
	return st;
}

enum status
save_write(struct save *s, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	while (len > 0) {
		ssize_t n = write(s->fd, p, len);
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (n == -1 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			poll(&(struct pollfd){.fd = s->fd, .events = POLLOUT}, 1, -1);
		} else if (n == 0 || errno != EINTR) {
			s->error = n == 0 ? EIO : errno;
			errno = s->error;
			return STATUS_SYSTEM;
		}
	}
	return OK;
}

static int
sync_fd(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result == -1 && errno == EINTR);
	return result;
}

/* Not every file system can sync a folder, and not every folder that may be
 * written may be read; then there is nothing more to be had. */
static enum status
sync_folder(const char *target)
{
	size_t len = path_folder(target);
	char *folder = len > 0 ? path_join(target, len, "", "", "") : path_join("", 0, "", ".", "");
	enum status st = OK;

	if (!folder)
		return STATUS_MEMORY;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd == -1)
		return errno == EACCES ? OK : STATUS_SYSTEM;
	if (sync_fd(fd) == -1 && errno != EINVAL && errno != ENOTSUP)
		st = STATUS_SYSTEM;
	close_keeping_errno(fd);
	return st;
}

static void
forget(struct save *s)
{
	free(s->interim);
	free(s->target);
	free(s->temporary);
	*s = (struct save){.fd = -1, .lock = -1};
}

enum status
save_commit(struct save *s)
{
	enum status st = OK;

	if (s->error != 0 || (s->temporary && sync_fd(s->fd) == -1)) {
		if (s->error != 0)
			errno = s->error;
		save_abort(s);
		return STATUS_SYSTEM;
	}
	if (!s->temporary) {
		if (close(s->fd) == -1 && errno != EINTR)
			st = STATUS_SYSTEM;
		forget(s);
		return st;
	}
	temporary_enter(s->guard);
	int renamed = rename(s->temporary, s->target);
	int error = errno;
	temporary_leave(s->guard, renamed == 0);
	if (renamed == -1) {
		errno = error;
		save_abort(s);
		return STATUS_SYSTEM;
	}
	st = sync_folder(s->target);
	close_keeping_errno(s->fd);
	forget(s);
	return st;
}

/* Of the same permissions as the temporary, at no time more. */
static enum status
open_interim(struct save *s)
{
	struct stat st;

	if (fstat(s->lock, &st) == -1)
		return STATUS_SYSTEM;
	s->fd = open(s->interim, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd == -1)
		return STATUS_SYSTEM;
	s->interim_guard = temporary_guard(s->interim);
	return fchmod(s->fd, st.st_mode & 0777) == 0 ? OK : STATUS_SYSTEM;
}

/* The lock's file is at hand again; the interim is in place, or gone. */
static void
close_interim(struct save *s)
{
	if (s->fd != -1)
		close_keeping_errno(s->fd);
	s->fd = s->lock;
	s->lock = -1;
}

static void
remove_interim(struct save *s)
{
	if (s->fd != -1) {
		temporary_enter(s->interim_guard);
		unlink_keeping_errno(s->interim);
		temporary_leave(s->interim_guard, true);
	}
	close_interim(s);
}

enum status
save_interim(struct save *s)
{
	assert(s->temporary && s->lock == -1);
	s->lock = s->fd;
	s->fd = -1;
	enum status st = open_interim(s);
	if (st != OK)
		remove_interim(s);
	return st;
}

enum status
save_interim_commit(struct save *s)
{
	if (s->error != 0 || sync_fd(s->fd) == -1) {
		if (s->error != 0)
			errno = s->error;
		remove_interim(s);
		return STATUS_SYSTEM;
	}
	temporary_enter(s->interim_guard);
	int renamed = rename(s->interim, s->target);
	int error = errno;
	temporary_leave(s->interim_guard, renamed == 0);
	errno = error;
	if (renamed == -1) {
		remove_interim(s);
		return STATUS_SYSTEM;
	}
	close_interim(s);
	return sync_folder(s->target);
}

void
save_abort(struct save *s)
{
	int error = errno;

	if (s->interim && s->lock != -1)
		remove_interim(s);
	if (s->temporary && s->fd > 0) {
		temporary_enter(s->guard);
		unlink(s->temporary);
		temporary_leave(s->guard, true);
	}
	if (s->fd > 0)
		close(s->fd);
	forget(s);
	errno = error;
}
