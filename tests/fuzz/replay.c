/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Runs a fuzz harness without a fuzzing engine, as `make check` does: over
 * each file of a corpus, and over what is easily made from it: every shorter
 * start of it, and every byte of its first 1,024 changed. A test per file, in TAP.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITED = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

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
