/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-build reads lines and writes one Bloom filter of their items. Without
 * -n it keeps the items' hashes until it knows how many there are. It never
 * ends with status 1.
 */

#include "base/num.h"
#include "sketch/member/form.h"
#include "sketch/member/member.h"
#include "tool/files/build.h"
#include "tool/member/filling.h"
#include "tool/member/filling_by.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/member/overfill.h"
#include "tool/report.h"

static const char usage[] =
	"bloom-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a filter that remembers which items were seen: 10.5 bits an item for 1 %.";

enum { OPT_TYPE = 256 };

static const struct opts_row help[] = {
	{'n', "capacity", "N", "distinct items expected; default: count them first"},
	{'p', "fpp", "P", "false-positive probability wanted (1%)"},
	{OPT_TYPE, "type", "block|classic|counting|scalable|cuckoo", "what it can do (block)"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-e", "use -p P for the false-positive probability"},
	{"-k", "the number of hashes follows from -p"},
	{"-m", "the size follows from -n and -p"},
	{"-u", "an item that comes twice is in there once, except with --type counting and cuckoo"},
	{NULL, NULL}
};

#define CAPACITY_MAX UINT64_C(1000000000000000)

static struct {
	const struct form_type *type;        /* NULL: not given; and so below */
	uint64_t capacity;
	double fpp;
	const char *fpp_text;
} opt;

static void
take_type(void)
{
	opt.type = form_named(opts_text());
	if (!opt.type)
		die_usage("cannot use --type '%s': not " FORM_NAMES, opts_text());
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_systems("bloom");
	opts_start(OPTS_LINES | OPTS_BY | OPTS_BUILD | OPTS_COMPAT | OPTS_MEMORY, help, usage,
	    about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'n':
			opt.capacity = opts_count(1, CAPACITY_MAX);
			break;
		case 'p':
			opt.fpp = opts_share(BLOOM_FPP_MIN, BLOOM_FPP_MAX);
			opt.fpp_text = opts_text();
			break;
		case OPT_TYPE:
			take_type();
			break;
		}
	opts_exclude(opt.capacity > 0 || opt.fpp > 0 || opt.type, "-n, -p or --type",
	    shared.like != NULL, "--like");
	opts_exclude(shared.compat != NULL, "--compat", opt.type != NULL, "--type");
	opts_exclude(shared.compat != NULL, "--compat", shared.scan.has_key, "--by");
}

/* Does the size come from the items alone, so that no update has any room? */
static bool
automatic(const struct form *form)
{
	return !shared.like && opt.capacity == 0 && form_type(form->kind)->capacity == 0;
}

static void
form_from(struct form *form, const struct record *head, const char *name)
{
	if (!form_of(form, head))
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': its kind is %s", name,
		    kind_find(head->kind)->name);
}

/* What -n, -p and --type say, and the defaults for what they do not. */
static void
form_asked(struct form *form)
{
	const struct form_type *type = opt.type ? opt.type :
	    shared.compat ? form_type(shared.compat->kind) : form_row(0);
	char low[NUM_REAL_SIZE], high[NUM_REAL_SIZE];

	*form = (struct form){.kind = type->kind, .fpp = opt.fpp > 0 ? opt.fpp : 0.01};
	if (form->fpp < type->fpp_min || form->fpp > type->fpp_max)
		die_usage("cannot use -p '%s': not in %s..%s, which is what --type %s can do",
		    opt.fpp_text, num_real(low, type->fpp_min), num_real(high, type->fpp_max),
		    type->name);
	if (!automatic(form))
		filling_size(form, opt.capacity > 0 ? opt.capacity : type->capacity);
	if (type->compat && form->capacity > opt.capacity && opt.capacity > 0)
		note("sized for %llu items, not %llu: the hash of %s handles that size badly",
		    (unsigned long long)form->capacity, (unsigned long long)opt.capacity, type->name);
}

/* The form of the file to update, if the options do not say otherwise. */
static void
form_update(struct form *form, const struct record *old)
{
	struct form theirs;
	struct mismatch why;

	form_from(&theirs, old, shared.update);
	if (!shared.like && opt.capacity == 0 && !opt.type && opt.fpp == 0) {
		if (old->flags & FLAG_AUTO)
			die_usage("cannot update '%s' without -n or --like: "
			    "its size is that of its items, without room for more", shared.update);
		*form = theirs;
	} else if (form_unites(&theirs, form, &why) != OK) {
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	}
}

/* That of --like. False if it is one of many, each as large as its items need:
 * then ours will be, too. */
static bool
form_like(struct form *form)
{
	struct sketch like;

	build_like(&like, MEMBER_KINDS);
	form_from(form, &like.head, shared.like);
	bool sized = !(shared.scan.has_key && like.head.flags & FLAG_AUTO);
	sketch_free(&like);
	return sized;
}

/*
 * The form, where it is known beforehand: that of --like, of -n, or of the
 * file to update. False if its size will follow from the items.
 */
static bool
choose_form(struct form *form)
{
	struct record old;
	bool sized = true;

	if (shared.like)
		sized = form_like(form);
	else
		form_asked(form);
	if (shared.update && automatic(form) && (opt.fpp > 0 || opt.type))
		die_usage("-p and --type need -n when --update is given");
	if (build_begin(MEMBER_KINDS, &old)) {
		form_update(form, &old);
		return sized;
	}
	if (shared.update && automatic(form))
		die_usage("cannot create '%s' without -n: updates to come need room; use -n or --like",
		    shared.update);
	return sized && !automatic(form);
}

static uint64_t
payload_bytes(const struct sketch *s)
{
	struct record head = s->head;
	struct slice payload;
	struct buffer list = {0};

	/* Filters lie in memory as they do in a file, if not in one piece. */
	if (s->kind->view)
		s->kind->view(s->body, &head, &payload);
	else if (s->kind->pieces(s->body, &head, &list) != OK)
		head.size = 0;
	buffer_free(&list);
	return head.size;
}

static void
print_stats(const struct sketch *s)
{
	const struct member *m = member_find(s->head.kind);
	char size[NUM_REAL_SIZE], fpp[FILL_PERCENT_SIZE];
	struct fill fill = m->fill(s->body);
	uint64_t bytes = payload_bytes(s);

	note("about %.0f distinct items in %s, %.1f bits an item, fpp %s", fill.distinct,
	    num_bytes(size, bytes), fill.distinct > 0 ? 8 * (double)bytes / fill.distinct : 0,
	    fill_percent(fpp, fill.fpp));
}

/* One filter of all lines. */
static void
build_filter(struct filling *filling, int argc, char *argv[])
{
	filling->later = shared.update != NULL;
	filling_run(filling, argc, argv);

	struct sketch sketch = {
		.head = opts_identity(), .kind = kind_find(filling->form.kind), .body = filling->body,
	};
	sketch.head.kind = sketch.kind->id;
	sketch.head.items = filling->tally.items;
	if (!filling->sized)
		sketch.head.flags |= FLAG_AUTO;
	build_unite(&sketch, MEMBER_KINDS);
	filling_into(filling, sketch.body, shared.update);
	build_record(&sketch);
	build_close();
	overfill_report(member_find(sketch.head.kind), sketch.body, &sketch.head,
	    shared.update ? shared.update : shared.output);
	if (shared.stats)
		print_stats(&sketch);
	sketch_free(&sketch);
}

/* One filter for each key. */
static void
build_filters(struct filling *filling, int argc, char *argv[])
{
	struct record identity = opts_identity();

	if (!form_flat(filling->form.kind))
		die_usage("cannot use --by with --type %s: only block, classic and counting can do that",
		    form_type(filling->form.kind)->name);
	filling_by(filling, &identity, argc, argv);
}

int
main(int argc, char *argv[])
{
	struct filling filling = {0};

	tool_start("bloom-build");
	parse_options(&argc, &argv);
	filling.sized = choose_form(&filling.form);
	if (shared.scan.has_key)
		build_filters(&filling, argc, argv);
	else
		build_filter(&filling, argc, argv);
	opts_tally(&filling.tally);
	return output_finish(EXIT_YES);
}
