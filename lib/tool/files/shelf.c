/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/order.h"
#include "tool/names.h"
#include "tool/report.h"
#include "tool/files/shelf.h"

struct shelf {
	struct names names;
	struct sketch *sketch;       /* that of name i */
	size_t room;
};

static _Noreturn void
no_memory(void)
{
	die(STATUS_MEMORY, "cannot hold one sketch per key");
}

struct shelf *
shelf_new(void)
{
	struct shelf *s = calloc(1, sizeof *s);

	if (!s)
		no_memory();
	return s;
}

void
shelf_free(struct shelf *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->names.n; i++)
		sketch_free(&s->sketch[i]);
	names_free(&s->names);
	free(s->sketch);
	free(s);
}

struct sketch *
shelf_at(struct shelf *s, struct slice key)
{
	size_t i = names_number(&s->names, key);

	if (i == s->room) {
		size_t room = s->room > 0 ? 2 * s->room : 64;
		struct sketch *more = reallocarray(s->sketch, room, sizeof *more);
		if (!more)
			no_memory();
		for (size_t k = s->room; k < room; k++)
			more[k] = (struct sketch){0};
		s->sketch = more;
		s->room = room;
	}
	return &s->sketch[i];
}

static struct slice
name_of(const void *shelf, uint32_t i)
{
	return ((const struct shelf *)shelf)->names.at[i];
}

void
shelf_each(struct shelf *s, void (*visit)(void *, struct slice, struct sketch *),
    void *context)
{
	uint32_t *ref = reallocarray(NULL, s->names.n + 1, sizeof *ref);

	if (!ref || s->names.n > UINT32_MAX)
		no_memory();
	for (size_t i = 0; i < s->names.n; i++)
		ref[i] = (uint32_t)i;
	if (order_refs(ref, s->names.n, name_of, s) != OK)
		no_memory();
	for (size_t i = 0; i < s->names.n; i++)
		visit(context, s->names.at[ref[i]], &s->sketch[ref[i]]);
	free(ref);
}
