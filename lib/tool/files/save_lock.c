/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "tool/files/save.h"
#include "tool/files/save_body.h"
#include "tool/files/temporary.h"

#define WAIT_SECONDS 60

/* So much of a name is left in that of its temporary. Longer ones that differ
 * only behind it share a lock, and take turns. */
#define NAME_ROOM (NAME_MAX - 5)

void
close_keeping_errno(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

void
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

enum status
save_lock(struct save *s)
{
	struct timespec start, now;
	size_t len = path_folder(s->target);
	const char *name = s->target + len;

	if (*name == '\0') {
		errno = *s->target ? EISDIR : ENOENT;
		return STATUS_SYSTEM;
	}
	s->temporary = path_join(s->target, len, ".", name, ".new");
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
