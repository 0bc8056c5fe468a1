/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/keyed.h"
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/files/build.h"
#include "tool/options/opts.h"
#include "tool/report.h"
#include "tool/files/table.h"

static struct record shared_head;    /* of an empty sketch: what all entries share */
static struct keyed_writer writer;   /* unless they are lines */
static struct buffer copy;           /* the payload of one entry after the other */

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot write the keyed sketch");
}

static void
begin_record(void)
{
	struct slice ids = build_ids();
	struct buffer extension = {0};

	if (ids.len > 0)
		must(extension_add(&extension, EXTENSION_ID, ids));
	must(keyed_writer_begin(&writer, build_sink(), &shared_head,
	    (struct slice){extension.at, extension.len}));
	buffer_free(&extension);
}

void
table_begin(const struct record *head)
{
	shared_head = *head;
	shared_head.flags &= FLAG_AUTO;
	if (!shared.armor)
		begin_record();
}

void
table_begin_united(const struct record *head, unsigned precision, const struct sketch *first)
{
	struct record settings = *head;
	struct slice payload;

	if (head->kind == KIND_HLL)
		settings.param[HLL_PARAM_PRECISION] = precision;
	if (distinct_find(head->kind) || quantiles_find(head->kind))
		settings = table_empty(head, &settings);
	else if (first && first->kind->fold)
		first->kind->view(first->body, &settings, &payload);
	table_begin(&settings);
}

void
table_entry(struct slice key, const struct record *head, struct slice payload)
{
	if (shared.armor && key.len >= READER_KEY_MAX)
		die_exit(EXIT_SYSTEM, "cannot write a line: its key has %zu bytes", key.len);
	if (shared.armor)
		must(keyed_line_write(build_sink(), key, head, build_ids(), payload,
		    shared.scan.end));
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

struct record
table_empty(const struct record *identity, const struct record *settings)
{
	struct record head = {
		.hash = identity->hash, .seed = identity->seed,
		.item_type = identity->item_type, .transform = identity->transform,
		.join = identity->join,
	};
	const struct distinct *distinct = distinct_find(settings->kind);
	const struct kind *kind = kind_find(settings->kind);
	void *empty = NULL;

	must((distinct ? distinct->make : quantiles_find(settings->kind)->make)(&empty, settings));
	copy.len = 0;
	must(kind->save(empty, &head, &copy));
	kind->free(empty);
	return head;
}

void
table_begin_distinct(const struct record *identity, const struct record *settings)
{
	struct record head = table_empty(identity, settings);

	table_begin(&head);
}

void
table_distinct(struct slice key, const struct record *entry, struct slice payload)
{
	struct record head = shared_head;

	head.items = entry->items;
	if (head.items == UINT64_MAX)
		head.flags |= FLAG_SATURATED;
	head.size = entry->size;
	memcpy(head.param, entry->param, sizeof head.param);
	table_entry(key, &head, payload);
}
