/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_TABLE_H
#define INTEROP_HDR_TABLE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/unit.h"
#include "sketch/quantiles/hdr.h"

/*
 * A table of percentiles as HdrHistogram's programs write it and its plotters read
 * it (.hgrm), byte for byte: of each slot the greatest number, in five steps for
 * each half of what is left to 100 %. csv: the same rows with commas, and without
 * what stands below them. The numbers go out in this unit, those without one as
 * they are; hdr_units_can() says whether they can.
 *
 * It is what is told about a histogram: it cannot be read back. OK, STATUS_MEMORY.
 */
enum status hdr_table_write(const struct hdr *, enum unit, bool csv, struct buffer *);

#endif
