/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * eachcall [-f FILE -n NEW] [-o OUT] [-s STATUS[,STATUS]] [-aklq] [-e TEST]
 *     CALL:WHAT COMMAND [ARGUMENT]...
 *
 * Run the command once for each of its calls of a kind, with a fault there
 * (tests/fault.c says what CALL and WHAT are), until a run comes by without one.
 * Each must end in one of these ways, or the status is 1:
 *
 *	done      status 0, nothing on standard error, FILE as NEW, and on standard
 *	          output what OUT has
 *	failed    another status of those allowed, and a reason on standard error;
 *	          FILE as it was, and the beginning of OUT; or all as if it were done
 *	killed    the same without a word
 *
 * In no case a temporary is left in this folder, but after SIGKILL. Before each
 * run FILE is what it was at the beginning.
 *
 *	-s LIST   the statuses that are allowed (0); 143 is a death by signal 15
 *	-e TEST   a shell command that judges if FILE is neither; else that is wrong
 *	-a        FILE and standard output may be anything, unless the status is 0
 *	-k        after each, FILE as it was, run without a fault: then all is done
 *	-l        failures have one line of reasons or more
 *	-q        of calls from the same place in the program only the first
 *
 * It is one process a fault, where a shell needs ten: there are thousands.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "eachcall.mark"
#define OUT "eachcall.out"
#define ERR "eachcall.err"
#define ENVIRONMENT_MAX 1000

struct bytes {
	char *at;
	size_t len;
};

static struct {
	const char *file, *test;
	struct bytes old, new, out;
	bool there;                  /* FILE, at the beginning */
	int allowed[4];
	size_t n_allowed;
	bool any, again, lines, places;
	char **command;
	const char *call, *what;
} opt;

extern char **environ;

static _Noreturn void
give_up(const char *what)
{
	perror(what);
	exit(2);
}

/* All of a file; false if it is not there. */
static bool
read_file(const char *path, struct bytes *b)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*b = (struct bytes){0};
	if (fd == -1 && errno == ENOENT)
		return false;
	if (fd == -1 || fstat(fd, &st) == -1 || !(b->at = malloc((size_t)st.st_size + 1)) ||
	    read(fd, b->at, (size_t)st.st_size) != st.st_size)
		give_up(path);
	b->len = (size_t)st.st_size;
	b->at[b->len] = '\0';
	close(fd);
	return true;
}

/* A file that is what it was is left alone: that is most of them. */
static void
restore(void)
{
	struct bytes now;

	if (!opt.file)
		return;
	bool there = read_file(opt.file, &now);
	bool same = there == opt.there && now.len == opt.old.len &&
	    (now.len == 0 || memcmp(now.at, opt.old.at, now.len) == 0);
	free(now.at);
	if (same)
		return;
	if (!opt.there) {
		unlink(opt.file);
		return;
	}
	int fd = open(opt.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd == -1 || write(fd, opt.old.at, opt.old.len) != (ssize_t)opt.old.len)
		give_up(opt.file);
	close(fd);
}

/* Our environment and the fault; nothing is changed for ourselves. */
static void
environment(char *out[], const char *fault)
{
	static char path[4096], text[200];
	size_t n = 0;

	for (char **e = environ; *e && n < ENVIRONMENT_MAX - 6; e++)
		out[n++] = *e;
	snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", getenv("SKETCHUTILS_BUILD"));
	snprintf(text, sizeof text, "FAULT=%s", fault);
	out[n++] = path;
	out[n++] = "LD_PRELOAD=fault.so";
	out[n++] = "FAULT_MARK=" MARK;
	if (*fault)
		out[n++] = text;
	out[n] = NULL;
}

/* Its status, as a shell has it. */
static int
run(const char *fault)
{
	char *environment_of[ENVIRONMENT_MAX];
	posix_spawn_file_actions_t to;
	pid_t pid;
	int status;

	environment(environment_of, fault);
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, 1, OUT, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	posix_spawn_file_actions_addopen(&to, 2, ERR, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	unlink(MARK);
	if (posix_spawnp(&pid, opt.command[0], &to, NULL, opt.command, environment_of) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		give_up(opt.command[0]);
	posix_spawn_file_actions_destroy(&to);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool
temporary_left(void)
{
	DIR *folder = opendir(".");
	struct dirent *entry;
	bool left = false;

	if (!folder)
		give_up(".");
	while (!left && (entry = readdir(folder))) {
		size_t len = strlen(entry->d_name);
		left = *entry->d_name == '.' && len > 5 &&
		    (strcmp(entry->d_name + len - 4, ".new") == 0 ||
		    strcmp(entry->d_name + len - 4, ".now") == 0);
	}
	closedir(folder);
	return left;
}

/* "NAME: cannot ...", in one line or, with -l, among several. */
static bool
is_reason(struct bytes err)
{
	char start[100];
	int n = snprintf(start, sizeof start, "%s: cannot ", opt.command[0]);
	const char *end = memchr(err.at, '\n', err.len);

	for (const char *line = err.at; end; line = end + 1, end = strchr(line, '\n')) {
		bool last = end + 1 == err.at + err.len;
		if (strncmp(line, start, (size_t)n) == 0 && (last || opt.lines))
			return true;
		if (!opt.lines)
			return false;
	}
	return false;
}

static bool
equal(struct bytes a, struct bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static bool
begins(struct bytes a, struct bytes b)
{
	return a.len <= b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* What is wrong with how a run has ended, or NULL. */
static const char *
wrong(int status, struct bytes out, struct bytes err, struct bytes now, bool there)
{
	bool allowed = false;

	for (size_t i = 0; i < opt.n_allowed; i++)
		allowed |= opt.allowed[i] == status;
	if (!allowed)
		return "an odd status";
	if (status != 128 + 9 && temporary_left())
		return "a temporary is left";
	bool new = !opt.file || (there && equal(now, opt.new));
	bool old = opt.file && there == opt.there && equal(now, opt.old);
	if (status == 0)
		return err.len > 0 ? "it says something" :
		    !new ? "not what it should save" :
		    !equal(out, opt.out) ? "not what it should print" : NULL;
	if (status < 128 ? !is_reason(err) : err.len > 0)
		return "not the reason";
	if (opt.any)
		return NULL;
	if (opt.file && new && equal(out, opt.out))
		return NULL;
	if (opt.file ? old : begins(out, opt.out))
		return NULL;
	if (opt.file && opt.test && system(opt.test) == 0)
		return NULL;
	return opt.file ? "neither the old file nor the new one" : "not where the answer begins";
}

static bool
judge(int status, const char *fault)
{
	struct bytes out, err, now = {0};

	read_file(OUT, &out);
	read_file(ERR, &err);
	bool there = opt.file && read_file(opt.file, &now);
	const char *why = wrong(status, out, err, now, there);
	if (why)
		printf("%s: %s: status %d, %s\n%.500s", opt.command[0], fault, status, why, err.at);
	free(out.at);
	free(err.at);
	free(now.at);
	return !why;
}

/* After a death, the next one does all there is to do. */
static bool
run_again(const char *fault)
{
	struct bytes now, out;

	restore();
	if (run("") != 0 || temporary_left()) {
		printf("%s: the run after %s fails, or leaves a temporary\n", opt.command[0], fault);
		return false;
	}
	bool there = read_file(opt.file, &now);
	read_file(OUT, &out);
	bool good = there && equal(now, opt.new) && equal(out, opt.out);
	if (!good)
		printf("%s: the run after %s saves something else\n", opt.command[0], fault);
	free(now.at);
	free(out.at);
	return good;
}

/* The call after k to fail next. Places: as many numbers, ascending, ended by 0. */
static long
next_call(long k, const long *places)
{
	if (!places)
		return k + 1;
	while (*places && *places <= k)
		places++;
	return *places;
}

/* With -q: a run in which nothing fails tells where calls come from. */
static long *
find_places(void)
{
	char fault[100];
	struct bytes list;
	size_t n = 0;

	if (!opt.places)
		return NULL;
	snprintf(fault, sizeof fault, "%s:0:PLACES", opt.call);
	restore();
	run(fault);
	if (!read_file(MARK, &list))
		give_up("no calls");
	long *places = calloc(list.len + 2, sizeof *places);
	if (!places)
		give_up("memory");
	for (char *at = list.at, *end; *at; at = end + 1) {
		places[n++] = strtol(at, &end, 10);
		if (*end != '\n')
			give_up("a list");
	}
	free(list.at);
	/* And one that never comes, for the run in which nothing happens. */
	places[n] = 1000000000;
	return places;
}

static int
run_all(void)
{
	long *places = find_places(), n = 0;
	char fault[100];

	for (long k = next_call(0, places);; k = next_call(k, places), n++) {
		snprintf(fault, sizeof fault, "%s:%ld:%s", opt.call, k, opt.what);
		restore();
		int status = run(fault);
		if (access(MARK, F_OK) != 0) {
			opt.allowed[opt.n_allowed++] = 0;
			bool good = status == 0 && judge(status, fault);
			if (n == 0)
				printf("%s: no call is %s\n", opt.command[0], opt.call);
			free(places);
			restore();
			return good && n > 0 ? 0 : 1;
		}
		if (!judge(status, fault) || (opt.again && !run_again(fault)))
			return 1;
	}
}

static void
parse_statuses(char *list)
{
	opt.n_allowed = 0;
	for (char *at = strtok(list, ","); at && opt.n_allowed < 3; at = strtok(NULL, ","))
		opt.allowed[opt.n_allowed++] = (int)strtol(at, NULL, 10);
}

int
main(int argc, char *argv[])
{
	const char *new = NULL;
	int c;

	opt.n_allowed = 1;
	while ((c = getopt(argc, argv, "+f:n:o:s:e:aklq")) != -1) {
		switch (c) {
		case 'f': opt.file = optarg; break;
		case 'n': new = optarg; break;
		case 'o': if (!read_file(optarg, &opt.out)) give_up(optarg); break;
		case 's': parse_statuses(optarg); break;
		case 'e': opt.test = optarg; break;
		case 'a': opt.any = true; break;
		case 'k': opt.again = true; break;
		case 'l': opt.lines = true; break;
		case 'q': opt.places = true; break;
		default: return 2;
		}
	}
	char *colon = optind < argc ? strchr(argv[optind], ':') : NULL;
	if (!colon || optind + 2 > argc || !opt.file != !new || !getenv("SKETCHUTILS_BUILD")) {
		fputs("usage: see tests/eachcall.c\n", stderr);
		return 2;
	}
	*colon = '\0';
	opt.call = argv[optind];
	opt.what = colon + 1;
	opt.command = argv + optind + 1;
	if (opt.file) {
		opt.there = read_file(opt.file, &opt.old);
		if (!read_file(new, &opt.new))
			give_up(new);
	}
	return run_all();
}
