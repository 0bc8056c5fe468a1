/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_PARQUET_BLOOM_H
#define INTEROP_PARQUET_BLOOM_H

#include "interop/system.h"

/*
 * Apache Parquet's split block Bloom filter as it stands in a Parquet file:
 * its header and the bitset behind it, of one column in one row group. What
 * they do not tell, the fpp that was wanted, is taken as 50 %, and the capacity
 * as what keeps that: whoever made the filter may have wanted less, but not more.
 */
extern const struct system parquet_system;

#endif
