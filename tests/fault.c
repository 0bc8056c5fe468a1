/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A library to be preloaded, that makes one call of a program go wrong:
 *
 *	FAULT=CALL:K:WHAT LD_PRELOAD=build/fault.so hll-build -o x lines
 *
 * CALL is write, read, open, fsync, rename, close, alloc (malloc and its kin,
 * and mmap), thread, or save (all that replacing a file is made of). At the
 * K-th such call, counted from 1, the error WHAT is returned and nothing done,
 * or the signal WHAT arrives, or (SHORT) one byte is read or written. With a +
 * behind WHAT all later ones go wrong as well, as on a full disk. The file
 * that FAULT_MARK names is made when it happens: a loop over K ends when it
 * is not. With PLACES as WHAT nothing goes wrong, and the file has, a line each,
 * the K of calls that no earlier one came to in the same way through the program.
 * Nothing counts before main.
 *
 * fsync only counts: nobody pulls the plug, and a disk is slow.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	WRITE = 1, READ = 2, OPEN = 4, FSYNC = 8, RENAME = 16, CLOSE = 32, OTHER = 64,
	ALLOC = 128, THREAD = 256,
	SAVE = WRITE | OPEN | FSYNC | RENAME | CLOSE | OTHER,
};

struct word {
	const char *name;
	int value;
};

static const struct word calls[] = {
	{"write", WRITE}, {"read", READ}, {"open", OPEN}, {"fsync", FSYNC}, {"rename", RENAME},
	{"close", CLOSE}, {"alloc", ALLOC}, {"thread", THREAD}, {"save", SAVE}, {NULL, 0}
};

static const struct word errors[] = {
	{"EINTR", EINTR}, {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {NULL, 0}
};

static const struct word signals[] = {
	{"KILL", SIGKILL}, {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {NULL, 0}
};

static struct {
	int call, error, signal;
	long at;
	bool all, brief, places;
	const char *mark;
	int (*main)(int, char **, char **);
	bool begun;
} fault;

static atomic_long count;

/* The value of the word that text starts with, or 0. */
static int
value_of(const struct word *w, const char *text, size_t len)
{
	while (w->name && (strlen(w->name) != len || memcmp(w->name, text, len) != 0))
		w++;
	return w->value;
}

__attribute__((constructor)) static void
read_environment(void)
{
	const char *text = getenv("FAULT");
	char *end;

	if (!text)
		return;
	size_t len = strcspn(text, ":");
	int call = value_of(calls, text, len);
	fault.at = strtol(text + len + 1, &end, 10);
	text = end + 1;
	len = strcspn(text, "+");
	fault.all = text[len] == '+';
	fault.error = value_of(errors, text, len);
	fault.signal = value_of(signals, text, len);
	fault.brief = strncmp(text, "SHORT", len) == 0;
	fault.places = strncmp(text, "PLACES", len) == 0;
	fault.mark = getenv("FAULT_MARK");
	if (!call || (!fault.error && !fault.signal && !fault.brief && !fault.places))
		abort();
	if (fault.places) {
		/* The first time it needs memory. */
		void *frame[2];
		backtrace(frame, 2);
	}
	fault.call = call;
}

static int
begin(int argc, char **argv, char **environment)
{
	fault.begun = true;
	return fault.main(argc, argv, environment);
}

/* What calls main, and before it what a compiler has put into the program: of make
 * cover's that opens files and maps them. */
int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void),
    void (*)(void), void (*)(void), void *);

int
__libc_start_main(int (*function)(int, char **, char **), int argc, char **argv,
    void (*init)(void), void (*fini)(void), void (*last)(void), void *stack)
{
	int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void),
	    void (*)(void), void (*)(void), void *);

	*(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
	fault.main = function;
	return next(begin, argc, argv, init, fini, last, stack);
}

#define DEPTH 32
#define PLACES 8192

/* Has no call before come from here, through the same functions? By a hash of
 * the addresses on the stack: a collision would only leave one out. */
static bool
is_new_place(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t known[PLACES];
	void *frame[DEPTH];
	uint64_t hash = 1;
	int n = backtrace(frame, DEPTH);

	for (int i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)frame[i]) * UINT64_C(0x9e3779b97f4a7c15);
	pthread_mutex_lock(&lock);
	size_t at = hash >> 51;
	while (known[at] != 0 && known[at] != hash)
		at = (at + 1) % PLACES;
	bool new = known[at] == 0;
	known[at] = hash;
	pthread_mutex_unlock(&lock);
	return new;
}

static void
note_place(long n)
{
	static _Thread_local bool inside;
	char line[24];

	if (inside)
		return;
	inside = true;
	if (is_new_place()) {
		int len = snprintf(line, sizeof line, "%ld\n", n);
		int fd = (int)syscall(SYS_openat, AT_FDCWD, fault.mark,
		    O_WRONLY | O_CREAT | O_APPEND, 0666);
		syscall(SYS_write, fd, line, len);
		syscall(SYS_close, fd);
	}
	inside = false;
}

static bool
is_now(int call)
{
	if (!fault.begun || !(fault.call & call))
		return false;
	long n = ++count;
	if (fault.places) {
		note_place(n);
		return false;
	}
	if (n != fault.at && !(fault.all && n > fault.at))
		return false;
	if (fault.mark)
		syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, fault.mark,
		    O_WRONLY | O_CREAT, 0666));
	return true;
}

/* Shall this call fail? A signal comes before it. */
static bool
fails(int call)
{
	if (!is_now(call))
		return false;
	if (fault.signal)
		raise(fault.signal);
	errno = fault.error;
	return fault.error != 0;
}

/* The same for one that transfers *n bytes. */
static bool
transfer_fails(int call, size_t *n)
{
	if (!fault.brief)
		return fails(call);
	if (is_now(call) && *n > 1)
		*n = 1;
	return false;
}

/* What is said on standard error is the test's own witness. */
ssize_t
write(int fd, const void *p, size_t n)
{
	if (fd != STDERR_FILENO && transfer_fails(WRITE, &n))
		return -1;
	return syscall(SYS_write, fd, p, n);
}

ssize_t
read(int fd, void *p, size_t n)
{
	return transfer_fails(READ, &n) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t
pread(int fd, void *p, size_t n, off_t offset)
{
	return transfer_fails(READ, &n) ? -1 : syscall(SYS_pread64, fd, p, n, offset);
}

/* What these are called in a program that was built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t offset, size_t room);
int __open_2(const char *path, int flags);

ssize_t
__read_chk(int fd, void *p, size_t n, size_t room)
{
	return n > room ? abort(), -1 : read(fd, p, n);
}

ssize_t
__pread_chk(int fd, void *p, size_t n, off_t offset, size_t room)
{
	return n > room ? abort(), -1 : pread(fd, p, n, offset);
}

int
open(const char *path, int flags, ...)
{
	va_list arguments;

	va_start(arguments, flags);
	int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
__open_2(const char *path, int flags)
{
	return open(path, flags);
}

int
fsync(int fd)
{
	(void)fd;
	return fails(FSYNC) ? -1 : 0;
}

int
rename(const char *from, const char *to)
{
	return fails(RENAME) ? -1 :
	    (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Whatever it returns, the descriptor is gone. */
int
close(int fd)
{
	bool bad = fails(CLOSE);
	int error = errno;
	int result = (int)syscall(SYS_close, fd);

	if (!bad)
		return result;
	errno = error;
	return -1;
}

int
flock(int fd, int how)
{
	return fails(OTHER) ? -1 : (int)syscall(SYS_flock, fd, how);
}

int
fchmod(int fd, mode_t mode)
{
	return fails(OTHER) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

/* It never fails: then nobody could remove a temporary. */
int
unlink(const char *path)
{
	if (fault.signal)
		fails(OTHER);
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* The one that would have been called. */
#define NEXT(function, ...) \
	static void *(*next)(__VA_ARGS__); \
	if (!next) \
		*(void **)&next = dlsym(RTLD_NEXT, function)

void *
malloc(size_t n)
{
	NEXT("malloc", size_t);
	return fails(ALLOC) ? NULL : next(n);
}

void *
calloc(size_t n, size_t size)
{
	NEXT("calloc", size_t, size_t);
	return fails(ALLOC) ? NULL : next(n, size);
}

void *
realloc(void *p, size_t n)
{
	NEXT("realloc", void *, size_t);
	return fails(ALLOC) ? NULL : next(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	NEXT("reallocarray", void *, size_t, size_t);
	return fails(ALLOC) ? NULL : next(p, n, size);
}

void *
aligned_alloc(size_t alignment, size_t n)
{
	NEXT("aligned_alloc", size_t, size_t);
	return fails(ALLOC) ? NULL : next(alignment, n);
}

void *
mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return fails(ALLOC) ? MAP_FAILED :
	    (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *p)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	return fails(THREAD) ? EAGAIN : next(thread, attributes, run, p);
}
