/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>

#include "base/fields.h"

#define FIELD_LARGEST 1000000

/* Digits at p, at most 1,000,000; 0 if there are none or the number is larger. */
static int
number_at(const char **p)
{
	int v = 0;

	for (; **p >= '0' && **p <= '9'; ++*p) {
		v = v * 10 + (**p - '0');
		if (v > FIELD_LARGEST)
			v = FIELD_LARGEST + 1;
	}
	return v <= FIELD_LARGEST ? v : 0;
}

/* Is it a number, a range or a number from the end? Then fill in r. */
static const char *
range_parse(const char *text, size_t len, struct field_range *r, bool *is_name)
{
	const char *p = text, *end = text + len;
	bool from_end = *p == '-';

	*is_name = false;
	if (from_end)
		p++;
	if (!(p < end && *p >= '0' && *p <= '9')) {
		*is_name = true;
		return NULL;
	}
	int first = number_at(&p);
	bool range = !from_end && p < end && *p == '-';
	bool closed = false;
	int last = range ? FIELD_OPEN : first;
	if (range && ++p < end) {
		last = number_at(&p);
		closed = true;
	}
	if (p != end) {
		*is_name = true;
		return NULL;
	}
	if (first == 0 || (closed && last == 0))
		return "fields are numbered from 1 to 1000000";
	if (closed && last < first)
		return "a range's end must not be below its start";
	r->first = from_end ? -first : first;
	r->last = from_end ? -first : last;
	return NULL;
}

const char *
fields_parse(const char *list, struct fields *f)
{
	*f = (struct fields){0};
	for (const char *p = list;; p++) {
		size_t len = strcspn(p, ",");
		if (len == 0)
			return "a field is missing between commas";
		if (f->n == FIELDS_MAX)
			return "more than 64 fields";

		struct field_range *r = &f->at[f->n++];
		bool is_name;
		const char *wrong = range_parse(p, len, r, &is_name);
		if (wrong)
			return wrong;
		if (is_name) {
			r->name = p;
			r->name_len = len;
			f->named = true;
		}
		f->joined |= f->n > 1 || (!is_name && r->first != r->last);
		p += len;
		if (*p == '\0')
			return NULL;
	}
}

const struct field_range *
fields_resolve(const struct fields *f, const struct slice *names, size_t n,
    struct fields *out)
{
	*out = *f;
	out->named = false;
	for (unsigned i = 0; i < f->n; i++) {
		const struct field_range *r = &f->at[i];
		if (!r->name)
			continue;

		struct slice want = {(const unsigned char *)r->name, r->name_len};
		size_t k = 0;
		while (k < n && !slice_equal(names[k], want))
			k++;
		if (k == n)
			return r;
		out->at[i] = (struct field_range){.first = (int)k + 1, .last = (int)k + 1};
	}
	return NULL;
}
