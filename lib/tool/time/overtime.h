/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OVERTIME_H
#define TOOL_OVERTIME_H

#include "tool/lines/job.h"
#include "tool/time/panes.h"

/*
 * What --window, --every and --tumble ask of a program whose rows belong to
 * OPTS_STEPS: lines into panes (tool/time/panes.h), by the time in their fields or by
 * the system's clock, and rows while there is input, each of them out before the
 * program waits for more.
 */

/* Was one of the three given? */
bool overtime_wanted(void);

/* Run a job over the operands, none meaning standard input: opts_job's, with what
 * the program asks of the scanner. The last row is printed, and what --stats and
 * the clock have to say is said. Ends the program on failure. */
void overtime_run(const struct pane_sketch *, struct job, int argc, char *argv[]);

#endif
