/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_POSTGRES_HLL_H
#define INTEROP_POSTGRES_HLL_H

#include "interop/system.h"

/*
 * A value of the type hll of PostgreSQL's extension hll, in the binary form of
 * storage specification 1.0.0: what hll_send() gives, and what the digits of its
 * text stand for. UNDEFINED, which has no cardinality, is refused.
 */
extern const struct system postgres_system;

#endif
