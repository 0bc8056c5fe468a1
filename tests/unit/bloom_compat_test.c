/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The filters of Parquet and of DCSO: bit for bit theirs, as many false
 * positives as wanted, and the truth about those that have more.
 */
#include <math.h>

#include "base/hash.h"
#include "sketch/member/bloom.h"
#include "sketch/member/bloom_bits.h"
#include "sketch/member/bloom_dcso.h"
#include "sketch/member/bloom_writer.h"
#include "sketch/kinds.h"
#include "sketch/member/member.h"
#include "check.h"

static struct bloom *
filter_of(struct bloom_shape shape)
{
	struct bloom *b = NULL;

	CHECK(bloom_new(&b, &shape) == OK);
	if (!b)
		exit(1);
	return b;
}

static struct bloom *
filter_for(enum bloom_type type, uint64_t n, double fpp)
{
	struct bloom_shape shape = {0};

	CHECK(bloom_shape_for(&shape, type, n, fpp));
	return filter_of(shape);
}

static struct bloom *
filter_with(enum bloom_type type, uint64_t size, unsigned probes, uint64_t capacity)
{
	return filter_of((struct bloom_shape){
		.type = type, .size = size, .probes = probes, .capacity = capacity, .fpp = 0.01,
	});
}

static bool
bit(const struct bloom *b, uint64_t i)
{
	return bloom_payload(b).at[i / 8] >> i % 8 & 1;
}

static uint64_t
ones(const struct bloom *b)
{
	return bloom_bits_count(bloom_payload(b).at, bloom_shape(b)).ones;
}

static uint64_t
hash_of(enum hash_id id, const char *text)
{
	struct slice item = slice_of(text);
	uint64_t h;

	hash_items(id, &item, 1, &h);
	return h;
}

/* Computed by the systems' own rules, in other languages. */

static void
dcso_sets_the_bits_of_its_golden_key(void)
{
	static const uint64_t want[] = {20311, 36825, 412501, 835777, 658914, 853361, 307361};
	struct bloom *b = filter_for(BLOOM_DCSO, 100000, 0.01);
	uint64_t bar = hash_of(HASH_FNV1, "bar");
	bool has;

	CHECK_EQ(bloom_shape(b)->size, 958505);
	CHECK_EQ(bloom_shape(b)->probes, 7);
	bloom_add(b, &bar, 1);
	CHECK_EQ(ones(b), 7);
	for (size_t i = 0; i < 7; i++)
		CHECK(bit(b, want[i]));
	CHECK_EQ(bloom_has(b, &bar, 1, &has), 1);
	CHECK_EQ(bloom_counted(b), 1);
	bloom_add(b, &bar, 1);
	CHECK_EQ(bloom_counted(b), 1);
	bloom_free(b);
}

static void
parquet_sets_the_bits_of_its_golden_keys(void)
{
	static const struct {
		const char *key;
		uint64_t block;
		unsigned bit[8];
	} want[] = {
		{"hello", 155, {20, 9, 10, 7, 9, 31, 28, 27}},
		{"", 957, {29, 0, 25, 28, 14, 22, 29, 30}},
		{"198.51.100.7", 606, {31, 0, 4, 8, 19, 16, 30, 14}},
	};

	for (size_t k = 0; k < 3; k++) {
		struct bloom *b = filter_with(BLOOM_PARQUET, 1024, 1, 1);
		uint64_t h = hash_of(HASH_XXH64, want[k].key);
		bloom_add(b, &h, 1);
		CHECK_EQ(ones(b), 8);
		for (unsigned w = 0; w < 8; w++)
			CHECK(bit(b, want[k].block * 256 + w * 32 + want[k].bit[w]));
		bloom_free(b);
	}
}

/* The block is not that of a block filter where the low half carries. */
static void
parquet_takes_the_high_half_alone(void)
{
	struct bloom *b = filter_with(BLOOM_PARQUET, 3, 1, 1);
	uint64_t h = UINT64_C(0x55555555ffffffff);

	CHECK_EQ(hash_place(h, 3), 1);
	bloom_add(b, &h, 1);
	CHECK(!record_zeros(bloom_payload(b).at, 32));
	CHECK(record_zeros(bloom_payload(b).at + 32, 64));
	bloom_free(b);
}

/* As the program `bloom create` wrote them. */
static void
dcso_sizes_are_its_own(void)
{
	static const struct {
		uint64_t n;
		double p;
		uint64_t m;
		unsigned k;
	} want[] = {
		{1, 0.5, 1, 1}, {1, 0.01, 9, 7}, {10, 0.01, 95, 7}, {5, 1e-6, 143, 20},
		{1000, 0.3, 2505, 2}, {1000, 1e-6, 28755, 20}, {12345, 0.001, 177491, 10},
		{100000, 0.01, 958505, 7}, {999983, 0.05, 6235118, 5}, {3000000, 1e-9, 129398288, 30},
	};
	struct bloom_shape shape;

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		CHECK(bloom_shape_for(&shape, BLOOM_DCSO, want[i].n, want[i].p));
		CHECK_EQ(shape.size, want[i].m);
		CHECK_EQ(shape.probes, want[i].k);
		CHECK_EQ(shape.capacity, want[i].n);
	}
	CHECK(bloom_shape_for(&shape, BLOOM_DCSO, 0, 0.01));
	CHECK_EQ(shape.capacity, 1);
	CHECK(!bloom_shape_for(&shape, BLOOM_DCSO, UINT64_C(1) << 50, 0.01));
}

/* The one that gives 2^20 bits, and others near it. */
static void
sizes_that_the_hash_handles_badly_are_passed_over(void)
{
	struct bloom_shape shape;

	CHECK(bloom_shape_for(&shape, BLOOM_DCSO, 109397, 0.01));
	CHECK_EQ(shape.capacity, 109398);
	CHECK_EQ(shape.size, 1048586);
	CHECK(!bloom_dcso_suits(1 << 20, 7));
	CHECK(!bloom_dcso_suits(195 << 12, 7));
	CHECK(bloom_dcso_suits(197 << 12, 7));
	CHECK(bloom_dcso_suits(95, 7));
	CHECK(bloom_dcso_suits(1, 1));
	for (uint64_t n = 1; n < 3000; n++)
		for (double p = 0.5; p > 1e-9; p /= 8) {
			CHECK(bloom_shape_for(&shape, BLOOM_DCSO, n, p));
			CHECK(shape.capacity >= n && shape.capacity <= n + 20);
			CHECK(bloom_dcso_suits(shape.size, shape.probes));
		}
}

static void
parquet_sizes_are_powers_of_two(void)
{
	struct bloom_shape shape, smaller;

	for (uint64_t n = 1; n < 10000000; n = n * 3 + 1)
		for (double p = 0.3; p > 1e-6; p /= 10) {
			CHECK(bloom_shape_for(&shape, BLOOM_PARQUET, n, p));
			CHECK_EQ(shape.probes, 1);
			CHECK_EQ(shape.size & (shape.size - 1), 0);
			CHECK(bloom_expected_fpp(&shape, n) <= p);
			smaller = shape;
			smaller.size /= 2;
			/* The small ones also answer for how they scatter. */
			if (smaller.size > 4000)
				CHECK(bloom_expected_fpp(&smaller, n) > p);
		}
	CHECK(bloom_shape_for(&shape, BLOOM_PARQUET, 100000000, 1e-3));
	CHECK_EQ(bloom_bytes(&shape), 256 << 20);
	/* A bitset has less than 2 GiB. */
	CHECK(!bloom_shape_for(&shape, BLOOM_PARQUET, 2000000000, 1e-3));
	shape.size = BLOOM_PARQUET_BLOCKS_MAX;
	CHECK(bloom_shape_valid(&shape));
	shape.size++;
	CHECK(!bloom_shape_valid(&shape));
}

#define N_MAX 109398
#define ASKED 400000

static uint64_t hash[N_MAX], absent[ASKED];
static bool has[ASKED];

static void
draw(uint64_t *to, size_t n, uint64_t seed)
{
	uint64_t state = hash_step(seed, 7);

	for (size_t i = 0; i < n; i++)
		to[i] = check_random(&state);
}

/* The measured fpp of a filter that holds n items, all of which it finds. */
static double
measured(struct bloom *b, uint64_t n)
{
	draw(hash, n, 1);
	draw(absent, ASKED, 2);
	bloom_add(b, hash, n);
	CHECK_EQ(bloom_has(b, hash, n, has), n);
	return (double)bloom_has(b, absent, ASKED, has) / ASKED;
}

static void
the_fpp_is_the_wanted_one(void)
{
	static const uint64_t sizes[] = {1000, 27349, 54699, 109397};
	static const double wanted[] = {0.1, 0.01, 1e-3};

	for (int type = BLOOM_PARQUET; type <= BLOOM_DCSO; type++)
		for (size_t i = 0; i < 4; i++)
			for (size_t k = 0; k < 3; k++) {
				struct bloom *b = filter_for((enum bloom_type)type, sizes[i], wanted[k]);
				double fpp = measured(b, sizes[i]);
				double noise = 4 * sqrt(wanted[k] / ASKED);
				/* Below a thousand or so, one filter is not another. */
				double slack = sizes[i] > 1000 ? 1.1 : 1.25;
				CHECK_IN(fpp, 0, slack * wanted[k] + noise);
				CHECK_IN(bloom_fpp(b), fpp - noise - 0.05 * fpp, fpp + noise + 0.05 * fpp);
				bloom_free(b);
			}
}

/* Files that others made may have any size, and the answer must not flatter. */
static void
a_bad_size_is_told_by_its_fpp(void)
{
	static const uint64_t q[] = {1, 3, 15, 63};

	for (size_t i = 0; i < 4; i++) {
		uint64_t m = q[i];
		while (m < 600000)
			m *= 2;
		struct bloom *b = filter_with(BLOOM_DCSO, m, 7, m / 10);
		uint64_t n = m / 10;
		double fpp = measured(b, n), flattering = pow((double)ones(b) / (double)m, 7);

		CHECK_IN(bloom_fpp(b), 0.93 * fpp, 1.07 * fpp);
		if (i == 0)
			CHECK(fpp > 10 * flattering);
		CHECK_IN(bloom_distinct(b), 0.98 * (double)n, 1.02 * (double)n);
		bloom_free(b);
	}
}

/* Items one by one, each asked before it is added. */
static void
what_is_counted_is_what_was_not_there(void)
{
	struct bloom *batch = filter_for(BLOOM_DCSO, 2000, 0.01);
	struct bloom *single = filter_for(BLOOM_DCSO, 2000, 0.01);
	uint64_t count = 0;

	draw(hash, 3000, 3);
	memcpy(hash + 1000, hash, 500 * sizeof *hash);
	for (size_t i = 0; i < 3000; i++) {
		count += bloom_has(single, &hash[i], 1, has) == 0;
		bloom_add(single, &hash[i], 1);
	}
	for (size_t i = 0, n; i < 3000; i += n) {
		n = 1 + i % 300;
		n = n < 3000 - i ? n : 3000 - i;
		bloom_add(batch, hash + i, n);
	}
	CHECK(count < 2500);
	CHECK_EQ(bloom_counted(single), count);
	CHECK_EQ(bloom_counted(batch), count);
	CHECK(slice_equal(bloom_payload(single), bloom_payload(batch)));
	bloom_free(batch);
	bloom_free(single);
}

/* 255 bits an item, which a foreign file may ask for: no array is too short. */
static void
many_probes_are_no_matter(void)
{
	struct bloom *b = filter_with(BLOOM_DCSO, 4099, BLOOM_DCSO_PROBES_MAX, 10);

	draw(hash, 300, 4);
	bloom_add(b, hash, 300);
	CHECK_EQ(bloom_has(b, hash, 300, has), 300);
	CHECK(bloom_counted(b) >= 10);
	bloom_free(b);
}

static void
unions_are_or_and_the_counts_add(void)
{
	for (int type = BLOOM_PARQUET; type <= BLOOM_DCSO; type++) {
		struct bloom *all = filter_for((enum bloom_type)type, 4000, 0.01);
		struct bloom *a = filter_for((enum bloom_type)type, 4000, 0.01);
		struct bloom *b = filter_for((enum bloom_type)type, 4000, 0.01);
		struct mismatch why;

		draw(hash, 4000, 5);
		bloom_add(all, hash, 4000);
		bloom_add(a, hash, 2500);
		bloom_add(b, hash + 1500, 2500);
		uint64_t sum = bloom_counted(a) + bloom_counted(b);
		CHECK_EQ(bloom_merge(a, b, &why), OK);
		CHECK(slice_equal(bloom_payload(a), bloom_payload(all)));
		CHECK_EQ(bloom_counted(a), sum);
		bloom_free(all);
		bloom_free(a);
		bloom_free(b);
	}
}

static void
parquet_folds_and_dcso_does_not(void)
{
	struct bloom *large = filter_with(BLOOM_PARQUET, 64, 1, 1000);
	struct bloom *small = filter_with(BLOOM_PARQUET, 16, 1, 250);
	struct mismatch why;

	draw(hash, 300, 6);
	bloom_add(large, hash, 300);
	bloom_add(small, hash, 300);
	CHECK_EQ(bloom_fold(large, 16), OK);
	CHECK(slice_equal(bloom_payload(large), bloom_payload(small)));
	bloom_free(large);
	bloom_free(small);

	large = filter_with(BLOOM_DCSO, 6400, 7, 1000);
	small = filter_with(BLOOM_DCSO, 3200, 7, 500);
	CHECK_EQ(bloom_fold(large, 3200), STATUS_PARAMETER);
	CHECK_EQ(bloom_merge(large, small, &why), STATUS_MISMATCH);
	CHECK(strcmp(why.text, "bits 6400 and 3200") == 0);
	CHECK(bloom_dcso_kind.fold == NULL);
	bloom_free(large);
	bloom_free(small);
}

/* Many writers go by the same place as one: the high half's. */
static void
shards_of_parquet_give_the_same_bits(void)
{
	struct bloom *one = filter_with(BLOOM_PARQUET, 1000, 1, 10000);
	struct bloom *many = filter_with(BLOOM_PARQUET, 1000, 1, 10000);
	struct bloom_shards *shards;
	struct bloom_writer *writer;

	draw(hash, 20000, 7);
	for (size_t i = 0; i < 20000; i += 2)
		hash[i] |= 0xffffffff;
	bloom_add(one, hash, 20000);
	CHECK_EQ(bloom_shards_new(&shards, many), OK);
	CHECK_EQ(bloom_writer_new(&writer, shards), OK);
	bloom_writer_add(writer, hash, 20000);
	bloom_writer_flush(writer);
	CHECK(slice_equal(bloom_payload(one), bloom_payload(many)));
	bloom_writer_free(writer);
	bloom_shards_free(shards);
	bloom_free(one);
	bloom_free(many);
}

static struct record
head_of(enum bloom_type type)
{
	struct bloom *b = filter_for(type, 100, 0.01);
	struct record head = {.hash = bloom_kind(type)->hash};

	bloom_head(b, &head);
	bloom_free(b);
	return head;
}

static void
a_record_has_their_hash_and_no_seed(void)
{
	for (int type = BLOOM_BLOCK; type <= BLOOM_DCSO; type++) {
		struct record head = head_of((enum bloom_type)type);
		bool ours = type <= BLOOM_CLASSIC;

		head.hash = ours ? HASH_XXH3 : head.hash;
		CHECK_EQ(kind_check(&head), OK);
		head.seed = 1;
		CHECK_EQ(kind_check(&head), ours ? OK : STATUS_PARAMETER);
		head.seed = 0;
		for (uint8_t hash_id = HASH_XXH3; hash_id <= HASH_MURMUR3; hash_id++) {
			struct record other = head;
			other.hash = hash_id;
			if (hash_id != HASH_SIPHASH && hash_id != head.hash)
				CHECK_EQ(kind_check(&other), STATUS_PARAMETER);
		}
	}
}

static void
parameters_out_of_range_are_refused(void)
{
	struct record good = head_of(BLOOM_DCSO), head;
	double p;

	head = good, head.param[0] = 0;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	head = good, head.param[0]++;
	CHECK_EQ(kind_check(&head), good.param[0] % 64 == 0 ? STATUS_SIZE : OK);
	head = good, head.param[0] += 64;
	CHECK_EQ(kind_check(&head), STATUS_SIZE);
	head = good, head.param[1] = 0;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	head = good, head.param[1] = 256;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	head = good, head.param[5] = 1;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	for (size_t i = 0; i < 5; i++) {
		static const double bad[] = {0, 1, -0.5, NAN, INFINITY};
		head = good;
		memcpy(&head.param[3], &bad[i], sizeof bad[i]);
		CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	}
	/* Others may want what we would not make. */
	p = 1e-30;
	head = good;
	memcpy(&head.param[3], &p, sizeof p);
	CHECK_EQ(kind_check(&head), OK);

	good = head_of(BLOOM_PARQUET);
	head = good, head.param[1] = 2;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	head = good, head.param[4] = 1;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
	head = good, head.param[0] = UINT64_C(1) << 26;
	CHECK_EQ(kind_check(&head), STATUS_PARAMETER);
}

/* Bits from m on are 0, in all of the last u64. */
static void
stray_bits_are_refused(void)
{
	struct record head = head_of(BLOOM_DCSO);
	unsigned char payload[120] = {0};
	struct bloom *b;

	CHECK_EQ(head.param[0], 958);
	CHECK_EQ(head.size, sizeof payload);
	for (unsigned i = 950; i < 960; i++) {
		payload[i / 8] = (unsigned char)(1 << i % 8);
		CHECK_EQ(bloom_map(&b, &head, payload), i < 958 ? OK : STATUS_INVARIANT);
		if (i < 958)
			bloom_free(b);
		payload[i / 8] = 0;
	}
	head.param[0] = 897;
	payload[119] = 0x80;
	CHECK_EQ(bloom_map(&b, &head, payload), STATUS_INVARIANT);
}

/* What bloom-query --add relies on. */
static void
meeting_counts_too(void)
{
	struct bloom *b = filter_for(BLOOM_DCSO, 1000, 0.01);
	const struct member *m = member_find(KIND_BLOOM_DCSO);
	size_t done;

	draw(hash, 1000, 8);
	memcpy(hash + 500, hash, 100 * sizeof *hash);
	CHECK_EQ(member_meet(m, b, hash, 1000, has, &done), OK);
	CHECK_EQ(done, 1000);
	uint64_t met = 0;
	for (size_t i = 0; i < 1000; i++)
		met += !has[i];
	CHECK_EQ(bloom_counted(b), met);
	bloom_free(b);
}

int
main(void)
{
	RUN(dcso_sets_the_bits_of_its_golden_key);
	RUN(parquet_sets_the_bits_of_its_golden_keys);
	RUN(parquet_takes_the_high_half_alone);
	RUN(dcso_sizes_are_its_own);
	RUN(sizes_that_the_hash_handles_badly_are_passed_over);
	RUN(parquet_sizes_are_powers_of_two);
	RUN(the_fpp_is_the_wanted_one);
	RUN(a_bad_size_is_told_by_its_fpp);
	RUN(what_is_counted_is_what_was_not_there);
	RUN(many_probes_are_no_matter);
	RUN(unions_are_or_and_the_counts_add);
	RUN(parquet_folds_and_dcso_does_not);
	RUN(shards_of_parquet_give_the_same_bits);
	RUN(a_record_has_their_hash_and_no_seed);
	RUN(parameters_out_of_range_are_refused);
	RUN(stray_bits_are_refused);
	RUN(meeting_counts_too);
	return check_done();
}
