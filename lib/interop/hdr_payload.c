/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Numbers are big-endian. First comes a cookie, of which bits 4 to 7 are a size:
 *
 *	0c72124e   doubles: i32 digits, i64 range, then one of the next three
 *	1c849303   version 2   1c849304   packed: i32 length of a zlib stream, and
 *	1c849301   version 1   1c849302           that, of one which is not packed
 *	1c849308   version 0   1c849309   (0c72124f is doubles that are packed)
 *
 * Versions 1 and 2 go on with
 *
 *	 4  i32  length of the counters
 *	 8  i32  an offset, which the counters have not: to be ignored
 *	12  i32  digits
 *	16  i64  lowest discernible value
 *	24  i64  highest trackable value
 *	32  f64  what a number is to be multiplied by; 1 for whole numbers
 *	40       the counters
 *
 * and version 0 with digits, lowest, highest and total, its counters being all that
 * follows. Counters are those of the slots 0, 1, 2, ..., and nothing behind the last
 * one in use. Before version 2 they are words of 2, 4 or 8 bytes, as the cookie says.
 * In version 2 they are signed numbers n, put as 2n or -2n - 1 in groups of seven
 * bits, of which the ninth byte, if there is one, has eight: n > 0 is a counter, 0
 * is an empty slot, and n < 0 is -n empty slots.
 *
 * Example, 1 digit, the samples 1, 1, 2, 5 and 1000 in the slots 1, 1, 2, 5, 111:
 *
 *	00  04  02  03  02  d1 01  02      0; 2, 1; -2; 1; -105; 1
 */
#include <math.h>

#include "interop/gunzip.h"
#include "interop/hdr_buckets.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_payload_form.h"

#define RUN_MAX INT32_MAX

/* Powers of two of which any product with a number there is a normal double. */
#define RATIO_EXPONENT 800

/* What stands before the counters. */
struct head {
	struct hdr_buckets buckets;
	double ratio;
	uint32_t cookie;             /* without the size */
	unsigned word;               /* bytes of a counter; 0: they differ */
	size_t counters;             /* where they begin */
	uint64_t length;             /* at most, in version 0 */
};

static uint32_t
get_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t
get_be64(const unsigned char *p)
{
	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

static bool
is_plain(uint32_t cookie)
{
	return cookie == V2 || cookie == V1 || cookie == V0;
}

static bool
is_packed(uint32_t cookie)
{
	return cookie == V2_PACKED || cookie == V1_PACKED || cookie == V0_PACKED;
}

/* Without the size, of which doubles have none. */
static uint32_t
cookie_of(struct slice in)
{
	return in.len >= 4 ? get_be32(in.at) & ~SIZE_BITS : 0;
}

static bool
is_doubles(struct slice in)
{
	return in.len >= 4 && (get_be32(in.at) == DOUBLES || get_be32(in.at) == DOUBLES_PACKED);
}

bool
hdr_payload_looks(struct slice start)
{
	uint32_t cookie = cookie_of(start);

	return is_plain(cookie) || is_packed(cookie) || is_doubles(start);
}

static bool
good_ratio(double ratio)
{
	int exponent;

	return isfinite(ratio) && ratio > 0 && frexp(ratio, &exponent) == 0.5 &&
	    exponent >= -RATIO_EXPONENT && exponent <= RATIO_EXPONENT;
}

/* Of each number the sign bit must be 0: then it is far too large here. */
static enum status
read_shape(struct slice in, struct head *h)
{
	bool v0 = h->cookie == V0;
	uint32_t digits = get_be32(in.at + (v0 ? AT_DIGITS_V0 : AT_DIGITS));
	uint64_t lowest = get_be64(in.at + (v0 ? AT_LOWEST_V0 : AT_LOWEST));
	uint64_t highest = get_be64(in.at + (v0 ? AT_HIGHEST_V0 : AT_HIGHEST));

	h->ratio = v0 ? 1 : real_from(get_be64(in.at + AT_RATIO));
	return hdr_buckets_init(&h->buckets, lowest, highest, digits) && good_ratio(h->ratio) ?
	    OK : STATUS_PARAMETER;
}

/* Of bytes that are not packed. */
static enum status
read_head(struct slice in, struct head *h)
{
	*h = (struct head){.cookie = cookie_of(in)};
	if (!is_plain(h->cookie))
		return STATUS_FOREIGN;
	h->counters = h->cookie == V0 ? HEAD_V0 : HEAD;
	if (in.len < h->counters)
		return STATUS_TRUNCATED;
	if (h->cookie != V2) {
		h->word = (get_be32(in.at) & SIZE_BITS) >> 4 & 0xe;
		if (h->word != 2 && h->word != 4 && h->word != 8)
			return STATUS_PARAMETER;
	}
	enum status st = read_shape(in, h);
	if (st != OK)
		return st;
	uint64_t most = hdr_buckets_slots(&h->buckets) * (h->word ? h->word : COUNTER_BYTES);
	h->length = h->cookie == V0 ? most : get_be32(in.at + AT_LENGTH);
	return h->length <= most ? OK : STATUS_SIZE;
}

/* The next counter of version 2. False: it is cut. */
static bool
get_counter(struct slice *in, int64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < in->len && i < COUNTER_BYTES; i++) {
		uint64_t group = i + 1 < COUNTER_BYTES ? in->at[i] & 0x7f : in->at[i];
		n |= group << 7 * i;
		if (i + 1 < COUNTER_BYTES && in->at[i] & 0x80)
			continue;
		in->at += i + 1;
		in->len -= i + 1;
		*out = (int64_t)(n >> 1 ^ -(n & 1));
		return true;
	}
	return false;
}

static bool
get_word(struct slice *in, unsigned size, int64_t *out)
{
	uint64_t n = 0;

	if (in->len < size)
		return false;
	for (unsigned i = 0; i < size; i++)
		n = n << 8 | in->at[i];
	in->at += size;
	in->len -= size;
	/* One that is negative there is past all sums here. */
	*out = n >> (8 * size - 1) ? -1 : (int64_t)n;
	return true;
}

/* As a double, downwards. */
static double
real_below(uint64_t n)
{
	unsigned bits = n == 0 ? 0 : 64 - (unsigned)__builtin_clzll(n);
	unsigned beyond = bits > 53 ? bits - 53 : 0;

	return (double)(n >> beyond << beyond);
}

/* What counters add up to: where they lie, and how many they are. */
struct found {
	uint64_t slot, total;
	uint64_t first, last;        /* slots in use */
};

static enum status
add_counter(struct hdr *h, const struct head *head, struct found *f, uint64_t count)
{
	if (f->slot >= hdr_buckets_slots(&head->buckets) || count > INT64_MAX - f->total)
		return STATUS_INVARIANT;
	double least = real_below(hdr_buckets_least(&head->buckets, f->slot)) * head->ratio;
	if (f->total == 0)
		f->first = f->slot;
	f->last = f->slot;
	f->total += count;
	return hdr_add(h, &least, &count, 1);
}

static enum status
add_counters(struct hdr *h, const struct head *head, struct slice in, struct found *f)
{
	enum status st = OK;
	int64_t n = 0;

	for (; st == OK && in.len > 0; f->slot++) {
		if (!(head->word ? get_word(&in, head->word, &n) : get_counter(&in, &n)))
			return STATUS_TRUNCATED;
		if (n > 0)
			st = add_counter(h, head, f, (uint64_t)n);
		else if (n < 0 && (head->word || n < -RUN_MAX))
			return STATUS_INVARIANT;
		else if (n < 0)
			f->slot += (uint64_t)-n - 1;
	}
	return st == OK && f->slot > hdr_buckets_slots(&head->buckets) ? STATUS_INVARIANT : st;
}

static enum status
read_counters(const struct head *head, struct slice in, struct hdr **out)
{
	const struct hdr_buckets *b = &head->buckets;
	struct found f = {0};
	struct hdr *h;
	enum status st = hdr_new(&h, b->digits);

	if (st != OK)
		return st;
	st = add_counters(h, head, in, &f);
	if (st != OK) {
		hdr_free(h);
		return st;
	}
	uint64_t most = hdr_buckets_least(b, f.last) + hdr_buckets_width(b, f.last) - 1;
	bool whole = head->ratio == 1;
	hdr_set_lowest(h, real_below(b->lowest) * head->ratio, !whole);
	if (whole)
		hdr_set_highest(h, b->highest);
	/* Doubles reach up to the next slot. */
	hdr_range(h, real_below(hdr_buckets_least(b, f.first)) * head->ratio,
	    real_below(whole ? most : most + 1) * head->ratio);
	*out = h;
	return OK;
}

/* Not packed, and nothing may follow. */
static enum status
read_plain(struct slice in, struct hdr **out)
{
	struct head head;
	enum status st = read_head(in, &head);

	if (st != OK)
		return st;
	struct slice counters = {in.at + head.counters, in.len - head.counters};
	if (head.cookie != V0 && counters.len != head.length)
		return counters.len < head.length ? STATUS_TRUNCATED : STATUS_SIZE;
	if (counters.len > head.length)
		return STATUS_SIZE;
	return read_counters(&head, counters, out);
}

/* Its head first, which tells how much it can be. */
static enum status
unpack(struct slice packed, struct buffer *plain)
{
	struct head head;
	enum status st = unzlib_start(packed, HEAD, plain);

	if (st == OK)
		st = read_head((struct slice){plain->at, plain->len}, &head);
	if (st != OK)
		return st;
	plain->len = 0;
	return unzlib(packed, head.counters + head.length, plain);
}

static enum status
read_packed(struct slice in, struct hdr **out)
{
	struct buffer plain = {0};

	if (in.len < HEAD_PACKED)
		return STATUS_TRUNCATED;
	uint32_t length = get_be32(in.at + AT_LENGTH);
	struct slice packed = {in.at + HEAD_PACKED, in.len - HEAD_PACKED};
	if (packed.len != length)
		return packed.len < length ? STATUS_TRUNCATED : STATUS_SIZE;
	enum status st = unpack(packed, &plain);
	if (st == OK)
		st = read_plain((struct slice){plain.at, plain.len}, out);
	buffer_free(&plain);
	return st;
}

enum status
hdr_payload_read(struct slice in, struct hdr **out)
{
	if (is_doubles(in)) {
		if (in.len < HEAD_DOUBLES + 4)
			return STATUS_TRUNCATED;
		in.at += HEAD_DOUBLES;
		in.len -= HEAD_DOUBLES;
	}
	return is_packed(cookie_of(in)) ? read_packed(in, out) : read_plain(in, out);
}
