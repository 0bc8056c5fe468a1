/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "base/mask.h"
#include "base/value.h"
#include "base/word.h"
#include "check.h"

static struct masker masker;

static struct slice
masked(enum mask_level level, struct slice line)
{
	struct slice out = {0};

	CHECK(mask_line(&masker, level, line, &out) == OK);
	return out;
}

static bool
becomes(enum mask_level level, const char *line, const char *wanted)
{
	struct slice out = masked(level, slice_of(line));

	if (slice_equal(out, slice_of(wanted)))
		return true;
	printf("# %s: %s -> %.*s\n", mask_level_name(level), line, (int)out.len, out.at);
	return false;
}

static void
levels_have_names(void)
{
	for (unsigned i = 0; i <= MASK_LEVEL_MAX; i++)
		CHECK_EQ(mask_level_find(mask_level_name(i)), i);
	CHECK(!mask_level_name(MASK_LEVEL_MAX + 1));
	CHECK(mask_level_find("") == -1 && mask_level_find("Log") == -1 && mask_level_find("logs") == -1);
	/* Part of the format. */
	CHECK(mask_level_find("none") == 0 && mask_level_find("case") == 1);
	CHECK(mask_level_find("digits") == 2 && mask_level_find("log") == 3);
	CHECK(mask_level_find("typed") == 4);
}

/* What the manual says. These may be added to, never changed. */
static const struct {
	const char *line, *log, *typed;
} vector[] = {
	{"", "", ""},
	{"no value here, though: it's (long) and/or [odd]", "no value here, though: it's (long) and/or [odd]",
	    "no value here, though: it's (long) and/or [odd]"},
	{"Jan  2 03:04:05 web sshd[812]: Failed password for user5 from 10.0.0.1 port 4242 ssh2",
	    "<*> web sshd[<*>]: Failed password for <*> from <*> port <*>",
	    "<time> web sshd[<num>]: Failed password for <id> from <ip> port <num> <id>"},
	{"1.2.3.4 - - [02/Jan/2026:03:04:05 +0000] \"GET /a/b?x=1 HTTP/1.1\" 200 123 \"-\" \"M/5.0 (X)\"",
	    "<*> - - [<*>] \"<*>\" <*> \"<*>\" \"<*>\"",
	    "<ip> - - [<time>] \"<str>\" <num> \"<str>\" \"<str>\""},
	{"took 12ms, 5% of 10KB at 1.2.3.", "took <*> of <*> at <*>.",
	    "took <duration>, <num> of <size> at <version>."},
	/* Quotes. */
	{"can't open 'a file': no", "can't open '<*>': no", "can't open '<str>': no"},
	{"''x \"\" 'y' z\"q\"", "'<*>' z\"q\"", "'<str>' z\"q\""},
	{"\"a \\\" b\" c", "\"<*>\" c", "\"<str>\" c"},
	{"\"a \\\\\" b", "\"<*>\" b", "\"<str>\" b"},
	{"\"open 5", "\"open <*>", "\"open <num>"},
	{"5\" and 3\"", "<*>\" and <*>\"", "<num>\" and <num>\""},
	{"'it's'", "'<*>'", "'<str>'"},
	{"f('a', \"b 5\")", "f('<*>', \"<*>\")", "f('<str>', \"<str>\")"},
	{"{\"msg\":\"user 5 in\",\"user\":\"bob\",\"n\":5,\"k 2\":\"c d\"}",
	    "{\"msg\":\"user <*> in\",\"user\":\"<*>\",\"n\":<*>,\"k <*>\":\"c d\"}",
	    "{\"msg\":\"user <num> in\",\"user\":\"<str>\",\"n\":<num>,\"k <num>\":\"c d\"}"},
	{"{\"m\" : \"a b\", \"n\":   \"a 'b' c\"}", "{\"<*>\" : \"<*>\", \"n\":   \"a '<*>' c\"}",
	    "{\"<str>\" : \"<str>\", \"n\":   \"a '<str>' c\"}"},
	{"msg=\"failed 3 times\" user=\"bob\" x=''", "msg=\"failed <*> times\" user=\"<*>\" x='<*>'",
	    "msg=\"failed <num> times\" user=\"<str>\" x='<str>'"},
	{"m=\"a: \", n=\"b c\"", "m=\"a: \", n=\"b c\"", "m=\"a: \", n=\"b c\""},
	/* Addresses. */
	{"ip 10.0.0.1:8080 10.0.0.0/8 /10.0.0.1:5 256.0.0.1", "ip <*>", "ip <ip> <version>"},
	{"10.0.0.1:123456 10.0.0.1:x", "<*>:x", "<ip>:<num> <ip>:x"},
	{"de:ad:be:ef:00:01 | aa-bb-cc-dd-ee-f1 | 0011.2233.44ff", "<*> | <*> | <*>", "<mac> | <mac> | <mac>"},
	{"from fe80::1%eth0, [::1]:80, std::x::5", "from <*>, [<*>]:<*>, std::x::<*>",
	    "from <ip>, [<ip>]:<num>, std::x::<num>"},
	/* Paths, URLs. */
	{"open /usr/lib/x and/or/not /tmp //// a/b", "open <*> /tmp //// a/b", "open <path> /tmp //// a/b"},
	{"C:\\Users\\bob D:/x \\\\host\\share a\\b \\\\", "<*> a\\b \\\\", "<path> a\\b \\\\"},
	{"GET /find?q=a&r=[b]c and /find", "GET <*> and /find", "GET <path> and /find"},
	{"/a/b:12 /a/b, /c/d", "<*>", "<path>:<num> <path>"},
	{"see http://x.org/a, (s3://b/k). jdbc:db://h/x :// x_y://a", "see <*>, (<*>). jdbc:<*> :// x_y:<*>",
	    "see <url>, (<url>). jdbc:<url> :// x_y:<path>"},
	{"git+ssh://u@h:22/r.git?x=y'", "<*>'", "<url>'"},
	/* Other words. */
	{"bob@example.com bob@host", "<*> bob@host", "<email> bob@host"},
	{"deadbeef facade FEEDFACE deadbeefs 0xff abc123", "<*> facade <*> deadbeefs <*>",
	    "<hex> facade <hex> deadbeefs <hex>"},
	{"block blk_-38865 123e4567-e89b-12d3-a456-426614174000", "block <*>", "block <id> <uuid>"},
	{"caf\xc3\xa9 5\xc3\xa9 \xff\xfe", "caf\xc3\xa9 <*> \xff\xfe", "caf\xc3\xa9 <id> \xff\xfe"},
	/* Runs. */
	{"1, 2; 3:4=5 6", "<*>", "<num>"}, {"[1] [2]", "[<*>] [<*>]", "[<num>] [<num>]"},
	{"1 - 2", "<*> - <*>", "<num> - <num>"}, {"5. 6", "<*>. <*>", "<num>. <num>"},
	{"5... 6?! 7", "<*>... <*>?! <*>", "<num>... <num>?! <num>"}, {"1 5s", "<*>", "<num> <duration>"},
	{"a=1,b=2", "a=<*>,b=<*>", "a=<num>,b=<num>"}, {"5|6{7}<8>", "<*>|<*>{<*>}<<*>>", "<num>|<num>{<num>}<<num>>"},
	{"5\t 6", "<*>", "<num>"},
	/* Times whose names have no digits. */
	{"Mon Nov 30 17:12:45 UTC 2026 up", "<*> up", "<time> up"},
	{"Fri, 02 Jan 2026 03:04 PM in", "<*> in", "<time> in"},
	{"2026-01-02 03:04 GMT in", "<*> in", "<time> in"},
	{"2026-01-02-03.04.05 CET in", "<*> in", "<time> in"},
	{"at 3:04:05 pm. May day", "at <*>. May day", "at <time>. May day"},
};

static void
vectors_hold(void)
{
	for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
		CHECK(becomes(MASK_LOG, vector[i].line, vector[i].log));
		CHECK(becomes(MASK_TYPED, vector[i].line, vector[i].typed));
		CHECK(becomes(MASK_NONE, vector[i].line, vector[i].line));
	}
	CHECK(becomes(MASK_CASE, "ABCXYZ@[`{ \xc3\x84 5", "abcxyz@[`{ \xc3\x84 5"));
	CHECK(becomes(MASK_DIGITS, "12a3 4-5.6 \xd9\xa1", "#a# #-#.# \xd9\xa1"));
}

/* A line of pieces that mean something, or of any bytes. */
static struct slice
draw_line(uint64_t *state, unsigned char *line, size_t most)
{
	static const char *const piece[] = {
		" ", " ", " ", "  ", "\t", ", ", ": ", ":", "=", ";", "(", ")", "[", "]", "{", "}", "|",
		"\"", "\"", "'", "'", "\\", "\\\"", "/", "/", "//", ".", ".", "?", "!", "-", "@", "%", "#",
		"user", "Failed", "a", "x", "deadbeef", "facade", "may", "Jan", "fri", "Friday", "PM", "am",
		"UTC", "Z", "T", "http://", "s3://", "C:\\", "::", "de:ad", "0x", "\xc3\xa9", "\xff", "_",
		"5", "0", "12", "03:04", "03:04:05", "2026", "2026-01-02", "02/Jan/2026", "20260102",
		"10.0.0.1", "fe80::1", "00:1a:2b:3c:4d:5e", "1.2.3", "12ms", "10KB", "/usr/lib/x", "+0100",
		"eth0", "a@b.c", "\"name\":", "{\"k\":\"v w\"}", "m=\"a b\"", "'q'", "Jan  2", "2 Jan",
	};
	size_t n = 0, want = check_random(state) % most;
	bool any = check_random(state) % 8 == 0;

	while (n < want) {
		const char *p = piece[check_random(state) % (sizeof piece / sizeof *piece)];
		size_t k = strlen(p);
		if (any)
			line[n++] = (unsigned char)check_random(state);
		else if (n + k > want)
			break;
		else
			memcpy(line + n, p, k), n += k;
	}
	return (struct slice){line, n};
}

/*
 * The walk, byte by byte: what mask.c does by bits, without its memory of
 * where quotes close.
 */
struct plain {
	struct slice line;
	unsigned char out[8192], taken[2048];  /* taken: a quote that closes a text */
	size_t n, done, field;
	char last[16];
};

static bool
joins_values(const struct plain *p, size_t to)
{
	for (size_t i = p->done; i < to; i++)
		if (p->line.at[i] > ' ' && !strchr(",;:=", p->line.at[i]))
			return false;
	return true;
}

static void
plain_put(struct plain *p, struct span s, const char *what)
{
	bool joined = strcmp(p->last, what) == 0 && joins_values(p, s.from);

	if (!joined) {
		memcpy(p->out + p->n, p->line.at + p->done, s.from - p->done);
		p->n += s.from - p->done;
		memcpy(p->out + p->n, what, strlen(what));
		p->n += strlen(what);
	}
	snprintf(p->last, sizeof p->last, "%s", what);
	p->done = s.to;
}

static size_t
plain_close(const struct plain *p, size_t open)
{
	for (size_t i = open + 1; i < p->line.len; i++) {
		unsigned char c = i + 1 < p->line.len ? p->line.at[i + 1] : ' ';
		size_t slashes = 0;
		while (p->line.at[i - 1 - slashes] == '\\' && i - slashes > 0)
			if (++slashes == i)
				break;
		if (p->line.at[i] == p->line.at[open] && !p->taken[i] && slashes % 2 == 0 &&
		    !is_letter(c) && !is_digit(c) && c != '_' && c < 128)
			return i;
	}
	return p->line.len;
}

static size_t
plain_quoted(struct plain *p, size_t open, bool typed)
{
	const unsigned char *at = p->line.at;
	size_t close = plain_close(p, open), before = open;

	if ((open > 0 && !is_separator(at[open - 1])) || close == p->line.len)
		return open + 1;
	while (before > 0 && at[before - 1] == ' ')
		before--;
	bool name = close + 1 < p->line.len && at[close + 1] == ':' && before > 0 &&
	    (at[before - 1] == '{' || at[before - 1] == ',');
	bool field = open == p->field || (open > 0 && at[open - 1] == '=');
	if (name)
		for (p->field = close + 2; p->field < p->line.len && at[p->field] == ' ';)
			p->field++;
	if (name || (field && memchr(at + open, ' ', close - open))) {
		p->taken[close] = 1;
		return open + 1;
	}
	plain_put(p, (struct span){open + 1, close}, typed ? "<str>" : "<*>");
	return close + 1;
}

/* Does this byte make it worth a look? */
static bool
may_be_value(struct slice line, size_t at)
{
	size_t n = 0;

	while (at + n < line.len && n < 8 && is_hex(line.at[at + n]) && is_letter(line.at[at + n]))
		n++;
	return n == 8 || is_digit(line.at[at]) || (line.at[at] && strchr("/\\@", line.at[at]));
}

static struct slice
plain_mask(struct plain *p, struct slice line, bool typed)
{
	*p = (struct plain){.line = line, .field = SIZE_MAX};

	for (size_t i = 0; i < line.len;) {
		unsigned char c = line.at[i];
		struct span word = {i, i}, span;
		size_t at;
		enum shape shape;
		char what[16] = "<*>";

		if ((c == '"' || c == '\'') && !p->taken[i]) {
			i = plain_quoted(p, i, typed);
			continue;
		}
		if (is_separator(c)) {
			i++;
			continue;
		}
		while (word.to < line.len && !is_separator(line.at[word.to]))
			word.to++;
		while (word.from > 0 && !is_separator(line.at[word.from - 1]))
			word.from--;
		for (at = i; at < word.to && !may_be_value(line, at); at++)
			;
		i = word.to;
		if (at < word.to && value_find(line, p->done, word, at, typed, &span, &shape)) {
			if (typed)
				snprintf(what, sizeof what, "<%s>", shape_name(shape));
			plain_put(p, span, what);
			if (span.to > i)
				i = span.to;
		}
	}
	memcpy(p->out + p->n, line.at + p->done, line.len - p->done);
	return (struct slice){p->out, p->n + line.len - p->done};
}

static void
show(const char *what, struct slice line, struct slice a, struct slice b)
{
	printf("# %s\n# %.*s\n# %.*s\n# %.*s\n", what, (int)line.len, line.at, (int)a.len, a.at,
	    (int)b.len, b.at);
}

static void
bits_and_bytes_say_the_same(void)
{
	static struct plain p;
	unsigned char line[400];
	uint64_t state = 1;

	for (unsigned round = check_times(5000, 30000, 150000); round > 0; round--) {
		struct slice l = draw_line(&state, line, 1 + check_random(&state) % sizeof line);
		for (unsigned typed = 0; typed < 2; typed++) {
			struct slice got = masked(typed ? MASK_TYPED : MASK_LOG, l);
			struct slice want = plain_mask(&p, l, typed);
			if (!slice_equal(got, want))
				show("differ", l, got, want);
			CHECK(slice_equal(got, want));
			CHECK(got.len <= 5 * l.len);
		}
	}
}

/* Any <kind> as <*>, and runs of them as one. */
static struct slice
without_kinds(struct slice typed, unsigned char *out)
{
	size_t n = 0, value = SIZE_MAX;      /* behind the last value */

	for (size_t i = 0; i < typed.len;) {
		const unsigned char *end = typed.at[i] == '<' ? memchr(typed.at + i, '>', typed.len - i) : NULL;
		if (!end) {
			out[n++] = typed.at[i++];
			continue;
		}
		i = (size_t)(end - typed.at) + 1;
		bool joins = value != SIZE_MAX;
		for (size_t k = value; joins && k < n; k++)
			joins = out[k] <= ' ' || strchr(",;:=", out[k]);
		if (joins)
			n = value;
		else
			memcpy(out + n, "<*>", 3), n += 3;
		value = n;
	}
	return (struct slice){out, n};
}

static void
log_is_typed_without_the_types(void)
{
	unsigned char line[300], copy[1600];
	uint64_t state = 2;

	for (unsigned round = check_times(5000, 30000, 150000); round > 0; round--) {
		struct slice l = draw_line(&state, line, sizeof line);
		if (memchr(l.at, '<', l.len) || memchr(l.at, '>', l.len))
			continue;
		struct slice untyped = without_kinds(masked(MASK_TYPED, l), copy);
		struct slice got = masked(MASK_LOG, l);
		if (!slice_equal(got, untyped))
			show("differ", l, got, untyped);
		CHECK(slice_equal(got, untyped));
	}
}

static void
folding_before_is_folding_after(void)
{
	unsigned char line[300], after[1500];
	uint64_t state = 3;

	for (unsigned round = 20000; round > 0; round--) {
		struct slice l = draw_line(&state, line, sizeof line);
		for (enum mask_level level = MASK_NONE; level <= MASK_LOG; level++) {
			struct slice m = masked(level, l);
			struct slice folded = {after, m.len};
			struct masker other = {0};
			struct slice before;

			if (m.len > 0)
				memcpy(after, m.at, m.len);
			for (size_t i = 0; i < m.len; i++)
				after[i] |= (unsigned char)((after[i] - (unsigned)'A' < 26) << 5);
			CHECK(mask_line(&other, MASK_CASE, l, &before) == OK);
			CHECK(slice_equal(masked(level, before), folded));
			masker_clear(&other);
		}
	}
}

static void
runs_of_digits_are_one_sign(void)
{
	unsigned char line[200], want[200];
	uint64_t state = 4;

	for (unsigned round = 20000; round > 0; round--) {
		size_t len = check_random(&state) % sizeof line, n = 0;
		for (size_t i = 0; i < len; i++) {
			line[i] = (unsigned char)"0123456789/:az"[check_random(&state) % (1 + round % 14)];
			if (!is_digit(line[i]))
				want[n++] = line[i];
			else if (i == 0 || !is_digit(line[i - 1]))
				want[n++] = '#';
		}
		CHECK(slice_equal(masked(MASK_DIGITS, (struct slice){line, len}), (struct slice){want, n}));
	}
}

static void
it_is_appended_behind_what_is_there(void)
{
	struct buffer to = {0};

	for (enum mask_level level = MASK_NONE; level <= MASK_TYPED; level++) {
		to.len = 0;
		CHECK(buffer_append(&to, "x5", 2) == OK);
		CHECK(mask_append(&masker, level, slice_of("A 5"), &to) == OK);
		static const char *const want[] = {"x5A 5", "x5a 5", "x5A #", "x5A <*>", "x5A <num>"};
		CHECK(slice_equal((struct slice){to.at, to.len}, slice_of(want[level])));
	}
	buffer_free(&to);
}

/* Each of them makes something look far; none of it may do so again and again. */
static void
hostile_lines_take_linear_time(void)
{
	static const char *const piece[] = {
		"=\"a ", "\"", "'", "1:", "a:", "::", "a://", "5 ", ",", " ", "jan 2 ", ".", "5.", "\\",
		"{\"a\":", "\" \"", "12:34:", "/", "?/", "deadbeef", ", \"a\": ", "='x ' ", "2026-01-02 ",
		"http://", "C:\\", "ab:cd:0", "x\"",
	};
	size_t len = check_long() ? 4 << 20 : 300000;
	unsigned char *line = malloc(len);

	for (size_t i = 0; line && i < sizeof piece / sizeof *piece; i++) {
		size_t k = strlen(piece[i]);
		for (size_t n = 0; n < len; n++)
			line[n] = (unsigned char)piece[i][n % k];
		/* Texts that open all along and close far away. */
		memset(line + len - 3 * k, '"', 2 * k);
		for (unsigned level = MASK_LOG; level <= MASK_TYPED; level++)
			CHECK(masked((enum mask_level)level, (struct slice){line, len}).len <= 5 * len);
	}
	free(line);
}

int
main(void)
{
	RUN(levels_have_names);
	RUN(vectors_hold);
	RUN(bits_and_bytes_say_the_same);
	RUN(log_is_typed_without_the_types);
	RUN(folding_before_is_folding_after);
	RUN(runs_of_digits_are_one_sign);
	RUN(it_is_appended_behind_what_is_there);
	RUN(hostile_lines_take_linear_time);
	masker_clear(&masker);
	return check_done();
}
