/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>

#include "base/status.h"
#include "check.h"

/* A few words in lower case without a full stop, and no two alike. */
static void
each_has_words_of_its_own(void)
{
	errno = ENOSPC;
	for (int st = OK; st <= STATUS_MISMATCH; st++) {
		const char *text = status_text((enum status)st);

		CHECK(strlen(text) > 3 && text[strlen(text) - 1] != '.');
		CHECK(st == STATUS_SYSTEM || (*text >= 'a' && *text <= 'z'));
		CHECK(strcmp(text, "unknown status") != 0);
		for (int other = OK; other < st; other++)
			CHECK(strcmp(text, status_text((enum status)other)) != 0);
	}
	CHECK(strcmp(status_text((enum status)(STATUS_MISMATCH + 1)), "unknown status") == 0);
}

static void
the_systems_reason_is_errnos(void)
{
	errno = ENOENT;
	CHECK(strcmp(status_text(STATUS_SYSTEM), "No such file or directory") == 0);
}

int
main(void)
{
	RUN(each_has_words_of_its_own);
	RUN(the_systems_reason_is_errnos);
	return check_done();
}
