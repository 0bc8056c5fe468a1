/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tool/options/keyfile.h"
#include "tool/report.h"

/* What is in there, or as much of it as shows that it is too long. */
static size_t
read_file(int fd, unsigned char *to, size_t room, const char *path)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = read(fd, to + len, room - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die(STATUS_SYSTEM, "cannot read key '%s'", path);
		len += (size_t)got;
	} while (got != 0 && len < room);
	return len;
}

struct siphash_key
keyfile_read(const char *path)
{
	unsigned char bytes[SIPHASH_FILE_MAX + 1];
	struct siphash_key key;

	if (strcmp(path, "-") == 0)
		die_usage("cannot use --key-file '-': the key must be in a file");
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		die(STATUS_SYSTEM, "cannot open key '%s'", path);
	struct slice file = {bytes, read_file(fd, bytes, sizeof bytes, path)};
	close(fd);
	if (!siphash_key_parse(file, &key))
		die_usage("cannot use --key-file '%s': not 16 bytes, nor 32 hexadecimal digits", path);
	return key;
}
