/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Counting Bloom filters.
 *
 * A classic Bloom filter with a small counter in place of each bit: adding an
 * item adds 1 to each of its k counters, removing takes 1 away, and an item
 * was seen if all of its counters are above 0.
 *
 *	L. Fan, P. Cao, J. Almeida, A. Z. Broder, "Summary Cache: A Scalable
 *	Wide-Area Web Cache Sharing Protocol", IEEE/ACM Trans. Netw. 8 (2000)
 *
 * Size, places and fpp are those of the classic filter (bloom_size.c), so 38
 * bits an item at 1 %. Four bits a counter suffice: at the capacity a counter
 * has ln 2 probes on average, and one in 10^15 gets to 16 (Fan et al., 5.2).
 * But a single item that is added 15 times gets its counters there by itself.
 *
 * WHAT IS DUE. A counter below 15 is the sum, over all copies of all items in
 * the filter, of how many of the item's probes fall on it. An item may hit one
 * counter twice; then a copy adds 2, and removing one takes 2. At 15 nobody
 * knows how many more came, so such a counter stays there for good: were it
 * ever counted down, it could reach 0 while an item still needs it. The price
 * is that what is removed may still be found, and that an item all of whose
 * counters are at 15 cannot be removed.
 *
 * An item is surely absent if one of its counters is less than what one copy
 * of it adds there. Nothing is taken then. Something that was never added but
 * passes this test, with at most the chance of a false positive, would be
 * taken from others; that is the one way to a false no.
 *
 * SUMS. min(15, a + b) is commutative and associative. So in any order, by any
 * number of threads, and from parts that are united later, the same items give
 * the same bytes; and neighbours summed up are the filter that would have been
 * built smaller (bloom_bits.c says why). After removals that holds only while
 * no counter got to 15.
 *
 * PAYLOAD, the counters as they lie in memory: ceil(m/2) bytes, counter i in
 * the low half of byte i/2 if i is even, else in the high half; if m is odd
 * the last high half is 0. Parameters as of a classic filter: 0 size (m),
 * 1 probes (k), 2 capacity, 3 the wanted fpp as the bits of a double.
 *
 * EXAMPLE. m = 95851, k = 7, "abc" with seed 0: 1 is added to the counters
 * 45186, 89672, 1695, 32196, 48713, 14634 and 85048; the first of them is the
 * low half of byte 22593.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_body.h"
#include "sketch/member/counting.h"

struct counting {
	struct bloom_shape shape;
	unsigned char *cells;        /* NULL if they may only be read */
	const unsigned char *read;   /* the same, or the caller's */
	struct pages pages;          /* they lie here, if made by us */
	struct buffer loaded;        /* or here, if they came in a record */
};

enum status
counting_new(struct counting **out, const struct bloom_shape *shape)
{
	if (shape->type != BLOOM_CLASSIC || !bloom_shape_valid(shape))
		return STATUS_PARAMETER;
	struct counting *c = calloc(1, sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	c->shape = *shape;
	enum status st = pages_map(&c->pages, counting_bytes(shape));
	if (st != OK) {
		free(c);
		return st;
	}
	c->read = c->cells = c->pages.at;
	*out = c;
	return OK;
}

static enum status
check(const struct record *head)
{
	struct bloom_shape shape = bloom_shape_of(head);

	if (!bloom_shape_valid(&shape))
		return STATUS_PARAMETER;
	for (unsigned i = 4; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;
	return head->size == counting_bytes(&shape) ? OK : STATUS_SIZE;
}

enum status
counting_map(struct counting **out, const struct record *head, const unsigned char *payload)
{
	if (head->kind != KIND_BLOOM_COUNTING)
		return STATUS_UNSUPPORTED;
	enum status st = check(head);
	if (st != OK)
		return st;
	struct bloom_shape shape = bloom_shape_of(head);
	/* A counter past the last one would be counted. */
	if (shape.size % 2 != 0 && payload[shape.size / 2] > CELL_MAX)
		return STATUS_INVARIANT;
	struct counting *c = calloc(1, sizeof *c);
	if (!c)
		return STATUS_MEMORY;
	c->shape = shape;
	c->read = payload;
	*out = c;
	return OK;
}

/* From a record: the buffer's memory becomes the filter. */
static enum status
load(void **out, const struct record *head, struct buffer *payload)
{
	struct counting *c;
	enum status st = counting_map(&c, head, payload->at);

	if (st != OK)
		return st;
	c->loaded = *payload;
	c->cells = c->loaded.at;
	*payload = (struct buffer){0};
	*out = c;
	return OK;
}

void
counting_free(struct counting *c)
{
	if (!c)
		return;
	pages_unmap(&c->pages);
	buffer_free(&c->loaded);
	free(c);
}

const struct bloom_shape *
counting_shape(const struct counting *c)
{
	return &c->shape;
}

void
counting_add(struct counting *c, const uint64_t *hash, size_t n)
{
	assert(c->cells);
	counting_cells_add(c->cells, &c->shape, hash, n);
}

size_t
counting_has(const struct counting *c, const uint64_t *hash, size_t n, bool *has)
{
	return counting_cells_has(c->read, &c->shape, hash, n, has);
}

bool
counting_meet(struct counting *c, uint64_t hash)
{
	assert(c->cells);
	return counting_cells_meet(c->cells, &c->shape, hash);
}

enum removal
counting_remove(struct counting *c, uint64_t hash)
{
	assert(c->cells);
	return counting_cells_remove(c->cells, &c->shape, hash);
}

struct bloom_target
counting_target(struct counting *c)
{
	assert(c->cells);
	/* 128 counters are a cache line. */
	return (struct bloom_target){
		.at = c->cells, .shape = &c->shape, .line = 7, .set = counting_cells_set,
	};
}

enum status
counting_fold(struct counting *c, uint64_t size)
{
	if (size < 1 || c->shape.size % size != 0)
		return STATUS_PARAMETER;
	assert(c->cells);
	if (size != c->shape.size)
		counting_cells_fold(c->cells, c->cells, &c->shape, c->shape.size / size);
	c->shape = bloom_shape_folded(&c->shape, size);
	return OK;
}

void
counting_promise(struct counting *c, double fpp)
{
	c->shape.fpp = fpp;
	c->shape.capacity = bloom_room(&c->shape, fpp);
}

/* A new filter, folded from one that stays. */
static enum status
fold_copy(struct counting **out, const struct counting *from, uint64_t size)
{
	struct bloom_shape shape = bloom_shape_folded(&from->shape, size);
	enum status st = counting_new(out, &shape);

	if (st == OK)
		counting_cells_fold((*out)->cells, from->read, &from->shape,
		    from->shape.size / size);
	return st;
}

/* How two filters become one: the sum of their counters, or the smaller. */
struct join {
	void (*cells)(unsigned char *to, const unsigned char *from, uint64_t bytes);
};

static enum status
join_folded(struct counting *into, const struct counting *from, struct join join,
    struct mismatch *why)
{
	uint64_t size = common_divisor(into->shape.size, from->shape.size);
	struct counting *a = NULL, *b = NULL;
	enum status st;

	if ((st = fold_copy(&a, into, size)) != OK)
		goto out;
	if ((st = fold_copy(&b, from, size)) != OK)
		goto out;
	join.cells(a->cells, b->read, counting_bytes(&a->shape));
	bloom_shape_unite(&a->shape, &b->shape);

	double fpp = counting_fill(a).fpp;
	if (fpp > BLOOM_FOLD_SLACK * a->shape.fpp) {
		snprintf(why->text, sizeof why->text,
		    "counters %llu and %llu, folded to %llu the fpp is %.2g for %.2g",
		    (unsigned long long)into->shape.size, (unsigned long long)from->shape.size,
		    (unsigned long long)size, fpp, a->shape.fpp);
		st = STATUS_MISMATCH;
		goto out;
	}
	/* The old memory leaves with a. */
	struct counting old = *into;
	*into = *a;
	*a = old;
out:
	counting_free(a);
	counting_free(b);
	return st;
}

static enum status
join_alike(struct counting *into, const struct counting *from, struct join join,
    struct mismatch *why)
{
	if (into->shape.probes != from->shape.probes) {
		snprintf(why->text, sizeof why->text, "probes %u and %u",
		    into->shape.probes, from->shape.probes);
		return STATUS_MISMATCH;
	}
	if (into->shape.size != from->shape.size)
		return join_folded(into, from, join, why);
	assert(into->cells);
	join.cells(into->cells, from->read, counting_bytes(&into->shape));
	bloom_shape_unite(&into->shape, &from->shape);
	return OK;
}

enum status
counting_merge(struct counting *into, const struct counting *from, struct mismatch *why)
{
	return join_alike(into, from, (struct join){counting_cells_sum}, why);
}

enum status
counting_intersect(struct counting *into, const struct counting *from, struct mismatch *why)
{
	return join_alike(into, from, (struct join){counting_cells_min}, why);
}

struct fill
counting_fill(const struct counting *c)
{
	struct bloom_count count = counting_cells_count(c->read, &c->shape).bits;

	return (struct fill){
		bloom_count_distinct(count, &c->shape), bloom_count_fpp(count, &c->shape),
	};
}

uint64_t
counting_permanent(const struct counting *c)
{
	return counting_cells_count(c->read, &c->shape).permanent;
}

void
counting_head(const struct counting *c, struct record *head)
{
	head->kind = KIND_BLOOM_COUNTING;
	head->version = 1;
	head->size = counting_bytes(&c->shape);
	bloom_shape_put(&c->shape, head);
}

struct slice
counting_payload(const struct counting *c)
{
	return (struct slice){c->read, (size_t)counting_bytes(&c->shape)};
}

static void
view(const void *sketch, struct record *head, struct slice *payload)
{
	counting_head(sketch, head);
	*payload = counting_payload(sketch);
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	struct slice cells = counting_payload(sketch);
	enum status st = buffer_append(payload, cells.at, cells.len);

	if (st == OK)
		counting_head(sketch, head);
	return st;
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return counting_merge(into, from, why);
}

static enum status
intersect(void *into, const void *from, struct mismatch *why)
{
	return counting_intersect(into, from, why);
}

static enum status
compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return counting_compare(a, b, c, why);
}

static void
settings(const struct record *head, struct facts *f)
{
	struct bloom_shape shape = bloom_shape_of(head);

	bloom_shape_facts("counting", "counters", &shape, f);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct counting *c = sketch;
	struct counting_count count = counting_cells_count(c->read, &c->shape);

	bloom_shape_facts("counting", "counters", &c->shape, f);
	bloom_fill_facts(count.bits, &c->shape, f);
	fact_count(f, "permanent", count.permanent);
}

static void
destroy(void *sketch)
{
	counting_free(sketch);
}

const struct kind counting_kind = {
	.id = KIND_BLOOM_COUNTING, .version = 1, .name = "bloom-counting",
	.check = check, .load = load, .save = save, .merge = merge,
	.intersect = intersect, .compare = compare, .fold = &counting_folding,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};
