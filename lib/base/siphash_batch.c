/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdbool.h>

#include "base/siphash_batch.h"

static void
one_by_one(const struct siphash_key *key, const struct slice *item, size_t n, uint64_t *hash)
{
	for (size_t i = 0; i < n; i++)
		hash[i] = siphash(key, item[i]);
}

#if defined(__x86_64__)

/*
 * Eight items side by side, as two registers of four lanes each: while one waits
 * for its last step, the other goes on. Lanes step together, word by word, so they
 * should be about equally long, and what is done with one that has ended is
 * thrown away.
 */
#define LANES 4
#define GROUP (2 * LANES)
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));
typedef uint32_t halves __attribute__((vector_size(8 * LANES)));
typedef uint16_t quarters __attribute__((vector_size(8 * LANES)));

struct lanes_state {
	lanes v0, v1, v2, v3;
};

#define TURN(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))
/* These two are moves of whole parts. */
#define TURN16(x) ((lanes)__builtin_shufflevector((quarters)(x), (quarters)(x), \
    3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14))
#define TURN32(x) ((lanes)__builtin_shufflevector((halves)(x), (halves)(x), \
    1, 0, 3, 2, 5, 4, 7, 6))

INLINE_AVX2 void
lanes_round(struct lanes_state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = TURN(s->v1, 13) ^ s->v0;
	s->v3 = TURN16(s->v3) ^ s->v2;
	s->v0 = TURN32(s->v0);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = TURN(s->v1, 17) ^ s->v2;
	s->v3 = TURN(s->v3, 21) ^ s->v0;
	s->v2 = TURN32(s->v2);
}

INLINE_AVX2 void
lanes_word(struct lanes_state *s, const lanes *word)
{
	s->v3 ^= *word;
	lanes_round(s);
	lanes_round(s);
	s->v0 ^= *word;
}

INLINE_AVX2 void
lanes_finish(struct lanes_state *s, uint64_t hash[LANES])
{
	s->v2 ^= 0xff - (lanes){0};
	for (unsigned i = 0; i < 4; i++)
		lanes_round(s);
	s->v0 ^= s->v1 ^ s->v2 ^ s->v3;
	memcpy(hash, &s->v0, sizeof s->v0);
}

/* Where n is the number of this word, it was the last one: keep that lane. */
INLINE_AVX2 void
lanes_keep(struct lanes_state *done, const struct lanes_state *s, const lanes *n, uint64_t word)
{
	lanes on = (lanes)(*n == word - (lanes){0});

	done->v0 ^= (done->v0 ^ s->v0) & on;
	done->v1 ^= (done->v1 ^ s->v1) & on;
	done->v2 ^= (done->v2 ^ s->v2) & on;
	done->v3 ^= (done->v3 ^ s->v3) & on;
}

/* Words that are whole; the tail is one more. */
static inline size_t
words(const struct slice *s)
{
	return s->len / 8;
}

/* Word i, or the tail where there is none. What is loaded then is not used, but the
 * processor need not guess which of the two it will be. */
static inline __attribute__((always_inline)) uint64_t
word_or_tail(const struct slice *s, size_t i, const uint64_t *tail)
{
	static const unsigned char nothing[8];
	uint64_t word = get_le64(i < words(s) ? s->at + 8 * i : nothing);

	return i < words(s) ? word : *tail;
}

static void
range_of(const struct slice *item, size_t n, size_t *least, size_t *most)
{
	*least = SIZE_MAX;
	*most = 0;
	for (size_t i = 0; i < n; i++) {
		size_t w = words(&item[i]);
		*least = w < *least ? w : *least;
		*most = w > *most ? w : *most;
	}
}

/* Of four items from x on, whatever of each. */
#define FOUR(of, x) {of(x), of((x) + 1), of((x) + 2), of((x) + 3)}

static __attribute__((target("avx2"))) void
hash_group(const struct siphash_key *key, const struct slice item[GROUP], uint64_t hash[GROUP])
{
	const struct siphash_state one = siphash_start(key);
	struct lanes_state a = {
		one.v0 - (lanes){0}, one.v1 - (lanes){0}, one.v2 - (lanes){0}, one.v3 - (lanes){0},
	};
	struct lanes_state b = a, done_a = a, done_b = a;
	size_t least, most, i = 0;

	range_of(item, GROUP, &least, &most);
	for (; i < least; i++) {
#define WORD(x) get_le64((x)->at + 8 * i)
		const lanes word_a = FOUR(WORD, item), word_b = FOUR(WORD, item + LANES);
		lanes_word(&a, &word_a);
		lanes_word(&b, &word_b);
	}
	uint64_t tail[GROUP];
	for (size_t k = 0; k < GROUP; k++)
		tail[k] = siphash_tail(item[k]);
	const lanes words_a = FOUR(words, item), words_b = FOUR(words, item + LANES);
	for (; i <= most; i++) {
#define NEXT(x) word_or_tail((x), i, tail + ((x) - item))
		const lanes word_a = FOUR(NEXT, item), word_b = FOUR(NEXT, item + LANES);
		lanes_word(&a, &word_a);
		lanes_word(&b, &word_b);
		lanes_keep(&done_a, &a, &words_a, i);
		lanes_keep(&done_b, &b, &words_b, i);
	}
	lanes_finish(&done_a, hash);
	lanes_finish(&done_b, hash + LANES);
}

/* A batch is put in order by length only if it is worth it: lengths from LONG words
 * on count as equal, and such items are hashed alone. */
#define BATCH 256
#define LONG 255
#define ALIKE 2

static size_t
length_class(const struct slice *s)
{
	return words(s) < LONG ? words(s) : LONG;
}

static void
sort_by_length(const struct slice *item, size_t n, uint8_t order[BATCH])
{
	uint16_t place[LONG + 1] = {0};
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		place[length_class(&item[i])]++;
	for (size_t w = 0; w <= LONG && sum < n; w++) {
		size_t count = place[w];
		place[w] = (uint16_t)sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		order[place[length_class(&item[i])]++] = (uint8_t)i;
}

static void
hash_sorted(const struct siphash_key *key, const struct slice *item, size_t n, uint64_t *hash)
{
	uint8_t order[BATCH];
	size_t i = 0;

	sort_by_length(item, n, order);
	for (; i + GROUP <= n && words(&item[order[i + GROUP - 1]]) < LONG; i += GROUP) {
		struct slice some[GROUP];
		uint64_t h[GROUP];
		for (size_t k = 0; k < GROUP; k++)
			some[k] = item[order[i + k]];
		hash_group(key, some, h);
		for (size_t k = 0; k < GROUP; k++)
			hash[order[i + k]] = h[k];
	}
	for (; i < n; i++) {
		/* All n are in order; an analyser loses count.
		 * NOLINTNEXTLINE(clang-analyzer-core.*) */
		hash[order[i]] = siphash(key, item[order[i]]);
	}
}

static void
hash_batch(const struct siphash_key *key, const struct slice *item, size_t n, uint64_t *hash)
{
	size_t least, most, i = 0;

	range_of(item, n, &least, &most);
	if (most > least + ALIKE) {
		hash_sorted(key, item, n, hash);
		return;
	}
	for (; i + GROUP <= n; i += GROUP)
		hash_group(key, item + i, hash + i);
	one_by_one(key, item + i, n - i, hash + i);
}

static void
many(const struct siphash_key *key, const struct slice *item, size_t n, uint64_t *hash)
{
	if (!__builtin_cpu_supports("avx2")) {
		one_by_one(key, item, n, hash);
		return;
	}
	for (size_t i = 0; i < n; i += BATCH)
		hash_batch(key, item + i, n - i < BATCH ? n - i : BATCH, hash + i);
}

#else

#define many one_by_one

#endif

void
siphash_items(const struct siphash_key *key, const struct slice *item, size_t n, uint64_t *hash)
{
	many(key, item, n, hash);
}
