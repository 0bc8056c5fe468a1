/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "tool/output.h"
#include "tool/report.h"

/* What is at least this long is worth a write of its own, and no copy. */
#define ENOUGH (OUTPUT_SIZE / 4)

static unsigned char buffer[OUTPUT_SIZE];
static size_t used;

static _Noreturn void
fail(void)
{
	die(STATUS_SYSTEM, "cannot write standard output");
}

#ifdef F_SETPIPE_SZ
/* A user has a quota of pipe memory: ask for less until it is granted. */
static void
enlarge_pipe(int fd)
{
	int now = fcntl(fd, F_GETPIPE_SZ);

	for (int want = (int)OUTPUT_SIZE; now > 0 && want > now; want /= 2)
		if (fcntl(fd, F_SETPIPE_SZ, want) != -1 || errno != EPERM)
			return;
}
#else
static void
enlarge_pipe(int fd)
{
	(void)fd;
}
#endif

void
output_start(void)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode))
		enlarge_pipe(STDOUT_FILENO);
}

/* All of it, whether the other side is slow, interrupted or non-blocking (a
 * program that shares the pipe may have made it so). */
static void
write_all(const unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(STDOUT_FILENO, p, n);
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		} else if (done == -1 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
		} else if (done == 0 || errno != EINTR) {
			if (done == 0)
				errno = EIO;
			fail();
		}
	}
}

void
output_flush(void)
{
	write_all(buffer, used);
	used = 0;
}

unsigned char *
output_room(size_t n)
{
	if (n > OUTPUT_SIZE)
		return NULL;
	if (n > OUTPUT_SIZE - used)
		output_flush();
	return buffer + used;
}

void
output_keep(size_t n)
{
	used += n;
}

void
output_bytes(const void *p, size_t n)
{
	if (n > OUTPUT_SIZE - used || n >= ENOUGH)
		output_flush();
	if (n >= ENOUGH) {
		write_all(p, n);
		return;
	}
	if (n > 0)
		memcpy(buffer + used, p, n);
	used += n;
}

void
output_text(const char *text)
{
	output_bytes(text, strlen(text));
}

void
output_byte(unsigned char c)
{
	*output_room(1) = c;
	used++;
}

void
output_count(uint64_t v)
{
	char text[NUM_WHOLE_SIZE];

	output_bytes(text, num_whole(text, v));
}

/* Rarely is a formatted text longer than the whole buffer; then it goes
 * through memory of its own. */
static void
format_long(const char *format, va_list arguments, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		die(STATUS_MEMORY, "cannot write standard output");
	vsnprintf(text, len + 1, format, arguments);
	output_bytes(text, len);
	free(text);
}

void
output_format(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf((char *)buffer + used, OUTPUT_SIZE - used, format, arguments);
	va_end(arguments);
	if (n < 0)
		fail();
	if ((size_t)n >= OUTPUT_SIZE - used) {
		va_start(arguments, format);
		format_long(format, arguments, (size_t)n);
		va_end(arguments);
		return;
	}
	used += (size_t)n;
}

bool
output_is_terminal(void)
{
	static int answer = -1;

	/* It is asked for every row. */
	if (answer < 0)
		answer = isatty(STDOUT_FILENO);
	return answer > 0;
}

void
output_refuse_terminal(void)
{
	if (output_is_terminal())
		die_usage("will not write a sketch to a terminal; use -o FILE or a pipe");
}

bool
output_is(const struct stat *file)
{
	struct stat out;

	return S_ISREG(file->st_mode) && fstat(STDOUT_FILENO, &out) == 0 &&
	    S_ISREG(out.st_mode) && out.st_dev == file->st_dev && out.st_ino == file->st_ino;
}

int
output_finish(int wanted)
{
	output_flush();
	/* Some file systems tell only now that the disk is full. After EINTR
	 * the descriptor is gone all the same. */
	if (close(STDOUT_FILENO) == -1 && errno != EINTR)
		fail();
	return report_exit(wanted);
}
