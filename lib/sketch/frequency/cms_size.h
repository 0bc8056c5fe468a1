/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_CMS_SIZE_H
#define SKETCH_CMS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The size of a Count-Min sketch, from the bound wanted, and back. */

#define CMS_WIDTH_MAX (UINT64_C(1) << 40)
#define CMS_DEPTH_MAX 64
#define CMS_CANDIDATES_MAX 65536

/* ceil(e / epsilon) and ceil(ln(1 / delta)), or one more than the largest
 * valid: 0.001 and 0.01 make 2,719 x 5. epsilon > 0, 0 < delta < 1. */
uint64_t cms_width_for(double epsilon);
unsigned cms_depth_for(double delta);

/* The delta of a confidence: of 0.99 it is 0.01, where 1 - 0.99 in binary is a
 * little more. A multiple of 1e-12. */
double cms_delta_for(double confidence);

/* The least epsilon and delta that come out at most this wide and deep, up to
 * rounding: e / width and e^-depth. */
double cms_epsilon_of(uint64_t width);
double cms_delta_of(unsigned depth);

/* May a sketch have these parameters? In range, and epsilon and delta no
 * better than the geometry keeps. */
bool cms_in_range(uint64_t width, uint64_t depth, double epsilon, double delta,
    uint64_t candidates);

#endif
