/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "tool/report.h"
#include "tool/answers/screen.h"

struct range {
	uint32_t low, high;
};

/* Characters of two columns: the blocks of East Asian scripts, and pictures. */
static const struct range wide[] = {
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
	{0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19}, {0xfe30, 0xfe6f},
	{0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2ff},
	{0x1f1e6, 0x1f202}, {0x1f210, 0x1f23b}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
	{0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Characters that are drawn over the one before them, or not at all. */
static const struct range none[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2},
	{0x05c4, 0x05c5}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc},
	{0x06df, 0x06e4}, {0x06e7, 0x06e8}, {0x06ea, 0x06ed}, {0x093c, 0x093c}, {0x0941, 0x0948},
	{0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1160, 0x11ff},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x2060, 0x2064}, {0x20d0, 0x20ff},
	{0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
	{0xe0100, 0xe01ef},
};

/* Controls, and what makes a terminal write from the other side. */
static const struct range unshown[] = {
	{0x00, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x206f},
	{0xfff9, 0xfffb}, {0xe0001, 0xe007f},
};

#define IS_IN(table, c) is_in(table, sizeof (table) / sizeof *(table), c)

static bool
is_in(const struct range *table, size_t n, uint32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c > table[middle].high)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && table[low].low <= c;
}

/* What is seen of a text's next character. */
struct glyph {
	struct slice bytes;
	size_t taken;                /* bytes of the text that it stands for */
	unsigned columns;
};

static uint32_t
decode(struct slice s)
{
	static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = s.at[0] & mask[s.len];

	for (size_t i = 1; i < s.len; i++)
		c = c << 6 | (s.at[i] & 0x3f);
	return c;
}

/* Of a text that is not at its end. */
static struct glyph
next_glyph(struct slice text, bool utf8)
{
	size_t len = utf8 || text.at[0] < 0x80 ? utf8_length(text) : 0;
	struct slice bytes = {text.at, len};
	uint32_t c = len > 0 ? decode(bytes) : 0;

	if (c == '\t')
		return (struct glyph){slice_of(" "), 1, 1};
	if (IS_IN(unshown, c))
		return (struct glyph){slice_of("?"), len > 0 ? len : 1, 1};
	return (struct glyph){bytes, len, IS_IN(none, c) ? 0 : IS_IN(wide, c) ? 2 : 1};
}

static struct slice
rest_of(struct slice text, size_t from)
{
	return (struct slice){text.at + from, text.len - from};
}

/* How many bytes of a text fit so many columns, and how many they take. */
static size_t
fitting(struct slice text, unsigned columns, bool utf8, unsigned *taken)
{
	size_t at = 0;

	*taken = 0;
	while (at < text.len) {
		struct glyph g = next_glyph(rest_of(text, at), utf8);
		if (g.columns > columns - *taken)
			break;
		*taken += g.columns;
		at += g.taken;
	}
	return at;
}

unsigned
screen_width(struct slice text, const struct screen *screen)
{
	unsigned taken;

	fitting(text, SCREEN_MOST, screen->utf8, &taken);
	return taken;
}

static void
append(struct buffer *out, struct slice s)
{
	if (buffer_append(out, s.at, s.len) != OK)
		die(STATUS_MEMORY, "cannot draw");
}

unsigned
screen_append(struct buffer *out, struct slice text, unsigned columns, const struct screen *screen)
{
	struct slice dots = slice_of(screen->utf8 ? "\u2026" : "...");
	unsigned room = screen->utf8 ? 1 : 3, taken, more = 0;
	size_t end = fitting(text, columns, screen->utf8, &taken);

	if (end < text.len) {
		if (room > columns)
			dots.len = room = columns;
		end = fitting(text, columns - room, screen->utf8, &taken);
		more = room;
	}
	for (size_t at = 0; at < end;) {
		struct glyph g = next_glyph(rest_of(text, at), screen->utf8);
		append(out, g.bytes);
		at += g.taken;
	}
	if (more > 0)
		append(out, dots);
	return taken + more;
}

bool
screen_utf8(const char *lc_all, const char *lc_ctype, const char *lang)
{
	const char *name = lc_all && *lc_all ? lc_all : lc_ctype && *lc_ctype ? lc_ctype : lang;
	char charset[8];
	size_t n = 0;

	if (!name)
		return false;
	/* language_COUNTRY.charset@variant, or the charset alone. */
	const char *dot = strchr(name, '.');
	for (const char *p = dot ? dot + 1 : name; *p && *p != '@'; p++)
		if (*p != '-' && n < sizeof charset - 1)
			charset[n++] = *p;
	charset[n] = '\0';
	return strcasecmp(charset, "utf8") == 0;
}

unsigned
screen_columns(const char *columns)
{
	unsigned n = 0;

	if (!columns || !*columns)
		return SCREEN_COLUMNS;
	for (; *columns; columns++) {
		if (*columns < '0' || *columns > '9')
			return SCREEN_COLUMNS;
		if (n < SCREEN_MOST)
			n = n * 10 + (unsigned)(*columns - '0');
	}
	return n < SCREEN_LEAST ? SCREEN_LEAST : n > SCREEN_MOST ? SCREEN_MOST : n;
}

struct screen
screen_of_output(void)
{
	struct screen s = {
		.columns = screen_columns(getenv("COLUMNS")),
		.utf8 = screen_utf8(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")),
	};
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		s.columns = size.ws_col < SCREEN_LEAST ? SCREEN_LEAST :
		    size.ws_col > SCREEN_MOST ? SCREEN_MOST : size.ws_col;
	return s;
}
