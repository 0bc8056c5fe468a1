/* sketchutils: BSD-2-Clause, see LICENSE */
#include "check.h"
#include "tool/lines/kept.h"

/* Lines of many lengths in a row, with slack around them as a block has it. */
#define LINES 200
static unsigned char text[2 * SCAN_SLACK + LINES * 400];
static struct batch batch;

static size_t
length_of(size_t i)
{
	static const size_t lengths[] = {0, 1, 62, 63, 64, 65, 127, 128, 254, 255, 256, 257, 399};

	return lengths[i * 7 % (sizeof lengths / sizeof *lengths)];
}

static void
fill(size_t n)
{
	unsigned char *at = text + SCAN_SLACK;

	batch.n = n;
	for (size_t i = 0; i < n; i++) {
		batch.line[i] = (struct slice){at, length_of(i)};
		memset(at, 'a' + (int)(i % 26), length_of(i));
		at += length_of(i);
		*at++ = '\n';
	}
}

static bool
wanted_one(size_t i, unsigned pattern)
{
	return pattern == 0 ? false : pattern == 1 ? true : i * 2654435761u % pattern == 0;
}

static void
the_wanted_ones_come_out(void)
{
	for (unsigned pattern = 0; pattern < 6; pattern++)
		for (size_t n = 0; n <= LINES; n += n < 14 ? 1 : 31) {
			struct buffer got = {0}, right = {0};
			bool wanted[LINES];

			fill(n);
			buffer_append(&got, "x", 1);
			buffer_append(&right, "x", 1);
			for (size_t i = 0; i < n; i++) {
				wanted[i] = wanted_one(i, pattern);
				if (wanted[i])
					buffer_append(&right, batch.line[i].at, batch.line[i].len + 1);
			}
			kept_lines(&got, &batch, wanted);
			CHECK_EQ(got.len, right.len);
			CHECK(got.len == right.len && memcmp(got.at, right.at, got.len) == 0);
			buffer_free(&got);
			buffer_free(&right);
		}
}

static void
each_line_comes_out_behind_its_word(void)
{
	for (unsigned pattern = 0; pattern < 6; pattern++)
		for (size_t n = 0; n <= LINES; n += n < 14 ? 1 : 31) {
			struct buffer got = {0}, right = {0};
			bool which[LINES];

			fill(n);
			for (size_t i = 0; i < n; i++) {
				which[i] = wanted_one(i, pattern);
				buffer_append(&right, which[i] ? "12345678" : "no ", which[i] ? 8 : 3);
				buffer_append(&right, batch.line[i].at, batch.line[i].len + 1);
			}
			kept_tagged(&got, &batch, which, "no ", "12345678");
			CHECK_EQ(got.len, right.len);
			CHECK(got.len == right.len && (got.len == 0 ||
			    memcmp(got.at, right.at, got.len) == 0));
			buffer_free(&got);
			buffer_free(&right);
		}
}

int
main(void)
{
	RUN(the_wanted_ones_come_out);
	RUN(each_line_comes_out_behind_its_word);
	return check_done();
}
