/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * corpus KIND N SEED TRUTH [PARAMETER]...: made-up documents of which it is
 * known what is alike, a line each, on standard output; the file TRUTH has a
 * line for each, the number of the group it belongs to. The same bytes on every
 * machine.
 *
 *	edits N SEED TRUTH HOW WORDS PERCENT
 *	          N pairs of texts of so many words as they occur, by Zipf's law,
 *	          the second right behind the first and this share of it edited:
 *	          HOW is substitute, insert, delete, swap (a word with the next) or
 *	          move (a passage of that length)
 *	families  N texts of 20 to 200 such words, half of them alone and half in
 *	          families of 2 to 8, the first one and copies with 1 to 5 % of the
 *	          words substituted; shuffled
 *	strangers N SEED TRUTH WORDS
 *	          N texts of so many such words: nothing is alike
 *	jaccard N SEED TRUTH PERCENT
 *	          N pairs of texts, and 2 N alone, no word twice in a text; the
 *	          words of both of a pair are this share of the words of either,
 *	          exactly (a multiple of 5); shuffled
 *	mill N SEED TRUTH [PERCENT]
 *	          lines of a log by 200 templates, with 1 to 12 places that vary;
 *	          this share of the names in them has no digit (0)
 *	chain N SEED TRUTH PERCENT
 *	          each text shares this share, an even number, of the words of
 *	          either with the one before it; one group
 *	pages N SEED TRUTH [PERCENT]
 *	          the same first 40 and last 20 words around 40 others; nothing is
 *	          alike, or if a share is given, each has a copy with this share of
 *	          all its words substituted, and they are shuffled
 *	crowd     texts whose signatures (of simhash-sign) agree in 16 bits, and
 *	          of whose features 10 in 26 are those of all: nothing is alike
 */

#include <stdbool.h>

#include "documents.h"
#include "mill.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned
number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

/* Texts of Zipf's words, by the words' ranks. */
#define TEXT_MAX 2048

struct ranks {
	unsigned n;
	uint32_t at[TEXT_MAX];
};

static struct zipf words;

static void
compose(struct ranks *t, unsigned n)
{
	t->n = n;
	for (unsigned i = 0; i < n; i++)
		t->at[i] = zipf_draw(&words);
}

static void
put_ranks(const struct ranks *t)
{
	for (unsigned i = 0; i < t->n; i++)
		put_rank(t->at[i]);
}

static uint32_t
another(uint32_t rank)
{
	uint32_t other = zipf_draw(&words);

	while (other == rank)
		other = zipf_draw(&words);
	return other;
}

enum how { SUBSTITUTE, INSERT, DELETE, SWAP, MOVE };

/* The last of n words stays where it is if there is no next one to swap. */
static void
edit_words(struct ranks *t, enum how how, unsigned edits)
{
	struct ranks old = *t;
	unsigned left = edits, places = old.n - (how == SWAP);

	t->n = 0;
	for (unsigned i = 0; i < old.n; i++) {
		bool here = i < places && below(places - i) < left;

		if (!here) {
			t->at[t->n++] = old.at[i];
			continue;
		}
		left--;
		switch (how) {
		case SUBSTITUTE:
			t->at[t->n++] = another(old.at[i]);
			break;
		case INSERT:
			t->at[t->n++] = zipf_draw(&words);
			t->at[t->n++] = old.at[i];
			break;
		case SWAP:
			/* The one in front goes on as the next. */
			t->at[t->n++] = old.at[i + 1];
			old.at[i + 1] = old.at[i];
			break;
		default:
			break;
		}
	}
}

static void
move_passage(struct ranks *t, unsigned len)
{
	struct ranks old = *t;
	unsigned rest = old.n - len;
	unsigned from = (unsigned)below(rest + 1), to = (unsigned)below(rest);

	to += to >= from;
	t->n = 0;
	for (unsigned i = 0; i <= rest; i++) {
		if (i == to)
			for (unsigned j = 0; j < len; j++)
				t->at[t->n++] = old.at[from + j];
		if (i < rest)
			t->at[t->n++] = old.at[i < from ? i : i + len];
	}
}

static unsigned
share_of(unsigned n, unsigned percent)
{
	unsigned k = (n * percent + 50) / 100;

	return k > 0 ? k : 1;
}

static void
make_edits(uint64_t n, char **more)
{
	static const char *const names[] = {"substitute", "insert", "delete", "swap", "move"};
	unsigned length = number(more[1]), percent = number(more[2]);
	size_t how = 0;
	struct ranks t;

	while (how < COUNT(names) && strcmp(more[0], names[how]) != 0)
		how++;
	if (how == COUNT(names) || length < 4 || length > TEXT_MAX / 2 || percent > 50)
		fail("no such edits");
	for (uint64_t i = 0; i < n; i++) {
		compose(&t, length);
		begin(i);
		put_ranks(&t);
		if (how == MOVE)
			move_passage(&t, share_of(length, percent));
		else
			edit_words(&t, (enum how)how, share_of(length, percent));
		begin(i);
		put_ranks(&t);
	}
}

static void
make_families(uint64_t n, char **more)
{
	struct ranks first;

	(void)more;
	for (uint64_t i = 0; i < n; ) {
		uint64_t group = i;
		/* Nine alone for two families of five on average. */
		uint64_t members = below(11) < 9 ? 1 : 2 + below(7);

		compose(&first, 20 + (unsigned)below(181));
		for (uint64_t j = 0; j < members && i < n; j++, i++) {
			struct ranks t = first;

			if (j > 0)
				edit_words(&t, SUBSTITUTE, share_of(t.n, 1 + (unsigned)below(5)));
			begin(group);
			put_ranks(&t);
		}
	}
	shuffle();
}

static void
make_strangers(uint64_t n, char **more)
{
	unsigned length = number(more[0]);
	struct ranks t;

	if (length < 1 || length > TEXT_MAX)
		fail("no such length");
	for (uint64_t i = 0; i < n; i++) {
		compose(&t, length);
		begin(i);
		put_ranks(&t);
	}
}

/* Every number below 2^32 has its own word. */
static void
put_number(uint32_t n)
{
	uint32_t left = n * UINT32_C(2654435761);
	char name[8];

	for (unsigned i = 0; i < 7; i++, left /= 26)
		name[i] = (char)('a' + left % 26);
	name[7] = '\0';
	put(name);
}

/* Numbers first..first+n-1 after the common ones, in any order. */
static void
put_mixed(const uint32_t *common, unsigned ncommon, uint32_t first, unsigned n)
{
	uint32_t all[TEXT_MAX];

	if (ncommon > 0)
		memcpy(all, common, ncommon * sizeof *all);
	for (unsigned i = 0; i < n; i++)
		all[ncommon + i] = first + i;
	for (unsigned i = ncommon + n; i > 0; i--) {
		unsigned j = (unsigned)below(i);

		put_number(all[j]);
		all[j] = all[i - 1];
	}
}

static void
make_jaccard(uint64_t n, char **more)
{
	/* A prime number of words that those who are alone have in common. */
	enum { POOL = 2003 };
	unsigned percent = number(more[0]);
	uint32_t next = POOL, common[TEXT_MAX];

	if (percent % 5 != 0 || percent > 100)
		fail("no such share");
	for (uint64_t i = 0; i < n; i++) {
		unsigned either = 20 * (1 + (unsigned)below(10));
		unsigned both = either * percent / 100;
		unsigned one = (either - both) / 2, other = either - both - one;

		for (unsigned j = 0; j < both; j++)
			common[j] = next++;
		begin(i);
		put_mixed(common, both, next, one);
		begin(i);
		put_mixed(common, both, next + one, other);
		next += one + other;
	}
	for (uint64_t i = 0; i < 2 * n; i++) {
		unsigned length = 10 + (unsigned)below(180);
		uint32_t at = (uint32_t)below(POOL), step = 1 + (uint32_t)below(POOL - 1);

		for (unsigned j = 0; j < length / 2; j++)
			common[j] = (at + j * step) % POOL;
		begin(n + i);
		put_mixed(common, length / 2, next, length - length / 2);
		next += length - length / 2;
	}
	shuffle();
}

static void
make_chain(uint64_t n, char **more)
{
	unsigned percent = number(more[0]);
	unsigned length = (100 + percent) / 2, step = (100 - percent) / 2;

	if (percent % 2 != 0 || percent >= 100)
		fail("no such share");
	for (uint64_t i = 0; i < n; i++) {
		begin(0);
		for (unsigned j = 0; j < length; j++)
			put_number((uint32_t)i * step + j);
	}
}

static void
make_pages(uint64_t n, char **more)
{
	unsigned percent = more[0] ? number(more[0]) : 0;
	struct ranks page;

	compose(&page, 100);
	for (uint64_t i = 0; i < n; i++) {
		for (unsigned j = 40; j < 80; j++)
			page.at[j] = zipf_draw(&words);
		begin(i);
		put_ranks(&page);
		if (percent == 0)
			continue;

		struct ranks copy = page;
		edit_words(&copy, SUBSTITUTE, share_of(copy.n, percent));
		begin(i);
		put_ranks(&copy);
	}
	if (percent > 0)
		shuffle();
}

/*
 * "maybe noon" and "noon maybe" were looked for: two features of word:2 that
 * agree in the 16 lowest bits, and in 20 others. Five votes of each outvote
 * the eight of what a text has alone and the one that breaks a tie.
 */
static void
make_crowd(uint64_t n, char **more)
{
	(void)more;
	for (uint64_t i = 0; i < n; i++) {
		begin(i);
		for (unsigned j = 0; j < 5; j++) {
			put("maybe");
			put("noon");
		}
		put("maybe");
		for (unsigned j = 0; j < 8; j++)
			put_number((uint32_t)(8 * i + j));
	}
}

static void
make_mill(uint64_t n, char **more)
{
	mill_run(n, more[0] ? number(more[0]) : 0);
}

static const struct {
	const char *name;
	int more;
	void (*make)(uint64_t n, char **more);
} kinds[] = {
	{"edits", 3, make_edits}, {"families", 0, make_families}, {"strangers", 1, make_strangers},
	{"jaccard", 1, make_jaccard}, {"mill", 0, make_mill}, {"chain", 1, make_chain},
	{"pages", 0, make_pages}, {"crowd", 0, make_crowd},
};

static int
write_all(const char *path)
{
	FILE *truth = fopen(path, "w");

	if (!truth)
		return 3;
	for (size_t i = 0; i < made_n; i++) {
		fwrite(bytes + made[i].at, 1, made[i].len, stdout);
		putchar('\n');
		fprintf(truth, "%llu\n", (unsigned long long)made[i].group);
	}
	bool good = !ferror(truth);
	good &= fclose(truth) == 0;
	return good && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}

int
main(int argc, char *argv[])
{
	if (argc < 5) {
		fputs("usage: corpus KIND N SEED TRUTH [PARAMETER]...\n", stderr);
		return 2;
	}
	state = mix(strtoull(argv[3], NULL, 10));
	zipf_init(&words, 50000, 2.7);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			if (argc - 5 < kinds[i].more)
				fail("parameters are missing");
			kinds[i].make(strtoull(argv[2], NULL, 10), argv + 5);
			return write_all(argv[4]);
		}
	}
	fprintf(stderr, "corpus: no kind '%s'\n", argv[1]);
	return 2;
}
