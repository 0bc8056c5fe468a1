/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/pages.h"
#include "tool/options/opts.h"
#include "tool/files/state.h"
#include "tool/files/statefile.h"

#define PIECE ((size_t)1 << 20)

static const struct statefile_names names = {"--state", "state"};

static struct {
	uint64_t items;              /* of all runs before this one */
	struct seen *(*empty_set)(const struct record *head);
} state;

void
state_open(const char *path)
{
	statefile_open(path, &names);
}

_Noreturn void
state_differs(const char *what, const char *in_file, const char *now)
{
	statefile_differs("%s %s and %s", what, in_file, now);
}

/* What has been taken over is dropped from memory: the file may be as large as
 * the set may become. */
static enum status
take(const struct record *head, struct slice payload)
{
	struct seen_loader loader;

	enum status st = seen_load_start(&loader, state.empty_set(head), head, payload.at);
	for (size_t at = 0; at < payload.len && st == OK; at += PIECE) {
		size_t n = payload.len - at < PIECE ? payload.len - at : PIECE;
		st = seen_load_some(&loader, payload.at + at, n);
		pages_drop((void *)(uintptr_t)(payload.at + at), n);
	}
	return st == OK ? seen_load_end(&loader) : st;
}

static void
fits(const struct record *head)
{
	(void)head;
}

void
state_load(struct seen *(*empty_set)(const struct record *head))
{
	struct record mine = opts_identity();

	mine.kind = KIND_SEEN;
	state.empty_set = empty_set;
	state.items = statefile_load(&mine, fits, take);
}

/* What is to be saved. */
struct parts {
	const struct state_part *at;
	uint64_t items;
};

static enum status
write_set(const void *seen, struct sink to)
{
	return seen_write(seen, to);
}

/* Items are the file's, not a pane's: they stand in the first record. */
static struct statefile_part
part_of(const void *context, size_t i)
{
	const struct parts *parts = context;
	const struct state_part *from = &parts->at[i];
	struct statefile_part part = {.head = opts_identity(), .write = write_set, .body = from->seen};

	part.head.items = i == 0 ? add_saturated(state.items, parts->items) : 0;
	seen_head(from->seen, from->use, &part.head);
	return part;
}

void
state_save_now(const struct state_part *part, size_t n, uint64_t items)
{
	statefile_save_now(part_of, &(struct parts){part, items}, n);
}

void
state_save(const struct state_part *part, size_t n, uint64_t items)
{
	statefile_save(part_of, &(struct parts){part, items}, n);
}
