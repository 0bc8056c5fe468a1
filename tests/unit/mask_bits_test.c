/* sketchutils: BSD-2-Clause, see LICENSE */

/* The form for machines without vectors of their own; what this machine uses
 * is held against bytes in mask_test.c. */
#define SCAN_PORTABLE
#include "base/mask_bits.h"
#include "base/word.h"
#include "check.h"

static bool
triggers(unsigned char c)
{
	return is_digit(c) || (c != '\0' && strchr("\"'/\\@", c));
}

static void
classes_are_those_of_word_h(void)
{
	unsigned char block[64];
	uint64_t state = 1;

	for (unsigned round = 0; round < 5000; round++) {
		uint64_t bits[MASK_CLASSES];

		/* Each byte at each place, then any. */
		for (unsigned i = 0; i < 64; i++)
			block[i] = (unsigned char)(round < 256 ? round + i : check_random(&state));
		mask_classes(block, bits);
		uint64_t digits = mask_digits(block);
		for (unsigned i = 0; i < 64; i++) {
			unsigned char c = block[i];
			CHECK_EQ(bits[MASK_SEPARATOR] >> i & 1, is_separator(c));
			CHECK_EQ(bits[MASK_TRIGGER] >> i & 1, triggers(c));
			CHECK_EQ(bits[MASK_AF] >> i & 1, is_letter(c) && is_hex(c));
			CHECK_EQ(digits >> i & 1, is_digit(c));
		}
	}
}

static void
eight_bits_in_a_row_are_found(void)
{
	uint64_t state = 2;

	for (unsigned round = 0; round < 20000; round++) {
		uint64_t word[2], want = 0;

		for (unsigned i = 0; i < 2; i++)
			word[i] = check_random(&state) | check_random(&state) | check_random(&state);
		for (unsigned i = 0; i < 64; i++) {
			unsigned n = 0;
			while (n < 8 && word[(i + n) / 64] >> (i + n) % 64 & 1)
				n++;
			want |= (uint64_t)(n == 8) << i;
		}
		CHECK_EQ(mask_eight(word[0], word[1]), want);
	}
}

int
main(void)
{
	RUN(classes_are_those_of_word_h);
	RUN(eight_bits_in_a_row_are_found);
	return check_done();
}
