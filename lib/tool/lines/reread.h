/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_REREAD_H
#define TOOL_REREAD_H

/*
 * Inputs that are read twice: regular files, standard input if it is one. A
 * name that cannot be opened is complained about once, and is left out.
 */

/* Look at the operands (none: standard input), which end the program with
 * status 2 if one of them can be read only once. Those that are left are put
 * into *operands, in memory of their own, and counted; 0: there is nothing to
 * read. Standard input is read from its present offset both times. */
int reread_begin(int count, char **operands, const char *option, char ***left);

/* Before the second time. */
void reread_again(void);

#endif
