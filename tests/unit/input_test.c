/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Inputs that are refused, fail in the middle, or come slowly. A refusal ends
 * the program, so each case has a child of its own.
 */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/lines/input.h"
#include "tool/output.h"
#include "tool/lines/parallel.h"
#include "tool/report.h"
#include "check.h"

static char file_a[] = "a", file_b[] = "b", none[] = "none", folder[] = ".", dash[] = "-",
    fifo_name[] = "fifo", log_name[] = "log";

static enum verdict
echo(void *context, unsigned worker, struct batch *b)
{
	unsigned char end = *(unsigned char *)context;

	for (size_t i = 0; i < b->n; i++) {
		parallel_write(worker, b->item[i].at, b->item[i].len);
		parallel_write(worker, &end, 1);
	}
	return GO_ON;
}

static unsigned char end = '\n';
static struct job job;
static char *operands[4];
static int count;

/* A job that writes its lines, for the children to run. */
static void
echo_job(unsigned threads, size_t range, bool header)
{
	job = (struct job){
		.scan = {.end = end, .want_items = true}, .header = header, .threads = threads,
		.range = range, .writes = true, .go_on = true, .progress = PROGRESS_NEVER,
		.context = &end, .each = echo,
	};
	count = 0;
}

static int from, err;
static char printed[70000], said[2000];

static pid_t
start(int in)
{
	int out_ends[2], err_ends[2];

	fflush(stdout);
	CHECK(pipe(out_ends) == 0 && pipe(err_ends) == 0);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		dup2(in, 0);
		dup2(out_ends[1], 1);
		dup2(err_ends[1], 2);
		for (int fd = 3; fd < 20; fd++)
			close(fd);
		tool_start("test");
		parallel_run(&job, count, operands);
		exit(output_finish(0));
	}
	close(out_ends[1]);
	close(err_ends[1]);
	from = out_ends[0];
	err = err_ends[0];
	return pid;
}

static void
read_all(int fd, char *to, size_t room)
{
	size_t n = 0;
	ssize_t got;

	while (n < room - 1 && (got = read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)got;
	to[n] = '\0';
	close(fd);
}

static int
finish(pid_t pid)
{
	int status;

	read_all(from, printed, sizeof printed);
	read_all(err, said, sizeof said);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void
save(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(name, "wb");

	CHECK(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static const struct {
	const char *bytes;
	size_t len;
	enum status st;
	bool more;
} starts[] = {
	{"", 0, OK, true},
	{"\x8a", 1, OK, true},
	{"\x8asketch", 7, OK, false},
	{"\x8askch\r\n\x1a", 8, STATUS_NOT_SKETCH, false},
	{"\x1f", 1, OK, true},
	{"\x1f\x8b", 2, OK, true},
	{"\x1f\x8b\x07", 3, OK, false},
	{"\x1f\x8b\x08", 3, STATUS_NOT_GZIP, false},
	{"\x28\xb5\x2f", 3, OK, true},
	{"(", 1, OK, true},
	{"(a", 2, OK, false},
	{"\x28\xb5\x2f\xfd", 4, STATUS_NOT_ZSTD, false},
	{"\xfd" "7zX", 4, OK, true},
	{"\xfd" "7zXZ", 5, OK, true},
	{"\xfd" "7zXZ\0", 6, STATUS_NOT_XZ, false},
	{"\xfd" "7zXZZ", 6, OK, false},
	{"B", 1, OK, true},
	{"BZ\n", 3, OK, false},
	{"BZh", 3, OK, true},
	{"BZh91AY&SY", 10, STATUS_NOT_BZIP2, false},
	{"BZh91AY&S", 9, OK, true},
	{"BZh91AY&Sy", 10, OK, false},
	{"BZhello\n", 8, OK, false},
	{"text", 4, OK, false},
	{"\0", 1, OK, false},
};

static void
the_first_bytes_tell(void)
{
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		bool more;
		struct slice start = {(const unsigned char *)starts[i].bytes, starts[i].len};
		CHECK_EQ(input_sniff(start, &more), starts[i].st);
		if (starts[i].st == OK)
			CHECK_EQ(more, starts[i].more);
		if (check_failures) {
			printf("# row %zu\n", i);
			return;
		}
	}
}

/* Refused from a file and a pipe, however small the pieces; the next operand
 * is read all the same. What only looks like it is read. */
static void
what_cannot_be_lines_is_refused(void)
{
	static const char *reason[] = {
		[STATUS_NOT_SKETCH] = "it is a sketch, not lines",
		[STATUS_NOT_GZIP] = "it is gzip data, not lines (use zcat FILE | ...)",
		[STATUS_NOT_ZSTD] = "it is zstd data, not lines (use zstdcat FILE | ...)",
		[STATUS_NOT_XZ] = "it is xz data, not lines (use xzcat FILE | ...)",
		[STATUS_NOT_BZIP2] = "it is bzip2 data, not lines (use bzcat FILE | ...)",
	};

	save(file_b, "after\n", 6);
	for (unsigned way = 0; way < sizeof starts / sizeof *starts * 12; way++) {
		unsigned row = way / 12;
		bool piped = way % 2, small = way / 2 % 2;
		unsigned threads = way / 4 % 3 + 1;
		size_t len = starts[row].len, n = 0;
		unsigned char bytes[30];
		char wanted[100];
		int ends[2];

		memcpy(bytes, starts[row].bytes, len);
		if (starts[row].st != OK)
			memcpy(bytes + len, "\nmore\nlines", 11);
		len += starts[row].st != OK ? 11 : 0;
		save(file_a, bytes, len);
		CHECK(pipe(ends) == 0 && write(ends[1], bytes, len) == (ssize_t)len);
		close(ends[1]);
		/* A range of one byte is also a read of one byte. */
		echo_job(threads, small ? 1 : 4096, false);
		operands[count++] = piped ? dash : file_a;
		operands[count++] = file_b;
		int status = finish(start(ends[0]));
		close(ends[0]);
		if (starts[row].st != OK) {
			CHECK_EQ(status, 3);
			CHECK(strcmp(printed, "after\n") == 0);
			snprintf(wanted, sizeof wanted, "test: cannot read '%s': %s\n",
			    piped ? "standard input" : "a", reason[starts[row].st]);
			CHECK(strcmp(said, wanted) == 0);
		} else {
			CHECK_EQ(status, 0);
			CHECK(*said == '\0');
			n = len && bytes[len - 1] != '\n' ? len + 1 : len;
			CHECK(memcmp(printed, bytes, len) == 0 && strcmp(printed + n, "after\n") == 0);
		}
		if (check_failures) {
			printf("# row %u, piped %d, small %d, %u threads: '%s'\n", row, piped, small, threads,
			    said);
			return;
		}
	}
}

static void
a_filter_goes_on_behind_what_it_cannot_read(void)
{
	save(file_a, "one\ntwo", 7);
	save(file_b, "three\n", 6);
	for (unsigned threads = 1; threads <= 3; threads++) {
		echo_job(threads, 3, false);
		operands[count++] = file_a;
		operands[count++] = none;
		operands[count++] = folder;
		operands[count++] = file_b;
		CHECK_EQ(finish(start(0)), 3);
		CHECK(strcmp(printed, "one\ntwo\nthree\n") == 0);
		CHECK(strcmp(said, "test: cannot open 'none': No such file or directory\n"
		    "test: cannot open '.': Is a directory\n") == 0);

		/* What has one answer about all stops there and gives none. */
		job.go_on = false;
		CHECK_EQ(finish(start(0)), 3);
		CHECK(*printed == '\0');
		CHECK(strcmp(said, "test: cannot open 'none': No such file or directory\n") == 0);
	}
}

/* A connection that breaks behind 3000 lines: all of them count. */
static void
lines_before_a_read_error_count(void)
{
	char lines[3000 * 6 + 1], *p = lines;

	for (int i = 0; i < 3000; i++)
		p += sprintf(p, "%05d\n", i);
	for (unsigned threads = 1; threads <= 8; threads++) {
		for (int header = 0; header < 2; header++) {
			int ends[2];
			CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
			/* Closed with bytes unread, it breaks the connection. */
			CHECK(write(ends[0], "x", 1) == 1);
			CHECK(write(ends[1], lines, sizeof lines - 1) == sizeof lines - 1);
			close(ends[1]);
			echo_job(threads, 64, header);
			CHECK_EQ(finish(start(ends[0])), 3);
			close(ends[0]);
			CHECK(strcmp(printed, lines + 6 * header) == 0);
			CHECK(strcmp(said, "test: cannot read 'standard input': "
			    "Connection reset by peer\n") == 0);
		}
	}
}

/* Whoever waits for an answer before asking again gets it. The minute is for
 * a failure to be told rather than to hang. */
static bool
answered(const char *line)
{
	char got[100];
	size_t n = 0;

	while (n < strlen(line)) {
		struct pollfd ready = {.fd = from, .events = POLLIN};
		ssize_t more = poll(&ready, 1, 60000) == 1 ? read(from, got + n, sizeof got - n) : 0;
		if (more <= 0)
			return false;
		n += (size_t)more;
	}
	return n == strlen(line) && memcmp(got, line, n) == 0;
}

static void
answers_come_before_the_next_question(void)
{
	unsigned before = check_failures;
	char line[50];

	for (unsigned way = 0; way < 32 && check_failures == before; way++) {
		unsigned threads = 1 + way % 4;
		bool header = way / 4 % 2, fifo = way / 8 % 2, parts = way / 16;
		int ends[2] = {0, -1};

		echo_job(threads, 0, header);
		if (fifo) {
			CHECK(mkfifo(fifo_name, 0600) == 0);
			ends[1] = open(fifo_name, O_RDWR);
			operands[count++] = fifo_name;
		} else {
			CHECK(pipe(ends) == 0);
		}
		pid_t pid = start(ends[0]);
		for (int i = 0; i < 20; i++) {
			int n = sprintf(line, "question %d\n", i);
			/* In parts, the start of the next line lies behind each. */
			if (!parts)
				CHECK(write(ends[1], line, (size_t)n) == n);
			else
				CHECK(write(ends[1], line + (i > 0), (size_t)n - (i > 0)) == n - (i > 0) &&
				    write(ends[1], "q", 1) == 1);
			if (!(header && i == 0) && !answered(line)) {
				CHECK(!"the answer has come");
				printf("# line %d, %u threads, header %d, fifo %d, parts %d\n", i, threads, header,
				    fifo, parts);
				break;
			}
		}
		close(ends[1]);
		CHECK_EQ(finish(pid), 0);
		CHECK(strcmp(printed, parts ? "q\n" : "") == 0);
		if (fifo)
			unlink(fifo_name);
		else
			close(ends[0]);
	}
}

static void
the_same_file_in_and_out_is_refused(void)
{
	int fd = open(log_name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int status;

	CHECK(fd >= 0 && write(fd, "one\n", 4) == 4);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fd, 1);
		dup2(open("said", O_WRONLY | O_CREAT, 0600), 2);
		echo_job(1, 0, false);
		operands[count++] = log_name;
		tool_start("test");
		parallel_run(&job, count, operands);
		exit(output_finish(0));
	}
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 2);
	read_all(open("said", O_RDONLY), said, sizeof said);
	CHECK(strcmp(said, "test: 'log' is both input and standard output\n") == 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 4);
	close(fd);
	unlink(log_name);
	unlink("said");
}

/* A pipe that somebody has made larger than we would is left so. */
static void
a_large_pipe_stays_large(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	int size = fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	CHECK(write(ends[1], "one\n", 4) == 4);
	close(ends[1]);
	echo_job(1, 0, false);
	CHECK_EQ(finish(start(ends[0])), 0);
	if (size >= 0)
		CHECK_EQ(fcntl(ends[0], F_GETPIPE_SZ), size);
	close(ends[0]);
}

static void
header_errors_are_told(void)
{
	static const struct {
		const char *file, *said;
	} rows[] = {
		{"a,b\n", "test: cannot find field 'c' in the header of 'a'\n"},
		{"\n", "test: cannot find field 'c' in the header of 'a'\n"},
		{"a,\"c\n", "test: cannot read the header of 'a': a quote is open at its end\n"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		save(file_a, rows[i].file, strlen(rows[i].file));
		echo_job(1, 0, true);
		job.scan.mode = FIELD_CSV;
		job.scan.delimiter = ',';
		CHECK(!fields_parse("c", &job.scan.item));
		operands[count++] = file_a;
		CHECK_EQ(finish(start(0)), 2);
		CHECK(strcmp(said, rows[i].said) == 0);
	}

	/* 5000 columns, the last one wanted. */
	FILE *f = fopen(file_a, "wb");
	for (int i = 1; i <= 10000; i++)
		fprintf(f, "%s%d%c", i <= 5000 ? "n" : "", i, i % 5000 ? ',' : '\n');
	fclose(f);
	CHECK(!fields_parse("n5000", &job.scan.item));
	CHECK_EQ(finish(start(0)), 0);
	CHECK(strcmp(printed, "10000\n") == 0);
}

int
main(void)
{
	char scratch[] = "/tmp/input-XXXXXX";

	signal(SIGPIPE, SIG_IGN);
	CHECK(mkdtemp(scratch) && chdir(scratch) == 0);
	RUN(the_first_bytes_tell);
	RUN(what_cannot_be_lines_is_refused);
	RUN(a_filter_goes_on_behind_what_it_cannot_read);
	RUN(lines_before_a_read_error_count);
	RUN(answers_come_before_the_next_question);
	RUN(the_same_file_in_and_out_is_refused);
	RUN(a_large_pipe_stays_large);
	RUN(header_errors_are_told);
	unlink(file_a);
	unlink(file_b);
	rmdir(scratch);
	return check_done();
}
