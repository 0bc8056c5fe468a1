/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/report.h"
#include "tool/lines/reread.h"

static off_t offset = -1;            /* of standard input, if it is read */

/* Is this operand to be read? A fifo is not even opened: its writer would see
 * it closed again. */
static bool
look_at(const char *operand, const char *option)
{
	bool standard = strcmp(operand, "-") == 0;
	const char *name = standard ? "standard input" : operand;
	int fd = STDIN_FILENO;
	struct stat st;

	if ((standard ? fstat(fd, &st) : stat(operand, &st)) == 0 &&
	    !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		die_usage("%s reads its input twice, and '%s' can be read only once", option, name);
	if (standard) {
		offset = lseek(fd, 0, SEEK_CUR);
		return true;
	}
	/* What cannot be read is told here, and not once in each pass. */
	fd = open(operand, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd < 0) {
		complain(STATUS_SYSTEM, "cannot open '%s'", name);
		return false;
	}
	close(fd);
	return true;
}

int
reread_begin(int count, char **operands, const char *option, char ***left)
{
	static char standard[] = "-";
	static char *none[] = {standard};
	int n = 0;

	if (count == 0) {
		count = 1;
		operands = none;
	}
	*left = calloc((size_t)count, sizeof **left);
	if (!*left)
		die(STATUS_MEMORY, "cannot start");
	for (int i = 0; i < count; i++)
		if (look_at(operands[i], option))
			(*left)[n++] = operands[i];
	return n;
}

void
reread_again(void)
{
	if (offset >= 0 && lseek(STDIN_FILENO, offset, SEEK_SET) < 0)
		die(STATUS_SYSTEM, "cannot read 'standard input' again");
}
