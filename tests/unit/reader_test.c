/* sketchutils: BSD-2-Clause, see LICENSE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/reader.h"
#include "check.h"

static struct slice
slice_from(const void *p, size_t n)
{
	return (struct slice){p, n};
}

static struct slice
slice_in(const struct buffer *b)
{
	return (struct slice){b->at, b->len};
}

/* A record with n bytes of payload, as binary or armour. */
static void
add_record(struct buffer *out, size_t n, bool armored)
{
	struct record head = {.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3,
		.items = n, .size = n, .param = {14}};
	struct buffer payload = {0}, bytes = {0};

	CHECK_EQ(buffer_zeros(&payload, n), OK);
	for (size_t i = 0; i < n; i++)
		payload.at[i] = (unsigned char)(i * 7 + n);
	CHECK_EQ(record_write(buffer_sink(&bytes), &head, (struct slice){0},
	    slice_in(&payload)), OK);
	if (armored)
		CHECK_EQ(armor_encode(out, slice_in(&bytes)), OK);
	else
		CHECK_EQ(buffer_append(out, bytes.at, bytes.len), OK);
	buffer_free(&payload);
	buffer_free(&bytes);
}

static void
add_line(struct buffer *out, struct slice key, unsigned char end)
{
	struct record head = {.kind = KIND_HLL, .version = 1, .hash = HASH_XXH3,
		.items = 5, .size = 4, .param = {14}};

	CHECK_EQ(keyed_line_write(buffer_sink(out), key, &head, (struct slice){0},
	    slice_of("abcd"), end), OK);
}

/* Read all; the status it ends with, and how many records came. */
static enum status
drain(struct record_reader *r, unsigned *count)
{
	struct buffer extension = {0}, payload = {0};
	struct record head;
	enum status st;
	unsigned n = 0;

	while ((st = record_reader_next(r, &head, &extension, &payload)) == OK) {
		CHECK_EQ(payload.len, head.size);
		CHECK_EQ(extension.len % 64, 0);
		n++;
	}
	buffer_free(&extension);
	buffer_free(&payload);
	if (count)
		*count = n;
	return st;
}

static enum status
drain_bytes(struct slice bytes, unsigned *count)
{
	struct record_reader r;

	record_reader_memory(&r, bytes);
	enum status st = drain(&r, count);
	record_reader_close(&r);
	return st;
}

/* Binary, armoured, one of each kind of line; sizes around the padding. */
static void
add_mixed(struct buffer *out)
{
	for (size_t n = 60; n < 70; n++)
		add_record(out, n, false);
	add_record(out, 0, false);
	add_record(out, 100, true);
	CHECK_EQ(buffer_append(out, "\n", 1), OK);
	add_record(out, 200000, false);
	add_line(out, slice_of("k\tey"), '\n');
	add_line(out, slice_of(""), '\n');
	add_line(out, slice_of("sk1:x\tsk1:AAAA"), '\n');
	add_line(out, slice_of("\x8a"), '\n');
	add_record(out, 64, false);
	add_record(out, 150000, true);
}
#define MIXED 19

static void
check_mixed(struct record_reader *r)
{
	struct buffer extension = {0}, payload = {0};
	struct record head;
	struct slice key;

	for (unsigned i = 1; i <= MIXED; i++) {
		enum status st = record_reader_next(r, &head, &extension, &payload);
		CHECK_EQ(st, OK);
		if (st != OK)
			break;
		CHECK_EQ(r->number, i);
		CHECK_EQ(r->armored, i == 12 || (i > 13 && i != 18));
		CHECK_EQ(payload.len, head.size);
		if (i == 13) {
			CHECK_EQ(payload.len, 200000);
			CHECK_EQ(payload.at[199999], (unsigned char)(199999 * 7 + 200000));
		}
		if (i == 14) {
			CHECK(extension_find(slice_in(&extension), EXTENSION_KEY, &key));
			CHECK(slice_equal(key, slice_of("k\tey")));
			CHECK(memcmp(payload.at, "abcd", 4) == 0);
		}
	}
	CHECK_EQ(record_reader_next(r, &head, &extension, &payload), STATUS_END);
	CHECK_EQ(record_reader_next(r, &head, &extension, &payload), STATUS_END);
	buffer_free(&extension);
	buffer_free(&payload);
}

/* The line shows a TAB where the key has the byte that joins its fields. */
static void
a_key_of_several_fields_comes_from_its_record(void)
{
	for (unsigned end = 0; end <= '\n'; end += '\n') {
		struct buffer file = {0}, extension = {0}, payload = {0};
		struct record_reader r;
		struct record head;
		struct slice key, joined = slice_from(end ? "a\nb" : "a\0b", 3);

		add_line(&file, joined, (unsigned char)end);
		CHECK(memcmp(file.at, "a\tb\tsk1:", 8) == 0);
		record_reader_memory(&r, slice_in(&file));
		r.end = (unsigned char)end;
		CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), OK);
		CHECK(extension_find(slice_in(&extension), EXTENSION_KEY, &key));
		CHECK(slice_equal(key, joined));
		CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), STATUS_END);
		record_reader_close(&r);

		/* Any other byte must be the same. */
		file.at[1] = ' ';
		record_reader_memory(&r, slice_in(&file));
		r.end = (unsigned char)end;
		CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), STATUS_INVARIANT);
		record_reader_close(&r);
		buffer_free(&file);
		buffer_free(&extension);
		buffer_free(&payload);
	}
}

static void
mixed_records_come_from_memory(void)
{
	struct buffer file = {0};
	struct record_reader r;

	add_mixed(&file);
	record_reader_memory(&r, slice_in(&file));
	check_mixed(&r);
	CHECK_EQ(r.position, file.len);
	record_reader_close(&r);
	buffer_free(&file);
}

static void
on_signal(int number)
{
	(void)number;
}

/* A pipe that a child fills piece by piece. With signals it lets us wait for
 * each piece, and interrupts that. */
static int
pipe_from(struct slice bytes, size_t piece, bool signals, pid_t *child)
{
	int ends[2];
	pid_t parent = getpid();

	CHECK_EQ(pipe(ends), 0);
	fflush(stdout);
	*child = fork();
	if (*child == 0) {
		close(ends[0]);
		for (size_t at = 0; at < bytes.len; at += piece) {
			size_t n = bytes.len - at < piece ? bytes.len - at : piece;
			if (signals) {
				usleep(500);
				kill(parent, SIGUSR1);
			}
			if (write(ends[1], bytes.at + at, n) != (ssize_t)n)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void
mixed_records_come_from_a_pipe(void)
{
	static const size_t pieces[] = {7, 127, 4096, 1 << 20};
	struct sigaction act = {.sa_handler = on_signal};
	struct buffer file = {0};
	struct record_reader r;

	/* Without SA_RESTART a signal makes read fail with EINTR. */
	sigaction(SIGUSR1, &act, NULL);
	add_mixed(&file);
	for (size_t i = 0; i < 4; i++) {
		pid_t child;
		int status, fd = pipe_from(slice_in(&file), pieces[i], pieces[i] == 4096, &child);

		record_reader_open(&r, fd);
		check_mixed(&r);
		record_reader_close(&r);
		close(fd);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		CHECK_EQ(status, 0);
	}
	buffer_free(&file);
}

static void
a_failure_says_which_record_and_where(void)
{
	struct buffer file = {0};
	struct record_reader r;
	unsigned count;

	add_record(&file, 10, false);
	add_record(&file, 70, true);
	CHECK_EQ(buffer_append(&file, "\n", 1), OK);
	size_t third = file.len;
	add_record(&file, 10, false);
	file.at[third + 128] ^= 1;
	record_reader_memory(&r, slice_in(&file));
	CHECK_EQ(drain(&r, &count), STATUS_PAYLOAD);
	CHECK_EQ(count, 2);
	CHECK_EQ(r.number, 3);
	CHECK_EQ(r.offset, third);
	CHECK_EQ(drain(&r, &count), STATUS_PAYLOAD);
	record_reader_close(&r);
	buffer_free(&file);
}

static void
nothing_is_empty_and_rubbish_is_foreign(void)
{
	struct buffer file = {0}, endless = {0};

	CHECK_EQ(drain_bytes((struct slice){0}, NULL), STATUS_EMPTY);
	CHECK_EQ(drain_bytes(slice_of("\n"), NULL), STATUS_FOREIGN);
	CHECK_EQ(drain_bytes(slice_of("192.0.2.1 - - [x] \"GET /\"\n"), NULL), STATUS_FOREIGN);
	CHECK_EQ(drain_bytes(slice_of("\x8askch"), NULL), STATUS_TRUNCATED);
	CHECK_EQ(drain_bytes(slice_of("\x8askcx"), NULL), STATUS_FOREIGN);

	add_record(&file, 10, false);
	CHECK_EQ(buffer_append(&file, "\n", 1), OK);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_FOREIGN);
	file.at[file.len - 1] = 0;
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_FOREIGN);
	buffer_free(&file);

	/* No line end in sight: given up early, not at the end of memory. */
	struct record_reader r;
	CHECK_EQ(buffer_zeros(&endless, 3 * READER_KEY_MAX), OK);
	record_reader_memory(&r, slice_in(&endless));
	r.end = '\n';
	CHECK_EQ(drain(&r, NULL), STATUS_FOREIGN);
	record_reader_close(&r);
	buffer_free(&endless);
}

static void
every_truncation_fails(void)
{
	for (int armored = 0; armored < 3; armored++) {
		struct buffer file = {0};

		if (armored < 2)
			add_record(&file, 10, armored == 1);
		else
			add_line(&file, slice_of("key"), '\n');
		CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_END);
		/* An armoured line may lack its newline. */
		size_t whole = armored == 2 ? file.len - 1 : file.len;
		for (size_t n = 0; n < whole; n++) {
			enum status st = drain_bytes(slice_from(file.at, n), NULL);
			CHECK(st == (n == 0 ? STATUS_EMPTY : STATUS_TRUNCATED) ||
			    (n > 0 && armored && (st == STATUS_ARMOR || st == STATUS_FOREIGN)));
		}
		buffer_free(&file);
	}
}

static void
every_flipped_bit_fails(void)
{
	for (int armored = 0; armored < 3; armored++) {
		struct buffer file = {0};

		if (armored < 2)
			add_record(&file, 10, armored == 1);
		else
			add_line(&file, slice_of("ke"), '\n');
		for (size_t i = 0; i < 8 * file.len; i++) {
			file.at[i / 8] ^= (unsigned char)(1 << i % 8);
			enum status st = drain_bytes(slice_in(&file), NULL);
			CHECK(st != OK && st != STATUS_END && st != STATUS_SYSTEM);
			file.at[i / 8] ^= (unsigned char)(1 << i % 8);
		}
		buffer_free(&file);
	}
}

static void
padding_is_zero(void)
{
	struct buffer file = {0};

	add_record(&file, 10, false);
	for (size_t i = 128 + 10; i < file.len; i++) {
		file.at[i] = 1;
		put_le64(file.at + 112, hash_bytes(file.at + 128, 64, 0));
		put_le64(file.at + 120, hash_bytes(file.at, 120, 0));
		CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_PADDING);
		file.at[i] = 0;
	}
	buffer_free(&file);
}

static void
lines_are_canonical(void)
{
	struct buffer file = {0};

	/* A carriage return is not ours. */
	add_record(&file, 10, true);
	CHECK_EQ(buffer_append(&file, "\r\n", 2), OK);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_ARMOR);
	/* Nor is a blank line, or a second record on the line. */
	file.len = 0;
	add_record(&file, 10, true);
	CHECK_EQ(buffer_append(&file, "\n\n", 2), OK);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_FOREIGN);
	file.len = 0;
	struct buffer two = {0};
	add_record(&two, 10, false);
	add_record(&two, 10, false);
	CHECK_EQ(armor_encode(&file, slice_in(&two)), OK);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_ARMOR);
	buffer_free(&two);
	buffer_free(&file);
}

static void
a_key_must_agree(void)
{
	struct buffer file = {0};
	unsigned count;

	add_line(&file, slice_of("kay"), '\n');
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_END);
	file.at[1] = 'e';
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_INVARIANT);
	/* Without its first column the record still knows its key. */
	CHECK_EQ(drain_bytes(slice_from(file.at + 4, file.len - 4), &count), STATUS_END);
	CHECK_EQ(count, 1);
	/* A key that the record does not know is not believed. */
	file.len = 0;
	CHECK_EQ(buffer_append(&file, "k\t", 2), OK);
	add_record(&file, 10, true);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_INVARIANT);
	buffer_free(&file);
}

static void
lines_may_end_in_nul(void)
{
	struct buffer file = {0};
	struct record_reader r;
	unsigned count;

	add_line(&file, slice_of("a\nb"), '\0');
	add_record(&file, 10, false);
	add_record(&file, 10, true);
	record_reader_memory(&r, slice_in(&file));
	r.end = '\0';
	CHECK_EQ(drain(&r, &count), STATUS_END);
	CHECK_EQ(count, 3);
	record_reader_close(&r);
	CHECK_EQ(drain_bytes(slice_in(&file), NULL), STATUS_FOREIGN);
	buffer_free(&file);
}

static enum status
small_only(const struct record *head)
{
	return head->size > 1000 ? STATUS_SIZE : head->param[0] > 18 ? STATUS_PARAMETER : OK;
}

static void
parameters_are_checked_before_the_payload(void)
{
	struct buffer file = {0};
	struct record_reader r;

	add_record(&file, 1000, false);
	size_t second = file.len;
	add_record(&file, 1001, false);
	/* The payload is cut, which nobody should come to notice. */
	record_reader_memory(&r, slice_from(file.at, second + 128));
	r.check = small_only;
	CHECK_EQ(drain(&r, NULL), STATUS_SIZE);
	CHECK_EQ(r.number, 2);
	record_reader_close(&r);

	file.len = 0;
	add_record(&file, 1001, true);
	record_reader_memory(&r, slice_in(&file));
	r.check = small_only;
	CHECK_EQ(drain(&r, NULL), STATUS_SIZE);
	record_reader_close(&r);
	buffer_free(&file);
}

static void
a_claim_of_a_terabyte_costs_nothing(void)
{
	unsigned char header[RECORD_HEADER];
	struct buffer extension = {0}, payload = {0};
	struct record head = {.kind = KIND_BLOOM_BLOCK, .version = 1, .hash = HASH_XXH3};
	struct record_reader r;

	for (unsigned shift = 20; shift < 63; shift++) {
		head.size = UINT64_C(1) << shift;
		record_encode(&head, shift % 2 ? 0xffffffc0 : 0, 0, header);
		record_reader_memory(&r, slice_from(header, sizeof header));
		CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), STATUS_TRUNCATED);
		record_reader_close(&r);
		CHECK(extension.room <= 65536 && payload.room <= 65536);
	}
	buffer_free(&extension);
	buffer_free(&payload);

	/* A cut payload takes no more than twice what came. */
	struct buffer file = {0};
	add_record(&file, 3000000, false);
	record_reader_memory(&r, slice_from(file.at, 2500000));
	CHECK_EQ(record_reader_next(&r, &head, &extension, &payload), STATUS_TRUNCATED);
	CHECK(payload.room <= 5000000);
	record_reader_close(&r);
	buffer_free(&extension);
	buffer_free(&payload);
	buffer_free(&file);
}

static void
a_read_error_is_the_systems(void)
{
	struct record_reader r;
	int fd = open("/", O_RDONLY);

	record_reader_open(&r, fd);
	errno = 0;
	CHECK_EQ(drain(&r, NULL), STATUS_SYSTEM);
	CHECK_EQ(errno, EISDIR);
	record_reader_close(&r);
	close(fd);
}

int
main(void)
{
	RUN(a_key_of_several_fields_comes_from_its_record);
	RUN(mixed_records_come_from_memory);
	RUN(mixed_records_come_from_a_pipe);
	RUN(a_failure_says_which_record_and_where);
	RUN(nothing_is_empty_and_rubbish_is_foreign);
	RUN(every_truncation_fails);
	RUN(every_flipped_bit_fails);
	RUN(padding_is_zero);
	RUN(lines_are_canonical);
	RUN(a_key_must_agree);
	RUN(lines_may_end_in_nul);
	RUN(parameters_are_checked_before_the_payload);
	RUN(a_claim_of_a_terabyte_costs_nothing);
	RUN(a_read_error_is_the_systems);
	return check_done();
}
