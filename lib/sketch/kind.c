/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>

#include "sketch/kind.h"

/*
 * A sketch states its facts one by one; the number of them is our own
 * doing, so a full list is our own mistake.
 */
static struct fact *
next_fact(struct facts *facts, const char *name, enum fact_type type)
{
	assert(facts->n < FACTS_MAX);
	struct fact *fact = &facts->at[facts->n++];

	fact->name = name;
	fact->type = type;
	return fact;
}

void
fact_count(struct facts *facts, const char *name, uint64_t count)
{
	next_fact(facts, name, FACT_COUNT)->count = count;
}

void
fact_real(struct facts *facts, const char *name, double real)
{
	next_fact(facts, name, FACT_REAL)->real = real;
}

void
fact_text(struct facts *facts, const char *name, const char *text)
{
	next_fact(facts, name, FACT_TEXT)->text = text;
}

void
fact_flag(struct facts *facts, const char *name, bool flag)
{
	next_fact(facts, name, FACT_FLAG)->flag = flag;
}
