/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdlib.h>
#include <string.h>

#include "tool/lines/headline.h"
#include "tool/report.h"

/* Fields that the job gave by name, as places among a header's names. */
static const struct field_range *
find_names(struct scan *scan, const struct scan *from, const struct slice *names, size_t n)
{
	const struct field_range *missing = fields_resolve(&from->item, names, n, &scan->item);

	if (!missing)
		missing = fields_resolve(&from->key, names, n, &scan->key);
	if (!missing)
		missing = fields_resolve(&from->weight, names, n, &scan->weight);
	if (!missing)
		missing = fields_resolve(&from->stamp, names, n, &scan->stamp);
	return missing;
}

bool
headline_take(struct scan *scan, const struct scan *from, const char *name, struct block *block)
{
	struct buffer scratch = {0};
	const unsigned char *end = memchr(block->at, scan->end,
	    (size_t)(block->end - block->at));
	struct slice line = {block->at, (size_t)(end - block->at)};

	if (scan->crlf && line.len > 0 && line.at[line.len - 1] == '\r')
		line.len--;
	/* Spreadsheets begin a file with U+FEFF, which is part of no name. */
	if (line.len >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0) {
		line.at += 3;
		line.len -= 3;
	}
	/* No more names than bytes, and one. */
	struct slice *names = malloc((line.len + 1) * sizeof *names);
	if (!names)
		die(STATUS_MEMORY, "cannot read the header of '%s'", name);
	size_t n = scan_split(scan, line, names, line.len + 1, &scratch);
	if (n == SIZE_MAX)
		die_usage("cannot read the header of '%s': a quote is open at its end", name);
	const struct field_range *missing = find_names(scan, from, names, n);
	if (missing)
		die_usage("cannot find field '%.*s' in the header of '%s'",
		    (int)missing->name_len, missing->name, name);
	free(names);
	buffer_free(&scratch);
	block->at = end + 1;
	return block->at < block->end;
}
