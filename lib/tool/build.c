/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/armor.h"
#include "tool/build.h"
#include "tool/opts.h"
#include "tool/output.h"
#include "tool/records.h"
#include "tool/report.h"
#include "tool/save.h"

static struct save save;

/* The file to be replaced, NULL for standard output. */
static const char *
target(void)
{
	return shared.update ? shared.update : shared.output;
}

void
build_open(void)
{
	if (!target()) {
		if (!shared.armor)
			output_refuse_terminal();
		return;
	}
	enum status st = save_open(&save, target());
	if (st != OK)
		die(st, "cannot write '%s'", target());
}

int
build_old(void)
{
	int fd = open(save.target ? save.target : target(), O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno != ENOENT)
		die(STATUS_SYSTEM, "cannot open '%s'", target());
	return fd;
}

static enum status
put(void *to, const void *p, size_t n)
{
	(void)to;
	if (!target()) {
		output_bytes(p, n);
		return OK;
	}
	enum status st = save_write(&save, p, n);
	if (st != OK)
		die(st, "cannot write '%s'", target());
	return OK;
}

struct sink
build_sink(void)
{
	return (struct sink){.write = put};
}

void
build_record(const struct sketch *s, const struct slice *key)
{
	struct buffer extension = {0};
	struct sink out = build_sink();
	struct armor armor;
	enum status st = OK;

	if (key && shared.armor) {
		st = extension_add(&extension, EXTENSION_KEY, *key);
		put(NULL, key->at, key->len);
		put(NULL, "\t", 1);
	}
	struct slice bytes = {extension.at, extension.len};
	if (st == OK && shared.armor) {
		armor_begin(&armor, out);
		st = sketch_write(s, bytes, armor_sink(&armor));
		armor_end(&armor);
		put(NULL, &shared.scan.end, 1);
	} else if (st == OK) {
		st = sketch_write(s, bytes, out);
	}
	buffer_free(&extension);
	if (st != OK)
		die(st, "cannot write '%s'", target() ? target() : "standard output");
}

void
build_close(void)
{
	if (!target())
		return;
	enum status st = save_commit(&save);
	if (st != OK)
		die(st, "cannot write '%s'", target());
}

void
build_one(struct sketch *s, const char *only)
{
	int fd = -1;

	build_open();
	if (shared.update)
		fd = build_old();
	if (fd >= 0) {
		struct sketch old;
		struct mismatch why;
		records_one_from(fd, shared.update, only, &old);
		close(fd);
		enum status st = sketch_merge(&old, s, &why);
		if (st == STATUS_MISMATCH)
			die_exit(EXIT_SKETCH, "cannot update '%s': %s", shared.update, why.text);
		if (st != OK)
			die(st, "cannot update '%s'", shared.update);
		sketch_free(s);
		*s = old;
	}
	build_record(s, NULL);
	build_close();
	sketch_free(s);
}

void
build_like(struct sketch *s, const char *only)
{
	records_one(shared.like, only, s);
	if (shared.seed_given && shared.scan.seed != s->head.seed)
		die_exit(EXIT_SKETCH, "cannot build like '%s': seed %llu and %llu", shared.like,
		    (unsigned long long)s->head.seed, (unsigned long long)shared.scan.seed);
	shared.scan.seed = s->head.seed;
	if (s->head.transform & TRANSFORM_FOLD)
		shared.scan.fold = true;
	if (shared.scan.fold && !(s->head.transform & TRANSFORM_FOLD))
		die_exit(EXIT_SKETCH, "cannot build like '%s': transform none and fold", shared.like);
	struct record mine = opts_identity();
	struct mismatch why;
	mine.kind = s->head.kind;
	if (record_compare(&s->head, &mine, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot build like '%s': %s", shared.like, why.text);
}

