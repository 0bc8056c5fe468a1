/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/quantiles/hdr.h"
#include "tool/files/build.h"
#include "tool/files/export.h"
#include "tool/options/opts.h"
#include "tool/report.h"
#include "tool/files/unite.h"

static const struct unite plainly;

static struct {
	struct sketch only;          /* written when it is known to be the only one, or all */
	bool any;
	struct buffer key;           /* of the first, where all must have the same */
	bool has_key;
	struct buffer bytes, row;
	bool timed, begun;           /* of a log: when, and are its first lines written? */
	struct interval interval;
} state;

/* Are all of them one table? */
static bool
unites(const struct export *e)
{
	return e->to->text && e->to->dump == DUMP_NONE;
}

bool
export_is_text(const struct export *e)
{
	return e->to->dump == DUMP_COPY || e->to->dump == DUMP_CSV || e->to->text;
}

static void
must(const struct export *e, enum status st)
{
	if (st != OK)
		die(st, "cannot write the %s", e->to->what);
}

static void
must_be_theirs(const struct export *e, const char *name, const struct record *head)
{
	const char *kind = kind_find(head->kind)->name;

	if (head->kind == e->to->kind)
		return;
	if (e->to->builder)
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: its kind is %s, and a hash cannot be "
		    "converted: build it with %s --compat %s", name, e->to->name, kind,
		    e->to->builder, e->to->name);
	die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: its kind is %s, not %s", name,
	    e->to->name, kind, kind_find(e->to->kind)->name);
}

static _Noreturn void
refuse_keyed(const struct export *e, const char *name)
{
	die_exit(EXIT_SKETCH, "cannot convert '%s': it is keyed%s", name,
	    e->to->dump == DUMP_NONE ? "" : "; use --keyed for one row per key");
}

/* Can there be keys without --keyed? A log has them as it comes, and the parts of
 * a table may have one. */
static bool
takes_keys(const struct export *e)
{
	return e->keyed || e->to->dump == DUMP_LOG || unites(e);
}

void
export_keyed(const struct export *e, const char *name, const struct record *head)
{
	must_be_theirs(e, name, head);
	if (!takes_keys(e))
		refuse_keyed(e, name);
}

static enum unit
unit_for(const struct export *e, const struct sketch *s)
{
	return e->unit != UNIT_NONE ? e->unit : e->to->numbers->unit(s);
}

/* The bytes of one sketch to a buffer that is emptied first. */
static void
encode(const struct export *e, const char *name, const struct sketch *s, struct buffer *out)
{
	struct mismatch why;

	out->len = 0;
	if (!e->to->numbers) {
		must(e, e->to->write(s, buffer_sink(out)));
		return;
	}
	if (!e->to->numbers->can(s, unit_for(e, s), &why))
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: %s", name, e->to->name, why.text);
	must(e, e->to->numbers->write(s, unit_for(e, s), out));
}

static void
put(const struct export *e, const struct buffer *bytes)
{
	struct sink sink = build_sink();

	must(e, sink.write(sink.to, bytes->at, bytes->len));
}

/* In milliseconds, as logs have it; numbers without a unit are taken for
 * nanoseconds, since Java does so. */
static double
greatest_of(const struct sketch *s)
{
	enum unit unit = hdr_unit(s->body);
	struct span most;

	if (hdr_total(s->body) == 0)
		return 0;
	hdr_quantiles.most(s->body, &most);
	return most.value * unit_ratio(unit != UNIT_NONE ? unit : UNIT_NS, UNIT_MS);
}

static void
begin_log(const struct export *e)
{
	state.row.len = 0;
	must(e, hdr_log_begin(state.timed ? &state.interval : NULL, &state.row));
	put(e, &state.row);
	state.begun = true;
}

static void
write_log_row(const struct export *e, const char *name, const struct sketch *s,
    const struct slice *key)
{
	unsigned char join = shared.scan.end;

	if (key && !hdr_log_can_tag(*key, join))
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: a key with a comma, a space, CR, LF "
		    "or NUL cannot be a tag: '%.*s'", name, e->to->name, (int)key->len,
		    (const char *)key->at);
	encode(e, name, s, &state.bytes);
	if (!state.begun)
		begin_log(e);
	state.row.len = 0;
	must(e, hdr_log_write(state.timed ? &state.interval : NULL, key, join, greatest_of(s),
	    (struct slice){state.bytes.at, state.bytes.len}, &state.row));
	put(e, &state.row);
}

/* One row, or with -a one line. */
static void
write_row(const struct export *e, const char *name, const struct sketch *s,
    const struct slice *key)
{
	if (e->to->dump == DUMP_LOG) {
		write_log_row(e, name, s, key);
		return;
	}
	encode(e, name, s, &state.bytes);
	state.row.len = 0;
	must(e, dump_write(e->to->dump, key, shared.scan.end,
	    (struct slice){state.bytes.at, state.bytes.len}, &state.row));
	put(e, &state.row);
}

static void
keep_only(const struct export *e, const char *name, struct sketch *s)
{
	if (state.only.body)
		die_exit(EXIT_SKETCH, "cannot convert '%s': --to takes one sketch, and there are more%s",
		    name, export_is_text(e) ? "; use -a for one on each line" : "");
	state.only = *s;
	*s = (struct sketch){0};
}

static void
keep_all(const struct export *e, const char *name, struct sketch *s, const struct slice *key)
{
	bool same = !state.any || (state.has_key == (key != NULL) &&
	    (!key || slice_equal(*key, (struct slice){state.key.at, state.key.len})));

	if (!same)
		die_exit(EXIT_SKETCH, "cannot convert '%s' to %s: it takes the sketches of one key, and "
		    "there are more", name, e->to->name);
	if (!state.any && key)
		must(e, buffer_append(&state.key, key->at, key->len));
	state.any = true;
	state.has_key = key != NULL;
	if (!state.only.body)
		keep_only(e, name, s);
	else
		unite_pair(&plainly, &state.only, s, name);
}

void
export_interval(const struct interval *interval)
{
	state.interval = *interval;
	state.timed = true;
}

void
export_sketch(const struct export *e, const char *name, struct sketch *s,
    const struct slice *key)
{
	must_be_theirs(e, name, &s->head);
	if (key && !takes_keys(e))
		refuse_keyed(e, name);
	if (!key && e->keyed)
		die_exit(EXIT_SKETCH, "cannot convert '%s': it is not keyed", name);
	if (unites(e))
		keep_all(e, name, s, key);
	else if (e->keyed || shared.armor)
		write_row(e, name, s, key);
	else
		keep_only(e, name, s);
	state.timed = false;
}

void
export_end(const struct export *e)
{
	if (state.only.body && !e->to->numbers)
		must(e, e->to->write(&state.only, build_sink()));
	else if (state.only.body) {
		encode(e, "the union", &state.only, &state.bytes);
		put(e, &state.bytes);
	}
	if (e->to->dump == DUMP_LOG && !state.begun)
		begin_log(e);
	sketch_free(&state.only);
	buffer_free(&state.key);
	buffer_free(&state.bytes);
	buffer_free(&state.row);
}
