/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TEMPORARY_H
#define TOOL_TEMPORARY_H

#include <stdbool.h>

/*
 * Files that must not outlive the process: while one is guarded, SIGINT,
 * SIGTERM and SIGHUP remove it before they kill, and so does die(). Signals
 * that the program ignores or handles itself are left alone. Threads need not
 * block anything. At most TEMPORARIES at a time, which one thread guards.
 */
#define TEMPORARIES 4

/* From now on; the number by which it is known. The path is borrowed until the
 * guard is lifted. */
unsigned temporary_guard(const char *path);

/*
 * Between these two the caller alone may rename or remove the file. A signal
 * that comes meanwhile waits for temporary_leave: if the file is gone (renamed
 * or removed), the guard is lifted, else it stays.
 */
void temporary_enter(unsigned);
void temporary_leave(unsigned, bool gone);

#endif
