/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/kinds.h"
#include "sketch/quantiles/quantiles.h"
#include "tool/files/build.h"
#include "tool/report.h"
#include "tool/quantiles/samples.h"
#include "tool/quantiles/samples_by.h"
#include "tool/quantiles/samples_build.h"

/* Would a sketch of ours fit into the file? Better asked before all is read. */
static void
must_unite(const struct record *old, const struct record *settings)
{
	struct samples theirs, mine;
	struct mismatch why;

	samples_begin(&theirs, old);
	samples_begin(&mine, settings);
	void *into = samples_empty(&theirs), *from = samples_empty(&mine);
	enum status st = theirs.kind->merge(into, from, &why);
	if (st == STATUS_MISMATCH)
		die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
	if (st != OK)
		die(st, "cannot update '%s'", shared.update);
	theirs.kind->free(into);
	mine.kind->free(from);
}

static void
adopt(struct samples_build *b, const struct record *from)
{
	for (size_t i = 0; i < sizeof b->told / sizeof *b->told; i++)
		if (!b->told[i])
			b->settings.param[i] = from->param[i];
}

void
samples_build_settle(struct samples_build *b)
{
	struct sketch like;
	struct record old;

	samples_options();
	b->told[QUANTILES_UNIT] = shared.scan.unit != UNIT_NONE;
	for (size_t i = 0; i < sizeof b->told / sizeof *b->told; i++)
		if (shared.like && b->told[i])
			die_usage("--like excludes what it decides: settings and --unit");
	b->settings.param[QUANTILES_UNIT] = shared.scan.unit;
	if (shared.like) {
		build_like(&like, b->only);
		adopt(b, &like.head);
		sketch_free(&like);
	}
	bool update = build_begin(b->only, &old);
	if (update && !shared.like)
		adopt(b, &old);
	shared.scan.unit = (enum unit)b->settings.param[QUANTILES_UNIT];
	if (b->unit_known)
		b->unit_known(b);
	if (!update)
		return;
	must_unite(&old, &b->settings);
	/* Keys that are new to the file are to be like those in it. */
	uint64_t *fineness = &b->settings.param[QUANTILES_FINENESS];
	if (*fineness > old.param[QUANTILES_FINENESS])
		*fineness = old.param[QUANTILES_FINENESS];
}

static struct intake
build_one_sketch(const struct samples_build *b, const struct record *identity, int argc,
    char *argv[])
{
	struct samples samples;

	samples_begin(&samples, &b->settings);
	struct job job = samples_job(&samples);
	struct intake tally = parallel_run(&job, argc, argv);
	struct sketch one = {
		.head = *identity, .kind = samples.kind, .body = samples_take(&samples),
	};
	one.head.items = tally.items;
	build_unite(&one, b->only);
	build_record(&one);
	build_close();
	if (samples.what->saturated(one.body))
		lament(SAMPLES_SATURATED);
	sketch_free(&one);
	return tally;
}

static struct intake
build_table(const struct samples_build *b, const struct record *identity, int argc, char *argv[])
{
	struct samples_by *table = samples_by_new(&b->settings);
	struct job job = samples_by_job(table);
	struct intake tally = parallel_run(&job, argc, argv);

	if (samples_by_write(table, identity, b->only))
		lament(SAMPLES_SATURATED);
	samples_by_free(table);
	return tally;
}

void
samples_build_run(const struct samples_build *b, int argc, char *argv[])
{
	struct record identity = opts_identity();

	identity.kind = b->settings.kind;
	struct intake tally = (shared.scan.has_key ? build_table : build_one_sketch)(b, &identity, argc,
	    argv);
	opts_tally(&tally);
}
