/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * crafted [--seed N] KIND [PARAMETER]...: lines whose hashes were chosen, on
 * standard output: the known attacks on sketches, for tests/attacks.bats. The
 * seed is the public one of the sketch, as --seed of the programs.
 *
 *	same N          N lines of one hash
 *	keys N          the same, each with a number behind a comma
 *	hide N          N hashes for 64 registers of a HyperLogLog, of the least rank
 *	inflate         one of the largest rank for each of its 16,384 registers
 *	alike FILE      for each line of FILE another one of the same hash
 *	pollute TYPE N P
 *	                N lines for a filter of N at P, block or classic, each of
 *	                which sets as many new bits as an item can
 *	crowd N         N hashes that differ in their low 32 bits only
 *	cover TEXT N    N times over, a line for each row of a Count-Min sketch, that
 *	                shares its counter there with TEXT
 *	nest N P        10 lines for the same two buckets of such a cuckoo filter
 *	low N           N hashes that are lower than any others
 *	same128 N       N lines of one hash of 128 bits
 *	twins           two texts of nearly the same SimHash without a word in common
 *	doubles         the same, and their words' hashes have the same low 32 bits
 *
 * THE HASH IS TURNED ROUND. Searching is not needed: of a line of 32 bytes, four
 * little-endian words a b c d, XXH3 with seed S is
 *
 *	avalanche(32 * PRIME64_1 + fold(a ^ (K0 + S), b ^ (K1 - S))
 *	                         + fold(c ^ (K2 + S), d ^ (K3 - S)))
 *
 * where K is its default secret, and fold(x, y) the low half of the product x * y
 * xor the high one. With a = K0 + S the first product is 0 for every b: there
 * are 2^64 lines for each hash. With d so that the other factor of the second one
 * is 2^i, it is c ^ (K2 + S) turned left by i, so any value; and avalanche has an
 * inverse. Who does not know S cannot make either factor what it wants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sketch/member/bloom_walk.h"
#include "sketch/member/cuckoo_table.h"
#include "sketch/nearness/features.h"
#include "sketch/member/form.h"
#include "sketch/nearness/simhash.h"

#define PRIME64_1 UINT64_C(0x9e3779b185ebca87)
#define AVALANCHE UINT64_C(0x165667919e3779f9)
#define LINE 32

static const uint64_t K[4] = {
	UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c),
	UINT64_C(0xdb979083e96dd4de), UINT64_C(0x1f67b3b7a4a44072),
};

static uint64_t seed;

static _Noreturn void
fail(const char *why)
{
	fprintf(stderr, "crafted: %s\n", why);
	exit(2);
}

static uint64_t
number(const char *text)
{
	return strtoull(text, NULL, 10);
}

/* The next of a fixed stream of numbers. */
static uint64_t
draw(void)
{
	static unsigned n;

	return hash_step(UINT64_C(0x637261667465), ++n);
}

/* Bytes that end a line, or a field of one. */
static bool
is_plain(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("\n\r,\"", p[i]))   /* NUL too */
			return false;
	return true;
}

static uint64_t
inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static uint64_t
avalanche_undone(uint64_t h)
{
	h ^= h >> 32;
	h *= inverse(AVALANCHE);
	return h ^ h >> 37;
}

/* A line of this hash; which, of the many there are, is told by a number. */
static void
line_of(uint64_t hash, uint64_t which, unsigned char line[LINE])
{
	uint64_t wanted = avalanche_undone(hash) - LINE * PRIME64_1;

	put_le64(line, K[0] + seed);
	for (unsigned i = 0; i < 8; i++)
		line[8 + i] = (unsigned char)('a' + (which >> 4 * i & 15));
	for (unsigned turn = 0; turn < 64; turn++) {
		uint64_t c = wanted >> turn | wanted << (64 - turn) % 64;
		put_le64(line + 16, c ^ (K[2] + seed));
		put_le64(line + 24, UINT64_C(1) << turn ^ (K[3] - seed));
		if (!is_plain(line, LINE))
			continue;
		if (hash_bytes(line, LINE, seed) != hash)
			fail("this is another XXH3");
		return;
	}
	fail("there is no such line");
}

static void
put(uint64_t hash, uint64_t which)
{
	unsigned char line[LINE];

	line_of(hash, which, line);
	fwrite(line, 1, LINE, stdout);
	putchar('\n');
}

static void
same(uint64_t n)
{
	uint64_t hash = draw();

	for (uint64_t i = 0; i < n; i++)
		put(hash, i);
}

/*
 * Of 128 bits, what goes into the avalanche is
 *
 *	32 * PRIME64_1 + fold(a ^ (K0 + S), b ^ (K1 - S)) ^ (c + d)
 *	                 fold(c ^ (K2 + S), d ^ (K3 - S)) ^ (a + b)
 *
 * With a = K0 + S any c can be made up for by d in the first, by b in the second.
 */
static void
same128(uint64_t n)
{
	unsigned char line[LINE];
	XXH128_hash_t first = {0};

	for (uint64_t i = 0; i < n;) {
		uint64_t a = K[0] + seed, c = draw(), d = UINT64_C(0x5555555555555555) - c;
		hash_wide product = (hash_wide)(c ^ (K[2] + seed)) * (d ^ (K[3] - seed));
		uint64_t fold = (uint64_t)product ^ (uint64_t)(product >> 64);

		put_le64(line, a);
		put_le64(line + 8, fold - a);
		put_le64(line + 16, c);
		put_le64(line + 24, d);
		if (!is_plain(line, LINE))
			continue;
		XXH128_hash_t hash = XXH3_128bits_withSeed(line, LINE, seed);
		if (i++ == 0)
			first = hash;
		if (!XXH128_isEqual(hash, first))
			fail("this is another XXH3");
		fwrite(line, 1, LINE, stdout);
		putchar('\n');
	}
}

static void
keys(uint64_t n)
{
	unsigned char line[LINE];
	uint64_t hash = draw();

	for (uint64_t i = 0; i < n; i++) {
		line_of(hash, i, line);
		fwrite(line, 1, LINE, stdout);
		printf(",%u\n", (unsigned)i);
	}
}

/* The index is the top 14 bits, the rank is told by the zeros behind them: behind
 * the top 26 bits as well, as long as those are kept. */
static void
hide(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		put(i % 64 << 50 | UINT64_C(1) << 49 | UINT64_C(1) << 37 | draw() >> 27, 0);
}

static void
inflate(void)
{
	for (uint64_t i = 0; i < 1 << 14; i++)
		put(i << 50 | 1, 0);
}

static void
alike(const char *file)
{
	FILE *in = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t len;

	if (!in)
		fail("cannot open the file");
	while ((len = getline(&text, &room, in)) > 0)
		put(hash_bytes(text, (size_t)len - (text[len - 1] == '\n'), seed), 0);
	free(text);
	fclose(in);
}

/* How many bits of a filter are set in the block that an item touches. */
static unsigned
bits_of_block(const unsigned char *block)
{
	unsigned n = 0;

	for (unsigned i = 0; i < BLOOM_BLOCK_BYTES; i++)
		n += (unsigned)__builtin_popcount(block[i]);
	return n;
}

/* Add the item if that sets 8 bits. */
static bool
pollutes_block(const struct form *form, unsigned char *at, uint64_t hash)
{
	unsigned char *block = at + BLOOM_BLOCK_BYTES * hash_place(hash, form->bloom.size);
	unsigned char before[BLOOM_BLOCK_BYTES];

	memcpy(before, block, sizeof before);
	form_pour(form, at, &hash, 1);
	if (bits_of_block(block) == bits_of_block(before) + BLOOM_BLOCK_WORDS)
		return true;
	memcpy(block, before, sizeof before);
	return false;
}

/* Add the item if that sets as many bits as there are probes. */
static bool
pollutes_classic(const struct form *form, unsigned char *at, uint64_t hash)
{
	struct bloom_probe probe = bloom_probe_first(hash);

	for (unsigned j = 1; j <= form->bloom.probes; j++) {
		uint64_t bit = hash_place(probe.value, form->bloom.size);
		if (at[bit / 8] >> bit % 8 & 1)
			return false;
		bloom_probe_next(&probe, j);
	}
	form_pour(form, at, &hash, 1);
	return true;
}

static void
pollute(const char *type, uint64_t n, double fpp)
{
	const struct form_type *row = form_named(type);
	struct form form;

	if (!row || !form_for(&form, row->kind, n, fpp) || form.bloom.probes == 0 ||
	    (form.bloom.type == BLOOM_BLOCK && form.bloom.probes > 1))
		fail("no such filter");
	bool (*pollutes)(const struct form *, unsigned char *, uint64_t) =
	    form.bloom.type == BLOOM_BLOCK ? pollutes_block : pollutes_classic;
	size_t bytes = (size_t)record_padded(form_bytes(&form));
	unsigned char *at = aligned_alloc(RECORD_ALIGN, bytes);
	if (!at)
		fail("out of memory");
	memset(at, 0, bytes);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t hash = draw();
		/* Towards the end not all can be new: then it is as good as any. */
		for (unsigned tries = 0; tries < 30000 && !pollutes(&form, at, hash); tries++)
			hash = draw();
		put(hash, 0);
	}
	free(at);
}

static void
crowd(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		put(draw() >> 32 | 1, 0);
}

#define ROWS 5
#define WIDTH 2719

static void
cover(const char *text, uint64_t n)
{
	uint64_t target = hash_bytes(text, strlen(text), seed);
	uint64_t hash[ROWS];

	for (unsigned row = 0; row < ROWS; row++)
		do
			hash[row] = draw();
		while (hash_place(hash_step(hash[row], row + 1), WIDTH) !=
		    hash_place(hash_step(target, row + 1), WIDTH));
	for (uint64_t i = 0; i < n; i++)
		for (unsigned row = 0; row < ROWS; row++)
			put(hash[row], 0);
}

/* Of bucket 0 and another one: the first fingerprint that shares both with another
 * one, and that, by turns. */
static void
nest(uint64_t n, double fpp)
{
	struct cuckoo_shape shape;
	struct cuckoo_table table;
	unsigned found = 0;

	if (!cuckoo_shape_for(&shape, n, fpp))
		fail("no such filter");
	cuckoo_table_init(&table, &shape, NULL, NULL);
	for (uint32_t one = 1; found < 10 && one < 1u << shape.bits; one++) {
		uint64_t other = cuckoo_other(shape.buckets, 0, one);
		uint32_t two = one + 1;

		while (two < 1u << shape.bits && cuckoo_other(shape.buckets, 0, two) != other)
			two++;
		if (two == 1u << shape.bits)
			continue;
		while (found < 10) {
			uint64_t hash = draw() / shape.buckets;
			struct cuckoo_key key = cuckoo_key(&table, hash);
			if (key.print == (found % 2 ? one : two) && key.bucket[0] == 0) {
				put(hash, 0);
				found++;
			}
		}
	}
	if (found == 0)
		fail("no two fingerprints share their buckets");
}

static void
low(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		put(i + 1, 0);
}

/*
 * The sum of a text's words, bit by bit, is led to the signature of another text:
 * each time by the word, of many, that does most for the bits that are not safe.
 */
#define WORDS 48
#define OFFER 4000
#define SAFE 4

static uint64_t
feature_of(unsigned i)
{
	static struct features f;
	char word[16];

	if (!f.rule.n)
		features_init(&f, (struct feature_rule){
			.unit = FEATURE_WORD, .n = 1, .seed = seed
		});
	int n = snprintf(word, sizeof word, "w%u", i);
	if (features_of(&f, (struct slice){(const unsigned char *)word, (size_t)n}) != OK)
		fail("out of memory");
	return f.at[0];
}

static void
put_text(const unsigned word[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		printf("w%u%c", word[i], i + 1 < n ? ' ' : '\n');
}

static void
sum_up(int sum[SIMHASH_BITS], uint64_t feature)
{
	for (unsigned b = 0; b < SIMHASH_BITS; b++)
		sum[b] += feature >> b & 1 ? 1 : -1;
}

static int
gain(const int sum[SIMHASH_BITS], uint64_t feature, uint64_t wanted)
{
	int all = 0;

	for (unsigned b = 0; b < SIMHASH_BITS; b++) {
		int toward = wanted >> b & 1 ? sum[b] : -sum[b];
		toward += (feature ^ wanted) >> b & 1 ? -1 : 1;
		all += toward < SAFE ? toward : SAFE;
	}
	return all;
}

static void
twins(void)
{
	static uint64_t feature[OFFER];
	unsigned one[WORDS], two[WORDS];
	int sum[SIMHASH_BITS] = {0};

	for (unsigned i = 0; i < OFFER; i++)
		feature[i] = feature_of(i);
	for (unsigned i = 0; i < WORDS; i++)
		one[i] = i;
	uint64_t wanted = simhash_sign(feature, WORDS);
	for (unsigned n = 0; n < WORDS; n++) {
		unsigned best = WORDS;
		for (unsigned i = WORDS + 1; i < OFFER; i++)
			if (gain(sum, feature[i], wanted) > gain(sum, feature[best], wanted))
				best = i;
		two[n] = best;
		sum_up(sum, feature[best]);
		feature[best] = ~wanted;     /* nobody takes it again */
	}
	put_text(one, WORDS);
	put_text(two, WORDS);
}

/*
 * Words that meet in the low 32 bits come in pairs: some 120 among a million. A
 * text takes one of each pair, another one the other. Their signatures agree in the
 * low half; in the high one, by which pairs are taken.
 */
#define MANY (1 << 20)
#define PAIRS 110
#define TAKEN 30

struct word {
	uint64_t feature;
	unsigned number;
};

static int
by_low_half(const void *a, const void *b)
{
	uint32_t x = (uint32_t)((const struct word *)a)->feature;
	uint32_t y = (uint32_t)((const struct word *)b)->feature;

	return (x > y) - (x < y);
}

static void
doubles(void)
{
	struct word *word = malloc(MANY * sizeof *word), pair[PAIRS][2];
	unsigned pairs = 0, one[TAKEN], two[TAKEN];
	int sums[2][SIMHASH_BITS] = {{0}};

	if (!word)
		fail("out of memory");
	for (unsigned i = 0; i < MANY; i++)
		word[i] = (struct word){feature_of(i), i};
	qsort(word, MANY, sizeof *word, by_low_half);
	for (unsigned i = 1; i < MANY && pairs < PAIRS; i++)
		if (by_low_half(&word[i - 1], &word[i]) == 0) {
			memcpy(pair[pairs++], &word[i - 1], sizeof pair[0]);
			i++;
		}
	free(word);
	if (pairs < PAIRS)
		fail("too few words meet");
	for (unsigned n = 0; n < TAKEN; n++) {
		unsigned best = 0;
		int most = -SIMHASH_BITS * SAFE;
		for (unsigned i = 0; i < pairs; i++) {
			int all = 0;
			for (unsigned b = 0; b < SIMHASH_BITS; b++) {
				int x = sums[0][b] + (pair[i][0].feature >> b & 1 ? 1 : -1);
				int y = sums[1][b] + (pair[i][1].feature >> b & 1 ? 1 : -1);
				int least = abs(x) < abs(y) ? abs(x) : abs(y);
				all += (x > 0) == (y > 0) ? (least < SAFE ? least : SAFE) :
				    -(least < SAFE ? least : SAFE);
			}
			if (all > most) {
				most = all;
				best = i;
			}
		}
		one[n] = pair[best][0].number;
		two[n] = pair[best][1].number;
		sum_up(sums[0], pair[best][0].feature);
		sum_up(sums[1], pair[best][1].feature);
		memmove(pair[best], pair[--pairs], sizeof pair[0]);
	}
	put_text(one, TAKEN);
	put_text(two, TAKEN);
}

static bool
is(const char *kind, int arguments, int argc, char *argv[])
{
	return argc == 2 + arguments && strcmp(argv[1], kind) == 0;
}

int
main(int argc, char *argv[])
{
	if (argc > 2 && strcmp(argv[1], "--seed") == 0) {
		seed = number(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (is("same", 1, argc, argv))
		same(number(argv[2]));
	else if (is("keys", 1, argc, argv))
		keys(number(argv[2]));
	else if (is("hide", 1, argc, argv))
		hide(number(argv[2]));
	else if (is("inflate", 0, argc, argv))
		inflate();
	else if (is("alike", 1, argc, argv))
		alike(argv[2]);
	else if (is("pollute", 3, argc, argv))
		pollute(argv[2], number(argv[3]), strtod(argv[4], NULL));
	else if (is("crowd", 1, argc, argv))
		crowd(number(argv[2]));
	else if (is("cover", 2, argc, argv))
		cover(argv[2], number(argv[3]));
	else if (is("nest", 2, argc, argv))
		nest(number(argv[2]), strtod(argv[3], NULL));
	else if (is("low", 1, argc, argv))
		low(number(argv[2]));
	else if (is("same128", 1, argc, argv))
		same128(number(argv[2]));
	else if (is("twins", 0, argc, argv))
		twins();
	else if (is("doubles", 0, argc, argv))
		doubles();
	else
		fail("[--seed N] KIND [PARAMETER]...: see its source");
	if (fflush(stdout) != 0 || ferror(stdout))
		fail("cannot write");
	return 0;
}
