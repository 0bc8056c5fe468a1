/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_DATASKETCHES_HLL_H
#define INTEROP_DATASKETCHES_HLL_H

#include "interop/system.h"

/*
 * The HLL sketch of Apache DataSketches, as its libraries in C++ and Java, Spark,
 * Druid and the extensions for PostgreSQL and BigQuery keep it: HLL_4, HLL_6 and
 * HLL_8, compact or updatable. What is written is compact and HLL_8, which is
 * what Spark makes, and all of them read.
 */
extern const struct system datasketches_system;

#endif
