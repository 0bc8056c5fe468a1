/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/salt.h"
#include "sketch/nearness/minhash.h"
#include "sketch/nearness/minhash_body.h"

/*
 * Idea. Hash every element to 64 random bits, and keep the k smallest hashes. They
 * are a random sample of the set, and the same one wherever the set was seen: two
 * sets that share elements share those of the sample. And the k-th of them tells how
 * many there are: if the k-th smallest of the hashes is a 1000th of the largest
 * number, the set has 1000 k elements or so.
 *
 * Papers. Broder, "On the resemblance and containment of documents", 1997; Bar-Yossef
 * and others, "Counting distinct elements in a data stream", 2002; Dasgupta, Lang,
 * Rhodes, Thaler, "A framework for estimating stream expression cardinalities", 2016.
 *
 * Error. Drawn as they are without putting back, the elements in the sample that both
 * sets have are a share with the standard deviation sqrt(J (1 - J) / k) at most; k
 * alone drives it. It is less where the sample is a good part of both sets, and
 * none if it is all. A number of distinct elements is off by 1 / sqrt(k - 2).
 *
 *	     k     bytes     J = 0.5     0.8     0.9    0.95     distinct
 *	    16       128       0.125   0.100   0.075   0.054         27 %
 *	   128     1,024       0.044   0.035   0.027   0.019        8.9 %
 *	 1,024     8,192       0.016   0.013   0.009   0.007        3.1 %
 *	 4,096    32,768       0.008   0.006   0.005   0.003        1.6 %
 *	65,536   524,288       0.002   0.002   0.001   0.001        0.4 %
 *
 * While it is built. What is to come in must be told from what is in already, so the
 * hashes are in a table; and it may hold up to 2 k, so that the k-th smallest is
 * looked for once in k of those that came in. A hash above it is dismissed by one
 * comparison, which is all that happens to most: of n distinct elements only some
 * k log(n / k) come in.
 *
 * How it lies in a file: minhash_kind.c. How two are compared: minhash_compare.c.
 */

/* The first table of few: most keys of --by have few elements. */
#define FIRST_ROOM 16

void
minhash_put_features(struct record *settings, const struct feature_rule *rule)
{
	settings->param[MINHASH_PARAM_UNIT] = rule->unit == FEATURE_WORD ? MINHASH_WORDS :
	    MINHASH_CHARS;
	settings->param[MINHASH_PARAM_RUN] = rule->n;
}

bool
minhash_get_features(const struct record *settings, struct feature_rule *rule)
{
	if (settings->param[MINHASH_PARAM_UNIT] == MINHASH_ITEMS)
		return false;
	rule->unit = settings->param[MINHASH_PARAM_UNIT] == MINHASH_WORDS ? FEATURE_WORD :
	    FEATURE_CHAR;
	rule->n = (unsigned)settings->param[MINHASH_PARAM_RUN];
	return true;
}

enum status
minhash_new(struct minhash **out, const struct record *settings)
{
	uint64_t size = settings->param[MINHASH_PARAM_SIZE];
	uint64_t unit = settings->param[MINHASH_PARAM_UNIT];
	uint64_t run = settings->param[MINHASH_PARAM_RUN];

	if (size < MINHASH_SIZE_MIN || size > MINHASH_SIZE_MAX || unit > MINHASH_CHARS ||
	    run > FEATURE_RUN_MAX || (unit == MINHASH_ITEMS) != (run == 0))
		return STATUS_PARAMETER;
	struct minhash *m = calloc(1, sizeof *m);
	if (!m)
		return STATUS_MEMORY;
	m->size = (uint32_t)size;
	m->unit = (unsigned char)unit;
	m->run = (unsigned char)run;
	m->limit = UINT64_MAX;
	*out = m;
	return OK;
}

void
minhash_free(struct minhash *m)
{
	if (!m)
		return;
	free(m->sorted);
	free(m->table);
	free(m);
}

/* The table of a full one. */
static size_t
room_max(const struct minhash *m)
{
	size_t room = FIRST_ROOM;

	while (room < 4 * (size_t)m->size)
		room *= 2;
	return room;
}

/* Where a hash other than 0 is, or belongs. Salted: those in a table are small, and may
 * have been chosen. They are sorted before anybody sees them. */
static inline uint64_t *
place_of(uint64_t *table, size_t room, uint64_t hash)
{
	size_t i = (size_t)hash_place(salt_scatter(hash), room);

	while (table[i] != 0 && table[i] != hash)
		i = (i + 1) & (room - 1);
	return &table[i];
}

/* A table of this room with those hashes that are no greater than limit. */
static enum status
move_to(struct minhash *m, size_t room, uint64_t limit)
{
	uint64_t *table = calloc(room, sizeof *table);
	size_t n = m->zero;

	if (!table)
		return STATUS_MEMORY;
	for (size_t i = 0; i < m->room; i++) {
		if (m->table[i] == 0 || m->table[i] > limit)
			continue;
		*place_of(table, room, m->table[i]) = m->table[i];
		n++;
	}
	free(m->table);
	m->table = table;
	m->room = room;
	m->n = n;
	m->limit = limit;
	return OK;
}

/* The k-th smallest of the hashes in an open one, of which there are more: byte by
 * byte from the highest, how many have which one. */
static uint64_t
limit_of(const struct minhash *m)
{
	uint64_t found = 0;
	size_t k = m->size - m->zero;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t count[256] = {0};
		unsigned byte = 0;

		for (size_t i = 0; i < m->room; i++) {
			uint64_t h = m->table[i];
			if (h != 0 && (shift == 56 || h >> (shift + 8) == found >> (shift + 8)))
				count[h >> shift & 255]++;
		}
		while (k > count[byte])
			k -= count[byte++];
		found |= (uint64_t)byte << shift;
	}
	return found;
}

/* Make room for one more. */
static enum status
make_room(struct minhash *m)
{
	if (m->room < room_max(m))
		return move_to(m, m->room > 0 ? 2 * m->room : FIRST_ROOM, m->limit);
	enum status st = move_to(m, m->room, limit_of(m));
	if (st == OK)
		m->more = true;
	return st;
}

/* From sorted to open. */
static enum status
open_again(struct minhash *m)
{
	size_t room = FIRST_ROOM;

	if (!m->sorted)
		return OK;
	while (room / 2 < m->n)
		room *= 2;
	uint64_t *table = calloc(room, sizeof *table);
	if (!table)
		return STATUS_MEMORY;
	for (size_t i = 0; i < m->n; i++)
		if (m->sorted[i] != 0)
			*place_of(table, room, m->sorted[i]) = m->sorted[i];
	m->zero = m->n > 0 && m->sorted[0] == 0;
	m->limit = m->more ? m->sorted[m->n - 1] : UINT64_MAX;
	m->table = table;
	m->room = room;
	free(m->sorted);
	m->sorted = NULL;
	return OK;
}

enum status
minhash_add(struct minhash *m, const uint64_t *hash, size_t n)
{
	enum status st = open_again(m);

	for (size_t i = 0; st == OK && i < n; i++) {
		if (hash[i] > m->limit)
			continue;
		if (hash[i] == 0) {
			m->n += !m->zero;
			m->zero = true;
			continue;
		}
		uint64_t *place = m->room > 0 ? place_of(m->table, m->room, hash[i]) : NULL;
		if (place && *place != 0)
			continue;
		if (!place || 2 * m->n >= m->room || m->n == 2 * (size_t)m->size) {
			st = make_room(m);
			if (st != OK || hash[i] > m->limit)
				continue;
			place = place_of(m->table, m->room, hash[i]);
		}
		*place = hash[i];
		m->n++;
	}
	return st;
}

static int
ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

enum status
minhash_look(const struct minhash *m, struct minhash_view *v)
{
	size_t n = 0;

	*v = (struct minhash_view){.at = m->sorted, .n = m->n, .more = m->more};
	if (m->sorted || m->n == 0)
		return OK;
	v->own = malloc(m->n * sizeof *v->own);
	if (!v->own)
		return STATUS_MEMORY;
	if (m->zero)
		v->own[n++] = 0;
	for (size_t i = 0; i < m->room; i++)
		if (m->table[i] != 0)
			v->own[n++] = m->table[i];
	qsort(v->own, n, sizeof *v->own, ascending);
	v->at = v->own;
	if (v->n > m->size) {
		v->n = m->size;
		v->more = true;
	}
	return OK;
}

void
minhash_replace(struct minhash *m, uint64_t *sorted, size_t n, bool more)
{
	free(m->sorted);
	free(m->table);
	m->sorted = sorted;
	m->table = NULL;
	m->room = 0;
	m->n = n;
	m->more = more;
}

bool
minhash_exact(const struct minhash *m)
{
	return !m->more && m->n <= m->size;
}

/* The k-th smallest hash of a set that has more. */
static uint64_t
last(const struct minhash *m)
{
	return m->sorted ? m->sorted[m->n - 1] : m->n > m->size ? limit_of(m) : m->limit;
}

double
minhash_estimate(const struct minhash *m)
{
	if (minhash_exact(m))
		return (double)m->n;
	return estimate_sampled(m->size - 1, ldexp((double)last(m), -64)).value;
}

void
minhash_interval(const struct minhash *m, double *low, double *high)
{
	*low = *high = (double)m->n;
	if (minhash_exact(m))
		return;
	struct estimate e = estimate_sampled(m->size - 1, ldexp((double)last(m), -64));
	*low = e.low;
	*high = e.high;
}

static const char *
describe(const struct minhash *m, char text[16])
{
	if (m->unit == MINHASH_ITEMS)
		return "items";
	snprintf(text, 16, "%s:%u", m->unit == MINHASH_WORDS ? "word" : "char", m->run);
	return text;
}

enum status
minhash_alike(const struct minhash *a, const struct minhash *b, struct mismatch *why)
{
	char text[2][16];

	if (a->unit == b->unit && a->run == b->run)
		return OK;
	snprintf(why->text, sizeof why->text, "elements %s and %s", describe(a, text[0]),
	    describe(b, text[1]));
	return STATUS_MISMATCH;
}

/* The smallest of both, each once, up to size; *more: there were others. */
static size_t
smallest(const struct minhash_view *a, const struct minhash_view *b, size_t size, uint64_t *out,
    bool *more)
{
	size_t n = 0, i = 0, j = 0;

	while (n < size && (i < a->n || j < b->n)) {
		bool first = i < a->n && (j == b->n || a->at[i] <= b->at[j]);
		uint64_t h = first ? a->at[i] : b->at[j];

		i += i < a->n && a->at[i] == h;
		j += j < b->n && b->at[j] == h;
		out[n++] = h;
	}
	*more = a->more || b->more || i < a->n || j < b->n;
	return n;
}

enum status
minhash_merge(struct minhash *into, const struct minhash *from, struct mismatch *why)
{
	struct minhash_view a = {0}, b = {0};
	uint64_t *out = NULL;
	bool more;

	enum status st = minhash_alike(into, from, why);
	if (st != OK || into == from)
		return st;
	uint32_t size = into->size < from->size ? into->size : from->size;
	st = minhash_look(into, &a);
	if (st == OK)
		st = minhash_look(from, &b);
	if (st == OK) {
		size_t all = a.n + b.n < size ? a.n + b.n : size;
		out = malloc((all + 1) * sizeof *out);
		st = out ? OK : STATUS_MEMORY;
	}
	if (out) {
		size_t n = smallest(&a, &b, size, out, &more);
		minhash_replace(into, out, n, more);
		into->size = size;
	}
	free(a.own);
	free(b.own);
	return st;
}

double
minhash_error(uint64_t size)
{
	return 0.5 / sqrt((double)size);
}

uint64_t
minhash_size_for(double error)
{
	for (uint64_t size = MINHASH_SIZE_MIN; size <= MINHASH_SIZE_MAX; size++)
		if (minhash_error(size) <= error)
			return size;
	return 0;
}

size_t
minhash_memory(const struct minhash *m)
{
	return sizeof *m + (m->sorted ? m->n : m->room) * sizeof(uint64_t);
}
