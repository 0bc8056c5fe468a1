/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_REDIS_HLL_H
#define INTEROP_REDIS_HLL_H

#include "interop/system.h"

/*
 * A HyperLogLog of Redis as GET gives it and SET takes it, dense or sparse, with
 * or without the newline that redis-cli prints behind a value. What is written
 * is the form that Redis itself makes, with its cached count marked as stale.
 * Valkey, KeyDB and others have the same.
 */
extern const struct system redis_system;

#endif
