/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/hash.h"
#include "interop/hdr_log.h"
#include "interop/hdr_payload.h"
#include "interop/hdr_systems.h"
#include "interop/hdr_table.h"
#include "interop/hdr_units.h"
#include "sketch/quantiles/hdr.h"

static bool
base64_looks(struct slice start)
{
	static const char *const words[] = {"HIST", "DHIST"};

	for (int i = 0; i < 2; i++) {
		struct slice word = slice_of(words[i]);
		if (start.len >= word.len && memcmp(start.at, word.at, word.len) == 0)
			return true;
	}
	return hdr_payload_looks(start);
}

static enum status
read_payload(struct buffer *bytes, struct sketch *out, uint64_t *left_out)
{
	struct hdr *h;
	enum status st = hdr_payload_read((struct slice){bytes->at, bytes->len}, &h);

	if (st != OK)
		return st;
	*out = (struct sketch){
		.head = {.hash = HASH_XXH3, .items = hdr_total(h)}, .kind = &hdr_kind, .body = h,
	};
	hdr_describe(h, &out->head);
	*left_out = 0;
	return OK;
}

static void
set_unit(struct sketch *s, enum unit unit)
{
	hdr_set_unit(s->body, unit);
	hdr_describe(s->body, &s->head);
}

static enum unit
usual_unit(const struct sketch *s)
{
	return hdr_units_usual(s->body);
}

static enum unit
own_unit(const struct sketch *s)
{
	return hdr_unit(s->body);
}

static bool
can_be_whole(const struct sketch *s, enum unit unit, struct mismatch *why)
{
	return hdr_units_can_be_whole(s->body, unit, why);
}

static bool
can_be_table(const struct sketch *s, enum unit unit, struct mismatch *why)
{
	return hdr_units_can(s->body, unit, why);
}

static enum status
write_payload(const struct sketch *s, enum unit unit, struct buffer *out)
{
	struct hdr *h;
	enum status st = hdr_units_whole(s->body, unit, &h);

	if (st != OK)
		return st;
	st = hdr_payload_write(h, out);
	hdr_free(h);
	return st;
}

static enum status
write_table(const struct sketch *s, enum unit unit, struct buffer *out)
{
	return hdr_table_write(s->body, unit, false, out);
}

static enum status
write_csv(const struct sketch *s, enum unit unit, struct buffer *out)
{
	return hdr_table_write(s->body, unit, true, out);
}

static const struct system_numbers whole_numbers = {
	.set_unit = set_unit, .unit = usual_unit, .can = can_be_whole, .write = write_payload,
};

static const struct system_numbers table_numbers = {
	.unit = own_unit, .can = can_be_table, .write = write_table,
};

static const struct system_numbers csv_numbers = {
	.unit = own_unit, .can = can_be_table, .write = write_csv,
};

const struct system hlog_system = {
	.name = "hlog", .what = "log of histograms", .kind = KIND_HDR, .dump = DUMP_LOG,
	.text = true, .raw = hdr_payload_looks, .looks = hdr_log_looks, .read = read_payload,
	.numbers = &whole_numbers,
};

const struct system hdr_base64_system = {
	.name = "hdr-base64", .what = "histogram of HdrHistogram", .kind = KIND_HDR,
	.dump = DUMP_CSV, .text = true, .raw = hdr_payload_looks, .looks = base64_looks,
	.read = read_payload, .numbers = &whole_numbers,
};

const struct system hgrm_system = {
	.name = "hgrm", .what = "table of percentiles", .kind = KIND_HDR, .dump = DUMP_NONE,
	.text = true, .numbers = &table_numbers,
};

const struct system hgrm_csv_system = {
	.name = "hgrm-csv", .what = "table of percentiles", .kind = KIND_HDR, .dump = DUMP_NONE,
	.text = true, .numbers = &csv_numbers,
};
