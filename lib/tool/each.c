/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "tool/each.h"
#include "tool/member/filters.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

/* A filter has an item. */
struct hit {
	uint32_t item, name;
};

/* A worker's own. */
static struct each {
	struct buffer hits;          /* of a batch, name after name */
	uint32_t *name;              /* the same, item after item */
	size_t room;
	size_t from[BATCH_MAX + 1];  /* those of item i: name[from[i]] to name[from[i + 1] - 1] */
	uint64_t *lines;             /* by name */
} each[WORKERS_MAX];

static void *
need(void *p)
{
	if (!p)
		die(STATUS_MEMORY, "cannot ask so many filters");
	return p;
}

static void
gather(struct buffer *hits, const uint64_t *hash, size_t n)
{
	hits->len = 0;
	for (size_t name = 0; name < filters_names(); name++) {
		bool has[BATCH_MAX];

		if (filters_named_have(name, hash, n, has) == 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			struct hit hit = {(uint32_t)i, (uint32_t)name};
			if (has[i] && buffer_append(hits, &hit, sizeof hit) != OK)
				need(NULL);
		}
	}
}

/* By item, which is how rows are written; names stay in their order. */
static void
deal_out(struct each *e, size_t n)
{
	const struct hit *hit = (const void *)e->hits.at;
	size_t found = e->hits.len / sizeof *hit, next[BATCH_MAX + 1] = {0};

	if (found > e->room) {
		free(e->name);
		e->name = need(malloc(2 * found * sizeof *e->name));
		e->room = 2 * found;
	}
	for (size_t i = 0; i < found; i++)
		next[hit[i].item + 1]++;
	for (size_t i = 0; i < n; i++)
		next[i + 1] += next[i];
	memcpy(e->from, next, sizeof next);
	for (size_t i = 0; i < found; i++)
		e->name[next[hit[i].item]++] = hit[i].name;
}

static void
write_row(unsigned worker, size_t name, struct slice line)
{
	filters_show(parallel_output(worker), name);
	parallel_write(worker, "\t", 1);
	parallel_write(worker, line.at, line.len);
	parallel_write(worker, &shared.scan.end, 1);
}

uint64_t
each_answer(unsigned worker, const struct batch *b, bool count, uint64_t most)
{
	struct each *e = &each[worker];
	uint64_t lines = 0;

	if (count && !e->lines)
		e->lines = need(calloc(filters_names(), sizeof *e->lines));
	gather(&e->hits, b->hash, b->n);
	deal_out(e, b->n);
	for (size_t i = 0; i < b->n && lines < most; i++) {
		for (size_t k = e->from[i]; k < e->from[i + 1]; k++)
			if (count)
				e->lines[e->name[k]]++;
			else
				write_row(worker, e->name[k], b->line[i]);
		lines += e->from[i] < e->from[i + 1];
	}
	return lines;
}

static void
print_count(uint64_t count, const void *name, size_t len)
{
	output_count(count);
	output_byte('\t');
	output_bytes(name, len);
	output_byte(shared.scan.end);
}

void
each_print_counts(uint64_t total)
{
	struct buffer name = {0};

	for (size_t i = 0; i < filters_names(); i++) {
		uint64_t n = 0;
		for (unsigned w = 0; w < WORKERS_MAX; w++)
			n += each[w].lines ? each[w].lines[i] : 0;
		name.len = 0;
		filters_show(&name, i);
		print_count(n, name.at, name.len);
	}
	print_count(total, "total", 5);
	buffer_free(&name);
}

void
each_free(void)
{
	for (unsigned w = 0; w < WORKERS_MAX; w++) {
		buffer_free(&each[w].hits);
		free(each[w].name);
		free(each[w].lines);
		each[w] = (struct each){0};
	}
}
