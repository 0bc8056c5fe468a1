/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What Redis keeps under a key, all of it:
 *
 *	 0  4 bytes  "HYLL"
 *	 4  u8       0 dense, 1 sparse
 *	 5  3 bytes  reserved; Redis does not look at them
 *	 8  u64      the last count, little-endian; the top bit: it is stale
 *	16           the registers, see sketch/distinct/hll_redis_kind.c
 *
 * Redis believes a count that is not stale, whatever the registers say. So one
 * that is read is not looked at, and none is written.
 */
#include <string.h>

#include "base/hash.h"
#include "interop/redis_hll.h"
#include "sketch/distinct/hll_redis.h"

enum { AT_ENCODING = 4, HEAD = 16 };
enum { DENSE = 0, SPARSE = 1 };

static const unsigned char head_written[HEAD] = {
	'H', 'Y', 'L', 'L', [HEAD - 1] = 0x80,
};

static bool
redis_looks(struct slice start)
{
	return start.len >= HEAD && memcmp(start.at, head_written, AT_ENCODING) == 0 &&
	    start.at[AT_ENCODING] <= SPARSE;
}

static enum status
check_head(struct slice in)
{
	if (in.len < AT_ENCODING || memcmp(in.at, head_written, AT_ENCODING) != 0)
		return STATUS_FOREIGN;
	if (in.len < HEAD)
		return STATUS_TRUNCATED;
	return redis_looks(in) ? OK : STATUS_PARAMETER;
}

static enum status
read_body(struct slice body, bool sparse, struct sketch *out)
{
	struct hll_low *l;

	if (!sparse && body.len < HLL_REDIS_DENSE)
		return STATUS_TRUNCATED;
	enum status st = hll_redis_new(&l);
	if (st != OK)
		return st;
	st = hll_redis_decode(l, sparse, body);
	if (st != OK) {
		hll_redis_free(l);
		return st;
	}
	*out = (struct sketch){
		.head = {.kind = KIND_HLL_REDIS, .version = 1, .hash = HASH_MURMUR64A},
		.kind = &hll_redis_kind,
		.body = l,
	};
	return OK;
}

static enum status
redis_read(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	struct slice in = {bytes->at, bytes->len};
	enum status st = check_head(in);

	if (st != OK)
		return st;
	struct slice body = {in.at + HEAD, in.len - HEAD};
	bool sparse = in.at[AT_ENCODING] == SPARSE;
	st = read_body(body, sparse, out);
	/* A whole value has no room for a newline, so one behind it can only be
	 * that of redis-cli. */
	bool newline = body.len > 0 && body.at[body.len - 1] == '\n';
	if ((st == STATUS_SIZE || st == STATUS_INVARIANT) && newline) {
		body.len--;
		st = read_body(body, sparse, out);
	}
	*left_out = 0;
	return st;
}

static enum status
redis_write(const struct sketch *s, struct sink sink)
{
	unsigned char head[HEAD];
	struct buffer body = {0};
	bool sparse;

	enum status st = hll_redis_encode(s->body, &body, &sparse);
	memcpy(head, head_written, HEAD);
	head[AT_ENCODING] = st == OK && sparse ? SPARSE : DENSE;
	if (st == OK)
		st = sink.write(sink.to, head, HEAD);
	if (st == OK)
		st = sink.write(sink.to, body.at, body.len);
	buffer_free(&body);
	return st;
}

const struct system redis_system = {
	.name = "redis", .what = "HyperLogLog of Redis", .kind = KIND_HLL_REDIS,
	.builder = "hll-build", .dump = DUMP_RESP, .looks = redis_looks, .read = redis_read, .write = redis_write,
};
