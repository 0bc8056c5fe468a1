/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Bytes that are no HLL sketch of DataSketches, or an odd one. Its libraries believe
 * much that is wrong and answer 0, infinity or nonsense; that is refused here.
 * What they take without harm is taken, and the answer is theirs.
 */
#include <math.h>

#include "base/hash.h"
#include "interop/systems.h"
#include "sketch/distinct/distinct.h"
#include "check.h"

#define FOLDER "tests/interop/hll/datasketches/"

static double estimate;

/* From memory that ends where the bytes do. */
static enum status
read_bytes(const void *bytes, size_t n)
{
	struct buffer file = {malloc(n > 0 ? n : 1), n, n};
	struct sketch s = {0};
	uint64_t left_out;

	memcpy(file.at, bytes, n);
	enum status st = system_find("datasketches")->read(&file, &s, &left_out);
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

static struct buffer
load(const char *name)
{
	struct buffer b = {0};
	char path[200], some[4096];
	size_t n;

	snprintf(path, sizeof path, FOLDER "%s.bin", name);
	FILE *in = fopen(path, "rb");
	CHECK(in != NULL);
	while (in && (n = fread(some, 1, sizeof some, in)) > 0)
		CHECK(buffer_append(&b, some, n) == OK);
	if (in)
		fclose(in);
	return b;
}

/* Read a file with some bytes put over its own, and cut or lengthened by zeros. */
struct damage {
	const char *file;
	size_t at, n;                /* n bytes from there */
	const char *bytes;
	int more;
	enum status status;
	double estimate;
};

static bool
holds(const struct damage *d, enum status st)
{
	return st == d->status && (st != OK || (estimate >= d->estimate * (1 - 1e-9) &&
	    estimate <= d->estimate * (1 + 1e-9)));
}

static void
hold(const struct damage *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buffer b = load(d[i].file);

		if (d[i].more > 0)
			CHECK_EQ(buffer_zeros(&b, (size_t)d[i].more), OK);
		else
			b.len -= (size_t)-d[i].more;
		CHECK(d[i].at + d[i].n <= b.len);
		memcpy(b.at + d[i].at, d[i].bytes, d[i].n);
		enum status st = read_bytes(b.at, b.len);
		bool right = holds(&d[i], st);
		if (!right)
			printf("# row %zu, %s: status %d\n", i, d[i].file, (int)st);
		CHECK(right);
		buffer_free(&b);
	}
}

#define ZEROS8 "\0\0\0\0\0\0\0\0"

#define MANY "seq-100000-k12h8.compact"
#define SOME "seq-1000-k12h8.compact"
#define HIP 98816.718407965294
#define COMPOSITE 99076.587236144813

static void
registers_of_a_byte(void)
{
	static const struct damage row[] = {
		{MANY, 0, 0, "", 0, OK, HIP},
		/* Out of order, with and without an answer that is then not looked at. */
		{MANY, 5, 1, "\x18", 0, OK, COMPOSITE},
		{MANY, 5, 11, "\x18\0\x0a" ZEROS8, 0, OK, COMPOSITE},
		/* Java does not say of registers that they are compact. */
		{MANY, 5, 1, "\0", 0, OK, HIP},
		/* In order, but without an answer, or with one that cannot be. */
		{MANY, 8, 8, ZEROS8, 0, STATUS_INVARIANT, 0},
		{MANY, 8, 8, "\0\0\0\0\0\0\xf8\x7f", 0, STATUS_INVARIANT, 0},
		{MANY, 8, 8, "\0\0\0\0\0\0\xf0\x7f", 0, STATUS_INVARIANT, 0},
		{MANY, 8, 8, "\0\0\0\0\0\0\xf0\xbf", 0, STATUS_INVARIANT, 0},
		{MANY, 8, 8, "\0\0\0\0\0\0\xf0\x3f", 0, STATUS_INVARIANT, 0},
		/* Sums of 0: the libraries answer infinity. But a flag says that they are
		 * not worked out yet, which C++ does not heed. */
		{MANY, 5, 27, "\x18\0\x0a" ZEROS8 ZEROS8 ZEROS8, 0, STATUS_INVARIANT, 0},
		{MANY, 5, 27, "\x30\0\x0a" ZEROS8 ZEROS8 ZEROS8, 0, OK, COMPOSITE},
		{MANY, 5, 27, "\x38\0\x0a" ZEROS8 ZEROS8 ZEROS8, 0, OK, COMPOSITE},
		{MANY, 5, 27, "\x20\0\x0a" ZEROS8 ZEROS8 ZEROS8, 0, STATUS_INVARIANT, 0},
		{MANY, 5, 11, "\x38\0\x0a" ZEROS8, 0, OK, COMPOSITE},
		{MANY, 5, 1, "\x28", 0, OK, HIP},
		{MANY, 24, 8, "\0\0\0\0\0\0\xf0\x3f", 0, STATUS_INVARIANT, 0},
		{MANY, 24, 8, "\0\0\0\0\0\0\xf8\x7f", 0, STATUS_INVARIANT, 0},
		/* A smallest rank, exceptions: not in HLL_8. */
		{MANY, 6, 1, "\3", 0, STATUS_INVARIANT, 0},
		{MANY, 36, 4, "\1\0\0\0", 0, STATUS_INVARIANT, 0},
		/* The count of zeros: there are none among many, but some. */
		{MANY, 32, 4, "\0\0\0\0", 0, OK, HIP},
		{MANY, 32, 4, "\1\0\0\0", 0, STATUS_INVARIANT, 0},
		{SOME, 32, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		/* It is not empty. */
		{MANY, 5, 1, "\x0c", 0, STATUS_INVARIANT, 0},
		{MANY, 5, 1, "\x1c", 0, STATUS_INVARIANT, 0},
		/* Flags and types there are not. */
		{MANY, 5, 1, "\x09", 0, STATUS_PARAMETER, 0},
		{MANY, 5, 1, "\x0a", 0, STATUS_PARAMETER, 0},
		{MANY, 5, 1, "\x48", 0, STATUS_PARAMETER, 0},
		{MANY, 5, 1, "\x88", 0, STATUS_PARAMETER, 0},
		{MANY, 7, 1, "\x0e", 0, STATUS_PARAMETER, 0},
		{MANY, 7, 1, "\x1a", 0, STATUS_PARAMETER, 0},
		/* A rank that no item has; another one than the sums know. */
		{MANY, 40, 1, "\xc8", 0, STATUS_INVARIANT, 0},
		{MANY, 40, 1, "\x40", 0, STATUS_INVARIANT, 0},
		{MANY, 40, 1, "\x3f", 0, STATUS_INVARIANT, 0},
		{MANY, 0, 0, "", -1, STATUS_TRUNCATED, 0},
		{MANY, 0, 0, "", -4096, STATUS_TRUNCATED, 0},
		{MANY, 0, 0, "", -4097, STATUS_TRUNCATED, 0},
		{MANY, 0, 0, "", 4, STATUS_SIZE, 0},
		{MANY, 3, 1, "\x0d", 0, STATUS_TRUNCATED, 0},
		{MANY, 3, 1, "\x0b", 0, STATUS_SIZE, 0},
		{MANY, 3, 1, "\x03", 0, STATUS_PARAMETER, 0},
		{MANY, 3, 1, "\x16", 0, STATUS_PARAMETER, 0},
		{MANY, 3, 1, "\xff", 0, STATUS_PARAMETER, 0},
	};

	hold(row, sizeof row / sizeof *row);
}

/* 2048 bytes of nibbles and one exception, of register 530. */
#define NIBBLES "seq-100000-k12h4.compact"
#define TABLE "seq-100000-k12h4.updatable"
#define BITS "seq-100000-k12h6.compact"

static void
registers_of_four_and_six_bits(void)
{
	static const struct damage row[] = {
		{NIBBLES, 0, 0, "", 0, OK, HIP},
		{NIBBLES, 5, 1, "\x18", 0, OK, COMPOSITE},
		{NIBBLES, 4, 1, "\0", 0, OK, HIP},
		{NIBBLES, 4, 1, "\x0d", 0, STATUS_PARAMETER, 0},
		/* One exception less, or more, than there are. */
		{NIBBLES, 36, 4, "\0\0\0\0", 0, STATUS_SIZE, 0},
		{NIBBLES, 36, 4, "\0\0\0\0", -4, STATUS_INVARIANT, 0},
		{NIBBLES, 36, 4, "\2\0\0\0", 4, STATUS_INVARIANT, 0},
		{NIBBLES, 36, 4, "\2\0\0\0", 0, STATUS_TRUNCATED, 0},
		{NIBBLES, 36, 4, "\xff\xff\xff\xff", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 0, 0, "", -4, STATUS_TRUNCATED, 0},
		{NIBBLES, 0, 0, "", -1, STATUS_TRUNCATED, 0},
		{NIBBLES, 0, 0, "", 1, STATUS_SIZE, 0},
		/* Of a register that has none, or that there is not; of a rank that needs
		 * none; without any. */
		{NIBBLES, 2088, 2, "\0\0", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 2088, 2, "\xff\xff", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 2091, 1, "\x04", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 2088, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		/* Another rank than the sums know, and than numAtCurMin. */
		{NIBBLES, 2091, 1, "\xfc", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 6, 1, "\0", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 6, 1, "\x3f", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 6, 1, "\x40", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 6, 1, "\xff", 0, STATUS_INVARIANT, 0},
		{NIBBLES, 32, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		/* A table where there is none: too short. */
		{NIBBLES, 5, 1, "\0", 0, STATUS_TRUNCATED, 0},
		{TABLE, 0, 0, "", 0, OK, HIP},
		{TABLE, 4, 1, "\0", 0, OK, HIP},
		{TABLE, 4, 1, "\4", 0, STATUS_SIZE, 0},
		{TABLE, 4, 1, "\6", 0, STATUS_TRUNCATED, 0},
		{TABLE, 5, 1, "\x08", 0, STATUS_SIZE, 0},
		{TABLE, 36, 4, "\2\0\0\0", 0, STATUS_INVARIANT, 0},
		{TABLE, 36, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		{BITS, 0, 0, "", 0, OK, HIP},
		{BITS, 5, 1, "\0", 0, OK, HIP},
		{BITS, 3112, 1, "\1", 0, STATUS_INVARIANT, 0},
		{BITS, 0, 0, "", -1, STATUS_TRUNCATED, 0},
		{BITS, 0, 0, "", 1, STATUS_SIZE, 0},
		{BITS, 40, 1, "\xff", 0, STATUS_INVARIANT, 0},
		{BITS, 6, 1, "\1", 0, STATUS_INVARIANT, 0},
		{BITS, 7, 1, "\x02", 0, STATUS_SIZE, 0},
	};

	hold(row, sizeof row / sizeof *row);
}

#define SET "seq-100-k12h8.compact"
#define SET_TABLE "seq-100-k12h8.updatable"
#define SET_ANSWER 100.00002458692298

static void
sets_of_coupons(void)
{
	static const struct damage row[] = {
		{SET, 0, 0, "", 0, OK, SET_ANSWER},
		{SET, 4, 1, "\0", 0, OK, SET_ANSWER},
		/* They are in order, and an answer by HIP is not there to be doubted. */
		{SET, 5, 1, "\x18", 0, OK, SET_ANSWER},
		{SET, 5, 1, "\0", 0, STATUS_TRUNCATED, 0},
		{SET, 5, 1, "\x0c", 0, STATUS_INVARIANT, 0},
		{SET, 8, 4, "\x63\0\0\0", 0, STATUS_SIZE, 0},
		{SET, 8, 4, "\x63\0\0\0", -4, OK, 99.0000240966},
		{SET, 8, 4, "\x65\0\0\0", 0, STATUS_TRUNCATED, 0},
		{SET, 8, 4, "\xff\xff\xff\xff", 0, STATUS_INVARIANT, 0},
		{SET, 8, 4, "\0\0\0\0", -400, OK, 0},
		{SET, 8, 4, "\1\0\0\0", -396, OK, 1},
		/* No coupon, and one without a rank. */
		{SET, 12, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		{SET, 12, 4, "\1\0\0\0", 0, STATUS_INVARIANT, 0},
		{SET, 8, 4, "\x65\0\0\0", 4, STATUS_INVARIANT, 0},
		/* At 2^8 registers there would be at most 24, and at 2^7 none. */
		{SET, 3, 1, "\x08", 0, STATUS_INVARIANT, 0},
		{SET, 3, 1, "\x07", 0, STATUS_PARAMETER, 0},
		{SET, 3, 1, "\x0a", 0, STATUS_INVARIANT, 0},
		{SET, 3, 1, "\x0b", 0, OK, SET_ANSWER},
		{SET_TABLE, 0, 0, "", 0, OK, SET_ANSWER},
		{SET_TABLE, 4, 1, "\x04", 0, STATUS_PARAMETER, 0},
		{SET_TABLE, 4, 1, "\x0a", 0, STATUS_PARAMETER, 0},
		{SET_TABLE, 4, 1, "\x09", 0, STATUS_TRUNCATED, 0},
		{SET_TABLE, 4, 1, "\x07", 0, STATUS_SIZE, 0},
		{SET_TABLE, 8, 4, "\x63\0\0\0", 0, STATUS_INVARIANT, 0},
		{SET_TABLE, 8, 4, "\x65\0\0\0", 0, STATUS_INVARIANT, 0},
		{SET_TABLE, 0, 0, "", -1, STATUS_TRUNCATED, 0},
		/* 1000 coupons, at 2^12 registers at most 384. */
		{"seq-1000-k21h4.compact", 3, 1, "\x0c", 0, STATUS_INVARIANT, 0},
		{"seq-1000-k14h8.compact", 3, 1, "\x0d", 0, STATUS_INVARIANT, 0},
	};

	hold(row, sizeof row / sizeof *row);
}

/* The coupons of a set once more: the libraries take them, and count them once. */
static void
coupons_that_come_twice(void)
{
	struct buffer b = load(SET), twice = {0};

	CHECK_EQ(buffer_append(&twice, b.at, b.len), OK);
	CHECK_EQ(buffer_append(&twice, b.at + 12, 4), OK);
	put_le32(twice.at + 8, 101);
	CHECK_EQ(read_bytes(twice.at, twice.len), OK);
	CHECK_IN(estimate, SET_ANSWER * (1 - 1e-9), SET_ANSWER * (1 + 1e-9));
	/* 384 is the limit, but not of distinct ones that are less. */
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ(buffer_append(&twice, b.at + 12, 400), OK);
	put_le32(twice.at + 8, 401);
	CHECK_EQ(read_bytes(twice.at, twice.len), OK);
	CHECK_IN(estimate, SET_ANSWER * (1 - 1e-9), SET_ANSWER * (1 + 1e-9));
	buffer_free(&b);
	buffer_free(&twice);
}

#define LIST "seq-5-k12h8.compact"
#define LIST_TABLE "seq-5-k12h8.updatable"
#define LIST_ANSWER 5.0000000496705379

static void
lists_of_coupons(void)
{
	static const struct damage row[] = {
		{LIST, 0, 0, "", 0, OK, LIST_ANSWER},
		{LIST, 6, 1, "\4", 0, STATUS_SIZE, 0},
		{LIST, 6, 1, "\4", -4, OK, 4.0000000298},
		{LIST, 6, 1, "\6", 0, STATUS_TRUNCATED, 0},
		{LIST, 6, 1, "\x08", 12, STATUS_INVARIANT, 0},
		{LIST, 6, 1, "\0", 0, STATUS_SIZE, 0},
		{LIST, 5, 1, "\0", 0, STATUS_TRUNCATED, 0},
		{LIST, 5, 1, "\0", 12, OK, LIST_ANSWER},
		{LIST, 5, 1, "\x0c", 0, STATUS_INVARIANT, 0},
		{LIST, 8, 4, "\0\0\0\0", 0, STATUS_INVARIANT, 0},
		{LIST_TABLE, 0, 0, "", 0, OK, LIST_ANSWER},
		{LIST_TABLE, 6, 1, "\4", 0, STATUS_INVARIANT, 0},
		{LIST_TABLE, 6, 1, "\6", 0, STATUS_INVARIANT, 0},
		{LIST_TABLE, 0, 0, "", 4, STATUS_SIZE, 0},
		/* Heads of another kind of image, version, family. */
		{LIST, 0, 1, "\3", 0, STATUS_FOREIGN, 0},
		{LIST, 1, 1, "\2", 0, STATUS_FOREIGN, 0},
		{LIST, 2, 1, "\x0f", 0, STATUS_FOREIGN, 0},
		{LIST, 7, 1, "\x09", 0, STATUS_FOREIGN, 0},
		{LIST, 7, 1, "\x0b", 0, STATUS_FOREIGN, 0},
		{LIST, 7, 1, "\x0c", 0, STATUS_PARAMETER, 0},
		{"seq-0-k12h8.compact", 5, 1, "\x08", 0, OK, 0},
		{"seq-0-k12h8.compact", 4, 1, "\0", 0, OK, 0},
		{"seq-0-k12h8.compact", 0, 0, "", -1, STATUS_TRUNCATED, 0},
		{"seq-0-k12h8.compact", 0, 0, "", -5, STATUS_TRUNCATED, 0},
		{"seq-0-k12h8.compact", 0, 0, "", -6, STATUS_FOREIGN, 0},
		{"seq-0-k12h8.compact", 0, 0, "", -8, STATUS_FOREIGN, 0},
		{"seq-0-k12h8.compact", 0, 0, "", 4, STATUS_SIZE, 0},
		/* Updatable, without a coupon. */
		{"seq-0-k12h8.compact", 5, 1, "\x04", 32, OK, 0},
	};

	hold(row, sizeof row / sizeof *row);
}

static void
put_real(unsigned char *p, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	put_le64(p, bits);
}

/* Registers of the items 1 to n, where the library would still list coupons: less
 * exact, but an image. */
static enum status
read_few(unsigned n, unsigned char flags)
{
	unsigned char image[40 + 4096] = {10, 1, 7, 12, 0, flags, 0, 10};
	double sum = 4096;
	uint32_t zeros = 4096;

	for (unsigned i = 1; i <= n; i++) {
		char text[24];
		uint64_t coupon;

		snprintf(text, sizeof text, "%u", i);
		struct slice item = slice_of(text);
		hash_items(HASH_MURMUR3_COUPON, &item, 1, &coupon);
		unsigned char *r = &image[40 + (coupon & 4095)], rank = (unsigned char)(coupon >> 26);
		if (rank <= *r)
			continue;
		zeros -= *r == 0;
		sum += ldexp(1, -rank) - ldexp(1, -*r);
		*r = rank;
	}
	put_real(image + 16, sum);
	put_le32(image + 32, zeros);
	return read_bytes(image, sizeof image);
}

static void
registers_of_few_items(void)
{
	CHECK_EQ(read_few(0, 8 | 16), OK);
	CHECK(estimate == 0);
	CHECK_EQ(read_few(0, 8), OK);
	CHECK(estimate == 0);
	CHECK_EQ(read_few(0, 8 | 4), OK);
	CHECK_EQ(read_few(10, 8 | 16), OK);
	CHECK_IN(estimate, 10.0110033449, 10.0110033451);
	CHECK_EQ(read_few(300, 8 | 16), OK);
	CHECK_IN(estimate, 300.739864341, 300.739864343);
	CHECK_EQ(read_few(300, 8), STATUS_INVARIANT);
}

int
main(void)
{
	RUN(registers_of_a_byte);
	RUN(registers_of_four_and_six_bits);
	RUN(sets_of_coupons);
	RUN(coupons_that_come_twice);
	RUN(lists_of_coupons);
	RUN(registers_of_few_items);
	return check_done();
}
