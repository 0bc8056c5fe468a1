/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * Any text as what else options are given: settings of other systems, rules of
 * features, the names of units, types and levels; and as the file of a key. What
 * is refused says why, and touches nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/item.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/siphash.h"
#include "interop/systems.h"
#include "sketch/nearness/features.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
demand(bool held, const char *what)
{
	if (held)
		return;
	fprintf(stderr, "option_fuzz: %s\n", what);
	abort();
}

static void
check_settings(const char *text)
{
	const struct system *s;

	for (size_t i = 0; (s = system_row(i)); i++) {
		struct record head = {.kind = s->kind}, again = {.kind = s->kind};
		struct mismatch why = {""};
		if (!s->settings)
			continue;
		bool good = s->settings(text, &head, &why);
		demand(good || *why.text != '\0', "it does not say why");
		demand(s->settings(text, &again, &why) == good &&
		    (!good || memcmp(head.param, again.param, sizeof head.param) == 0), "not again");
	}
}

static void
check_rule(const char *text)
{
	struct feature_rule rule = {.n = 77, .seed = 5};

	if (feature_rule_parse(text, &rule))
		demand(rule.n >= 1 && rule.n <= FEATURE_RUN_MAX && rule.seed == 5, "an odd rule");
	else
		demand(rule.n == 77 && rule.seed == 5, "what was refused is told");
}

static void
check_names(const char *text)
{
	int type = item_type_find(text), level = mask_level_find(text);

	demand(type < 0 || strcmp(item_type_name((unsigned)type), text) == 0, "another type");
	demand(level < 0 || strcmp(mask_level_name((enum mask_level)level), text) == 0,
	    "another level");
	demand(unit_find(slice_of(text)) < UNITS, "an odd unit");
}

static void
check_key(struct slice file)
{
	struct siphash_key key = {3, 4};

	if (siphash_key_parse(file, &key))
		demand(file.len >= SIPHASH_KEY_BYTES && file.len <= SIPHASH_FILE_MAX, "an odd key");
	else
		demand(key.k0 == 3 && key.k1 == 4, "what was refused is told");
}

/* A string of JSON is one, whatever the bytes are. */
static void
check_json(struct slice bytes)
{
	struct buffer out = {0};

	demand(json_open(&out) == OK && json_bytes(&out, "a", bytes) == OK &&
	    json_close(&out) == OK, "no memory");
	demand(out.len > 8 && out.at[out.len - 1] == '\n' && out.at[out.len - 2] == '}', "no object");
	for (size_t i = 0; i + 1 < out.len; i++)
		demand(out.at[i] >= ' ' && out.at[i] != 0x7f, "a control byte in it");
	demand(utf8_valid((struct slice){out.at, out.len}), "it is no UTF-8");
	buffer_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = {data, size};
	char *text = strndup((const char *)data, size);

	demand(text != NULL, "no memory");
	check_settings(text);
	check_rule(text);
	check_names(text);
	check_key(bytes);
	check_json(bytes);
	free(text);
	return 0;
}
