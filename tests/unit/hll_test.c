/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "base/hash.h"
#include "sketch/distinct/hll.h"
#include "check.h"

/* The hashes number from..from+n-1 of a fixed stream: any two parts of it are
 * disjoint sets of items. */
static void
add_range(struct hll *s, uint64_t from, size_t n)
{
	uint64_t hash[256];

	while (n > 0) {
		size_t some = n < 256 ? n : 256;

		for (size_t i = 0; i < some; i++)
			hash[i] = hash_step(from++, 1);
		CHECK_EQ(hll_add(s, hash, some), OK);
		n -= some;
	}
}

static struct hll *
empty(unsigned precision)
{
	struct hll *s = NULL;

	CHECK_EQ(hll_new(&s, precision), OK);
	return s;
}

static struct hll *
build(unsigned precision, uint64_t from, size_t n)
{
	struct hll *s = empty(precision);

	add_range(s, from, n);
	return s;
}

/* A saved sketch. */
struct saved {
	struct record head;
	struct buffer payload;
};

static struct saved
save(const struct hll *s)
{
	struct saved f = {.head = {.items = 77, .flags = FLAG_SATURATED}};

	CHECK_EQ(hll_kind.save(s, &f.head, &f.payload), OK);
	CHECK_EQ(f.head.size, f.payload.len);
	CHECK_EQ(f.head.items, 77);
	CHECK_EQ(f.head.flags, FLAG_SATURATED);
	CHECK_EQ(hll_kind.check(&f.head), OK);
	return f;
}

static bool
same_bytes(const struct saved *a, const struct saved *b)
{
	return memcmp(a->head.param, b->head.param, sizeof(a->head.param)) == 0 &&
	    a->payload.len == b->payload.len && (a->payload.len == 0 ||
	    memcmp(a->payload.at, b->payload.at, a->payload.len) == 0);
}

static bool
same(const struct hll *a, const struct hll *b)
{
	struct saved x = save(a), y = save(b);
	bool equal = same_bytes(&x, &y);

	buffer_free(&x.payload);
	buffer_free(&y.payload);
	return equal;
}

/* Whether the sketch was taken; then it must be sane and save as it came. */
static bool
load(struct hll **out, struct saved *f)
{
	void *s = NULL;
	enum status st = hll_kind.load(&s, &f->head, &f->payload);
	double low, high;

	CHECK(st == OK || st == STATUS_INVARIANT);
	if (st != OK) {
		CHECK(s == NULL);
		return false;
	}
	hll_interval(s, &low, &high);
	double estimate = hll_estimate(s);
	CHECK(low >= 0 && low <= estimate && estimate <= high && high <= REGISTERS_MOST);
	struct saved again = save(s);
	CHECK(same_bytes(f, &again));
	buffer_free(&again.payload);
	*out = s;
	return true;
}

static bool
loads(struct saved *f)
{
	struct hll *s;

	if (hll_kind.check(&f->head) != OK || !load(&s, f))
		return false;
	hll_free(s);
	return true;
}

/* A sketch from registers, packed bit by bit as the format page says. */
static struct saved
save_registers(const unsigned char *r, unsigned precision)
{
	struct saved f = {.head = {
		.kind = KIND_HLL,
		.version = 1,
		.size = ((uint64_t)6 << precision) / 8,
		.param = {precision, HLL_REGISTERS},
	}};

	CHECK_EQ(buffer_zeros(&f.payload, f.head.size), OK);
	for (size_t bit = 0; bit < (size_t)6 << precision; bit++)
		f.payload.at[bit / 8] |= (unsigned char)((r[bit / 6] >> bit % 6 & 1) << bit % 8);
	return f;
}

static void
published_figures(void)
{
	CHECK_EQ(hll_bytes(14), 12 * 1024);
	CHECK_IN(hll_error(14), 0.00812, 0.00813);
	CHECK_IN(hll_error(10), 0.03249, 0.03251);
	CHECK_EQ(hll_precision_for(0.01, 0), 14);
	CHECK_EQ(hll_precision_for(0.008125, 0), 14);
	CHECK_EQ(hll_precision_for(0.0081, 0), 15);
	CHECK_EQ(hll_precision_for(0.26, 0), 4);
	CHECK_EQ(hll_precision_for(1, 0), 4);
	CHECK_EQ(hll_precision_for(0.001, 0), 0);
	/* 1.96 standard errors at 95 %, 2.576 at 99 %. */
	CHECK_EQ(hll_precision_for(0.01593, 0.95), 14);
	CHECK_EQ(hll_precision_for(0.01592, 0.95), 15);
	CHECK_EQ(hll_precision_for(0.02093, 0.99), 14);
	CHECK_EQ(hll_precision_for(0.02092, 0.99), 15);
	CHECK_EQ(hll_token_limit(4), 128);
	CHECK_EQ(hll_token_limit(10), 128);
	CHECK_EQ(hll_token_limit(14), 2048);

	struct hll *s = build(14, 1, 3000);
	struct saved f = save(s);
	CHECK_EQ(f.payload.len, 12288);
	CHECK_EQ(f.head.kind, KIND_HLL);
	CHECK_EQ(f.head.version, 1);
	buffer_free(&f.payload);
	hll_free(s);

	CHECK_EQ(hll_new(&s, 3), STATUS_PARAMETER);
	CHECK_EQ(hll_new(&s, 19), STATUS_PARAMETER);
	hll_free(NULL);
}

static void
the_worked_example(void)
{
	static const uint64_t hash[] = {UINT64_C(0xb2d05e0000000001), 0};
	static const unsigned char want[] = {0x27, 0, 0, 0, 0x26, 0x5e, 0xd0, 0xb2};
	struct hll *s = empty(4);

	CHECK_EQ(hll_add(s, hash, 2), OK);
	struct saved f = save(s);
	CHECK_EQ(f.payload.len, sizeof(want));
	CHECK(memcmp(f.payload.at, want, sizeof(want)) == 0);
	buffer_free(&f.payload);

	/* 200 items of one register turn it dense: registers 7, 0 and 11. */
	for (uint64_t i = 0; i < 200; i++)
		CHECK_EQ(hll_add(s, &(uint64_t){UINT64_C(0x7800000000000000) + (i << 48)}, 1), OK);
	f = save(s);
	static const unsigned char dense[12] = {
		[0] = 61, [5] = 1 << 2, [8] = 3 << 2,
	};
	CHECK_EQ(f.payload.len, sizeof(dense));
	CHECK(memcmp(f.payload.at, dense, sizeof(dense)) == 0);
	buffer_free(&f.payload);
	hll_free(s);
}

static void
few_items_are_as_good_as_exact(void)
{
	for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++) {
		struct hll *s = empty(p);
		double low, high;

		CHECK(hll_memory(s) <= 64);
		for (size_t n = 0; n <= 100; n++) {
			hll_interval(s, &low, &high);
			CHECK_IN(hll_estimate(s), (double)n, (double)n + 0.001);
			CHECK_IN(low, (double)n, (double)n);
			CHECK_IN(high, (double)n, (double)n + 0.001);
			add_range(s, n, 1);
			add_range(s, n / 2, 1);
		}
		CHECK(hll_memory(s) < 1024);
		struct saved f = save(s);
		CHECK_EQ(f.payload.len, 404);
		buffer_free(&f.payload);
		hll_free(s);
	}

	/* Up to the limit tokens stay near exact, and low is certain. */
	struct hll *s = build(18, 1, 32768);
	double low, high;
	hll_interval(s, &low, &high);
	CHECK_IN(hll_estimate(s), 32762, 32774);
	CHECK_IN(low, 32762, 32768);
	CHECK_IN(high, 32768, 32776);
	hll_free(s);
}

static void
two_shards_unite(void)
{
	struct hll *a = build(14, 0, 60000), *b = build(14, 40000, 60000);
	struct hll *whole = build(14, 0, 100000);

	CHECK_EQ(hll_merge(a, b), OK);
	CHECK_IN(hll_estimate(a), 100000 * (1 - 3 * hll_error(14)),
	    100000 * (1 + 3 * hll_error(14)));
	CHECK(same(a, whole));

	/* Once more, by itself, and with its own parts: no change. */
	CHECK_EQ(hll_merge(a, b), OK);
	CHECK_EQ(hll_merge(a, a), OK);
	CHECK_EQ(hll_merge(a, whole), OK);
	CHECK(same(a, whole));
	hll_free(a);
	hll_free(b);
	hll_free(whole);
}

/* At every precision and for all forms: tokens, tokens that are too many for
 * the coarser one, registers. */
static void
folding_equals_building_coarser(void)
{
	static const size_t sizes[] = {0, 1, 128, 129, 600, 3000, 40000};

	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		struct hll *at[HLL_PRECISION_MAX + 1];

		for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++)
			at[p] = build(p, k << 32, sizes[k]);
		for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++) {
			for (unsigned q = HLL_PRECISION_MIN; q <= p; q++) {
				struct hll *s = empty(p);

				CHECK_EQ(hll_merge(s, at[p]), OK);
				CHECK_EQ(hll_fold(s, q), OK);
				CHECK_EQ(hll_precision(s), q);
				CHECK(same(s, at[q]));
				hll_free(s);
			}
		}
		CHECK_EQ(hll_fold(at[6], 7), STATUS_PARAMETER);
		CHECK_EQ(hll_fold(at[6], 3), STATUS_PARAMETER);
		for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++)
			hll_free(at[p]);
	}
}

static void
unlike_precisions_unite_at_the_coarser(void)
{
	static const size_t sizes[] = {0, 100, 1500, 20000};

	for (unsigned round = 0; round < 16 * 9; round++) {
		size_t n = sizes[round % 4], m = sizes[round / 4 % 4];
		unsigned p = 4 + round / 16 % 3 * 5, q = 5 + round / 48 * 5;
		struct hll *a = build(p, 0, n), *b = build(q, 10000, m);
		struct hll *want = build(p < q ? p : q, 0, n);
		struct mismatch why;

		add_range(want, 10000, m);
		struct saved before = save(b);
		CHECK_EQ(hll_kind.merge(a, b, &why), OK);
		CHECK(same(a, want));
		struct saved after = save(b);
		CHECK(same_bytes(&before, &after));
		buffer_free(&before.payload);
		buffer_free(&after.payload);
		hll_free(a);
		hll_free(b);
		hll_free(want);
	}
}

static void
split_and_merged_in_any_order_is_the_whole(void)
{
	static const size_t sizes[] = {40, 700, 2048, 2049, 9000};
	uint64_t seed = 7;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		struct hll *whole = build(14, 0, sizes[k]);

		for (size_t parts = 1; parts <= 64; parts += check_long() ? 1 : 9) {
			struct hll *part[64];

			for (size_t i = 0; i < parts; i++)
				part[i] = empty(14);
			/* Each item to one part at random, some to two. */
			for (size_t i = 0; i < sizes[k]; i++) {
				add_range(part[check_random(&seed) % parts], i, 1);
				if (i % 8 == 0)
					add_range(part[check_random(&seed) % parts], i, 1);
			}
			/* Any two, until one is left. */
			for (size_t left = parts; left > 1; left--) {
				size_t from = check_random(&seed) % left;
				size_t into = (from + 1 + check_random(&seed) % (left - 1)) % left;

				CHECK_EQ(hll_merge(part[into], part[from]), OK);
				hll_free(part[from]);
				part[from] = part[left - 1];
			}
			CHECK(same(part[0], whole));
			hll_free(part[0]);
		}
		hll_free(whole);
	}
}

static void
order_and_repeats_do_not_matter(void)
{
	for (unsigned p = 4; p <= 18; p += 7) {
		for (size_t n = 1; n < 70000; n = n * 3 + 1) {
			struct hll *up = build(p, 0, n), *down = empty(p);

			for (size_t i = n; i-- > 0;)
				add_range(down, i, 1);
			add_range(down, n / 3, n / 3);
			CHECK(same(up, down));
			hll_free(up);
			hll_free(down);
		}
	}
}

static void
a_saved_sketch_loads_as_it_was(void)
{
	for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++) {
		for (size_t n = 0; n < 100000; n = n * 5 + 1) {
			struct hll *s = build(p, 5, n), *t = NULL;
			struct saved f = save(s);

			CHECK(load(&t, &f));
			CHECK(hll_estimate(s) == hll_estimate(t));
			/* And goes on as if nothing had happened. */
			add_range(s, 200000, 1000);
			add_range(t, 200000, 1000);
			CHECK(same(s, t));
			buffer_free(&f.payload);
			hll_free(s);
			hll_free(t);
		}
	}
}

static void
the_same_bytes_on_every_machine(void)
{
	static const struct {
		unsigned precision;
		size_t n;
		uint64_t want;
	} vector[] = {
		{14, 100, UINT64_C(0xfffd9b0915228b34)},
		{14, 5000, UINT64_C(0x0720c9f84e1868a7)},
		{9, 1000, UINT64_C(0xf14d8a0935857512)},
		{18, 1000000, UINT64_C(0xe279215692f74b7b)},
	};

	for (size_t k = 0; k < sizeof(vector) / sizeof(*vector); k++) {
		struct hll *s = build(vector[k].precision, 1, vector[k].n);
		struct saved f = save(s);

		CHECK_EQ(hash_bytes(f.payload.at, f.payload.len, 0), vector[k].want);
		buffer_free(&f.payload);
		hll_free(s);
	}
}

static void
the_header_is_checked(void)
{
	struct record good = {.kind = KIND_HLL, .version = 1, .size = 12288, .param = {14, 1}};
	struct record r = good;

	CHECK_EQ(hll_kind.check(&r), OK);
	for (size_t i = 2; i < 8; i++) {
		r = good;
		r.param[i] = 1;
		CHECK_EQ(hll_kind.check(&r), STATUS_PARAMETER);
	}
	static const uint64_t bad[] = {0, 3, 19, 270, UINT64_C(0x10000000e), UINT64_MAX};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		r = good;
		r.param[0] = bad[i];
		CHECK_EQ(hll_kind.check(&r), STATUS_PARAMETER);
	}
	r = good;
	r.param[1] = 2;
	CHECK_EQ(hll_kind.check(&r), STATUS_PARAMETER);
	for (uint64_t size = 12280; size < 12300; size++) {
		r = good;
		r.size = size;
		CHECK_EQ(hll_kind.check(&r), size == 12288 ? OK : STATUS_SIZE);
	}
	r.param[1] = 0;
	static const struct { uint64_t size; enum status want; } tokens[] = {
		{0, OK}, {4, OK}, {6, STATUS_SIZE}, {8192, OK}, {8196, STATUS_SIZE},
		{UINT64_MAX - 3, STATUS_SIZE},
	};
	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
		r.size = tokens[i].size;
		CHECK_EQ(hll_kind.check(&r), tokens[i].want);
	}
}

static void
impossible_payloads_are_refused(void)
{
	/* Tokens: descending, twice the same, rank 0, rank 40. */
	static const uint32_t bad[][2] = {
		{0x101, 0x81}, {0x101, 0x101}, {0x100, 0x181}, {0x101, 0x1a8}, {0, 0x101},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		unsigned char bytes[8];
		struct saved f = {.head = {.size = 8, .param = {14, 0}},
		    .payload = {bytes, 8, 8}};

		put_le32(bytes, bad[i][0]);
		put_le32(bytes + 4, bad[i][1]);
		CHECK(!loads(&f));
	}

	/* Registers: none used; one too large; too few tokens at p = 18. */
	static unsigned char r[1 << 18];
	struct saved f = save_registers(r, 4);
	CHECK(!loads(&f));
	buffer_free(&f.payload);
	r[3] = 61;
	f = save_registers(r, 4);
	CHECK(loads(&f));
	buffer_free(&f.payload);
	r[3] = 62;
	f = save_registers(r, 4);
	CHECK(!loads(&f));
	buffer_free(&f.payload);
	/* Each register of rank 1 stands for 128 indexes of 39 ranks each, and
	 * the limit is 32,768 tokens: six are too few, seven are enough. */
	memset(r, 0, sizeof(r));
	memset(r, 1, 6);
	f = save_registers(r, 18);
	CHECK(!loads(&f));
	buffer_free(&f.payload);
	r[6] = 1;
	f = save_registers(r, 18);
	CHECK(loads(&f));
	buffer_free(&f.payload);
}

/* Payloads at the edges of what registers may hold: load() looks at the
 * answers. */
static void
extreme_registers_have_answers(void)
{
	static unsigned char r[1 << 18];

	for (unsigned p = 4; p <= 18; p += 2) {
		size_t m = (size_t)1 << p;

		for (unsigned rank = 1; rank <= registers_rank_max(p); rank++) {
			for (size_t used = m; used > 0; used = used == 1 ? 0 : used == m ? m - 1 : 1) {
				memset(r, 0, m);
				memset(r, (int)rank, used);
				struct saved f = save_registers(r, p);
				bool taken = loads(&f);

				CHECK(taken || used < 7);
				buffer_free(&f.payload);
			}
		}
		for (size_t i = 0; i < m; i++)
			r[i] = i % 2 ? 1 : (unsigned char)registers_rank_max(p);
		struct saved f = save_registers(r, p);
		CHECK(loads(&f));
		buffer_free(&f.payload);
	}
}

static void
flipped_bits_and_garbage_do_no_harm(void)
{
	static const struct { unsigned precision; size_t n; } from[] = {
		{14, 20}, {4, 128}, {4, 1000}, {8, 5000},
	};
	uint64_t seed = 3;
	size_t taken = 0;

	for (size_t k = 0; k < sizeof(from) / sizeof(*from); k++) {
		struct hll *s = build(from[k].precision, 9, from[k].n);
		struct saved f = save(s);

		for (size_t bit = 0; bit < 8 * f.payload.len; bit++) {
			f.payload.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
			taken += loads(&f);
			f.payload.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		buffer_free(&f.payload);
		hll_free(s);
	}
	CHECK(taken > 0);

	for (size_t round = 0; round < 2000; round++) {
		struct saved f = {.head.param = {4 + round % 15, round / 15 % 2}};

		/* Mostly small ones. */
		if (round % 15 >= 8 && round % 64 != 0)
			continue;
		f.head.size = round / 15 % 2 ? hll_bytes(4 + round % 15) :
		    4 * (check_random(&seed) % 129);
		CHECK_EQ(buffer_zeros(&f.payload, f.head.size), OK);
		/* Rarely above 60, so that some get past the first look. */
		for (size_t i = 0; i < f.head.size; i++)
			f.payload.at[i] = (unsigned char)(check_random(&seed) & check_random(&seed));
		loads(&f);
		buffer_free(&f.payload);
	}
}

static void
facts_in_a_fixed_order(void)
{
	static const char *const names[] = {
		"precision", "registers", "standard_error", "encoding", "tokens",
		"token_limit", "estimate", "low", "high", "memory",
	};

	for (size_t n = 50; n <= 5000; n *= 100) {
		struct hll *s = build(12, 0, n);
		struct facts facts = {0};

		hll_kind.facts(s, &facts);
		CHECK_EQ(facts.n, sizeof(names) / sizeof(*names));
		for (size_t i = 0; i < facts.n; i++)
			CHECK(strcmp(facts.at[i].name, i == 4 && n > 512 ?
			    "registers_used" : names[i]) == 0);
		CHECK_EQ(facts.at[0].count, 12);
		CHECK(strcmp(facts.at[3].text, n > 512 ? "registers" : "tokens") == 0);
		CHECK(facts.at[6].real == hll_estimate(s));
		hll_kind.free(s);
	}
}

int
main(void)
{
	RUN(published_figures);
	RUN(the_worked_example);
	RUN(few_items_are_as_good_as_exact);
	RUN(two_shards_unite);
	RUN(folding_equals_building_coarser);
	RUN(unlike_precisions_unite_at_the_coarser);
	RUN(split_and_merged_in_any_order_is_the_whole);
	RUN(order_and_repeats_do_not_matter);
	RUN(a_saved_sketch_loads_as_it_was);
	RUN(the_same_bytes_on_every_machine);
	RUN(the_header_is_checked);
	RUN(impossible_payloads_are_refused);
	RUN(extreme_registers_have_answers);
	RUN(flipped_bits_and_garbage_do_no_harm);
	RUN(facts_in_a_fixed_order);
	return check_done();
}
