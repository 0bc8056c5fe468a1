/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_REVISE_H
#define TOOL_REVISE_H

#include "sketch/kinds.h"
#include "sketch/member/member.h"

/*
 * One filter that a program changes, line by line: its file is locked as long
 * as the program runs, read as a whole, and replaced at the end, as --update
 * does it. What fails ends the program, and the file stays as it was. SIGINT,
 * SIGTERM and SIGHUP end the input early (tool/lines/interrupt.h); main ends with
 * interrupt_die().
 *
 *	struct revision r;
 *
 *	revise_begin(&r, path, "add to", fits);
 *	... r.member->add(r.sketch.body, ...) ...
 *	... standard output is written ...
 *	revise_save(&r);        or revise_abandon(&r), if nothing changed
 */
struct revision {
	const char *name;
	struct sketch sketch;        /* head.items is for the program to keep */
	const struct member *member;
};

/* A regular file with one filter that has no key. Before the lock is waited
 * for, and again once it is held, fits() may end the program because of what
 * is in there. Items are made as in it from now on (opts_adopt). verb is for
 * messages: "cannot VERB 'NAME'". */
void revise_begin(struct revision *, const char *path, const char *verb,
    void (*fits)(const char *name, const struct record *head));

/* Each releases the lock and the sketch. */
void revise_save(struct revision *);
void revise_abandon(struct revision *);

#endif
