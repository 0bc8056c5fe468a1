/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Numbers as people type them, and as programs print them. Nothing here
 * follows the locale. Trailing junk, a blank, a sign, hexadecimal, NaN and
 * infinity are never accepted; an empty text is junk.
 */
enum num {
	NUM_OK,
	NUM_JUNK,            /* not a number of this form */
	NUM_RANGE,           /* a number, but not in lo..hi (or it overflows) */
};

/* A count: decimal digits, or a decimal fraction or exponent that comes out
 * whole ("1e9", "2.5M"), then at most one of k K M G T P = powers of 1000. */
enum num num_count(const char *text, uint64_t lo, uint64_t hi, uint64_t *out);

/* A size in bytes as coreutils write it: K M G T P = powers of 1024 (also
 * KiB ...), KB MB ... = powers of 1000, B = bytes; a plain number is bytes. */
enum num num_size(const char *text, uint64_t lo, uint64_t hi, uint64_t *out);

/* A share such as 0.01, 1%, 1e-4. '%' takes two from the text's exponent
 * before the one conversion to double, so 1% and 0.01 are the same number. */
enum num num_share(const char *text, double lo, double hi, double *out);

/* A duration in microseconds: a decimal and its unit ms, s, m, h or d, whole
 * milliseconds in all ("90s", "1.5h", "250ms"). A number without a unit could
 * be seconds or minutes, and is junk. */
enum num num_duration(const char *text, uint64_t lo, uint64_t hi, uint64_t *out);

/* A field's bytes as a whole decimal number 0..2^63-1: digits only. */
bool num_field(struct slice, uint64_t *out);

#define NUM_REAL_SIZE 40

/* A whole number in decimal; how many digits. */
#define NUM_WHOLE_SIZE 21
size_t num_whole(char out[NUM_WHOLE_SIZE], uint64_t v);

/* The shortest decimal that reads back as the same double: "0.01", "1e-09". */
const char *num_real(char out[NUM_REAL_SIZE], double);

/* Microseconds, whole milliseconds, in the largest unit that shows them
 * exactly, as num_duration reads it: "90s", "7d", "0ms". */
const char *num_span(char out[NUM_REAL_SIZE], uint64_t);

/* Bytes for a person: "95 B", "12.0 KiB", "1.1 GiB". */
const char *num_bytes(char out[NUM_REAL_SIZE], uint64_t);

#endif
