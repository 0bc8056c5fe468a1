/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * HyperLogLogs that other systems made, from tests/interop/hll: ours of the
 * same items are the same bytes, and both answer what that system answered.
 */
#include <math.h>

#include "base/hash.h"
#include "base/item.h"
#include "interop/systems.h"
#include "sketch/distinct/distinct.h"
#include "check.h"

#define FOLDER "tests/interop/hll/"

/* A line of vectors.tsv. */
struct vector {
	char file[80];
	char items[80];              /* "1-100+51-200", "int64 1-5", "items/odd.txt", ... */
	bool canonical;              /* or another form of what we write */
	double estimate;             /* what the system answered */
};

static struct vector vector[300];
static size_t vectors;

static void
load_vectors(void)
{
	FILE *in = fopen(FOLDER "vectors.tsv", "r");
	char line[300], form[20], estimate[40];

	while (in && fgets(line, sizeof line, in)) {
		struct vector *v = &vector[vectors++];
		CHECK_EQ(sscanf(line, "%79[^\t]\t%79[^\t]\t%19[^\t]\t%39s", v->file, v->items, form,
		    estimate), 4);
		v->canonical = strcmp(form, "canonical") == 0;
		v->estimate = strtod(estimate, NULL);
	}
	if (in)
		fclose(in);
	CHECK(vectors > 170);
}

static struct buffer
load(const char *name)
{
	struct buffer b = {0};
	char path[200], some[4096];
	size_t n;

	snprintf(path, sizeof path, FOLDER "%s", name);
	FILE *in = fopen(path, "rb");
	CHECK(in != NULL);
	while (in && (n = fread(some, 1, sizeof some, in)) > 0)
		CHECK(buffer_append(&b, some, n) == OK);
	if (in)
		fclose(in);
	return b;
}

static const struct system *
system_for(const struct vector *v)
{
	return strncmp(v->file, "redis/", 6) == 0 ? system_find("redis") :
	    strncmp(v->file, "postgresql/", 11) == 0 ? system_find("postgres") :
	    system_find("datasketches");
}

static struct sketch
read_file(const struct vector *v)
{
	struct buffer bytes = load(v->file);
	struct sketch s = {0};
	uint64_t left_out = 1;

	CHECK_EQ(system_for(v)->read(&bytes, &s, &left_out), OK);
	CHECK_EQ(left_out, 0);
	buffer_free(&bytes);
	if (!s.body)
		printf("# %s\n", v->file);
	return s;
}

/* The same without what the order of its items told: the answer of HIP, which no
 * sketch keeps that is united with one that is not empty. */
static struct sketch
read_set(const struct vector *v)
{
	struct sketch s = read_file(v);
	struct mismatch why;

	CHECK_EQ(sketch_merge(&s, &s, &why), OK);
	return s;
}

/* The bytes of a sketch, as its system has them. */
static struct buffer
written(const struct sketch *s)
{
	struct buffer out = {0};

	CHECK_EQ(system_of(s->head.kind)->write(s, buffer_sink(&out)), OK);
	return out;
}

static bool
equal(const struct buffer *a, const struct buffer *b)
{
	return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

static bool
writes_the_same(const struct sketch *a, const struct sketch *b)
{
	struct buffer x = written(a), y = written(b);
	bool same = equal(&x, &y);

	buffer_free(&x);
	buffer_free(&y);
	return same;
}

/* An empty sketch with the settings of another. */
static struct sketch
empty_like(const struct sketch *s)
{
	struct sketch new = {.head = s->head, .kind = s->kind};

	CHECK_EQ(distinct_find(s->head.kind)->make(&new.body, &s->head), OK);
	return new;
}

/* One of many small pieces, which are merged in the end; in several it is as if
 * they had come from several machines. */
struct pieces {
	struct sketch sketch[3];
	size_t n;
	uint64_t seed;
};

static void
add(struct pieces *p, struct slice item)
{
	struct sketch *s = &p->sketch[p->n > 1 ? check_random(&p->seed) % p->n : 0];
	const struct distinct *d = distinct_find(s->head.kind);
	uint64_t hash;

	hash_items(d->hash, &item, 1, &hash);
	CHECK_EQ(d->add(s->body, &hash, 1), OK);
}

/* An item by its text, as that type has it; one that is no such item is left out. */
static void
add_as(struct pieces *p, enum item_type type, struct slice text)
{
	struct buffer b = {0};

	if (item_encode(type, text, &b) == OK)
		add(p, (struct slice){b.at, b.len});
	buffer_free(&b);
}

static void
add_number(struct pieces *p, enum item_type type, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	if (type == ITEM_TEXT)
		add(p, slice_of(text));
	else
		add_as(p, type, slice_of(text));
}

/* Ranges of numbers, from the last to the first if backwards. */
static void
add_ranges(struct pieces *p, enum item_type type, const char *text, bool backwards)
{
	unsigned long long from, to;
	int used;

	for (; sscanf(text, "%llu-%llu%n", &from, &to, &used) == 2; text += used + (text[used] == '+')) {
		uint64_t low = from < to ? from : to, n = (from < to ? to : from) - low + 1;

		backwards ^= from > to;
		for (uint64_t i = 0; i < n; i++)
			add_number(p, type, backwards ? low + n - 1 - i : low + i);
	}
	CHECK(*text == '\0');
}

static void
add_lines(struct pieces *p, enum item_type type, const char *name)
{
	struct buffer b = load(name);

	for (size_t at = 0; at < b.len;) {
		unsigned char *end = memchr(b.at + at, '\n', b.len - at);
		size_t len = (size_t)(end - (b.at + at));
		if (type == ITEM_TEXT)
			add(p, (struct slice){b.at + at, len});
		else
			add_as(p, type, (struct slice){b.at + at, len});
		at += len + 1;
	}
	buffer_free(&b);
}

/* DataSketches skips an empty item, but not if it is told of no bytes at an
 * address; then it has the coupon of the hash of nothing. */
static void
add_counted(struct pieces *p, const char *name)
{
	const uint64_t coupon = 0x0a491bb9;

	add_lines(p, ITEM_TEXT, name);
	CHECK_EQ(distinct_find(KIND_HLL_DATASKETCHES)->add(p->sketch[0].body, &coupon, 1), OK);
}

static void
add_items(struct pieces *p, const char *items, bool backwards)
{
	if (strcmp(items, "empty") == 0)
		add(p, slice_of(""));
	else if (strncmp(items, "counted ", 8) == 0)
		add_counted(p, items + 8);
	else if (strncmp(items, "int64 ", 6) == 0)
		add_ranges(p, ITEM_INT64, items + 6, backwards);
	else if (strncmp(items, "utf16 items/", 12) == 0)
		add_lines(p, ITEM_UTF16, items + 6);
	else if (strncmp(items, "utf16 ", 6) == 0)
		add_ranges(p, ITEM_UTF16, items + 6, backwards);
	else if (strncmp(items, "items/", 6) == 0)
		add_lines(p, ITEM_TEXT, items);
	else if (strcmp(items, "none") != 0)
		add_ranges(p, ITEM_TEXT, items, backwards);
}

/* The sketch of the file's items, in n pieces, in one order or another. */
static struct sketch
build(const struct vector *v, const struct sketch *like, size_t n, bool backwards)
{
	struct pieces p = {.n = n, .seed = n};
	struct mismatch why;

	for (size_t i = 0; i < n; i++)
		p.sketch[i] = empty_like(like);
	add_items(&p, v->items, backwards);
	for (size_t i = 1; i < n; i++) {
		CHECK_EQ(sketch_merge(&p.sketch[0], &p.sketch[i], &why), OK);
		sketch_free(&p.sketch[i]);
	}
	return p.sketch[0];
}

static void
the_items_of_a_file_make_its_bytes(void)
{
	for (size_t i = 0; i < vectors; i++) {
		struct sketch read = read_set(&vector[i]);
		struct sketch built = build(&vector[i], &read, 1, false);
		struct buffer file = load(vector[i].file), out = written(&built);

		if (equal(&file, &out) != vector[i].canonical) {
			printf("# %s\n", vector[i].file);
			CHECK(!"other bytes");
		}
		CHECK(writes_the_same(&read, &built));
		buffer_free(&file);
		buffer_free(&out);
		sketch_free(&read);
		sketch_free(&built);
	}
}

static void
order_and_pieces_do_not_matter(void)
{
	for (size_t i = 0; i < vectors; i++) {
		if (strstr(vector[i].file, "1000000") && !check_long())
			continue;
		struct sketch read = read_set(&vector[i]);
		struct sketch pieces = build(&vector[i], &read, 3, true);
		struct sketch twice = build(&vector[i], &read, 2, false);
		struct mismatch why;

		CHECK(writes_the_same(&read, &pieces));
		CHECK_EQ(sketch_merge(&twice, &pieces, &why), OK);
		CHECK_EQ(sketch_merge(&twice, &read, &why), OK);
		CHECK(writes_the_same(&read, &twice));
		sketch_free(&read);
		sketch_free(&pieces);
		sketch_free(&twice);
	}
}

static void
the_answer_is_that_of_the_system(void)
{
	for (size_t i = 0; i < vectors; i++) {
		struct sketch s = read_file(&vector[i]);
		const struct distinct *d = distinct_find(s.head.kind);
		double got = d->estimate(s.body), want = vector[i].estimate, low, high;

		if (s.head.kind == KIND_HLL_REDIS)
			CHECK(got == want);
		else if (!isnan(want))
			CHECK_IN(got, want * (1 - 1e-9), want * (1 + 1e-9));
		else /* its shift overflowed; the registers are those of 100,000 items */
			CHECK_IN(got, 97000, 103000);
		d->interval(s.body, &low, &high);
		CHECK(low <= got && got <= high);
		sketch_free(&s);
	}
}

/* Through a record of ours, where only the canonical form may stand. */
static void
a_record_holds_what_the_file_held(void)
{
	for (size_t i = 0; i < vectors; i++) {
		struct sketch s = read_file(&vector[i]), back = {0};
		struct buffer payload = {0}, again = {0};
		struct record head = s.head;

		CHECK_EQ(s.kind->save(s.body, &head, &payload), OK);
		CHECK_EQ(head.size, payload.len);
		CHECK_EQ(kind_check(&head), OK);
		CHECK_EQ(sketch_load(&back, &head, &payload), OK);
		CHECK(writes_the_same(&s, &back));
		CHECK_EQ(back.kind->save(back.body, &head, &again), OK);
		sketch_free(&s);
		sketch_free(&back);
		buffer_free(&payload);
		buffer_free(&again);
	}
}

int
main(void)
{
	load_vectors();
	RUN(the_items_of_a_file_make_its_bytes);
	RUN(order_and_pieces_do_not_matter);
	RUN(the_answer_is_that_of_the_system);
	RUN(a_record_holds_what_the_file_held);
	return check_done();
}
