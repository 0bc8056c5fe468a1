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

#define SIZE_BITS 0xf0u
#define V2 0x1c849303u
#define V2_PACKED 0x1c849304u
#define V1 0x1c849301u
#define V1_PACKED 0x1c849302u
#define V0 0x1c849308u
#define V0_PACKED 0x1c849309u
#define DOUBLES 0x0c72124eu
#define DOUBLES_PACKED 0x0c72124fu

enum { HEAD = 40, HEAD_V0 = 32, HEAD_PACKED = 8, HEAD_DOUBLES = 16 };
enum { AT_LENGTH = 4, AT_DIGITS = 12, AT_LOWEST = 16, AT_HIGHEST = 24, AT_RATIO = 32 };
enum { AT_DIGITS_V0 = 4, AT_LOWEST_V0 = 8, AT_HIGHEST_V0 = 16 };

/* Written with cookies of version 2; readers do not look at the size then. */
#define SIZE_V2 0x10u

#define COUNTER_BYTES 9          /* of the longest */
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

static void
put_be32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void
put_be64(unsigned char *p, uint64_t v)
{
	put_be32(p, (uint32_t)(v >> 32));
	put_be32(p + 4, (uint32_t)v);
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
	int64_t n;

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

/* Out. */

struct hdr_buckets
hdr_payload_buckets(const struct hdr *h)
{
	uint64_t lowest = hdr_lowest(h) < 0x1p62 ? (uint64_t)hdr_lowest(h) : 0;
	uint64_t highest = hdr_highest(h), at = 0, most = 0;
	struct hdr_buckets b;
	struct bin bin;

	while (hdr_each(h, &at, &bin))
		most = (uint64_t)bin.low;
	if (lowest == 0)
		lowest = 1;
	/* Whatever it was before a union, or said to be. */
	if (hdr_buckets_init(&b, lowest, highest, hdr_digits(h)) &&
	    hdr_buckets_slot(&b, most) < hdr_buckets_slots(&b))
		return b;
	if (!hdr_buckets_init(&b, lowest, INT64_MAX, hdr_digits(h)))
		hdr_buckets_init(&b, 1, INT64_MAX, hdr_digits(h));
	hdr_buckets_init(&b, b.lowest, hdr_buckets_top(&b, most), hdr_digits(h));
	return b;
}

static enum status
put_counter(struct buffer *out, int64_t count)
{
	uint64_t n = (uint64_t)count << 1 ^ (count < 0 ? UINT64_MAX : 0);
	unsigned char bytes[COUNTER_BYTES];
	size_t i = 0;

	for (; n > 0x7f && i + 1 < COUNTER_BYTES; n >>= 7)
		bytes[i++] = (unsigned char)(n | 0x80);
	bytes[i++] = (unsigned char)n;
	return buffer_append(out, bytes, i);
}

/* So many empty slots, then one with this count, or none. */
static enum status
put_slots(struct buffer *out, uint64_t empty, uint64_t count)
{
	enum status st = OK;

	if (empty > 0)
		st = put_counter(out, empty > 1 ? -(int64_t)empty : 0);
	return st == OK && count > 0 ? put_counter(out, (int64_t)count) : st;
}

/* Some slots here may be one there. */
static enum status
put_counters(const struct hdr *h, const struct hdr_buckets *b, struct buffer *out)
{
	uint64_t at = 0, next = 0, slot = 0, count = 0;
	enum status st = OK;
	struct bin bin;

	while (st == OK && hdr_each(h, &at, &bin)) {
		uint64_t of = hdr_buckets_slot(b, (uint64_t)bin.low);
		if (of != slot && count > 0) {
			st = put_slots(out, slot - next, count);
			next = slot + 1;
			count = 0;
		}
		slot = of;
		count += bin.weight;
	}
	/* Of none at all, that of 0 is told. */
	return st != OK ? st : count > 0 ? put_slots(out, slot - next, count) : put_slots(out, 1, 0);
}

enum status
hdr_payload_write_plain(const struct hdr *h, struct buffer *out)
{
	struct hdr_buckets b = hdr_payload_buckets(h);
	size_t start = out->len;
	enum status st = buffer_zeros(out, HEAD);

	if (st == OK)
		st = put_counters(h, &b, out);
	if (st != OK)
		return st;
	unsigned char *head = out->at + start;
	put_be32(head, V2 | SIZE_V2);
	put_be32(head + AT_LENGTH, (uint32_t)(out->len - start - HEAD));
	put_be32(head + AT_DIGITS, b.digits);
	put_be64(head + AT_LOWEST, b.lowest);
	put_be64(head + AT_HIGHEST, b.highest);
	put_be64(head + AT_RATIO, real_bits(1));
	return OK;
}

enum status
hdr_payload_write(const struct hdr *h, struct buffer *out)
{
	struct buffer plain = {0};
	size_t start = out->len;
	enum status st = hdr_payload_write_plain(h, &plain);

	if (st == OK)
		st = buffer_zeros(out, HEAD_PACKED);
	if (st == OK)
		st = zlib_pack((struct slice){plain.at, plain.len}, out);
	if (st == OK) {
		put_be32(out->at + start, V2_PACKED | SIZE_V2);
		put_be32(out->at + start + AT_LENGTH, (uint32_t)(out->len - start - HEAD_PACKED));
	}
	buffer_free(&plain);
	return st;
}
