/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_PROMISE_H
#define SKETCH_PROMISE_H

#include <stdint.h>

/*
 * What a structure that answers "was this item added?" says about itself.
 */

/* What it promises. */
struct promise {
	uint64_t capacity;           /* items it was sized for; UINT64_MAX: any number */
	double fpp;                  /* false-positive probability wanted up to there */
	double most;                 /* fpp, unless uniting has made it promise less: then
	                              * what it may come to */
};

/* What it holds and delivers, read back from its contents. */
struct fill {
	double distinct;             /* items, estimated; INFINITY: more than can be told */
	double fpp;                  /* as it is now */
};

enum removal {
	REMOVED,
	REMOVE_ABSENT,               /* it surely was not in there; nothing changed */
	REMOVE_PERMANENT,            /* added too often to be counted; nothing changed */
};

#endif
