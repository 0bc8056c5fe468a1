/* sketchutils: BSD-2-Clause, see LICENSE */

/* Whatever counts items answers by the same rules: a table of lines, in too little
 * memory or enough, and what is saved of it, as either type. */
#include "base/hash.h"
#include "sketch/frequency/cms.h"
#include "sketch/frequency/frequency.h"
#include "sketch/frequency/heavy.h"
#include "sketch/frequency/spacesaving.h"
#include "check.h"

#define ITEMS 20000
#define ABSENT 1000

static char text[ITEMS + ABSENT][8];
static struct slice item[ITEMS + ABSENT];
static uint64_t hash[ITEMS + ABSENT], truth[ITEMS + ABSENT];

/* Item i comes 1 + 3000 / (i + 1) times. */
static struct spacesaving *
table_of(uint64_t budget, struct cms *beside)
{
	struct spacesaving *table;

	if (spacesaving_new(&table, budget) != OK)
		exit(1);
	for (size_t i = 0; i < ITEMS + ABSENT; i++) {
		item[i] = (struct slice){(unsigned char *)text[i],
		    (size_t)snprintf(text[i], sizeof text[i], "%zu", i)};
		hash[i] = hash_bytes(item[i].at, item[i].len, 0);
		truth[i] = i < ITEMS ? 1 + 3000 / (i + 1) : 0;
	}
	CHECK(cms_feed(beside, table, item, hash, truth, ITEMS) == OK);
	return table;
}

static void
check(const struct frequency *of, const void *body)
{
	double probability;
	uint64_t low, high, total = 0, excess = of->excess(body, &probability);
	struct counter c;
	size_t listed = 0, far = 0;
	bool exact = of->exact(body);

	for (size_t i = 0; i < ITEMS + ABSENT; i++) {
		of->bounds(body, item[i], hash[i], &low, &high);
		CHECK(low <= truth[i] && truth[i] <= high);
		CHECK(!exact || (low == truth[i] && high == truth[i]));
		far += high - truth[i] > excess;
		total += truth[i];
	}
	CHECK_IN(far, 0, (1 - probability) * (ITEMS + ABSENT));
	CHECK_EQ(of->total(body), total);
	CHECK(!of->saturated(body));

	for (size_t at = 0; of->each(body, &at, &c); listed++) {
		of->bounds(body, c.item, c.hash, &low, &high);
		CHECK(c.low == low && c.high == high);
	}
	CHECK_EQ(of->listed(body), listed);
	CHECK(!exact || (listed == ITEMS && of->missing(body) == 0));
	CHECK(listed == ITEMS || of->missing(body) > 0);
}

static void
each_structure_keeps_the_rules(void)
{
	static const uint64_t budgets[] = {SPACESAVING_MIN, 16 << 20};
	static const unsigned capacities[] = {0, 10, 1000, ITEMS};

	for (size_t k = 0; k < 8; k++) {
		struct cms *cms;
		struct heavy *heavy;
		unsigned capacity = capacities[k / 2];
		CHECK(cms_new(&cms, 2719, 5, 0.001, 0.01, capacity) == OK);
		struct spacesaving *table = table_of(budgets[k % 2], cms);
		CHECK(cms_take_candidates(cms, table) == OK);
		check(&frequency_of_table, table);
		check(frequency_find(KIND_CMS), cms);
		CHECK(heavy_new(&heavy, capacity + 1) == OK);
		CHECK(heavy_take(heavy, table) == OK);
		check(frequency_find(KIND_SPACESAVING), heavy);

		CHECK_EQ(frequency_of_table.exact(table), k % 2);
		CHECK_EQ(frequency_find(KIND_SPACESAVING)->exact(heavy), k == 7);
		heavy_free(heavy);
		cms_free(cms);
		spacesaving_free(table);
	}
}

static void
rows_are_found_by_their_kind(void)
{
	CHECK(frequency_find(KIND_HLL) == NULL);
	CHECK(frequency_find(0) == NULL);
	for (size_t i = 0; frequency_row(i); i++)
		CHECK(frequency_find(frequency_row(i)->kind) == frequency_row(i));
}

int
main(void)
{
	RUN(each_structure_keeps_the_rules);
	RUN(rows_are_found_by_their_kind);
	return check_done();
}
