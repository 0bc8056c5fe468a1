/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "tool/options/opts.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/answers/sheet.h"

#define COLUMN 20            /* where values begin */

/* The paragraph or object at hand, so that half of one is never printed. */
static struct buffer sheet;
static bool second;

static void
must(enum status st)
{
	if (st != OK)
		die(st, "cannot print an answer");
}

void
sheet_begin(void)
{
	sheet.len = 0;
	if (shared.json)
		must(json_open(&sheet));
	else if (second)
		must(buffer_append(&sheet, "\n", 1));
	second = true;
}

void
sheet_end(void)
{
	if (shared.json)
		must(json_close(&sheet));
	output_bytes(sheet.at, sheet.len);
}

static void
put_line(const char *name, const char *value, size_t len)
{
	char label[64];
	int n = snprintf(label, sizeof label, "%s:%*s", name,
	    COLUMN - 1 - (int)strlen(name), "");

	must(buffer_append(&sheet, label, (size_t)n));
	must(buffer_append(&sheet, value, len));
	must(buffer_append(&sheet, "\n", 1));
}

void
sheet_count(const char *name, uint64_t v)
{
	char text[32];

	if (shared.json) {
		must(json_count(&sheet, name, v));
		return;
	}
	int n = snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	put_line(name, text, (size_t)n);
}

void
sheet_size(const char *name, uint64_t v)
{
	char text[32 + NUM_REAL_SIZE], bytes[NUM_REAL_SIZE];

	if (shared.json || v < 1024) {
		sheet_count(name, v);
		return;
	}
	int n = snprintf(text, sizeof text, "%llu (%s)", (unsigned long long)v,
	    num_bytes(bytes, v));
	put_line(name, text, (size_t)n);
}

void
sheet_real(const char *name, double v)
{
	char text[40];

	if (shared.json) {
		must(json_real(&sheet, name, v));
		return;
	}
	int n = snprintf(text, sizeof text, "%.6g", v);
	put_line(name, text, (size_t)n);
}

void
sheet_flag(const char *name, bool on)
{
	if (shared.json)
		must(json_flag(&sheet, name, on));
	else
		put_line(name, on ? "yes" : "no", on ? 3 : 2);
}

void
sheet_text(const char *name, struct slice text)
{
	if (shared.json) {
		must(json_bytes(&sheet, name, text));
		return;
	}
	put_line(name, (const char *)text.at, text.len);
	report_mask((char *)sheet.at + sheet.len - 1 - text.len, text.len);
}

void
sheet_facts(const struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *f = &facts->at[i];
		switch (f->type) {
		case FACT_COUNT:
			sheet_count(f->name, f->count);
			break;
		case FACT_REAL:
			sheet_real(f->name, f->real);
			break;
		case FACT_TEXT:
			sheet_text(f->name, slice_of(f->text));
			break;
		case FACT_FLAG:
			sheet_flag(f->name, f->flag);
			break;
		}
	}
}
