/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/record.h"
#include "sketch/member/scalable.h"
#include "sketch/member/scalable_body.h"

bool
scalable_plan(struct scalable_plan *out, uint64_t capacity, double fpp, uint64_t items)
{
	struct scalable_plan plan = {0};
	double none = 1;                     /* no stage lets an absent item pass */

	if (!scalable_valid(capacity, fpp))
		return false;
	for (; items > 0; capacity = add_saturated(capacity, capacity)) {
		uint64_t here = items < capacity ? items : capacity;
		struct bloom_shape shape;

		fpp = fpp / 2 < BLOOM_STAGE_FPP_MIN ? BLOOM_STAGE_FPP_MIN : fpp / 2;
		if (!bloom_shape_for_stage(&shape, capacity, fpp))
			return false;
		plan.stages++;
		plan.bytes += STAGE_HEAD + record_padded(bloom_bytes(&shape));
		none *= 1 - bloom_expected_fpp(&shape, here);
		items -= here;
	}
	plan.fpp = 1 - none;
	*out = plan;
	return true;
}
