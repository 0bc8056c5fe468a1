/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/bytes.h"

/*
 * Standard output, checked to the last byte. Gathered in one buffer of 256
 * KiB; a write that fails ends the program with one line and status 3, and
 * EPIPE (SIGPIPE ignored by a parent) ends it the same way at once.
 * One thread at a time.
 */

#define OUTPUT_SIZE ((size_t)256 << 10)

/* Before the first byte: enlarge a pipe to 256 KiB where the system allows. */
void output_start(void);

void output_bytes(const void *, size_t);
void output_text(const char *);
void output_byte(unsigned char);
void output_count(uint64_t);
/* As printf; for what is not printed a million times. */
void output_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void output_flush(void);

/* For filters, which copy every line and keep it only if it passes: where
 * the next bytes go, with room for n of them (NULL if n > OUTPUT_SIZE), and
 * then how many of them to keep. */
unsigned char *output_room(size_t n);
void output_keep(size_t n);

/* Is it a terminal? A sketch is never written to one: status 2. */
bool output_is_terminal(void);
void output_refuse_terminal(void);

/* Is this file standard output (a regular file opened as both)? */
bool output_is(const struct stat *);

/* Flush, close and check; the exit status for main to return, which is
 * report_exit(wanted), or 3 if the flush or close fails. */
int output_finish(int wanted);

#endif
