/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The scanner's three forms beside a reference that is slow and plain: it
 * walks bytes one by one, splits a line into all its fields, and shares no
 * code with the scanner but the hash. Random lines, rich in all that has a
 * meaning somewhere, at the lengths where masks and batches have their edges.
 */

#include <math.h>

#include "base/hash.h"
#include "base/scan.h"
#include "check.h"

/*
 * The reference.
 */

#define PARTS_MAX 4096

/* The fields of one line, copied out: field i is text[at[i]..at[i+1]). */
struct parts {
	size_t n;
	size_t at[PARTS_MAX + 1];
	unsigned char text[1 << 16];
	size_t len;
};

static void
part_byte(struct parts *p, unsigned char c)
{
	p->text[p->len++] = c;
}

static void
part_end(struct parts *p)
{
	p->at[++p->n] = p->len;
}

static bool
blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

/* All fields; false if the line is to be rejected. */
static bool
split(const struct scan *s, struct slice line, struct parts *p)
{
	bool blanks = s->mode == FIELD_BLANK || s->mode == FIELD_QUOTED;
	bool quotes = s->mode == FIELD_QUOTED || s->mode == FIELD_QUOTED_DELIMITER;
	size_t i = 0;

	p->n = p->len = 0;
	p->at[0] = 0;
	for (;;) {
		if (blanks) {
			while (i < line.len && blank(line.at[i]))
				i++;
			if (i == line.len)
				return true;
		}
		unsigned char open = i < line.len ? line.at[i] : 0;
		if (open == '"' && s->mode == FIELD_CSV) {
			for (i++;; i++) {
				if (i == line.len)
					return false;
				if (line.at[i] != '"') {
					part_byte(p, line.at[i]);
				} else if (i + 1 < line.len && line.at[i + 1] == '"') {
					part_byte(p, '"');
					i++;
				} else {
					break;
				}
			}
			i++;
		} else if (i < line.len && quotes && (open == '"' || open == '[')) {
			unsigned char close = open == '"' ? '"' : ']';
			bool hidden = false;
			for (i++;; i++) {
				if (i == line.len)
					return false;
				if (line.at[i] == close && !hidden)
					break;
				part_byte(p, line.at[i]);
				hidden = close == '"' && line.at[i] == '\\' && !hidden;
			}
			i++;
		} else {
			while (i < line.len &&
			    !(blanks ? blank(line.at[i]) : line.at[i] == s->delimiter))
				part_byte(p, line.at[i++]);
		}
		part_end(p);
		if (i == line.len)
			return true;
		/* Behind a closing quote only a separator can follow. */
		if (!(blanks ? blank(line.at[i]) : line.at[i] == s->delimiter))
			return false;
		i++;
	}
}

/* The field's place in the line, from 0, or SIZE_MAX. */
static size_t
place_of(const struct parts *p, int k)
{
	long place = k > 0 ? k - 1L : (long)p->n + k;

	return place >= 0 && (size_t)place < p->n ? (size_t)place : SIZE_MAX;
}

struct text {
	unsigned char at[1 << 17];
	size_t len;
};

static void
put_part(struct text *t, const struct parts *p, size_t place)
{
	if (place == SIZE_MAX)
		return;
	memcpy(t->at + t->len, p->text + p->at[place], p->at[place + 1] - p->at[place]);
	t->len += p->at[place + 1] - p->at[place];
}

/* The text of a list of fields; false if the line is to be rejected. */
static bool
pick(const struct scan *s, const struct fields *f, struct slice line, bool fold,
    unsigned char glue, struct text *t)
{
	static struct parts parts;
	bool first = true;

	t->len = 0;
	/* A quote that is open rejects a whole line, too. */
	if (!split(s, line, &parts))
		return false;
	if (f->n == 0) {
		memcpy(t->at, line.at, line.len);
		t->len = line.len;
	}
	for (unsigned i = 0; i < f->n; i++) {
		int last = f->at[i].last;
		if (last == FIELD_OPEN)
			last = (int)parts.n > f->at[i].first ? (int)parts.n : f->at[i].first;
		for (int k = f->at[i].first; k <= last; k++) {
			if (!first)
				t->at[t->len++] = glue;
			first = false;
			put_part(t, &parts, place_of(&parts, k));
		}
	}
	for (size_t i = 0; fold && i < t->len; i++)
		if (t->at[i] >= 'A' && t->at[i] <= 'Z')
			t->at[i] = (unsigned char)(t->at[i] - 'A' + 'a');
	return true;
}

/* A decimal integer 0..2^63-1. */
static bool
weigh(const struct text *t, uint64_t *out)
{
	unsigned __int128 v = 0;

	for (size_t i = 0; i < t->len; i++) {
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
		v = v * 10 + (unsigned)(t->at[i] - '0');
		if (v > INT64_MAX)
			return false;
	}
	*out = (uint64_t)v;
	return t->len > 0;
}

/* What is behind a number that is to be in milliseconds, as an exponent. */
static bool
shift_of(const char *suffix, const char **shift, double *times)
{
	static const struct {
		const char *name, *shift;
		double times;
	} units[] = {
		{"", "e0", 1}, {"ns", "e-6", 1}, {"us", "e-3", 1}, {"ms", "e0", 1}, {"s", "e3", 1},
		{"\xc2\xb5s", "e-3", 1}, {"\xce\xbcs", "e-3", 1}, {"m", "e0", 60000},
		{"min", "e0", 60000}, {"h", "e0", 3600000}, {"d", "e0", 86400000},
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, suffix) == 0) {
			*shift = units[i].shift;
			*times = units[i].times;
			return true;
		}
	return false;
}

/* A decimal without an exponent, as all are that are made below but for a few. */
static bool
measure(const struct scan *s, const struct text *t, double *out)
{
	static char number[1 << 17];
	const char *p = number, *shift = "";
	double times = 1;
	size_t from = 0, len = t->len, digits;

	while (from < len && blank(t->at[from]))
		from++;
	while (len > from && blank(t->at[len - 1]))
		len--;
	memcpy(number, t->at + from, len - from);
	number[len - from] = '\0';
	if (strlen(number) != len - from)
		return false;
	p += *p == '-' || *p == '+';
	digits = strspn(p, "0123456789");
	p += digits;
	if (*p == '.') {
		p++;
		digits += strspn(p, "0123456789");
		p += strspn(p, "0123456789");
	}
	if (digits == 0)
		return false;
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		if (strspn(p, "0123456789") == 0)
			return false;
		p += strspn(p, "0123456789");
		if (*p != '\0')
			return false;
	} else if (s->unit != UNIT_NONE) {
		char *end = number + (p - number);
		if (!shift_of(p + strspn(p, " \t"), &shift, &times))
			return false;
		strcpy(end, shift);
	} else if (*p != '\0') {
		return false;
	}
	*out = strtod(number, NULL) * times;
	return isfinite(*out);
}

enum fate { ITEM, SKIPPED, REJECTED };

static struct text item, key, weight_text, stamp;
static struct buffer typed;          /* an item's bytes, if it is not text */
static uint64_t weight;
static double value;
static int64_t instant;

static enum fate
reference(const struct scan *s, struct slice line)
{
	if (s->crlf && line.len > 0 && line.at[line.len - 1] == '\r')
		line.len--;
	if (!pick(s, &s->item, line, s->fold, s->end, &item))
		return REJECTED;
	if (s->skip_empty && item.len == 0)
		return SKIPPED;
	if (s->want_values && !measure(s, &item, &value))
		return REJECTED;
	if (s->has_key && !pick(s, &s->key, line, false, s->end, &key))
		return REJECTED;
	if (s->has_weight && (!pick(s, &s->weight, line, false, s->end, &weight_text) ||
	    !weigh(&weight_text, &weight)))
		return REJECTED;
	if (s->has_stamp && (!pick(s, &s->stamp, line, false, ' ', &stamp) ||
	    !time_read(&s->format, (struct slice){stamp.at, stamp.len}, &instant)))
		return REJECTED;
	if (!hash_is_ours(s->hash) && !s->no_hash && !s->want_values) {
		struct slice text = {item.at, item.len};
		typed.len = 0;
		if (item_encode(s->item_type, text, &typed) != OK)
			return REJECTED;
	}
	return ITEM;
}

/*
 * Side by side.
 */

static const struct {
	const char *name;
	scan_function *scan;
} kernels[] = {
	{"plain", scan_batch_plain},
	{"base", scan_batch_base},
#if defined(__x86_64__)
	{"v3", scan_batch_v3},
#endif
};

#define KERNELS (sizeof kernels / sizeof *kernels)

static bool
kernel_runs(size_t k)
{
#if defined(__x86_64__)
	return kernels[k].scan != scan_batch_v3 || scan_choose() == scan_batch_v3;
#else
	return k < KERNELS;
#endif
}

static bool
text_is(struct slice got, const struct text *want)
{
	return got.len == want->len && memcmp(got.at, want->at, want->len) == 0;
}

static uint64_t
hash_of(const struct scan *s, const struct text *t)
{
	struct slice bytes = {t->at, t->len};
	uint64_t h;

	if (s->hash == HASH_SIPHASH)
		return siphash(&s->secret, bytes);
	if (hash_is_ours(s->hash))
		return s->seed ? XXH3_64bits_withSeed(t->at, t->len, s->seed) :
		    XXH3_64bits(t->at, t->len);
	typed.len = 0;
	if (s->item_type != ITEM_TEXT && item_encode(s->item_type, bytes, &typed) == OK)
		bytes = (struct slice){typed.at, typed.len};
	hash_items(s->hash, &bytes, 1, &h);
	return h;
}

/* One item of the batch against what the reference just said. */
static bool
item_is(const struct scan *s, const struct batch *b, size_t i, struct slice line)
{
	bool items = s->want_items || (s->no_hash && !s->want_values);

	if (items && !text_is(b->item[i], &item))
		return false;
	if (s->want_values && memcmp(&b->value[i], &value, sizeof value) != 0)
		return false;
	if (!s->no_hash && !s->want_values && b->hash[i] != hash_of(s, &item))
		return false;
	if (s->want_lines && (b->line[i].at != line.at || b->line[i].len != line.len))
		return false;
	if (s->has_key && (!text_is(b->key[i], &key) ||
	    b->key_hash[i] != XXH3_64bits(key.at, key.len)))
		return false;
	return (!s->has_weight || b->weight[i] == weight) &&
	    (!s->has_stamp || b->time[i] == instant);
}

/* One batch that claims the lines of at..next. */
static bool
batch_is(const struct scan *s, const unsigned char *at, const unsigned char *next,
    const struct batch *b)
{
	uint64_t lines = 0, rejected = 0;
	size_t n = 0;

	while (at < next) {
		struct slice line = {at, 0};
		while (at[line.len] != s->end)
			line.len++;
		at += line.len + 1;
		lines++;
		enum fate fate = reference(s, line);
		rejected += fate == REJECTED;
		if (fate == ITEM && (n == b->n || !item_is(s, b, n++, line)))
			return false;
	}
	return at == next && n == b->n && lines == b->lines && rejected == b->rejected &&
	    b->status == OK;
}

/* The text of len bytes, complete lines, through all forms. Around it lie the
 * SCAN_SLACK bytes that may be read, and not one more. */
static bool
all_agree(const struct scan *s, const unsigned char *text, size_t len, unsigned char slack)
{
	static struct batch b;
	unsigned char *room = malloc(len + 2 * SCAN_SLACK);
	unsigned char *data = room + SCAN_SLACK;
	bool good = true;

	memset(room, slack, len + 2 * SCAN_SLACK);
	memcpy(data, text, len);
	for (size_t k = 0; k < KERNELS && good; k++) {
		const unsigned char *at = data;
		memset(b.hash, 0xee, sizeof b.hash);
		memset(b.value, 0xee, sizeof b.value);
		while (kernel_runs(k) && at < data + len && good) {
			const unsigned char *next = kernels[k].scan(s, at, data + len, &b);
			good = next > at && next <= data + len && b.n <= BATCH_MAX &&
			    batch_is(s, at, next, &b);
			at = next;
		}
		if (!good)
			printf("# the %s form differs\n", kernels[k].name);
	}
	buffer_free(&b.scratch);
	buffer_free(&b.encoded);
	free(room);
	return good;
}

/*
 * Random lines and random wishes.
 */

static uint64_t state = 1;

static size_t
below(size_t n)
{
	return (size_t)(check_random(&state) % n);
}

static bool
one_in(size_t n)
{
	return below(n) == 0;
}

static size_t
random_length(void)
{
	static const size_t edges[] = {
		15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 240, 241, 1000
	};

	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return edges[below(sizeof edges / sizeof *edges)];
	case 2:
		return below(300);
	default:
		return below(24);
	}
}

/* One line without its end byte. */
static size_t
random_line(unsigned char *to, size_t len, unsigned char end, unsigned char delimiter)
{
	static const unsigned char palette[] = "  \t\t,,,;\"\"\"[]\\\\\r\0\n\xff\x80 0123456789aAzZ@`{[";
	size_t kind = below(6), i = 0;

	while (i < len) {
		size_t run = one_in(6) ? below(70) : 1;
		unsigned char c = palette[below(sizeof palette - 1)];
		if (kind == 0)
			c = (unsigned char)below(256);
		else if (kind == 1)
			c = one_in(3) ? delimiter : (unsigned char)('A' + below(58));
		else if (kind == 2)
			c = one_in(4) ? ' ' : (unsigned char)('0' + below(10));
		for (; run > 0 && i < len; run--)
			to[i++] = c != end ? c : 'x';
	}
	if (len > 0 && one_in(4) && end != '\r')
		to[len - 1] = '\r';
	return len;
}

/* A line with whole quoted fields, most of them well formed. */
static size_t
random_quoted(unsigned char *to, size_t most, unsigned char end, const struct scan *s)
{
	size_t n = 0, fields = 1 + below(8);

	for (size_t i = 0; i < fields && n + 40 < most; i++) {
		size_t kind = below(4), len = below(12);
		if (i > 0)
			to[n++] = s->mode == FIELD_QUOTED || s->mode == FIELD_BLANK ? ' ' : s->delimiter;
		if (kind < 2)
			to[n++] = kind ? '"' : '[';
		for (size_t k = 0; k < len; k++) {
			if (one_in(5)) {
				to[n++] = s->mode == FIELD_CSV ? '"' : '\\';
				to[n++] = one_in(4) ? '\\' : '"';
			} else {
				to[n++] = (unsigned char)" ,;aBc0123"[below(10)];
			}
		}
		if (kind < 2)
			to[n++] = kind ? '"' : ']';
	}
	for (size_t i = 0; i < n; i++)
		if (to[i] == end)
			to[i] = 'x';
	return n;
}

/* A line of numbers, or of what is nearly one. */
static size_t
random_numbers(unsigned char *to, const struct scan *s)
{
	static const char *const behind[] = {
		"", "", "", "ms", "s", "us", "ns", " ms", "x", "mi", "e5", "E-2", ".", "\xc2\xb5s",
	};
	char *p = (char *)to;
	size_t fields = s->item.n == 0 ? 1 : 1 + below(8);
	bool plain = one_in(2);

	for (size_t i = 0; i < fields; i++) {
		if (i > 0)
			*p++ = s->mode == FIELD_QUOTED || s->mode == FIELD_BLANK ? ' ' : (char)s->delimiter;
		if (one_in(4))
			*p++ = "-+ -"[below(4)];
		for (size_t n = one_in(8) ? 0 : 1 + below(one_in(4) ? 25 : 9); n > 0; n--)
			*p++ = (char)('0' + below(10));
		if (one_in(3)) {
			*p++ = '.';
			for (size_t n = below(9); n > 0; n--)
				*p++ = (char)('0' + below(10));
		}
		if (!plain)
			p += sprintf(p, "%s", behind[below(sizeof behind / sizeof *behind)]);
	}
	for (unsigned char *c = to; c < (unsigned char *)p; c++)
		if (*c == s->end)
			*c = 'x';
	return (size_t)((unsigned char *)p - to);
}

static void
random_list(char *list, bool single)
{
	size_t n = single ? 1 : 1 + below(3);

	*list = '\0';
	for (size_t i = 0; i < n; i++) {
		int first = 1 + (int)below(one_in(4) ? 40 : 6);
		list += sprintf(list, "%s", i ? "," : "");
		switch (single ? below(2) : below(4)) {
		case 0:
			list += sprintf(list, "%d", first);
			break;
		case 1:
			list += sprintf(list, "-%d", first);
			break;
		case 2:
			list += sprintf(list, "%d-%d", first, first + (int)below(5));
			break;
		case 3:
			list += sprintf(list, "%d-", first);
			break;
		}
	}
}

static struct scan
random_scan(char *shown)
{
	static const unsigned char delimiters[] = {',', ';', '\t', ' ', '\0', 0xff, 'a'};
	static const unsigned char hashes[] = {
		0, HASH_XXH3, HASH_SIPHASH, HASH_SIPHASH, HASH_XXH64, HASH_FNV1,
	};
	struct scan s = {
		.end = one_in(4) ? '\0' : '\n', .crlf = one_in(3), .fold = one_in(4),
		.skip_empty = one_in(3), .want_items = !one_in(4), .want_lines = one_in(4),
		.no_hash = one_in(8), .want_values = one_in(3), .unit = one_in(2) ? UNIT_MS : UNIT_NONE,
		.has_key = one_in(5), .has_weight = one_in(8),
		.has_stamp = one_in(6),
		.mode = (enum field_mode)below(FIELD_CSV + 1),
		.delimiter = delimiters[below(sizeof delimiters)],
		.seed = one_in(3) ? check_random(&state) : 0,
		.hash = hashes[one_in(3) ? below(sizeof hashes) : 0],
		.secret = {check_random(&state), check_random(&state)},
	};
	if (!hash_is_ours(s.hash) && one_in(2))
		s.item_type = (unsigned char)below(ITEM_TYPE_MAX + 1);
	char list[200] = "", key_list[200] = "", weight_list[200] = "";
	char stamp_list[200] = "", seconds[] = "%s";
	const char *wrong_at;

	if (s.delimiter == s.end)
		s.delimiter = ',';
	if (s.want_values && one_in(2))
		s.has_key = s.has_weight = s.has_stamp = s.fold = false;
	if (s.want_values ? one_in(2) : !one_in(5)) {
		random_list(list, s.want_values || one_in(2));
		CHECK(!fields_parse(list, &s.item));
	}
	if (s.has_key) {
		random_list(key_list, one_in(2));
		CHECK(!fields_parse(key_list, &s.key));
	}
	if (s.has_weight) {
		random_list(weight_list, true);
		CHECK(!fields_parse(weight_list, &s.weight));
	}
	if (s.has_stamp) {
		random_list(stamp_list, one_in(2));
		CHECK(!fields_parse(stamp_list, &s.stamp));
		CHECK(!time_compile(one_in(2) ? seconds : "%Y %m %d", &s.format, &wrong_at));
	}
	sprintf(shown, "mode %d end %d delimiter %d crlf %d fold %d skip %d items %d lines %d "
	    "no_hash %d values %d unit %d hash %d item %d seed %d -f '%s' --by '%s' -W '%s' --time-field '%s'", s.mode, s.end, s.delimiter, s.crlf, s.fold,
	    s.skip_empty, s.want_items, s.want_lines, s.no_hash, s.want_values, s.unit, s.hash, s.item_type, s.seed != 0, list, key_list,
	    weight_list, stamp_list);
	return s;
}

static void
random_lines_agree(void)
{
	static const size_t counts[] = {1, 2, 3, 30, 254, 255, 256, 257, 258, 511, 512, 513};
	static unsigned char text[700 * 1001];
	int rounds = check_long() ? 20000 : 600;

	for (int round = 0; round < rounds; round++) {
		char shown[900];
		struct scan s = random_scan(shown);
		size_t lines = counts[below(sizeof counts / sizeof *counts)], len = 0;
		size_t empty = one_in(8) ? 1 : 8;

		for (size_t i = 0; i < lines; i++) {
			if (s.want_values && !one_in(8))
				len += random_numbers(text + len, &s);
			else if (!one_in(empty) && one_in(2))
				len += random_quoted(text + len, 300, s.end, &s);
			else if (!one_in(empty))
				len += random_line(text + len, random_length(), s.end, s.delimiter);
			text[len++] = s.end;
		}
		unsigned char slack[] = {s.end, s.delimiter, ' ', '"', '\r', 'x'};
		if (!all_agree(&s, text, len, slack[below(sizeof slack)])) {
			printf("# round %d: %s, %zu lines\n", round, shown, lines);
			CHECK(!"all forms agree with the reference");
			return;
		}
	}
}

/* Each length from 0 to 300 at each distance from a mask's start. */
static void
all_lengths_agree(void)
{
	static unsigned char text[1000];
	struct scan s = {.end = '\n', .want_items = true, .delimiter = ','};

	for (int form = 0; form < 4; form++) {
		s.mode = form == 2 ? FIELD_DELIMITER : FIELD_BLANK;
		CHECK(!fields_parse(form == 3 ? "-2" : "2", &s.item));
		if (form == 0)
			s.item.n = 0;
		for (size_t len = 0; len <= 300; len++) {
			size_t before = len % 67, n = 0;
			memset(text, 'a', sizeof text);
			text[before] = '\n';
			n = before + 1;
			/* A separator that walks over the edges of masks with len. */
			if (len > 2)
				text[n + len / 2] = form == 2 ? ',' : ' ';
			if (len > 70)
				text[n + len - 1] = form == 2 ? ',' : '\t';
			text[n + len] = '\n';
			if (!all_agree(&s, text, n + len + 1, ' ')) {
				printf("# form %d, length %zu\n", form, len);
				CHECK(!"all forms agree with the reference");
				return;
			}
		}
	}
}

/* Numbers of each length, and their tails, in whole lines and as fields. */
static void
all_numbers_agree(void)
{
	static unsigned char text[20000];

	for (int form = 0; form < 16; form++) {
		struct scan s = {.end = '\n', .want_values = true, .delimiter = ',',
			.want_items = form & 1, .crlf = form & 2, .unit = form & 4 ? UNIT_MS : UNIT_NONE};
		size_t n = 0;
		if (form & 8)
			CHECK(!fields_parse("1", &s.item));
		for (size_t len = 0; len < 24; len++)
			for (int tail = 0; tail < 8; tail++) {
				for (size_t i = 0; i < len; i++)
					text[n++] = (unsigned char)('0' + below(10));
				n += (size_t)sprintf((char *)text + n, "%s\n", (const char *const[]){
				    "", ".", ".5", ".12345678", "ms", "x", "\r", "-"}[tail]);
			}
		CHECK(all_agree(&s, text, n, "09.e \n"[below(6)]));
	}
}

/* Every byte value as the end, as the delimiter, and as content. */
static void
all_bytes_agree(void)
{
	unsigned char text[2 * 256 + 1];

	for (unsigned c = 0; c < 256; c++) {
		struct scan s = {.end = '\n', .want_items = true, .mode = FIELD_DELIMITER};
		size_t n = 0;
		s.delimiter = (unsigned char)(c == '\n' ? 0 : c);
		CHECK(!fields_parse("2-", &s.item));
		for (unsigned i = 0; i < 256; i++) {
			text[n++] = (unsigned char)i;
			text[n++] = (unsigned char)(i ^ 0x80);
		}
		text[n++] = '\n';
		CHECK(all_agree(&s, text, n, (unsigned char)c));
		s.end = s.delimiter;
		s.item.n = 0;
		text[n - 1] = s.end;
		CHECK(all_agree(&s, text, n, (unsigned char)c));
	}
}

/* By hand, so that the reference is not alone. */
static const struct {
	enum field_mode mode;
	const char *list, *line, *item;      /* NULL: rejected */
} known[] = {
	{FIELD_BLANK, "2", "  a \t b  c ", "b"},
	{FIELD_BLANK, "-1", "  a \t b  c ", "c"},
	{FIELD_BLANK, "4", "a b c", ""},
	{FIELD_BLANK, "2-", "a b c", "b\nc"},
	{FIELD_BLANK, "4-", "a b c", ""},
	{FIELD_BLANK, "3-5", "a b c", "c\n\n"},
	{FIELD_BLANK, "3,1", "a b c", "c\na"},
	{FIELD_BLANK, "1-", "", ""},
	{FIELD_DELIMITER, "1", "", ""},
	{FIELD_DELIMITER, "2", "a,,b", ""},
	{FIELD_DELIMITER, "-1", "a,,b,", ""},
	{FIELD_DELIMITER, "1-", ",", "\n"},
	{FIELD_DELIMITER, "1,2", "ab,c", "ab\nc"},
	{FIELD_DELIMITER, "1,2", "a,bc", "a\nbc"},
	{FIELD_QUOTED, "1", "[10/Oct/2000:13:55:36 -0700] x", "10/Oct/2000:13:55:36 -0700"},
	{FIELD_QUOTED, "2", "a \"GET \\\"/\\\" HTTP/1.0\" 200", "GET \\\"/\\\" HTTP/1.0"},
	{FIELD_QUOTED, "2", "a \"b\\\\\" c", "b\\\\"},
	{FIELD_QUOTED, "3", "a \"\" c", "c"},
	{FIELD_QUOTED, "1", "a \"b c", NULL},
	{FIELD_QUOTED, "1", "a [b c", NULL},
	{FIELD_QUOTED, "1", "a b\"c d[e", "a"},
	{FIELD_QUOTED, "2", "a [b [c] d", "b [c"},
	{FIELD_QUOTED_DELIMITER, "2", "a,\"b,c\",", "b,c"},
	{FIELD_QUOTED_DELIMITER, "3", "a,\"b,c\",", ""},
	{FIELD_CSV, "2", "a,\"b \"\"q\"\", c\",d", "b \"q\", c"},
	{FIELD_CSV, "3", "a,\"b \"\"q\"\", c\",d", "d"},
	{FIELD_CSV, "1", "\"\"\"\"", "\""},
	{FIELD_CSV, "1", "\"\",x", ""},
	{FIELD_CSV, "1", "\"a", NULL},
	{FIELD_CSV, "1", "\"a\"b,c", NULL},
	{FIELD_CSV, "1", "[a,b", "[a"},
	{FIELD_CSV, "1", "a\"b,c", "a\"b"},
};

static void
known_lines_give_known_items(void)
{
	static struct batch b;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct scan s = {.end = '\n', .want_items = true, .mode = known[i].mode, .delimiter = ','};
		size_t len = strlen(known[i].line);
		unsigned char room[300] = {0};

		CHECK(!fields_parse(known[i].list, &s.item));
		memcpy(room + SCAN_SLACK, known[i].line, len);
		room[SCAN_SLACK + len] = '\n';
		scan_choose()(&s, room + SCAN_SLACK, room + SCAN_SLACK + len + 1, &b);
		CHECK_EQ(b.n, known[i].item ? 1 : 0);
		CHECK_EQ(b.rejected, known[i].item ? 0 : 1);
		if (b.n == 1 && known[i].item)
			CHECK(slice_equal(b.item[0], slice_of(known[i].item)));
		if (check_failures) {
			printf("# -f %s of '%s'\n", known[i].list, known[i].line);
			break;
		}
	}
	buffer_free(&b.scratch);
	buffer_free(&b.encoded);
}

/* The fields of a time are joined by one space, whatever stood between them,
 * and lie behind an item and a key that are put together in scratch, too. */
static void
times_are_read_beside_items(void)
{
	static const struct {
		enum field_mode mode;
		const char *list, *line;
		bool good;
	} rows[] = {
		{FIELD_BLANK, "4,5", "A - - [30/Nov/2026:13:00:00 \t +0000] x", true},
		{FIELD_BLANK, "4-5", "A - - [30/Nov/2026:13:00:00 +0000] x", true},
		{FIELD_BLANK, "4", "A - - [30/Nov/2026:13:00:00 +0000] x", true},
		{FIELD_BLANK, "-2,-1", "A B C 2026-11-30 13:00:00", true},
		{FIELD_QUOTED, "4", "A - - [30/Nov/2026:13:00:00 +0000] x", true},
		{FIELD_CSV, "4", "A,B,C,\"2026-11-30 13:00:00\"", true},
		{FIELD_DELIMITER, "5,4", "A,B,C,13:00:00,2026-11-30", true},
		{FIELD_BLANK, "4,6", "A - - [30/Nov/2026:13:00:00 +0000] x", false},
		{FIELD_BLANK, "4-", "A - - [30/Nov/2026:13:00:00 +0000] x", false},
		{FIELD_BLANK, "9", "A - - [30/Nov/2026:13:00:00 +0000] x", false},
		{FIELD_CSV, "4", "A,B,C,\"2026-11-30 \"\"13:00:00\"", false},
		{FIELD_CSV, "4", "A,B,C,\"2026-11-30 13:00:00", false},
	};
	static struct batch b;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scan s = {
			.end = '\n', .want_items = true, .mode = rows[i].mode, .delimiter = ',',
			.has_stamp = true, .has_key = true, .fold = true,
		};
		unsigned char room[300] = {0};
		size_t len = strlen(rows[i].line);

		CHECK(!fields_parse(rows[i].list, &s.stamp));
		CHECK(!fields_parse("1,2", &s.item));
		CHECK(!fields_parse("3,1", &s.key));
		memcpy(room + SCAN_SLACK, rows[i].line, len);
		room[SCAN_SLACK + len] = '\n';
		scan_choose()(&s, room + SCAN_SLACK, room + SCAN_SLACK + len + 1, &b);
		CHECK_EQ(b.n, rows[i].good);
		CHECK_EQ(b.rejected, !rows[i].good);
		if (rows[i].good) {
			CHECK_EQ(b.time[0], INT64_C(1796043600000000));
			CHECK(slice_equal(b.item[0], slice_of(rows[i].line[2] == 'B' ? "a\nb" : "a\n-")));
			CHECK_EQ(b.key[0].len, 3);
			CHECK_EQ(b.key[0].at[2], 'A');
		}
	}
	buffer_free(&b.scratch);
	buffer_free(&b.encoded);
}

/* Many fields in one line: an open range is one walk, not one for each. */
static void
a_line_of_a_million_fields(void)
{
	enum { FIELDS = 1000000 };
	static struct batch b;
	struct scan s = {.end = '\n', .want_items = true, .delimiter = ','};
	unsigned char *room = malloc(2 * FIELDS + 2 * SCAN_SLACK), *data = room + SCAN_SLACK;

	for (size_t i = 0; i < FIELDS; i++) {
		data[2 * i] = 'a';
		data[2 * i + 1] = i + 1 < FIELDS ? ',' : '\n';
	}
	for (int mode = FIELD_BLANK; mode <= FIELD_CSV; mode++) {
		bool blanks = mode == FIELD_BLANK || mode == FIELD_QUOTED;
		for (size_t i = 0; i + 1 < FIELDS; i++)
			data[2 * i + 1] = blanks ? ' ' : ',';
		s.mode = (enum field_mode)mode;
		CHECK(!fields_parse("3-,2-1000000", &s.item));
		scan_choose()(&s, data, data + 2 * FIELDS, &b);
		CHECK_EQ(b.n, 1);
		CHECK_EQ(b.item[0].len, 2 * (FIELDS - 2) - 1 + 1 + 2 * (FIELDS - 1) - 1);
	}
	buffer_free(&b.scratch);
	buffer_free(&b.encoded);
	free(room);
}

static void
header_names_are_the_fields(void)
{
	static struct parts parts;
	static struct slice names[PARTS_MAX];

	for (int round = 0; round < 2000; round++) {
		char shown[900];
		struct scan s = random_scan(shown);
		struct buffer scratch = {0};
		unsigned char room[1200];
		size_t most = one_in(4) ? below(5) : PARTS_MAX;
		size_t len = one_in(2) ? random_quoted(room + SCAN_SLACK, 300, s.end, &s) :
		    random_line(room + SCAN_SLACK, random_length(), s.end, s.delimiter);
		struct slice line = {room + SCAN_SLACK, len};

		bool good = split(&s, line, &parts);
		size_t n = scan_split(&s, line, names, most, &scratch);
		CHECK_EQ(n, good ? parts.n : SIZE_MAX);
		for (size_t i = 0; good && i < n && i < most; i++)
			CHECK(slice_equal(names[i], (struct slice){parts.text + parts.at[i],
			    parts.at[i + 1] - parts.at[i]}));
		if (check_failures) {
			printf("# round %d: %s\n", round, shown);
			buffer_free(&scratch);
			return;
		}
		buffer_free(&scratch);
	}
}

int
main(void)
{
	RUN(known_lines_give_known_items);
	RUN(times_are_read_beside_items);
	RUN(all_lengths_agree);
	RUN(all_numbers_agree);
	RUN(all_bytes_agree);
	RUN(random_lines_agree);
	RUN(a_line_of_a_million_fields);
	RUN(header_names_are_the_fields);
	buffer_free(&typed);
	return check_done();
}
