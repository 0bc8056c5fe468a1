/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Bytes that are no HyperLogLog of Redis or of PostgreSQL, or an odd one. Where
 * the system itself refuses them, so do we; where it takes them, we do with the
 * same answer, but for what cannot come from any items.
 */
#include <math.h>

#include "interop/systems.h"
#include "sketch/distinct/distinct.h"
#include "sketch/distinct/hll_redis.h"
#include "check.h"

static double estimate;

/* From memory that ends where the bytes do. */
static enum status
read_bytes(const char *system, const void *bytes, size_t n)
{
	struct buffer file = {malloc(n > 0 ? n : 1), n, n};
	struct sketch s = {0};
	uint64_t left_out;

	memcpy(file.at, bytes, n);
	enum status st = system_find(system)->read(&file, &s, &left_out);
	estimate = NAN;
	if (st == OK) {
		double low, high;

		estimate = distinct_find(s.head.kind)->estimate(s.body);
		distinct_find(s.head.kind)->interval(s.body, &low, &high);
		CHECK(low <= estimate && estimate <= high && isfinite(high));
	} else {
		CHECK(s.body == NULL);
	}
	sketch_free(&s);
	buffer_free(&file);
	return st;
}

struct odd {
	const char *hex;
	enum status status;
	double estimate;             /* of what is read */
};

static void
hold(const char *system, const struct odd *odd, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char bytes[100];
		size_t len = strlen(odd[i].hex) / 2;

		for (size_t k = 0; k < len; k++) {
			unsigned byte;
			CHECK_EQ(sscanf(odd[i].hex + 2 * k, "%2x", &byte), 1);
			bytes[k] = (unsigned char)byte;
		}
		enum status st = read_bytes(system, bytes, len);
		if (st != odd[i].status)
			printf("# %s\n", odd[i].hex);
		CHECK_EQ(st, odd[i].status);
		if (st == OK)
			CHECK_IN(estimate, odd[i].estimate * (1 - 1e-9), odd[i].estimate * (1 + 1e-9));
	}
}

#define SPARSE "48594c4c010000000000000000000080"

static void
odd_sparse_values_of_redis(void)
{
	static const struct odd odd[] = {
		{"", STATUS_FOREIGN, 0},
		{"48594c", STATUS_FOREIGN, 0},
		{"48594c6c010000000000000000000080" "7fff", STATUS_FOREIGN, 0},
		{"48594c4c0100000000000000000000", STATUS_TRUNCATED, 0},
		{"48594c4c020000000000000000000080" "7fff", STATUS_PARAMETER, 0},
		{SPARSE, STATUS_INVARIANT, 0},
		{SPARSE "7fff", OK, 0},
		{SPARSE "7ffe", STATUS_INVARIANT, 0},
		{SPARSE "007fff", STATUS_INVARIANT, 0},
		/* Half an XZERO: Redis 7.0.15 reads past the end, and takes it. */
		{SPARSE "7ffe40", STATUS_INVARIANT, 0},
		{SPARSE "7fff80", STATUS_INVARIANT, 0},
		{SPARSE "7fff00", STATUS_INVARIANT, 0},
		{SPARSE "40007ffe", OK, 0},
		{SPARSE "ff7ffb", OK, 4},
		{SPARSE "ff7ffd", STATUS_INVARIANT, 0},
		/* What redis-cli prints behind a value, once. */
		{SPARSE "7fff0a", OK, 0},
		{SPARSE "ff7ffb0a", OK, 4},
		{SPARSE "7fff0a0a", STATUS_INVARIANT, 0},
		{SPARSE "7fff0d0a", STATUS_INVARIANT, 0},
		{SPARSE "0a", STATUS_INVARIANT, 0},
		/* 11 registers of 0, which are no newline. */
		{SPARSE "7ff40a", OK, 0},
		/* Half an XZERO before a newline, and one whose half the newline is. */
		{SPARSE "7ffe400a", STATUS_INVARIANT, 0},
		{SPARSE "7ff4400a", OK, 0},
		/* Reserved bytes, and a count that is not stale but wrong. */
		{"48594c4c010102030700000000000000" "7fff", OK, 0},
	};

	hold("redis", odd, sizeof odd / sizeof *odd);
}

/* A value of n bytes behind the header, all of them byte. */
static enum status
read_redis(unsigned char encoding, size_t n, unsigned char byte, unsigned char last)
{
	unsigned char *bytes = calloc(16 + n, 1);

	memcpy(bytes, "HYLL", 4);
	bytes[4] = encoding;
	memset(bytes + 16, byte, n);
	bytes[15 + n] = last;
	enum status st = read_bytes("redis", bytes, 16 + n);
	free(bytes);
	return st;
}

static void
odd_dense_values_of_redis(void)
{
	CHECK_EQ(read_redis(0, 12288, 0, 0), OK);
	CHECK(estimate == 0);
	CHECK_EQ(read_redis(0, 12287, 0, 0), STATUS_TRUNCATED);
	CHECK_EQ(read_redis(0, 12289, 0, 0), STATUS_SIZE);
	CHECK_EQ(read_redis(0, 12289, 0, '\n'), OK);
	CHECK_EQ(read_redis(0, 12290, 0, '\n'), STATUS_SIZE);
	CHECK_EQ(read_redis(0, 12290, '\n', '\n'), STATUS_SIZE);
	CHECK_EQ(read_redis(0, 12288, 0xff, 0xff), STATUS_INVARIANT);
	/* The last register 51, the largest rank, and 52. */
	CHECK_EQ(read_redis(0, 12288, 0, 51 << 2), OK);
	CHECK(estimate == 1);
	CHECK_EQ(read_redis(0, 12288, 0, 52 << 2), STATUS_INVARIANT);
	CHECK_EQ(read_redis(2, 12288, 0, 0), STATUS_PARAMETER);
}

/* All registers at 51: 2^64 hashes would hardly do it. Redis answers
 * -9223372036854775808. */
static void
full_registers_of_redis_are_finite(void)
{
	unsigned char bytes[16 + 12288] = {'H', 'Y', 'L', 'L'};

	for (size_t i = 16; i < sizeof bytes; i += 3) {
		bytes[i] = 0xf3;             /* 51 four times */
		bytes[i + 1] = 0x3c;
		bytes[i + 2] = 0xcf;
	}
	CHECK_EQ(read_bytes("redis", bytes, sizeof bytes), OK);
	CHECK(estimate == REGISTERS_MOST);
}

/* Sums of runs that wrap around (CVE-2025-32023), and none that get near. */
static void
long_programs_of_redis(void)
{
	size_t n = 140000;
	unsigned char *bytes = malloc(16 + 2 * n + 1);

	memset(bytes, 0, 16);
	memcpy(bytes, "HYLL\1", 5);
	for (size_t i = 0; i < 2 * n; i += 2) {
		bytes[16 + i] = 0x7f;
		bytes[17 + i] = 0xff;
	}
	bytes[16 + 2 * n] = 0xff;
	CHECK_EQ(read_bytes("redis", bytes, 16 + 2 * n), STATUS_INVARIANT);
	CHECK_EQ(read_bytes("redis", bytes, 16 + 2 * n + 1), STATUS_INVARIANT);
	free(bytes);
	/* One register a byte: longer than Redis would make it. */
	CHECK_EQ(read_redis(1, 16384, 0, 0), OK);
	CHECK(estimate == 0);
	CHECK_EQ(read_redis(1, 16384, 0x80, 0x80), OK);
	CHECK(estimate > 10000);
}

static void
odd_values_of_postgres(void)
{
	static const struct odd odd[] = {
		{"", STATUS_FOREIGN, 0},
		{"11", STATUS_TRUNCATED, 0},
		{"138b", STATUS_TRUNCATED, 0},
		{"128b", STATUS_TRUNCATED, 0},
		{"118b7f", OK, 0},
		{"118b7f00", STATUS_SIZE, 0},
		{"218b7f", STATUS_FOREIGN, 0},
		{"018b7f", STATUS_FOREIGN, 0},
		/* UNDEFINED, whose cardinality is NULL; no type; others. */
		{"108b7f", STATUS_PARAMETER, 0},
		{"158b7f", STATUS_PARAMETER, 0},
		{"1f8b7f", STATUS_PARAMETER, 0},
		{"128b7f" "00000000000000020000000000000001", STATUS_INVARIANT, 0},
		{"128b7f" "00000000000000010000000000000001", STATUS_INVARIANT, 0},
		/* Ascending as numbers with a sign, not without. */
		{"128b7f" "0000000000000001ffffffffffffffff", STATUS_INVARIANT, 0},
		{"128b7f" "ffffffffffffffff0000000000000001", OK, 2},
		{"128b7f" "ffffffffffffffff0000000000000000", OK, 2},
		{"128b7f", OK, 0},
		{"128b7f" "00000000000000", STATUS_SIZE, 0},
		{"138b7f", OK, 0},
		{"138b7f" "0000", OK, 0},
		/* In any order; the last of two counts. */
		{"138b7f" "00a10061", OK, 2.000977198748901},
		{"138b7f" "00610062", OK, 1.0002442201269182},
		{"138b7f" "006100", STATUS_SIZE, 0},
		{"138b7f" "00", STATUS_SIZE, 0},
		/* 15 bits a word: one bit behind it, 0 and 1. */
		{"138a7f" "0020", OK, 1.0004885993744506},
		{"138a7f" "0021", STATUS_INVARIANT, 0},
		{"148b7f" "00", STATUS_TRUNCATED, 0},
		{"149f7f", STATUS_PARAMETER, 0},
		{"11837f", STATUS_PARAMETER, 0},
		{"11927f", STATUS_PARAMETER, 0},
		{"14837f" "0000000000", STATUS_PARAMETER, 0},
		/* Bit 7 is not looked at; 2^39 hashes are kept. */
		{"118bff", OK, 0},
		{"118b68", OK, 0},
		/* Registers of 8 bits, 16 of them; 60 is the largest rank. */
		{"14e400" "00000000000000000000000000000000", OK, 0},
		{"14e400" "0000000000000000000000000000003c", OK, 1.0326163382011386},
		{"14e400" "0000000000000000000000000000003d", STATUS_INVARIANT, 0},
	};

	hold("postgres", odd, sizeof odd / sizeof *odd);
}

static enum status
read_postgres(const char *head, size_t n, unsigned char byte)
{
	unsigned char *bytes = malloc(3 + n);

	memcpy(bytes, head, 3);
	memset(bytes + 3, byte, n);
	enum status st = read_bytes("postgres", bytes, 3 + n);
	free(bytes);
	return st;
}

static void
full_values_of_postgres(void)
{
	CHECK_EQ(read_postgres("\x14\x8b\x7f", 1280, 0), OK);
	CHECK(estimate == 0);
	CHECK_EQ(read_postgres("\x14\x8b\x7f", 1279, 0), STATUS_TRUNCATED);
	CHECK_EQ(read_postgres("\x14\x8b\x7f", 1281, 0), STATUS_SIZE);
	/* All registers at 31, where PostgreSQL answers NaN. */
	CHECK_EQ(read_postgres("\x14\x8b\x7f", 1280, 0xff), OK);
	CHECK(estimate == REGISTERS_MOST);
	/* One bit a register, 16 of them. */
	CHECK_EQ(read_postgres("\x14\x04\x00", 2, 0xff), OK);
	CHECK(estimate == REGISTERS_MOST);
}

/* PostgreSQL counts 161 hashes where 160 are kept, and would turn to registers
 * with the next one. Here they are the registers at once. */
static void
more_hashes_than_are_kept(void)
{
	unsigned char bytes[3 + 161 * 8] = {0x12, 0x8b, 0x7f};

	for (size_t i = 1; i <= 161; i++)
		bytes[3 + i * 8 - 1] = (unsigned char)i;
	CHECK_EQ(read_bytes("postgres", bytes, 3 + 160 * 8), OK);
	CHECK(estimate == 160);
	/* These have no other bits than their registers' index. */
	CHECK_EQ(read_bytes("postgres", bytes, sizeof bytes), OK);
	CHECK(estimate == 0);
}

int
main(void)
{
	RUN(odd_sparse_values_of_redis);
	RUN(odd_dense_values_of_redis);
	RUN(full_registers_of_redis_are_finite);
	RUN(long_programs_of_redis);
	RUN(odd_values_of_postgres);
	RUN(full_values_of_postgres);
	RUN(more_hashes_than_are_kept);
	return check_done();
}
