/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The buckets of a cuckoo filter. cuckoo.c tells the whole story.
 *
 * FOUR AT ONCE. A bucket is one number of 4f bits, and what is asked of it is
 * asked of its four slots together: is there an empty one, or one with this
 * fingerprint (an empty one, after xor with the fingerprint in every slot)?
 * With a 1 in each slot,
 *
 *	(v - ones) & ~v & ones << (f - 1)
 *
 * has the top bit of each empty slot set. A borrow out of an empty slot can
 * set that of a slot above it too, but never the lowest one that is set.
 *
 * FINDING ROOM. A full bucket gives up one of its items to that item's other
 * bucket, if that has a free slot, or else gives up one in turn. The paper
 * takes a random walk; we search the nearest buckets first and move nothing
 * before a way is found. Both reach the same load with as many buckets looked
 * at. But the search knows four buckets ahead and has their memory come, while
 * the walk waits for each: 84 against 107 ns an item up to 94 % of 12 MB; the
 * ways are as short as can be; and a search in vain has nothing to undo.
 *
 * A shortest way comes to no bucket twice, so the moves of one do not get in
 * each other's way. It is found because every bucket on it is looked at with
 * all its four slots, earlier ones first.
 */
#include <assert.h>

#include "sketch/member/cuckoo_table.h"

/*
 * Buckets that a search looks at before it gives up. At 94 % it finds a free
 * slot after five on average; this many make it fail near 97 %, whatever the
 * size (512: 95.3 %), and cost some 20 microseconds when it does.
 */
#define SEARCH_MAX 2048

/* A bucket may reach over the end of its 16 bytes only where those do. */
#define WINDOW 16

void
cuckoo_table_init(struct cuckoo_table *t, const struct cuckoo_shape *shape,
    const unsigned char *read, unsigned char *at)
{
	*t = (struct cuckoo_table){
		.read = read, .at = at, .bytes = cuckoo_bytes(shape),
		.buckets = shape->buckets, .bits = shape->bits,
	};
	for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++)
		t->ones |= (hash_wide)1 << slot * t->bits;
}

/* The byte in which a bucket begins, and at which of its bits: 0 or 4. */
static inline uint64_t
first_byte(const struct cuckoo_table *t, uint64_t bucket)
{
	return bucket * t->bits / 2;
}

static inline unsigned
first_bit(const struct cuckoo_table *t, uint64_t bucket)
{
	return bucket & t->bits & 1 ? 4 : 0;
}

/* The 16 bytes from here on, or as many as there are. */
static inline hash_wide
load(const struct cuckoo_table *t, uint64_t byte)
{
	const unsigned char *p = t->read + byte;
	uint64_t left = t->bytes - byte;
	hash_wide v = 0;

	if (left >= WINDOW)
		return (hash_wide)get_le64(p + 8) << 64 | get_le64(p);
	for (unsigned i = 0; i < left; i++)
		v |= (hash_wide)p[i] << 8 * i;
	return v;
}

static inline void
store(struct cuckoo_table *t, uint64_t byte, hash_wide v)
{
	unsigned char *p = t->at + byte;
	uint64_t left = t->bytes - byte;

	if (left >= WINDOW) {
		put_le64(p, (uint64_t)v);
		put_le64(p + 8, (uint64_t)(v >> 64));
		return;
	}
	for (unsigned i = 0; i < left; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static inline hash_wide
bucket_at(const struct cuckoo_table *t, uint64_t bucket)
{
	return load(t, first_byte(t, bucket)) >> first_bit(t, bucket);
}

hash_wide
cuckoo_bucket(const struct cuckoo_table *t, uint64_t bucket)
{
	return bucket_at(t, bucket);
}

/* Flip these bits of a bucket. */
static void
flip(struct cuckoo_table *t, uint64_t bucket, hash_wide bits)
{
	uint64_t byte = first_byte(t, bucket);

	store(t, byte, load(t, byte) ^ bits << first_bit(t, bucket));
}

/* Not 0 if a slot is empty; the lowest bit set is then the top one of the
 * lowest empty slot. */
static inline hash_wide
empty_slots(const struct cuckoo_table *t, hash_wide v)
{
	return (v - t->ones) & ~v & t->ones << (t->bits - 1);
}

/* A fingerprint in each of four slots. */
static inline hash_wide
spread(const struct cuckoo_table *t, uint32_t print)
{
	return t->ones * print;
}

static inline unsigned
lowest_bit(hash_wide v)
{
	uint64_t low = (uint64_t)v;

	return low ? (unsigned)__builtin_ctzll(low)
	    : 64 + (unsigned)__builtin_ctzll((uint64_t)(v >> 64));
}

/* Both ends: one in five 13-byte buckets lies in two cache lines, and not to
 * wait for the second saves a quarter of the time an item. */
static inline void
fetch(const struct cuckoo_table *t, uint64_t bucket)
{
	const unsigned char *first = t->read + first_byte(t, bucket);

	__builtin_prefetch(first);
	__builtin_prefetch(first + (t->bits - 1) / 2);
}

void
cuckoo_prefetch(const struct cuckoo_table *t, const struct cuckoo_key *key)
{
	fetch(t, key->bucket[0]);
	fetch(t, key->bucket[1]);
}

bool
cuckoo_find(const struct cuckoo_table *t, const struct cuckoo_key *key)
{
	hash_wide print = spread(t, key->print);
	hash_wide one = empty_slots(t, bucket_at(t, key->bucket[0]) ^ print);
	hash_wide other = empty_slots(t, bucket_at(t, key->bucket[1]) ^ print);

	/* Both at once: which one has it is a toss-up, hard to predict. */
	return (one | other) != 0;
}

unsigned
cuckoo_copies(const struct cuckoo_table *t, const struct cuckoo_key *key)
{
	unsigned copies = 0;

	for (unsigned b = 0; b < 2; b++) {
		hash_wide bucket = bucket_at(t, key->bucket[b]);
		for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++)
			copies += cuckoo_slot(t, bucket, slot) == key->print;
	}
	return copies;
}

/* Into the lowest empty slot, if there is one. */
static bool
fill_slot(struct cuckoo_table *t, uint64_t bucket, uint32_t print)
{
	hash_wide empty = empty_slots(t, bucket_at(t, bucket));

	if (!empty)
		return false;
	flip(t, bucket, (hash_wide)print << (lowest_bit(empty) - (t->bits - 1)));
	return true;
}

bool
cuckoo_place(struct cuckoo_table *t, const struct cuckoo_key *key)
{
	assert(t->at);
	return fill_slot(t, key->bucket[0], key->print) ||
	    fill_slot(t, key->bucket[1], key->print);
}

/* A bucket that the search came to, from a slot of an earlier one. The two it
 * starts with are each other's parents: there is no use in going there. */
struct step {
	uint64_t bucket;
	uint16_t parent;
	uint8_t slot;
};

/* Add the buckets to which a full bucket's items may move: those of its
 * parent's are known, and those of equal items are the same. */
static unsigned
branch(const struct cuckoo_table *t, struct step *step, unsigned at, unsigned n)
{
	hash_wide bucket = bucket_at(t, step[at].bucket);
	uint64_t back = step[step[at].parent].bucket;
	uint32_t print[CUCKOO_SLOTS];

	for (unsigned slot = 0; slot < CUCKOO_SLOTS && n < SEARCH_MAX; slot++) {
		bool again = false;

		print[slot] = cuckoo_slot(t, bucket, slot);
		for (unsigned s = 0; s < slot; s++)
			again |= print[s] == print[slot];
		uint64_t other = cuckoo_other(t->buckets, step[at].bucket, print[slot]);
		if (again || other == back)
			continue;
		fetch(t, other);
		step[n++] = (struct step){other, (uint16_t)at, (uint8_t)slot};
	}
	return n;
}

bool
cuckoo_move(struct cuckoo_table *t, const struct cuckoo_key *key)
{
	struct step step[SEARCH_MAX];
	unsigned n = 2;
	unsigned at = 0;

	assert(t->at);
	step[0] = (struct step){key->bucket[0], 1, 0};
	step[1] = (struct step){key->bucket[1], 0, 0};
	while (!empty_slots(t, bucket_at(t, step[at].bucket))) {
		n = branch(t, step, at, n);
		if (++at == n)
			return false;
	}
	/* From the free slot back: each move frees the slot for the next. */
	while (at > 1) {
		uint64_t from = step[step[at].parent].bucket;
		uint32_t print = cuckoo_slot(t, bucket_at(t, from), step[at].slot);

		fill_slot(t, step[at].bucket, print);
		flip(t, from, (hash_wide)print << step[at].slot * t->bits);
		at = step[at].parent;
	}
	return fill_slot(t, step[at].bucket, key->print);
}

bool
cuckoo_take(struct cuckoo_table *t, const struct cuckoo_key *key)
{
	assert(t->at);
	for (unsigned b = 0; b < 2; b++) {
		hash_wide match = empty_slots(t,
		    bucket_at(t, key->bucket[b]) ^ spread(t, key->print));
		if (match) {
			flip(t, key->bucket[b],
			    (hash_wide)key->print << (lowest_bit(match) - (t->bits - 1)));
			return true;
		}
	}
	return false;
}

uint64_t
cuckoo_used(const struct cuckoo_table *t)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < t->buckets; i++) {
		hash_wide bucket = bucket_at(t, i);
		/* Of a table at its capacity most are full. */
		if (!empty_slots(t, bucket)) {
			used += CUCKOO_SLOTS;
			continue;
		}
		for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++)
			used += cuckoo_slot(t, bucket, slot) != 0;
	}
	return used;
}
