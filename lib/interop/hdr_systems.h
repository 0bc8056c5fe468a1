/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef INTEROP_HDR_SYSTEMS_H
#define INTEROP_HDR_SYSTEMS_H

#include "interop/system.h"

/*
 * What the family of HdrHistogram reads and writes: logs of intervals, histograms
 * as text, one on each line, and tables of percentiles, which only go out.
 */
extern const struct system hlog_system;
extern const struct system hdr_base64_system;
extern const struct system hgrm_system;
extern const struct system hgrm_csv_system;

#endif
