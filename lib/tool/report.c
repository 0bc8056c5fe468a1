/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/salt.h"
#include "tool/report.h"

static const char *program = "sketchutils";

/* Workers report too; one lock keeps lines whole and the state consistent. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Taken by the first thread that dies and never given back: a second one
 * waits here for the end instead of printing a second last word. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

static enum exit_status first_failure;    /* of complain; EXIT_YES if none */
static bool broken, strict;
static void (*hooks[4])(void);

/*
 * A program started with descriptor 0, 1 or 2 closed would get the next file
 * it opens there, and print its answer into its own sketch. What we put there
 * instead fails when it is used: a null device opened the wrong way round.
 */
static void
occupy(int fd)
{
	if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
		return;
	int got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	if (got == -1)
		got = open("/", O_RDONLY);
	if (got != fd)
		_exit(EXIT_SYSTEM);
}

void
tool_start(const char *name)
{
	program = name;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		occupy(fd);
	signal(SIGXFSZ, SIG_IGN);
	salt_draw();
}

const char *
tool_name(void)
{
	return program;
}

enum exit_status
status_exit(enum status st)
{
	switch (st) {
	case OK:
	case STATUS_END:
		return EXIT_YES;
	case STATUS_MEMORY:
	case STATUS_SYSTEM:
	case STATUS_BUSY:
	case STATUS_FULL:
	case STATUS_NOT_SKETCH:
	case STATUS_NOT_GZIP:
	case STATUS_NOT_ZSTD:
	case STATUS_NOT_XZ:
	case STATUS_NOT_BZIP2:
		return EXIT_SYSTEM;
	case STATUS_EMPTY:
	case STATUS_FOREIGN:
	case STATUS_TRUNCATED:
	case STATUS_HEADER:
	case STATUS_PAYLOAD:
	case STATUS_PADDING:
	case STATUS_ARMOR:
	case STATUS_DIGITS:
	case STATUS_GZIP:
	case STATUS_NO_ZLIB:
	case STATUS_UNSUPPORTED:
	case STATUS_PARAMETER:
	case STATUS_SIZE:
	case STATUS_INVARIANT:
	case STATUS_MISMATCH:
		return EXIT_SKETCH;
	}
	return EXIT_SYSTEM;
}

/* Control bytes become '?', and so do the two bytes of U+0080..U+009F, which
 * a UTF-8 terminal obeys as well. */
void
report_mask(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < 0x20 || c == 0x7f)
			text[i] = '?';
		if (c == 0xc2 && i + 1 < len && ((unsigned char)text[i + 1] & 0xe0) == 0x80)
			text[i] = text[i + 1] = '?';
	}
}

/* Standard error is the last resort: if it fails, there is nobody to tell. */
static void
write_error(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, text, len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

/* One line in one write, so that those of several processes do not mix. A
 * message too long for it is cut, never its reason. */
static void
say(const char *reason, const char *format, va_list arguments)
{
	char line[8192];
	size_t end = sizeof line - 1 - (reason ? strlen(reason) + 2 : 0);

	int head = snprintf(line, end, "%s: ", program);
	size_t len = head > 0 && (size_t)head < end ? (size_t)head : 0;
	int body = vsnprintf(line + len, end - len, format, arguments);
	if (body > 0 && (size_t)body >= end - len) {
		len = end - 1;
		memcpy(line + len - 3, "...", 3);
	} else if (body > 0) {
		len += (size_t)body;
	}
	if (reason)
		len += (size_t)snprintf(line + len, sizeof line - len, ": %s", reason);
	report_mask(line, len);
	line[len++] = '\n';
	write_error(line, len);
}

void
report_at_exit(void (*hook)(void))
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
		if (!hooks[i])
			hooks[i] = hook;
		if (hooks[i] == hook) {
			hook = NULL;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	assert(!hook);
}

/* Not exit(): other threads may still run, and what is buffered is dropped. */
static _Noreturn void
end_with(enum exit_status status)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks && hooks[i]; i++)
		hooks[i]();
	_exit((int)status);
}

/* The first thread to come here speaks; the others wait for the end. */
static _Noreturn void
die_saying(enum exit_status status, const char *reason, const char *format, va_list arguments)
{
	pthread_mutex_lock(&ending);
	pthread_mutex_lock(&lock);
	say(reason, format, arguments);
	pthread_mutex_unlock(&lock);
	end_with(status);
}

static enum status explained;        /* OK: none */
static const char *explanation;

void
report_reason(enum status st, const char *text)
{
	explained = st;
	explanation = text;
}

static const char *
reason_of(enum status st)
{
	return explained != OK && st == explained ? explanation : status_text(st);
}

void
die(enum status st, const char *format, ...)
{
	const char *reason = reason_of(st);
	va_list arguments;

	assert(status_exit(st) != EXIT_YES);
	va_start(arguments, format);
	die_saying(status_exit(st), reason, format, arguments);
}

void
die_exit(enum exit_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	die_saying(status, NULL, format, arguments);
}

void
die_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	die_saying(EXIT_USAGE, NULL, format, arguments);
}

void
complain(enum status st, const char *format, ...)
{
	const char *reason = reason_of(st);
	va_list arguments;

	assert(status_exit(st) != EXIT_YES);
	pthread_mutex_lock(&lock);
	if (first_failure == EXIT_YES)
		first_failure = status_exit(st);
	va_start(arguments, format);
	say(reason, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&lock);
}

void
complain_exit(enum exit_status status, const char *format, ...)
{
	va_list arguments;

	assert(status != EXIT_YES);
	pthread_mutex_lock(&lock);
	if (first_failure == EXIT_YES)
		first_failure = status;
	va_start(arguments, format);
	say(NULL, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&lock);
}

void
note(const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&lock);
	va_start(arguments, format);
	say(NULL, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&lock);
}

void
lament(const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&lock);
	broken = true;
	va_start(arguments, format);
	say(NULL, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&lock);
}

void
report_strict(bool on)
{
	pthread_mutex_lock(&lock);
	strict = on;
	pthread_mutex_unlock(&lock);
}

int
report_exit(int wanted)
{
	pthread_mutex_lock(&lock);
	int status = wanted;
	if (first_failure != EXIT_YES)
		status = (int)first_failure;
	else if (broken && strict && (wanted == EXIT_YES || wanted == EXIT_NO))
		status = EXIT_BROKEN;
	pthread_mutex_unlock(&lock);
	return status;
}
