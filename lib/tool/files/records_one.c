/* sketchutils: BSD-2-Clause, see LICENSE */
#include <fcntl.h>
#include <unistd.h>

#include "sketch/member/form.h"
#include "tool/options/opts.h"
#include "tool/files/records.h"
#include "tool/report.h"

/* The files that hold one sketch. */

struct one {
	const char *name;
	struct sketch *out;
	bool settings;               /* a keyed one will do */
	unsigned n;
};

static void
take_one(void *context, const char *name, struct sketch *s, const struct slice *key)
{
	struct one *one = context;

	if (key && !one->settings)
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': it is keyed", name);
	if (key && one->n > 0)
		return;
	if (one->n++ > 0)
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': it holds more than one record", name);
	*one->out = *s;
	*s = (struct sketch){0};
}

/* A keyed record's header is that of an empty sketch, but for the flag. */
static void
take_keyed(void *context, const char *name, const struct record *head)
{
	struct one *one = context;
	struct record empty = *head;
	struct buffer payload = {0};
	struct form form;

	if (!one->settings)
		die_exit(EXIT_SKETCH, "cannot use sketch '%s': it is keyed", name);
	if (one->n++ > 0)
		return;
	empty.flags &= (uint16_t)~FLAG_KEYED;
	empty.items = empty.size = 0;
	enum status st = OK;
	/* An empty filter is not nothing, but zeros. */
	if (form_of(&form, &empty) && form_flat(form.kind)) {
		empty.size = form_bytes(&form);
		st = empty.size > SIZE_MAX / 2 ? STATUS_MEMORY :
		    buffer_zeros(&payload, (size_t)empty.size);
	}
	if (st == OK)
		st = sketch_load(one->out, &empty, &payload);
	if (st != OK)
		die(st, "cannot use sketch '%s'", name);
}

static void
take(int fd, const char *name, const char *only, bool settings, struct sketch *out)
{
	struct one one = {.name = name, .out = out, .settings = settings};
	struct records records = {
		.only = only, .end = shared.scan.end, .context = &one, .sketch = take_one,
		.keyed = take_keyed,
	};

	records_from(&records, fd, name);
}

static void
take_path(const char *path, const char *only, bool settings, struct sketch *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(STATUS_SYSTEM, "cannot open '%s'", path);
	take(fd, path, only, settings, out);
	close(fd);
}

void
records_one_from(int fd, const char *name, const char *only, struct sketch *out)
{
	take(fd, name, only, false, out);
}

void
records_one(const char *path, const char *only, struct sketch *out)
{
	take_path(path, only, false, out);
}

void
records_like(const char *path, const char *only, struct sketch *out)
{
	take_path(path, only, true, out);
}
