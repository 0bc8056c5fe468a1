/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Keys are spread over 16 maps by the top bits of their hashes, with a lock
 * each. A batch is sorted by map first, so a lock is taken for some 16 items.
 * Filters take items in any order, so it does not matter who comes first.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "sketch/member/filtermap.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "tool/member/filling_by.h"
#include "tool/options/opts.h"
#include "tool/member/overfill.h"
#include "tool/report.h"
#include "tool/files/table.h"
#include "tool/files/tablefile.h"

#define MAPS 16
#define MAP_OF(key_hash) ((key_hash) >> 60)

static struct {
	struct filtermap *map;
	pthread_mutex_t lock;
	size_t next;                 /* its first key that is not written yet: */
	struct slice key;
} maps[MAPS];

/* The maps that have such a key, by ascending key. */
static unsigned queue[MAPS], queued;

static _Atomic uint64_t memory;

static struct record head;           /* of an empty filter */
static const struct member *member;

/* For the end's sake. */
static struct {
	uint64_t keys, bytes, overfilled;
	char name[64];               /* the first overfilled one's key */
} written;

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot hold one filter per key");
}

static void
add_to_map(unsigned map, const struct batch *b, const unsigned char *item, size_t n)
{
	uint64_t key_hash[BATCH_MAX];

	for (size_t i = 0; i < n; i++)
		key_hash[i] = b->key_hash[item[i]];
	pthread_mutex_lock(&maps[map].lock);
	filtermap_fetch(maps[map].map, key_hash, n);
	uint64_t before = filtermap_memory(maps[map].map);
	for (size_t i = 0; i < n; i++)
		check(filtermap_add(maps[map].map, b->key[item[i]], key_hash[i],
		    b->hash[item[i]]));
	memory += filtermap_memory(maps[map].map) - before;
	pthread_mutex_unlock(&maps[map].lock);
}

static enum verdict
add(void *context, unsigned worker, struct batch *b)
{
	unsigned char item[BATCH_MAX];
	size_t start[MAPS + 1] = {0}, at[MAPS];

	(void)context;
	(void)worker;
	for (size_t i = 0; i < b->n; i++)
		start[MAP_OF(b->key_hash[i]) + 1]++;
	for (unsigned m = 0; m < MAPS; m++) {
		start[m + 1] += start[m];
		at[m] = start[m];
	}
	for (size_t i = 0; i < b->n; i++)
		item[at[MAP_OF(b->key_hash[i])]++] = (unsigned char)i;
	for (unsigned m = 0; m < MAPS; m++)
		if (start[m] < start[m + 1])
			add_to_map(m, b, item + start[m], start[m + 1] - start[m]);
	if (shared.memory_given && memory > shared.memory)
		die_exit(EXIT_SYSTEM, "cannot hold one filter per key: that takes more than -M allows");
	return GO_ON;
}

/* Put a map into the queue, if it has another key: before the first one whose
 * key is not less, found by halving. No two maps have the same key. */
static void
enqueue(unsigned map)
{
	unsigned low = 0, high = queued;

	if (maps[map].next == filtermap_keys(maps[map].map))
		return;
	maps[map].key = filtermap_key(maps[map].map, maps[map].next);
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (slice_compare(maps[queue[middle]].key, maps[map].key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(queue + low + 1, queue + low, (queued - low) * sizeof queue[0]);
	queue[low] = map;
	queued++;
}

/* The filter of the least key that is not written yet, and go on to the next. */
static struct slice
make_next(struct record *of, struct slice *payload)
{
	unsigned map = queue[0];
	struct slice key = maps[map].key;
	struct form form;

	*of = head;
	enum status st = filtermap_filter(maps[map].map, maps[map].next++, &form, of, payload);
	if (st != OK)
		die(st, "cannot make the filter of a key");
	memmove(queue, queue + 1, --queued * sizeof queue[0]);
	enqueue(map);
	return key;
}

static void
look_at(struct slice key, const void *body, const struct record *of)
{
	written.keys++;
	if (of->flags & FLAG_AUTO || !overfill_is(member, body, of))
		return;
	if (written.overfilled++ == 0)
		snprintf(written.name, sizeof written.name, "%.*s",
		    key.len < sizeof written.name ? (int)key.len : (int)sizeof written.name,
		    (const char *)key.at);
}

static void
write_next(void *context)
{
	struct slice payload;
	struct record of;
	void *body;

	(void)context;
	struct slice key = make_next(&of, &payload);
	check(member->map(&body, &of, payload.at));
	look_at(key, body, &of);
	kind_find(of.kind)->free(body);
	table_entry(key, &of, payload);
	written.bytes += of.size;
}

static bool
peek(void *context, struct slice *key)
{
	(void)context;
	if (queued > 0)
		*key = maps[queue[0]].key;
	return queued > 0;
}

static void
take_next(void *context, struct sketch *mine)
{
	struct record of;
	struct slice payload;
	struct buffer copy = {0};

	(void)context;
	make_next(&of, &payload);
	check(buffer_append(&copy, payload.at, payload.len));
	check(sketch_load(mine, &of, &copy));
	buffer_free(&copy);
}

/* It may have been folded. */
static void
look_at_old(void *context, struct slice key, struct sketch *old)
{
	struct record of = old->head;
	struct slice payload;

	(void)context;
	look_at(key, old->body, &of);
	old->kind->view(old->body, &of, &payload);
	written.bytes += of.size;
}

static void
report(const struct form *form)
{
	char size[NUM_REAL_SIZE];

	if (written.overfilled > 0)
		lament("%llu of %llu filters are overfilled, sized for %llu items each: "
		    "that of '%s' to begin with", (unsigned long long)written.overfilled,
		    (unsigned long long)written.keys, (unsigned long long)form->capacity,
		    written.name);
	if (shared.stats)
		note("%llu keys, %s of filters", (unsigned long long)written.keys,
		    num_bytes(size, written.bytes));
}

void
filling_by(struct filling *f, const struct record *identity, int count, char *const *operands)
{
	struct job job = opts_job();

	member = member_find(f->form.kind);
	if (!f->sized)
		filling_size(&f->form, 0);
	head = *identity;
	form_head(&f->form, &head);
	if (!f->sized)
		head.flags |= FLAG_AUTO;
	for (unsigned m = 0; m < MAPS; m++) {
		pthread_mutex_init(&maps[m].lock, NULL);
		check(filtermap_new(&maps[m].map, &f->form, f->sized));
	}
	job.each = add;
	f->tally = parallel_run(&job, count, operands);
	for (unsigned m = 0; m < MAPS; m++) {
		check(filtermap_sort(maps[m].map));
		enqueue(m);
	}
	tablefile_write(&(struct tablefile){
		.only = MEMBER_KINDS, .head = head, .peek = peek, .write = write_next,
		.take = take_next, .old = look_at_old,
	});
	report(&f->form);
	for (unsigned m = 0; m < MAPS; m++) {
		filtermap_free(maps[m].map);
		pthread_mutex_destroy(&maps[m].lock);
	}
}
