/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"
#include "interop/systems.h"
#include "tool/foreign.h"

#define STEP (1 << 16)
#define MAGIC_SIZE (sizeof RECORD_MAGIC - 1)

static enum status
read_all(int fd, struct buffer *bytes)
{
	for (;;) {
		if (buffer_reserve(bytes, STEP) != OK)
			return STATUS_MEMORY;
		ssize_t n = read(fd, bytes->at + bytes->len, bytes->room - bytes->len);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
		else if (n < 0 && errno != EINTR)
			return STATUS_SYSTEM;
		if (n < 0)
			continue;
		if (n == 0)
			return bytes->len > 0 ? OK : STATUS_EMPTY;
		bytes->len += (size_t)n;
	}
}

enum status
foreign_read(const struct system *system, int fd, struct sketch *s, uint64_t *left_out,
    const char **guess)
{
	struct buffer bytes = {0};
	enum status st = read_all(fd, &bytes);

	if (st == OK)
		st = system->read(&bytes, s, left_out);
	if (st == STATUS_FOREIGN) {
		struct slice start = {bytes.at, bytes.len};
		bool ours = start.len >= MAGIC_SIZE && memcmp(start.at, RECORD_MAGIC, MAGIC_SIZE) == 0;

		*guess = ours ? "it is a sketch of ours (leave --from out)" : system_guess(start);
	}
	buffer_free(&bytes);
	return st;
}
