/* sketchutils: BSD-2-Clause, see LICENSE */
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "tool/lines/dropped.h"
#include "tool/lines/job.h"
#include "tool/lines/kept.h"
#include "tool/report.h"
#include "tool/files/save.h"

static struct {
	const char *path;
	struct save save;
	struct buffer lines[WORKERS_MAX];
} dropped;

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot write '%s'", dropped.path);
}

/* One file must not be both: renamed into place, what was dropped would take
 * the name of what passed, and in a pipe the two would cut each other's lines. */
void
dropped_open(const char *path)
{
	struct stat file, out;

	if (stat(path, &file) == 0 && !S_ISCHR(file.st_mode) &&
	    fstat(STDOUT_FILENO, &out) == 0 &&
	    file.st_dev == out.st_dev && file.st_ino == out.st_ino)
		die_usage("'%s' is both --dropped and standard output", path);
	dropped.path = path;
	check(save_open(&dropped.save, path));
}

struct buffer *
dropped_output(unsigned worker)
{
	return dropped.path ? &dropped.lines[worker] : NULL;
}

void
dropped_lines(unsigned worker, const struct batch *b, const bool *kept)
{
	bool gone[BATCH_MAX];

	if (!dropped.path)
		return;
	for (size_t i = 0; i < b->n; i++)
		gone[i] = !kept[i];
	kept_lines(&dropped.lines[worker], b, gone);
}

void
dropped_flush(void *context, unsigned worker)
{
	struct buffer *lines = &dropped.lines[worker];

	(void)context;
	if (lines->len == 0)
		return;
	check(save_write(&dropped.save, lines->at, lines->len));
	lines->len = 0;
}

void
dropped_commit(void)
{
	if (!dropped.path)
		return;
	check(save_commit(&dropped.save));
	dropped.path = NULL;
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		buffer_free(&dropped.lines[i]);
}
