/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/keyed.h"
#include "tool/build.h"
#include "tool/opts.h"
#include "tool/report.h"
#include "tool/table.h"

static struct record head;           /* what all entries share */
static struct keyed_writer writer;   /* unless they are lines */
static struct buffer payload;        /* of one entry after the other */

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot write the keyed sketch");
}

void
table_begin(const struct record *identity, unsigned precision)
{
	struct hll *empty;

	head = (struct record){
		.hash = identity->hash, .seed = identity->seed,
		.item_type = identity->item_type, .transform = identity->transform,
		.join = identity->join,
	};
	must(hll_new(&empty, precision));
	must(hll_kind.save(empty, &head, &payload));
	hll_free(empty);
	if (!shared.armor)
		must(keyed_writer_begin(&writer, build_sink(), &head, (struct slice){NULL, 0}));
}

void
table_entry(struct slice key, uint64_t items, const struct hll_view *view)
{
	struct record entry = head;

	if (shared.armor && key.len >= READER_KEY_MAX)
		die_exit(EXIT_SYSTEM, "cannot write a line: its key has %zu bytes", key.len);
	entry.items = items;
	if (items == UINT64_MAX)
		entry.flags |= FLAG_SATURATED;
	payload.len = 0;
	must(hll_view_save(view, &entry, &payload));

	struct slice bytes = {payload.at, payload.len};
	if (shared.armor)
		must(keyed_line_write(build_sink(), key, &entry, bytes, shared.scan.end));
	else
		must(keyed_writer_add(&writer, key, &entry, bytes));
}

void
table_end(void)
{
	if (!shared.armor)
		must(keyed_writer_end(&writer));
	keyed_writer_free(&writer);
	buffer_free(&payload);
}
