/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Runs a fuzz harness without a fuzzing engine, as `make check` does: over
 * each file of a corpus, and over what is easily made from it: every shorter
 * start of it, and every byte of its first 1,024 changed; and, if the harness has
 * a mutator, what that makes of it by seed. A test per file, in TAP.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITED = 1024, MUTATED = 300, ROOM = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
size_t LLVMFuzzerMutate(uint8_t *, size_t size, size_t room);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);

static uint64_t chance;

static uint64_t
draw(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	return chance ^= chance << 17;
}

/* In place of the engine's: a byte changed, put in or taken out, or some copied. */
size_t
LLVMFuzzerMutate(uint8_t *p, size_t size, size_t room)
{
	size_t at = size > 0 ? draw() % size : 0;

	switch (size > 0 ? draw() % 5 : 1) {
	case 0:
		p[at] = (uint8_t)draw();
		return size;
	case 1:
		if (size == room)
			return size;
		memmove(p + at + 1, p + at, size - at);
		p[at] = (uint8_t)draw();
		return size + 1;
	case 2:
		memmove(p + at, p + at + 1, size - at - 1);
		return size - 1;
	case 3: {
		size_t from = draw() % size, n = draw() % 16;
		if (from + n <= size && at + n <= size)
			memmove(p + at, p + from, n);
		return size;
	}
	default:
		p[at] ^= (uint8_t)(1 << draw() % 8);
		return size;
	}
}

/* Up to four changes, one upon the other. */
static void
run_mutated(const uint8_t *at, size_t len)
{
	for (unsigned i = 0; i < MUTATED && LLVMFuzzerCustomMutator; i++) {
		uint8_t *room = malloc(len + ROOM);

		if (!room)
			exit(3);
		memcpy(room, at, len);
		chance = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		size_t size = len;
		for (uint64_t n = 1 + draw() % 4; n > 0; n--)
			size = LLVMFuzzerCustomMutator(room, size, len + ROOM, (unsigned)draw());
		uint8_t *copy = malloc(size > 0 ? size : 1);
		if (!copy)
			exit(3);
		memcpy(copy, room, size);
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
		free(room);
	}
}

/* A copy that ends where its memory does, so that one byte too far is seen. */
static void
run(const uint8_t *at, size_t len, size_t edit, uint8_t value)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	if (!copy) {
		puts("Bail out! out of memory");
		exit(3);
	}
	if (len > 0)
		memcpy(copy, at, len);
	if (edit < len)
		copy[edit] ^= value;
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void
replay(const uint8_t *at, size_t len)
{
	size_t step = len / EDITED + 1;

	for (size_t n = 0; n < len; n += step)
		run(at, n, SIZE_MAX, 0);
	for (size_t i = 0; i < len && i < EDITED; i++) {
		run(at, len, i, 0xff);
		run(at, len, i, (uint8_t)(1 << i % 8));
	}
	run(at, len, SIZE_MAX, 0);
	if (len <= 1 << 16)
		run_mutated(at, len);
}

static int
replay_file(const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(path, "rb");

	if (!file)
		return -1;
	size_t len = fread(bytes, 1, sizeof(bytes), file);
	int bad = ferror(file);

	fclose(file);
	if (bad)
		return -1;
	replay(bytes, len);
	return 0;
}

static int
visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int
main(int argc, char *argv[])
{
	int bad = 0, tests = 0;

	for (int i = 1; i < argc; i++) {
		struct dirent **entry;
		int n = scandir(argv[i], &entry, visible, alphasort);

		if (n < 0) {
			perror(argv[i]);
			return 3;
		}
		for (int j = 0; j < n; j++) {
			char path[4096];

			snprintf(path, sizeof(path), "%s/%s", argv[i], entry[j]->d_name);
			if (replay_file(path) != 0) {
				bad++;
				printf("not ");
			}
			printf("ok %d - %s\n", ++tests, entry[j]->d_name);
			fflush(stdout);
			free(entry[j]);
		}
		free(entry);
	}
	printf("1..%d\n", tests);
	return bad != 0;
}
