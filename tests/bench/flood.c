/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * flood LINES: so many lines of a number each on standard output, faster than
 * anything reads them, of which all is known without looking. Of each ten the
 * last is one of 0..99 in turn; the k-th line (from 0) is k + 1000 otherwise. So
 * of N lines, a multiple of 1000, each of 0..99 occurs N / 1000 times, and
 * 9 N / 10 others once.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM (1 << 16)
#define DIGITS 20

/* A number as text, which is counted up in its place. */
struct counter {
	char text[DIGITS + 1];       /* right-aligned, with its newline */
	unsigned from;
};

static void
count_up(struct counter *c)
{
	unsigned i = DIGITS - 1;

	while (i >= c->from && c->text[i] == '9')
		c->text[i--] = '0';
	if (i < c->from) {
		c->from = i;
		c->text[i] = '0';
	}
	c->text[i]++;
}

static void
flush(const char *at, size_t n)
{
	while (n > 0) {
		ssize_t done = write(STDOUT_FILENO, at, n);
		if (done <= 0) {
			perror("flood");
			exit(3);
		}
		at += done;
		n -= (size_t)done;
	}
}

int
main(int argc, char *argv[])
{
	static char out[ROOM];
	struct counter c = {.from = DIGITS - 4};
	size_t len = 0;
	char *end = NULL;
	uint64_t lines = argc == 2 ? strtoull(argv[1], &end, 10) : 0;

	if (!end || *end) {
		fputs("usage: flood LINES\n", stderr);
		return 2;
	}
	memcpy(c.text + c.from, "1000\n", 5);
	for (uint64_t k = 0; k < lines; k++, count_up(&c)) {
		if (ROOM - len < DIGITS + 2) {
			flush(out, len);
			len = 0;
		}
		if (k % 10 == 9) {
			unsigned heavy = (unsigned)(k / 10 % 100);
			if (heavy >= 10)
				out[len++] = (char)('0' + heavy / 10);
			out[len++] = (char)('0' + heavy % 10);
			out[len++] = '\n';
		} else {
			memcpy(out + len, c.text + c.from, DIGITS + 1 - c.from);
			len += DIGITS + 1 - c.from;
		}
	}
	flush(out, len);
	return 0;
}
