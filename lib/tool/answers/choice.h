/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_CHOICE_H
#define TOOL_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/lines/parallel.h"

/*
 * Lines that a program chooses as grep does: those that have something, or with
 * -v those that have not; -c counts them for each input, -q is content with one,
 * and -m ends an input after so many.
 */
extern struct choice {
	bool invert, count, quiet;
	uint64_t max;                /* per input; UINT64_MAX: not limited */
} choice;

/* Is it one of -v -c -q -m? Then it is taken. */
bool choice_option(int c);

/* The first of them that was given, "-c", for messages; NULL if none was. */
const char *choice_given(void);

/*
 * Of n lines those in wanted, have in number, have it. Let wanted be those that
 * are chosen, none beyond the limit, and count them. Returns how many; the
 * verdict is STOP once the limit is reached. With -q one line ends the program.
 */
size_t choice_take(unsigned worker, bool *wanted, size_t n, size_t have, enum verdict *);

/* The same for lines that are chosen elsewhere: how many more this worker may
 * choose, and that it chose so many of them. */
uint64_t choice_left(unsigned worker);
enum verdict choice_add(unsigned worker, uint64_t n);

/* Run the job over all inputs, so that counts and limits are each input's own;
 * rows: print the counts, with names if there are several inputs. */
struct intake choice_run(struct job *, bool rows, int argc, char *const *argv);

/* After a job that stops: leave out the inputs that are left. */
void choice_over(void);

/* Lines chosen so far, in all inputs that are through. */
uint64_t choice_total(void);

#endif
