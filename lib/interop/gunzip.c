/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * gzip is RFC 1952: members one after the other, each a header, a DEFLATE
 * stream, CRC-32 and length of what it holds. DEFLATE is RFC 1951: blocks of
 * stored bytes, or of Huffman codes for literals and for copies of what came
 * up to 32 KiB before.
 *
 * A Huffman code is canonical: its lengths alone tell it. Codes of up to
 * QUICK bits are looked up; of a longer one, the codes of each length are a
 * range of numbers, and length after length is tried.
 *
 * All of the output stays in the buffer, so a copy needs no window. Nothing is
 * allocated because the input says so: the buffer grows as bytes come out.
 */
#include "interop/gunzip.h"

#define QUICK 9
#define CODE_MAX 15              /* bits of a code */
#define LITERALS 288
#define DISTANCES 30
#define LENGTHS 19               /* the code in which code lengths come */
#define BLOCK_END 256

struct code {
	uint16_t quick[1 << QUICK];  /* symbol << 4 | bits; 0: a longer code, or none */
	uint16_t count[CODE_MAX + 1];        /* how many codes of so many bits */
	uint16_t symbol[LITERALS];   /* by code */
};

struct stream {
	const unsigned char *at, *end;
	uint64_t hold;               /* bits read ahead, the next one lowest */
	unsigned held;
	struct buffer *out;
	size_t start;                /* of this member's bytes in out */
	uint64_t limit;              /* of out's length */
	bool part;                   /* stop there, rather than fail */
};

/* Have n <= 32 bits at hand. */
static bool
have_bits(struct stream *s, unsigned n)
{
	while (s->held < n) {
		if (s->at == s->end)
			return false;
		s->hold |= (uint64_t)*s->at++ << s->held;
		s->held += 8;
	}
	return true;
}

static void
drop_bits(struct stream *s, unsigned n)
{
	s->hold >>= n;
	s->held -= n;
}

/* The next n <= 16 bits as a number. */
static enum status
take_bits(struct stream *s, unsigned n, unsigned *value)
{
	if (!have_bits(s, n))
		return STATUS_TRUNCATED;
	*value = (unsigned)(s->hold & ((UINT64_C(1) << n) - 1));
	drop_bits(s, n);
	return OK;
}

/* Room for *n more bytes, or for as many of them as a part still wants; its end
 * is reached if that is 0. */
static enum status
make_room(struct stream *s, size_t *n)
{
	uint64_t room = s->limit - s->out->len;

	if (*n > room) {
		if (!s->part)
			return STATUS_SIZE;
		if (room == 0)
			return STATUS_END;
		*n = (size_t)room;
	}
	return buffer_reserve(s->out, *n);
}

/* Whole bytes that were read ahead are given back. */
static void
give_back(struct stream *s)
{
	s->at -= s->held / 8;
	s->hold = s->held = 0;
}

static unsigned
reversed(unsigned code, unsigned bits)
{
	unsigned r = 0;

	for (; bits > 0; bits--, code >>= 1)
		r = r << 1 | (code & 1);
	return r;
}

/* The code of n symbols, whose lengths in bits these are; 0: not used. Every
 * code has a meaning, unless there is no more than one of them. */
static enum status
code_make(struct code *c, const unsigned char *length, unsigned n)
{
	unsigned next[CODE_MAX + 2] = {0}, used = 0;
	int left = 1;

	*c = (struct code){0};
	for (unsigned i = 0; i < n; i++)
		c->count[length[i]]++;
	used = n - c->count[0];
	c->count[0] = 0;
	for (unsigned bits = 1; bits <= CODE_MAX; bits++) {
		left = 2 * left - c->count[bits];
		if (left < 0)
			return STATUS_GZIP;
		next[bits + 1] = next[bits] + c->count[bits];
	}
	if (left > 0 && (used > 1 || c->count[1] != used))
		return STATUS_GZIP;
	for (unsigned i = 0; i < n; i++)
		if (length[i] > 0)
			c->symbol[next[length[i]]++] = (uint16_t)i;

	unsigned code = 0, at = 0;
	for (unsigned bits = 1; bits <= QUICK; bits++, code <<= 1)
		for (unsigned k = 0; k < c->count[bits]; k++, code++, at++)
			for (unsigned i = reversed(code, bits); i < 1u << QUICK; i += 1u << bits)
				c->quick[i] = (uint16_t)(c->symbol[at] << 4 | bits);
	return OK;
}

static enum status
code_next(struct stream *s, const struct code *c, unsigned *symbol)
{
	/* Near the end of the input there may be fewer bits than a code can have. */
	have_bits(s, CODE_MAX);
	unsigned entry = c->quick[s->hold & ((1 << QUICK) - 1)];
	if (entry != 0 && (entry & 15) <= s->held) {
		*symbol = entry >> 4;
		drop_bits(s, entry & 15);
		return OK;
	}
	unsigned code = 0, first = 0, at = 0;
	for (unsigned bits = 1; bits <= CODE_MAX; bits++) {
		if (bits > s->held)
			return STATUS_TRUNCATED;
		code |= s->hold >> (bits - 1) & 1;
		unsigned count = c->count[bits];
		if (code < first + count) {
			*symbol = c->symbol[at + code - first];
			drop_bits(s, bits);
			return OK;
		}
		at += count;
		first = (first + count) << 1;
		code <<= 1;
	}
	return STATUS_GZIP;
}

/* RFC 1951, 3.2.5: what a symbol stands for, and the bits that are added. */
static const struct {
	uint16_t base[DISTANCES];
	unsigned char more[DISTANCES];
} lengths = {
	{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
	    131, 163, 195, 227, 258},
	{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0},
}, distances = {
	{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
	    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577},
	{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
	    13, 13},
};
#define LENGTH_SYMBOLS 29

static enum status
copy_back(struct stream *s, unsigned symbol, const struct code *distance)
{
	unsigned more, far;
	enum status st;

	if (symbol >= LENGTH_SYMBOLS)
		return STATUS_GZIP;
	if ((st = take_bits(s, lengths.more[symbol], &more)) != OK)
		return st;
	size_t n = lengths.base[symbol] + more;
	if ((st = code_next(s, distance, &symbol)) != OK)
		return st;
	if (symbol >= DISTANCES)
		return STATUS_GZIP;
	if ((st = take_bits(s, distances.more[symbol], &more)) != OK)
		return st;
	far = distances.base[symbol] + more;
	if (far > s->out->len - s->start)
		return STATUS_GZIP;
	if ((st = make_room(s, &n)) != OK)
		return st;
	/* It may reach into what it writes: that is how runs are made. */
	unsigned char *to = s->out->at + s->out->len;
	for (size_t i = 0; i < n; i++)
		to[i] = *(to + i - far);
	s->out->len += n;
	return OK;
}

static enum status
inflate_coded(struct stream *s, const struct code *literal, const struct code *distance)
{
	for (;;) {
		unsigned symbol;
		enum status st = code_next(s, literal, &symbol);

		if (st != OK || symbol == BLOCK_END)
			return st;
		size_t one = 1;
		if (symbol > BLOCK_END)
			st = copy_back(s, symbol - BLOCK_END - 1, distance);
		else if ((st = make_room(s, &one)) == OK)
			s->out->at[s->out->len++] = (unsigned char)symbol;
		if (st != OK)
			return st;
	}
}

static enum status
inflate_stored(struct stream *s)
{
	unsigned n, inverse;

	drop_bits(s, s->held % 8);
	if (take_bits(s, 16, &n) != OK || take_bits(s, 16, &inverse) != OK)
		return STATUS_TRUNCATED;
	if (n != (~inverse & 0xffff))
		return STATUS_GZIP;
	give_back(s);
	if (n > (size_t)(s->end - s->at))
		return STATUS_TRUNCATED;
	while (n > 0) {
		size_t some = n;
		enum status st = make_room(s, &some);
		if (st == OK)
			st = buffer_append(s->out, s->at, some);
		if (st != OK)
			return st;
		s->at += some;
		n -= (unsigned)some;
	}
	return OK;
}

static enum status
inflate_fixed(struct stream *s)
{
	unsigned char length[LITERALS];
	struct code literal, distance;

	for (unsigned i = 0; i < LITERALS; i++)
		length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	enum status st = code_make(&literal, length, LITERALS);
	/* Two of the 32 codes of 5 bits stand for nothing. */
	memset(length, 5, 32);
	if (st == OK)
		st = code_make(&distance, length, 32);
	return st == OK ? inflate_coded(s, &literal, &distance) : st;
}

/* The lengths of both codes come as one list, in a code of their own, in which
 * 16 to 18 repeat. */
static enum status
read_lengths(struct stream *s, const struct code *code, unsigned char *length, unsigned n)
{
	static const unsigned char bits[] = {2, 3, 7}, base[] = {3, 3, 11};

	for (unsigned i = 0; i < n;) {
		unsigned symbol, more;
		enum status st = code_next(s, code, &symbol);

		if (st != OK)
			return st;
		if (symbol < 16) {
			length[i++] = (unsigned char)symbol;
			continue;
		}
		if ((st = take_bits(s, bits[symbol - 16], &more)) != OK)
			return st;
		unsigned times = base[symbol - 16] + more;
		if (times > n - i || (symbol == 16 && i == 0))
			return STATUS_GZIP;
		memset(length + i, symbol == 16 ? length[i - 1] : 0, times);
		i += times;
	}
	return OK;
}

static enum status
inflate_dynamic(struct stream *s)
{
	static const unsigned char order[LENGTHS] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
	};
	unsigned char length[LITERALS + 32] = {0};
	struct code literal, distance;
	unsigned literals, others, n;
	enum status st;

	if (take_bits(s, 5, &literals) != OK || take_bits(s, 5, &others) != OK ||
	    take_bits(s, 4, &n) != OK)
		return STATUS_TRUNCATED;
	literals += 257;
	others += 1;
	if (literals > 286 || others > DISTANCES)
		return STATUS_GZIP;
	n += 4;
	for (unsigned i = 0; i < n; i++) {
		unsigned bits;
		if ((st = take_bits(s, 3, &bits)) != OK)
			return st;
		length[order[i]] = (unsigned char)bits;
	}
	if ((st = code_make(&literal, length, LENGTHS)) != OK)
		return st;
	memset(length, 0, sizeof length);
	if ((st = read_lengths(s, &literal, length, literals + others)) != OK)
		return st;
	if (length[BLOCK_END] == 0)
		return STATUS_GZIP;
	if ((st = code_make(&literal, length, literals)) != OK)
		return st;
	if ((st = code_make(&distance, length + literals, others)) != OK)
		return st;
	return inflate_coded(s, &literal, &distance);
}

static enum status
inflate(struct stream *s)
{
	unsigned last = 0, type;
	enum status st = OK;

	while (st == OK && !last) {
		if (take_bits(s, 1, &last) != OK || take_bits(s, 2, &type) != OK)
			return STATUS_TRUNCATED;
		st = type == 0 ? inflate_stored(s) : type == 1 ? inflate_fixed(s) :
		    type == 2 ? inflate_dynamic(s) : STATUS_GZIP;
	}
	drop_bits(s, s->held % 8);
	give_back(s);
	return st;
}

/* CRC-32 of RFC 1952, section 8. */
static uint32_t
crc32_of(struct slice s)
{
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (unsigned k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (size_t i = 0; i < s.len; i++)
		crc = table[(crc ^ s.at[i]) & 255] ^ crc >> 8;
	return ~crc;
}

enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAGS_RESERVED = 0xe0 };

static bool
skip(struct stream *s, size_t n)
{
	if (n > (size_t)(s->end - s->at))
		return false;
	s->at += n;
	return true;
}

static bool
skip_text(struct stream *s)
{
	const unsigned char *end = memchr(s->at, 0, (size_t)(s->end - s->at));

	if (end)
		s->at = end + 1;
	return end != NULL;
}

static enum status
skip_header(struct stream *s)
{
	const unsigned char *start = s->at;

	if (!skip(s, 10))
		return STATUS_TRUNCATED;
	unsigned flags = start[3];
	if (flags & FLAGS_RESERVED)
		return STATUS_GZIP;
	if (flags & FLAG_EXTRA && (!skip(s, 2) || !skip(s, get_le16(s->at - 2))))
		return STATUS_TRUNCATED;
	if (flags & FLAG_NAME && !skip_text(s))
		return STATUS_TRUNCATED;
	if (flags & FLAG_COMMENT && !skip_text(s))
		return STATUS_TRUNCATED;
	if (!(flags & FLAG_CRC))
		return OK;
	uint32_t crc = crc32_of((struct slice){start, (size_t)(s->at - start)});
	if (!skip(s, 2))
		return STATUS_TRUNCATED;
	return get_le16(s->at - 2) == (crc & 0xffff) ? OK : STATUS_GZIP;
}

static enum status
member(struct stream *s)
{
	s->start = s->out->len;
	enum status st = skip_header(s);
	if (st == OK)
		st = inflate(s);
	if (st != OK)
		return st;
	struct slice made = {NULL, s->out->len - s->start};
	if (made.len > 0)
		made.at = s->out->at + s->start;
	if (!skip(s, 8))
		return STATUS_TRUNCATED;
	bool whole = get_le32(s->at - 8) == crc32_of(made) &&
	    get_le32(s->at - 4) == (uint32_t)made.len;
	return whole ? OK : STATUS_GZIP;
}

bool
gunzip_looks(struct slice in)
{
	return in.len >= 3 && in.at[0] == 0x1f && in.at[1] == 0x8b && in.at[2] == 8;
}

static enum status
members(struct stream *s)
{
	enum status st = OK;

	while (st == OK && s->at < s->end)
		st = gunzip_looks((struct slice){s->at, (size_t)(s->end - s->at)}) ? member(s) :
		    STATUS_GZIP;
	return st;
}

enum status
gunzip_start(struct slice in, size_t n, struct buffer *out)
{
	struct stream s = {
		.at = in.at, .end = in.at + in.len, .out = out, .limit = out->len + n, .part = true,
	};
	enum status st = members(&s);

	return out->len == s.limit ? OK : st;
}

enum status
gunzip(struct slice in, uint64_t limit, struct buffer *out)
{
	struct stream s = {.at = in.at, .end = in.at + in.len, .out = out, .limit = limit};

	return members(&s);
}
