/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/num.h"
#include "sketch/member/twopass.h"
#include "tool/member/memo.h"
#include "tool/time/recent.h"
#include "tool/report.h"
#include "tool/files/state.h"

static struct memo_form form;

/* One of them is there. */
static struct seen *seen;
static struct recent *recent;
static struct twopass *twopass;

static struct seen *
new_seen(uint64_t bytes)
{
	struct seen *s;

	if (seen_new(&s, bytes) != OK)
		die(STATUS_MEMORY, "cannot start");
	return s;
}

/* Was the state kept by a run with the same options? */
static void
must_agree(struct seen_use was)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t length = recent ? (uint64_t)recent_window(recent)->length : 0;

	if (was.repeated != form.repeated)
		state_differs("--repeated", was.repeated ? "yes" : "no", form.repeated ? "yes" : "no");
	if ((uint64_t)was.pane_length != length)
		state_differs("panes of", num_span(text[0], (uint64_t)was.pane_length),
		    num_span(text[1], length));
}

/* For the next set of the state. Filters stay as large as they are: nobody
 * knows any more what they were made of. */
static struct seen *
empty_set(const struct record *head)
{
	uint64_t bytes = seen_bytes_of(head);
	uint64_t most = recent ? form.bytes / RECENT_SETS : form.bytes;
	struct seen_use use = seen_use_of(head);
	struct seen *set = NULL;

	must_agree(use);
	if (bytes > most) {
		char text[2][NUM_REAL_SIZE];
		die_exit(EXIT_SYSTEM, "cannot use state '%s': its filters take %s, and -M allows %s",
		    form.state, num_bytes(text[0], bytes), num_bytes(text[1], most));
	}
	if (recent) {
		enum status st = recent_resume(recent, use, bytes, &set);
		if (st != OK)
			die(st, "cannot use state '%s'", form.state);
		return set;
	}
	if (seen)
		state_differs("sets", "several", "one");
	seen = new_seen(bytes > 0 ? bytes : form.bytes);
	return seen;
}

static void
check_ceiling(void)
{
	if (form.window > 0 && form.bytes < RECENT_BYTES_MIN)
		die_usage("cannot use -M: --window needs 640K or more");
	if (form.exact && form.bytes < TWOPASS_BYTES_MIN)
		die_usage("cannot use -M: --exact needs 128K or more");
}

void
memo_start(const struct memo_form *how)
{
	enum status st = OK;

	form = *how;
	check_ceiling();
	if (form.exact)
		st = twopass_new(&twopass, form.bytes);
	else if (form.window > 0)
		st = recent_new(&recent, form.window, form.arrival, form.repeated, form.bytes);
	if (st != OK)
		die(st, "cannot start");
	if (form.state) {
		state_open(form.state);
		state_load(empty_set);
	}
	if (!twopass && !recent && !seen)
		seen = new_seen(form.bytes);
}

void
memo_free(void)
{
	seen_free(seen);
	recent_free(recent);
	twopass_free(twopass);
}

static void
check(enum status st)
{
	if (st != OK)
		die(st, "cannot remember a line");
}

void
memo_meet(const uint64_t *hash, size_t n, bool *wanted)
{
	check(twopass ? twopass_meet(twopass, hash, n, wanted) :
	    form.repeated ? seen_meet_again(seen, hash, n, wanted) :
	    seen_meet(seen, hash, n, wanted));
}

void
memo_meet_at(const int64_t *time, const uint64_t *hash, size_t n, bool *wanted)
{
	check(recent_meet(recent, time, hash, n, wanted));
}

void
memo_look(const uint64_t *hash, size_t n)
{
	check(twopass_look(twopass, hash, n));
}

void
memo_turn(void)
{
	enum status st = twopass_turn(twopass);

	if (st == STATUS_FULL)
		die_exit(EXIT_SYSTEM, "cannot be exact: more keys are repeated than fit in -M");
	check(st);
}

static size_t
state_parts(struct state_part *part)
{
	struct seen *set[RECENT_SETS] = {seen};
	struct seen_use use[RECENT_SETS] = {{.repeated = form.repeated}};
	size_t n = 1;

	if (recent)
		check(recent_sets(recent, set, use, &n));
	for (size_t i = 0; i < n; i++)
		part[i] = (struct state_part){set[i], use[i]};
	return n;
}

void
memo_save_now(uint64_t items)
{
	struct state_part part[RECENT_SETS];

	if (form.state)
		state_save_now(part, state_parts(part), items);
}

void
memo_save(uint64_t items)
{
	struct state_part part[RECENT_SETS];

	if (form.state)
		state_save(part, state_parts(part), items);
}

void
memo_stats(struct seen_stats *stats)
{
	if (twopass)
		twopass_stats(twopass, stats);
	else if (recent)
		recent_stats(recent, stats);
	else
		seen_stats(seen, stats);
}

const struct window *
memo_window(void)
{
	return recent ? recent_window(recent) : NULL;
}
