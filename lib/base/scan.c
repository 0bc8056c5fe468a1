/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/scan.h"

size_t scan_split_plain(const struct scan *, struct slice, struct slice *, size_t,
    struct buffer *);

scan_function *
scan_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
		return scan_batch_v3;
#endif
	return scan_batch_base;
}

size_t
scan_split(const struct scan *s, struct slice line, struct slice *names, size_t max,
    struct buffer *scratch)
{
	return scan_split_plain(s, line, names, max, scratch);
}
