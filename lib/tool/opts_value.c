/* sketchutils: BSD-2-Clause, see LICENSE */
#include <getopt.h>

#include "base/num.h"
#include "tool/opts.h"
#include "tool/report.h"

uint64_t
opts_count(uint64_t low, uint64_t high)
{
	uint64_t v;

	switch (num_count(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a whole number", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %llu..%llu", opts_typed(), optarg,
		    (unsigned long long)low, (unsigned long long)high);
	}
}

uint64_t
opts_size(uint64_t low, uint64_t high)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t v;

	switch (num_size(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a size such as 64M", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_bytes(text[0], low), num_bytes(text[1], high));
	}
}

uint64_t
opts_duration(uint64_t low, uint64_t high)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t v;

	switch (num_duration(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a duration such as 90s, 5m, 12h or 7d", opts_typed(),
		    optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_span(text[0], low), num_span(text[1], high));
	}
}

double
opts_share(double low, double high)
{
	char text[2][NUM_REAL_SIZE];
	double v;

	switch (num_share(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a number such as 0.01 or 1%%", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_real(text[0], low), num_real(text[1], high));
	}
}
