/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Bloom filters.
 *
 * A field of bits, all 0. An item's hash names a few of them; adding sets
 * them, and an item was seen if all of its bits are set. Later items never
 * clear a bit, so there is no false "no". A false "yes" needs all bits to be
 * set by others, which the size keeps as rare as one likes.
 *
 *	B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
 *	Errors", CACM 13 (1970)
 *	F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient
 *	Bloom Filters", WEA 2007
 *
 * A CLASSIC filter spreads the k bits over all its memory and so waits for k
 * cache lines. A BLOCK filter spends 5 to 20 % more bits and waits for one:
 * the hash chooses a block of 32 bytes, in which each of eight 32-bit words
 * gets one bit. Small fpps would cost it dearly, since the fullest blocks
 * decide; so from 1e-3 down an item takes two to four blocks.
 *
 * What drives the fpp is bits an item (bloom_size.c has the formulas):
 *
 *	                      10 %   1 %  0.1 %  1e-4  1e-6  1e-8
 *	block, bits an item    6.0  10.5   16.9  21.1  31.6  42.1
 *	   blocks an item        1     1      1     2     3     4
 *	classic, bits an item  4.8   9.6   14.4  19.2  28.8  38.3
 *	   bits set an item      3     7     10    13    20    27
 *
 * and overfilling is brutal: sized for 1 %, at twice the capacity it is 15 %,
 * at four times 68 %.
 *
 * READ BACK FROM THE BITS. An absent item's probe passes a block with the
 * product of its eight word fills. The mean of that over all blocks, to the
 * power J, is the fpp of this very filter; classic: the fill to the power k.
 * T probes leave a word's bit 0 with chance (1 - 1/(32z))^T (classic:
 * (1 - 1/m)^T), so the share of zeros tells T and with it the distinct items,
 * T/J or T/k.
 *
 * UNITING is OR, whatever was added twice. A filter whose size is a multiple
 * of another's folds to it. How a hash becomes places is told in bloom_walk.c,
 * and why folding works in bloom_bits.c.
 *
 * PAYLOAD, the filter as it lies in memory, so that a file can be asked
 * through a map. Parameters: 0 size (z blocks, or m bits), 1 probes (J or k),
 * 2 capacity, 3 the wanted fpp as the bits of an IEEE double; of DCSO's type
 * 4 the items that set a bit; others 0.
 *
 *	block: z times 32 bytes
 *	   +--------+--------+- ... -+--------+
 *	   | word 0 | word 1 |       | word 7 |    u32, little-endian
 *	   +--------+--------+- ... -+--------+
 *	classic: ceil(m/8) bytes, bit i is bit i % 8 of byte i / 8; the last
 *	byte's bits from m on are 0
 *	parquet, dcso: as block and classic, but DCSO's bits come in whole u64
 *
 * EXAMPLE. Block, z = 1024, J = 1, h = 0x26c7827d889f6da3: the block is
 * floor(0x26c7827d889f6da3 * 1024 / 2^64) = 155, at byte 4960. x = 0x889f6da3;
 * x * 0x47b6137b = 0xa09ec651 mod 2^32, >> 27 = 20: bit 20 of word 0, which is
 * bit 4 of byte 4962. The other words get bits 9 10 7 9 31 28 27.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pages.h"
#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_dcso.h"
#include "sketch/member/bloom_body.h"

enum status
bloom_new(struct bloom **out, const struct bloom_shape *shape)
{
	if (!bloom_shape_valid(shape))
		return STATUS_PARAMETER;
	struct bloom *b = calloc(1, sizeof *b);
	if (!b)
		return STATUS_MEMORY;
	b->shape = *shape;
	enum status st = pages_map(&b->pages, bloom_bytes(shape));
	if (st != OK) {
		free(b);
		return st;
	}
	b->read = b->bits = b->pages.at;
	*out = b;
	return OK;
}

struct bloom_shape
bloom_shape_of(const struct record *head)
{
	/* A counting filter has the shape of a classic one. */
	enum bloom_type type = BLOOM_CLASSIC;

	for (enum bloom_type t = BLOOM_BLOCK; t <= BLOOM_DCSO; t++)
		if (bloom_kind(t)->id == head->kind)
			type = t;
	struct bloom_shape shape = {
		.type = type,
		.size = head->param[0],
		.probes = head->param[1] <= UINT8_MAX ? (unsigned)head->param[1] : 0,
		.capacity = head->param[2],
	};

	memcpy(&shape.fpp, &head->param[3], sizeof shape.fpp);
	return shape;
}

static enum status
check(const struct record *head)
{
	struct bloom_shape shape = bloom_shape_of(head);

	if (!bloom_shape_valid(&shape))
		return STATUS_PARAMETER;
	for (unsigned i = shape.type == BLOOM_DCSO ? 5 : 4; i < 8; i++)
		if (head->param[i] != 0)
			return STATUS_PARAMETER;
	return head->size == bloom_bytes(&shape) ? OK : STATUS_SIZE;
}

/* The bits past the last one. A stray one would be counted. */
static bool
tail_is_zero(const struct bloom_shape *shape, const unsigned char *payload)
{
	if (bloom_is_blocks(shape->type))
		return true;
	uint64_t bytes = bloom_bytes(shape), at = shape->size / 8;
	if (at < bytes && payload[at++] >> shape->size % 8 != 0)
		return false;
	return at >= bytes || record_zeros(payload + at, (size_t)(bytes - at));
}

enum status
bloom_map(struct bloom **out, const struct record *head, const unsigned char *payload)
{
	struct bloom_shape shape = bloom_shape_of(head);

	if (head->kind != bloom_kind(shape.type)->id)
		return STATUS_UNSUPPORTED;
	enum status st = check(head);
	if (st != OK)
		return st;
	if (!tail_is_zero(&shape, payload))
		return STATUS_INVARIANT;
	struct bloom *b = calloc(1, sizeof *b);
	if (!b)
		return STATUS_MEMORY;
	b->shape = shape;
	b->counted = head->param[4];
	b->read = payload;
	*out = b;
	return OK;
}

/* From a record: the buffer's memory becomes the filter, since a copy would
 * double the peak of every program that loads a large one. */
static enum status
load(void **out, const struct record *head, struct buffer *payload)
{
	struct bloom *b;
	enum status st = bloom_map(&b, head, payload->at);

	if (st != OK)
		return st;
	b->loaded = *payload;
	b->bits = b->loaded.at;
	*payload = (struct buffer){0};
	*out = b;
	return OK;
}

void
bloom_free(struct bloom *b)
{
	if (!b)
		return;
	pages_unmap(&b->pages);
	buffer_free(&b->loaded);
	free(b);
}

const struct bloom_shape *
bloom_shape(const struct bloom *b)
{
	return &b->shape;
}

uint64_t
bloom_counted(const struct bloom *b)
{
	return b->counted;
}

unsigned char *
bloom_bits(struct bloom *b)
{
	return b->bits;
}

void
bloom_add(struct bloom *b, const uint64_t *hash, size_t n)
{
	assert(b->bits);
	if (b->shape.type == BLOOM_DCSO)
		b->counted = add_saturated(b->counted,
		    bloom_dcso_add(b->bits, &b->shape, hash, n));
	else
		bloom_bits_add(b->bits, &b->shape, hash, n);
}

size_t
bloom_has(const struct bloom *b, const uint64_t *hash, size_t n, bool *has)
{
	return bloom_bits_has(b->read, &b->shape, hash, n, has);
}

double
bloom_fpp(const struct bloom *b)
{
	return bloom_count_fpp(bloom_bits_count(b->read, &b->shape), &b->shape);
}

double
bloom_distinct(const struct bloom *b)
{
	return bloom_count_distinct(bloom_bits_count(b->read, &b->shape), &b->shape);
}

void
bloom_shape_put(const struct bloom_shape *shape, struct record *head)
{
	memset(head->param, 0, sizeof head->param);
	head->param[0] = shape->size;
	head->param[1] = shape->probes;
	head->param[2] = shape->capacity;
	memcpy(&head->param[3], &shape->fpp, sizeof shape->fpp);
}

void
bloom_head(const struct bloom *b, struct record *head)
{
	head->kind = bloom_kind(b->shape.type)->id;
	head->version = 1;
	head->size = bloom_bytes(&b->shape);
	bloom_shape_put(&b->shape, head);
	head->param[4] = b->counted;
}

struct slice
bloom_payload(const struct bloom *b)
{
	return (struct slice){b->read, (size_t)bloom_bytes(&b->shape)};
}

static enum status
save(const void *sketch, struct record *head, struct buffer *payload)
{
	struct slice bits = bloom_payload(sketch);
	enum status st = buffer_append(payload, bits.at, bits.len);

	if (st == OK)
		bloom_head(sketch, head);
	return st;
}

static void
view(const void *sketch, struct record *head, struct slice *payload)
{
	bloom_head(sketch, head);
	*payload = bloom_payload(sketch);
}

static enum status
merge(void *into, const void *from, struct mismatch *why)
{
	return bloom_merge(into, from, why);
}

static enum status
intersect(void *into, const void *from, struct mismatch *why)
{
	return bloom_intersect(into, from, why);
}

static enum status
compare(const void *a, const void *b, struct comparison *c, struct mismatch *why)
{
	return bloom_compare(a, b, c, why);
}

void
bloom_shape_facts(const char *type, const char *unit, const struct bloom_shape *shape,
    struct facts *f)
{
	fact_text(f, "type", type);
	fact_count(f, unit, shape->size);
	fact_count(f, "probes", shape->probes);
	fact_count(f, "capacity", shape->capacity);
	fact_real(f, "wanted_fpp", shape->fpp);
}

void
bloom_fill_facts(struct bloom_count count, const struct bloom_shape *shape, struct facts *f)
{
	double distinct = bloom_count_distinct(count, shape);
	uint64_t room = bloom_room(shape, shape->fpp);

	fact_real(f, "fpp", bloom_count_fpp(count, shape));
	fact_real(f, "fill", (double)count.ones / (double)bloom_bits_all(shape));
	if (isfinite(distinct))
		fact_count(f, "distinct", (uint64_t)llround(distinct));
	else
		fact_real(f, "distinct", distinct);
	fact_count(f, "room", distinct < (double)room ? room - (uint64_t)llround(distinct) : 0);
}

static void
shape_facts(const struct bloom_shape *shape, uint64_t counted, struct facts *f)
{
	bloom_shape_facts(bloom_type_name(shape->type), bloom_unit(shape), shape, f);
	if (shape->type == BLOOM_DCSO)
		fact_count(f, "counted", counted);
}

static void
settings(const struct record *head, struct facts *f)
{
	struct bloom_shape shape = bloom_shape_of(head);

	shape_facts(&shape, head->param[4], f);
}

static void
facts(const void *sketch, struct facts *f)
{
	const struct bloom *b = sketch;

	shape_facts(&b->shape, b->counted, f);
	bloom_fill_facts(bloom_bits_count(b->read, &b->shape), &b->shape, f);
}

static void
destroy(void *sketch)
{
	bloom_free(sketch);
}

const struct kind bloom_block_kind = {
	.id = KIND_BLOOM_BLOCK, .version = 1, .name = "bloom-block", .retry_safe = true,
	.check = check, .load = load, .save = save, .merge = merge,
	.intersect = intersect, .compare = compare, .fold = &bloom_folding,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};

const struct kind bloom_classic_kind = {
	.id = KIND_BLOOM_CLASSIC, .version = 1, .name = "bloom-classic", .retry_safe = true,
	.check = check, .load = load, .save = save, .merge = merge,
	.intersect = intersect, .compare = compare, .fold = &bloom_folding,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};

const struct kind bloom_parquet_kind = {
	.id = KIND_BLOOM_PARQUET, .version = 1, .name = "bloom-parquet", .hash = HASH_XXH64,
	.retry_safe = true,
	.check = check, .load = load, .save = save, .merge = merge,
	.intersect = intersect, .compare = compare, .fold = &bloom_folding,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};

/* Without compare: similar items get similar places by this hash, so estimates are
 * off by more than an interval for independent ones tells (0.3 % for a sequence of
 * numbers, with 0.2 % promised). */
const struct kind bloom_dcso_kind = {
	.id = KIND_BLOOM_DCSO, .version = 1, .name = "bloom-dcso", .hash = HASH_FNV1,
	.retry_safe = true,
	.check = check, .load = load, .save = save, .merge = merge,
	.intersect = intersect,
	.settings = settings, .facts = facts, .free = destroy, .view = view,
};

const struct kind *
bloom_kind(enum bloom_type type)
{
	static const struct kind *const kind[] = {
		[BLOOM_BLOCK] = &bloom_block_kind, [BLOOM_CLASSIC] = &bloom_classic_kind,
		[BLOOM_PARQUET] = &bloom_parquet_kind, [BLOOM_DCSO] = &bloom_dcso_kind,
	};

	return kind[type];
}
