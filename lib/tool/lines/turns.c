/* sketchutils: BSD-2-Clause, see LICENSE */
#include "tool/lines/turns.h"

/* A gate is left after some microseconds, and going to sleep and being woken
 * takes longer than that: so look a few times first. */
#define LOOKS 400

void
turns_init(struct turns *t)
{
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->moved, NULL);
	atomic_init(&t->waiting, 0);
	atomic_init(&t->over, false);
	for (unsigned i = 0; i < TURNS_GATES; i++)
		atomic_init(&t->gate[i].next, 0);
}

void
turns_clear(struct turns *t)
{
	pthread_cond_destroy(&t->moved);
	pthread_mutex_destroy(&t->lock);
}

void
turns_start(struct turns *t, uint64_t number)
{
	for (unsigned i = 0; i < TURNS_GATES; i++)
		t->gate[i].next = number;
}

static inline bool
settled(const struct turns *t, unsigned gate, uint64_t number)
{
	return t->over || t->gate[gate].next == number;
}

static inline void
pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

bool
turns_enter(struct turns *t, unsigned gate, uint64_t number)
{
	for (unsigned i = 0; i < LOOKS && !settled(t, gate, number); i++)
		pause_briefly();
	if (!settled(t, gate, number)) {
		pthread_mutex_lock(&t->lock);
		t->waiting++;
		while (!settled(t, gate, number))
			pthread_cond_wait(&t->moved, &t->lock);
		t->waiting--;
		pthread_mutex_unlock(&t->lock);
	}
	return !t->over;
}

/* Who falls asleep says so before the last look at the gate, and who leaves
 * opens the gate before looking for sleepers: one of them sees the other. */
static void
wake(struct turns *t)
{
	if (t->waiting == 0)
		return;
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

void
turns_leave(struct turns *t, unsigned gate)
{
	t->gate[gate].next++;
	wake(t);
}

void
turns_over(struct turns *t)
{
	t->over = true;
	wake(t);
}
