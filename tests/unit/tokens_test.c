/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/nearness/tokens.h"

#include "check.h"

static struct tokens tokens;

/* The words that were found, each followed by '|'. */
static const char *
words(struct slice document)
{
	static char out[1 << 16];
	size_t n = 0;

	CHECK_EQ(tokens_words(&tokens, document), OK);
	CHECK(tokens.mask[tokens.blocks - 1] == 0);
	for (size_t i = 0; i < 64 * (tokens.blocks - 1); i++) {
		bool in = tokens.mask[i / 64] >> i % 64 & 1;

		CHECK(!in || i < tokens.len);
		if (in)
			out[n++] = (char)tokens.text[i];
		else if (n > 0 && out[n - 1] != '|')
			out[n++] = '|';
	}
	if (n > 0 && out[n - 1] != '|')
		out[n++] = '|';
	out[n] = '\0';
	return out;
}

static bool
has_words(const char *document, const char *want)
{
	const char *got = words(slice_of(document));

	if (strcmp(got, want) == 0)
		return true;
	printf("# '%s' gives '%s', not '%s'\n", document, got, want);
	return false;
}

/* The characters that were found, each followed by '|'. */
static bool
has_chars(const char *document, const char *want)
{
	char out[256];
	size_t n = 0;

	CHECK_EQ(tokens_chars(&tokens, slice_of(document)), OK);
	for (size_t i = 0; i < tokens.len; i++) {
		if (i > 0 && (tokens.mask[i / 64] >> i % 64 & 1))
			out[n++] = '|';
		out[n++] = (char)tokens.text[i];
	}
	out[n] = '\0';
	if (strcmp(out, want) == 0)
		return true;
	printf("# '%s' gives '%s', not '%s'\n", document, out, want);
	return false;
}

static void
ascii_words_are_folded_runs_of_letters_and_digits(void)
{
	CHECK(has_words("The quick, BROWN fox-1984", "the|quick|brown|fox|1984|"));
	CHECK(has_words("@AZ[`az{/09:", "az|az|09|"));
	CHECK(has_words("", ""));
	CHECK(has_words(" \t.,;--", ""));
	CHECK(has_words("a", "a|"));
	CHECK(strcmp(words((struct slice){(const unsigned char *)"a\0b", 3}), "a|b|") == 0);
}

static void
ascii_agrees_with_a_plain_loop_and_with_the_decoder(void)
{
	uint64_t seed = 1;

	for (unsigned round = 0; round < 2000; round++) {
		unsigned char document[260];
		char want[600], got[600];
		size_t len = check_random(&seed) % 250, n = 0;

		for (size_t i = 0; i < len; i++) {
			unsigned char c = check_random(&seed) % 128;
			bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			    (c >= 'a' && c <= 'z');

			document[i] = c;
			if (letter)
				want[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
			else if (n > 0 && want[n - 1] != '|')
				want[n++] = '|';
		}
		if (n > 0 && want[n - 1] != '|')
			want[n++] = '|';
		want[n] = '\0';
		CHECK(strcmp(words((struct slice){document, len}), want) == 0);

		/* A middle dot is no letter, and not ASCII. */
		memcpy(document + len, " \xc2\xb7", 3);
		strcpy(got, words((struct slice){document, len + 3}));
		CHECK(strcmp(got, want) == 0);
	}
}

static void
words_of_other_alphabets_are_folded(void)
{
	CHECK(has_words("\xc3\x89T\xc3\x89 na\xc3\xafve", "\xc3\xa9t\xc3\xa9|na\xc3\xafve|"));
	/* Greek, both sigmas alike; Cyrillic. */
	CHECK(has_words("\xce\xa3\xce\xaf\xcf\x83\xcf\x82", "\xcf\x83\xce\xaf\xcf\x83\xcf\x83|"));
	CHECK(has_words("\xd0\x96\xd1\x83\xd0\xba", "\xd0\xb6\xd1\x83\xd0\xba|"));
	/* Sharp s stays, its capital follows; dotted capital I has no single
	 * lower case character; Kelvin sign is a k. */
	CHECK(has_words("\xc3\x9f\xe1\xba\x9e", "\xc3\x9f\xc3\x9f|"));
	CHECK(has_words("\xc4\xb0", "\xc4\xb0|"));
	CHECK(has_words("\xe2\x84\xaa", "k|"));
	/* A combining mark belongs to its word; so does an Arabic digit. */
	CHECK(has_words("e\xcc\x81t\xd9\xa1", "e\xcc\x81t\xd9\xa1|"));
	/* Deseret, beyond the first plane, folds; an emoji separates. */
	CHECK(has_words("\xf0\x90\x90\x80x", "\xf0\x90\x90\xa8x|"));
	CHECK(has_words("a\xf0\x9f\x98\x80" "b", "a|b|"));
	CHECK(has_words("a\xc2\xa0" "b\xe2\x80\x94" "c\xe3\x80\x82" "d", "a|b|c|d|"));
}

static void
a_character_of_a_script_without_blanks_is_a_word(void)
{
	CHECK(has_words("\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5|\xe6\x9c\xac|"));
	CHECK(has_words("Go\xe8\xaa\x9e" "3", "go|\xe8\xaa\x9e|3|"));
	CHECK(has_words("\xe3\x81\x8b\xe3\x82\xab", "\xe3\x81\x8b|\xe3\x82\xab|"));
	CHECK(has_words("\xe0\xb8\x81\xe0\xb8\xb2", "\xe0\xb8\x81|\xe0\xb8\xb2|"));
	CHECK(has_words("\xf0\xa0\x80\x80\xf0\xb0\x80\x80", "\xf0\xa0\x80\x80|\xf0\xb0\x80\x80|"));
	/* Hangul is written with blanks. */
	CHECK(has_words("\xed\x95\x9c\xea\xb5\xad \xeb\xa7\x90",
	    "\xed\x95\x9c\xea\xb5\xad|\xeb\xa7\x90|"));
	/* Full width punctuation alone is no word. */
	CHECK(has_words("\xe3\x80\x82\xef\xbc\x81", ""));
}

static void
bytes_that_are_not_utf8_are_letters(void)
{
	CHECK(has_words("Caf\xe9 Noir", "caf\xe9|noir|"));
	CHECK(has_words("\x80", "\x80|"));
	CHECK(has_words("\xc0\xaf", "\xc0\xaf|"));                    /* overlong */
	CHECK(has_words("\xe0\x80\xaf", "\xe0\x80\xaf|"));
	CHECK(has_words("\xed\xa0\x80", "\xed\xa0\x80|"));            /* surrogate */
	CHECK(has_words("\xf4\x90\x80\x80", "\xf4\x90\x80\x80|"));    /* too large */
	CHECK(has_words("\xe6\x97", "\xe6\x97|"));                    /* cut off */
	CHECK(has_words("\xe6\x97 \xe6\x97\xa5", "\xe6\x97|\xe6\x97\xa5|"));
	CHECK(has_words("\xf4\x8f\xbf\xbf", ""));                     /* valid, no letter */
}

static void
the_copy_grows_to_twice_at_most(void)
{
	struct tokens fresh;
	struct { const char *text; size_t len; } unit[] = {
		{"\xc8\xba", 2}, {"a\xe6\x97\xa5", 4}, {"\xe6\x97\xa5", 3}, {"\xff", 1},
	};

	for (size_t k = 0; k < 4; k++) {
		static unsigned char document[40000];
		size_t len = 0;

		while (len + unit[k].len <= sizeof(document)) {
			memcpy(document + len, unit[k].text, unit[k].len);
			len += unit[k].len;
		}
		tokens_init(&fresh);
		CHECK_EQ(tokens_words(&fresh, (struct slice){document, len}), OK);
		CHECK(fresh.len <= 2 * len);
		CHECK_EQ(tokens_chars(&fresh, (struct slice){document, len}), OK);
		CHECK(fresh.len <= 2 * len);
		tokens_clear(&fresh);
	}
}

static void
any_bytes_do_no_harm(void)
{
	uint64_t seed = 2;

	for (unsigned round = 0; round < 3000; round++) {
		unsigned char document[300];
		size_t len = check_random(&seed) % 300, set = 0;

		for (size_t i = 0; i < len; i++) {
			uint64_t r = check_random(&seed);

			/* Half of the bytes from where sequences begin and go on. */
			document[i] = (unsigned char)(r & 256 ? r : 0x80 | (r & 0x3f) | (r >> 3 & 0x40));
		}
		CHECK_EQ(tokens_words(&tokens, (struct slice){document, len}), OK);
		CHECK(tokens.len <= 2 * len + 1);
		CHECK_EQ(tokens_chars(&tokens, (struct slice){document, len}), OK);
		for (size_t b = 0; b < tokens.blocks; b++)
			set += (size_t)__builtin_popcountll(tokens.mask[b]);
		CHECK(set <= tokens.len);
		CHECK(tokens.len == 0 || (tokens.mask[0] & 1));
	}
}

static void
characters_keep_punctuation_and_one_blank(void)
{
	CHECK(has_chars("  A,\t\r\n b  ", "a|,| |b"));
	CHECK(has_chars("\xc3\x89\xe3\x80\x80\xc2\xa0\xe6\x97\xa5", "\xc3\xa9| |\xe6\x97\xa5"));
	CHECK(has_chars("\xe9x\x80", "\xe9|x|\x80"));
	CHECK(has_chars(" \t ", ""));
	CHECK(has_chars("", ""));
}

int
main(void)
{
	tokens_init(&tokens);
	RUN(ascii_words_are_folded_runs_of_letters_and_digits);
	RUN(ascii_agrees_with_a_plain_loop_and_with_the_decoder);
	RUN(words_of_other_alphabets_are_folded);
	RUN(a_character_of_a_script_without_blanks_is_a_word);
	RUN(bytes_that_are_not_utf8_are_letters);
	RUN(the_copy_grows_to_twice_at_most);
	RUN(any_bytes_do_no_harm);
	RUN(characters_keep_punctuation_and_one_blank);
	tokens_clear(&tokens);
	return check_done();
}
