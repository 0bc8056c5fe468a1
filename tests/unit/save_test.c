/* sketchutils: BSD-2-Clause, see LICENSE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/report.h"
#include "tool/files/save.h"
#include "check.h"

/* Everything happens in a folder of our own, which is the current one. */
static char folder[64];

static void
put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	if (f) {
		fputs(text, f);
		CHECK(fclose(f) == 0);
	}
}

static bool
file_is(const char *path, const char *want)
{
	char got[1024];
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	size_t n = fread(got, 1, sizeof got, f);
	fclose(f);
	return n == strlen(want) && memcmp(got, want, n) == 0;
}

static mode_t
mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : (mode_t)-1;
}

/* Names in a folder that start with a dot and end in .new. */
static unsigned
temporaries_in(const char *path)
{
	DIR *d = opendir(path);
	unsigned n = 0;

	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		size_t len = strlen(e->d_name);
		n += *e->d_name == '.' && len > 4 && strcmp(e->d_name + len - 4, ".new") == 0;
	}
	if (d)
		closedir(d);
	return n;
}

static enum status
save_text(const char *path, const char *text)
{
	struct save s;
	enum status st = save_open(&s, path);

	if (st == OK)
		st = save_write(&s, text, strlen(text));
	if (st == OK)
		st = save_commit(&s);
	else
		save_abort(&s);
	return st;
}

/* Run in a child; its exit status, or minus the signal that killed it. */
static int
in_child(int (*run)(void))
{
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(run());
	while (waitpid(pid, &status, 0) == -1)
		;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void
a_new_file_obeys_the_umask(void)
{
	static const mode_t masks[] = {0, 022, 077};
	mode_t before = umask(0);

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		umask(masks[i]);
		unlink("new");
		CHECK_EQ(save_text("new", "text"), OK);
		CHECK(file_is("new", "text"));
		CHECK_EQ(mode_of("new"), 0666 & ~masks[i]);
	}
	umask(before);
	CHECK_EQ(temporaries_in("."), 0);
}

static void
an_old_mode_is_kept_and_never_exceeded(void)
{
	static const mode_t masks[] = {0, 022, 077};
	static const mode_t modes[] = {0600, 0644, 0444, 0666, 0640};
	mode_t before = umask(0);

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
			struct save s;
			umask(masks[i]);
			put_file("kept", "old");
			CHECK(chmod("kept", modes[k]) == 0);
			CHECK_EQ(save_open(&s, "kept"), OK);
			CHECK_EQ(mode_of(".kept.new"), modes[k]);
			CHECK_EQ(save_write(&s, "new", 3), OK);
			CHECK(file_is("kept", "old"));
			CHECK_EQ(save_commit(&s), OK);
			CHECK(file_is("kept", "new"));
			CHECK_EQ(mode_of("kept"), modes[k]);
			unlink("kept");
		}
	}
	umask(before);
}

static void
an_aborted_save_changes_nothing(void)
{
	struct save s = {0};

	save_abort(&s);
	put_file("a", "old");
	CHECK_EQ(save_open(&s, "a"), OK);
	CHECK_EQ(temporaries_in("."), 1);
	CHECK_EQ(save_write(&s, "new", 3), OK);
	save_abort(&s);
	save_abort(&s);
	CHECK(file_is("a", "old"));
	CHECK_EQ(temporaries_in("."), 0);
	CHECK_EQ(save_open(&s, "never"), OK);
	save_abort(&s);
	CHECK(access("never", F_OK) == -1);
}

static void
a_symlink_stays_and_its_target_is_replaced(void)
{
	struct stat st;
	char absolute[128];

	mkdir("sub", 0777);
	put_file("sub/real", "old");
	CHECK(symlink("sub/real", "first") == 0);
	snprintf(absolute, sizeof absolute, "%s/first", folder);
	CHECK(symlink(absolute, "sub/second") == 0);
	CHECK_EQ(save_text("sub/second", "new"), OK);
	CHECK(file_is("sub/real", "new"));
	CHECK(lstat("first", &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat("sub/second", &st) == 0 && S_ISLNK(st.st_mode));

	CHECK(symlink("sub/later", "dangling") == 0);
	CHECK_EQ(save_text("dangling", "made"), OK);
	CHECK(file_is("sub/later", "made"));
	CHECK(lstat("dangling", &st) == 0 && S_ISLNK(st.st_mode));

	CHECK(symlink("loop", "loop") == 0);
	CHECK_EQ(save_text("loop", "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, ELOOP);
	CHECK_EQ(temporaries_in(".") + temporaries_in("sub"), 0);
}

static int
read_fifo(void)
{
	return !file_is("fifo", "through");
}

static void
what_is_no_file_is_written_through(void)
{
	mode_t null_mode = mode_of("/dev/null");
	struct save s;
	int status;

	CHECK(mkfifo("fifo", 0600) == 0);
	fflush(stdout);
	pid_t reader = fork();
	if (reader == 0)
		_exit(read_fifo());
	CHECK_EQ(save_text("fifo", "through"), OK);
	CHECK(waitpid(reader, &status, 0) == reader && status == 0);
	CHECK_EQ(mode_of("fifo"), 0600);

	CHECK_EQ(save_text("/dev/null", "x"), OK);
	CHECK_EQ(mode_of("/dev/null"), null_mode);
	CHECK_EQ(save_open(&s, "/dev/full"), OK);
	CHECK_EQ(save_write(&s, "x", 1), STATUS_SYSTEM);
	CHECK_EQ(errno, ENOSPC);
	CHECK_EQ(save_commit(&s), STATUS_SYSTEM);
	CHECK_EQ(errno, ENOSPC);
}

static void
a_named_descriptor_goes_on_where_it_stands(void)
{
	char path[32];
	int fd = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	CHECK(write(fd, "one ", 4) == 4);
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	CHECK_EQ(save_text(path, "two "), OK);
	CHECK(symlink(path, "link") == 0);
	CHECK_EQ(save_text("link", "three"), OK);
	CHECK(write(fd, " four", 5) == 5);
	close(fd);
	CHECK(file_is("log", "one two three four"));
	CHECK_EQ(mode_of("log"), 0640);
	CHECK_EQ(save_text(path, "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, EBADF);
}

static void
what_cannot_be_a_file_is_refused(void)
{
	char name[300];

	mkdir("folder", 0777);
	CHECK_EQ(save_text("folder", "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, EISDIR);
	CHECK_EQ(save_text("none/", "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, EISDIR);
	CHECK_EQ(save_text("none/x", "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(save_text("", "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, ENOENT);

	/* A name of 255 bytes leaves no room for .NAME.new, which is cut then. */
	memset(name, 'n', sizeof name);
	name[256] = '\0';
	CHECK_EQ(save_text(name, "x"), STATUS_SYSTEM);
	CHECK_EQ(errno, ENAMETOOLONG);
	name[255] = '\0';
	CHECK_EQ(save_text(name, "x"), OK);
	CHECK(file_is(name, "x"));
	unlink(name);
}

static int
save_without_privilege(void)
{
	if (geteuid() == 0 && (setgid(65534) == -1 || setuid(65534) == -1))
		return 10;
	if (save_text("closed/a", "new") != STATUS_SYSTEM || errno != EACCES)
		return 11;
	return 0;
}

static void
a_read_only_folder_is_an_error(void)
{
	mkdir("closed", 0777);
	put_file("closed/a", "old");
	CHECK(chmod("closed", 0555) == 0);
	CHECK_EQ(in_child(save_without_privilege), 0);
	CHECK(file_is("closed/a", "old"));
	CHECK_EQ(temporaries_in("closed"), 0);
	chmod("closed", 0777);
}

static int
save_past_the_limit(void)
{
	static const char block[4096];
	struct rlimit limit = {.rlim_cur = 6000, .rlim_max = 6000};
	struct save s;

	setrlimit(RLIMIT_FSIZE, &limit);
	if (save_open(&s, "a") != OK || save_write(&s, block, sizeof block) != OK)
		return 10;
	if (save_write(&s, block, sizeof block) != STATUS_SYSTEM || errno != EFBIG)
		return 11;
	if (save_commit(&s) != STATUS_SYSTEM || errno != EFBIG)
		return 12;
	return temporaries_in(".") != 0;
}

static void
a_full_disk_keeps_the_old_file(void)
{
	put_file("a", "old");
	CHECK_EQ(in_child(save_past_the_limit), 0);
	CHECK(file_is("a", "old"));
	CHECK_EQ(temporaries_in("."), 0);
}

static void
what_the_dead_left_does_not_live_on(void)
{
	struct stat precious = {0}, saved = {0};
	mode_t before = umask(077);

	/* Old bytes, a wide mode, and a second name for a file that matters. */
	put_file("precious", "a long text that must stay");
	chmod("precious", 0666);
	CHECK(link("precious", ".b.new") == 0);
	CHECK_EQ(save_text("b", "new"), OK);
	CHECK(file_is("b", "new"));
	CHECK(file_is("precious", "a long text that must stay"));
	CHECK(stat("precious", &precious) == 0 && stat("b", &saved) == 0);
	CHECK(precious.st_ino != saved.st_ino);
	CHECK_EQ(saved.st_mode & 0777, 0600);

	CHECK(symlink("precious", ".c.new") == 0);
	CHECK_EQ(save_text("c", "new"), STATUS_SYSTEM);
	CHECK_EQ(errno, ELOOP);
	CHECK(file_is("precious", "a long text that must stay"));
	unlink(".c.new");
	CHECK(mkfifo(".c.new", 0600) == 0);
	CHECK_EQ(save_text("c", "new"), STATUS_SYSTEM);
	CHECK_EQ(errno, EEXIST);
	unlink(".c.new");
	umask(before);
}

/* A pipe on which parent and child tell each other to go on. */
static int ready[2];

/* Read a number, write the next one. */
static int
count_up(void)
{
	struct save s;
	char text[32] = "";

	if (save_open(&s, "counter") != OK)
		return 10;
	FILE *f = fopen("counter", "r");
	if (!f || !fgets(text, sizeof text, f))
		return 11;
	fclose(f);
	snprintf(text, sizeof text, "%ld", strtol(text, NULL, 10) + 1);
	if (save_write(&s, text, strlen(text)) != OK || save_commit(&s) != OK)
		return 12;
	return 0;
}

static void
writers_take_turns(void)
{
	enum { WRITERS = 8, ROUNDS = 50 };
	char want[16];
	int status;

	put_file("counter", "0");
	fflush(stdout);
	for (int i = 0; i < WRITERS; i++) {
		if (fork() == 0) {
			int bad = 0;
			for (int k = 0; k < ROUNDS && bad == 0; k++)
				bad = count_up();
			_exit(bad);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		CHECK(wait(&status) > 0);
		CHECK_EQ(status, 0);
	}
	snprintf(want, sizeof want, "%d", WRITERS * ROUNDS);
	CHECK(file_is("counter", want));
	CHECK_EQ(temporaries_in("."), 0);
}

static void *
sleep_forever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Open a save of "a", say so, and wait for a signal. */
static int
hold_open(void)
{
	struct save s;
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_forever, NULL);
	if (save_open(&s, "a") != OK || save_write(&s, "half", 4) != OK)
		return 10;
	if (write(ready[1], "", 1) != 1)
		return 11;
	sleep_forever(NULL);
	return 12;
}

static pid_t
start_holder(void)
{
	char c;

	CHECK(pipe(ready) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(hold_open());
	close(ready[1]);
	CHECK(read(ready[0], &c, 1) == 1);
	close(ready[0]);
	return pid;
}

static void
a_signal_removes_the_temporary_and_kills(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	int status;

	put_file("a", "old");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		pid_t pid = start_holder();
		CHECK_EQ(temporaries_in("."), 1);
		kill(pid, numbers[i]);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
		CHECK_EQ(temporaries_in("."), 0);
		CHECK(file_is("a", "old"));
	}
}

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool
is_locked(const char *path)
{
	int fd = open(path, O_RDWR);
	bool locked = fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == -1;

	close(fd);
	return locked;
}

static void
interim_contents_come_and_the_lock_stays(void)
{
	struct save s;
	char text[16], last[16] = "old";

	put_file("a", "old");
	CHECK(chmod("a", 0640) == 0);
	put_file(".a.now", "left by the dead");
	CHECK_EQ(save_open(&s, "a"), OK);
	for (int k = 0; k < 3; k++) {
		snprintf(text, sizeof text, "%d", k);
		CHECK_EQ(save_interim(&s), OK);
		CHECK(exists(".a.now") && is_locked(".a.new"));
		CHECK_EQ(save_write(&s, text, 1), OK);
		CHECK(file_is("a", last));
		CHECK_EQ(save_interim_commit(&s), OK);
		CHECK(file_is("a", text) && !exists(".a.now") && is_locked(".a.new"));
		CHECK_EQ(mode_of("a"), 0640);
		strcpy(last, text);
	}
	CHECK_EQ(save_interim(&s), OK);
	save_abort(&s);
	CHECK(file_is("a", "2") && !exists(".a.now") && !exists(".a.new"));
	CHECK_EQ(save_open(&s, "a"), OK);
	CHECK_EQ(save_interim(&s), OK);
	CHECK_EQ(save_interim_commit(&s), OK);
	CHECK_EQ(save_write(&s, "end", 3), OK);
	CHECK_EQ(save_commit(&s), OK);
	CHECK(file_is("a", "end") && !exists(".a.new"));
	unlink("a");
}

/* Two saves and an interim: die by a signal with all three. */
static void
a_signal_removes_all_temporaries(void)
{
	int status;
	char byte;

	CHECK(pipe(ready) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct save a, b;
		if (save_open(&a, "a") == OK && save_open(&b, "b") == OK && save_interim(&b) == OK)
			(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	CHECK(exists(".a.new") && exists(".b.new") && exists(".b.now"));
	kill(pid, SIGTERM);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	CHECK(!exists(".a.new") && !exists(".b.new") && !exists(".b.now"));
}

static void
an_ignored_signal_stays_ignored(void)
{
	int status;

	signal(SIGHUP, SIG_IGN);
	pid_t pid = start_holder();
	signal(SIGHUP, SIG_DFL);
	kill(pid, SIGHUP);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	CHECK(waitpid(pid, &status, WNOHANG) == 0);
	CHECK_EQ(temporaries_in("."), 1);
	kill(pid, SIGTERM);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void
signals_are_the_defaults_again_afterwards(void)
{
	struct sigaction now;

	CHECK_EQ(save_text("a", "new"), OK);
	sigaction(SIGTERM, NULL, &now);
	CHECK(now.sa_handler == SIG_DFL);
}

static int
die_while_open(void)
{
	struct save s;

	close(STDERR_FILENO);
	open("/dev/null", O_WRONLY);
	if (save_open(&s, "a") != OK)
		return 10;
	die(STATUS_MEMORY, "cannot build 'a'");
}

static void
dying_removes_the_temporary(void)
{
	put_file("a", "old");
	CHECK_EQ(in_child(die_while_open), 3);
	CHECK_EQ(temporaries_in("."), 0);
	CHECK(file_is("a", "old"));
}

/* The second writer must see what the first one wrote. */
static void
a_writer_waits_for_the_other(void)
{
	struct save s;
	char c;
	int status;

	/* Forked before, since a fork shares the locks that are held. */
	CHECK(pipe(ready) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(read(ready[0], &c, 1) == 1 ? count_up() : 9);
	put_file("counter", "0");
	CHECK_EQ(save_open(&s, "counter"), OK);
	CHECK(write(ready[1], "", 1) == 1);
	nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
	CHECK(waitpid(pid, &status, WNOHANG) == 0);
	CHECK_EQ(save_write(&s, "41", 2), OK);
	CHECK_EQ(save_commit(&s), OK);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK(file_is("counter", "42"));
	close(ready[0]);
	close(ready[1]);
}

/* A file of one repeated letter: is it whole? */
static bool
whole(const char *path, size_t size)
{
	static char got[1 << 17];
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	size_t n = fread(got, 1, sizeof got, f);
	fclose(f);
	for (size_t i = 1; i < n; i++)
		if (got[i] != got[0])
			return false;
	return n == size;
}

static void
a_killed_writer_leaves_a_whole_file(void)
{
	enum { SIZE = 100000 };
	static const int numbers[] = {SIGKILL, SIGKILL, SIGTERM};
	static char block[SIZE];
	uint64_t state = 5;
	int status, rounds = check_long() ? 120 : 30;

	memset(block, 'A', sizeof block);
	struct save s;
	CHECK_EQ(save_open(&s, "w"), OK);
	CHECK_EQ(save_write(&s, block, SIZE), OK);
	CHECK_EQ(save_commit(&s), OK);
	for (int i = 0; i < rounds; i++) {
		int number = numbers[i % 3];
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0) {
			for (char c = 'B';; c = c == 'Z' ? 'A' : (char)(c + 1)) {
				memset(block, c, SIZE);
				if (save_open(&s, "w") != OK || save_write(&s, block, SIZE / 2) != OK
				    || save_write(&s, block, SIZE / 2) != OK || save_commit(&s) != OK)
					_exit(1);
			}
		}
		long delay = (long)(check_random(&state) % 20000000);
		nanosleep(&(struct timespec){.tv_nsec = delay}, NULL);
		kill(pid, number);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == number);
		CHECK(whole("w", SIZE));
	}
	CHECK_EQ(save_text("w", "end"), OK);
	CHECK(file_is("w", "end"));
	CHECK_EQ(temporaries_in("."), 0);
}

/* A minute of waiting: only when there is time. */
static void
a_lock_not_had_in_a_minute_is_busy(void)
{
	if (!check_long())
		return;
	pid_t pid = start_holder();
	CHECK_EQ(save_text("a", "x"), STATUS_BUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_EQ(save_text("a", "x"), OK);
}

static void
remove_folder(void)
{
	char command[128];

	if (chdir("/") == 0) {
		snprintf(command, sizeof command, "rm -rf '%s'", folder);
		CHECK_EQ(system(command), 0);
	}
}

int
main(void)
{
	tool_start("save_test");
	/* A shell starts background jobs with SIGINT ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	snprintf(folder, sizeof folder, "/tmp/save_test.XXXXXX");
	if (!mkdtemp(folder) || chmod(folder, 0777) == -1 || chdir(folder) == -1) {
		printf("Bail out! no scratch folder\n");
		return 1;
	}
	RUN(a_new_file_obeys_the_umask);
	RUN(an_old_mode_is_kept_and_never_exceeded);
	RUN(an_aborted_save_changes_nothing);
	RUN(a_symlink_stays_and_its_target_is_replaced);
	RUN(what_is_no_file_is_written_through);
	RUN(a_named_descriptor_goes_on_where_it_stands);
	RUN(what_cannot_be_a_file_is_refused);
	RUN(a_read_only_folder_is_an_error);
	RUN(a_full_disk_keeps_the_old_file);
	RUN(what_the_dead_left_does_not_live_on);
	RUN(writers_take_turns);
	RUN(a_writer_waits_for_the_other);
	RUN(a_signal_removes_the_temporary_and_kills);
	RUN(interim_contents_come_and_the_lock_stays);
	RUN(a_signal_removes_all_temporaries);
	RUN(an_ignored_signal_stays_ignored);
	RUN(signals_are_the_defaults_again_afterwards);
	RUN(dying_removes_the_temporary);
	RUN(a_killed_writer_leaves_a_whole_file);
	RUN(a_lock_not_had_in_a_minute_is_busy);
	remove_folder();
	return check_done();
}
