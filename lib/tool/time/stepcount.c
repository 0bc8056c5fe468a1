/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/options/opts.h"
#include "tool/time/overtime.h"
#include "tool/time/stepcount.h"

static void *
new_count(void *context)
{
	const struct stepcount *s = context;

	return counter_empty(s->counter);
}

static void
add_to_count(void *context, void *body, const struct batch *b, size_t from, size_t n)
{
	const struct stepcount *s = context;

	counter_put(s->counter, body, b->hash + from, n);
}

static void
unite_counts(void *context, void *into, void *from)
{
	const struct stepcount *s = context;

	counter_merge(s->counter, into, from);
}

static void
free_count(void *context, void *body)
{
	const struct stepcount *s = context;

	s->counter->kind->free(body);
}

static void
count_row(void *context, const char *time, void *body)
{
	const struct stepcount *s = context;

	s->count(time, body);
}

static void *
new_group(void *context)
{
	const struct stepcount *s = context;

	return group_small(&s->counter->settings);
}

static void
add_to_group(void *context, void *group, const struct batch *b, size_t from, size_t n)
{
	(void)context;
	group_put(group, b, from, n);
}

static void
unite_groups(void *context, void *into, void *from)
{
	(void)context;
	group_unite(into, from);
}

static void
free_group(void *context, void *group)
{
	(void)context;
	group_free(group);
}

static void
group_row(void *context, const char *time, void *group)
{
	const struct stepcount *s = context;

	s->group(time, group);
}

void
stepcount_run(const struct stepcount *s, int argc, char *argv[])
{
	/* It is only read. */
	void *context = (void *)(uintptr_t)s;
	const struct pane_sketch counts = {
		context, new_count, add_to_count, unite_counts, free_count, count_row,
	}, groups = {
		context, new_group, add_to_group, unite_groups, free_group, group_row,
	};

	overtime_run(shared.scan.has_key ? &groups : &counts, opts_job(), argc, argv);
}
