/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The header is a BloomFilterHeader of parquet.thrift in Thrift's compact
 * protocol, and since its three unions have one member each, all bytes but the
 * number are the same in every filter:
 *
 *	15 VARINT      field 1, i32: bytes of the bitset, zigzag: twice the number
 *	1c 1c 00 00    field 2, struct: algorithm, field 1: BLOCK
 *	1c 1c 00 00    field 3, struct: hash, field 1: XXHASH
 *	1c 1c 00 00    field 4, struct: compression, field 1: UNCOMPRESSED
 *	00             end
 *
 * The bitset is blocks of 32 bytes, as in the payload of kind bloom-parquet.
 */
#include <string.h>

#include "base/hash.h"
#include "interop/parquet_bloom.h"
#include "sketch/member/bloom.h"

static const unsigned char tail[] = {
	0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0
};

#define I32_FIELD_1 0x15
#define NUMBER_MAX 5             /* bytes of a varint of 32 bits */
#define HEAD_MAX (1 + NUMBER_MAX + sizeof tail)

/* The header's length and the bitset's, in bytes. */
static enum status
decode_head(struct slice in, size_t *length, uint64_t *bitset)
{
	uint64_t number = 0;
	size_t at = 1;

	if (in.len == 0 || in.at[0] != I32_FIELD_1)
		return STATUS_FOREIGN;
	for (;; at++) {
		if (at > NUMBER_MAX)
			return STATUS_FOREIGN;
		if (at == in.len)
			return STATUS_TRUNCATED;
		number |= (uint64_t)(in.at[at] & 127) << 7 * (at - 1);
		if (in.at[at] < 128)
			break;
	}
	at++;
	size_t have = in.len - at < sizeof tail ? in.len - at : sizeof tail;
	if (memcmp(in.at + at, tail, have) != 0)
		return STATUS_FOREIGN;
	if (have < sizeof tail)
		return STATUS_TRUNCATED;
	/* Odd is a negative number, and one of another length has a second form. */
	if (number > UINT32_MAX || number % 2 != 0 || (at > 2 && in.at[at - 1] == 0))
		return STATUS_PARAMETER;
	*length = at + sizeof tail;
	*bitset = number / 2;
	return OK;
}

/* It is a wish of the maker's that the file keeps to itself. */
static void
suppose_promise(struct record *head, uint64_t blocks)
{
	struct bloom_shape shape = {
		.type = BLOOM_PARQUET, .size = blocks, .probes = 1, .fpp = BLOOM_FPP_MAX,
	};

	head->param[2] = bloom_room(&shape, shape.fpp);
	memcpy(&head->param[3], &shape.fpp, sizeof shape.fpp);
}

static enum status
parquet_read(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	size_t length;
	uint64_t bitset;

	enum status st = decode_head((struct slice){bytes->at, bytes->len}, &length, &bitset);
	if (st != OK)
		return st;
	uint64_t blocks = bitset / BLOOM_BLOCK_BYTES;
	if (blocks == 0 || blocks > BLOOM_PARQUET_BLOCKS_MAX || bitset % BLOOM_BLOCK_BYTES != 0)
		return STATUS_PARAMETER;
	if (bitset > bytes->len - length)
		return STATUS_TRUNCATED;
	if (bitset < bytes->len - length)
		return STATUS_SIZE;
	struct record head = {
		.kind = KIND_BLOOM_PARQUET, .version = 1, .hash = HASH_XXH64, .size = bitset,
		.param = {blocks, 1},
	};
	suppose_promise(&head, blocks);
	*left_out = 0;
	bytes->len = (size_t)bitset;
	memmove(bytes->at, bytes->at + length, bytes->len);
	return sketch_load(out, &head, bytes);
}

static enum status
parquet_write(const struct sketch *s, struct sink sink)
{
	unsigned char out[HEAD_MAX];
	struct slice bits = bloom_payload(s->body);
	uint64_t number = 2 * (uint64_t)bits.len;
	size_t n = 0;

	out[n++] = I32_FIELD_1;
	for (; number > 127; number >>= 7)
		out[n++] = (unsigned char)(number | 128);
	out[n++] = (unsigned char)number;
	memcpy(out + n, tail, sizeof tail);
	enum status st = sink.write(sink.to, out, n + sizeof tail);
	return st == OK ? sink.write(sink.to, bits.at, bits.len) : st;
}

static bool
parquet_looks(struct slice start)
{
	size_t length;
	uint64_t bitset;

	return decode_head(start, &length, &bitset) == OK;
}

const struct system parquet_system = {
	.name = "parquet", .what = "Parquet bloom filter", .kind = KIND_BLOOM_PARQUET,
	.builder = "bloom-build", .looks = parquet_looks, .read = parquet_read, .write = parquet_write,
};
