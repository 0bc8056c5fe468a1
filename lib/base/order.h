/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Sort things by their bytes, a prefix first, when all one has is a number
 * that leads to the bytes: the keys of a table in its arena.
 */

/*
 * Bring n numbers into the order of their bytes, which bytes() finds. Linear in the bytes that
 * have to be looked at, as long as few things are equal. Takes 24 bytes a
 * number meanwhile.
 * OK, or STATUS_MEMORY (also for bytes of 4 GiB or more) and nothing moved.
 */
enum status order_refs(uint32_t *ref, size_t n,
    struct slice (*bytes)(const void *table, uint32_t ref), const void *table);

#endif
