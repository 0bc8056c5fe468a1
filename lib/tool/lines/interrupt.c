/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tool/lines/interrupt.h"

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
#define DEADLY (sizeof deadly / sizeof *deadly)

static struct sigaction before[DEADLY];
static atomic_int came;                /* the signal, 0: none */

/* A flag alone could be raised between the look at it and a read that waits
 * forever. So the handler fills a pipe that is waited for as well. */
static int wake[2] = {-1, -1};

static void
on_signal(int number)
{
	int error = errno;

	for (size_t i = 0; i < DEADLY; i++)
		sigaction(deadly[i], &before[i], NULL);
	atomic_store(&came, number);
	/* Full or not, there is something in it. */
	while (write(wake[1], "", 1) == -1 && errno == EINTR)
		;
	errno = error;
}

void
interrupt_catch(void)
{
	struct sigaction ours = {.sa_handler = on_signal};

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) == -1)
		return;
	sigemptyset(&ours.sa_mask);
	for (size_t i = 0; i < DEADLY; i++) {
		sigaddset(&ours.sa_mask, deadly[i]);
		sigaction(deadly[i], NULL, &before[i]);
	}
	for (size_t i = 0; i < DEADLY; i++)
		if ((before[i].sa_flags & SA_SIGINFO) || before[i].sa_handler != SIG_IGN)
			sigaction(deadly[i], &ours, NULL);
}

bool
interrupted(void)
{
	return atomic_load(&came) != 0;
}

/* Without a pipe of ours, poll skips its descriptor of -1. */
enum waited
interrupt_wait(int fd, int most)
{
	struct pollfd either[] = {
		{.fd = fd, .events = POLLIN}, {.fd = wake[0], .events = POLLIN},
	};
	int ready = 1;

	while ((wake[0] != -1 || most >= 0) && !interrupted()) {
		ready = poll(either, 2, most);
		if (ready >= 0 || errno != EINTR)
			break;
	}
	return interrupted() ? WAITED_INTERRUPTED : ready == 0 ? WAITED_LONG : WAITED_INPUT;
}

void
interrupt_die(void)
{
	int number = atomic_load(&came);

	if (number == 0)
		return;
	signal(number, SIG_DFL);
	raise(number);
}
