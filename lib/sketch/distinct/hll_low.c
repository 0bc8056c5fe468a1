/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "base/salt.h"
#include "sketch/distinct/hll_joint.h"
#include "sketch/distinct/hll_low.h"

/*
 * The table has a power of two of places, open addressing, 0 is free. An entry
 * is a register's index and, in its low 8 bits, the rank, which is at least 1.
 * The low bits of the index choose the place. A table of 4-byte entries pays
 * up to an eighth of the registers or so; with more it becomes an array.
 */
#define RANK_BITS 8
#define FIRST_ROOM 16

static uint32_t
entry_index(uint32_t entry)
{
	return entry >> RANK_BITS;
}

static unsigned
entry_rank(uint32_t entry)
{
	return entry & ((1u << RANK_BITS) - 1);
}

static uint32_t
entry_of(uint32_t index, unsigned rank)
{
	return index << RANK_BITS | rank;
}

static uint32_t
used_limit(const struct hll_low *l)
{
	return (uint32_t)1 << l->precision >> 4;
}

/* A free place must remain, or a search does not end. */
static uint32_t
room_limit(uint32_t room)
{
	return room / 4 * 3;
}

/* Where the register's entry is, or the free place where it belongs. Salted: of many
 * registers those that meet may have been chosen. */
static uint32_t *
place_of(uint32_t *entry, uint32_t room, uint32_t index)
{
	uint32_t at = (uint32_t)hash_place(salt_scatter(index), room);

	while (entry[at] != 0 && entry_index(entry[at]) != index)
		at = (at + 1) & (room - 1);
	return &entry[at];
}

void
hll_low_init(struct hll_low *l, unsigned precision, unsigned cap, unsigned none)
{
	*l = (struct hll_low){.precision = precision, .cap = cap, .none = none};
}

void
hll_low_clear(struct hll_low *l)
{
	free(l->entry);
	free(l->registers);
	hll_low_init(l, l->precision, l->cap, l->none);
}

static enum status
grow_table(struct hll_low *l)
{
	uint32_t room = l->room > 0 ? 2 * l->room : FIRST_ROOM;
	uint32_t *entry = calloc(room, sizeof *entry);

	if (!entry)
		return STATUS_MEMORY;
	for (uint32_t i = 0; i < l->room; i++)
		if (l->entry[i] != 0)
			*place_of(entry, room, entry_index(l->entry[i])) = l->entry[i];
	free(l->entry);
	l->entry = entry;
	l->room = room;
	return OK;
}

static enum status
make_array(struct hll_low *l)
{
	unsigned char *registers = malloc((size_t)1 << l->precision);

	if (!registers)
		return STATUS_MEMORY;
	hll_low_spread(l, registers);
	free(l->entry);
	l->entry = NULL;
	l->used = l->room = 0;
	l->registers = registers;
	return OK;
}

enum status
hll_low_raise(struct hll_low *l, uint32_t index, unsigned rank)
{
	if (rank > l->cap)
		rank = l->cap;
	if (rank == 0)
		return OK;
	if (l->registers) {
		registers_raise(&l->registers[index], rank);
		return OK;
	}
	uint32_t *place = l->room > 0 ? place_of(l->entry, l->room, index) : NULL;
	if (place && *place != 0) {
		if (rank > entry_rank(*place))
			*place = entry_of(index, rank);
		return OK;
	}
	enum status st = OK;
	if (l->used == used_limit(l))
		st = make_array(l);
	else if (l->used == room_limit(l->room))
		st = grow_table(l);
	if (st != OK)
		return st;
	if (l->registers) {
		registers_raise(&l->registers[index], rank);
		return OK;
	}
	*place_of(l->entry, l->room, index) = entry_of(index, rank);
	l->used++;
	return OK;
}

static unsigned
rank_of(const struct hll_low *l, uint64_t rest)
{
	return rest != 0 ? (unsigned)__builtin_ctzll(rest) + 1 : l->none;
}

/* Most hashes change nothing, and that is seen without working out the rank:
 * a rank is above r if the first r bits of the rest are zero. */
static void
add_to_array(const struct hll_low *l, const uint64_t *hash, size_t n)
{
	unsigned precision = l->precision, cap = l->cap;
	uint64_t mask = (UINT64_C(1) << precision) - 1;
	unsigned char *registers = l->registers;

	for (size_t i = 0; i < n; i++) {
		unsigned char *r = &registers[hash[i] & mask];
		uint64_t rest = hash[i] >> precision;

		if ((rest & ((UINT64_C(1) << *r) - 1)) == 0) {
			unsigned rank = rank_of(l, rest);
			registers_raise(r, rank < cap ? rank : cap);
		}
	}
}

enum status
hll_low_add(struct hll_low *l, const uint64_t *hash, size_t n)
{
	uint64_t mask = (UINT64_C(1) << l->precision) - 1;

	for (; n > 0 && !l->registers; hash++, n--) {
		enum status st = hll_low_raise(l, (uint32_t)(*hash & mask),
		    rank_of(l, *hash >> l->precision));
		if (st != OK)
			return st;
	}
	if (n > 0)
		add_to_array(l, hash, n);
	return OK;
}

/* A register of a finer array. The index bits that are dropped become the first
 * bits of the rest: if one of them is set, it alone decides the rank. */
static enum status
raise_folded(struct hll_low *into, unsigned precision, uint32_t index, unsigned rank)
{
	uint32_t dropped = index >> into->precision;

	if (rank == 0)
		return OK;
	if (dropped != 0)
		rank = (unsigned)__builtin_ctz(dropped) + 1;
	else
		rank += precision - into->precision;
	return hll_low_raise(into, index & (((uint32_t)1 << into->precision) - 1), rank);
}

enum status
hll_low_merge(struct hll_low *into, const struct hll_low *from)
{
	uint32_t m = (uint32_t)1 << from->precision;
	enum status st = OK;

	if (from->registers && into->registers && into->precision == from->precision) {
		registers_merge(into->registers, into->precision, from->registers, from->precision);
		return OK;
	}
	for (uint32_t i = 0; st == OK && i < from->room; i++)
		st = raise_folded(into, from->precision, entry_index(from->entry[i]),
		    entry_rank(from->entry[i]));
	for (uint32_t i = 0; st == OK && from->registers && i < m; i++)
		st = raise_folded(into, from->precision, i, from->registers[i]);
	return st;
}

void
hll_low_spread(const struct hll_low *l, unsigned char *registers)
{
	size_t m = (size_t)1 << l->precision;

	if (l->registers) {
		memcpy(registers, l->registers, m);
		return;
	}
	memset(registers, 0, m);
	for (uint32_t i = 0; i < l->room; i++)
		registers[entry_index(l->entry[i])] |= (unsigned char)entry_rank(l->entry[i]);
}

/* Registers like those of another, which is not finer; the caller frees them.
 * NULL: no memory. */
static unsigned char *
registers_like(const struct hll_low *l, const struct hll_low *like)
{
	unsigned char *registers = malloc((size_t)1 << like->precision);
	struct hll_low folded;

	hll_low_init(&folded, like->precision, like->cap, like->none);
	if (registers && hll_low_merge(&folded, l) == OK) {
		hll_low_spread(&folded, registers);
	} else {
		free(registers);
		registers = NULL;
	}
	hll_low_clear(&folded);
	return registers;
}

enum status
hll_low_compare(const struct hll_low *a, const struct hll_low *b, struct comparison *c,
    struct mismatch *why)
{
	const struct hll_low *coarser = a->precision < b->precision ? a : b;
	unsigned char *ra = registers_like(a, coarser), *rb = registers_like(b, coarser);
	enum status st = ra && rb ? OK : STATUS_MEMORY;

	if (st == OK)
		st = joint_compare(ra, rb, coarser->precision, coarser->cap, c, why);
	free(ra);
	free(rb);
	return st;
}

void
hll_low_histogram(const struct hll_low *l, struct histogram *h)
{
	if (l->registers) {
		registers_histogram(h, l->registers, l->precision);
	} else {
		memset(h, 0, sizeof *h);
		for (uint32_t i = 0; i < l->room; i++)
			h->count[entry_rank(l->entry[i])]++;
		h->count[0] = ((uint32_t)1 << l->precision) - l->used;
	}
	h->precision = l->precision;
	h->last = l->cap;
}

uint32_t
hll_low_used(const struct hll_low *l)
{
	struct histogram h;

	hll_low_histogram(l, &h);
	return ((uint32_t)1 << l->precision) - h.count[0];
}

size_t
hll_low_memory(const struct hll_low *l)
{
	return l->room * sizeof *l->entry + (l->registers ? (size_t)1 << l->precision : 0);
}
