/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_DCSO_BLOOM_H
#define INTEROP_DCSO_BLOOM_H

#include "interop/system.h"

/*
 * The files of DCSO's bloom, version 1, which hashlookup's poppy, fleur and
 * flor read as well; plain, or as its --gzip wraps them. The free text that it
 * can attach to a filter is left out.
 */
extern const struct system dcso_system;

#endif
