/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "sketch/kinds.h"
#include "tool/options/keyfile.h"
#include "tool/options/opts.h"
#include "tool/options/opts_body.h"
#include "tool/report.h"

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

/* The sketch: where it comes from, and with which hash. */
static void
settle_sketch(void)
{
	const struct scan *s = &shared.scan;

	opts_exclude(shared.sketch, "-s", opts.lines[0] != '\0', opts.lines);
	if (shared.expects && opts_row('s') && !shared.sketch)
		die_usage("--expect needs -s");
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
}

/* How fields are cut out. */
static void
settle_fields(struct scan *s)
{
	opts_exclude(opts.quoted, "--quoted", opts.csv, "--csv");
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
}

/* What belongs to which time. */
static void
settle_steps(const struct scan *s)
{
	opts_exclude(shared.tumble > 0, "--tumble", shared.window > 0, "--window");
	opts_exclude(shared.tumble > 0, "--tumble", shared.every > 0, "--every");
	bool steps = opts_row(ROW_EVERY) != NULL;
	if (steps && shared.window > 0 && shared.every == 0)
		die_usage("--window needs --every");
	if (s->has_stamp && shared.window == 0 && shared.every == 0 && shared.tumble == 0)
		die_usage("--time-field needs %s", steps ? "--window, --every or --tumble" :
		    opts_row(ROW_TUMBLE) ? "--window or --tumble" : "--window");
	if (s->format.n > 0 && !s->has_stamp)
		die_usage("--time-format needs --time-field");
}

/* Fields by name. */
static void
settle_names(const struct scan *s)
{
	const struct fields *f = s->item.named ? &s->item : s->key.named ? &s->key :
	    s->weight.named ? &s->weight : &s->stamp;
	if (!shared.header && f->named) {
		unsigned i = 0;
		while (!f->at[i].name)
			i++;
		die_usage("cannot use field '%.*s': a name needs --header", (int)f->at[i].name_len,
		    f->at[i].name);
	}
}

void
opts_settle(void)
{
	struct scan *s = &shared.scan;

	settle_sketch();
	settle_fields(s);
	settle_steps(s);
	settle_names(s);
	report_strict(shared.strict);
	if (shared.key_file)
		take_key();
}
