/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Austin Appleby's hashes, against what the systems that use them gave: Redis
 * 7.0.15, PostgreSQL's hll 2.17, DataSketches C++ 5.2.0.
 */

#include "base/hash.h"
#include "base/murmur.h"
#include "check.h"

/* Of the item of i bytes, every length of the last few among them, by i. */
static const struct {
	unsigned redis_register;     /* the low 14 bits of MurmurHash64A */
	unsigned redis_rank;         /* zeros above them, plus 1 */
	uint64_t postgres;           /* first word of MurmurHash3 with seed 0 */
	uint64_t first, second;      /* both words with DataSketches' seed, 9001 */
} known[] = {
	{5938, 2, 0x0000000000000000, 0x1e70a32266491bb9, 0x609736b252406b94},
	{15001, 2, 0x0c8a2b004f157ea2, 0xe5e454bd2f30c163, 0xd7e2840a3386a96a},
	{5682, 1, 0x5ed0ad8761a23b3d, 0x4debc9f964236b54, 0x4e0c235326027787},
	{9273, 1, 0x0b3cca7ad2802fd7, 0xe1b865f826e335f9, 0x3dedc241b2775ec5},
	{10839, 1, 0xa1dfb45e64ebdaab, 0x6994e61fbd1083f4, 0x9fb7998729a5b05c},
	{9240, 5, 0xf18bcec3d624bbc1, 0x77892bf625801b45, 0xab521c2faaf18780},
	{12585, 2, 0x2bb7de9fcba09d5d, 0x2c5bae4c214e71ff, 0x31d333ea50d0cd38},
	{1465, 4, 0x87aca8ebf786b41f, 0xfbb3a270985837b5, 0xd3c606862f6e3fd7},
	{8613, 2, 0x798c6e010d5e2127, 0x0e0c5ea02584dfa2, 0x08f8390fd0427fce},
	{10467, 1, 0xf34f84353cddf053, 0x8b20e786499b7246, 0x9a1de6597647bb1a},
	{12630, 1, 0x2b51409c329103fc, 0x7691711f8c3b106a, 0x6be8c8840b87ff40},
	{7436, 1, 0x1d976c4ef1da4de2, 0xbd8a9b18cd0caac4, 0x2ad2a5a0bc59145d},
	{6580, 1, 0x43702e8b5126941b, 0x8900590bc01e7fe3, 0xc8c7b2ad52f64d59},
	{623, 8, 0x621b244cb36765f8, 0x32fa4b65b1af5816, 0x53b20a2144bfda9f},
	{7945, 1, 0xd5d46602ef3da8f1, 0x85dc91d75a0ac309, 0x5da494c628cede1e},
	{10806, 2, 0xc119a302b81d321f, 0xc9da49cfbedc730e, 0xe5e7c5a31f7f2915},
	{8722, 1, 0x1c2080b51262ffa0, 0x6feb65faaf49d4d0, 0xb5062dc1f27675fd},
	{11215, 8, 0x30e3b7b9e8e7e791, 0x38c4d790059fca2f, 0x4f6d27d6016a9287},
	{15883, 6, 0xc0e7d59206cbb61b, 0x4374dda9962c0af0, 0x1754af77ad8a2102},
	{15264, 1, 0xd136c003c46b4c1b, 0x46babcd739baaf17, 0x50da676bf2b68285},
	{12726, 3, 0x49a0a39d93db330c, 0xd1034f81ec9daa4a, 0xb4dd1cdcec1dce6f},
	{10670, 1, 0x38b77b0e6b55b260, 0xe9df8bad4f9f1114, 0xf01b465adaa6931b},
	{13499, 3, 0x51ee33bef84bce66, 0xf7994136426ed88e, 0x14e2271ddeb1eeda},
	{454, 1, 0xe9a61eb89d8b751f, 0x8313d8f4fb9b9617, 0xd7e8e989096b125f},
	{9016, 3, 0x5fb5c6e4b49e7440, 0x34be284e0ae20bd0, 0x6f769c65be2402fa},
	{12538, 3, 0xd444450cb0226861, 0xfa282b18511b1447, 0x4bbc3c65f11333f5},
	{14037, 1, 0x67707fb453b5e0cf, 0x068800a98956a9ce, 0xcfbc72ccf076a0e7},
	{8330, 1, 0xe9050a6f3f379d28, 0xf1b3782a0d483029, 0x945938636d507341},
	{3585, 1, 0x6d6693064b0a581e, 0xe0a143a02ea28627, 0x993395a38205ae54},
	{1654, 1, 0x7615ff7365ed835e, 0xc34172a4343f8380, 0xcd6a1b67b4d9d205},
	{1465, 4, 0x36e1fdc8cfce8817, 0x51549eb30ab933b8, 0xf85d20f79699a3f4},
	{10276, 1, 0x452c6035cece4f07, 0x3fe003881bab5974, 0xa59983fa3c4970e7},
	{15578, 3, 0x3cad9fad6bb8fc46, 0x977680d2f272d4a7, 0xe8e15d2918f5e31a},
	{13342, 1, 0xfb34d2000fbb98b2, 0xae374a2aaf9a5efb, 0x9dc64d16145cf302},
	{905, 1, 0x61783949361c5d2f, 0x34cfc392e4bc70ad, 0xc5a009184943a306},
	{5635, 1, 0x453b201248a93708, 0xa4cbff5b96557959, 0x7eca48ec57f1e384},
	{7164, 1, 0x4788a7b08a25e0ec, 0x825327ba8d8ac06b, 0x8fc4e24c9550f920},
	{520, 2, 0xccdb094df8e5ffe2, 0x0929f8d98fca007d, 0xbeaba76101e761a3},
	{8139, 1, 0x027206a93163e6ea, 0x09fc6951aef4339a, 0xc17223b30ae9e94b},
	{13760, 1, 0x9966f0f873cad3b9, 0x143eb515e0e19e34, 0xc409d5949c7bdb80},
	{4761, 1, 0x01850182fa0070c7, 0xdced45d580452fbd, 0x044ba5304e4f92e3},
	{12400, 2, 0x38451505a46106f0, 0xbc991cc6798a3c3c, 0xed708f65ae5f7939},
	{7789, 2, 0x83a22968153fa5e1, 0x5ede90980b515c6f, 0x56dd18fb6bbee24b},
	{10276, 4, 0xa0397a39083cd19d, 0x7d65c51bf6d7d07c, 0x513b094fc80a699c},
	{12650, 1, 0xd18bb84dc5377440, 0x5ea672cee0adf432, 0xfc912d42f49637dc},
	{14640, 1, 0x10454cb6a2db847a, 0xd35c094bcca48f94, 0xdcdf191fa5a3dbc2},
	{4671, 1, 0x960415b329174fce, 0x32c9360a424eea8f, 0xbc4f0d7a7e61282a},
	{9834, 1, 0x596d495578d967c4, 0xfef34738c549feb0, 0xdfc3e9874a43cf38},
	{14608, 2, 0x482ee64c56a416fa, 0x95766b7cbf312a03, 0x0a0ee78b5f03995b},
	{6395, 2, 0xcd069a26132df807, 0x77774db0cd5ff60b, 0x902c58d5e278efed},
	{8640, 3, 0xf5d6764492e25df5, 0xd334fd2af60585d9, 0xd024c3de7540b215},
	{285, 2, 0xa9670392b3c672c4, 0x7624a4c47b8267e6, 0x55395aae3e68634b},
	{2014, 6, 0x77cbeac20d27aceb, 0xb94e006b6abe0007, 0x29b3ea8594cc5c47},
	{6164, 2, 0xe934e971dcb871cc, 0x1dc1c6ca99b886bb, 0x8aef16b831347fbd},
	{762, 1, 0x5342fa1312988ded, 0xc41ff9a3b91d4e4d, 0x48406b1f33a20aae},
	{5281, 1, 0x019c0a3027b43721, 0x79668cac7c30c640, 0xaddd164ecadd3f09},
	{3888, 3, 0x5ecabf95496e6f30, 0x4544c157cffd784e, 0x7dae0952e0c5db9d},
	{180, 2, 0x884d9ce4bb6a9536, 0xe7db7b6c631075e2, 0x17274937f37244dd},
	{5411, 2, 0x337140df68fd6351, 0xbdb6f2a84fdd103d, 0x6aa2592e2b08419e},
	{10238, 3, 0xa2840e069550f6ee, 0xdcb26819fda0ad3b, 0xea159e3d03040eed},
	{3255, 1, 0x76ff7dec10335807, 0x8792fa181c8ab39d, 0xa5e02b7cc488cfd8},
	{16072, 2, 0xb2b6ca54c745a0ae, 0xb67e4d8416282259, 0x33dc6267280f0595},
	{8837, 1, 0x95844b3553e8ecb1, 0x6e35e0f5708f3244, 0xc1ebe8a2312934bc},
	{12288, 2, 0x10aea768124a263d, 0x2e2d9053c141c07a, 0xc9fd22b9249b14bc},
	{13305, 1, 0x0aa3f587df6ee627, 0x06402b32ce135327, 0xf9b2f55d86270069},
};

#define KNOWN (sizeof known / sizeof *known)

/* The item of n bytes, in memory that ends with it. */
static unsigned char *
item_of(size_t n)
{
	unsigned char *item = malloc(n > 0 ? n : 1);

	for (size_t i = 0; i < n; i++)
		item[i] = (unsigned char)(33 + (n + 7 * i) % 94);
	return item;
}

static void
every_length_of_the_rest_is_hashed_right(void)
{
	for (size_t n = 0; n < KNOWN; n++) {
		unsigned char *item = item_of(n);
		struct slice s = {item, n};
		uint64_t h = murmur64a(s, 0xadc83b19);
		struct murmur3 with = murmur3(s, 9001);

		CHECK_EQ(h & 16383, known[n].redis_register);
		CHECK_EQ((unsigned)__builtin_ctzll(h >> 14) + 1, known[n].redis_rank);
		CHECK_EQ(murmur3(s, 0).h1, known[n].postgres);
		CHECK_EQ(with.h1, known[n].first);
		CHECK_EQ(with.h2, known[n].second);
		free(item);
	}
}

/* Short items in the middle of others: what stands before and behind is not
 * part of them, wherever they lie. */
static void
neighbours_and_alignment_do_not_matter(void)
{
	unsigned char line[100];

	for (size_t n = 0; n < 33; n++) {
		unsigned char *item = item_of(n);
		struct slice s = {item, n};

		for (size_t at = 0; at < 16; at++) {
			memset(line, (int)(at * 17), sizeof line);
			memcpy(line + at, item, n);
			CHECK_EQ(murmur64a((struct slice){line + at, n}, 7), murmur64a(s, 7));
			CHECK_EQ(murmur3((struct slice){line + at, n}, 7).h2, murmur3(s, 7).h2);
		}
		free(item);
	}
}

/* The numbers that hashes of whole batches give are those. */
static void
hash_items_has_their_seeds(void)
{
	unsigned char *item[KNOWN];
	struct slice s[KNOWN];
	uint64_t redis[KNOWN], postgres[KNOWN];

	for (size_t n = 0; n < KNOWN; n++)
		s[n] = (struct slice){item[n] = item_of(n), n};
	hash_items(HASH_MURMUR64A, s, KNOWN, redis);
	hash_items(HASH_MURMUR3, s, KNOWN, postgres);
	for (size_t n = 0; n < KNOWN; n++) {
		CHECK_EQ(redis[n], murmur64a(s[n], 0xadc83b19));
		CHECK_EQ(postgres[n], known[n].postgres);
		free(item[n]);
	}
}

/* hll_hash_integer(1), hll_hash_bigint(-1), hll_hash_text('1', 7). */
static void
postgres_columns_hash_so(void)
{
	static const unsigned char one[] = {1, 0, 0, 0};
	static const unsigned char minus[] = {255, 255, 255, 255, 255, 255, 255, 255};

	CHECK_EQ(murmur3((struct slice){one, 4}, 0).h1, UINT64_C(0x8895a3f5af28cafe));
	CHECK_EQ(murmur3((struct slice){minus, 8}, 0).h1, UINT64_C(0xa0e4b27a1abaed73));
	CHECK_EQ(murmur3(slice_of("1"), 7).h1, UINT64_C(0xa5a0d6a696527387));
}

int
main(void)
{
	RUN(every_length_of_the_rest_is_hashed_right);
	RUN(neighbours_and_alignment_do_not_matter);
	RUN(hash_items_has_their_seeds);
	RUN(postgres_columns_hash_so);
	return check_done();
}
