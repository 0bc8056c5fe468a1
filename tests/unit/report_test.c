/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/report.h"
#include "check.h"

/* What a child wrote to standard error, and its exit status. */
static char said[100000];
static size_t said_len;

static int
in_child(void (*run)(void))
{
	int ends[2], status;

	CHECK(pipe(ends) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		tool_start("tool");
		run();
		_exit(report_exit(EXIT_YES));
	}
	close(ends[1]);
	said_len = 0;
	for (ssize_t n; said_len < sizeof said - 1; said_len += (size_t)n)
		if ((n = read(ends[0], said + said_len, sizeof said - 1 - said_len)) <= 0)
			break;
	said[said_len] = '\0';
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
check_said(const char *want)
{
	if (strcmp(said, want) != 0)
		printf("# said: %s", said);
	CHECK(strcmp(said, want) == 0);
}

static void
die_of_system(void)
{
	errno = ENOENT;
	die(STATUS_SYSTEM, "cannot open '%s'", "a.sk");
}

static void
die_of_sketch(void)
{
	die(STATUS_PAYLOAD, "cannot load '%s'", "a.sk");
}

static void
die_of_usage(void)
{
	die_usage("option '--fpp' needs a share in %s", "0..0.5");
}

static void
dying_says_one_line_and_the_right_status(void)
{
	CHECK_EQ(in_child(die_of_system), 3);
	check_said("tool: cannot open 'a.sk': No such file or directory\n");
	CHECK_EQ(in_child(die_of_sketch), 4);
	check_said("tool: cannot load 'a.sk': payload checksum differs\n");
	CHECK_EQ(in_child(die_of_usage), 2);
	check_said("tool: option '--fpp' needs a share in 0..0.5\n");
}

static void
each_status_has_its_exit(void)
{
	CHECK_EQ(status_exit(OK), 0);
	CHECK_EQ(status_exit(STATUS_END), 0);
	CHECK_EQ(status_exit(STATUS_MEMORY), 3);
	CHECK_EQ(status_exit(STATUS_SYSTEM), 3);
	CHECK_EQ(status_exit(STATUS_BUSY), 3);
	for (int st = STATUS_EMPTY; st <= STATUS_MISMATCH; st++)
		CHECK_EQ(status_exit((enum status)st), 4);
}

static void
say_hostile(void)
{
	note("a\nb\t\033[2Jc\x7f" "d\xc2\x9b" "e\xc3\xa9%s", "\r\x01");
}

static void
control_bytes_are_masked(void)
{
	CHECK_EQ(in_child(say_hostile), 0);
	check_said("tool: a?b??[2Jc?d??e\xc3\xa9??\n");
}

static char long_name[20000];

static void
say_long(void)
{
	memset(long_name, 'x', sizeof long_name - 1);
	errno = ENAMETOOLONG;
	complain(STATUS_SYSTEM, "cannot open '%s'", long_name);
}

static void
a_long_message_keeps_its_reason(void)
{
	static const char end[] = "xxx...: File name too long\n";

	CHECK_EQ(in_child(say_long), 3);
	CHECK(said_len > 4000 && said_len <= 8192);
	CHECK(strncmp(said, "tool: cannot open 'xxx", 22) == 0);
	CHECK(strcmp(said + said_len - strlen(end), end) == 0);
	CHECK(strchr(said, '\n') == said + said_len - 1);
}

static void
complain_sketch_then_system(void)
{
	complain(STATUS_FOREIGN, "cannot load 'a'");
	errno = EACCES;
	complain(STATUS_SYSTEM, "cannot open 'b'");
	lament("1 line rejected");
	report_strict(true);
}

static void
complain_system_then_sketch(void)
{
	complain(STATUS_MEMORY, "cannot load 'a'");
	complain(STATUS_FOREIGN, "cannot load 'b'");
	if (report_exit(EXIT_NO) != 3 || report_exit(EXIT_SKETCH) != 3)
		_exit(99);
}

static void
of_several_failures_the_first_counts(void)
{
	CHECK_EQ(in_child(complain_sketch_then_system), 4);
	check_said("tool: cannot load 'a': not a sketch\n"
	    "tool: cannot open 'b': Permission denied\ntool: 1 line rejected\n");
	CHECK_EQ(in_child(complain_system_then_sketch), 3);
}

static void
lament_leniently(void)
{
	lament("1 line rejected");
	if (report_exit(EXIT_NO) != 1 || report_exit(EXIT_SYSTEM) != 3)
		_exit(99);
}

static void
lament_strictly(void)
{
	report_strict(true);
	if (report_exit(EXIT_NO) != 1)
		_exit(99);
	lament("1 line rejected");
	if (report_exit(EXIT_NO) != 5 || report_exit(EXIT_USAGE) != 2 ||
	    report_exit(EXIT_SYSTEM) != 3 || report_exit(EXIT_SKETCH) != 4)
		_exit(99);
}

static void
laments_count_only_when_strict(void)
{
	CHECK_EQ(in_child(lament_leniently), 0);
	check_said("tool: 1 line rejected\n");
	CHECK_EQ(in_child(lament_strictly), 5);
}

static void
hook_one(void)
{
	if (write(STDERR_FILENO, "1", 1) != 1)
		_exit(98);
}

static void
hook_two(void)
{
	if (write(STDERR_FILENO, "2\n", 2) != 2)
		_exit(98);
}

static void
die_with_hooks(void)
{
	report_at_exit(hook_one);
	report_at_exit(hook_two);
	report_at_exit(hook_one);
	die(STATUS_MEMORY, "cannot go on");
}

static void
hooks_run_once_before_the_end(void)
{
	CHECK_EQ(in_child(die_with_hooks), 3);
	check_said("tool: cannot go on: not enough memory\n12\n");
}

enum { THREADS = 8, LINES = 200 };

static void *
complain_often(void *unused)
{
	for (int i = 0; i < LINES; i++)
		complain(STATUS_FOREIGN, "cannot load '%d'", i);
	return unused;
}

static void *
die_at_once(void *unused)
{
	die(STATUS_MEMORY, "cannot go on");
	return unused;
}

static void
run_threads(void *(*run)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			_exit(99);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void
complain_in_threads(void)
{
	run_threads(complain_often);
}

static void
die_in_threads(void)
{
	run_threads(die_at_once);
}

static void
threads_may_report_and_one_of_them_die(void)
{
	unsigned lines = 0, whole = 0;

	CHECK_EQ(in_child(complain_in_threads), 4);
	for (char *p = said, *end; (end = strchr(p, '\n')) != NULL; p = end + 1, lines++) {
		static const char head[] = "tool: cannot load '", tail[] = "': not a sketch\n";
		size_t digits = 0;
		if (strncmp(p, head, strlen(head)) == 0)
			digits = strspn(p + strlen(head), "0123456789");
		whole += digits > 0 &&
		    strncmp(p + strlen(head) + digits, tail, strlen(tail)) == 0;
	}
	CHECK_EQ(lines, THREADS * LINES);
	CHECK_EQ(whole, lines);
	CHECK_EQ(in_child(die_in_threads), 3);
	check_said("tool: cannot go on: not enough memory\n");
}

/* The descriptors were closed before tool_start; using them must fail, and
 * no later open may land on them. */
static int
start_closed(void)
{
	char c;

	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	tool_start("tool");
	int next = open("/dev/null", O_RDWR);
	if (next < 3)
		return 10;
	if (read(0, &c, 1) != -1 || write(1, "x", 1) != -1 || write(2, "x", 1) != -1)
		return 11;
	note("nobody hears this");
	return 0;
}

static int
start_open(void)
{
	int ends[2];
	char c = 0;

	if (pipe(ends) == -1 || dup2(ends[0], 0) == -1 || dup2(ends[1], 1) == -1)
		return 10;
	tool_start("tool");
	if (write(1, "x", 1) != 1 || read(0, &c, 1) != 1 || c != 'x')
		return 11;
	return 0;
}

static int
start_limited(void)
{
	struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
	char name[] = "/tmp/report_test.XXXXXX";
	int fd = mkstemp(name);

	tool_start("tool");
	unlink(name);
	setrlimit(RLIMIT_FSIZE, &limit);
	return write(fd, "xx", 2) != 1 || write(fd, "x", 1) != -1 || errno != EFBIG;
}

static int
fork_status(int (*run)(void))
{
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(run());
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void
closed_descriptors_fail_and_are_never_ours(void)
{
	CHECK_EQ(fork_status(start_closed), 0);
	CHECK_EQ(fork_status(start_open), 0);
}

static void
a_size_limit_is_an_error_not_a_death(void)
{
	CHECK_EQ(fork_status(start_limited), 0);
}

int
main(void)
{
	RUN(dying_says_one_line_and_the_right_status);
	RUN(each_status_has_its_exit);
	RUN(control_bytes_are_masked);
	RUN(a_long_message_keeps_its_reason);
	RUN(of_several_failures_the_first_counts);
	RUN(laments_count_only_when_strict);
	RUN(hooks_run_once_before_the_end);
	RUN(threads_may_report_and_one_of_them_die);
	RUN(closed_descriptors_fail_and_are_never_ours);
	RUN(a_size_limit_is_an_error_not_a_death);
	return check_done();
}
