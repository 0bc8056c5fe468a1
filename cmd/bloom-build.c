/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * bloom-build reads lines and writes one Bloom filter of their items. Without
 * -n it keeps the items' hashes until it knows how many there are. It never
 * ends with status 1.
 */

#include <pthread.h>
#include <string.h>

#include "base/num.h"
#include "sketch/bloom_writer.h"
#include "sketch/hashset.h"
#include "tool/build.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/overfill.h"
#include "tool/report.h"

static const char usage[] =
	"bloom-build [OPTION]... [FILE...]";

static const char about[] =
	"Write a filter that remembers which items were seen: 10.5 bits an item for 1 %.";

enum { OPT_TYPE = 256 };

static const struct opts_row help[] = {
	{'n', "capacity", "N", "distinct items expected; default: count them first"},
	{'p', "fpp", "P", "false-positive probability wanted (1%)"},
	{OPT_TYPE, "type", "block|classic", "one cache line an item, or fewest bits (block)"},
	{0}
};

static const struct opts_hint hints[] = {
	{"-e", "use -p P for the false-positive probability"},
	{"-k", "the number of hashes follows from -p"},
	{"-m", "the size follows from -n and -p"},
	{"-u", "an item that comes twice changes nothing"},
	{NULL, NULL}
};

#define CAPACITY_MAX UINT64_C(1000000000000000)
#define MEMORY_DEFAULT (UINT64_C(1) << 30)

/* Filters up to here are private to each worker and united in the end; of a
 * larger one there is a single copy, which all write to in shards. */
#define PRIVATE_MAX (16 << 20)

static struct {
	enum bloom_type type;
	uint64_t capacity;           /* 0: not given */
	double fpp;                  /* 0: not given */
	bool type_given;
} opt = {.type = BLOOM_BLOCK};

static struct bloom_shape shape;
static struct bloom *part[WORKERS_MAX];      /* the first is the result */
static struct bloom_shards *shards;
static struct bloom_writer *writer[WORKERS_MAX];
static struct hashset *set;
static pthread_mutex_t sizing = PTHREAD_MUTEX_INITIALIZER;

static const char *const type_name[] = {
	[BLOOM_BLOCK] = "block", [BLOOM_CLASSIC] = "classic"
};

static enum bloom_type
take_type(void)
{
	for (enum bloom_type t = BLOOM_BLOCK; t <= BLOOM_CLASSIC; t++)
		if (strcmp(opts_text(), type_name[t]) == 0)
			return t;
	die_usage("cannot use --type '%s': not block or classic", opts_text());
}

static void
parse_options(int *argc, char ***argv)
{
	int c;

	opts_start(OPTS_LINES | OPTS_BUILD | OPTS_MEMORY, help, usage, about, hints);
	while ((c = opts_next(argc, argv)) != -1)
		switch (c) {
		case 'n':
			opt.capacity = opts_count(1, CAPACITY_MAX);
			break;
		case 'p':
			opt.fpp = opts_share(BLOOM_FPP_MIN, BLOOM_FPP_MAX);
			break;
		case OPT_TYPE:
			opt.type = take_type();
			opt.type_given = true;
			break;
		}
	opts_exclude(opt.capacity > 0 || opt.fpp > 0 || opt.type_given, "-n, -p or --type",
	    shared.like != NULL, "--like");
	if (shared.update && opt.capacity == 0 && (opt.fpp > 0 || opt.type_given))
		die_usage("-p and --type need -n when --update is given");
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot build the filter");
}

static void
size_for(uint64_t capacity)
{
	if (!bloom_shape_for(&shape, opt.type, capacity, opt.fpp > 0 ? opt.fpp : 0.01))
		die_usage("cannot use -n %llu: the filter would be larger than 32 TiB",
		    (unsigned long long)capacity);
}

/* Can the file to update be united with a filter of our shape? Unlike sizes
 * may be, by folding; that depends on what is in them. */
static void
must_unite(struct bloom_shape theirs)
{
	if (theirs.type != shape.type)
		die_exit(EXIT_SKETCH, "cannot update '%s': type %s and %s", shared.update,
		    type_name[theirs.type], type_name[shape.type]);
	if (theirs.probes != shape.probes)
		die_exit(EXIT_SKETCH, "cannot update '%s': probes %u and %u", shared.update,
		    theirs.probes, shape.probes);
}

/*
 * The shape, where it is known beforehand: that of --like, of -n, or of the
 * file to update. False if it will follow from the items.
 */
static bool
choose_shape(void)
{
	struct sketch like;
	struct record old;

	if (shared.like) {
		build_like(&like, "bloom");
		shape = *bloom_shape(like.body);
		sketch_free(&like);
	}
	bool update = build_begin("bloom", &old);
	if (opt.capacity > 0)
		size_for(opt.capacity);
	else if (!shared.like && update)
		shape = bloom_shape_of(&old);
	else if (!shared.like && shared.update)
		die_usage("cannot create '%s' without -n: updates to come need room; use -n or --like",
		    shared.update);
	else if (!shared.like)
		return false;
	if (update)
		must_unite(bloom_shape_of(&old));
	return true;
}

static void
new_filter(struct bloom **b)
{
	char size[NUM_REAL_SIZE];
	uint64_t bytes = bloom_bytes(&shape);

	/* While counting, the ceiling is the hashes'. */
	if (shared.memory_given && !set && bytes > shared.memory)
		die_exit(EXIT_SYSTEM, "cannot make a filter of %s: that is more than -M allows",
		    num_bytes(size, bytes));
	enum status st = bloom_new(b, &shape);
	if (st != OK)
		die(st, "cannot make a filter of %s", num_bytes(size, bytes));
}

static enum verdict
add_private(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (!part[worker])
		new_filter(&part[worker]);
	bloom_add(part[worker], b->hash, b->n);
	return GO_ON;
}

static enum verdict
add_shared(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	if (!writer[worker])
		check(bloom_writer_new(&writer[worker], shards));
	bloom_writer_add(writer[worker], b->hash, b->n);
	return GO_ON;
}

static void
share_filter(void)
{
	new_filter(&part[0]);
	check(bloom_shards_new(&shards, part[0]));
}

static void
pour(void *context, const uint64_t *hash, size_t n)
{
	(void)context;
	bloom_add(part[0], hash, n);
}

/* Memory for hashes is used up: from here on the filter is as large as they
 * need, and fills on. The worker who comes first sizes it. */
static void
stop_counting(void)
{
	pthread_mutex_lock(&sizing);
	if (!shards) {
		size_for(hashset_capacity(set));
		share_filter();
		hashset_each(set, pour, NULL);
	}
	pthread_mutex_unlock(&sizing);
}

static enum verdict
add_unsized(void *context, unsigned worker, struct batch *b)
{
	enum status st = hashset_add(set, b->hash, b->n);

	if (st == OK)
		return GO_ON;
	if (st != STATUS_END)
		die(st, "cannot count the items; -M or -n helps");
	stop_counting();
	return add_shared(context, worker, b);
}

static struct intake
build(bool sized, int argc, char *argv[])
{
	struct job job = opts_job();

	if (!sized) {
		check(hashset_new(&set, shared.memory_given ? shared.memory : MEMORY_DEFAULT));
		job.each = add_unsized;
	} else if (parallel_workers(&job) == 1 || bloom_bytes(&shape) <= PRIVATE_MAX) {
		new_filter(&part[0]);
		job.each = add_private;
	} else {
		share_filter();
		job.each = add_shared;
	}
	struct intake tally = parallel_run(&job, argc, argv);

	if (!sized && !shards) {
		size_for(hashset_count(set));
		new_filter(&part[0]);
		hashset_each(set, pour, NULL);
	}
	hashset_free(set);
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (writer[i])
			bloom_writer_flush(writer[i]);
		bloom_writer_free(writer[i]);
		if (i > 0 && part[i])
			bloom_or(part[0], part[i]);
		if (i > 0)
			bloom_free(part[i]);
	}
	bloom_shards_free(shards);
	return tally;
}

static void
print_stats(const struct member *m, const struct bloom *b)
{
	char size[NUM_REAL_SIZE], fpp[FILL_PERCENT_SIZE];
	double bytes = (double)bloom_bytes(bloom_shape(b));
	struct fill fill = m->fill(b);

	note("about %.0f distinct items in %s, %.1f bits an item, fpp %s", fill.distinct,
	    num_bytes(size, (uint64_t)bytes), fill.distinct > 0 ? 8 * bytes / fill.distinct : 0,
	    fill_percent(fpp, fill.fpp));
}

int
main(int argc, char *argv[])
{
	tool_start("bloom-build");
	parse_options(&argc, &argv);
	bool sized = choose_shape();
	struct intake tally = build(sized, argc, argv);

	struct sketch sketch = {
		.head = opts_identity(), .body = part[0],
		.kind = shape.type == BLOOM_BLOCK ? &bloom_block_kind : &bloom_classic_kind,
	};
	sketch.head.kind = sketch.kind->id;
	sketch.head.items = tally.items;
	if (!sized)
		sketch.head.flags |= FLAG_AUTO;
	build_unite(&sketch, "bloom");
	build_record(&sketch);
	build_close();
	const struct member *member = member_find(sketch.head.kind);
	overfill_report(member, sketch.body, &sketch.head,
	    shared.update ? shared.update : shared.output);
	opts_tally(&tally);
	if (shared.stats)
		print_stats(member, sketch.body);
	sketch_free(&sketch);
	return output_finish(EXIT_YES);
}
