/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/lines/input.h"
#include "tool/lines/interrupt.h"
#include "tool/output.h"
#include "tool/report.h"

#define PIPE_SIZE (256 << 10)

const char *
input_name(const struct input *in)
{
	return strcmp(in->operand, "-") == 0 ? "standard input" : in->operand;
}

enum status
input_open(struct input *in, const char *operand)
{
	struct stat st;

	*in = (struct input){.operand = operand, .fd = STDIN_FILENO};
	if (strcmp(operand, "-") != 0) {
		in->fd = open(operand, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (in->fd < 0)
			return STATUS_SYSTEM;
	}
	if (fstat(in->fd, &st) != 0)
		goto fail;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		goto fail;
	}
	if (output_is(&st))
		die_usage("'%s' is both input and standard output", input_name(in));
	if (S_ISREG(st.st_mode)) {
		in->start = lseek(in->fd, 0, SEEK_CUR);
		in->size = st.st_size;
		in->regular = in->start >= 0;
	} else if (S_ISFIFO(st.st_mode)) {
		/* A small pipe makes the writer and us take turns. A user over the
		 * system's limit keeps what there is. */
		int now = fcntl(in->fd, F_GETPIPE_SZ);
		for (int size = PIPE_SIZE; now > 0 && size > now; size /= 2)
			if (fcntl(in->fd, F_SETPIPE_SZ, size) >= 0 || errno != EPERM)
				break;
	}
	return OK;
fail:
	input_close(in);
	return STATUS_SYSTEM;
}

void
input_close(struct input *in)
{
	int saved = errno;

	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
	errno = saved;
}

enum status
input_sniff(struct slice start, bool *more)
{
	static const struct {
		const char *magic;
		size_t len;
		enum status st;
	} known[] = {
		{"\x8askch", 5, STATUS_NOT_SKETCH},
		{"\x1f\x8b\x08", 3, STATUS_NOT_GZIP},
		{"\x28\xb5\x2f\xfd", 4, STATUS_NOT_ZSTD},
		{"\xfd" "7zXZ", 6, STATUS_NOT_XZ},
		{"BZh", 3, STATUS_NOT_BZIP2},
	};

	*more = false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t len = known[i].len;
		size_t n = start.len < len ? start.len : len;
		if (memcmp(start.at, known[i].magic, n) != 0)
			continue;
		/* "BZh" alone could be text; a block's magic, pi, could not. */
		if (known[i].magic[0] == 'B') {
			if (start.len < 10)
				*more |= start.len < 3 || start.at[start.len - 1] != '\n';
			else if (memcmp(start.at + 4, "1AY&SY", 6) == 0)
				return known[i].st;
		} else if (n == len) {
			return known[i].st;
		} else {
			*more = true;
		}
	}
	return OK;
}

/* Room for size bytes with slack on both sides, keeping used ones. */
static enum status
room_for(struct room *r, size_t used, size_t size)
{
	if (size <= r->size)
		return OK;
	if (size < r->size * 2)
		size = r->size * 2;

	unsigned char *base = malloc(size + 2 * SCAN_SLACK);
	if (!base)
		return STATUS_MEMORY;
	memset(base, 0, SCAN_SLACK);
	memset(base + SCAN_SLACK + size, 0, SCAN_SLACK);
	if (used)
		memcpy(base + SCAN_SLACK, r->base + SCAN_SLACK, used);
	free(r->base);
	*r = (struct room){base, size};
	return OK;
}

void
room_free(struct room *r)
{
	free(r->base);
	*r = (struct room){0};
}

void
stream_open(struct stream *s, const struct input *in, unsigned char end, size_t step)
{
	*s = (struct stream){
		.input = in, .end = end, .step = step,
		.fresh = true, .offset = -1, .limit = STREAM_NO_LIMIT
	};
}

void
stream_range(struct stream *s, off_t from, off_t limit, bool whole)
{
	/* One byte earlier tells whether a line starts at from. */
	s->fresh = false;
	s->skip = from > s->input->start;
	s->offset = from - s->skip;
	s->limit = limit;
	s->whole = whole;
	s->done = false;
	s->carry.len = 0;
}

void
stream_close(struct stream *s)
{
	buffer_free(&s->carry);
}

/* Until a read does not block; false: interrupted. */
static bool
stream_wait(struct stream *s)
{
	struct pollfd ready = {.fd = s->input->fd, .events = POLLIN};
	enum waited waited;

	do {
		int most = -1;
		if (s->before_wait && poll(&ready, 1, 0) == 0)
			most = s->before_wait(s->context);
		waited = interrupt_wait(s->input->fd, most);
	} while (waited == WAITED_LONG);
	return waited == WAITED_INPUT;
}

/* -1 and EINTR: interrupted while it waited. */
static ssize_t
stream_read(struct stream *s, unsigned char *to, size_t n)
{
	for (;;) {
		ssize_t got;

		if (s->offset >= 0) {
			got = pread(s->input->fd, to, n, s->offset);
		} else {
			if (!stream_wait(s)) {
				errno = EINTR;
				return -1;
			}
			got = read(s->input->fd, to, n);
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = s->input->fd, .events = POLLIN};
			poll(&wait, 1, -1);
			continue;
		}
		if (got > 0 && s->offset >= 0)
			s->offset += got;
		return got;
	}
}

/*
 * data..data+len are bytes from a line's start, the last fresh of them just
 * read. How many of them are complete lines of ours? Lines end in front of
 * the limit, which is at byte `limit` of data if that is inside. 0: read on.
 */
static size_t
complete_lines(struct stream *s, const unsigned char *data, size_t len, size_t fresh,
    uint64_t limit)
{
	const unsigned char *p;

	if (limit <= len) {
		/* The line that is under way at the limit is ours to its end. */
		size_t from = limit > 0 ? (size_t)limit - 1 : 0;
		if (from < len - fresh)
			from = len - fresh;
		p = memchr(data + from, s->end, len - from);
		if (p) {
			s->done = true;
			return (size_t)(p - data) + 1;
		}
		return 0;
	}
	if (s->whole)
		return 0;
	/* Only the fresh bytes: looking at all again would make a line of many
	 * blocks quadratic. */
	p = memrchr(data + len - fresh, s->end, fresh);
	return p ? (size_t)(p - data) + 1 : 0;
}

/* Is the rest of a line that belongs to another range gone? Moves what is
 * behind it to the front. */
static void
skip_line(struct stream *s, unsigned char *data, size_t *len)
{
	unsigned char *p = memchr(data, s->end, *len);

	if (!p) {
		*len = 0;
		s->done |= s->offset >= s->limit;
		return;
	}
	size_t gone = (size_t)(p + 1 - data);
	memmove(data, p + 1, *len - gone);
	*len -= gone;
	s->skip = false;
	s->done |= s->offset - (off_t)*len >= s->limit;
}

enum status
stream_block(struct stream *s, struct room *room, struct block *b)
{
	size_t len = s->carry.len;

	if (s->done)
		return STATUS_END;
	if (room_for(room, 0, len + s->step + 1) != OK)
		return STATUS_MEMORY;
	if (len)
		memcpy(room->base + SCAN_SLACK, s->carry.at, len);
	s->carry.len = 0;

	for (;;) {
		if (room_for(room, len, len + s->step + 1) != OK)
			return STATUS_MEMORY;
		unsigned char *data = room->base + SCAN_SLACK;
		ssize_t got = stream_read(s, data + len, s->step);
		if (got < 0 && errno == EINTR) {
			/* The line under way may never be whole. */
			s->done = true;
			return STATUS_END;
		}
		if (got < 0)
			return STATUS_SYSTEM;
		len += (size_t)got;
		if (s->fresh) {
			bool more;
			enum status st = input_sniff((struct slice){data, len}, &more);
			if (st != OK)
				return st;
			if (more && got > 0)
				continue;
			got = (ssize_t)len;
			s->fresh = false;
			if (len == 0) {
				s->done = true;
				return STATUS_END;
			}
			if (more)
				goto last;
		} else if (got == 0) {
			goto last;
		}
		if (s->skip) {
			skip_line(s, data, &len);
			if (s->done)
				return STATUS_END;
			if (s->skip)
				continue;
			got = (ssize_t)len;
		}

		uint64_t limit = UINT64_MAX;
		if (s->limit != STREAM_NO_LIMIT)
			limit = (uint64_t)(s->limit - (s->offset - (off_t)len));
		size_t take = complete_lines(s, data, len, (size_t)got, limit);
		if (take == 0)
			continue;
		if (!s->done) {
			if (buffer_append(&s->carry, data + take, len - take) != OK)
				return STATUS_MEMORY;
			s->done = limit <= take;
		}
		*b = (struct block){data, data + take, s->number++};
		return OK;
last:
		/* The end of the input, wherever it is now. */
		s->done = true;
		if (len == 0 || s->skip)
			return STATUS_END;
		if (data[len - 1] != s->end)
			data[len++] = s->end;
		*b = (struct block){data, data + len, s->number++};
		return OK;
	}
}
