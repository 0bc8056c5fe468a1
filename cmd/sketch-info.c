/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * sketch-info describes each record in its files: kind, parameters, fill, what
 * it answers, and whether its checksums hold. Status 1 is never used.
 */

#include <stdio.h>

#include "base/hash.h"
#include "base/ids.h"
#include "base/item.h"
#include "base/mask.h"
#include "base/keyed.h"
#include "base/reader.h"
#include "sketch/kinds.h"
#include "tool/files/foreign.h"
#include "tool/lines/input.h"
#include "tool/files/map.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

static const char usage[] =
	"sketch-info [OPTION]... [SKETCH...]";

static const char about[] =
	"Describe saved sketches: kind, parameters, fill, answer; are they whole?";

enum { OPT_VERIFY = 256, OPT_EACH };

static const struct opts_row help[] = {
	{OPT_VERIFY, "verify", NULL, "check the whole of records over 64 MiB too"},
	{OPT_EACH, "each", NULL, "also the sketch of each key of a keyed record"},
	{'q', "quiet", NULL, "print nothing: the status tells"},
	{0}
};

static struct {
	bool verify, each, quiet;
} opt;

/* The file at hand. */
struct source {
	const char *name;
	struct record_reader reader;
	struct record head;
	struct buffer extension, payload;
};

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_JSON | OPTS_ZERO | OPTS_FROM, help, usage, about, NULL);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case OPT_VERIFY:
			opt.verify = true;
			break;
		case OPT_EACH:
			opt.each = true;
			break;
		case 'q':
			opt.quiet = true;
			break;
		}
	opts_exclude(opt.quiet, "-q", shared.json, "--json");
	opts_exclude(opt.quiet, "-q", opt.each, "--each");
	opts_exclude(shared.from != NULL, "--from", opt.verify, "--verify");
}

/* The texts of an extension, which end in NUL each, with a blank between; in JSON
 * with a newline, so that jq -r lists them. */
static void
print_texts(const struct source *s, uint16_t tag, const char *name)
{
	struct slice value, extension = {s->extension.at, s->extension.len};
	struct buffer text = {0};

	if (!extension_find(extension, tag, &value))
		return;
	enum status st = buffer_append(&text, value.at, value.len - 1);
	if (st != OK)
		die(st, "cannot describe '%s'", s->name);
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] == '\0')
			text.at[i] = shared.json ? '\n' : ' ';
	sheet_text(name, (struct slice){text.at, text.len});
	buffer_free(&text);
}

/* Of the key that items were hashed with. */
static void
print_fingerprint(uint64_t fingerprint)
{
	char text[17];

	snprintf(text, sizeof text, "%016llx", (unsigned long long)fingerprint);
	sheet_text("fingerprint", slice_of(text));
}

/* What any record has: where it lies and what its items are. */
static void
print_head(const struct source *s, const struct record *head, bool keyed)
{
	struct slice key, ids, extension = {s->extension.at, s->extension.len};

	sheet_text("file", slice_of(s->name));
	sheet_count("record", s->reader.number);
	sheet_count("offset", s->reader.offset);
	sheet_flag("armored", s->reader.armored);
	sheet_count("format", RECORD_FORMAT);
	sheet_text("kind", slice_of(kind_find(head->kind)->name));
	sheet_count("version", head->version);
	sheet_text("hash", slice_of(kind_hash_name(head->hash)));
	if (kind_find(head->kind)->typed)
		sheet_text("item", slice_of(item_type_name(head->item_type)));
	if (head->hash == HASH_SIPHASH)
		print_fingerprint(head->seed);
	else
		sheet_count("seed", head->seed);
	sheet_flag("ignore_case", head->transform & TRANSFORM_FOLD);
	if (kind_find(head->kind)->masked)
		sheet_text("norm", slice_of(mask_level_name(head->transform & TRANSFORM_MASK)));
	sheet_text("join", slice_of(kind_join_name(head->join)));
	sheet_flag("keyed", keyed);
	sheet_flag("auto", head->flags & FLAG_AUTO);
	sheet_flag("saturated", head->flags & FLAG_SATURATED);
	sheet_flag("intersected", head->flags & FLAG_INTERSECTED);
	if (extension_find(extension, EXTENSION_ID, &ids))
		sheet_count("shards", ids_count(ids));
	print_texts(s, EXTENSION_ID, "ids");
	print_texts(s, EXTENSION_ALIAS, "aliases");
	if (extension_find(extension, EXTENSION_KEY, &key))
		sheet_text("key", key);
}

static void
print_tail(const struct source *s)
{
	sheet_size("bytes", s->reader.position - s->reader.offset);
	sheet_text("checksum", slice_of(s->reader.verified ? "ok" : "not verified"));
	sheet_end();
}

/* One entry of a keyed record: for people without what it shares with it. */
static void
print_entry(const struct source *s, struct slice key, const struct record *head,
    const struct facts *facts)
{
	sheet_begin();
	if (shared.json)
		print_head(s, head, false);
	sheet_text("key", key);
	sheet_count("items", head->items);
	sheet_facts(facts);
	sheet_end();
}

/* Load it, for that is where a structure's own promises are checked. */
static enum status
load_facts(const struct record *head, struct buffer *payload, bool wanted, struct facts *facts)
{
	struct sketch sketch;
	enum status st = sketch_load(&sketch, head, payload);

	facts->n = 0;
	if (st != OK)
		return st;
	if (wanted)
		sketch.kind->facts(sketch.body, facts);
	sketch_free(&sketch);
	return OK;
}

static enum status
describe_plain(struct source *s)
{
	struct facts facts = {0};

	if (s->reader.verified) {
		enum status st = load_facts(&s->head, &s->payload, !opt.quiet, &facts);
		if (st != OK)
			return st;
	} else {
		kind_find(s->head.kind)->settings(&s->head, &facts);
	}
	if (opt.quiet)
		return OK;
	sheet_begin();
	print_head(s, &s->head, false);
	sheet_count("items", s->head.items);
	sheet_size("payload_bytes", s->head.size);
	sheet_facts(&facts);
	print_tail(s);
	return OK;
}

/* Entries are read to the end before anything is said about the whole. */
static enum status
read_entries(struct source *s, struct keyed_reader *keyed)
{
	struct record head;
	struct slice key, payload;
	struct facts facts;
	enum status st;

	while ((st = keyed_reader_next(keyed, &key, &head, &payload)) == OK) {
		s->payload.len = 0;
		st = buffer_append(&s->payload, payload.at, payload.len);
		if (st == OK)
			st = load_facts(&head, &s->payload, opt.each, &facts);
		if (st != OK)
			return st;
		if (opt.each)
			print_entry(s, key, &head, &facts);
	}
	return st == STATUS_END ? OK : st;
}

static enum status
describe_keyed(struct source *s)
{
	struct keyed_reader keyed;
	struct facts facts = {0};

	keyed_reader_begin(&keyed, &s->reader, &s->head);
	enum status st = read_entries(s, &keyed);
	if (st == OK && !opt.quiet) {
		sheet_begin();
		print_head(s, &s->head, true);
		sheet_count("items", keyed.totals.items);
		sheet_count("keys", keyed.totals.keys);
		sheet_count("chunks", keyed.sums.len / 8);
		kind_find(s->head.kind)->settings(&s->head, &facts);
		sheet_facts(&facts);
		print_tail(s);
	}
	keyed_reader_free(&keyed);
	return st;
}

static void
describe_all(struct source *s)
{
	enum status st;

	s->reader.check = kind_check;
	s->reader.end = shared.scan.end;
	if (!opt.verify)
		s->reader.verify_up_to = MAP_VERIFY_UP_TO;
	while ((st = record_reader_next(&s->reader, &s->head, &s->extension, &s->payload)) == OK) {
		st = s->head.flags & FLAG_KEYED ? describe_keyed(s) : describe_plain(s);
		if (st != OK)
			break;
	}
	const char *guess = st == STATUS_FOREIGN && s->reader.offset == 0 ?
	    system_guess((struct slice){s->reader.start, s->reader.start_len}) : NULL;
	if (guess)
		complain_exit(EXIT_SKETCH, "cannot read sketch '%s': not a sketch, %s", s->name, guess);
	else if (st != STATUS_END && s->reader.offset > 0)
		complain(st, "cannot read sketch %llu of '%s', at byte %llu",
		    (unsigned long long)s->reader.number, s->name,
		    (unsigned long long)s->reader.offset);
	else if (st != STATUS_END)
		complain(st, "cannot read sketch '%s'", s->name);
	record_reader_close(&s->reader);
	buffer_free(&s->extension);
	buffer_free(&s->payload);
}

/* Another system's file says less about itself. */

struct theirs {
	const char *name;
	uint64_t keys;
	struct record head;          /* of the first row with a key */
};

static void
print_foreign_head(const struct theirs *t, const struct record *head)
{
	const struct kind *kind = kind_find(head->kind);

	sheet_begin();
	sheet_text("file", slice_of(t->name));
	sheet_text("system", slice_of(shared.from->name));
	sheet_text("kind", slice_of(kind->name));
	sheet_text("hash", slice_of(kind_hash_name(head->hash)));
}

static void
print_foreign(void *context, struct sketch *s, const struct slice *key, uint64_t left_out)
{
	struct theirs *t = context;
	struct facts facts = {0};

	if (key && t->keys++ == 0)
		t->head = s->head;
	if (opt.quiet || (key && !opt.each))
		return;
	print_foreign_head(t, &s->head);
	if (key)
		sheet_text("key", *key);
	sheet_count("items", s->head.items);
	sheet_size("payload_bytes", s->head.size);
	if (left_out > 0)
		sheet_size("other_bytes", left_out);
	s->kind->facts(s->body, &facts);
	sheet_facts(&facts);
	sheet_end();
}

static void
print_foreign_keys(const struct theirs *t)
{
	struct facts facts = {0};

	print_foreign_head(t, &t->head);
	sheet_count(shared.from->dump == DUMP_LOG ? "intervals" : "keys", t->keys);
	kind_find(t->head.kind)->settings(&t->head, &facts);
	sheet_facts(&facts);
	sheet_end();
}

static void
describe_foreign(char *operand)
{
	struct theirs theirs = {0};
	struct foreign f = {
		.system = shared.from, .unit = shared.from_unit, .join = shared.scan.end,
		.context = &theirs,
		.sketch = print_foreign,
	};
	char place[FOREIGN_PLACE_SIZE];
	struct input in;
	enum status st = input_open(&in, operand);

	if (st != OK) {
		complain(st, "cannot open '%s'", operand);
		return;
	}
	f.name = theirs.name = input_name(&in);
	st = foreign_each(&f, in.fd);
	foreign_place(&f, place);
	if (st == STATUS_FOREIGN)
		complain_exit(EXIT_SKETCH, "cannot read '%s'%s: not a %s%s%s", theirs.name, place,
		    f.system->what, f.guess ? ", " : "", f.guess ? f.guess : "");
	else if (st != OK)
		complain(st, "cannot read the %s '%s'%s", f.system->what, theirs.name, place);
	else if (theirs.keys > 0 && !opt.each && !opt.quiet)
		print_foreign_keys(&theirs);
	input_close(&in);
}

/* A regular file through a map, so that what need not be verified is not
 * read; anything else as it comes. */
static void
describe_file(char *operand)
{
	struct source s = {.name = operand};
	struct map map;
	struct input in;
	enum status st = operand[0] == '-' && operand[1] == '\0' ? STATUS_END :
	    map_open(&map, operand);

	if (st == OK) {
		record_reader_memory(&s.reader, map.bytes);
		describe_all(&s);
		map_close(&map);
		return;
	}
	if (st == STATUS_END)
		st = input_open(&in, operand);
	if (st != OK) {
		complain(st, "cannot open '%s'", operand);
		return;
	}
	s.name = input_name(&in);
	record_reader_open(&s.reader, in.fd);
	describe_all(&s);
	input_close(&in);
}

int
main(int argc, char *argv[])
{
	static char standard_input[] = "-";

	tool_start("sketch-info");
	parse_options(&argc, &argv);
	void (*describe)(char *) = shared.from ? describe_foreign : describe_file;
	if (argc == 0)
		describe(standard_input);
	for (int i = 0; i < argc; i++)
		describe(argv[i]);
	return output_finish(EXIT_YES);
}
