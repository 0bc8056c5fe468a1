/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_TURNS_H
#define TOOL_TURNS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Numbered visitors and gates: through each gate they go in the order of their
 * numbers, one at a time, while different gates are used at the same time. A
 * visitor passes every gate once, at whatever moment; those of all numbers
 * from the first on must come, or who waits for them waits until turns_over.
 *
 * There is no deadlock as long as each number is taken by somebody who does
 * not wait for a higher one: the lowest number that is still under way finds
 * every gate open.
 */
#define TURNS_GATES 17

struct turns {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	_Atomic unsigned waiting;    /* asleep, at any gate */
	_Atomic bool over;
	struct {
		_Alignas(64) _Atomic uint64_t next;
	} gate[TURNS_GATES];
};

void turns_init(struct turns *);
void turns_clear(struct turns *);

/* The number that goes first, at every gate. Before anybody enters. */
void turns_start(struct turns *, uint64_t number);

/* Wait for one's turn. False, at once and from now on: it is all over. */
bool turns_enter(struct turns *, unsigned gate, uint64_t number);
void turns_leave(struct turns *, unsigned gate);

/* Nobody shall wait any more. */
void turns_over(struct turns *);

#endif
