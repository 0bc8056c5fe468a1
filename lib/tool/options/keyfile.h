/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_KEYFILE_H
#define TOOL_KEYFILE_H

#include "base/siphash.h"

/* The key in the file that --key-file names. Whatever fails ends the program, and no
 * message says what is in the file. */
struct siphash_key keyfile_read(const char *path);

#endif
