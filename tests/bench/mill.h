/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef BENCH_MILL_H
#define BENCH_MILL_H

#include "documents.h"

/*
 * A mill for lines of a log: each is one of 200 templates, by Zipf's law, with new
 * values in the places that vary. Of a hundred names of users, plain are without a
 * digit, so that no mask knows them from other words.
 */

enum slot { ADDRESS, HEX, UUID, STAMP, INTEGER, PATH, USER, QUOTED, SLOTS };

#define TEMPLATES 200
#define PARTS_MAX 32

/* Words by rank, and slots: below zero, minus one minus which. */
struct template {
	unsigned n;
	int32_t part[PARTS_MAX];
};

static inline void
fill_slot(enum slot slot, unsigned plain)
{
	char name[64], other[64], out[192];
	uint64_t a = draw(), b = draw();
	unsigned low = (unsigned)a, high = (unsigned)(a >> 32), more = (unsigned)b;

	name[word(name, high & 1023)] = '\0';
	other[word(other, more & 1023)] = '\0';
	switch (slot) {
	case ADDRESS:
		snprintf(out, sizeof out, "%u.%u.%u.%u", 1 + low % 223, low >> 8 & 255,
		    low >> 16 & 255, low >> 24);
		break;
	case HEX:
		snprintf(out, sizeof out, "0x%08x", low);
		break;
	case UUID:
		snprintf(out, sizeof out, "%08x-%04x-4%03x-a%03x-%08x%04x", low, high & 0xffff,
		    high >> 20, more & 0xfff, (unsigned)(b >> 32), more >> 16);
		break;
	case STAMP:
		snprintf(out, sizeof out, "2026-%02u-%02uT%02u:%02u:%02u.%03uZ", 1 + low % 12,
		    1 + high % 28, more % 24, (low >> 8) % 60, (high >> 8) % 60, (more >> 8) % 1000);
		break;
	case PATH:
		snprintf(out, sizeof out, "/srv/%s/%s.log", name, other);
		break;
	case USER:
		if ((more >> 16) % 100 < plain)
			snprintf(out, sizeof out, "%s", name);
		else if (more >> 8 & 1)
			snprintf(out, sizeof out, "%s%u", name, low % 90);
		else
			snprintf(out, sizeof out, "u%u", low % 9000);
		break;
	case QUOTED:
		snprintf(out, sizeof out, "\"%s %s\"", name, other);
		break;
	default:
		snprintf(out, sizeof out, "%u", low % 100000);
	}
	put(out);
}

static inline void
mill_run(uint64_t n, unsigned plain)
{
	static struct template all[TEMPLATES];
	static struct zipf often;

	zipf_init(&often, TEMPLATES, 2.7);
	for (size_t i = 0; i < TEMPLATES; i++) {
		struct template *t = &all[i];
		unsigned fixed = 4 + (unsigned)below(9), slots = 1 + (unsigned)below(12);

		while (fixed + slots > 0) {
			if (below(fixed + slots) < fixed) {
				t->part[t->n++] = (int32_t)below(8192);
				fixed--;
			} else {
				t->part[t->n++] = -1 - (int32_t)below(SLOTS);
				slots--;
			}
		}
	}
	for (uint64_t i = 0; i < n; i++) {
		uint32_t which = zipf_draw(&often);
		const struct template *t = &all[which];

		begin(which);
		for (unsigned j = 0; j < t->n; j++) {
			if (t->part[j] < 0)
				fill_slot((enum slot)(-1 - t->part[j]), plain);
			else
				put_rank((uint32_t)t->part[j]);
		}
	}
}

#endif
