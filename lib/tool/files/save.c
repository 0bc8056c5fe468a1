/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "tool/files/save.h"
#include "tool/files/temporary.h"

#define WAIT_SECONDS 60
#define LINKS_MAX 40

/* So much of a name is left in that of its temporary. Longer ones that differ
 * only behind it share a lock, and take turns. */
#define NAME_ROOM (NAME_MAX - 5)

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

/* The length of a path's folder, with its last slash; 0 if it has none. */
static size_t
folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* folder (of that length) + prefix + name + suffix, or NULL and errno. */
static char *
join(const char *folder, size_t len, const char *prefix, const char *name,
    const char *suffix)
{
	size_t size = len + strlen(prefix) + strlen(name) + strlen(suffix) + 1;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%.*s%s%s%s", (int)len, folder, prefix, name, suffix);
	return path;
}

/*
 * Follow symlinks by hand: the file at the end is what is replaced, even if it
 * is not there yet. file->st_mode is 0 for a file to be created; *fd is the
 * descriptor if the path names one.
 */
static enum status
resolve(struct save *s, struct stat *file, int *fd)
{
	char link[PATH_MAX];

	s->target = join("", 0, "", s->path, "");
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
		char *next = join(s->target, *link == '/' ? 0 : folder_length(s->target),
		    "", link, "");
		free(s->target);
		s->target = next;
	}
	return STATUS_MEMORY;
}

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

static void
close_keeping_errno(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

static void
unlink_keeping_errno(const char *path)
{
	int error = errno;

	unlink(path);
	errno = error;
}

/*
 * Make the temporary, or open the one that is there to wait for its lock (for
 * writing if we may: NFS locks no other). *made tells which. STATUS_BUSY: it
 * belongs to somebody whose files we may not even open.
 */
static enum status
open_temporary(struct save *s, mode_t mode, bool *made)
{
	static const int ways[] = {O_RDWR, O_RDONLY};
	struct stat st;

	s->fd = open(s->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	*made = s->fd != -1;
	if (*made)
		return OK;
	if (errno != EEXIST)
		return STATUS_SYSTEM;
	for (size_t i = 0; i < sizeof ways / sizeof *ways && s->fd == -1; i++) {
		s->fd = open(s->temporary, ways[i] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (s->fd == -1 && errno == ENOENT)
			return STATUS_BUSY;
		if (s->fd == -1 && errno != EACCES)
			return STATUS_SYSTEM;
	}
	if (s->fd == -1)
		return STATUS_BUSY;
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode))
		return OK;
	errno = EEXIST;
	return STATUS_SYSTEM;
}

/*
 * One attempt at a temporary that is ours: made by us, locked, of that name,
 * and with no more permissions at any time than it will have at the end, for
 * who opens it now reads what is written later. OK, or STATUS_BUSY: try again.
 */
static enum status
try_lock(struct save *s)
{
	struct stat old, mine, named;
	bool made;

	bool replaces = stat(s->target, &old) == 0;
	enum status st = open_temporary(s, replaces ? 0600 : 0666, &made);
	if (st != OK)
		goto failed;
	if (flock(s->fd, LOCK_EX | LOCK_NB) == -1) {
		st = errno == EWOULDBLOCK || errno == EINTR ? STATUS_BUSY : STATUS_SYSTEM;
		if (st == STATUS_SYSTEM && made)
			unlink_keeping_errno(s->temporary);
		goto failed;
	}
	if (fstat(s->fd, &mine) == -1) {
		st = STATUS_SYSTEM;
		goto failed;
	}
	st = STATUS_BUSY;
	if (lstat(s->temporary, &named) == -1 || named.st_dev != mine.st_dev ||
	    named.st_ino != mine.st_ino)
		goto failed;

	/* Left by the dead, or made for a target that meanwhile came or went. */
	if (!made || replaces != (stat(s->target, &old) == 0)) {
		if (unlink(s->temporary) == -1)
			st = STATUS_SYSTEM;
		goto failed;
	}
	if (!replaces || fchmod(s->fd, old.st_mode & 0777) == 0)
		return OK;
	st = STATUS_SYSTEM;
	unlink_keeping_errno(s->temporary);
failed:
	if (s->fd != -1)
		close_keeping_errno(s->fd);
	s->fd = -1;
	return st;
}

/* The same without a moment in which the temporary is there and a signal would
 * leave it behind. */
static enum status
try_lock_guarded(struct save *s)
{
	sigset_t deadly, before;

	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &deadly, &before);
	enum status st = try_lock(s);
	if (st == OK)
		s->guard = temporary_guard(s->temporary);
	int error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return st;
}

/* A moment's sleep, longer the more often it was in vain. */
static void
sleep_before_attempt(unsigned n)
{
	long ms = n < 5 ? 1L << n : 20;

	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* The second temporary's name. One that was left by the dead is removed as soon
 * as the lock is ours, since the next one may be a long time off. */
static enum status
name_interim(struct save *s)
{
	s->interim = join("", 0, s->temporary, "", "");
	if (!s->interim)
		return STATUS_MEMORY;
	memcpy(s->interim + strlen(s->interim) - 3, "now", 3);
	unlink_keeping_errno(s->interim);
	return OK;
}

static enum status
lock_temporary(struct save *s)
{
	struct timespec start, now;
	size_t len = folder_length(s->target);
	const char *name = s->target + len;

	if (*name == '\0') {
		errno = *s->target ? EISDIR : ENOENT;
		return STATUS_SYSTEM;
	}
	s->temporary = join(s->target, len, ".", name, ".new");
	if (!s->temporary)
		return STATUS_MEMORY;
	if (strlen(name) > NAME_ROOM && strlen(name) <= NAME_MAX)
		strcpy(s->temporary + len + 1 + NAME_ROOM, ".new");
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned n = 0;; n++) {
		enum status st = try_lock_guarded(s);
		if (st != STATUS_BUSY)
			return st;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec >= WAIT_SECONDS)
			return STATUS_BUSY;
		sleep_before_attempt(n);
	}
}

enum status
save_open(struct save *s, const char *path)
{
	struct stat file;
	int descriptor;
	enum status st;

	*s = (struct save){.path = path, .fd = -1, .lock = -1};
	st = resolve(s, &file, &descriptor);
	if (st == OK && S_ISDIR(file.st_mode)) {
		errno = EISDIR;
		st = STATUS_SYSTEM;
	} else if (st == OK && (descriptor != -1 ||
	    (file.st_mode != 0 && !S_ISREG(file.st_mode)))) {
		st = open_through(s, descriptor);
	} else if (st == OK) {
		st = lock_temporary(s);
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
	size_t len = folder_length(target);
	char *folder = len > 0 ? join(target, len, "", "", "") : join("", 0, "", ".", "");
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
