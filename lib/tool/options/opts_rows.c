/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/hash.h"
#include "base/ids.h"
#include "tool/options/opts.h"
#include "tool/options/opts_body.h"
#include "tool/report.h"

/* A millisecond, and about a hundred years. */
#define WINDOW_LEAST UINT64_C(1000)
#define WINDOW_MOST (UINT64_C(36500) * 86400 * 1000000)

static const struct {
	unsigned groups;
	struct opts_row row;
} shared_rows[] = {
	{OPTS_INPUT, {'f', "field", "LIST", "these fields, not the line: 1  2,5  3-5  4-  -1"}},
	{OPTS_INPUT, {'d', "delimiter", "C", "one byte between fields, instead of runs of blanks"}},
	{OPTS_INPUT, {ROW_QUOTED, "quoted", NULL, "\"...\" and [...] are whole fields"}},
	{OPTS_INPUT, {ROW_CSV, "csv", NULL, "fields as in RFC 4180, delimiter ','"}},
	{OPTS_INPUT, {ROW_HEADER, "header", NULL, "the first line of each input names its fields"}},
	{OPTS_INPUT | OPTS_ZERO, {'z', "zero-terminated", NULL, "records end in NUL, in and out"}},
	{OPTS_CASE, {'i', "ignore-case", NULL, "fold the ASCII letters of the item"}},
	{OPTS_INPUT, {ROW_CRLF, "crlf", NULL, "drop one CR before the newline"}},
	{OPTS_INPUT, {ROW_SKIP_EMPTY, "skip-empty", NULL, "drop empty items"}},
	{OPTS_BY, {ROW_BY, "by", "LIST", "one answer or sketch per key of these fields"}},
	{OPTS_WEIGHT, {'W', "weight", "FIELD", "add this field's number instead of 1"}},
	{OPTS_UNIT, {ROW_UNIT, "unit", "U", "numbers are ns, us, ms, s, min, h, d; 12ms is read"}},
	{OPTS_BUILD | OPTS_UPDATE | OPTS_RECORDS, {'o', "output", "FILE", "write there, atomically"}},
	{OPTS_BUILD | OPTS_UPDATE, {ROW_UPDATE, "update", "FILE", "add to this file under a lock, or create it"}},
	{OPTS_BUILD | OPTS_UPDATE, {ROW_LIKE, "like", "FILE", "take the parameters from this sketch"}},
	{OPTS_BUILD | OPTS_UPDATE, {ROW_ID, "id", "NAME", "the shard that this is, which never counts twice"}},
	{OPTS_COMPAT, {ROW_COMPAT, "compat", "SYSTEM", "with the hash and geometry of another system"}},
	{OPTS_ITEM, {ROW_ITEM, "item", "text|int64|utf16", "with --compat: hash items as this"}},
	{OPTS_BUILD | OPTS_UPDATE | OPTS_RECORDS, {'a', "armor", NULL, "write text on one line, sk1:..."}},
	{OPTS_BUILD | OPTS_SEED, {ROW_SEED, "seed", "N", "another public seed of the hash"}},
	{OPTS_BUILD | OPTS_SEED | OPTS_KEY, {ROW_KEY_FILE, "key-file", "FILE", "hash with the secret key in this file"}},
	{OPTS_SKETCH, {'s', "sketch", NULL, "the inputs are saved sketches, not lines"}},
	{OPTS_SKETCH | OPTS_EXPECT, {ROW_EXPECT, "expect", "N", "fail unless exactly N sketches or shards come"}},
	{OPTS_FROM, {ROW_FROM, "from", "SYSTEM", "the sketches are files of another system"}},
	{OPTS_ANSWER, {ROW_BOUNDS, "bounds", NULL, "low and high after the estimate"}},
	{OPTS_ANSWER | OPTS_JSON, {ROW_JSON, "json", NULL, "one flat JSON object per line"}},
	{OPTS_MEMORY, {'M', "memory", "SIZE", "a ceiling: 64M, 1G"}},
	{OPTS_WINDOW | OPTS_STEPS, {ROW_WINDOW, "window", "D", "look back so far, and no further: 90s, 5m, 12h, 7d"}},
	{OPTS_STEPS, {ROW_EVERY, "every", "D", "a row so often; without --window for all so far"}},
	{OPTS_STEPS, {ROW_TUMBLE, "tumble", "D", "a row for each hour, day or other D by itself"}},
	{OPTS_TUMBLE, {ROW_TUMBLE, "tumble", "D", "each hour, day or other D by itself"}},
	{OPTS_WINDOW | OPTS_STEPS, {ROW_TIME_FIELD, "time-field", "LIST", "the log's own time, in these fields"}},
	{OPTS_WINDOW | OPTS_STEPS, {ROW_TIME_FORMAT, "time-format", "FMT", "how it is written, if not in a usual way"}},
	{OPTS_INPUT, {'j', "threads", "N", "how many; 0: all; no answer depends on it"}},
	{OPTS_INPUT | OPTS_STATS, {ROW_STATS, "stats", NULL, "notes on standard error at the end"}},
	{OPTS_INPUT | OPTS_STRICT, {ROW_STRICT, "strict", NULL, "a rejected line or a broken promise is status 5"}},
	{OPTS_BUFFER, {ROW_LINE_BUFFERED, "line-buffered", NULL, "write after every block that is read"}},
	{OPTS_INPUT, {ROW_PROGRESS, "progress", "WHEN", "auto, always or never"}},
	{~0u, {'h', "help", NULL, "this text"}},
	{~0u, {'V', "version", NULL, "which version this is"}},
};

void
opts_add_shared(unsigned groups)
{
	for (size_t i = 0; i < sizeof shared_rows / sizeof *shared_rows; i++)
		if (shared_rows[i].groups & (groups | (shared_rows[i].groups == ~0u)))
			opts_add_row(&shared_rows[i].row);
}

static void
take_fields(struct fields *f)
{
	const char *wrong = fields_parse(optarg, f);

	if (wrong)
		die_usage("cannot use %s '%s': %s", opts.typed, optarg, wrong);
}

static void
take_format(void)
{
	const char *at, *wrong = time_compile(optarg, &shared.scan.format, &at);

	if (wrong && at > optarg)
		die_usage("cannot use %s '%s': from '%s' on: %s", opts.typed, optarg, at, wrong);
	if (wrong)
		die_usage("cannot use %s '%s': %s", opts.typed, optarg, wrong);
}

static unsigned char
take_delimiter(void)
{
	if (strcmp(optarg, "\\t") == 0)
		return '\t';
	if (strcmp(optarg, "\\0") == 0)
		return '\0';
	if (strcmp(optarg, "\\\\") == 0)
		return '\\';
	if (strlen(optarg) != 1)
		die_usage("cannot use %s '%s': not one byte%s", opts.typed, optarg, opts_habit("-d"));
	return (unsigned char)*optarg;
}

static enum progress_when
take_when(void)
{
	if (strcmp(optarg, "auto") == 0)
		return PROGRESS_AUTO;
	if (strcmp(optarg, "always") == 0)
		return PROGRESS_ALWAYS;
	if (strcmp(optarg, "never") == 0)
		return PROGRESS_NEVER;
	die_usage("cannot use %s '%s': not auto, always or never", opts.typed, optarg);
}

static void
take_item_type(void)
{
	int type = item_type_find(optarg);

	if (type < 0)
		die_usage("cannot use %s '%s': not text, int64 or utf16", opts.typed, optarg);
	shared.scan.item_type = (unsigned char)type;
	shared.item_given = true;
}

static void
take_unit(void)
{
	shared.scan.unit = unit_find(slice_of(optarg));
	if (shared.scan.unit == UNIT_NONE)
		die_usage("cannot use %s '%s': not ns, us, ms, s, min, h or d", opts.typed, optarg);
}

static void
take_id(void)
{
	if (!id_valid(slice_of(optarg)))
		die_usage("cannot use %s '%s': not 1 to %d bytes without control characters",
		    opts.typed, optarg, ID_BYTES);
	shared.id = optarg;
}

/* Does a saved sketch have nothing that this row could act on? */
static bool
for_lines(int c)
{
	switch (c) {
	case 'f': case 'd': case 'i': case 'W':
	case ROW_QUOTED: case ROW_CSV: case ROW_HEADER: case ROW_CRLF:
	case ROW_SKIP_EMPTY: case ROW_BY: case ROW_SEED: case ROW_KEY_FILE:
	case ROW_COMPAT: case ROW_ITEM: case ROW_WINDOW:
	case ROW_TIME_FIELD: case ROW_EVERY: case ROW_TUMBLE:
		return true;
	}
	return false;
}

bool
opts_take_shared(int c)
{
	struct scan *s = &shared.scan;

	if (for_lines(c) && !opts.lines[0])
		strcpy(opts.lines, opts.typed);
	switch (c) {
	case 'f':
		take_fields(&s->item);
		return true;
	case 'd':
		s->delimiter = take_delimiter();
		opts.delimiter_given = true;
		return true;
	case ROW_QUOTED:
		opts.quoted = true;
		return true;
	case ROW_CSV:
		opts.csv = true;
		return true;
	case ROW_HEADER:
		shared.header = true;
		return true;
	case 'z':
		s->end = '\0';
		return true;
	case 'i':
		s->fold = true;
		return true;
	case ROW_CRLF:
		s->crlf = true;
		return true;
	case ROW_SKIP_EMPTY:
		s->skip_empty = true;
		return true;
	case ROW_BY:
		take_fields(&s->key);
		s->has_key = true;
		return true;
	case 'W':
		take_fields(&s->weight);
		if (s->weight.joined)
			die_usage("cannot use %s '%s': one field holds the weight", opts.typed, optarg);
		s->has_weight = true;
		return true;
	case ROW_UNIT:
		take_unit();
		return true;
	case 'o':
		shared.output = optarg;
		return true;
	case ROW_UPDATE:
		shared.update = optarg;
		return true;
	case ROW_LIKE:
		shared.like = optarg;
		return true;
	case ROW_ID:
		take_id();
		return true;
	case ROW_EXPECT:
		/* Without a sketch there is nothing to answer. */
		shared.expected = opts_count(opts_row('s') ? 1 : 0, UINT64_MAX);
		shared.expects = true;
		return true;
	case 'a':
		shared.armor = true;
		return true;
	case ROW_SEED:
		s->seed = opts_count(0, UINT64_MAX);
		shared.seed_given = true;
		return true;
	case ROW_KEY_FILE:
		shared.key_file = optarg;
		return true;
	case ROW_COMPAT:
		shared.compat = opts_compat(&shared.settings);
		s->hash = kind_find(shared.compat->kind)->hash;
		return true;
	case ROW_ITEM:
		take_item_type();
		return true;
	case ROW_FROM:
		shared.from = opts_from(&shared.from_unit);
		return true;
	case 's':
		shared.sketch = true;
		return true;
	case ROW_BOUNDS:
		shared.bounds = true;
		return true;
	case ROW_JSON:
		shared.json = true;
		return true;
	case 'M':
		shared.memory = opts_size(64 << 10, UINT64_C(1) << 46);
		shared.memory_given = true;
		return true;
	case ROW_WINDOW:
		shared.window = opts_duration(WINDOW_LEAST, WINDOW_MOST);
		return true;
	case ROW_EVERY:
		shared.every = opts_duration(WINDOW_LEAST, WINDOW_MOST);
		return true;
	case ROW_TUMBLE:
		shared.tumble = opts_duration(WINDOW_LEAST, WINDOW_MOST);
		return true;
	case ROW_TIME_FIELD:
		take_fields(&s->stamp);
		s->has_stamp = true;
		return true;
	case ROW_TIME_FORMAT:
		take_format();
		return true;
	case 'j':
		shared.threads = (unsigned)opts_count(0, 1024);
		if (shared.threads == 0)
			shared.threads = THREADS_ALL;
		return true;
	case ROW_STATS:
		shared.stats = true;
		return true;
	case ROW_STRICT:
		shared.strict = true;
		return true;
	case ROW_LINE_BUFFERED:
		shared.line_buffered = true;
		return true;
	case ROW_PROGRESS:
		shared.progress = take_when();
		return true;
	}
	return false;
}
