/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "interop/postgres_settings.h"

#define SETTINGS 4

static const struct {
	const char *name;
	long low, high;
} setting[SETTINGS] = {
	{"LOG2M", HLL_POSTGRES_LOG2M_MIN, HLL_POSTGRES_LOG2M_MAX},
	{"REGWIDTH", 1, HLL_POSTGRES_REGWIDTH_SAFE},
	{"EXPTHRESH", -1, 0},        /* has rules of its own */
	{"SPARSEON", 0, 1},
};

enum { EXPTHRESH = 2 };

/* A whole number of up to 18 digits; false if it is none. */
static bool
take_number(const char *text, size_t len, int64_t *out)
{
	size_t sign = len > 0 && *text == '-';
	int64_t n = 0;

	if (len == sign || len - sign > 18)
		return false;
	for (size_t i = sign; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		n = 10 * n + (text[i] - '0');
	}
	*out = sign ? -n : n;
	return true;
}

static bool
refuse(struct mismatch *why, unsigned i, const char *text, size_t len, const char *range)
{
	snprintf(why->text, sizeof why->text, "%s '%.*s' is not %s", setting[i].name,
	    (int)(len < 24 ? len : 24), text, range);
	return false;
}

static bool
take_setting(unsigned i, const char *text, size_t len, int64_t *out, struct mismatch *why)
{
	char range[32];
	unsigned code;

	if (i == EXPTHRESH)
		return (take_number(text, len, out) && hll_postgres_code(*out, &code)) ||
		    refuse(why, i, text, len, "-1, 0 or a power of 2");
	snprintf(range, sizeof range, "in %ld..%ld", setting[i].low, setting[i].high);
	return (take_number(text, len, out) && *out >= setting[i].low && *out <= setting[i].high) ||
	    refuse(why, i, text, len, range);
}

bool
postgres_settings(const char *text, struct record *head, struct mismatch *why)
{
	struct hll_postgres_shape shape = hll_postgres_default;
	int64_t number[SETTINGS] = {
		shape.log2m, shape.regwidth, hll_postgres_expthresh(shape.expthresh),
		shape.sparseon,
	};
	bool more = *text != '\0';

	for (unsigned i = 0; more; i++) {
		size_t len = strcspn(text, ",");
		if (i == SETTINGS) {
			snprintf(why->text, sizeof why->text, "it has more than the four settings "
			    POSTGRES_SETTINGS_FORM);
			return false;
		}
		if (!take_setting(i, text, len, &number[i], why))
			return false;
		more = text[len] == ',';
		text += len + more;
	}
	shape = (struct hll_postgres_shape){
		.log2m = (unsigned)number[0], .regwidth = (unsigned)number[1],
		.sparseon = number[3] == 1,
	};
	hll_postgres_code(number[EXPTHRESH], &shape.expthresh);
	hll_postgres_put(&shape, head);
	return true;
}
