/* sketchutils: BSD-2-Clause, see LICENSE */
#include <float.h>

#include "sketch/frequency/cms_size.h"

#define E 2.718281828459045

uint64_t
cms_width_for(double epsilon)
{
	double width = E / epsilon;

	if (!(width <= (double)CMS_WIDTH_MAX))
		return CMS_WIDTH_MAX + 1;
	uint64_t whole = (uint64_t)width;
	return whole + ((double)whole < width);
}

/* By divisions, which are the same everywhere; a libm's logarithm is not. */
unsigned
cms_depth_for(double delta)
{
	unsigned depth = 0;

	for (double p = 1; p > delta && depth <= CMS_DEPTH_MAX; p /= E)
		depth++;
	return depth;
}

double
cms_delta_for(double confidence)
{
	return (double)(uint64_t)((1 - confidence) * 1e12 + 0.5) / 1e12;
}

double
cms_epsilon_of(uint64_t width)
{
	double epsilon = E / (double)width;

	while (cms_width_for(epsilon) > width)
		epsilon += epsilon * DBL_EPSILON;
	return epsilon;
}

double
cms_delta_of(unsigned depth)
{
	double p = 1;

	for (unsigned i = 0; i < depth; i++)
		p /= E;
	return p;
}

bool
cms_in_range(uint64_t width, uint64_t depth, double epsilon, double delta,
    uint64_t candidates)
{
	return width >= 1 && width <= CMS_WIDTH_MAX && depth >= 1 &&
	    depth <= CMS_DEPTH_MAX && epsilon > 0 && epsilon < 3 && delta > 0 &&
	    delta < 1 && cms_width_for(epsilon) <= width &&
	    cms_depth_for(delta) <= depth && candidates <= CMS_CANDIDATES_MAX;
}
