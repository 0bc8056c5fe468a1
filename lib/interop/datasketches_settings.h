/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_DATASKETCHES_SETTINGS_H
#define INTEROP_DATASKETCHES_SETTINGS_H

#include <stdbool.h>

#include "sketch/kind.h"

#define DATASKETCHES_SETTINGS_FORM "LGK"

/*
 * lgConfigK of a new sketch: the logarithm of its number of registers, 4 to 21;
 * 12 unless told otherwise, as in Spark and Druid. See struct system's settings().
 */
bool datasketches_settings(const char *text, struct record *, struct mismatch *why);

#endif
