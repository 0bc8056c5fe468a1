/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/pages.h"
#include "sketch/nearness/nearindex_file.h"
#include "tool/nearness/dedup_body.h"
#include "tool/report.h"
#include "tool/files/statefile.h"

static const struct statefile_names names = {"--index", "index"};

static struct nearindex *index_at_hand;
static uint64_t items;               /* of all runs before this one */

static struct record
identity(void)
{
	struct record head = opts_identity();

	head.transform |= (uint8_t)dedup.documents.norm;
	return head;
}

static void
fits(const struct record *head)
{
	struct near_rule theirs = near_rule_of(head);
	struct mismatch why;

	if (near_rule_compare(&theirs, nearindex_rule(index_at_hand), &why) != OK)
		statefile_differs("%s", why.text);
}

static enum status
take(const struct record *head, struct slice payload)
{
	enum status st = nearindex_load(index_at_hand, head, payload.at);

	pages_drop((void *)(uintptr_t)payload.at, payload.len);
	return st;
}

void
dedup_index_open(struct nearindex *index)
{
	struct record mine = identity();

	index_at_hand = index;
	nearindex_saves(index);
	if (dedup.read_only)
		statefile_open_to_read(dedup.index, &names);
	else
		statefile_open(dedup.index, &names);
	mine.kind = nearindex_row(index)->kind;
	items = statefile_load(&mine, fits, take);
}

static enum status
write_index(const void *index, struct sink to)
{
	return nearindex_write(index, to);
}

static struct statefile_part
part_of(const void *context, size_t i)
{
	(void)i;
	return *(const struct statefile_part *)context;
}

void
dedup_index_save(struct nearindex *index, uint64_t more)
{
	struct statefile_part part = {.head = identity(), .write = write_index, .body = index};

	if (dedup.read_only)
		return;
	part.head.items = add_saturated(items, more);
	enum status st = nearindex_head(index, &part.head);
	if (st != OK)
		die(st, "cannot write '%s'", dedup.index);
	statefile_save(part_of, &part, 1);
}
