/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * What the extension keeps in a column, all of it, the high bits first:
 *
 *	0  4 bits  version of the schema, 1
 *	   4 bits  type: 1 EMPTY, 2 EXPLICIT, 3 SPARSE, 4 FULL; 0 is UNDEFINED
 *	1  3 bits  regwidth - 1
 *	   5 bits  log2m
 *	2  1 bit   not used; the extension does not look at it
 *	   1 bit   sparseon
 *	   6 bits  the code of expthresh, see sketch/distinct/hll_postgres.h
 *	3          the items, see sketch/distinct/hll_postgres_body.c
 */
#include "base/hash.h"
#include "interop/postgres_hll.h"
#include "interop/postgres_settings.h"
#include "sketch/distinct/hll_postgres.h"

enum { HEAD = 3, SCHEMA = 1 };

/* The parameters in a header. */
static enum status
decode_head(struct slice in, struct hll_postgres_shape *shape, unsigned *type)
{
	if (in.len == 0 || in.at[0] >> 4 != SCHEMA)
		return STATUS_FOREIGN;
	if (in.len < HEAD)
		return STATUS_TRUNCATED;
	*type = in.at[0] & 15;
	*shape = (struct hll_postgres_shape){
		.log2m = in.at[1] & 31, .regwidth = (in.at[1] >> 5) + 1,
		.expthresh = in.at[2] & 63, .sparseon = in.at[2] >> 6 & 1,
	};
	if (*type < HLL_POSTGRES_EMPTY || *type > HLL_POSTGRES_FULL)
		return STATUS_PARAMETER;
	return hll_postgres_check(shape);
}

static enum status
postgres_read(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	struct slice in = {bytes->at, bytes->len};
	struct hll_postgres_shape shape;
	struct hll_postgres *s;
	unsigned type;

	enum status st = decode_head(in, &shape, &type);
	if (st == OK)
		st = hll_postgres_new(&s, &shape);
	if (st != OK)
		return st;
	st = hll_postgres_decode(s, (enum hll_postgres_type)type,
	    (struct slice){in.at + HEAD, in.len - HEAD});
	if (st != OK) {
		hll_postgres_free(s);
		return st;
	}
	*left_out = 0;
	*out = (struct sketch){
		.head = {.kind = KIND_HLL_POSTGRES, .version = 1, .hash = HASH_MURMUR3},
		.kind = &hll_postgres_kind,
		.body = s,
	};
	hll_postgres_put(&shape, &out->head);
	return OK;
}

static enum status
postgres_write(const struct sketch *s, struct sink sink)
{
	const struct hll_postgres_shape *shape = hll_postgres_shape(s->body);
	enum hll_postgres_type type;
	struct buffer body = {0};

	enum status st = hll_postgres_encode(s->body, &body, &type);
	if (st == OK) {
		unsigned char head[HEAD] = {
			(unsigned char)(SCHEMA << 4 | type),
			(unsigned char)((shape->regwidth - 1) << 5 | shape->log2m),
			(unsigned char)((unsigned)shape->sparseon << 6 | shape->expthresh),
		};
		st = sink.write(sink.to, head, HEAD);
	}
	if (st == OK && body.len > 0)
		st = sink.write(sink.to, body.at, body.len);
	buffer_free(&body);
	return st;
}

static bool
postgres_looks(struct slice start)
{
	struct hll_postgres_shape shape;
	unsigned type;

	return decode_head(start, &shape, &type) == OK &&
	    (type == HLL_POSTGRES_EMPTY) == (start.len == HEAD) && start.at[2] < 128;
}

/* No text begins with such a control character. */
static bool
postgres_raw(struct slice start)
{
	return *start.at >> 4 == SCHEMA;
}

const struct system postgres_system = {
	.name = "postgres", .what = "hll of PostgreSQL", .kind = KIND_HLL_POSTGRES,
	.builder = "hll-build", .settings = postgres_settings,
	.settings_form = POSTGRES_SETTINGS_FORM, .dump = DUMP_COPY, .raw = postgres_raw,
	.looks = postgres_looks, .read = postgres_read, .write = postgres_write,
};
