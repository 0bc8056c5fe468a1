/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "sketch/distinct/hllcell.h"

/*
 * The forms of a cell, by its number of tokens:
 *
 *	0..2         in the cell itself
 *	3..16        a list in a block of 4, 8 or 16 words; a search reads it all,
 *	             which is one or two lines of cache
 *	to the limit a table as in hlltoken.h, of 32 words and up
 *	DENSE        registers, a byte each
 *
 * With a block, part 0 is its first word's number in the pool and part 1 the
 * binary logarithm of its words, its "size". A cell is full when its tokens
 * are as many as its form allows, and grows before the next one comes in.
 */
#define DENSE UINT32_MAX
#define INLINE_TOKENS 2
#define FIRST_SIZE 2
#define LIST_SIZE 4              /* of the largest list */

void
hllpool_init(struct hllpool *pool, unsigned precision)
{
	*pool = (struct hllpool){
		.precision = precision,
		.token_limit = (uint32_t)hll_token_limit(precision),
	};
}

void
hllpool_clear(struct hllpool *pool)
{
	buffer_free(&pool->words);
}

static uint32_t *
block_at(const struct hllpool *pool, uint32_t block)
{
	return (uint32_t *)(void *)pool->words.at + block;
}

/* A block with whatever was in it. */
static enum status
take_block(struct hllpool *pool, unsigned size, uint32_t *block)
{
	if (pool->free_block[size] != 0) {
		*block = pool->free_block[size];
		pool->free_block[size] = *block_at(pool, *block);
		return OK;
	}

	/* Number 0 is no block, so the first line of cache stays unused. */
	size_t begin = pool->words.len > 0 ? pool->words.len : 64;
	size_t end = begin + (sizeof(uint32_t) << size);
	if (begin / sizeof(uint32_t) > UINT32_MAX)
		return STATUS_MEMORY;
	enum status st = buffer_reserve(&pool->words, end - pool->words.len);
	if (st != OK)
		return st;
	pool->words.len = end;
	*block = (uint32_t)(begin / sizeof(uint32_t));
	return OK;
}

static void
give_block(struct hllpool *pool, unsigned size, uint32_t block)
{
	*block_at(pool, block) = pool->free_block[size];
	pool->free_block[size] = block;
}

static unsigned char *
registers_of(const struct hllpool *pool, const struct hllcell *cell)
{
	return (unsigned char *)block_at(pool, cell->part[0]);
}

struct hll_view
hllcell_view(const struct hllpool *pool, const struct hllcell *cell)
{
	struct hll_view v = {.precision = pool->precision};

	if (cell->tokens == DENSE) {
		v.registers = registers_of(pool, cell);
	} else if (cell->tokens <= INLINE_TOKENS) {
		v.token = cell->part;
		v.tokens = v.room = cell->tokens;
	} else {
		v.token = block_at(pool, cell->part[0]);
		v.tokens = cell->tokens;
		v.room = cell->part[1] <= LIST_SIZE ?
		    cell->tokens : (size_t)1 << cell->part[1];
	}
	return v;
}

static void
raise_by_token(const struct hllpool *pool, const struct hllcell *cell, uint32_t token)
{
	registers_raise(&registers_of(pool, cell)[token_register(token, pool->precision)],
	    token_register_rank(token, pool->precision));
}

/* Pour the tokens into registers. */
static enum status
turn_dense(struct hllpool *pool, struct hllcell *cell)
{
	unsigned size = pool->precision - 2;
	uint32_t block;
	enum status st = take_block(pool, size, &block);

	if (st != OK)
		return st;
	memset(block_at(pool, block), 0, sizeof(uint32_t) << size);

	struct hllcell before = *cell;
	struct hll_view v = hllcell_view(pool, &before);
	cell->tokens = DENSE;
	cell->part[0] = block;
	cell->part[1] = size;
	for (size_t i = 0; i < v.room; i++)
		if (v.token[i] != 0)
			raise_by_token(pool, cell, v.token[i]);
	if (before.tokens > INLINE_TOKENS)
		give_block(pool, before.part[1], before.part[0]);
	return OK;
}

/* Move the tokens to a block of the next size, and add one they lack. */
static enum status
grow(struct hllpool *pool, struct hllcell *cell, uint32_t token)
{
	unsigned size = cell->tokens <= INLINE_TOKENS ? FIRST_SIZE : cell->part[1] + 1;
	uint32_t block;
	enum status st = take_block(pool, size, &block);

	if (st != OK)
		return st;

	struct hll_view v = hllcell_view(pool, cell);
	uint32_t *into = block_at(pool, block);
	if (size <= LIST_SIZE) {
		memcpy(into, v.token, v.tokens * sizeof(*into));
		into[v.tokens] = token;
	} else {
		size_t room = (size_t)1 << size;

		memset(into, 0, room * sizeof(*into));
		for (size_t i = 0; i < v.room; i++)
			if (v.token[i] != 0)
				*token_place(into, room, v.token[i]) = v.token[i];
		*token_place(into, room, token) = token;
	}
	if (cell->tokens > INLINE_TOKENS)
		give_block(pool, cell->part[1], cell->part[0]);
	cell->tokens++;
	cell->part[0] = block;
	cell->part[1] = size;
	return OK;
}

/* The token's place in a list, or the free one behind it, made 0, or NULL if
 * it is not there and the list is full. */
static uint32_t *
list_place(uint32_t *list, size_t tokens, size_t room, uint32_t token)
{
	for (size_t i = 0; i < tokens; i++)
		if (list[i] == token)
			return &list[i];
	if (tokens == room)
		return NULL;
	list[tokens] = 0;
	return &list[tokens];
}

/* The same for a cell's tokens, whatever their form. */
static uint32_t *
find_place(const struct hllpool *pool, struct hllcell *cell, uint32_t token)
{
	if (cell->tokens <= INLINE_TOKENS)
		return list_place(cell->part, cell->tokens, INLINE_TOKENS, token);

	size_t room = (size_t)1 << cell->part[1];
	uint32_t *block = block_at(pool, cell->part[0]);
	if (cell->part[1] <= LIST_SIZE)
		return list_place(block, cell->tokens, room, token);

	uint32_t *place = token_place(block, room, token);
	return *place == 0 && cell->tokens == token_table_limit(room) ? NULL : place;
}

static enum status
add_token(struct hllpool *pool, struct hllcell *cell, uint32_t token)
{
	if (cell->tokens != DENSE) {
		uint32_t *place = find_place(pool, cell, token);

		if (place && *place == token)
			return OK;
		if (cell->tokens < pool->token_limit) {
			if (!place)
				return grow(pool, cell, token);
			*place = token;
			cell->tokens++;
			return OK;
		}
		enum status st = turn_dense(pool, cell);
		if (st != OK)
			return st;
	}
	raise_by_token(pool, cell, token);
	return OK;
}

enum status
hllcell_add(struct hllpool *pool, struct hllcell *cell, uint64_t hash)
{
	return add_token(pool, cell, token_of(hash));
}

void
hllcell_prefetch(const struct hllpool *pool, const struct hllcell *cell, uint64_t hash)
{
	if (cell->tokens <= INLINE_TOKENS)
		return;

	const uint32_t *block = block_at(pool, cell->part[0]);
	if (cell->tokens == DENSE)
		__builtin_prefetch((const unsigned char *)block +
		    registers_index(hash, pool->precision), 1);
	else if (cell->part[1] <= LIST_SIZE)
		__builtin_prefetch(block, 1);
	else
		__builtin_prefetch(block +
		    token_home((size_t)1 << cell->part[1], token_of(hash)), 1);
}

enum status
hllcell_unite(struct hllpool *pool, struct hllcell *cell, const struct hll_view *from)
{
	enum status st = OK;

	if (from->registers) {
		if (cell->tokens != DENSE)
			st = turn_dense(pool, cell);
		if (st == OK)
			registers_merge(registers_of(pool, cell), pool->precision,
			    from->registers, from->precision);
		return st;
	}
	for (size_t i = 0; st == OK && i < from->room; i++)
		if (from->token[i] != 0)
			st = add_token(pool, cell, from->token[i]);
	return st;
}
