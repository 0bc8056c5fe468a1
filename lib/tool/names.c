/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/salt.h"
#include "tool/names.h"
#include "tool/report.h"

#define ROOM_FIRST 16

static _Noreturn void
no_memory(void)
{
	die(STATUS_MEMORY, "cannot keep a name");
}

/* Where this name is, or would be put: open addressing, never more than half
 * full. A name has its number by when it came, so the salt does not show. */
static uint32_t *
slot_of(const struct names *names, struct slice name)
{
	size_t mask = 2 * names->room - 1;
	size_t i = (size_t)salt_hash(name.at, name.len) & mask;

	while (names->slot[i] != 0 && !slice_equal(names->at[names->slot[i] - 1], name))
		i = (i + 1) & mask;
	return &names->slot[i];
}

static void
grow(struct names *names)
{
	size_t room = names->room > 0 ? 2 * names->room : ROOM_FIRST;
	struct slice *at = realloc(names->at, room * sizeof *at);

	if (!at)
		no_memory();
	names->at = at;
	names->room = room;
	free(names->slot);
	names->slot = calloc(2 * room, sizeof *names->slot);
	if (!names->slot)
		no_memory();
	for (size_t i = 0; i < names->n; i++)
		*slot_of(names, at[i]) = (uint32_t)i + 1;
}

size_t
names_number(struct names *names, struct slice name)
{
	/* A number must fit its slot. */
	if (names->n == names->room && names->n < UINT32_MAX / 2)
		grow(names);
	uint32_t *slot = slot_of(names, name);
	if (*slot != 0)
		return *slot - 1;

	unsigned char *copy = malloc(name.len > 0 ? name.len : 1);
	if (!copy || names->n == names->room)
		no_memory();
	if (name.len > 0)
		memcpy(copy, name.at, name.len);
	names->at[names->n] = (struct slice){copy, name.len};
	*slot = (uint32_t)++names->n;
	return names->n - 1;
}

bool
names_has(const struct names *names, struct slice name)
{
	return names->n > 0 && *slot_of(names, name) != 0;
}

void
names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((void *)(uintptr_t)names->at[i].at);
	free(names->at);
	free(names->slot);
	*names = (struct names){0};
}
