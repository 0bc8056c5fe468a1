/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * The same bytes through files, pipes and an offset standard input, by one
 * worker and by many, in ranges down to one byte: what comes out must be what
 * a plain reading gives.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "tool/output.h"
#include "tool/lines/parallel.h"
#include "tool/report.h"
#include "check.h"

static char file_a[] = "a", file_b[] = "b", dash[] = "-";

/*
 * What goes in.
 */

static unsigned char text[70000];
static size_t text_len;

static void
put(const char *line, size_t n)
{
	memcpy(text + text_len, line, n);
	text_len += n;
}

enum content {
	NOTHING, ONE_NEWLINE, NO_NEWLINE, NEWLINES, SHORT_LINES, LAST_OPEN, ONE_LONG, LONG_FIRST, ON_EDGES,
	CONTENTS
};

/* About forty ranges of it, but not more than a test can take. */
static void
fill(enum content content, size_t range, bool header)
{
	size_t size = range * 40 < 300 ? 300 : range * 40 < 30000 ? range * 40 : 30000;
	char line[64];

	text_len = 0;
	if (header)
		put("other,wanted\n", 13);
	size_t from = text_len;
	switch (content) {
	case NOTHING:
		break;
	case ONE_NEWLINE:
		put("\n", 1);
		break;
	case NO_NEWLINE:
		put("x,lonely", 8);
		break;
	case NEWLINES:
		for (size_t i = 0; i < size / 4; i++)
			put("\n", 1);
		break;
	case ONE_LONG:
	case LONG_FIRST:
		for (size_t i = 0; i < size; i++)
			put(i == 1 ? "," : &"abcdefg"[i % 7], 1);
		put("\n", 1);
		if (content == ONE_LONG)
			break;
		/* fall through */
	case SHORT_LINES:
	case LAST_OPEN:
		for (unsigned i = 0; text_len - from < size * 2; i++)
			put(line, (size_t)sprintf(line, "%u,%.*s\n", i, (int)(i * 7 % 23),
			    "abcdefghijklmnopqrstuvw"));
		text_len -= content == LAST_OPEN;
		break;
	default:
		/* Each line ends at the end of a range and of a block. */
		for (size_t i = 0; i < size; i++)
			put(i % range == range - 1 ? "\n" : i % range == 3 ? "," : "q", 1);
		break;
	}
}

static void
save_text(const char *name, const char *before)
{
	FILE *f = fopen(name, "wb");

	CHECK(f && fwrite(before, 1, strlen(before), f) == strlen(before) &&
	    fwrite(text, 1, text_len, f) == text_len && fclose(f) == 0);
}

/*
 * What comes out: the items in order, each with a '|' behind it, and the sum
 * of their hashes.
 */

struct outcome {
	unsigned char out[2 * sizeof text];
	size_t len;
	size_t stop_at;              /* an item, from 1; 0: never */
	size_t items;
	_Atomic uint64_t sum, each_items, blocks;
	_Atomic unsigned inside;     /* workers in inorder */
	uint64_t gate[GATES];        /* what its items, in order, come to */
	_Atomic unsigned at_gate[GATES];
	_Atomic bool wrong;
	unsigned workers;
};

static struct outcome want, got;

/* Depends on the order of what went before. */
static void
pass_gate(struct outcome *o, uint64_t hash)
{
	uint64_t *gate = &o->gate[hash % GATES];

	*gate = (*gate ^ hash) * UINT64_C(0x9e3779b97f4a7c15);
}

static void
keep(struct outcome *o, struct slice item)
{
	if (o->len + item.len + 1 > sizeof o->out) {
		o->wrong = true;
		return;
	}
	memcpy(o->out + o->len, item.at, item.len);
	o->len += item.len;
	o->out[o->len++] = '|';
	o->items++;
}

/* The second field of each line, or the whole line. */
static void
read_plainly(struct outcome *o, bool header)
{
	size_t at = 0;

	for (bool first = header; at < text_len; first = false) {
		const unsigned char *p = text + at, *end = memchr(p, '\n', text_len - at);
		struct slice item = {p, end ? (size_t)(end - p) : text_len - at};
		at += item.len + 1;
		if (first || (o->stop_at && o->items == o->stop_at))
			continue;
		if (header) {
			const unsigned char *comma = memchr(p, ',', item.len);
			item.len = comma ? item.len - (size_t)(comma + 1 - p) : 0;
			item.at = comma ? comma + 1 : p;
		}
		keep(o, item);
		o->sum += XXH3_64bits(item.at, item.len);
		pass_gate(o, XXH3_64bits(item.at, item.len));
	}
}

static enum verdict
each(void *context, unsigned worker, struct batch *b)
{
	struct outcome *o = context;

	if (worker >= o->workers)
		o->wrong = true;
	for (size_t i = 0; i < b->n; i++)
		o->sum += b->hash[i];
	o->each_items += b->n;
	return GO_ON;
}

/* What each worked out is there when the batch's turn comes. */
static enum verdict
each_with_extra(void *context, unsigned worker, struct batch *b)
{
	if (!b->extra)
		b->extra = malloc(sizeof(uint64_t));
	memcpy(b->extra, &b->hash[b->n - 1], sizeof(uint64_t));
	return each(context, worker, b);
}

static enum verdict
inorder(void *context, unsigned worker, struct batch *b)
{
	struct outcome *o = context;

	o->wrong |= ++o->inside != 1 || worker >= o->workers;
	if (b->extra)
		o->wrong |= memcmp(b->extra, &b->hash[b->n - 1], sizeof(uint64_t)) != 0;
	for (size_t i = 0; i < b->n && !(o->stop_at && o->items == o->stop_at); i++)
		keep(o, b->item[i]);
	o->inside--;
	return o->stop_at && o->items == o->stop_at ? STOP : GO_ON;
}

static enum verdict
each_writes(void *context, unsigned worker, struct batch *b)
{
	each(context, worker, b);
	for (size_t i = 0; i < b->n; i++) {
		parallel_write(worker, b->item[i].at, b->item[i].len);
		if (buffer_append(parallel_output(worker), "|", 1) != OK)
			((struct outcome *)context)->wrong = true;
	}
	return GO_ON;
}

static enum verdict
inorder_writes(void *context, unsigned worker, struct batch *b)
{
	struct outcome *o = context;
	size_t before = o->len;
	enum verdict v = inorder(context, worker, b);

	parallel_write(worker, o->out + before, o->len - before);
	return v;
}

/* Each item goes through one gate, each block through all of them. */
static void
block(void *context, unsigned worker, struct batch *const *batch, size_t n, struct gates *gates)
{
	struct outcome *o = context;

	o->wrong |= worker >= o->workers || (!gates && n != 1);
	for (unsigned g = 0; g < GATES; g++) {
		if (!gate_enter(gates, g))
			return;
		o->wrong |= ++o->at_gate[g] != 1;
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < batch[i]->n; k++)
				if (batch[i]->hash[k] % GATES == g)
					pass_gate(o, batch[i]->hash[k]);
		o->at_gate[g]--;
		gate_leave(gates, g);
	}
	for (size_t i = 0; i < n; i++)
		each_writes(context, worker, batch[i]);
}

static void
block_end(void *context, unsigned worker)
{
	struct outcome *o = context;

	o->wrong |= worker >= o->workers;
	o->blocks++;
}

enum kind {
	EACH, INORDER, EXTRA, WRITES, INORDER_WRITES, BLOCKS, STOPS, STOPS_AND_WRITES, KINDS
};

static struct job
job_of(enum kind kind, unsigned threads, size_t range, bool header)
{
	struct job job = {
		.scan = {.end = '\n', .want_items = true, .delimiter = ','}, .header = header,
		.threads = threads, .range = range, .progress = PROGRESS_NEVER, .context = &got,
		.block_end = block_end, .extra_free = free,
	};
	bool stops = kind == STOPS || kind == STOPS_AND_WRITES;

	if (header) {
		job.scan.mode = FIELD_DELIMITER;
		CHECK(!fields_parse("wanted", &job.scan.item));
	}
	job.each = kind == EACH ? each : kind == EXTRA || stops ? each_with_extra :
	    kind == WRITES ? each_writes : NULL;
	job.inorder = kind == INORDER || kind == EXTRA || kind == STOPS ? inorder :
	    kind == INORDER_WRITES || kind == STOPS_AND_WRITES ? inorder_writes : NULL;
	job.block = kind == BLOCKS ? block : NULL;
	job.writes = kind == WRITES || kind == BLOCKS || kind == INORDER_WRITES || kind == STOPS_AND_WRITES;
	return job;
}

/* Run with standard input and output in our hands; got.out is what was
 * written, if the job writes. */
static struct intake
run(const struct job *job, int in, int count, char **operands)
{
	int saved_in = dup(0), saved_out = dup(1);
	FILE *out = tmpfile();

	fflush(stdout);
	CHECK(out && saved_in >= 0 && saved_out >= 0);
	dup2(in, 0);
	dup2(fileno(out), 1);
	got.workers = parallel_workers(job);
	struct intake tally = parallel_run(job, count, operands);
	output_flush();
	dup2(saved_out, 1);
	dup2(saved_in, 0);
	close(saved_in);
	close(saved_out);
	if (job->writes) {
		rewind(out);
		got.len = fread(got.out, 1, sizeof got.out, out);
	}
	fclose(out);
	return tally;
}

static int
pipe_of_text(void)
{
	int ends[2];

	/* All of it fits, once the pipe is large. */
	CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 17) >= 0);
	CHECK(write(ends[1], text, text_len) == (ssize_t)text_len);
	close(ends[1]);
	return ends[0];
}

enum source { A_FILE, A_PIPE, AN_OFFSET, SOURCES };

static bool
one_way(enum kind kind, enum source source, unsigned threads, size_t range, bool header)
{
	static char *operands[] = {file_a, dash};
	struct job job = job_of(kind, threads, range, header);
	int in = source == A_PIPE ? pipe_of_text() : open(file_a, O_RDONLY);

	if (source == AN_OFFSET)
		CHECK(lseek(in, 9, SEEK_SET) == 9);
	got = (struct outcome){.stop_at = want.stop_at};
	struct intake tally = run(&job, in, source == AN_OFFSET ? 0 : 1, operands + (source != A_FILE));
	bool all = !want.stop_at;
	bool good = !got.wrong && (kind == EACH ||
	    (got.len == want.len && memcmp(got.out, want.out, want.len) == 0));
	if (job.block)
		good = good && memcmp(got.gate, want.gate, sizeof got.gate) == 0;
	if (all && (job.each || job.block))
		good = good && got.sum == want.sum && got.each_items == want.items;
	if (all)
		good = good && tally.lines == want.items && tally.items == want.items &&
		    tally.rejected == 0 && (got.blocks > 0 || want.items == 0);
	/* Who comes after us goes on where we ended. */
	if (source == AN_OFFSET && all)
		good = good && lseek(in, 0, SEEK_CUR) == (off_t)text_len + 9;
	close(in);
	return good;
}

static void
all_ways_give_what_a_plain_reading_gives(void)
{
	static const size_t ranges[] = {1, 7, 64, 4096};
	static const unsigned threads[] = {1, 2, 3, 8, 0};
	uint64_t state = 1;

	for (unsigned turn = 0; turn < CONTENTS * 4 * 2; turn++) {
		enum content content = turn % CONTENTS;
		size_t range = ranges[turn / CONTENTS % 4];
		bool header = turn / CONTENTS / 4;
		fill(content, range, header);
		for (unsigned way = 0; way < SOURCES * KINDS * 5; way++) {
			enum source source = way % SOURCES;
			enum kind kind = way / SOURCES % KINDS;
			unsigned j = threads[way / SOURCES / KINDS];
			/* Each content by each way, or a fifth of them at random. */
			if (!check_long() && check_random(&state) % 5)
				continue;
			bool stops = kind == STOPS || kind == STOPS_AND_WRITES;
			want = (struct outcome){.stop_at = stops ? 1 + check_random(&state) % 60 : 0};
			read_plainly(&want, header);
			if (stops && want.items < want.stop_at)
				want.stop_at = 0;
			save_text(file_a, source == AN_OFFSET ? "too early" : "");
			if (!one_way(kind, source, j, range, header)) {
				printf("# content %d, kind %d, source %d, %u threads, range %zu, header %d, "
				    "stop at %zu\n", content, kind, source, j, range, header, want.stop_at);
				CHECK(!"all ways give the same");
				return;
			}
		}
	}
	unlink(file_a);
}

/* Names of inputs and their items, as they end. */
static char ended[1000];

static void
input_end(void *context, const char *name)
{
	struct outcome *o = context;

	snprintf(ended + strlen(ended), sizeof ended - strlen(ended), "%s %zu,", name, o->items);
}

static void
inputs_end_one_after_another(void)
{
	static char *operands[] = {
		file_a, dash, file_b, dash, file_a
	};

	text_len = 0;
	put("h,wanted\n1,a\n2,b", 16);
	save_text(file_a, "");
	text_len = 0;
	put("wanted,h\nc,1\nd,2\ne,3\n", 21);
	save_text(file_b, "");
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct job job = job_of(INORDER, threads, 4, true);
		int in = open(file_b, O_RDONLY);
		job.input_end = input_end;
		*ended = '\0';
		got = (struct outcome){0};
		run(&job, in, 5, operands);
		close(in);
		CHECK_EQ(got.len, 20);
		CHECK(memcmp(got.out, "a|b|c|d|e|c|d|e|a|b|", 20) == 0);
		CHECK(strcmp(ended, "a 2,standard input 5,b 8,standard input 8,a 10,") == 0);
	}
	unlink(file_a);
	unlink(file_b);
}

/* Where each stops, inorder has had all before it and nothing else, however
 * the batches were shared out. */
static enum verdict
each_stops(void *context, unsigned worker, struct batch *b)
{
	(void)context;
	(void)worker;
	for (size_t i = 0; i < b->n; i++)
		if (slice_equal(b->item[i], slice_of("stop")))
			return STOP;
	return GO_ON;
}

static void
a_batch_that_each_stops_at_is_not_handed_on(void)
{
	static char *operands[] = {file_a};

	text_len = 0;
	for (int i = 0; i < 1024; i++)
		put("go\n", 3);
	put("stop\nlate\n", 10);
	save_text(file_a, "");
	for (unsigned threads = 1; threads <= 3; threads++) {
		for (int piped = 0; piped < 2; piped++) {
			/* One block holds all: batches of 256 from its start. */
			struct job job = job_of(INORDER, threads, 4096, false);
			int in = pipe_of_text();
			job.each = each_stops;
			got = (struct outcome){0};
			run(&job, in, !piped, operands);
			close(in);
			CHECK_EQ(got.items, 1024);
		}
	}
	unlink(file_a);
}

/* Workers that wait for each other in each do not wait for ever. */
static pthread_barrier_t meeting;
static _Atomic unsigned met;

static enum verdict
each_meets(void *context, unsigned worker, struct batch *b)
{
	if (met++ < 2)
		pthread_barrier_wait(&meeting);
	return each(context, worker, b);
}

static void
two_workers_meet_in_each(void)
{
	static char *operands[] = {file_a};

	fill(SHORT_LINES, 64, false);
	save_text(file_a, "");
	want = (struct outcome){0};
	read_plainly(&want, false);
	for (int kind = EACH; kind <= INORDER; kind++) {
		for (int piped = 0; piped < 2; piped++) {
			struct job job = job_of(kind, 2, 64, false);
			int in = pipe_of_text();
			job.each = each_meets;
			met = 0;
			pthread_barrier_init(&meeting, NULL, 2);
			got = (struct outcome){0};
			run(&job, in, !piped, operands);
			CHECK_EQ(got.sum, want.sum);
			CHECK_EQ(got.len, kind == INORDER ? want.len : 0);
			pthread_barrier_destroy(&meeting);
			close(in);
		}
	}
	unlink(file_a);
}

/* A log that others write to or cut short while we read it. */
static int changing;
static off_t new_size;
static _Atomic bool changed;

static enum verdict
each_changes(void *context, unsigned worker, struct batch *b)
{
	if (!atomic_exchange(&changed, true))
		CHECK(new_size > 0 ? pwrite(changing, "late\nlater\n", 11, new_size) == 11 :
		    ftruncate(changing, 100) == 0);
	return each(context, worker, b);
}

static void
a_file_that_changes_while_it_is_read(void)
{
	static char *operands[] = {file_a};

	for (unsigned threads = 1; threads <= 8; threads++) {
		for (int grows = 0; grows < 2; grows++) {
			struct job job = job_of(EACH, threads, 64, false);
			fill(SHORT_LINES, 64, false);
			save_text(file_a, "");
			want = (struct outcome){0};
			read_plainly(&want, false);
			changing = open(file_a, O_RDWR);
			new_size = grows ? (off_t)text_len : 0;
			changed = false;
			job.each = each_changes;
			got = (struct outcome){0};
			run(&job, 0, 1, operands);
			close(changing);
			if (grows && threads == 1)
				CHECK_EQ(got.each_items, want.items + 2);
			CHECK(got.each_items <= want.items + (grows ? 2 : 0));
			CHECK(got.each_items >= (grows ? want.items : 1));
		}
	}
	unlink(file_a);
}

/* Standard input beyond the end of a file that was cut short. */
static void
an_offset_behind_the_end_is_an_empty_input(void)
{
	fill(SHORT_LINES, 64, false);
	save_text(file_a, "");
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct job job = job_of(INORDER, threads, 7, false);
		int in = open(file_a, O_RDONLY);
		CHECK(lseek(in, (off_t)text_len + 5000, SEEK_SET) > 0);
		got = (struct outcome){0};
		struct intake tally = run(&job, in, 0, NULL);
		CHECK_EQ(tally.lines, 0);
		close(in);
	}
	unlink(file_a);
}

static void
threads_are_as_many_as_asked_for(void)
{
	struct job job = {.threads = 3};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	CHECK_EQ(parallel_workers(&job), 3);
	job.threads = 1000;
	CHECK_EQ(parallel_workers(&job), WORKERS_MAX);
	job.threads = THREADS_ALL;
	CHECK(parallel_workers(&job) >= 1 && parallel_workers(&job) <= (unsigned)processors);
	job.threads = 0;
	CHECK(parallel_workers(&job) >= 1 && parallel_workers(&job) <= 8);
}

int
main(void)
{
	char folder[] = "/tmp/parallel-XXXXXX";

	tool_start("parallel_test");
	CHECK(mkdtemp(folder) && chdir(folder) == 0);
	RUN(all_ways_give_what_a_plain_reading_gives);
	RUN(inputs_end_one_after_another);
	RUN(a_batch_that_each_stops_at_is_not_handed_on);
	RUN(two_workers_meet_in_each);
	RUN(a_file_that_changes_while_it_is_read);
	RUN(an_offset_behind_the_end_is_an_empty_input);
	RUN(threads_are_as_many_as_asked_for);
	rmdir(folder);
	return check_done();
}
