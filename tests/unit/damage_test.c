/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Every golden file, cut at every byte and with every bit flipped: never more
 * than a status, and never taken for whole. Each variant lies in memory of
 * exactly its size, so that a sanitizer sees a read past the end.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "base/keyed.h"
#include "base/reader.h"
#include "sketch/kinds.h"
#include "check.h"

#define FOLDER "tests/golden"
#define FILES_MAX 200

/* Every bit of files up to here is flipped; of larger ones some are. */
#define SMALL 1500
#define SMALL_LONG 8000
#define SMALL_BRIEF 200

static struct file {
	unsigned char *at;
	size_t len;
	char name[103];
	unsigned char end;           /* of armoured lines */
} file[FILES_MAX];
static size_t files;

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void
load_file(const char *name)
{
	char path[200];
	struct stat st;
	struct file *f = &file[files];

	snprintf(path, sizeof path, "%s/%s", FOLDER, name);
	FILE *in = fopen(path, "rb");
	if (!in || fstat(fileno(in), &st) != 0)
		return;
	snprintf(f->name, sizeof f->name, "%s", name);
	f->len = (size_t)st.st_size;
	f->at = malloc(f->len);
	f->end = strstr(name, "armor-nul") || strstr(name, "lines-nul") ? '\0' : '\n';
	if (f->at && fread(f->at, 1, f->len, in) == f->len)
		files++;
	fclose(in);
}

static void
load_files(void)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)) && files < FILES_MAX) {
		size_t len = strlen(entry->d_name);
		if (len > 3 && strcmp(entry->d_name + len - 3, ".sk") == 0)
			load_file(entry->d_name);
	}
	closedir(folder);
	qsort(file, files, sizeof *file, by_name);
}

/* What the header alone tells is how the whole begins. */
static bool
begin_alike(const struct facts *settings, const struct facts *all)
{
	for (size_t i = 0; i < settings->n; i++) {
		const struct fact *a = &settings->at[i], *b = &all->at[i];
		if (i >= all->n || a->type != b->type || strcmp(a->name, b->name) != 0)
			return false;
		if (a->type == FACT_TEXT ? strcmp(a->text, b->text) != 0 :
		    a->type == FACT_FLAG ? a->flag != b->flag : a->count != b->count)
			return false;
	}
	return settings->n > 0;
}

/* Everything that a program does with a sketch, short of an answer. */
static enum status
use(const struct record *head, struct slice bytes)
{
	struct buffer payload = {0};
	struct sketch s = {0};
	struct facts settings = {0}, facts = {0};

	enum status st = buffer_append(&payload, bytes.at, bytes.len);
	if (st == OK)
		st = sketch_load(&s, head, &payload);
	if (st == OK) {
		s.kind->settings(head, &settings);
		s.kind->facts(s.body, &facts);
		CHECK(begin_alike(&settings, &facts));
	}
	sketch_free(&s);
	buffer_free(&payload);
	return st;
}

static enum status
use_keyed(struct record_reader *r, const struct record *shared)
{
	struct keyed_reader keyed;
	struct record head;
	struct slice key, payload;
	enum status st;

	keyed_reader_begin(&keyed, r, shared);
	while ((st = keyed_reader_next(&keyed, &key, &head, &payload)) == OK)
		if ((st = use(&head, payload)) != OK)
			break;
	keyed_reader_free(&keyed);
	return st == STATUS_END ? OK : st;
}

/* All records of these bytes; ends holds where each ends, if it is asked for. */
static enum status
read_all(const unsigned char *bytes, size_t len, unsigned char end, uint64_t *ends, size_t *n)
{
	struct record_reader r;
	struct record head;
	struct buffer extension = {0}, payload = {0};
	enum status st;

	record_reader_memory(&r, (struct slice){bytes, len});
	r.check = kind_check;
	r.end = end;
	while ((st = record_reader_next(&r, &head, &extension, &payload)) == OK) {
		st = head.flags & FLAG_KEYED ? use_keyed(&r, &head) :
		    use(&head, (struct slice){payload.at, payload.len});
		if (st != OK)
			break;
		if (ends)
			ends[(*n)++] = r.position;
	}
	record_reader_close(&r);
	buffer_free(&extension);
	buffer_free(&payload);
	return st == STATUS_END ? OK : st;
}

static bool
is_damage(enum status st)
{
	return st >= STATUS_EMPTY && st <= STATUS_INVARIANT;
}

static void
complain(const struct file *f, const char *what, size_t at, enum status st)
{
	printf("# %s, %s %zu: %s\n", f->name, what, at, st == OK ? "taken for whole" : status_text(st));
}

static void
golden_files_are_whole(void)
{
	load_files();
	CHECK(files >= 50);
	for (size_t i = 0; i < files; i++) {
		enum status st = read_all(file[i].at, file[i].len, file[i].end, NULL, NULL);
		if (st != OK)
			complain(&file[i], "all of", file[i].len, st);
		CHECK(st == OK);
	}
}

/* May the file end here? Behind a record, and before the end of a line. */
static bool
may_end(const struct file *f, size_t cut, const uint64_t *ends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cut == ends[i] || (cut + 1 == ends[i] && f->at[cut] == f->end &&
		    memcmp(f->at + (i > 0 ? ends[i - 1] : 0), RECORD_MAGIC, 8) != 0))
			return true;
	return false;
}

static void
cut_files_are_refused(void)
{
	for (size_t i = 0; i < files; i++) {
		const struct file *f = &file[i];
		uint64_t ends[100];
		size_t n = 0;

		CHECK(read_all(f->at, f->len, f->end, ends, &n) == OK);
		for (size_t cut = 0; cut < f->len; cut++) {
			unsigned char *bytes = malloc(cut > 0 ? cut : 1);
			if (cut > 0)
				memcpy(bytes, f->at, cut);
			enum status st = read_all(bytes, cut, f->end, NULL, NULL);
			bool good = may_end(f, cut, ends, n) ? st == OK : is_damage(st);
			if (!good)
				complain(f, "cut at", cut, st);
			CHECK(good);
			free(bytes);
		}
	}
}

static void
flipped_bits_are_found(void)
{
	size_t small = check_times(SMALL_BRIEF, SMALL, SMALL_LONG);

	for (size_t i = 0; i < files; i++) {
		const struct file *f = &file[i];
		/* Prime, so that all bits of a byte and all bytes of a word have a turn. */
		size_t step = f->len <= small ? 1 : 101;
		for (size_t bit = 0; bit < 8 * f->len; bit += step) {
			f->at[bit / 8] ^= (unsigned char)(1 << bit % 8);
			enum status st = read_all(f->at, f->len, f->end, NULL, NULL);
			f->at[bit / 8] ^= (unsigned char)(1 << bit % 8);
			if (!is_damage(st))
				complain(f, "bit", bit, st);
			CHECK(is_damage(st));
		}
	}
}

int
main(void)
{
	RUN(golden_files_are_whole);
	RUN(cut_files_are_refused);
	RUN(flipped_bits_are_found);
	for (size_t i = 0; i < files; i++)
		free(file[i].at);
	return check_done();
}
