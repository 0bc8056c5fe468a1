/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/tokens.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sketch/nearness/unicode.h"

/*
 * Two paths, one result. The ASCII path classes 64 bytes with vectors of 16, folds
 * case on the way, and packs the classes into one mask. If any byte was above 127,
 * the work is thrown away and the document goes through the decoder, which writes
 * words with one blank behind each: the mask is then simply what is not a blank.
 */

enum class {
	CLASS_WORD = 1,
	CLASS_ALONE = 2,             /* a word by itself */
	CLASS_FOLDS = 4,             /* has another lower case form */
	CLASS_BLANK = 8,
};

#define TABLE 0x10000
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void
tokens_init(struct tokens *tokens)
{
	*tokens = (struct tokens){0};
}

void
tokens_clear(struct tokens *tokens)
{
	free(tokens->text);
	free(tokens->mask);
	free(tokens->classes);
	tokens_init(tokens);
}

/* Room for a copy of so many bytes. The old copy is not kept. */
static enum status
reserve(struct tokens *tokens, size_t len)
{
	if (tokens->text && len <= tokens->room)
		return OK;
	if (len > SIZE_MAX / 4)
		return STATUS_MEMORY;
	size_t room = len < 4096 ? 4096 : len + len / 2;
	unsigned char *text = malloc(room + 64 + TOKENS_SLACK);
	uint64_t *mask = malloc((room / 64 + 2) * sizeof(*mask));

	if (!text || !mask) {
		free(text);
		free(mask);
		return STATUS_MEMORY;
	}
	free(tokens->text);
	free(tokens->mask);
	tokens->text = text;
	tokens->mask = mask;
	tokens->room = room;
	return OK;
}

/* 64 bytes that are 0 or 1 as 64 bits: the multiplication moves the lowest
 * bit of byte i to bit 56 + i, and no two meet. */
static inline uint64_t
pack(const unsigned char *flag)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t eight = get_le64(flag + 8 * i);

		mask |= (eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
	}
	return mask;
}

/* 16 bytes at a time, in whatever vectors the machine has. They are signed,
 * because that is the comparison that all of them can do. */
typedef signed char bytes16 __attribute__((vector_size(16)));

/* Fold a block and return the mask of its letters and digits. */
static inline uint64_t
fold_block(unsigned char *text, const unsigned char *p, bytes16 *seen)
{
	unsigned char flag[64];

	for (unsigned i = 0; i < 64; i += 16) {
		bytes16 c;

		memcpy(&c, p + i, 16);
		*seen |= c;
		c |= (bytes16)((c >= 'A') & (c <= 'Z')) & 0x20;
		memcpy(text + i, &c, 16);
		c = (bytes16)(((c >= 'a') & (c <= 'z')) | ((c >= '0') & (c <= '9'))) & 1;
		memcpy(flag + i, &c, 16);
	}
	return pack(flag);
}

/* False: a byte above 127 was seen, and the result is of no use. */
static bool
fold_ascii(struct tokens *tokens, struct slice document)
{
	bytes16 seen = {0};
	size_t block = 0, whole = document.len / 64, rest = document.len % 64;

	for (; block < whole; block++)
		tokens->mask[block] = fold_block(tokens->text + 64 * block,
		    document.at + 64 * block, &seen);
	if (rest != 0) {
		unsigned char last[64] = {0};

		memcpy(last, document.at + 64 * block, rest);
		tokens->mask[block] = fold_block(tokens->text + 64 * block, last, &seen);
		block++;
	}
	memset(tokens->text + 64 * block, 0, TOKENS_SLACK);
	tokens->mask[block] = 0;
	tokens->blocks = block + 1;
	tokens->len = document.len;

	signed char any = 0;
	for (unsigned i = 0; i < 16; i++)
		any |= seen[i];
	return any >= 0;
}

/* The character at p and its length; 0 if p does not begin a well-formed one
 * (overlong, surrogate, above U+10FFFF, cut off). */
static size_t
decode(const unsigned char *p, size_t left, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 :
	    p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	if (n > left)
		return 0;
	if (n < 2) {
		*c = p[0];
		return n;
	}
	uint32_t value = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (p[i] & 0x3f);
	}
	if (value < least[n] || value > 0x10ffff || (value & ~0x7ffu) == 0xd800)
		return 0;
	*c = value;
	return n;
}

static size_t
encode(unsigned char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (unsigned char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--) {
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	out[0] = (unsigned char)(0xf00 >> n | c);
	return n;
}

static bool
within(const struct unicode_range *range, size_t n, uint32_t c)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (c > range[middle].high)
			low = middle + 1;
		else if (c < range[middle].low)
			n = middle;
		else
			return true;
	}
	return false;
}

static uint32_t
fold(uint32_t c)
{
	size_t low = 0, n = COUNT(unicode_fold);

	while (low < n) {
		size_t middle = low + (n - low) / 2;
		const struct unicode_fold *f = &unicode_fold[middle];

		if (c > f->high)
			low = middle + 1;
		else if (c < f->low)
			n = middle;
		else if ((c - f->low) % (uint32_t)f->step == 0)
			return (uint32_t)((int32_t)c + f->away);
		else
			return c;
	}
	return c;
}

static void
mark(unsigned char *classes, const struct unicode_range *range, size_t n, enum class class)
{
	for (size_t i = 0; i < n && range[i].low < TABLE; i++)
		for (uint32_t c = range[i].low; c <= range[i].high && c < TABLE; c++)
			classes[c] |= (unsigned char)class;
}

/* A byte for each character below U+10000: 64 KiB, made when the first
 * document asks, so that a character costs a load and not a search. */
static enum status
classes_make(struct tokens *tokens)
{
	if (tokens->classes)
		return OK;
	unsigned char *classes = calloc(TABLE, 1);
	if (!classes)
		return STATUS_MEMORY;

	for (unsigned c = 0; c < 128; c++) {
		bool upper = c - 'A' < 26;

		if (upper || c - 'a' < 26 || c - '0' < 10)
			classes[c] = CLASS_WORD;
		if (upper)
			classes[c] |= CLASS_FOLDS;
		if (c == ' ' || c - '\t' < 5)
			classes[c] = CLASS_BLANK;
	}
	mark(classes, unicode_word, COUNT(unicode_word), CLASS_WORD);
	mark(classes, unicode_alone, COUNT(unicode_alone), CLASS_ALONE);
	mark(classes, unicode_blank, COUNT(unicode_blank), CLASS_BLANK);
	for (size_t i = 0; i < COUNT(unicode_fold); i++)
		for (uint32_t c = unicode_fold[i].low; c <= unicode_fold[i].high &&
		    c < TABLE; c += (uint32_t)unicode_fold[i].step)
			classes[c] |= CLASS_FOLDS;
	tokens->classes = classes;
	return OK;
}

static unsigned
class_of(const struct tokens *tokens, uint32_t c)
{
	if (c < TABLE)
		return tokens->classes[c];
	if (within(unicode_alone, COUNT(unicode_alone), c))
		return CLASS_ALONE;
	if (within(unicode_word, COUNT(unicode_word), c))
		return CLASS_WORD | CLASS_FOLDS;
	return CLASS_FOLDS;
}

/* The letter itself, folded. */
static inline size_t
put(unsigned char *out, uint32_t c, unsigned class)
{
	if (class & CLASS_FOLDS)
		c = c < 0x80 ? c | 0x20 : fold(c);
	return encode(out, c);
}

static size_t
put_blank(const unsigned char *text, size_t n)
{
	return n > 0 && text[n - 1] != ' ';
}

/* Words with one blank behind each. Nothing becomes more than twice as long:
 * an ideograph takes a blank before and behind, a letter grows by a byte. */
static size_t
write_words(struct tokens *tokens, struct slice document)
{
	unsigned char *text = tokens->text;
	size_t n = 0, step = 1;

	for (size_t i = 0; i < document.len; i += step) {
		uint32_t c;

		step = decode(document.at + i, document.len - i, &c);
		if (step == 0) {
			text[n++] = document.at[i];
			step = 1;
			continue;
		}
		unsigned class = class_of(tokens, c);
		if (!(class & CLASS_WORD) || class & CLASS_ALONE)
			if (put_blank(text, n))
				text[n++] = ' ';
		if (class & (CLASS_WORD | CLASS_ALONE))
			n += put(text + n, c, class);
		if (class & CLASS_ALONE)
			text[n++] = ' ';
	}
	return n;
}

enum status
tokens_words(struct tokens *tokens, struct slice document)
{
	if (reserve(tokens, document.len) != OK)
		return STATUS_MEMORY;
	if (fold_ascii(tokens, document))
		return OK;
	if (document.len > SIZE_MAX / 8 || reserve(tokens, 2 * document.len + 2) != OK ||
	    classes_make(tokens) != OK)
		return STATUS_MEMORY;
	size_t n = write_words(tokens, document);
	size_t blocks = (n + 63) / 64;

	memset(tokens->text + n, ' ', 64 * blocks - n + TOKENS_SLACK);
	for (size_t block = 0; block < blocks; block++) {
		unsigned char flag[64];

		for (unsigned i = 0; i < 64; i++)
			flag[i] = tokens->text[64 * block + i] != ' ';
		tokens->mask[block] = pack(flag);
	}
	tokens->mask[blocks] = 0;
	tokens->blocks = blocks + 1;
	tokens->len = n;
	return OK;
}

enum status
tokens_chars(struct tokens *tokens, struct slice document)
{
	if (document.len > SIZE_MAX / 8 || reserve(tokens, 2 * document.len + 2) != OK ||
	    classes_make(tokens) != OK)
		return STATUS_MEMORY;
	unsigned char *text = tokens->text;
	uint64_t *mask = tokens->mask;
	size_t n = 0, step = 1;

	memset(mask, 0, (2 * document.len / 64 + 2) * sizeof(*mask));
	for (size_t i = 0; i < document.len; i += step) {
		uint32_t c;
		size_t place = n;

		step = decode(document.at + i, document.len - i, &c);
		if (step == 0) {
			text[n++] = document.at[i];
			step = 1;
		} else if (class_of(tokens, c) & CLASS_BLANK) {
			if (!put_blank(text, n))
				continue;
			text[n++] = ' ';
		} else {
			n += put(text + n, c, class_of(tokens, c));
		}
		mask[place / 64] |= UINT64_C(1) << place % 64;
	}
	if (n > 0 && text[n - 1] == ' ') {
		n--;
		mask[n / 64] &= ~(UINT64_C(1) << n % 64);
	}
	memset(text + n, 0, TOKENS_SLACK);
	tokens->len = n;
	tokens->blocks = (n + 63) / 64 + 1;
	return OK;
}
