/* sketchutils: BSD-2-Clause, see LICENSE */
#include "base/fields.h"
#include "check.h"

/* A LIST and what it means, written back as "first..last" for each range, a
 * name as "=name", with J in front if fields are joined. NULL: an error. */
static const struct {
	const char *list, *meaning, *wrong;
} lists[] = {
	{"1", "1..1", NULL},
	{"007", "7..7", NULL},
	{"1000000", "1000000..1000000", NULL},
	{"-1", "-1..-1", NULL},
	{"-1000000", "-1000000..-1000000", NULL},
	{"2,5", "J 2..2 5..5", NULL},
	{"5,2", "J 5..5 2..2", NULL},
	{"1,1", "J 1..1 1..1", NULL},
	{"3-5", "J 3..5", NULL},
	{"3-3", "3..3", NULL},
	{"4-", "J 4..0", NULL},
	{"1-", "J 1..0", NULL},
	{"1-1000000", "J 1..1000000", NULL},
	{"-1,1-2,7-", "J -1..-1 1..2 7..0", NULL},
	{"user_id", "=user_id", NULL},
	{"a,b", "J =a =b", NULL},
	{"1,b", "J 1..1 =b", NULL},
	{"a b", "=a b", NULL},
	{" 1", "= 1", NULL},
	{"1 ", "=1 ", NULL},
	{"+1", "=+1", NULL},
	{"1x", "=1x", NULL},
	{"1-x", "=1-x", NULL},
	{"1--", "=1--", NULL},
	{"1--2", "=1--2", NULL},
	{"-1-", "=-1-", NULL},
	{"-1-2", "=-1-2", NULL},
	{"3-4-5", "=3-4-5", NULL},
	{"-", "=-", NULL},
	{"--1", "=--1", NULL},
	{"1:2", "=1:2", NULL},
	{"0", NULL, "fields are numbered from 1 to 1000000"},
	{"-0", NULL, "fields are numbered from 1 to 1000000"},
	{"1,0", NULL, "fields are numbered from 1 to 1000000"},
	{"0-3", NULL, "fields are numbered from 1 to 1000000"},
	{"0-", NULL, "fields are numbered from 1 to 1000000"},
	{"1000001", NULL, "fields are numbered from 1 to 1000000"},
	{"-1000001", NULL, "fields are numbered from 1 to 1000000"},
	{"99999999999999999999", NULL, "fields are numbered from 1 to 1000000"},
	{"2-1000001", NULL, "fields are numbered from 1 to 1000000"},
	{"2-4294967298", NULL, "fields are numbered from 1 to 1000000"},
	{"2-0", NULL, "fields are numbered from 1 to 1000000"},
	{"5-3", NULL, "a range's end must not be below its start"},
	{"", NULL, "a field is missing between commas"},
	{",", NULL, "a field is missing between commas"},
	{"1,", NULL, "a field is missing between commas"},
	{",1", NULL, "a field is missing between commas"},
	{"1,,2", NULL, "a field is missing between commas"},
	{"a,,b", NULL, "a field is missing between commas"},
};

static void
meaning_of(const struct fields *f, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s", f->joined ? "J" : "");

	for (unsigned i = 0; i < f->n; i++) {
		const struct field_range *r = &f->at[i];
		const char *lead = n ? " " : "";
		if (r->name)
			n += (size_t)snprintf(text + n, size - n, "%s=%.*s", lead,
			    (int)r->name_len, r->name);
		else
			n += (size_t)snprintf(text + n, size - n, "%s%d..%d", lead, r->first,
			    r->last);
	}
}

static void
every_form_of_a_list(void)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct fields f;
		char text[200];
		const char *wrong = fields_parse(lists[i].list, &f);

		if (lists[i].wrong) {
			CHECK(wrong && strcmp(wrong, lists[i].wrong) == 0);
		} else {
			CHECK(!wrong);
			meaning_of(&f, text, sizeof text);
			CHECK(strcmp(text, lists[i].meaning) == 0);
			CHECK(f.named == (strchr(text, '=') != NULL));
		}
		if (check_failures) {
			printf("# in the list '%s'\n", lists[i].list);
			return;
		}
	}
}

static void
sixty_four_fields_and_no_more(void)
{
	char list[200] = "1";
	struct fields f;

	for (int i = 2; i <= 64; i++)
		strcat(list, ",1");
	CHECK(!fields_parse(list, &f));
	CHECK_EQ(f.n, 64);
	strcat(list, ",1");
	const char *wrong = fields_parse(list, &f);
	CHECK(wrong && strcmp(wrong, "more than 64 fields") == 0);
}

static void
names_become_places(void)
{
	const struct slice names[] = {
		slice_of("id"), slice_of(""), slice_of("user"), slice_of("id"),
		{(const unsigned char *)"a\0b", 3}, slice_of("use"),
	};
	struct fields f, g;
	char text[200];

	CHECK(!fields_parse("user,2-,id,use,-1", &f));
	CHECK(!fields_resolve(&f, names, 6, &g));
	meaning_of(&g, text, sizeof text);
	CHECK(strcmp(text, "J 3..3 2..0 1..1 6..6 -1..-1") == 0);
	CHECK(!g.named);
	CHECK(f.named);

	/* Another input with another order, from the same list. */
	const struct slice other[] = {slice_of("use"), slice_of("id"), slice_of("user")};
	CHECK(!fields_resolve(&f, other, 3, &g));
	meaning_of(&g, text, sizeof text);
	CHECK(strcmp(text, "J 3..3 2..0 2..2 1..1 -1..-1") == 0);

	CHECK(!fields_parse("user", &f));
	CHECK(!fields_resolve(&f, names, 6, &g));
	CHECK_EQ(g.at[0].first, 3);
	CHECK(!g.joined);
}

static void
a_missing_name_is_told(void)
{
	const struct slice names[] = {slice_of("id"), slice_of("User"), slice_of("usersx")};
	struct fields f, g;

	CHECK(!fields_parse("id,user,nope", &f));
	const struct field_range *r = fields_resolve(&f, names, 3, &g);
	CHECK(r && r == &f.at[1] && r->name_len == 4 && memcmp(r->name, "user", 4) == 0);
	CHECK(fields_resolve(&f, names, 0, &g) == &f.at[0]);

	/* Without names there is nothing to look up. */
	CHECK(!fields_parse("1,3-", &f));
	CHECK(!fields_resolve(&f, NULL, 0, &g));
	CHECK(memcmp(&f, &g, sizeof f) == 0);
}

int
main(void)
{
	RUN(every_form_of_a_list);
	RUN(sixty_four_fields_and_no_more);
	RUN(names_become_places);
	RUN(a_missing_name_is_told);
	return check_done();
}
