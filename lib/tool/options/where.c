/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "tool/options/where.h"

enum num
where_parse(const char *text, struct where *w)
{
	size_t op = strspn(text, "<>=!");
	const char *number = text + op + strspn(text + op, " ");
	uint64_t n;
	enum num parsed = num_count(number, 0, UINT64_MAX, &n);

	if (parsed != NUM_OK)
		return op > 0 ? parsed : NUM_JUNK;
	const struct where nowhere = {.from = 1, .to = 0};
	if (op == 2 && memcmp(text, ">=", op) == 0)
		*w = (struct where){.from = n, .to = UINT64_MAX};
	else if (op == 1 && *text == '>')
		*w = n < UINT64_MAX ? (struct where){.from = n + 1, .to = UINT64_MAX} : nowhere;
	else if (op == 2 && memcmp(text, "<=", op) == 0)
		*w = (struct where){.from = 0, .to = n};
	else if (op == 1 && *text == '<')
		*w = n > 0 ? (struct where){.from = 0, .to = n - 1} : nowhere;
	else if ((op == 1 && *text == '=') || (op == 2 && memcmp(text, "==", op) == 0))
		*w = (struct where){.from = n, .to = n};
	else if (op == 2 && memcmp(text, "!=", op) == 0)
		*w = (struct where){.from = n, .to = n, .outside = true};
	else
		return NUM_JUNK;
	return NUM_OK;
}

bool
where_holds(const struct where *w, enum where_holds how, uint64_t low, uint64_t high)
{
	if (how == WHERE_LIKELY)
		low = high;
	bool none = w->from > w->to || high < w->from || low > w->to;
	bool every = w->from <= low && high <= w->to;

	if (w->outside)
		return how == WHERE_ALL ? !every : none;
	return how == WHERE_ALL ? !none : every;
}
