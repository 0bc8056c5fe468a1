/* sketchutils: BSD-2-Clause, see LICENSE */
#include <unistd.h>

#include "tool/files/build.h"
#include "tool/options/opts.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/table.h"
#include "tool/files/tablefile.h"

/* A file under way: the last key it had, if any. */
struct update {
	const struct tablefile *table;
	struct buffer last;
	bool begun;
};

static void
must_match(const struct tablefile *t, const char *name, const struct record *head)
{
	struct mismatch why;

	if (record_compare(head, &t->head, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
}

static void
must_ascend(struct update *u, const char *name, struct slice key)
{
	if (u->begun && slice_compare((struct slice){u->last.at, u->last.len}, key) >= 0)
		die_exit(EXIT_SKETCH, "cannot update '%s': its keys do not ascend; sketch-merge sorts them",
		    name);
	u->begun = true;
	u->last.len = 0;
	if (buffer_append(&u->last, key.at, key.len) != OK)
		die(STATUS_MEMORY, "cannot update '%s'", name);
}

/* Old = it and ours of the same key. */
static void
unite(const struct tablefile *t, const char *name, struct sketch *old)
{
	struct sketch mine;
	struct mismatch why;

	t->take(t->context, &mine);
	enum status st = sketch_merge(old, &mine, &why);
	if (st == STATUS_MISMATCH || st == STATUS_FULL)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", name, why.text);
	if (st != OK)
		die(st, "cannot update '%s'", name);
	sketch_free(&mine);
}

static void
old_head(void *context, const char *name, const struct record *head)
{
	const struct update *u = context;

	must_match(u->table, name, head);
}

static void
old_entry(void *context, const char *name, struct sketch *old, const struct slice *key)
{
	struct update *u = context;
	const struct tablefile *t = u->table;
	struct slice mine;
	int order = 1;

	if (!key)
		die_exit(EXIT_SKETCH, "cannot update '%s': it is not keyed", name);
	must_match(t, name, &old->head);
	must_ascend(u, name, *key);
	while (t->peek(t->context, &mine) && (order = slice_compare(mine, *key)) < 0)
		t->write(t->context);
	if (order == 0)
		unite(t, name, old);
	if (t->old)
		t->old(t->context, *key, old);
	table_sketch(*key, old);
}

void
tablefile_write(const struct tablefile *t)
{
	struct update update = {.table = t};
	struct slice key;

	build_open();
	int fd = shared.update ? build_old() : -1;
	if (!build_shards(fd, t->only))
		return;
	table_begin(&t->head);
	if (fd >= 0) {
		struct records records = {
			.only = t->only, .end = shared.scan.end, .context = &update,
			.sketch = old_entry, .keyed = old_head, .shards = build_same_shards,
		};
		records_from(&records, fd, shared.update);
		close(fd);
	}
	while (t->peek(t->context, &key))
		t->write(t->context);
	table_end();
	build_close();
	buffer_free(&update.last);
}
