/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TEMPORARY_H
#define TOOL_TEMPORARY_H

#include <stdbool.h>

/*
 * A file that must not outlive the process: while it is guarded, SIGINT,
 * SIGTERM and SIGHUP remove it before they kill, and so does die(). Signals
 * that the program ignores or handles itself are left alone. Threads need not
 * block anything. One file at a time.
 */

/* From now on. The path is borrowed until the guard is lifted. */
void temporary_guard(const char *path);
bool temporary_guarded(void);

/*
 * Between these two the caller alone may rename or remove the file. A signal
 * that comes meanwhile waits for temporary_leave: if the file is gone (renamed
 * or removed), the guard is lifted, else it stays.
 */
void temporary_enter(void);
void temporary_leave(bool gone);

#endif
