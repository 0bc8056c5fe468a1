/* sketchutils: BSD-2-Clause, see LICENSE */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/ids.h"
#include "tool/keyfile.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/report.h"

#define ROWS_MAX 64

/* A millisecond, and about a hundred years. */
#define WINDOW_LEAST UINT64_C(1000)
#define WINDOW_MOST (UINT64_C(36500) * 86400 * 1000000)

/* Numbers of shared rows that have no letter; a program's own start at 256. */
enum {
	ROW_QUOTED = 1024, ROW_CSV, ROW_HEADER, ROW_CRLF, ROW_SKIP_EMPTY, ROW_BY, ROW_UPDATE,
	ROW_LIKE, ROW_SEED, ROW_BOUNDS, ROW_JSON, ROW_STATS, ROW_STRICT, ROW_LINE_BUFFERED,
	ROW_PROGRESS, ROW_COMPAT, ROW_ITEM, ROW_FROM, ROW_WINDOW, ROW_TIME_FIELD, ROW_TIME_FORMAT,
	ROW_EVERY, ROW_TUMBLE, ROW_UNIT, ROW_KEY_FILE, ROW_ID, ROW_EXPECT,
};

struct shared_options shared = {
	.scan = {.end = '\n', .hash = HASH_XXH3},
};

static const struct {
	unsigned groups;
	struct opts_row row;
} shared_rows[] = {
	{OPTS_INPUT, {'f', "field", "LIST", "the item is these fields: 1  2,5  3-5  4-  -1 (the last)"}},
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
	{OPTS_UNIT, {ROW_UNIT, "unit", "U", "numbers are in ns, us, ms, s, min, h or d; 12ms is read"}},
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
	{OPTS_BUFFER, {ROW_LINE_BUFFERED, "line-buffered", NULL, "write each line as soon as it is decided"}},
	{OPTS_INPUT, {ROW_PROGRESS, "progress", "WHEN", "auto, always or never"}},
	{~0u, {'h', "help", NULL, "this text"}},
	{~0u, {'V', "version", NULL, "which version this is"}},
};

static struct {
	struct opts_row row[ROWS_MAX];
	unsigned n, own;
	char letters[2 * ROWS_MAX + 2];
	struct option longs[ROWS_MAX + 1];
	const char *usage, *about;
	const struct opts_hint *hints;
	char typed[64];              /* the option at hand as it was given, for messages */
	char lines[64];              /* the first one that only lines can heed */
	bool delimiter_given, quoted, csv;
} opts;

static void
add_row(const struct opts_row *row)
{
	opts.row[opts.n] = *row;
	opts.longs[opts.n] = (struct option){
		row->name, row->argument ? required_argument : no_argument, NULL, row->letter
	};
	opts.n++;
	if (row->letter < 256) {
		size_t len = strlen(opts.letters);
		snprintf(opts.letters + len, sizeof opts.letters - len, "%c%s", row->letter,
		    row->argument ? ":" : "");
	}
}

void
opts_start(unsigned groups, const struct opts_row *own, const char *usage, const char *about,
    const struct opts_hint *hints)
{
	if (groups & OPTS_SKETCH)
		report_reason(STATUS_NOT_SKETCH, "it is a sketch, not lines (use -s)");
	opts.usage = usage;
	opts.about = about;
	opts.hints = hints;
	opterr = 0;
	/* Where options may stand must not depend on the environment. */
	unsetenv("POSIXLY_CORRECT");
	/* The colon tells a missing argument from an unknown option. */
	strcpy(opts.letters, ":");
	for (; own && own->name; own++)
		add_row(own);
	opts.own = opts.n;
	for (size_t i = 0; i < sizeof shared_rows / sizeof *shared_rows; i++)
		if (shared_rows[i].groups & (groups | (shared_rows[i].groups == ~0u)))
			add_row(&shared_rows[i].row);
}

/* The text of the long option that getopt_long has just taken: getopt accepts
 * any unambiguous start of a name, we do not, or every new name could break a
 * script. */
static const char *
long_text(char **argv)
{
	const char *last = argv[optind - 1];

	return optarg && optarg == last ? argv[optind - 2] : last;
}

static const struct opts_row *
row_of(int letter)
{
	for (unsigned i = 0; i < opts.n; i++)
		if (opts.row[i].letter == letter)
			return &opts.row[i];
	return NULL;
}

const char *
opts_typed(void)
{
	return opts.typed;
}

const char *
opts_text(void)
{
	return optarg;
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

/* What a program says of this option of others that means something else
 * here: the end of a message, or nothing. */
static const char *
habit(const char *typed)
{
	for (const struct opts_hint *h = opts.hints; h && h->typed; h++)
		if (strcmp(h->typed, typed) == 0)
			return h->answer;
	return "";
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
		die_usage("cannot use %s '%s': not one byte%s", opts.typed, optarg, habit("-d"));
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

/* Is it a shared row? Then do what it says. */
static bool
take_shared(int c)
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
		shared.expected = opts_count(row_of('s') ? 1 : 0, UINT64_MAX);
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

void
opts_exclude(bool a, const char *name_a, bool b, const char *name_b)
{
	if (a && b)
		die_usage("%s and %s exclude each other", name_a, name_b);
}

static void
take_key(void)
{
	struct scan *s = &shared.scan;

	s->secret = keyfile_read(shared.key_file);
	s->hash = HASH_SIPHASH;
	s->seed = siphash_fingerprint(&s->secret);
}

/* What can only be judged when all options are known. */
static void
settle(void)
{
	struct scan *s = &shared.scan;

	opts_exclude(shared.sketch, "-s", opts.lines[0] != '\0', opts.lines);
	if (shared.expects && row_of('s') && !shared.sketch)
		die_usage("--expect needs -s");
	opts_exclude(opts.quoted, "--quoted", opts.csv, "--csv");
	opts_exclude(shared.compat != NULL, "--compat", shared.seed_given, "--seed");
	opts_exclude(shared.compat != NULL, "--compat", shared.key_file != NULL, "--key-file");
	opts_exclude(shared.seed_given, "--seed", shared.key_file != NULL, "--key-file");
	opts_exclude(shared.compat != NULL, "--compat", shared.like != NULL, "--like");
	if (shared.item_given && !shared.compat && !shared.like)
		die_usage("--item needs --compat");
	if (shared.compat && s->item_type != ITEM_TEXT && !kind_find(shared.compat->kind)->typed)
		die_usage("cannot use --item '%s': %s hashes all items as text",
		    item_type_name(s->item_type), shared.compat->name);
	opts_exclude(shared.output != NULL, "-o", shared.update != NULL, "--update");
	if (opts.csv) {
		s->mode = FIELD_CSV;
		if (!opts.delimiter_given)
			s->delimiter = ',';
	} else if (opts.quoted) {
		s->mode = opts.delimiter_given ? FIELD_QUOTED_DELIMITER : FIELD_QUOTED;
	} else if (opts.delimiter_given) {
		s->mode = FIELD_DELIMITER;
	}
	if (opts.delimiter_given && s->delimiter == s->end)
		die_usage("cannot use -d: that byte already ends the record");
	if (opts.delimiter_given && (opts.csv || opts.quoted) && s->delimiter == '"')
		die_usage("cannot use -d '\"': that byte quotes fields");
	opts_exclude(shared.tumble > 0, "--tumble", shared.window > 0, "--window");
	opts_exclude(shared.tumble > 0, "--tumble", shared.every > 0, "--every");
	bool steps = row_of(ROW_EVERY) != NULL;
	if (steps && shared.window > 0 && shared.every == 0)
		die_usage("--window needs --every");
	if (s->has_stamp && shared.window == 0 && shared.every == 0 && shared.tumble == 0)
		die_usage("--time-field needs %s", steps ? "--window, --every or --tumble" :
		    row_of(ROW_TUMBLE) ? "--window or --tumble" : "--window");
	if (s->format.n > 0 && !s->has_stamp)
		die_usage("--time-format needs --time-field");
	const struct fields *f = s->item.named ? &s->item : s->key.named ? &s->key :
	    s->weight.named ? &s->weight : &s->stamp;
	if (!shared.header && f->named) {
		unsigned i = 0;
		while (!f->at[i].name)
			i++;
		die_usage("cannot use field '%.*s': a name needs --header", (int)f->at[i].name_len,
		    f->at[i].name);
	}
	report_strict(shared.strict);
	if (shared.key_file)
		take_key();
}

/* What getopt_long refused: with optopt 0 a long name, with a known one a long
 * option that has an argument too many. */
static _Noreturn void
refuse(int c, const char *last)
{
	const struct opts_row *row = optopt ? row_of(optopt) : NULL;
	char letter[3] = {'-', (char)optopt, '\0'};

	if (row && last[1] == '-' && strcspn(last + 2, "=") != strlen(row->name))
		usage_unknown(last, opts.hints, opts.row, opts.n);
	if (c == ':')
		die_usage("option '%s' needs an argument", last[1] == '-' ? last : letter);
	if (row)
		die_usage("option '--%s' takes no argument", row->name);
	usage_unknown(optopt ? letter : last, opts.hints, opts.row, opts.n);
}

int
opts_next(int *argc, char ***argv)
{
	for (;;) {
		int at = -1;
		int c = getopt_long(*argc, *argv, opts.letters, opts.longs, &at);

		if (c == -1) {
			*argv += optind;
			*argc -= optind;
			settle();
			return -1;
		}
		if (c == '?' || c == ':')
			refuse(c, (*argv)[optind - 1]);

		const struct opts_row *row = at >= 0 ? &opts.row[at] : row_of(c);
		if (at < 0)
			snprintf(opts.typed, sizeof opts.typed, "-%c", c);
		else
			snprintf(opts.typed, sizeof opts.typed, "--%s", row->name);
		const char *text = at >= 0 ? long_text(*argv) : NULL;
		if (text && strcspn(text + 2, "=") != strlen(row->name))
			usage_unknown(text, opts.hints, opts.row, opts.n);
		if (c == 'h')
			usage_help(opts.usage, opts.about, opts.row, opts.n);
		if (c == 'V')
			usage_version();
		/* A program's own rows come first, and win. */
		if (row < opts.row + opts.own || !take_shared(c))
			return c;
	}
}
