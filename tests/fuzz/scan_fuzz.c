/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Eight bytes of settings, a list of fields and a newline, and lines. All kernels
 * that this processor can run make the same batches of them, wherever the lines
 * lie and whatever stands around them, and account for every line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scan.h"

#define SETTINGS 8

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "scan_fuzz: %s\n", what);
	abort();
}

/* What a kernel said of all lines, as bytes. */
static void
put(struct buffer *out, const void *at, size_t n)
{
	demand(buffer_append(out, at, n) == OK, "no memory");
}

static void
put_slice(struct buffer *out, struct slice s)
{
	put(out, &s.len, sizeof s.len);
	put(out, s.at, s.len);
}

static void
put_batch(struct buffer *out, const struct scan *s, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (s->want_lines)
			put_slice(out, b->line[i]);
		if (s->want_items || s->no_hash)
			put_slice(out, b->item[i]);
		if (s->want_values)
			put(out, &b->value[i], sizeof b->value[i]);
		else if (!s->no_hash)
			put(out, &b->hash[i], sizeof b->hash[i]);
		if (s->has_key)
			put_slice(out, b->key[i]);
		if (s->has_weight)
			put(out, &b->weight[i], sizeof b->weight[i]);
		if (s->has_stamp)
			put(out, &b->time[i], sizeof b->time[i]);
	}
}

/* The lines, with room around them as scanners need it, filled with a byte that
 * must not matter. */
static struct buffer
scan_all(scan_function *scan, const struct scan *s, struct slice lines, unsigned around)
{
	static struct batch batch;
	struct buffer out = {0};
	size_t shift = around % SCAN_SLACK, room = lines.len + 3 * SCAN_SLACK;
	unsigned char *memory = malloc(room);
	uint64_t count = 0, rejected = 0, ignored = 0, n = 0;

	demand(memory != NULL, "no memory");
	memset(memory, (int)around, room);
	unsigned char *at = memory + SCAN_SLACK + shift, *end = at + lines.len;
	memcpy(at, lines.at, lines.len);
	for (const unsigned char *next = at; next < end;) {
		const unsigned char *before = next;
		next = scan(s, next, end, &batch);
		demand(batch.status == OK, "no memory");
		demand(next > before && next <= end, "it does not come on");
		demand(batch.n <= BATCH_MAX && batch.n + batch.rejected <= batch.lines,
		    "more items than lines");
		count += batch.lines;
		rejected += batch.rejected;
		ignored += batch.ignored;
		n += batch.n;
		put_batch(&out, s, &batch);
	}
	uint64_t wanted = 0;
	for (size_t i = 0; i < lines.len; i++)
		wanted += lines.at[i] == s->end;
	demand(count == wanted, "not as many lines as there are ends");
	demand(n + rejected == count || s->skip_empty, "a line is neither an item nor rejected");
	put(&out, &rejected, sizeof rejected);
	put(&out, &ignored, sizeof ignored);
	put(&out, &n, sizeof n);
	free(memory);
	return out;
}

static struct scan
settings(const uint8_t b[SETTINGS], const struct fields *fields)
{
	static const unsigned char delimiters[] = {',', '\t', ';', ' ', '|', ':', 'a', '"'};
	struct fields one = {.n = 1, .at[0] = {1 + b[3] % 4, 1 + b[3] % 4, NULL, 0}};
	struct scan s = {
		.end = b[0] & 1 ? '\0' : '\n',
		.crlf = b[0] >> 1 & 1,
		.fold = b[0] >> 2 & 1,
		.skip_empty = b[0] >> 3 & 1,
		.want_items = b[0] >> 4 & 1,
		.want_lines = b[0] >> 5 & 1,
		.no_hash = b[0] >> 6 & 1,
		.want_values = b[0] >> 7 & 1,
		.has_key = b[1] & 1,
		.has_weight = (b[1] & 6) == 6,
		.has_stamp = (b[1] & 24) == 24,
		.hash = HASH_XXH3,
		.unit = (enum unit)(b[1] >> 5),
		.mode = (enum field_mode)(b[2] % 5),
		.delimiter = delimiters[b[2] / 5 % sizeof delimiters],
		.seed = b[4],
		.item = *fields,
		.key = one, .weight = one, .stamp = one,
	};

	/* Another system's hash, of another type. */
	if (b[5] & 1 && !s.want_values && !s.no_hash) {
		static const unsigned char hashes[] = {HASH_XXH64, HASH_FNV1, HASH_MURMUR64A,
		    HASH_MURMUR3, HASH_MURMUR3_COUPON};
		s.hash = hashes[b[5] / 2 % sizeof hashes];
		s.item_type = b[6] % (ITEM_TYPE_MAX + 1);
		s.seed = 0;
		s.want_items = true;
	}
	if (s.want_values)
		s.no_hash = false;
	return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fields fields = {0};
	const uint8_t *end = size > SETTINGS ? memchr(data + SETTINGS, '\n', size - SETTINGS) : NULL;

	if (!end)
		return 0;
	char *list = strndup((const char *)data + SETTINGS, (size_t)(end - data) - SETTINGS);
	demand(list != NULL, "no memory");
	const char *wrong = *list ? fields_parse(list, &fields) : NULL;
	demand(!wrong || *wrong, "wrong, but not why");
	if (!wrong && !fields.named) {
		struct scan s = settings(data, &fields);
		struct buffer lines = {0};
		put(&lines, end + 1, (size_t)(data + size - end - 1));
		put(&lines, &s.end, 1);
		struct slice all = {lines.at, lines.len};
		struct buffer want = scan_all(scan_batch_plain, &s, all, 0);
		scan_function *const others[] = {scan_batch_base, scan_choose(), scan_batch_plain};
		for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
			struct buffer got = scan_all(others[i], &s, all, data[7] + (unsigned)i);
			demand(slice_equal((struct slice){got.at, got.len},
			    (struct slice){want.at, want.len}), "kernels disagree");
			buffer_free(&got);
		}
		buffer_free(&want);
		buffer_free(&lines);
	}
	free(list);
	return 0;
}
