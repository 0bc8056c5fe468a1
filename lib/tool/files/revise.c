/* sketchutils: BSD-2-Clause, see LICENSE */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/build.h"
#include "tool/lines/interrupt.h"
#include "tool/options/opts.h"
#include "tool/member/overfill.h"
#include "tool/files/records.h"
#include "tool/report.h"
#include "tool/files/revise.h"

/* Its first header, of a file that is one: whoever waits for a fifo waits for
 * ever. */
static struct record
look_at(const char *path, const char *verb)
{
	struct record head;
	struct stat st;

	if (strcmp(path, "-") == 0)
		die_usage("cannot %s standard input: the filter must be a file", verb);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) != 0)
		die(STATUS_SYSTEM, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		die_exit(EXIT_SYSTEM, "cannot %s '%s': not a regular file", verb, path);
	records_head(fd, path, MEMBER_KINDS, &head);
	close(fd);
	return head;
}

void
revise_begin(struct revision *r, const char *path, const char *verb,
    void (*fits)(const char *name, const struct record *head))
{
	struct record head = look_at(path, verb);

	fits(path, &head);
	shared.update = path;
	build_open();
	int fd = build_old();
	if (fd < 0)
		die(STATUS_SYSTEM, "cannot open '%s'", path);
	*r = (struct revision){.name = path};
	records_one_from(fd, path, MEMBER_KINDS, &r->sketch);
	close(fd);
	fits(path, &r->sketch.head);
	opts_adopt(&r->sketch.head, verb, path);
	r->member = member_find(r->sketch.head.kind);
	/* Up to here there is nothing to save. */
	interrupt_catch();
}

void
revise_save(struct revision *r)
{
	build_record(&r->sketch);
	build_close();
	overfill_report(r->member, r->sketch.body, &r->sketch.head, r->name);
	sketch_free(&r->sketch);
}

void
revise_abandon(struct revision *r)
{
	build_abandon();
	sketch_free(&r->sketch);
}
