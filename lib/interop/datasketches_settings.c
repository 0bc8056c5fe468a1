/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "interop/datasketches_settings.h"
#include "sketch/distinct/hll_datasketches.h"

bool
datasketches_settings(const char *text, struct record *head, struct mismatch *why)
{
	unsigned lgk = 0;
	size_t n = strspn(text, "0123456789");

	for (size_t i = 0; i < n && i < 3; i++)
		lgk = 10 * lgk + (unsigned)(text[i] - '0');
	if (*text == '\0')
		lgk = HLL_DATASKETCHES_LGK_DEFAULT;
	if (text[n] != '\0' || n > 2 || lgk < HLL_DATASKETCHES_LGK_MIN ||
	    lgk > HLL_DATASKETCHES_LGK_MAX) {
		snprintf(why->text, sizeof why->text, "LGK '%.24s' is not in %d..%d", text,
		    HLL_DATASKETCHES_LGK_MIN, HLL_DATASKETCHES_LGK_MAX);
		return false;
	}
	head->param[HLL_DATASKETCHES_LGK] = lgk;
	return true;
}
