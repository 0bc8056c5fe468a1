/* sketchutils: BSD-2-Clause, see LICENSE */
#include <math.h>

#include "tool/answers/canvas.h"
#include "tool/answers/plot.h"

#include "check.h"

static const struct screen utf8 = {40, true}, ascii = {40, false};

/* Bytes as text; of the last call only. */
static const char *
text_of(struct buffer *b)
{
	static char text[100000];

	snprintf(text, sizeof text, "%.*s", (int)b->len, (const char *)b->at);
	buffer_free(b);
	return text;
}

#define CHECK_TEXT(got, want) check_text(__LINE__, got, want)

static void
check_text(int line, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return;
	check_failures++;
	printf("# plot_test.c:%d: not the text that was wanted:\n", line);
	for (const char *p = got, *end; *p; p = end) {
		end = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p);
		printf("#	%.*s%s", (int)(end - p), p, end[-1] == '\n' ? "" : "\n");
	}
}

static const char *
fitted(const char *text, size_t len, unsigned columns, const struct screen *s)
{
	struct buffer b = {0};
	struct slice slice = {(const unsigned char *)text, len};
	unsigned taken = screen_append(&b, slice, columns, s);

	CHECK(taken <= columns);
	if (screen_width(slice, s) <= columns)
		CHECK_EQ(taken, screen_width(slice, s));
	return text_of(&b);
}

#define FITTED(text, columns, s) fitted(text, sizeof(text) - 1, columns, s)

static void
a_text_is_cut_to_its_columns(void)
{
	CHECK_TEXT(FITTED("/index.html", 11, &utf8), "/index.html");
	CHECK_TEXT(FITTED("/index.html", 10, &utf8), "/index.ht\u2026");
	CHECK_TEXT(FITTED("/index.html", 10, &ascii), "/index....");
	CHECK_TEXT(FITTED("abcdef", 2, &ascii), "..");
	CHECK_TEXT(FITTED("abcdef", 1, &utf8), "\u2026");
	CHECK_TEXT(FITTED("abcdef", 0, &utf8), "");
	CHECK_TEXT(FITTED("", 5, &utf8), "");
	/* An ideograph is two columns, and not cut in half. */
	CHECK_TEXT(FITTED("\u6f22\u5b57\u6f22", 6, &utf8), "\u6f22\u5b57\u6f22");
	CHECK_TEXT(FITTED("\u6f22\u5b57\u6f22", 5, &utf8), "\u6f22\u5b57\u2026");
	CHECK_TEXT(FITTED("\u6f22\u5b57\u6f22", 4, &utf8), "\u6f22\u2026");
	/* A mark over another character is none. */
	CHECK_TEXT(FITTED("e\u0301e\u0301", 2, &utf8), "e\u0301e\u0301");
	CHECK_TEXT(FITTED("\u00e9\u00e8", 2, &utf8), "\u00e9\u00e8");
}

static void
what_cannot_be_shown_is_a_question_mark(void)
{
	CHECK_TEXT(FITTED("a\tb\033[2J\0\177\r", 20, &utf8), "a b?[2J???");
	CHECK_TEXT(FITTED("\xff\xc3z\xe2\x82", 20, &utf8), "??z??");
	/* Surrogates, overlong forms, C1 controls, and writing from the right. */
	CHECK_TEXT(FITTED("\xed\xa0\x80 \xc0\xaf \xc2\x9b \u202e\u2066", 20, &utf8), "??? ?? ? ??");
	CHECK_TEXT(FITTED("\u00e9\u6f22", 20, &ascii), "?????");
	CHECK_TEXT(FITTED("a\tb\033", 20, &ascii), "a b?");
}

/* No input, however broken, takes more columns or shows a control. */
static void
random_bytes_are_tame(void)
{
	uint64_t random = 1;

	for (unsigned round = 0; round < 20000; round++) {
		unsigned char bytes[24];
		size_t n = check_random(&random) % sizeof bytes;
		unsigned columns = (unsigned)(check_random(&random) % 12);
		const struct screen *s = round % 2 ? &utf8 : &ascii;
		struct buffer b = {0};
		for (size_t i = 0; i < n; i++)
			bytes[i] = round % 3 ? (unsigned char)check_random(&random) :
			    (unsigned char)"\xe6\xbc\xa2\xcc\x81\xc3\xa9z"[check_random(&random) % 8];
		unsigned taken = screen_append(&b, (struct slice){bytes, n}, columns, s);
		CHECK(taken <= columns);
		CHECK_EQ(taken, screen_width((struct slice){b.at, b.len}, s));
		for (size_t i = 0; i < b.len; i++)
			CHECK(b.at[i] >= 0x20 && b.at[i] != 0x7f && (s->utf8 || b.at[i] < 0x80));
		buffer_free(&b);
	}
}

static void
the_charset_is_that_of_the_locale_that_counts(void)
{
	static const struct { const char *all, *ctype, *lang; bool utf8; } cases[] = {
		{NULL, NULL, NULL, false}, {"", "", "", false}, {"C", NULL, "en_US.UTF-8", false},
		{NULL, NULL, "en_US.UTF-8", true}, {"", "de_DE.utf8@euro", "C", true},
		{"C.UTF-8", "C", "C", true}, {NULL, "POSIX", "C.UTF-8", false},
		{NULL, "UTF-8", NULL, true}, {NULL, NULL, "de_DE", false},
		{NULL, NULL, "de_DE.ISO-8859-1", false}, {NULL, NULL, "x.UTF-80", false},
		{NULL, NULL, "x.UTF-16", false}, {NULL, NULL, "ja_JP.eucJP", false},
		{NULL, NULL, "x.utf8utf8", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_EQ(screen_utf8(cases[i].all, cases[i].ctype, cases[i].lang), cases[i].utf8);
}

static void
columns_are_a_sensible_number(void)
{
	CHECK_EQ(screen_columns(NULL), 80);
	CHECK_EQ(screen_columns(""), 80);
	CHECK_EQ(screen_columns("120"), 120);
	CHECK_EQ(screen_columns("-3"), 80);
	CHECK_EQ(screen_columns("12x"), 80);
	CHECK_EQ(screen_columns("0"), SCREEN_LEAST);
	CHECK_EQ(screen_columns("99999999999999999999"), SCREEN_MOST);
}

static struct bar
bar_of(const char *numbers, const char *label, double low, double value, double high)
{
	return (struct bar){slice_of(numbers), slice_of(label), value, low, high, false};
}

static const char *
bars(const struct bar *bar, size_t n, const struct screen *s)
{
	struct buffer out = {0};

	plot_bars(&out, bar, n, s);
	return text_of(&out);
}

static void
bars_are_as_long_as_their_values(void)
{
	const struct bar three[] = {
		bar_of("800", "/", 800, 800, 800), bar_of("100", "/a", 100, 100, 100),
		bar_of("9", "", 9, 9, 9), bar_of("0", "none", 0, 0, 0),
	};

	/* 40 columns: 3 for numbers, 4 for labels, 2 between each, 29 for bars. */
	CHECK_TEXT(bars(three, 4, &utf8),
	    "800  /     \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
	    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
	    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\n"
	    "100  /a    \u2588\u2588\u2588\u258b\n"
	    "  9        \u258e\n"
	    "  0  none\n");
	CHECK_TEXT(bars(three, 4, &ascii),
	    "800  /     #############################\n"
	    "100  /a    ####\n"
	    "  9        #\n"
	    "  0  none\n");
	CHECK_TEXT(bars(three, 0, &ascii), "");
	/* On a scale of their own. */
	CHECK_TEXT(bars(&three[2], 1, &ascii), "9  #####################################\n");
	CHECK_TEXT(bars(&three[3], 1, &ascii), "0  none\n");
}

static void
a_whisker_goes_from_low_to_high(void)
{
	const struct bar rows[] = {
		bar_of("8", "a", 4, 8, 8), bar_of("5", "b", 2, 5, 8), bar_of("4", "c", 3.9, 4, 4),
		bar_of("6", "d", 0, 6, 6), bar_of("1", "e", 1, 1, 4),
	};
	const struct screen narrow = {38, true}, plain = {38, false};

	/* 32 columns for bars, 4 for each 1. */
	CHECK_TEXT(bars(rows, 5, &plain),
	    "8  a  ###############|---------------|\n"
	    "5  b  #######|-----------+-----------|\n"
	    "4  c  ################\n"
	    "6  d  |----------------------|\n"
	    "1  e  ###|-----------|\n");
	CHECK_TEXT(bars(&rows[4], 1, &narrow), "1  e  \u2588\u2588\u2588\u2588\u2588\u2588\u2588"
	    "\u251c\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
	    "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2524\n");
}

static void
numbers_stand_in_columns_and_doubt_behind_them(void)
{
	struct bar rows[] = {
		bar_of("10\t9\t10", "a", 9, 10, 10), bar_of("8\t7", "b", 8, 8, 8),
	};

	rows[1].uncertain = true;
	CHECK_TEXT(bars(rows, 2, &ascii),
	    "10  9  10    a  #####################|-|\n"
	    " 8  7     ~  b  ####################\n");
}

static void
long_labels_leave_room_for_bars(void)
{
	const struct bar rows[] = {
		bar_of("77", "/a/very/long/path/that/does/not/fit.html", 77, 77, 77),
		bar_of("5", "\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57", 5, 5, 5),
	};
	const struct screen least = {SCREEN_LEAST, false};

	CHECK_TEXT(bars(rows, 1, &ascii), "77  /a/very/long/...  ##################\n");
	CHECK_TEXT(bars(&rows[1], 1, &utf8), "5  \u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u2026   "
	    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
	    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\n");
	CHECK_TEXT(bars(rows, 1, &least), "77  /a/...  ########\n");
}

/* No line is longer than the screen, whatever the numbers are. */
static void
bars_fit_the_screen(void)
{
	uint64_t random = 7;

	for (unsigned round = 0; round < 2000; round++) {
		struct bar rows[5];
		struct screen s = {40 + (unsigned)(check_random(&random) % 100), round % 2};
		size_t n = 1 + check_random(&random) % 5;
		for (size_t i = 0; i < n; i++) {
			double high = (double)(check_random(&random) >> check_random(&random) % 64);
			rows[i] = bar_of("12345", "a label", floor(high / 3), floor(high / 2), high);
		}
		struct buffer out = {0};
		plot_bars(&out, rows, n, &s);
		size_t lines = 0;
		for (size_t at = 0; at < out.len; lines++) {
			const unsigned char *end = memchr(out.at + at, '\n', out.len - at);
			struct slice line = {out.at + at, (size_t)(end - out.at) - at};
			CHECK(screen_width(line, &s) <= s.columns);
			at += line.len + 1;
		}
		CHECK_EQ(lines, n);
		buffer_free(&out);
	}
}

static const char *
ticks(enum axis_scale scale, double low, double high, size_t most)
{
	static char text[400];
	struct tick tick[16];
	const struct axis a = {scale, low, high};
	size_t n = axis_ticks(&a, tick, most);

	CHECK(n <= most);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		CHECK(tick[i].value >= low && tick[i].value <= high);
		CHECK(i == 0 || tick[i].value > tick[i - 1].value);
		snprintf(text + strlen(text), sizeof text - strlen(text), " %s", tick[i].label);
	}
	return text;
}

static void
ticks_are_round(void)
{
	CHECK_TEXT(ticks(AXIS_EVEN, 0, 100, 6), " 0 20 40 60 80 100");
	CHECK_TEXT(ticks(AXIS_EVEN, -0.3, 0.45, 5), " -0.2 0 0.2 0.4");
	CHECK_TEXT(ticks(AXIS_EVEN, 0, 7234567, 5), " 0 2e+06 4e+06 6e+06");
	CHECK_TEXT(ticks(AXIS_EVEN, 3, 3, 5), "");
	CHECK_TEXT(ticks(AXIS_EVEN, 0, 1, 0), "");
	CHECK_TEXT(ticks(AXIS_LOG, 0.5, 20000, 8), " 1 10 100 1000 10000");
	CHECK_TEXT(ticks(AXIS_LOG, 1, 1e12, 5), " 1 1000 1e+06 1e+09 1e+12");
	CHECK_TEXT(ticks(AXIS_LOG, 12, 47, 5), " 20 30 40");
	CHECK_TEXT(ticks(AXIS_TAIL, 0, 0.9999, 8), " p0 p50 p90 p99 p99.9 p99.99");
	CHECK_TEXT(ticks(AXIS_TAIL, 0.4, 0.95, 8), " p50 p90");
}

static void
values_have_their_places(void)
{
	const struct axis even = {AXIS_EVEN, 10, 20}, log = {AXIS_LOG, 1, 1000};
	const struct axis tail = {AXIS_TAIL, 0, 0.999};

	CHECK_IN(axis_place(&even, 15), 0.5, 0.5);
	CHECK_IN(axis_place(&even, -5), 0, 0);
	CHECK_IN(axis_place(&even, 1e300), 1, 1);
	CHECK_IN(axis_place(&log, 10), 0.3333, 0.3334);
	CHECK_IN(axis_place(&tail, 0.9), 0.3333, 0.3334);
	CHECK_IN(axis_place(&tail, 0.99), 0.6666, 0.6667);
	CHECK_IN(axis_place(&tail, 1), 1, 1);
	CHECK_IN(axis_place(&even, NAN), 0, 0);
}

static const char *
picture(const struct axis *x, const struct axis *y, unsigned lines, const struct screen *s,
    void (*draw)(struct canvas *))
{
	struct buffer out = {0};
	struct canvas *c = canvas_new(x, y, lines, s);

	draw(c);
	canvas_print(c, &out);
	canvas_free(c);
	return text_of(&out);
}

static void
draw_curve(struct canvas *c)
{
	canvas_line(c, 0, 0, 0.9, 4);
	canvas_line(c, 0.9, 4, 0.99, 10);
}

static void
draw_columns(struct canvas *c)
{
	for (int i = 0; i < 4; i++)
		canvas_column(c, i, i + 1, (double[]){4, 10, 0, 1}[i]);
	canvas_dot(c, 2.5, 10);
}

static void
pictures_have_axes(void)
{
	const struct axis p = {AXIS_TAIL, 0, 0.99}, ten = {AXIS_EVEN, 0, 10}, four = {AXIS_EVEN, 0, 4};
	const struct screen small = {24, true}, plain = {24, false};

	CHECK_TEXT(picture(&p, &ten, 4, &plain, draw_curve),
	    "10 +                ..''\n"
	    "   |            ..''\n"
	    "   |     ....'''\n"
	    " 0 +..'''\n"
	    "   ++--+------+--------+\n"
	    "   p0 p50    p90     p99\n");
	CHECK_TEXT(picture(&p, &ten, 4, &small, draw_curve),
	    "10 \u2524                \u28c0\u2824\u2812\u2809\n"
	    "   \u2502            \u28c0\u2824\u2812\u2809\n"
	    "   \u2502      \u28c0\u2860\u2824\u2814\u2812\u2809\n"
	    " 0 \u2524\u28c0\u2824\u2814\u2812\u280a\u2809\n"
	    "   \u2514\u252c\u2500\u2500\u252c\u2500\u2500\u2500\u2500\u2500\u2500\u252c\u2500\u2500"
	    "\u2500\u2500\u2500\u2500\u2500\u2500\u252c\n"
	    "   p0 p50    p90     p99\n");
	CHECK_TEXT(picture(&four, &ten, 4, &plain, draw_columns),
	    "10 +     :::::  '\n"
	    "   |     :::::\n"
	    "   |::::::::::\n"
	    " 0 +::::::::::    ::::::\n"
	    "   ++----+----+---+----+\n"
	    "    0    1    2   3    4\n");
	CHECK_TEXT(picture(&four, &ten, 4, &small, draw_columns),
	    "10 \u2524     \u28ff\u28ff\u28ff\u28ff\u28ff  \u2801\n"
	    "   \u2502     \u28ff\u28ff\u28ff\u28ff\u28ff\n"
	    "   \u2502\u28f6\u28f6\u28f6\u28f6\u28f6\u28ff\u28ff\u28ff\u28ff\u28ff\n"
	    " 0 \u2524\u28ff\u28ff\u28ff\u28ff\u28ff\u28ff\u28ff\u28ff\u28ff\u28ff    "
	    "\u28b0\u28f6\u28f6\u28f6\u28f6\u28f6\n"
	    "   \u2514\u252c\u2500\u2500\u2500\u2500\u252c\u2500\u2500\u2500\u2500\u252c\u2500\u2500"
	    "\u2500\u252c\u2500\u2500\u2500\u2500\u252c\n"
	    "    0    1    2   3    4\n");
}

/* What a caller may ask for by mistake of its data must draw something. */
static void
odd_pictures_are_drawn(void)
{
	const struct axis point = {AXIS_EVEN, 5, 5}, wide = {AXIS_LOG, 1e-300, 1e300};
	const struct axis first = {AXIS_TAIL, 0, 0};
	const struct screen least = {SCREEN_LEAST, true}, most = {SCREEN_MOST, false};

	CHECK(*picture(&point, &point, 1, &least, draw_curve));
	CHECK(*picture(&wide, &wide, 40, &most, draw_columns));
	CHECK(*picture(&first, &wide, 3, &least, draw_curve));
	canvas_free(NULL);
}

int
main(void)
{
	RUN(a_text_is_cut_to_its_columns);
	RUN(what_cannot_be_shown_is_a_question_mark);
	RUN(random_bytes_are_tame);
	RUN(the_charset_is_that_of_the_locale_that_counts);
	RUN(columns_are_a_sensible_number);
	RUN(bars_are_as_long_as_their_values);
	RUN(a_whisker_goes_from_low_to_high);
	RUN(numbers_stand_in_columns_and_doubt_behind_them);
	RUN(long_labels_leave_room_for_bars);
	RUN(bars_fit_the_screen);
	RUN(ticks_are_round);
	RUN(values_have_their_places);
	RUN(pictures_have_axes);
	RUN(odd_pictures_are_drawn);
	return check_done();
}
