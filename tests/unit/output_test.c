/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/output.h"
#include "tool/report.h"
#include "check.h"

/* What a child printed, and what it said on standard error. */
static char printed[1 << 20], said[1000];
static size_t printed_len;

static size_t
read_all(int fd, char *to, size_t room)
{
	size_t len = 0;

	for (ssize_t n; len < room; len += (size_t)n)
		if ((n = read(fd, to + len, room - len)) <= 0)
			break;
	close(fd);
	return len;
}

/* Start a child whose standard output is out, or the other end of a pipe of
 * which *from is for us to read if out is -1. Its stderr can be read at *err. */
static pid_t
start(int (*run)(void), int out, int *from, int *err)
{
	int pipe_out[2] = {-1, -1}, pipe_err[2] = {-1, -1};

	CHECK(pipe(pipe_out) == 0 && pipe(pipe_err) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out == -1 ? pipe_out[1] : out, STDOUT_FILENO);
		dup2(pipe_err[1], STDERR_FILENO);
		for (int fd = 3; fd < 20; fd++)
			close(fd);
		tool_start("tool");
		_exit(run());
	}
	close(pipe_out[1]);
	close(pipe_err[1]);
	*from = pipe_out[0];
	*err = pipe_err[0];
	return pid;
}

/* Its exit status, or minus the signal. */
static int
finish(pid_t pid, int err)
{
	int status;

	said[read_all(err, said, sizeof said - 1)] = '\0';
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Run to the end, standard output a pipe (-1) or a file that is closed here. */
static int
in_child(int (*run)(void), int out)
{
	int from, err;
	pid_t pid = start(run, out, &from, &err);

	printed_len = read_all(from, printed, sizeof printed);
	if (out != -1)
		close(out);
	return finish(pid, err);
}

static bool
printed_is(const char *want)
{
	return printed_len == strlen(want) && memcmp(printed, want, printed_len) == 0;
}

static int
print_kinds(void)
{
	output_start();
	output_bytes("a\0b", 3);
	output_bytes(NULL, 0);
	output_text(" text ");
	output_count(0);
	output_byte(' ');
	output_count(10);
	output_byte(' ');
	output_count(UINT64_MAX);
	output_format(" %s=%.2f", "x", 0.5);
	memcpy(output_room(6), " kept!", 6);
	output_keep(5);
	memcpy(output_room(4), "lost", 4);
	output_byte('\n');
	return output_finish(EXIT_NO);
}

static void
all_kinds_come_out_in_order(void)
{
	static const char want[] = "a\0b text 0 10 18446744073709551615 x=0.50 kept\n";

	CHECK_EQ(in_child(print_kinds, -1), 1);
	CHECK_EQ(printed_len, sizeof want - 1);
	CHECK(memcmp(printed, want, sizeof want - 1) == 0);
	CHECK(*said == '\0');
}

/* 900,000 bytes of a pattern, in pieces of all sizes and by all ways. */
enum { TOTAL = 900000 };

static unsigned char
pattern(size_t i)
{
	return (unsigned char)('a' + (i ^ i >> 7) % 26);
}

static int
print_pieces(void)
{
	static char text[TOTAL + 1];
	static const size_t sizes[] = {1, 77, 4096, 262143, 3, 262144, 262145, 5000, 300000};

	for (size_t i = 0; i < TOTAL; i++)
		text[i] = (char)pattern(i);
	output_start();
	for (size_t at = 0, k = 0; at < TOTAL; k++) {
		size_t n = sizes[k % (sizeof sizes / sizeof *sizes)];
		n = n < TOTAL - at ? n : TOTAL - at;
		if (k % 3 == 0) {
			output_format("%.*s", (int)n, text + at);
		} else if (k % 3 == 1 && n <= OUTPUT_SIZE) {
			memcpy(output_room(n), text + at, n);
			output_keep(n);
		} else {
			output_bytes(text + at, n);
		}
		at += n;
	}
	if (output_room(OUTPUT_SIZE + 1) != NULL)
		return 99;
	return output_finish(EXIT_YES);
}

static void
check_pattern(void)
{
	size_t good = 0;

	while (good < printed_len && (unsigned char)printed[good] == pattern(good))
		good++;
	CHECK_EQ(printed_len, TOTAL);
	CHECK_EQ(good, TOTAL);
}

static void
pieces_of_any_size_are_whole(void)
{
	CHECK_EQ(in_child(print_pieces, -1), 0);
	check_pattern();
}

static void
interrupt(int number)
{
	(void)number;
}

/* The pipe does not block, its reader is slow, and signals interrupt. */
static int
print_slowly(void)
{
	struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGUSR1, &action, NULL);
	fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
	return print_pieces();
}

static void
a_slow_reader_and_signals_lose_nothing(void)
{
	int from, err;
	pid_t pid = start(print_slowly, -1, &from, &err);

	/* The first bytes say that the handler is in place. */
	printed_len = 0;
	for (ssize_t n = 1; n > 0 && printed_len < sizeof printed; printed_len += (size_t)n) {
		size_t room = sizeof printed - printed_len;
		n = read(from, printed + printed_len, room < 30000 ? room : 30000);
		if (n < 0)
			break;
		kill(pid, SIGUSR1);
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	close(from);
	CHECK_EQ(finish(pid, err), 0);
	check_pattern();
}

static int
print_one_line(void)
{
	output_start();
	output_text("line\n");
	return output_finish(EXIT_YES);
}

static int
print_nothing(void)
{
	output_start();
	return output_finish(EXIT_YES);
}

static int
print_closed(void)
{
	close(STDOUT_FILENO);
	tool_start("tool");
	return print_one_line();
}

static int
print_nothing_closed(void)
{
	close(STDOUT_FILENO);
	tool_start("tool");
	return print_nothing();
}

static void
what_cannot_be_written_is_status_3(void)
{
	static const char full[] = "tool: cannot write standard output: No space left on device\n";

	CHECK_EQ(in_child(print_one_line, open("/dev/full", O_WRONLY)), 3);
	CHECK(strcmp(said, full) == 0);
	CHECK_EQ(in_child(print_pieces, open("/dev/full", O_WRONLY)), 3);
	CHECK(strcmp(said, full) == 0);
	CHECK_EQ(in_child(print_nothing, open("/dev/full", O_WRONLY)), 0);
	CHECK(*said == '\0');
	CHECK_EQ(in_child(print_closed, -1), 3);
	CHECK(strcmp(said, "tool: cannot write standard output: Bad file descriptor\n") == 0);
	CHECK_EQ(in_child(print_nothing_closed, -1), 0);
}

static int
print_much(void)
{
	for (int i = 0; i < 100000000; i++)
		output_text("line\n");
	return output_finish(EXIT_YES);
}

static int
print_much_ignoring(void)
{
	signal(SIGPIPE, SIG_IGN);
	return print_much();
}

static int
run_without_reader(int (*run)(void))
{
	int from, err;
	pid_t pid = start(run, -1, &from, &err);

	close(from);
	return finish(pid, err);
}

static void
a_reader_that_leaves_ends_it(void)
{
	CHECK_EQ(run_without_reader(print_much), -SIGPIPE);
	CHECK(*said == '\0');
	CHECK_EQ(run_without_reader(print_much_ignoring), 3);
	CHECK(strcmp(said, "tool: cannot write standard output: Broken pipe\n") == 0);
}

static int
print_then_die(void)
{
	output_text("half an answer");
	die(STATUS_MEMORY, "cannot go on");
}

static int
flush_then_die(void)
{
	output_text("a line\n");
	output_flush();
	return print_then_die();
}

static int
print_and_complain(void)
{
	complain(STATUS_EMPTY, "cannot load 'x'");
	return print_one_line();
}

static void
dying_prints_no_half_answer(void)
{
	CHECK_EQ(in_child(print_then_die, -1), 3);
	CHECK_EQ(printed_len, 0);
	CHECK_EQ(in_child(flush_then_die, -1), 3);
	CHECK(printed_is("a line\n"));
	CHECK_EQ(in_child(print_and_complain, -1), 4);
	CHECK(printed_is("line\n"));
}

static int
pipe_is_large(void)
{
	int other_pipe[2];

	output_start();
#ifdef F_GETPIPE_SZ
	/* Unless this user's quota of pipe memory is used up. */
	int size = fcntl(STDOUT_FILENO, F_GETPIPE_SZ);
	return pipe(other_pipe) == -1 || (size != (int)OUTPUT_SIZE &&
	    fcntl(other_pipe[0], F_SETPIPE_SZ, (int)OUTPUT_SIZE) != -1);
#else
	return pipe(other_pipe) == -1;
#endif
}

static int
pipe_stays_larger(void)
{
#ifdef F_GETPIPE_SZ
	int size = fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
	output_start();
	return size != -1 && fcntl(STDOUT_FILENO, F_GETPIPE_SZ) != size;
#else
	return 0;
#endif
}

static void
a_pipe_is_enlarged_never_shrunk(void)
{
	CHECK_EQ(in_child(pipe_is_large, -1), 0);
	CHECK_EQ(in_child(pipe_stays_larger, -1), 0);
}

static int
refuse_terminal(void)
{
	output_refuse_terminal();
	return 0;
}

static int
open_terminal(int *leader)
{
	*leader = posix_openpt(O_RDWR | O_NOCTTY);
	if (*leader == -1 || grantpt(*leader) == -1 || unlockpt(*leader) == -1)
		return -1;
	return open(ptsname(*leader), O_RDWR | O_NOCTTY);
}

static void
a_terminal_is_refused(void)
{
	int leader, terminal = open_terminal(&leader);

	CHECK_EQ(in_child(refuse_terminal, -1), 0);
	if (terminal == -1) {
		printf("# no pseudo-terminal here\n");
		return;
	}
	CHECK_EQ(in_child(refuse_terminal, terminal), 2);
	CHECK(strcmp(said, "tool: will not write a sketch to a terminal; "
	    "use -o FILE or a pipe\n") == 0);
	close(leader);
}

static struct stat one, other;

static int
is_one_of_them(void)
{
	return output_is(&one) | output_is(&other) << 1;
}

static void
a_file_that_is_the_output_is_known(void)
{
	char name[] = "/tmp/output_test.XXXXXX", second[] = "/tmp/output_test.XXXXXX";
	int a = mkstemp(name), b = mkstemp(second);
	int null = open("/dev/null", O_WRONLY);

	CHECK(fstat(a, &one) == 0 && fstat(b, &other) == 0);
	unlink(name);
	unlink(second);
	CHECK_EQ(in_child(is_one_of_them, a), 1);
	CHECK_EQ(in_child(is_one_of_them, b), 2);
	CHECK_EQ(in_child(is_one_of_them, -1), 0);
	/* Devices are the same file often and harmlessly. */
	CHECK(fstat(null, &one) == 0);
	CHECK_EQ(in_child(is_one_of_them, null), 0);
}

int
main(void)
{
	/* Whoever started this test may ignore it. */
	signal(SIGPIPE, SIG_DFL);
	RUN(all_kinds_come_out_in_order);
	RUN(pieces_of_any_size_are_whole);
	RUN(a_slow_reader_and_signals_lose_nothing);
	RUN(what_cannot_be_written_is_status_3);
	RUN(a_reader_that_leaves_ends_it);
	RUN(dying_prints_no_half_answer);
	RUN(a_pipe_is_enlarged_never_shrunk);
	RUN(a_terminal_is_refused);
	RUN(a_file_that_is_the_output_is_known);
	return check_done();
}
