/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "base/num.h"
#include "sketch/kinds.h"
#include "tool/options/opts.h"
#include "tool/report.h"

struct job
opts_job(void)
{
	return (struct job){
		.scan = shared.scan, .header = shared.header, .threads = shared.threads,
		.progress = shared.progress, .line_buffered = shared.line_buffered,
	};
}

struct record
opts_identity(void)
{
	const struct scan *s = &shared.scan;

	return (struct record){
		.hash = s->hash, .item_type = s->item_type, .seed = s->seed,
		.transform = s->fold ? TRANSFORM_FOLD : 0,
		.join = !s->item.joined ? JOIN_NONE : s->end == '\n' ? JOIN_NEWLINE : JOIN_NUL,
	};
}

static uint64_t
memory_peak(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (uint64_t)use.ru_maxrss * 1024;
}

/* Why lines may have been rejected, by what the options ask of them. */
static const char *
reasons(char *out, size_t size)
{
	const struct scan *s = &shared.scan;
	const char *const why[] = {
		s->mode < FIELD_QUOTED ? NULL : s->crlf ?
		    "a quote that is open, or closed in mid-field" :
		    "a quote that is open, or closed in mid-field (CR at the end? see --crlf)",
		s->has_weight ? "a weight that is no whole number" : NULL,
		!s->has_stamp ? NULL : s->format.n > 0 ?
		    "a time that does not fit --time-format" :
		    "a time that is written in no usual way (see --time-format)",
		!s->want_values ? NULL : s->unit != UNIT_NONE ? "an item that is no number" :
		    "an item that is no number (with a unit? see --unit)",
		s->item_type == ITEM_INT64 ? "an item that is no whole number -2^63..2^63-1" :
		    s->item_type == ITEM_UTF16 ? "an item that is not UTF-8" : NULL,
	};

	*out = '\0';
	for (size_t i = 0; i < sizeof why / sizeof *why; i++) {
		size_t len = strlen(out);
		if (why[i])
			snprintf(out + len, size - len, "%s%s", len > 0 ? ", or " : "", why[i]);
	}
	return out;
}

void
opts_tally(const struct intake *t)
{
	char why[300];

	if (t->rejected > 0)
		lament("rejected %llu of %llu lines: %s", (unsigned long long)t->rejected,
		    (unsigned long long)t->lines, reasons(why, sizeof why));
	if (!shared.stats)
		return;

	char bytes[NUM_REAL_SIZE], peak[NUM_REAL_SIZE];
	note("%llu lines, %llu rejected, %s read, %s of memory at the peak",
	    (unsigned long long)t->lines, (unsigned long long)t->rejected,
	    num_bytes(bytes, t->bytes), num_bytes(peak, memory_peak()));
	if (t->ignored > 0)
		note("%llu empty items ignored, as %s does", (unsigned long long)t->ignored,
		    shared.compat ? shared.compat->name : "their system");
}

void
opts_records(uint64_t records)
{
	char peak[NUM_REAL_SIZE];

	if (shared.stats)
		note("%llu sketches read, %s of memory at the peak", (unsigned long long)records,
		    num_bytes(peak, memory_peak()));
}

void
opts_hash_features(struct feature_rule *rule)
{
	rule->seed = shared.scan.seed;
	rule->key = shared.key_file ? &shared.scan.secret : NULL;
}

const char *
opts_key_unlike(const struct record *head)
{
	if (head->hash == HASH_SIPHASH && !shared.key_file)
		return "it was made with a key: use --key-file";
	if (head->hash != HASH_SIPHASH && shared.key_file)
		return "it was made without a key, but --key-file gives one";
	return NULL;
}

void
opts_adopt_hash(const struct record *head, const char *verb, const char *name)
{
	const char *unlike = opts_key_unlike(head);

	if (unlike)
		die_exit(EXIT_SKETCH, "cannot %s '%s': %s", verb, name, unlike);
	if (shared.key_file)
		return;
	if (!shared.seed_given)
		shared.scan.seed = head->seed;
	if (!shared.compat)
		shared.scan.hash = head->hash;
}

void
opts_adopt(const struct record *head, const char *verb, const char *name)
{
	opts_adopt_hash(head, verb, name);
	if (head->transform & TRANSFORM_FOLD)
		shared.scan.fold = true;

	struct record mine = opts_identity();
	struct mismatch why;
	mine.kind = head->kind;
	if (record_compare(head, &mine, &why) != OK)
		die_exit(EXIT_SKETCH, "cannot %s '%s': %s", verb, name, why.text);
}
