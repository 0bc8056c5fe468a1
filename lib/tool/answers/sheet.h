/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SHEET_H
#define TOOL_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "sketch/kind.h"

/*
 * What there is to say about one thing: a paragraph of "name: value" lines for
 * people, or with --json one flat object with the same names. An empty line
 * stands between two paragraphs. Real numbers have six digits for people and
 * all that it takes in JSON. Failures end the program.
 *
 *	sheet_begin();
 *	sheet_count("items", 100);
 *	sheet_end();
 */
void sheet_begin(void);
void sheet_end(void);

void sheet_count(const char *name, uint64_t);
/* A number of bytes: people get it in KiB and so on as well. */
void sheet_size(const char *name, uint64_t);
void sheet_real(const char *name, double);
void sheet_flag(const char *name, bool);
/* Any bytes; for people, control bytes are shown as '?'. */
void sheet_text(const char *name, struct slice);
void sheet_facts(const struct facts *);

#endif
