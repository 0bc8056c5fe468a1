/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * stopwatch TIMES COMMAND [ARGUMENT]...: run it so often, from and to
 * /dev/null, and print one line: seconds of wall and of processor time a run,
 * the peak memory in KiB, and the worst exit status. A program this small, as
 * a child begins with its parent's peak, and a large parent is slow to leave.
 */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char *argv[])
{
	double wall = 0, cpu = 0;
	long peak = 0;
	int worst = 0;
	posix_spawn_file_actions_t actions;

	long times = argc < 3 ? 0 : strtol(argv[1], NULL, 10);

	if (times < 1) {
		fputs("usage: stopwatch TIMES COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

	for (long i = 0; i < times; i++) {
		struct rusage used;
		double start = now();
		pid_t pid;
		int status;

		if (posix_spawnp(&pid, argv[2], &actions, NULL, argv + 2, environ) != 0 ||
		    wait4(pid, &status, 0, &used) != pid) {
			perror(argv[2]);
			return 3;
		}
		wall += now() - start;
		cpu += seconds(used.ru_utime) + seconds(used.ru_stime);
		if (used.ru_maxrss > peak)
			peak = used.ru_maxrss;
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (status > worst)
			worst = status;
	}
	posix_spawn_file_actions_destroy(&actions);
	printf("%.9f %.9f %ld %d\n", wall / (double)times, cpu / (double)times, peak, worst);
	return 0;
}
