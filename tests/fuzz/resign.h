/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef FUZZ_RESIGN_H
#define FUZZ_RESIGN_H

/*
 * Behind a wrong checksum nothing can be found. resign() makes those of a file of
 * records right, as far as its lengths lead; and the mutator that a harness gets
 * by including this does so after each change, within armour as well, so that
 * changes come as far as what each kind demands of itself.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/armor.h"
#include "base/hash.h"
#include "base/record.h"

/* The engine's, or replay.c's. */
size_t LLVMFuzzerMutate(uint8_t *, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *, size_t size, size_t room, unsigned seed);

/* The chunks of a keyed record, and the sum of their sums; its length. */
static size_t
resign_chunks(uint8_t *p, size_t size)
{
	struct buffer sums = {0};
	size_t at = 0;

	while (at + 64 <= size) {
		uint64_t entries = get_le64(p + at + 8);
		uint64_t length = entries == 0 ? 64 : record_padded(16 + entries % (UINT64_MAX / 2));
		if (length > size - at)
			break;
		if (entries == 0)
			put_le64(p + at + 32, hash_bytes(sums.at, sums.len, 0));
		put_le64(p + at, hash_bytes(p + at + 8, length - 8, 0));
		if (buffer_append(&sums, p + at, 8) != OK)
			abort();
		at += length;
		if (entries == 0)
			break;
	}
	buffer_free(&sums);
	return at;
}

/* The record that begins here; its length. */
static size_t
resign_record(uint8_t *p, size_t size)
{
	size_t left = size - RECORD_HEADER;
	bool keyed = get_le16(p + 14) & FLAG_KEYED;
	uint64_t payload = keyed ? 0 : get_le64(p + 40), extension = get_le32(p + 20);

	if (payload > left)
		payload = left;
	uint64_t body = extension + record_padded(payload);
	if (body > left)
		body = left;
	put_le64(p + 112, hash_bytes(p + RECORD_HEADER, body, 0));
	put_le64(p + 120, hash_bytes(p, 120, 0));
	size_t used = RECORD_HEADER + body;
	return keyed ? used + resign_chunks(p + used, size - used) : used;
}

static bool
resign_begins(const uint8_t *p, size_t size)
{
	return size >= RECORD_HEADER && memcmp(p, RECORD_MAGIC, 8) == 0;
}

static void
resign(uint8_t *p, size_t size)
{
	for (size_t at = 0; at < size;) {
		if (resign_begins(p + at, size - at)) {
			at += resign_record(p + at, size - at);
			continue;
		}
		uint8_t *end = memchr(p + at, '\n', size - at);
		at = end ? (size_t)(end - p) + 1 : size;
	}
}

/* A number that finds mistakes. */
static uint64_t
resign_number(uint64_t seed)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 255, 256, 4095, 65535, 65536, INT32_MAX,
		UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX,
	};

	return odd[seed % (sizeof odd / sizeof *odd)];
}

/* One field of a header, which bytes at random seldom meet. */
static void
resign_field(uint8_t *p, uint64_t seed)
{
	static const unsigned char at[] = {8, 10, 12, 14, 16, 17, 18, 19, 20, 24, 32, 40,
	    48, 56, 64, 72, 80, 88, 96, 104};
	unsigned field = at[seed % sizeof at];
	uint64_t value = resign_number(seed / sizeof at);

	if (seed & 1 << 20)
		value = get_le64(p + field) + (seed & 1 << 21 ? 1 : UINT64_MAX);
	if (field < 16)
		put_le16(p + field, (uint16_t)(field == 10 ? value % 24 : value));
	else if (field < 20)
		p[field] = (uint8_t)value;
	else if (field == 20)
		put_le32(p + field, (uint32_t)value);
	else
		put_le64(p + field, value);
}

/* A change to what an armoured line stands for. */
static size_t
resign_armor(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint8_t *start = memmem(data, size, ARMOR_PREFIX, strlen(ARMOR_PREFIX));

	for (uint8_t *next = start; next && seed & 3; seed >>= 2) {
		next = memmem(next + 1, size - (size_t)(next + 1 - data), ARMOR_PREFIX, strlen(ARMOR_PREFIX));
		if (next)
			start = next;
	}
	if (!start)
		return 0;
	size_t before = (size_t)(start - data);
	uint8_t *end = memchr(start, '\n', size - before);
	size_t len = end ? (size_t)(end - start) : size - before, rest = size - before - len;
	struct buffer bytes = {0}, text = {0};
	size_t done = 0;

	if (armor_decode(&bytes, (struct slice){start, len}) == OK && bytes.len >= RECORD_HEADER &&
	    buffer_reserve(&bytes, 64) == OK) {
		if (seed & 16)
			resign_field(bytes.at, seed >> 5);
		else
			bytes.len = LLVMFuzzerMutate(bytes.at, bytes.len, bytes.len + 64);
		resign(bytes.at, bytes.len);
		if (armor_encode(&text, (struct slice){bytes.at, bytes.len}) == OK &&
		    before + text.len + rest <= room) {
			memmove(data + before + text.len, start + len, rest);
			memcpy(data + before, text.at, text.len);
			done = before + text.len + rest;
		}
	}
	buffer_free(&bytes);
	buffer_free(&text);
	return done;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	size_t done;

	switch (seed % 4) {
	case 0:
		done = resign_armor(data, size, room, seed >> 2);
		if (done > 0)
			return done;
		break;
	case 1:
		if (resign_begins(data, size)) {
			resign_field(data, seed >> 2);
			resign(data, size);
			return size;
		}
		break;
	}
	size = LLVMFuzzerMutate(data, size, room);
	/* What was put in or left out is the payload's; else lengths would be all that
	 * is found wrong. */
	if (seed & 64 && resign_begins(data, size) && !(get_le16(data + 14) & FLAG_KEYED) &&
	    size - RECORD_HEADER >= get_le32(data + 20))
		put_le64(data + 40, size - RECORD_HEADER - get_le32(data + 20));
	resign(data, size);
	return size;
}

#endif
