/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * An image of the sketch, little-endian:
 *
 *	 0  u8   words of 4 bytes before what it holds: 2 LIST, 3 SET, 10 HLL
 *	 1  u8   version, 1
 *	 2  u8   family, 7
 *	 3  u8   lgk
 *	 4  u8   log2 of the places in a table: of coupons, or of HLL_4's exceptions
 *	 5  u8   flags
 *	 6  u8   LIST: number of coupons. HLL: of HLL_4 the smallest rank, else 0
 *	 7  u8   bits 0 and 1: 0 LIST, 1 SET, 2 HLL; 2 and 3: 0 HLL_4, 1 HLL_6, 2 HLL_8
 *
 *	LIST (up to 7 coupons)   SET (more of them)          HLL
 *	 8  u32 each: coupons     8  u32  number of coupons   8  f64  answer of HIP
 *	                         12  u32 each: coupons       16  f64  sum of 2^-rank below 32
 *	                                                     24  f64  and from 32 on
 *	                                                     32  u32  registers at byte 6's rank
 *	                                                     36  u32  number of exceptions
 *	                                                     40       registers
 *	                                                              u32 each: exceptions
 *
 * A compact image has so many coupons and exceptions as there are; in another one
 * they lie in tables with free places, which are 0.
 *
 * HLL_8 has a byte for each register. HLL_6 has 6 bits, the least significant
 * first, and a byte 0 behind. HLL_4 has 4 bits, the even register in the low half:
 * what the rank is above the smallest one, but 15 is an exception: a u32 of rank
 * << 26 | index tells it.
 *
 * Everything is held against the registers, since the libraries believe sums and
 * counts that are wrong. A flag says that they are yet to be worked out, and then
 * they are not looked at.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "interop/datasketches_hll.h"
#include "interop/datasketches_settings.h"
#include "sketch/distinct/hll_datasketches.h"
#include "sketch/distinct/registers.h"

enum { HEAD = 8, AT_SET = 12, AT_REGISTERS = 40, SERIAL = 1, FAMILY = 7 };
enum { LIST = 0, SET = 1, HLL = 2 };
enum { HLL_4 = 0, HLL_6 = 1, HLL_8 = 2 };
enum { EMPTY = 4, COMPACT = 8, OUT_OF_ORDER = 16, REBUILD = 32 };
#define FLAGS (EMPTY | COMPACT | OUT_OF_ORDER | REBUILD)

enum { LIST_LG = 3, LIST_MAX = 7, TABLE_LG_MIN = 5 };

/* 15 in HLL_4. */
enum { EXCEPTION = 15 };

static const unsigned char preamble[] = {[LIST] = 2, [SET] = 3, [HLL] = 10};

/* What the first 8 bytes say. */
struct image {
	struct slice bytes;
	unsigned lgk, lg_table, flags, sixth, mode, type;
};

static enum status
decode_head(struct slice in, struct image *g)
{
	if (in.len < 3 || in.at[2] != FAMILY || in.at[1] != SERIAL)
		return STATUS_FOREIGN;
	if (in.len < HEAD)
		return STATUS_TRUNCATED;
	*g = (struct image){
		.bytes = in, .lgk = in.at[3], .lg_table = in.at[4], .flags = in.at[5],
		.sixth = in.at[6], .mode = in.at[7] & 3, .type = in.at[7] >> 2,
	};
	if (g->mode > HLL || in.at[0] != preamble[g->mode])
		return STATUS_FOREIGN;
	if (g->lgk < HLL_DATASKETCHES_LGK_MIN || g->lgk > HLL_DATASKETCHES_LGK_MAX ||
	    g->type > HLL_8 || (g->flags & ~(unsigned)FLAGS) != 0)
		return STATUS_PARAMETER;
	return OK;
}

/* Is the image as long as that? */
static enum status
demand_length(const struct image *g, size_t len)
{
	return g->bytes.len < len ? STATUS_TRUNCATED : g->bytes.len > len ? STATUS_SIZE : OK;
}

/* Add n coupons that lie in so many places from at on. */
static enum status
take_coupons(struct hll_datasketches *s, const struct image *g, size_t at, size_t places,
    size_t n)
{
	enum status st = demand_length(g, at + 4 * places);

	for (size_t i = 0; st == OK && i < places; i++) {
		uint64_t coupon = get_le32(g->bytes.at + at + 4 * i);

		if (coupon == 0 && !(g->flags & COMPACT))
			continue;
		if (coupon >> HLL_DATASKETCHES_PLACE_BITS == 0 || n-- == 0)
			return STATUS_INVARIANT;
		st = hll_datasketches_add(s, &coupon, 1);
	}
	return st == OK && n > 0 ? STATUS_INVARIANT : st;
}

static enum status
read_list(struct hll_datasketches *s, const struct image *g)
{
	size_t n = g->sixth;

	if (n > LIST_MAX)
		return STATUS_INVARIANT;
	return take_coupons(s, g, HEAD, g->flags & COMPACT ? n : 1u << LIST_LG, n);
}

static enum status
read_set(struct hll_datasketches *s, const struct image *g)
{
	bool compact = g->flags & COMPACT;

	if (g->bytes.len < AT_SET)
		return STATUS_TRUNCATED;
	size_t n = get_le32(g->bytes.at + HEAD);
	if (g->lgk < TABLE_LG_MIN + 3)
		return STATUS_PARAMETER;
	if (!compact && (g->lg_table < TABLE_LG_MIN || g->lg_table > g->lgk - 3))
		return STATUS_PARAMETER;
	/* Coupons that come twice are taken: one more than the limit can be right. */
	if (n > 2 * hll_datasketches_limit(g->lgk))
		return STATUS_INVARIANT;
	enum status st = take_coupons(s, g, AT_SET, compact ? n : (size_t)1 << g->lg_table, n);
	return st == OK && !hll_datasketches_coupons(s) ? STATUS_INVARIANT : st;
}

/* The exceptions, each of them for a register that has none yet. */
static enum status
take_exceptions(const struct image *g, unsigned char *rank, size_t at, size_t places, size_t n)
{
	for (size_t i = 0; i < places; i++) {
		uint32_t pair = get_le32(g->bytes.at + at + 4 * i);
		uint32_t index = pair & ((UINT32_C(1) << HLL_DATASKETCHES_PLACE_BITS) - 1);
		unsigned above = pair >> HLL_DATASKETCHES_PLACE_BITS;

		if (pair == 0 && !(g->flags & COMPACT))
			continue;
		if (n-- == 0 || index >> g->lgk != 0 || rank[index] != UCHAR_MAX ||
		    above < g->sixth + EXCEPTION)
			return STATUS_INVARIANT;
		rank[index] = (unsigned char)above;
	}
	return n > 0 ? STATUS_INVARIANT : OK;
}

/* The places for HLL_4's exceptions if the head does not tell. */
static unsigned
exceptions_lg(unsigned lgk)
{
	return lgk < 7 ? 2 : lgk < 10 ? 3 : lgk < 12 ? 4 : lgk < 14 ? 5 : lgk - 8;
}

static enum status
unpack_4(const struct image *g, unsigned char *rank)
{
	size_t m = (size_t)1 << g->lgk, end = AT_REGISTERS + m / 2, left = 0;
	size_t n = get_le32(g->bytes.at + 36), places = n;

	if (g->sixth > HLL_DATASKETCHES_RANK_MAX || n > m)
		return STATUS_INVARIANT;
	if (g->lg_table > g->lgk)
		return STATUS_PARAMETER;
	if (!(g->flags & COMPACT))
		places = (size_t)1 << (g->lg_table > 0 ? g->lg_table : exceptions_lg(g->lgk));
	enum status st = demand_length(g, end + 4 * places);
	for (size_t i = 0; st == OK && i < m; i++) {
		unsigned above = g->bytes.at[AT_REGISTERS + i / 2] >> 4 * (i % 2) & 15;

		left += above == EXCEPTION;
		rank[i] = above == EXCEPTION ? UCHAR_MAX : (unsigned char)(above + g->sixth);
	}
	if (st == OK && left != n)
		return STATUS_INVARIANT;
	return st == OK ? take_exceptions(g, rank, end, places, n) : st;
}

/* The registers, a byte each, of which none is checked yet. */
static enum status
unpack(const struct image *g, unsigned char *rank)
{
	size_t packed = registers_packed_size(g->lgk), m = (size_t)1 << g->lgk;
	const unsigned char *at = g->bytes.at + AT_REGISTERS;

	if (g->type == HLL_4)
		return unpack_4(g, rank);
	enum status st = demand_length(g, AT_REGISTERS + (g->type == HLL_6 ? packed + 1 : m));
	if (st != OK)
		return st;
	if (g->sixth != 0 || get_le32(g->bytes.at + 36) != 0)
		return STATUS_INVARIANT;
	if (g->type == HLL_8) {
		memcpy(rank, at, m);
		return OK;
	}
	registers_unpack(rank, at, g->lgk);
	return at[packed] == 0 ? OK : STATUS_INVARIANT;
}

static double
get_real(const unsigned char *p)
{
	uint64_t bits = get_le64(p);
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static void
put_real(unsigned char *p, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	put_le64(p, bits);
}

/* Are the sums and counts those of the registers? */
static enum status
demand_sums(const struct image *g, const struct composite *c)
{
	const unsigned char *in = g->bytes.at;
	unsigned smallest = 0;

	while (smallest < g->sixth && c->count[smallest] == 0)
		smallest++;
	bool rebuild = (g->flags & (OUT_OF_ORDER | REBUILD)) == (OUT_OF_ORDER | REBUILD);
	bool right = smallest == g->sixth && (g->type != HLL_4 || c->count[smallest] > 0) &&
	    get_le32(in + 32) == c->count[smallest] &&
	    get_real(in + 16) == composite_sum_low(c) &&
	    get_real(in + 24) == composite_sum_high(c);
	return right || rebuild ? OK : STATUS_INVARIANT;
}

static enum status
take_registers(struct hll_datasketches *s, const struct image *g, const unsigned char *rank)
{
	struct composite c = {.lgk = g->lgk};

	for (size_t i = 0; i >> g->lgk == 0; i++) {
		if (rank[i] > HLL_DATASKETCHES_RANK_MAX)
			return STATUS_INVARIANT;
		c.count[rank[i]]++;
	}
	enum status st = demand_sums(g, &c);
	if (st == OK)
		st = hll_datasketches_raise(s, rank);
	bool in_order = !(g->flags & OUT_OF_ORDER) && hll_datasketches_registers(s);
	if (st == OK && in_order && !hll_datasketches_set_hip(s, get_real(g->bytes.at + 8)))
		st = STATUS_INVARIANT;
	return st;
}

static enum status
read_hll(struct hll_datasketches *s, const struct image *g)
{
	if (g->bytes.len < AT_REGISTERS)
		return STATUS_TRUNCATED;
	unsigned char *rank = calloc((size_t)1 << g->lgk, 1);
	if (!rank)
		return STATUS_MEMORY;
	enum status st = unpack(g, rank);
	if (st == OK)
		st = take_registers(s, g, rank);
	free(rank);
	return st;
}

static bool
is_empty(const struct hll_datasketches *s)
{
	const struct hll_explicit *few = hll_datasketches_coupons(s);

	return few && hll_explicit_count(few) == 0;
}

static enum status
datasketches_read(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	static enum status (*const read_mode[])(struct hll_datasketches *, const struct image *) = {
		[LIST] = read_list, [SET] = read_set, [HLL] = read_hll,
	};
	struct hll_datasketches *s;
	struct image g;

	enum status st = decode_head((struct slice){bytes->at, bytes->len}, &g);
	if (st == OK)
		st = hll_datasketches_new(&s, g.lgk);
	if (st != OK)
		return st;
	st = read_mode[g.mode](s, &g);
	if (st == OK && (g.flags & EMPTY) && !is_empty(s))
		st = STATUS_INVARIANT;
	if (st != OK) {
		hll_datasketches_free(s);
		return st;
	}
	*left_out = 0;
	*out = (struct sketch){
		.head = {.kind = KIND_HLL_DATASKETCHES, .version = 1, .hash = HASH_MURMUR3_COUPON},
		.kind = &hll_datasketches_kind,
		.body = s,
	};
	out->head.param[HLL_DATASKETCHES_LGK] = g.lgk;
	return OK;
}

/* Log2 of the places that the library would have for so many coupons. */
static unsigned
table_lg(size_t coupons)
{
	unsigned lg = TABLE_LG_MIN;

	while (4 * coupons > (size_t)3 << lg)
		lg++;
	return lg;
}

static enum status
write_coupons(const struct hll_datasketches *s, struct sink sink)
{
	size_t n = hll_explicit_count(hll_datasketches_coupons(s));
	bool list = n <= LIST_MAX;
	unsigned char head[AT_SET] = {
		preamble[list ? LIST : SET], SERIAL, FAMILY, (unsigned char)hll_datasketches_lgk(s),
		(unsigned char)(list ? LIST_LG : table_lg(n)), n > 0 ? COMPACT : COMPACT | EMPTY,
		list ? (unsigned char)n : 0, (list ? LIST : SET) | HLL_8 << 2,
	};
	uint32_t *coupon = malloc(n > 0 ? n * sizeof *coupon : 1);

	if (!coupon)
		return STATUS_MEMORY;
	hll_datasketches_sorted(s, coupon);
	put_le32(head + HEAD, (uint32_t)n);
	enum status st = sink.write(sink.to, head, list ? HEAD : AT_SET);
	for (size_t i = 0; st == OK && i < n; i++) {
		unsigned char four[4];

		put_le32(four, coupon[i]);
		st = sink.write(sink.to, four, sizeof four);
	}
	free(coupon);
	return st;
}

static enum status
write_registers(const struct hll_datasketches *s, struct sink sink)
{
	double hip = hll_datasketches_hip(s);
	unsigned char head[AT_REGISTERS] = {
		preamble[HLL], SERIAL, FAMILY, (unsigned char)hll_datasketches_lgk(s), 0,
		hip > 0 ? COMPACT : COMPACT | OUT_OF_ORDER, 0, HLL | HLL_8 << 2,
	};
	struct composite c;

	hll_datasketches_histogram(s, &c);
	put_real(head + 8, hip);
	put_real(head + 16, composite_sum_low(&c));
	put_real(head + 24, composite_sum_high(&c));
	put_le32(head + 32, c.count[0]);
	enum status st = sink.write(sink.to, head, sizeof head);
	return st == OK ? sink.write(sink.to, hll_datasketches_registers(s), (size_t)1 << c.lgk) : st;
}

static enum status
datasketches_write(const struct sketch *s, struct sink sink)
{
	return hll_datasketches_registers(s->body) ? write_registers(s->body, sink) :
	    write_coupons(s->body, sink);
}

static bool
datasketches_looks(struct slice start)
{
	struct image g;

	return decode_head(start, &g) == OK;
}

/* Version and family, which no text has. */
static bool
datasketches_raw(struct slice start)
{
	return start.len > 2 && start.at[1] == 1 && start.at[2] == 7;
}

const struct system datasketches_system = {
	.name = "datasketches", .what = "HLL of DataSketches", .kind = KIND_HLL_DATASKETCHES,
	.builder = "hll-build", .settings = datasketches_settings,
	.settings_form = DATASKETCHES_SETTINGS_FORM,
	.dump = DUMP_CSV, .raw = datasketches_raw, .looks = datasketches_looks,
	.read = datasketches_read, .write = datasketches_write,
};
