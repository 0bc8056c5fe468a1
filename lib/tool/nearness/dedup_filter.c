/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/num.h"
#include "sketch/nearness/nearbloom.h"
#include "tool/nearness/dedup.h"
#include "tool/nearness/dedup_body.h"
#include "tool/report.h"

static struct nearbloom *filter;
static uint64_t documents, passed;   /* that only it was asked about */

bool
dedup_filter_may(void)
{
	return shared.memory_given && !dedup.index && dedup.show == SHOW_LINES &&
	    dedup.keep == KEEP_FIRST;
}

uint64_t
dedup_filter_share(void)
{
	return shared.memory / 4;
}

enum status
dedup_filter_start(uint64_t kept)
{
	double likeness = dedup.program->likeness;
	char memory[NUM_REAL_SIZE];

	enum status st = nearbloom_new(&filter, likeness, dedup_filter_share());
	if (st != OK)
		return st;
	note("%s is full: after %llu %s new ones are compared by a filter only, which finds %.0f %% of "
	    "those with similarity %.2f", num_bytes(memory, shared.memory),
	    (unsigned long long)kept, documents_noun(&dedup.documents),
	    100 * nearbloom_finds(filter, likeness), likeness);
	return OK;
}

bool
dedup_filter_on(void)
{
	return filter != NULL;
}

bool
dedup_filter_meet(const struct features *features, const struct near_document *doc)
{
	bool seen = nearbloom_meet(filter, features->at, features->n, doc->content, doc->exact);

	documents++;
	passed += !seen;
	return seen;
}

void
dedup_filter_tell(void)
{
	double likeness = dedup.program->likeness, less = likeness > 0.4 ? likeness - 0.2 : likeness / 2;

	if (!filter)
		return;
	lament("%llu %s were compared by a filter only, and %llu passed: about %.2g lost by accident, "
	    "and of those with similarity %.2f to one before %.0f %%",
	    (unsigned long long)documents, documents_noun(&dedup.documents),
	    (unsigned long long)passed, nearbloom_lost(filter), less,
	    100 * nearbloom_finds(filter, less));
	nearbloom_free(filter);
	filter = NULL;
}
