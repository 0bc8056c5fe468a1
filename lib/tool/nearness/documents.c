/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/nearness/documents.h"
#include "tool/lines/input.h"
#include "tool/lines/interrupt.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"

#define PIECE ((size_t)256 << 10)

/* A file costs much more than its name: names are handed out in small portions. */
#define NAMES_RANGE 256

static struct documents how;

/* Of each worker. */
static struct {
	struct masker masker;
	struct buffer text;          /* of a file */
} own[WORKERS_MAX];

/* Lines of which a paragraph is made. */
static struct {
	const struct job *job;
	struct buffer text;
	struct batch batch;          /* it alone */
	uint64_t n;
	bool stopped;
} paragraph;

static enum mask_level
norm_option(void)
{
	int found = mask_level_find(opts_text());

	if (found < 0)
		die_usage("cannot use --norm '%s': not none, case, digits, log or typed", opts_text());
	return (enum mask_level)found;
}

bool
documents_option(struct documents *d, int c)
{
	switch (c) {
	case DOCUMENTS_NORM:
		d->norm = norm_option();
		return true;
	case DOCUMENTS_PARAGRAPH:
	case DOCUMENTS_FILES:
		if (d->form != DOCUMENT_LINES && (d->form == DOCUMENT_FILES) != (c == DOCUMENTS_FILES))
			opts_exclude(true, "--files", true, "--paragraph");
		d->form = c == DOCUMENTS_FILES ? DOCUMENT_FILES : DOCUMENT_PARAGRAPHS;
		return true;
	}
	return false;
}

void
documents_check(const struct documents *d)
{
	const char *form = d->form == DOCUMENT_FILES ? "--files" : "--paragraph";
	const struct scan *s = &shared.scan;

	if (d->form == DOCUMENT_LINES)
		return;
	opts_exclude(true, form, s->item.n > 0, "-f");
	opts_exclude(true, form, s->mode == FIELD_CSV, "--csv");
	opts_exclude(true, form, s->mode == FIELD_QUOTED || s->mode == FIELD_QUOTED_DELIMITER,
	    "--quoted");
	opts_exclude(true, form, s->mode == FIELD_DELIMITER, "--delimiter");
	opts_exclude(true, form, shared.header, "--header");
	opts_exclude(true, form, s->skip_empty, "--skip-empty");
	opts_exclude(true, form, s->crlf, "--crlf");
	opts_exclude(d->form == DOCUMENT_PARAGRAPHS, form, s->end == '\0', "--zero-terminated");
}

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot keep a document");
}

/*
 * Files.
 */

static enum status
read_all(int fd, struct buffer *text)
{
	bool more = true;

	text->len = 0;
	for (;;) {
		enum status st = buffer_reserve(text, PIECE);
		if (st != OK)
			return st;
		ssize_t got = read(fd, text->at + text->len, PIECE);
		if (got < 0 && errno == EINTR && !interrupted())
			continue;
		if (got < 0)
			return STATUS_SYSTEM;
		text->len += (size_t)got;
		if (more && (st = input_sniff((struct slice){text->at, text->len}, &more)) != OK)
			return st;
		if (got == 0)
			return OK;
	}
}

enum status
document_read(const char *name, struct buffer *text)
{
	struct stat st;
	int fd = strcmp(name, "-") == 0 ? dup(STDIN_FILENO) :
	    open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return STATUS_SYSTEM;
	enum status status = fstat(fd, &st) == 0 ? OK : STATUS_SYSTEM;
	if (status == OK && output_is(&st))
		die_usage("'%s' is both input and standard output", name);
	if (status == OK)
		status = read_all(fd, text);
	int error = errno;
	close(fd);
	errno = error;
	if (status == OK && text->len > 0 && text->at[text->len - 1] == '\n')
		text->len--;
	return status;
}

static bool
file_text(unsigned worker, struct slice name, struct slice *text)
{
	struct buffer *b = &own[worker].text;
	struct buffer path = {0};

	must(buffer_append(&path, name.at, name.len));
	must(buffer_append(&path, "", 1));
	enum status st = document_read((const char *)path.at, b);
	if (st != OK)
		complain(st, "cannot read '%s'", (const char *)path.at);
	buffer_free(&path);
	*text = (struct slice){b->at, b->len};
	return st == OK;
}

bool
document_text(unsigned worker, const struct batch *b, size_t i, struct slice *text)
{
	struct slice plain = b->item[i];

	if (how.form == DOCUMENT_FILES && !file_text(worker, b->line[i], &plain))
		return false;
	must(mask_line(&own[worker].masker, how.norm, plain, text));
	return true;
}

/* Operands become the lines of a file that standard input is. */
static void
names_to_input(int argc, char **argv)
{
	int fd = memfd_create("names", MFD_CLOEXEC);
	enum status st = fd < 0 ? STATUS_SYSTEM : OK;

	for (int i = 0; i < argc && st == OK; i++) {
		size_t len = strlen(argv[i]) + 1;

		if (strcmp(argv[i], "-") == 0)
			die_usage("with --files '-' is no document; without a FILE names are read "
			    "from standard input");
		for (const char *at = argv[i]; len > 0 && st == OK; ) {
			ssize_t put = write(fd, at, len);
			if (put < 0 && errno != EINTR)
				st = STATUS_SYSTEM;
			if (put > 0) {
				at += put;
				len -= (size_t)put;
			}
		}
	}
	if (st == OK && (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0))
		st = STATUS_SYSTEM;
	if (st != OK)
		die(st, "cannot list the files");
	close(fd);
}

static struct intake
run_files(const struct job *given, int argc, char **argv)
{
	struct job job = *given;

	if (argc > 0) {
		names_to_input(argc, argv);
		job.scan.end = '\0';
	}
	job.range = NAMES_RANGE;
	return parallel_run(&job, 0, NULL);
}

/*
 * Paragraphs.
 */

static bool
is_blank(struct slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r')
			return false;
	return true;
}

/* It is complete. */
static enum verdict
hand_on(unsigned worker)
{
	const struct job *job = paragraph.job;
	struct batch *b = &paragraph.batch;
	enum verdict v = GO_ON;

	if (paragraph.text.len == 0)
		return GO_ON;
	/* Without the last newline. */
	b->item[0] = b->line[0] = (struct slice){paragraph.text.at, paragraph.text.len - 1};
	b->n = b->lines = 1;
	paragraph.n++;
	if (job->each)
		v = job->each(job->context, worker, b);
	if (v == GO_ON && job->inorder)
		v = job->inorder(job->context, worker, b);
	paragraph.text.len = 0;
	paragraph.stopped |= v == STOP;
	return v;
}

static enum verdict
gather(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	for (size_t i = 0; i < b->n; i++) {
		if (!is_blank(b->line[i])) {
			must(buffer_append(&paragraph.text, b->line[i].at, b->line[i].len));
			must(buffer_append(&paragraph.text, "\n", 1));
		} else if (hand_on(worker) == STOP) {
			return STOP;
		}
	}
	return GO_ON;
}

/* The end of an input is the end of a paragraph. */
static void
last_of_input(const struct job *job)
{
	struct buffer *out = parallel_output(0);

	hand_on(0);
	if (job->block_end)
		job->block_end(job->context, 0);
	output_bytes(out->at, out->len);
	buffer_free(out);
}

static void
add_up(struct intake *sum, struct intake some)
{
	sum->lines += some.lines;
	sum->rejected += some.rejected;
	sum->ignored += some.ignored;
	sum->bytes += some.bytes;
}

static struct intake
run_paragraphs(const struct job *given, int argc, char **argv)
{
	static char standard_input[] = "-";
	static char *none[] = {standard_input};
	struct job job = *given;
	struct intake sum = {0};

	paragraph.job = given;
	job.each = NULL;
	job.inorder = gather;
	job.scan.skip_empty = false;
	if (argc == 0) {
		argc = 1;
		argv = none;
	}
	for (int i = 0; i < argc && !paragraph.stopped && !interrupted(); i++) {
		add_up(&sum, parallel_run(&job, 1, argv + i));
		if (!paragraph.stopped)
			last_of_input(given);
	}
	if (given->extra_free && paragraph.batch.extra)
		given->extra_free(paragraph.batch.extra);
	sum.items = paragraph.n;
	return sum;
}

struct intake
documents_run(const struct documents *d, const struct job *job, int argc, char **argv)
{
	how = *d;
	switch (d->form) {
	case DOCUMENT_PARAGRAPHS:
		return run_paragraphs(job, argc, argv);
	case DOCUMENT_FILES:
		return run_files(job, argc, argv);
	case DOCUMENT_LINES:
		break;
	}
	return parallel_run(job, argc, argv);
}

enum status
document_put(struct buffer *to, struct slice line)
{
	bool paragraphs = how.form == DOCUMENT_PARAGRAPHS;
	enum status st = buffer_reserve(to, line.len + 2);

	if (st != OK)
		return st;
	buffer_append(to, line.at, line.len);
	buffer_append(to, &shared.scan.end, 1);
	return paragraphs ? buffer_append(to, "\n", 1) : OK;
}

void
document_print(struct slice line)
{
	output_bytes(line.at, line.len);
	output_byte(shared.scan.end);
	if (how.form == DOCUMENT_PARAGRAPHS)
		output_byte('\n');
}

const char *
documents_noun(const struct documents *d)
{
	return d->form == DOCUMENT_PARAGRAPHS ? "paragraphs" :
	    d->form == DOCUMENT_FILES ? "files" : "lines";
}

void
documents_free(void)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		masker_clear(&own[i].masker);
		buffer_free(&own[i].text);
	}
	buffer_free(&paragraph.text);
}
