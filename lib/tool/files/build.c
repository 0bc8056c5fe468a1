/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/ids.h"
#include "tool/files/build.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/save.h"

static struct save save;

static struct buffer ids;    /* of the keyed sketch to be written */
static struct buffer others; /* of the first record in the file to be updated */
static bool kept;            /* that file stays as it is */

/* Small pieces on their way to the file: armour comes in many. */
static struct {
	size_t n;
	unsigned char at[64 << 10];
} gathered;

/* The file to be replaced, NULL for standard output. */
static const char *
target(void)
{
	return shared.update ? shared.update : shared.output;
}

/* The file to update, or -1, as for one that holds the lines of no keys. Whoever waits
 * for a fifo waits for ever. */
static int
open_old(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -1;
	if (fd < 0 || fstat(fd, &st) != 0)
		die(STATUS_SYSTEM, "cannot open '%s'", shared.update);
	if (!S_ISREG(st.st_mode))
		die_exit(EXIT_SYSTEM, "cannot update '%s': not a regular file", shared.update);
	if (st.st_size == 0 && shared.armor && shared.scan.has_key) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Do the options make the same kind of items as those in this sketch? */
static void
must_match(const struct record *head, const char *verb, const char *name)
{
	const struct system *theirs = system_of(head->kind);
	const char *unlike = opts_key_unlike(head);
	struct record mine = opts_identity();
	struct mismatch why;

	/* Two names say more than two hashes. */
	mine.kind = shared.compat ? shared.compat->kind : head->kind;
	if (theirs && !shared.compat && hash_is_ours(mine.hash))
		die_exit(EXIT_SKETCH, "cannot %s '%s': its kind is %s, and not one of ours: "
		    "use --compat %s", verb, name, kind_find(head->kind)->name, theirs->name);
	if (unlike)
		die_exit(EXIT_SKETCH, "cannot %s '%s': %s", verb, name, unlike);
	if (record_compare(head, &mine, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot %s '%s': %s", verb, name, why.text);
}

bool
build_begin(const char *only, struct record *old)
{
	if (!target() && !shared.armor)
		output_refuse_terminal();
	int fd = shared.update ? open_old(shared.update) : -1;
	if (fd < 0)
		return false;
	records_head(fd, shared.update, only, old);
	close(fd);
	must_match(old, "update", shared.update);
	return true;
}

void
build_open(void)
{
	if (!target())
		return;
	enum status st = save_open(&save, target());
	if (st != OK)
		die(st, "cannot write '%s'", target());
}

/* Does the file begin with text? What is no sketch at all, the reader says. */
static bool
is_armored(int fd)
{
	unsigned char at[sizeof RECORD_MAGIC - 1];
	size_t have = 0;
	ssize_t n;

	do {
		n = pread(fd, at + have, sizeof at - have, (off_t)have);
		if (n > 0)
			have += (size_t)n;
	} while ((n > 0 && have < sizeof at) || (n < 0 && errno == EINTR));
	if (n < 0)
		die(STATUS_SYSTEM, "cannot read '%s'", target());
	return have > 0 && memcmp(at, RECORD_MAGIC, have) != 0;
}

int
build_old(void)
{
	int fd = open_old(save.target ? save.target : target());

	if (fd >= 0 && is_armored(fd))
		shared.armor = true;
	return fd;
}

static void
put_now(const void *p, size_t n)
{
	enum status st = save_write(&save, p, n);

	if (st != OK)
		die(st, "cannot write '%s'", target());
}

static enum status
put(void *to, const void *p, size_t n)
{
	(void)to;
	if (!target()) {
		output_bytes(p, n);
		return OK;
	}
	if (n > sizeof gathered.at - gathered.n) {
		put_now(gathered.at, gathered.n);
		gathered.n = 0;
	}
	if (n > sizeof gathered.at) {
		put_now(p, n);
		return OK;
	}
	memcpy(gathered.at + gathered.n, p, n);
	gathered.n += n;
	return OK;
}

struct sink
build_sink(void)
{
	return (struct sink){.write = put};
}

static void
must_keep(enum status st)
{
	if (st == STATUS_FULL)
		die_exit(EXIT_SKETCH, "cannot update '%s': more than %d ids of shards, or 1 MiB",
		    shared.update, IDS_MAX);
	if (st != OK)
		die(st, "cannot keep the ids of shards");
}

/* Is this run's shard among them? */
static bool
is_among(const struct buffer *old)
{
	if (!shared.id || !ids_has((struct slice){old->at, old->len}, slice_of(shared.id)))
		return false;
	lament("left '%s' as it is: shard '%s' is in already", shared.update, shared.id);
	return true;
}

bool
build_shards(int old, const char *only)
{
	if (old >= 0)
		records_ids(old, shared.update, only, &others);
	if (is_among(&others)) {
		close(old);
		build_abandon();
		return false;
	}
	must_keep(ids_unite(&ids, (struct slice){others.at, others.len}));
	if (shared.id)
		must_keep(ids_add(&ids, slice_of(shared.id)));
	return true;
}

void
build_same_shards(void *context, const char *name, struct slice these)
{
	(void)context;
	if (!slice_equal(these, (struct slice){others.at, others.len}))
		die_exit(EXIT_SKETCH, "cannot update '%s': its parts are of unlike shards; "
		    "sketch-merge unites them", name);
}

void
build_set_ids(struct slice all)
{
	ids.len = 0;
	must_keep(buffer_append(&ids, all.at, all.len));
}

struct slice
build_ids(void)
{
	return (struct slice){ids.at, ids.len};
}

void
build_record(const struct sketch *s)
{
	struct buffer list = {0};
	struct armor armor;
	enum status st = OK;

	if (kept)
		return;
	if (s->ids.len > 0)
		st = extension_add(&list, EXTENSION_ID, (struct slice){s->ids.at, s->ids.len});
	must_keep(st);
	struct slice extension = {list.at, list.len};
	if (shared.armor) {
		st = armor_begin(&armor, build_sink());
		if (st == OK)
			st = sketch_write(s, extension, armor_sink(&armor));
		if (st == OK)
			st = armor_end(&armor);
		put(NULL, &shared.scan.end, 1);
	} else {
		st = sketch_write(s, extension, build_sink());
	}
	buffer_free(&list);
	if (st != OK)
		die(st, "cannot write '%s'", target() ? target() : "standard output");
}

void
build_close(void)
{
	if (!target())
		return;
	if (kept) {
		build_abandon();
		return;
	}
	put_now(gathered.at, gathered.n);
	gathered.n = 0;
	enum status st = save_commit(&save);
	if (st != OK)
		die(st, "cannot write '%s'", target());
}

void
build_abandon(void)
{
	save_abort(&save);
	gathered.n = 0;
}

/* The one in the file, changed by this one. False if there is none, and then
 * this one is as it was. */
static bool
revise_old(struct sketch *s, const char *only,
    enum status (*change)(struct sketch *, const struct sketch *, struct mismatch *))
{
	struct sketch old;
	struct mismatch why;

	if (shared.id)
		must_keep(ids_add(&s->ids, slice_of(shared.id)));
	build_open();
	int fd = shared.update ? build_old() : -1;
	if (fd < 0)
		return false;
	records_one_from(fd, shared.update, only, &old);
	close(fd);
	kept = change == sketch_merge && is_among(&old.ids);
	enum status st = kept ? OK : change(&old, s, &why);
	if (st == STATUS_MISMATCH || st == STATUS_FULL)
		die_exit(status_exit(st), "cannot update '%s': %s", shared.update, why.text);
	if (st != OK)
		die(st, "cannot update '%s'", shared.update);
	sketch_free(s);
	*s = old;
	return true;
}

void
build_unite(struct sketch *s, const char *only)
{
	revise_old(s, only, sketch_merge);
}

void
build_subtract(struct sketch *s, const char *only)
{
	if (revise_old(s, only, sketch_subtract))
		return;
	errno = ENOENT;
	die(STATUS_SYSTEM, "cannot update '%s'", shared.update);
}

void
build_one(struct sketch *s, const char *only)
{
	build_unite(s, only);
	build_record(s);
	build_close();
	sketch_free(s);
}

void
build_like(struct sketch *s, const char *only)
{
	records_like(shared.like, only, s);
	buffer_free(&s->ids);
	opts_adopt_hash(&s->head, "build like", shared.like);
	if (!shared.item_given)
		shared.scan.item_type = s->head.item_type;
	if (s->head.transform & TRANSFORM_FOLD)
		shared.scan.fold = true;
	must_match(&s->head, "build like", shared.like);
}
