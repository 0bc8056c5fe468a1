/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/siphash.h"
#include "base/word.h"

static bool
from_digits(const unsigned char *digits, unsigned char *bytes)
{
	for (size_t i = 0; i < SIPHASH_KEY_BYTES; i++) {
		int high = hex_value(digits[2 * i]), low = hex_value(digits[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

bool
siphash_key_parse(struct slice file, struct siphash_key *key)
{
	unsigned char bytes[SIPHASH_KEY_BYTES];
	const unsigned char *at = file.at;

	if (file.len == SIPHASH_FILE_MAX && at[file.len - 1] == '\n')
		file.len--;
	if (file.len == 2 * SIPHASH_KEY_BYTES) {
		if (!from_digits(at, bytes))
			return false;
		at = bytes;
	} else if (file.len != SIPHASH_KEY_BYTES) {
		return false;
	}
	key->k0 = get_le64(at);
	key->k1 = get_le64(at + 8);
	return true;
}

void
siphash_wide(const struct siphash_key *key, struct slice s, uint64_t hash[2])
{
	struct siphash_state state = siphash_start(key);

	state.v1 ^= 0xee;
	siphash_text(&state, s);
	state.v2 ^= 0xee;
	hash[0] = siphash_finish(&state);
	state.v1 ^= 0xdd;
	hash[1] = siphash_finish(&state);
}

uint64_t
siphash_fingerprint(const struct siphash_key *key)
{
	uint64_t hash[2];

	siphash_wide(key, slice_of(SIPHASH_NAME), hash);
	return hash[0];
}
