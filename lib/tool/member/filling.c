/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * How a filter is filled follows from three questions.
 *
 *	Does order matter?	Then items enter in order, by one worker at a
 *				time, while the others read and hash.
 *	Is it large?		A small one has a copy for each worker, and the
 *				copies are united in the end; of a larger one
 *				there is one, which all write to in shards.
 *	Is its size known?	Else hashes are kept until all are there: a set
 *				of them where repeated items change nothing, or
 *				all of them in their order. When memory for them
 *				is used up, the filter gets the size that those
 *				need, and fills on as if that had been asked for.
 *
 * In every case the result is that of one worker who adds items one by one.
 * With --update, items whose order matters are kept in the same way, and enter
 * the filter in the file when it has been locked and read: as if all had come in
 * one run. If there are too many to keep, they make a filter of their own, which
 * is united with that of the file.
 */
#include <pthread.h>

#include "base/num.h"
#include "sketch/member/bloom_writer.h"
#include "sketch/member/counting.h"
#include "sketch/member/hashlist.h"
#include "sketch/member/hashset.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "sketch/member/scalable.h"
#include "tool/member/filling.h"
#include "tool/options/opts.h"
#include "tool/report.h"

/* Filters up to here have a copy for each worker. */
#define PRIVATE_MAX (16 << 20)

static struct form form;
static bool sized;
static const struct form_type *type;
static const struct member *member;

static void *part[WORKERS_MAX];      /* the first is the result */
static struct bloom_shards *shards;
static struct bloom_writer *writer[WORKERS_MAX];

static struct hashset *set;          /* not sized yet: what came so far */
static struct hashlist *list;
static pthread_mutex_t sizing = PTHREAD_MUTEX_INITIALIZER;

static uint64_t entered;             /* items in the filter, where order matters */

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot build the filter");
}

void
filling_size(struct form *f, uint64_t capacity)
{
	if (!form_for(f, f->kind, capacity, f->fpp))
		die_usage("cannot use -n %llu: the filter would be larger than %s",
		    (unsigned long long)capacity, form_type(f->kind)->limit);
}

static void
new_filter(void **body)
{
	char size[NUM_REAL_SIZE];
	uint64_t bytes = form_bytes(&form);

	/* While counting, the ceiling is the hashes'. */
	if (shared.memory_given && sized && bytes > shared.memory)
		die_exit(EXIT_SYSTEM, "cannot make a filter of %s: that is more than -M allows",
		    num_bytes(size, bytes));
	enum status st = form_empty(&form, body);
	if (st != OK)
		die(st, "cannot make a filter of %s", num_bytes(size, bytes));
}

static enum verdict
add_private(void *context, unsigned worker, struct batch *b)
{
	size_t done;

	(void)context;
	if (!part[worker])
		new_filter(&part[worker]);
	check(member->add(part[worker], b->hash, b->n, &done));
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
	check(form.kind == KIND_BLOOM_COUNTING ?
	    bloom_shards_on(&shards, counting_target(part[0])) :
	    bloom_shards_new(&shards, part[0]));
}

static _Noreturn void
full(const char *name, const void *body)
{
	die_exit(EXIT_SYSTEM, "cannot add item %llu: %s%s%s is full, it was sized for %llu; "
	    "use a larger -n (a repeated item takes room each time: see bloom-uniq)",
	    (unsigned long long)entered + 1, name ? "'" : "", name ? name : "the filter",
	    name ? "'" : "", (unsigned long long)member->promise(body).capacity);
}

/* Where order matters, or by one worker. */
static void
enter(void *body, const uint64_t *hash, size_t n, const char *name)
{
	size_t done;
	enum status st = member->add(body, hash, n, &done);

	entered += done;
	if (st == STATUS_FULL)
		full(name, body);
	check(st);
	/* A filter that opens stages as it goes is larger than it began. */
	if (form.kind == KIND_BLOOM_SCALABLE && shared.memory_given &&
	    scalable_bytes(body) > shared.memory)
		die_exit(EXIT_SYSTEM, "cannot add item %llu: the filter takes more than -M allows",
		    (unsigned long long)entered);
}

static enum verdict
add_ordered(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	(void)worker;
	enter(part[0], b->hash, b->n, NULL);
	return GO_ON;
}

/* The size is not known, and only distinct items matter. */

static void
pour(void *context, const uint64_t *hash, size_t n)
{
	(void)context;
	enter(part[0], hash, n, NULL);
}

/* Memory for hashes is used up; the worker who comes first sizes the filter. */
static void
stop_counting(void)
{
	pthread_mutex_lock(&sizing);
	if (!shards) {
		filling_size(&form, hashset_capacity(set));
		share_filter();
		hashset_each(set, pour, NULL);
	}
	pthread_mutex_unlock(&sizing);
}

static enum verdict
collect_set(void *context, unsigned worker, struct batch *b)
{
	enum status st = hashset_add(set, b->hash, b->n);

	if (st == OK)
		return GO_ON;
	if (st != STATUS_END)
		die(st, "cannot count the items; -M or -n helps");
	stop_counting();
	return add_shared(context, worker, b);
}

/* The size is not known, and each item matters in its place. */

/* Items that come several times crowd their places, so a filter with room for
 * all may refuse some; then a larger one is tried, up to four times as large.
 * Where that is not enough, many items have as many copies as there are places
 * for one, and no size helps. */
#define LARGER(n) ((n) + (n) / 4 + 1)
#define LARGEST(n) (4 * (n))

static void
size_by_list(void)
{
	size_t all = (size_t)hashlist_count(list), done;
	uint64_t n;
	enum status st = hashlist_distinct(list, type->seats, &n);

	if (st != OK)
		die(st, "cannot count the items; -M or -n helps");
	for (uint64_t size = n;; size = LARGER(size)) {
		filling_size(&form, size);
		new_filter(&part[0]);
		st = member->add(part[0], hashlist_all(list), all, &done);
		if (st != STATUS_FULL)
			break;
		if (LARGER(size) > LARGEST(n))
			die_exit(EXIT_SYSTEM, "cannot add item %llu: repeated items crowd each other out; "
			    "add each once (see bloom-uniq)", (unsigned long long)done + 1);
		kind_find(form.kind)->free(part[0]);
	}
	check(st);
	entered = all;
}

/* What came so far goes into a filter. */
static void
use_list(void)
{
	if (sized) {
		new_filter(&part[0]);
		enter(part[0], hashlist_all(list), (size_t)hashlist_count(list), NULL);
	} else {
		size_by_list();
	}
	hashlist_free(list);
	list = NULL;
}

static enum verdict
collect_list(void *context, unsigned worker, struct batch *b)
{
	size_t taken = list ? hashlist_add(list, b->hash, b->n) : 0;

	(void)context;
	(void)worker;
	if (taken == b->n)
		return GO_ON;
	if (list)
		use_list();
	enter(part[0], b->hash + taken, b->n - taken, NULL);
	return GO_ON;
}

static void
choose_way(struct job *job, bool later)
{
	uint64_t memory = shared.memory_given ? shared.memory : FILLING_MEMORY;

	if (!sized && !type->ordered && type->copies == 1) {
		check(hashset_new(&set, memory));
		job->each = collect_set;
	} else if (!sized || (later && type->ordered)) {
		check(hashlist_new(&list, memory));
		job->inorder = collect_list;
	} else if (type->ordered) {
		new_filter(&part[0]);
		job->inorder = add_ordered;
	} else if (parallel_workers(job) == 1 || form_bytes(&form) <= PRIVATE_MAX) {
		new_filter(&part[0]);
		job->each = add_private;
	} else {
		share_filter();
		job->each = add_shared;
	}
}

/* One filter of what all workers have. */
static void
unite(void)
{
	const struct kind *kind = kind_find(form.kind);
	struct mismatch why;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (writer[i])
			bloom_writer_flush(writer[i]);
		bloom_writer_free(writer[i]);
		if (i > 0 && part[i]) {
			check(kind->merge(part[0], part[i], &why));
			kind->free(part[i]);
		}
	}
	bloom_shards_free(shards);
}

void
filling_run(struct filling *f, int count, char *const *operands)
{
	struct job job = opts_job();

	form = f->form;
	sized = f->sized;
	type = form_type(form.kind);
	member = member_find(form.kind);
	choose_way(&job, f->later);
	f->tally = parallel_run(&job, count, operands);
	if (set && !shards) {
		filling_size(&form, hashset_count(set));
		new_filter(&part[0]);
		hashset_each(set, pour, NULL);
	}
	if (list && f->later) {
		f->kept = list;
		new_filter(&part[0]);
	} else if (list) {
		use_list();
	}
	hashset_free(set);
	unite();
	f->form = form;
	f->body = part[0];
}

void
filling_into(struct filling *f, void *body, const char *name)
{
	if (!f->kept)
		return;
	enter(body, hashlist_all(f->kept), (size_t)hashlist_count(f->kept), name);
	hashlist_free(f->kept);
	f->kept = NULL;
}
