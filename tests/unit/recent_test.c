/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Beside a plain list of what was new when: by the header's rule for panes, and
 * by its promise about times.
 */
#include "tool/time/recent.h"
#include "check.h"

#define KEYS 200
#define LINES 3000
#define NEVER INT64_MIN

static uint64_t
hash_of(uint64_t key)
{
	return check_random(&key);
}

struct stream {
	int64_t time[LINES];
	uint64_t key[LINES], hash[LINES];
	bool fresh[LINES];
};

static struct stream stream;

/* Lines of a log that wanders: `jitter` out of order, sometimes a gap. */
static void
random_stream(uint64_t *state, int64_t jitter, int64_t gap)
{
	int64_t now = (int64_t)(check_random(state) % 100000) - 50000;

	for (size_t i = 0; i < LINES; i++) {
		now += (int64_t)(check_random(state) % 20);
		if (gap > 0 && check_random(state) % 200 == 0)
			now += (int64_t)(check_random(state) % (uint64_t)gap);
		stream.time[i] = now - (int64_t)(check_random(state) % (uint64_t)(jitter + 1));
		stream.key[i] = check_random(state) % KEYS;
		stream.hash[i] = hash_of(stream.key[i]);
	}
}

/* In pieces of any size: they must not matter. */
static void
meet(struct recent *r, uint64_t *state)
{
	size_t n;

	for (size_t i = 0; i < LINES; i += n) {
		n = 1 + check_random(state) % 600;
		if (n > LINES - i)
			n = LINES - i;
		CHECK_EQ(recent_meet(r, stream.time + i, stream.hash + i, n, stream.fresh + i), OK);
	}
}

/* The rule: new is what has no entry in a pane of the window; a doubted line
 * sees only its own surroundings; entries leave with their pane. */
static void
the_panes_decide(void)
{
	static int64_t entry[KEYS][RECENT_SETS];
	uint64_t state = 1, repeats = 0, anew = 0;

	for (int round = 0; round < (int)check_times(4, 30, 100); round++) {
		int64_t span = (int64_t)(1 + check_random(&state) % 20000);
		struct window w = window_of(span, RECENT_PARTS, false);
		struct recent *r;

		random_stream(&state, (int64_t)(check_random(&state) % 5000), 3 * span);
		CHECK_EQ(recent_new(&r, span, false, false, UINT64_C(1) << 30), OK);
		meet(r, &state);
		for (size_t k = 0; k < KEYS; k++)
			for (size_t g = 0; g < RECENT_SETS; g++)
				entry[k][g] = NEVER;
		for (size_t i = 0; i < LINES; i++) {
			int64_t pane = window_take(&w, stream.time[i]), *vacant = NULL;
			bool known = false;
			for (size_t k = 0; k < KEYS; k++)
				for (size_t g = 0; g < RECENT_SETS; g++)
					if (!window_holds(&w, entry[k][g]))
						entry[k][g] = NEVER;
			for (size_t g = 0; g < RECENT_SETS; g++) {
				int64_t *e = &entry[stream.key[i]][g];
				known |= *e != NEVER && *e >= pane - w.back;
				if (*e == NEVER)
					vacant = e;
			}
			CHECK_EQ(stream.fresh[i], !known);
			if (!known)
				*vacant = pane;
			repeats += known;
			anew += !known;
		}
		CHECK_EQ(recent_window(r)->late, w.late);
		CHECK_EQ(recent_window(r)->wrong, w.wrong);
		recent_free(r);
	}
	CHECK(repeats > 1000 && anew > 1000);
}

/* The promise, where lines are in order: new again no sooner than a span after
 * it was last new, and surely from a span and an eighth on. */
static void
new_again_after_a_span_and_at_most_an_eighth_more(void)
{
	static int64_t last[KEYS];
	uint64_t state = 2, within = 0, again = 0;

	for (int round = 0; round < (int)check_times(5, 50, 100); round++) {
		int64_t span = 8 * (int64_t)(1 + check_random(&state) % 2000);
		struct recent *r;

		random_stream(&state, 0, round % 2 ? 3 * span : 0);
		for (size_t i = 1; i < LINES; i++)
			if (stream.time[i] < stream.time[i - 1])
				stream.time[i] = stream.time[i - 1];
		CHECK_EQ(recent_new(&r, span, false, false, UINT64_C(1) << 30), OK);
		meet(r, &state);
		for (size_t k = 0; k < KEYS; k++)
			last[k] = NEVER;
		for (size_t i = 0; i < LINES; i++) {
			int64_t *t = &last[stream.key[i]], age = stream.time[i] - *t;
			if (*t == NEVER)
				CHECK(stream.fresh[i]);
			else if (age < span)
				CHECK(!stream.fresh[i]);
			else if (age >= span + span / 8)
				CHECK(stream.fresh[i]);
			else
				within++;
			again += *t != NEVER && stream.fresh[i];
			if (stream.fresh[i])
				*t = stream.time[i];
		}
		CHECK_EQ(recent_window(r)->late, 0);
		recent_free(r);
	}
	CHECK(within > 100 && again > 1000);
}

/* A set as it goes through a file, into another. */
static void
carry_over(struct seen *from, struct seen_use use, struct recent *to)
{
	struct record head = {0};
	struct buffer bytes = {0};
	struct seen_loader loader;
	struct seen *seen;

	seen_head(from, use, &head);
	CHECK_EQ(seen_write(from, buffer_sink(&bytes)), OK);
	CHECK_EQ(recent_resume(to, seen_use_of(&head), seen_bytes_of(&head), &seen), OK);
	CHECK_EQ(seen_load_start(&loader, seen, &head, bytes.at), OK);
	CHECK_EQ(seen_load_some(&loader, bytes.at, bytes.len), OK);
	CHECK_EQ(seen_load_end(&loader), OK);
	buffer_free(&bytes);
}

/* Stopped at any line and resumed, it answers as if it had not been. */
static void
what_is_carried_over_is_all_there_is(void)
{
	static bool whole[LINES];
	uint64_t state = 3, doubted = 0;

	for (int round = 0; round < (int)check_times(3, 5, 40); round++) {
		int64_t span = 8 * (int64_t)(1 + check_random(&state) % 2000);
		bool repeated = round % 3 == 0;
		uint64_t carried = 0;
		struct recent *r, *next;

		random_stream(&state, (int64_t)(check_random(&state) % 3000), 30 * span);
		CHECK_EQ(recent_new(&r, span, false, repeated, UINT64_C(1) << 30), OK);
		meet(r, &state);
		recent_free(r);
		memcpy(whole, stream.fresh, sizeof whole);

		CHECK_EQ(recent_new(&r, span, false, repeated, UINT64_C(1) << 30), OK);
		for (size_t i = 0, n; i < LINES; i += n) {
			struct seen *seen[RECENT_SETS];
			struct seen_use use[RECENT_SETS];

			/* The first time, before anything was met. */
			n = carried++ == 0 ? 0 : 1 + check_random(&state) % (round % 2 ? 20 : 100);
			if (n > LINES - i)
				n = LINES - i;
			CHECK_EQ(recent_meet(r, stream.time + i, stream.hash + i, n, stream.fresh + i), OK);
			CHECK_EQ(recent_new(&next, span, false, repeated, UINT64_C(1) << 30), OK);
			size_t sets;
			CHECK_EQ(recent_sets(r, seen, use, &sets), OK);
			CHECK(sets > 0 && sets <= RECENT_SETS);
			for (size_t k = 0; k < sets; k++) {
				carry_over(seen[k], use[k], next);
				doubted += use[k].doubted;
			}
			recent_free(r);
			r = next;
		}
		recent_free(r);
		CHECK(memcmp(whole, stream.fresh, sizeof whole) == 0);
	}
	CHECK(doubted > 3);
}

static void
panes_of_no_window_are_refused(void)
{
	static const struct { struct seen_use use; enum status status; } rows[] = {
		{{.pane_length = 11, .pane = 1}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = 1, .repeated = true}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = INT64_MAX}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = INT64_MIN}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = 5}, OK},
		{{.pane_length = 10, .pane = 5}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = 4}, STATUS_INVARIANT},
		/* What has left the window makes room. */
		{{.pane_length = 10, .pane = 100}, OK}, {{.pane_length = 10, .pane = 200}, OK},
		{{.pane_length = 10, .pane = 300}, OK}, {{.pane_length = 10, .pane = 400}, OK},
		{{.pane_length = 10, .pane = 500}, OK}, {{.pane_length = 10, .pane = 600}, OK},
		{{.pane_length = 10, .pane = 700}, OK}, {{.pane_length = 10, .pane = 800}, OK},
		{{.pane_length = 10, .pane = 900}, OK}, {{.pane_length = 10, .pane = 1000}, OK},
		{{.pane_length = 10, .pane = 1008, .doubted = true}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = 1009, .doubted = true}, OK},
		{{.pane_length = 10, .pane = 1010}, STATUS_INVARIANT},
		{{.pane_length = 10, .pane = 2000, .doubted = true}, STATUS_INVARIANT},
	};
	struct recent *r;
	struct seen *seen;

	CHECK_EQ(recent_new(&r, 80, false, false, UINT64_C(1) << 30), OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum status st = recent_resume(r, rows[i].use, 0, &seen);
		if (st != rows[i].status)
			printf("# row %zu\n", i);
		CHECK_EQ(st, rows[i].status);
	}
	CHECK_EQ(recent_window(r)->newest, 1000);
	recent_free(r);
}

static void
the_second_time_and_no_other(void)
{
	enum { A = 7, B = 9 };
	static const struct { int64_t time; uint64_t key; bool second; } rows[] = {
		{0, A, false}, {0, A, true}, {0, A, false}, {0, B, false}, {10, A, false}, {79, B, true},
		/* The panes 0 to 8 are the window up to 89; at 90 pane 0 has left it. */
		{89, A, false}, {90, A, false}, {91, A, true}, {91, A, false}, {92, B, false}, {93, B, false},
	};
	struct recent *r;

	CHECK_EQ(recent_new(&r, 80, false, true, UINT64_C(1) << 30), OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t hash = hash_of(rows[i].key);
		bool second;
		CHECK_EQ(recent_meet(r, &rows[i].time, &hash, 1, &second), OK);
		if (second != rows[i].second)
			printf("# row %zu\n", i);
		CHECK_EQ(second, rows[i].second);
	}
	recent_free(r);
}

/* By arrival, a clock that goes back takes nothing from the window. */
static void
by_arrival_the_clock_stands_rather_than_going_back(void)
{
	static const struct { int64_t time; bool fresh; } rows[] = {
		{1000, true}, {1000, false}, {500, false}, {1079, false}, {1090, true}, {0, false},
		{1000000, true}, {1000, false},
	};
	uint64_t hash = hash_of(1);
	struct recent *r;
	bool fresh;

	CHECK_EQ(recent_new(&r, 80, true, false, UINT64_C(1) << 30), OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK_EQ(recent_meet(r, &rows[i].time, &hash, 1, &fresh), OK);
		CHECK_EQ(fresh, rows[i].fresh);
	}
	CHECK_EQ(recent_window(r)->late, 0);
	recent_free(r);
}

/* With little memory sets become filters: nothing that was met is new, the
 * ceiling holds, and the losses that are told are those that happened. */
static void
a_ceiling_holds_for_all_sets_together(void)
{
	enum { EACH = 40000, PANES = 30 };
	static uint64_t hash[EACH];
	static int64_t time[EACH];
	static bool fresh[EACH];
	struct seen_stats stats;
	struct recent *r;
	uint64_t lost = 0;

	CHECK_EQ(recent_new(&r, 8000, false, false, RECENT_BYTES_MIN), OK);
	for (int64_t pane = 0; pane < PANES; pane++) {
		for (size_t i = 0; i < EACH; i++) {
			hash[i] = hash_of((uint64_t)pane * EACH + i);
			time[i] = pane * 1000;
		}
		CHECK_EQ(recent_meet(r, time, hash, EACH, fresh), OK);
		for (size_t i = 0; i < EACH; i++)
			lost += !fresh[i];
		CHECK_EQ(recent_meet(r, time, hash, EACH, fresh), OK);
		for (size_t i = 0; i < EACH; i++)
			CHECK(!fresh[i]);
		recent_stats(r, &stats);
		CHECK(stats.bytes <= RECENT_BYTES_MIN);
	}
	CHECK(stats.filters > 100);
	CHECK_IN((double)lost, 0.85 * stats.lost, 1.15 * stats.lost);
	CHECK(lost > 1000);
	recent_free(r);
	recent_free(NULL);
}

int
main(void)
{
	RUN(the_panes_decide);
	RUN(new_again_after_a_span_and_at_most_an_eighth_more);
	RUN(what_is_carried_over_is_all_there_is);
	RUN(panes_of_no_window_are_refused);
	RUN(the_second_time_and_no_other);
	RUN(by_arrival_the_clock_stands_rather_than_going_back);
	RUN(a_ceiling_holds_for_all_sets_together);
	return check_done();
}
