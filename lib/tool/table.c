/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/keyed.h"
#include "tool/build.h"
#include "tool/opts.h"
#include "tool/report.h"
#include "tool/table.h"

static struct record shared_head;    /* of an empty sketch: what all entries share */
static struct keyed_writer writer;   /* unless they are lines */
static struct buffer copy;           /* the payload of one entry after the other */

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot write the keyed sketch");
}

void
table_begin(const struct record *head)
{
	shared_head = *head;
	shared_head.flags &= FLAG_AUTO;
	if (!shared.armor)
		must(keyed_writer_begin(&writer, build_sink(), &shared_head,
		    (struct slice){NULL, 0}));
}

void
table_begin_united(const struct record *head, unsigned precision, const struct sketch *first)
{
	struct record settings = *head;
	struct slice payload;

	if (head->kind == KIND_HLL) {
		table_begin_hll(head, precision);
		return;
	}
	if (first && first->kind->fold)
		first->kind->view(first->body, &settings, &payload);
	table_begin(&settings);
}

void
table_entry(struct slice key, const struct record *head, struct slice payload)
{
	if (shared.armor && key.len >= READER_KEY_MAX)
		die_exit(EXIT_SYSTEM, "cannot write a line: its key has %zu bytes", key.len);
	if (shared.armor)
		must(keyed_line_write(build_sink(), key, head, payload, shared.scan.end));
	else
		must(keyed_writer_add(&writer, key, head, payload));
}

void
table_sketch(struct slice key, const struct sketch *s)
{
	struct record head = s->head;
	struct slice payload;

	if (s->kind->view) {
		s->kind->view(s->body, &head, &payload);
	} else {
		copy.len = 0;
		must(s->kind->save(s->body, &head, &copy));
		payload = (struct slice){copy.at, copy.len};
	}
	table_entry(key, &head, payload);
}

void
table_end(void)
{
	if (!shared.armor)
		must(keyed_writer_end(&writer));
	keyed_writer_free(&writer);
	buffer_free(&copy);
}

void
table_begin_hll(const struct record *identity, unsigned precision)
{
	struct record head = {
		.hash = identity->hash, .seed = identity->seed,
		.item_type = identity->item_type, .transform = identity->transform,
		.join = identity->join,
	};
	struct hll *empty;

	must(hll_new(&empty, precision));
	must(hll_kind.save(empty, &head, &copy));
	hll_free(empty);
	table_begin(&head);
}

void
table_hll(struct slice key, uint64_t items, const struct hll_view *view)
{
	struct record head = shared_head;

	head.items = items;
	if (items == UINT64_MAX)
		head.flags |= FLAG_SATURATED;
	copy.len = 0;
	must(hll_view_save(view, &head, &copy));
	table_entry(key, &head, (struct slice){copy.at, copy.len});
}
