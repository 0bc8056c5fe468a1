/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * A Count-Min sketch (Cormode and Muthukrishnan, 2005) without rows, in which a
 * cell is a meter. It errs in one direction: what passed of others may be taken
 * for this one's, so a line is held back that should pass, never the other way.
 *
 * CONSERVATIVE UPDATE (Estan and Varghese, 2002): only cells that are too low are
 * raised. A cell must hold at least what each of its hashes has had, and not the
 * sum of that. With panes, this must go on to hold when the older ones have
 * gone; so it is done for the sums of the newest pane, of the two newest, and so
 * on, each by itself, and a cell that has enough in all panes may still get one
 * in the newest pane, at the cost of an older one:
 *
 *	passed in panes        newest first       sums
 *	the cell               0  3  1            0  3  4
 *	the hash, at least     0  0  2            0  0  2
 *	one more of it passes                     1  1  3
 *	the cell then          1  2  1            1  3  4
 *
 * What a cell has of a pane never grows but by what passes in that pane, so a
 * count stays within the limit, and in as many bits.
 */
#include "base/hash.h"
#include "sketch/frequency/metergrid.h"

#define WORD 64

/* One meter of the grid. */
struct cell {
	uint64_t *word;
	unsigned shift;              /* where it begins, if it shares the word */
};

enum status
metergrid_init(struct metergrid *g, const struct meter_form *f, uint64_t bytes)
{
	unsigned bits = meter_bits(f);

	*g = (struct metergrid){.words = f->words, .share = bits > WORD ? 1 : WORD / bits, .bits = bits};
	g->places = bytes / (g->words * sizeof *g->at);
	enum status st = pages_map(&g->pages, metergrid_bytes(g));
	g->at = (uint64_t *)(void *)g->pages.at;
	return st;
}

void
metergrid_clear(struct metergrid *g)
{
	pages_unmap(&g->pages);
	*g = (struct metergrid){0};
}

uint64_t
metergrid_bytes(const struct metergrid *g)
{
	return g->places * g->words * sizeof *g->at;
}

/* Its place by the high bits of a step of the hash, and there by the low ones. */
static inline struct cell
cell_of(const struct metergrid *g, uint64_t hash, unsigned j)
{
	uint64_t step = hash_step(hash, j + 1);
	unsigned share = (unsigned)((step & UINT32_MAX) * g->share >> 32);

	return (struct cell){g->at + hash_place(step, g->places) * g->words, share * g->bits};
}

static inline void
read_cell(const struct metergrid *g, const struct meter_form *f, struct cell c, unsigned now,
    struct meter_sums *sums)
{
	if (g->share == 1) {
		meter_read(f, c.word, now, sums);
		return;
	}
	uint64_t alone = *c.word >> c.shift & ((UINT64_C(1) << g->bits) - 1);
	meter_read(f, &alone, now, sums);
}

static inline void
write_cell(const struct metergrid *g, const struct meter_form *f, struct cell c, unsigned now,
    const struct meter_sums *sums)
{
	if (g->share == 1) {
		meter_write(f, c.word, now, sums);
		return;
	}
	uint64_t alone;
	meter_write(f, &alone, now, sums);
	*c.word &= ~(((UINT64_C(1) << g->bits) - 1) << c.shift);
	*c.word |= alone << c.shift;
}

bool
metergrid_pass(struct metergrid *g, const struct meter_form *f, unsigned now, uint64_t hash,
    unsigned age, uint64_t weight)
{
	struct cell cell[METERGRID_DEPTH];
	struct meter_sums sums[METERGRID_DEPTH], least;

	for (unsigned j = 0; j < METERGRID_DEPTH; j++) {
		cell[j] = cell_of(g, hash, j);
		read_cell(g, f, cell[j], now, &sums[j]);
		if (j == 0)
			least = sums[0];
		else
			meter_meet(f, &least, &sums[j]);
	}
	if (!meter_room(f, &least, age, weight))
		return false;
	for (unsigned j = 0; j < METERGRID_DEPTH; j++) {
		meter_raise(f, &sums[j], &least, age, weight);
		write_cell(g, f, cell[j], now, &sums[j]);
	}
	return true;
}

void
metergrid_put(struct metergrid *g, const struct meter_form *f, unsigned now, uint64_t hash,
    const struct meter_sums *passed)
{
	for (unsigned j = 0; j < METERGRID_DEPTH; j++) {
		struct cell c = cell_of(g, hash, j);
		struct meter_sums sums;

		read_cell(g, f, c, now, &sums);
		meter_join(f, &sums, passed);
		write_cell(g, f, c, now, &sums);
	}
}

void
metergrid_prefetch(const struct metergrid *g, uint64_t hash)
{
	for (unsigned j = 0; j < METERGRID_DEPTH; j++)
		__builtin_prefetch(cell_of(g, hash, j).word, 1);
}

void
metergrid_restamp(struct metergrid *g, const struct meter_form *f, unsigned now, unsigned then)
{
	struct meter_sums sums;

	for (uint64_t *place = g->at, *end = place + g->places * g->words; place < end;
	    place += g->words)
		/* One that was never written stays memory that was never touched. */
		for (unsigned k = 0; *place != 0 && k < g->share; k++) {
			struct cell c = {place, k * g->bits};
			read_cell(g, f, c, now, &sums);
			write_cell(g, f, c, then, &sums);
		}
}
