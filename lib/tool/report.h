/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/*
 * What a program says on standard error, and how it ends. One line per
 * message, "tool: cannot VERB 'THING': reason"; control bytes are shown as
 * '?', so that a hostile name cannot write to a terminal.
 */

/* Exit statuses, the same in all programs. */
enum exit_status {
	EXIT_YES = 0,
	EXIT_NO = 1,         /* the documented "no" of a program that answers a question */
	EXIT_USAGE = 2,
	EXIT_SYSTEM = 3,     /* reading, writing, memory or a lock failed */
	EXIT_SKETCH = 4,     /* a sketch is damaged, foreign or does not match */
	EXIT_BROKEN = 5,     /* with --strict: a promise was broken or a line rejected */
};

/* First call of every main: remembers the name, opens descriptors 0..2 that
 * are closed as ones that fail (so that no file of ours can become one of
 * them), ignores SIGXFSZ (a full quota is then an error, not a death), draws the
 * salt of tables. */
void tool_start(const char *name);
const char *tool_name(void);

/* Control bytes become '?', in place: what comes from outside must not write
 * to a terminal. */
void report_mask(char *text, size_t len);

/* The exit status that a failure leads to. */
enum exit_status status_exit(enum status);

/* "tool: MESSAGE: reason" and exit with the status's own exit status. */
_Noreturn void die(enum status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* From now on this is the reason that goes with the status, for a program that can
 * say more than status_text() does. The text stays the caller's. */
void report_reason(enum status, const char *text);

/* Run before die and die_usage end the program, which they do without
 * flushing anything: half an answer is none. A hook may not report. Up to
 * four hooks; one that is already there is not added again. */
void report_at_exit(void (*hook)(void));

/* "tool: MESSAGE" and exit with this status. */
_Noreturn void die_exit(enum exit_status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with status 2. */
_Noreturn void die_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* "tool: MESSAGE: reason", but go on: the run ends with at least this failure's status
 * (see report_exit). */
void complain(enum status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "tool: MESSAGE", and as if it had been a failure with this exit status. */
void complain_exit(enum exit_status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "tool: MESSAGE" without consequence. */
void note(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A promise was broken or a line rejected: note it; with --strict (see
 * report_strict) the run ends with 5 unless something worse happened. */
void lament(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void report_strict(bool on);

/* The status to end with: the wanted one, or what complain and lament made
 * of it: 3 and 4 beat 5, 5 beats 0 and 1; of 3 and 4 the first to happen. */
int report_exit(int wanted);

#endif
