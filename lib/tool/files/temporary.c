/* sketchutils: BSD-2-Clause, see LICENSE */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tool/report.h"
#include "tool/files/temporary.h"

/*
 * Who may remove a file: its owner, a signal handler (in any thread), or a
 * thread that dies. Whoever moves the state away from GUARDED has the right.
 * It must be one only: a moment after the owner's rename the same name may
 * belong to another process.
 */
enum state {
	FREE,                /* no file */
	GUARDED,             /* there is one; whoever ends the process removes it */
	ENTERED,             /* its owner renames or removes it: do not end now */
	DYING,               /* a signal or die() removes it; nothing else happens */
};

static struct {
	atomic_int state;
	const char *path;              /* published and withdrawn by state */
} file[TEMPORARIES];

static atomic_int pending;             /* a signal that came while one was ENTERED */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
#define DEADLY (sizeof deadly / sizeof *deadly)
static bool caught[DEADLY];

/* Async-signal-safe. False: an owner is at it, and will see to the signal. */
static bool
remove_guarded(void)
{
	bool all = true;

	for (size_t i = 0; i < TEMPORARIES; i++) {
		int was = GUARDED;

		if (atomic_compare_exchange_strong(&file[i].state, &was, DYING))
			unlink(file[i].path);
		all &= was != ENTERED;
	}
	return all;
}

static bool
any_entered(void)
{
	for (size_t i = 0; i < TEMPORARIES; i++)
		if (atomic_load(&file[i].state) == ENTERED)
			return true;
	return false;
}

static void
remove_at_exit(void)
{
	remove_guarded();
}

/* The shell must see that it was the signal. */
static void
die_by(int number)
{
	sigset_t one;

	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
}

/* While ENTERED the signal is left for temporary_leave. Each side writes its
 * own variable before it reads the other's, so at least one sees both. */
static void
on_signal(int number)
{
	int error = errno;

	if (!remove_guarded()) {
		atomic_store(&pending, number);
		if (any_entered()) {
			errno = error;
			return;
		}
		remove_guarded();
	}
	die_by(number);
}

static void
catch_signals(void)
{
	struct sigaction ours = {.sa_handler = on_signal}, old;

	sigemptyset(&ours.sa_mask);
	for (size_t i = 0; i < DEADLY; i++)
		sigaddset(&ours.sa_mask, deadly[i]);
	for (size_t i = 0; i < DEADLY; i++) {
		caught[i] = sigaction(deadly[i], NULL, &old) == 0 &&
		    !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
		if (caught[i])
			sigaction(deadly[i], &ours, NULL);
	}
}

static void
release_signals(void)
{
	struct sigaction now;

	for (size_t i = 0; i < DEADLY; i++)
		if (caught[i] && sigaction(deadly[i], NULL, &now) == 0 &&
		    !(now.sa_flags & SA_SIGINFO) && now.sa_handler == on_signal)
			signal(deadly[i], SIG_DFL);
}

static bool
any_guarded(void)
{
	for (size_t i = 0; i < TEMPORARIES; i++)
		if (atomic_load(&file[i].state) != FREE)
			return true;
	return false;
}

unsigned
temporary_guard(const char *path)
{
	unsigned i = 0;

	if (!any_guarded()) {
		atomic_store(&pending, 0);
		report_at_exit(remove_at_exit);
		catch_signals();
	}
	while (atomic_load(&file[i].state) != FREE) {
		i++;
		assert(i < TEMPORARIES);
	}
	file[i].path = path;
	atomic_store(&file[i].state, GUARDED);
	return i;
}

/* If another thread is ending the process, there is nothing left to do but
 * wait for it. */
void
temporary_enter(unsigned i)
{
	int was = GUARDED;

	while (!atomic_compare_exchange_strong(&file[i].state, &was, ENTERED)) {
		assert(was == DYING);
		pause();
		was = GUARDED;
	}
}

void
temporary_leave(unsigned i, bool gone)
{
	atomic_store(&file[i].state, gone ? FREE : GUARDED);
	int number = atomic_load(&pending);
	if (number != 0)
		on_signal(number);
	if (!any_guarded())
		release_signals();
}
