/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

#include <stdbool.h>

/*
 * SIGINT, SIGTERM and SIGHUP as an early end of the input, for a program that
 * has something to save: what was read is worked off, main writes and saves as
 * it always does at the end, and then the process dies by the signal, so that
 * a shell sees why. A second signal does what the first would have done without
 * us. Signals that are ignored stay so.
 */

/* From now on; after save_open, whose own care for its temporary comes back
 * with the second signal. If the system refuses, signals just kill. */
void interrupt_catch(void);

/* Has one come? */
bool interrupted(void);

/*
 * Wait for bytes in this descriptor, or for its end, but no longer than so
 * many milliseconds (-1: forever). If nothing is caught and there is no limit
 * it does not wait, and says WAITED_INPUT: a read waits as well.
 */
enum waited { WAITED_INPUT, WAITED_LONG, WAITED_INTERRUPTED };
enum waited interrupt_wait(int fd, int most);

/* Die if one has come. The last thing main does. */
void interrupt_die(void);

#endif
