/* sketchutils: BSD-2-Clause, see LICENSE */
#include "interop/gunzip.h"
#include "interop/hdr_buckets.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_payload_form.h"

/* Written with cookies of version 2; readers do not look at the size then. */
#define SIZE_V2 0x10u

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
