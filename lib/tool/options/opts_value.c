/* sketchutils: BSD-2-Clause, see LICENSE */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "tool/options/opts.h"
#include "tool/report.h"

uint64_t
opts_count(uint64_t low, uint64_t high)
{
	uint64_t v;

	switch (num_count(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a whole number", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %llu..%llu", opts_typed(), optarg,
		    (unsigned long long)low, (unsigned long long)high);
	}
}

uint64_t
opts_size(uint64_t low, uint64_t high)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t v;

	switch (num_size(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a size such as 64M", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_bytes(text[0], low), num_bytes(text[1], high));
	}
}

uint64_t
opts_duration(uint64_t low, uint64_t high)
{
	char text[2][NUM_REAL_SIZE];
	uint64_t v;

	switch (num_duration(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a duration such as 90s, 5m, 12h or 7d", opts_typed(),
		    optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_span(text[0], low), num_span(text[1], high));
	}
}

double
opts_share(double low, double high)
{
	char text[2][NUM_REAL_SIZE];
	double v;

	switch (num_share(optarg, low, high, &v)) {
	case NUM_OK:
		return v;
	case NUM_JUNK:
		die_usage("cannot use %s '%s': not a number such as 0.01 or 1%%", opts_typed(), optarg);
	default:
		die_usage("cannot use %s '%s': not in %s..%s", opts_typed(), optarg,
		    num_real(text[0], low), num_real(text[1], high));
	}
}

static const char *only_kinds;

void
opts_systems(const char *only)
{
	only_kinds = only;
}

/* What may be meant by the option at hand. */
enum way { WAY_IN, WAY_OUT, WAY_BUILT };

static bool
goes(const struct system *s, enum way way)
{
	return kind_begins(kind_find(s->kind), only_kinds) &&
	    (way == WAY_IN ? s->read != NULL : way == WAY_OUT || s->builder);
}

/* "dcso or parquet": which ones there are. */
static void
list_systems(enum way way, char *text, size_t size)
{
	const struct system *s, *last = NULL;
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; (s = system_row(i)) != NULL; i++) {
		if (!goes(s, way))
			continue;
		if (last)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "", last->name);
		last = s;
	}
	if (last)
		snprintf(text + len, size - len, "%s%s", len ? " or " : "", last->name);
}

/* The system that the first n bytes of the value name. */
static const struct system *
take_system(size_t n, enum way way)
{
	char name[32] = "", known[120];
	const struct system *s;

	if (n < sizeof name)
		memcpy(name, optarg, n);
	s = system_find(name);
	if (s && goes(s, way))
		return s;
	list_systems(way, known, sizeof known);
	die_usage("cannot use %s '%s': not %s", opts_typed(), optarg, known);
}

/* The same before a ':', and the unit behind that. */
static const struct system *
take_numbers(enum way way, enum unit *unit)
{
	size_t n = strcspn(optarg, ":");
	const struct system *s = take_system(n, way);

	*unit = UNIT_NONE;
	if (optarg[n] == '\0')
		return s;
	if (!s->numbers)
		die_usage("cannot use %s '%s': %s has no unit", opts_typed(), optarg,
		    s->name);
	*unit = unit_find(slice_of(optarg + n + 1));
	if (*unit == UNIT_NONE)
		die_usage("cannot use %s '%s': a unit is ns, us, ms, s, min, h or d", opts_typed(),
		    optarg);
	return s;
}

const struct system *
opts_from(enum unit *unit)
{
	return take_numbers(WAY_IN, unit);
}

const struct system *
opts_to(enum unit *unit)
{
	return take_numbers(WAY_OUT, unit);
}

const struct system *
opts_compat(struct record *settings)
{
	size_t n = strcspn(optarg, ":");
	const struct system *s = take_system(n, WAY_BUILT);
	struct mismatch why;

	*settings = (struct record){.kind = s->kind};
	shared.settings_given = optarg[n] == ':';
	if (optarg[n] == ':' && !s->settings)
		die_usage("cannot use %s '%s': %s has no settings", opts_typed(), optarg, s->name);
	if (s->settings && !s->settings(optarg[n] == ':' ? optarg + n + 1 : "", settings, &why))
		die_usage("cannot use %s '%s': %s", opts_typed(), optarg, why.text);
	return s;
}
