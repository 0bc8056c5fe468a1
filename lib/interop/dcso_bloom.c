/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What DCSO's bloom writes, all of it little-endian:
 *
 *	 0  u64   version, 1
 *	 8  u64   n, items it is sized for
 *	16  real  p, wanted probability of a false positive
 *	24  u64   k, bits of an item
 *	32  u64   m, bits
 *	40  u64   N, items that set a bit when they were added
 *	48        the bits: ceil(m/64) u64
 *	          whatever else, to the end of the file
 *
 * The bits lie here as in the payload of kind bloom-dcso, so they only move.
 */
#include <string.h>

#include "base/hash.h"
#include "interop/dcso_bloom.h"
#include "interop/gunzip.h"
#include "sketch/member/bloom.h"

enum { AT_VERSION = 0, AT_N = 8, AT_P = 16, AT_K = 24, AT_M = 32, AT_COUNT = 40, HEAD = 48 };

/* Text behind the bits is left out, so a gzip file need not be believed that
 * there is any amount of it. */
#define TEXT_MAX (UINT64_C(16) << 20)

/* The header as that of a record; its parameters are in range then, and with
 * them the size. */
static enum status
decode_head(struct slice in, struct record *out)
{
	if (in.len < AT_N || get_le64(in.at + AT_VERSION) != 1)
		return STATUS_FOREIGN;
	if (in.len < HEAD)
		return STATUS_TRUNCATED;
	uint64_t m = get_le64(in.at + AT_M), count = get_le64(in.at + AT_COUNT);
	struct record head = {
		.kind = KIND_BLOOM_DCSO, .version = 1, .hash = HASH_FNV1,
		.items = count, .size = (m / 64 + (m % 64 != 0)) * 8,
		.param = {m, get_le64(in.at + AT_K), get_le64(in.at + AT_N),
		    get_le64(in.at + AT_P), count},
	};
	enum status st = kind_check(&head);
	if (st == OK)
		*out = head;
	return st;
}

/* Only as much comes out as the header inside says, and some text. */
static enum status
unwrap(struct buffer *bytes)
{
	struct slice in = {bytes->at, bytes->len};
	struct buffer start = {0}, out = {0};
	struct record head;

	enum status st = gunzip_start(in, HEAD, &start);
	if (st == OK)
		st = decode_head((struct slice){start.at, start.len}, &head);
	if (st == OK)
		st = gunzip(in, HEAD + head.size + TEXT_MAX, &out);
	buffer_free(&start);
	if (st != OK) {
		buffer_free(&out);
		return st;
	}
	buffer_free(bytes);
	*bytes = out;
	return OK;
}

static enum status
dcso_read(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	struct record head;
	enum status st = OK;

	if (gunzip_looks((struct slice){bytes->at, bytes->len}))
		st = unwrap(bytes);
	if (st == OK)
		st = decode_head((struct slice){bytes->at, bytes->len}, &head);
	if (st != OK)
		return st;
	if (head.size > bytes->len - HEAD)
		return STATUS_TRUNCATED;
	*left_out = bytes->len - HEAD - head.size;
	bytes->len = (size_t)head.size;
	memmove(bytes->at, bytes->at + HEAD, bytes->len);
	return sketch_load(out, &head, bytes);
}

static enum status
dcso_write(const struct sketch *s, struct sink sink)
{
	unsigned char out[HEAD];
	struct record head = s->head;
	struct slice bits = bloom_payload(s->body);

	bloom_head(s->body, &head);
	put_le64(out + AT_VERSION, 1);
	put_le64(out + AT_N, head.param[2]);
	put_le64(out + AT_P, head.param[3]);
	put_le64(out + AT_K, head.param[1]);
	put_le64(out + AT_M, head.param[0]);
	put_le64(out + AT_COUNT, head.param[4]);
	enum status st = sink.write(sink.to, out, sizeof out);
	return st == OK ? sink.write(sink.to, bits.at, bits.len) : st;
}

/* The version alone would be 8 bytes that many a file begins with. */
static bool
dcso_looks(struct slice start)
{
	struct record head;

	return decode_head(start, &head) == OK;
}

const struct system dcso_system = {
	.name = "dcso", .what = "DCSO bloom filter", .kind = KIND_BLOOM_DCSO,
	.builder = "bloom-build", .looks = dcso_looks, .read = dcso_read, .write = dcso_write,
};
