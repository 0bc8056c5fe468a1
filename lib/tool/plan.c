/* sketchutils: BSD-2-Clause, see LICENSE */
#include <stdio.h>

#include "base/num.h"
#include "sketch/frequency/candidates.h"
#include "sketch/member/form.h"
#include "sketch/quantiles/hdr.h"
#include "sketch/frequency/heavy.h"
#include "sketch/distinct/hll.h"
#include "sketch/kinds.h"
#include "sketch/nearness/minhash.h"
#include "sketch/member/scalable.h"
#include "sketch/quantiles/tdigest.h"
#include "tool/plan.h"

/* So many times the items of the first stage are told for a filter that grows. */
#define GROWN 100

/* A Bloom filter: more items than it was sized for are no failure, but dear. */
static void
plan_bits(struct plan *plan, const struct form *form)
{
	const struct bloom_shape *shape = &form->bloom;
	const char *places = form->kind == KIND_BLOOM_BLOCK ? "blocks" :
	    form->kind == KIND_BLOOM_COUNTING ? "counters" : "bits";
	double full = bloom_expected_fpp(shape, form->capacity);
	double over = bloom_expected_fpp(shape, form->capacity + form->capacity / 4);
	double twice = bloom_expected_fpp(shape, 2 * form->capacity);

	plan->size = form_bytes(form);
	snprintf(plan->parameters, sizeof plan->parameters, "%llu %s, %u an item",
	    (unsigned long long)shape->size, places, shape->probes);
	snprintf(plan->bound, sizeof plan->bound,
	    "a false yes in %.3g %%, over 1.25 n in %.3g %%, over 2 n in %.3g %%",
	    100 * full, 100 * over, 100 * twice);
	fact_count(&plan->before, places, shape->size);
	fact_count(&plan->before, "probes", shape->probes);
	fact_real(&plan->after, "fpp", full);
	fact_real(&plan->after, "fpp_at_125_percent", over);
	fact_real(&plan->after, "fpp_at_200_percent", twice);
}

static void
plan_stages(struct plan *plan, const struct form *form)
{
	struct scalable_plan first, grown;
	char size[NUM_REAL_SIZE];
	uint64_t many = form->capacity * GROWN;

	if (!scalable_plan(&first, form->capacity, form->fpp, form->capacity) ||
	    !scalable_plan(&grown, form->capacity, form->fpp, many))
		return;
	plan->size = first.bytes;
	snprintf(plan->parameters, sizeof plan->parameters, "%zu stage, %zu for %d n", first.stages,
	    grown.stages, GROWN);
	snprintf(plan->bound, sizeof plan->bound,
	    "a false yes in %.3g %%, over %d n in %.3g %% and %s", 100 * first.fpp, GROWN,
	    100 * grown.fpp, num_bytes(size, grown.bytes));
	fact_count(&plan->before, "stages", first.stages);
	fact_real(&plan->after, "fpp", first.fpp);
	fact_count(&plan->after, "stages_at_100_n", grown.stages);
	fact_count(&plan->after, "payload_at_100_n", grown.bytes);
	fact_real(&plan->after, "bits_at_100_n", 8 * (double)grown.bytes / (double)many);
	fact_real(&plan->after, "fpp_at_100_n", grown.fpp);
}

static void
plan_table(struct plan *plan, const struct form *form)
{
	const struct cuckoo_shape *shape = &form->cuckoo;
	double fpp = cuckoo_expected_fpp(shape, form->capacity);
	uint64_t room = cuckoo_room(shape);

	plan->size = form_bytes(form);
	snprintf(plan->parameters, sizeof plan->parameters, "%llu buckets, %u bits a slot",
	    (unsigned long long)shape->buckets, shape->bits);
	snprintf(plan->bound, sizeof plan->bound,
	    "a false yes in %.3g %%; past %llu items it may refuse", 100 * fpp,
	    (unsigned long long)room);
	fact_count(&plan->before, "buckets", shape->buckets);
	fact_count(&plan->before, "fingerprint_bits", shape->bits);
	fact_count(&plan->before, "slots", cuckoo_slots(shape));
	fact_real(&plan->after, "fpp", fpp);
	fact_count(&plan->after, "room", room);
}

void
plan_filter(struct plan *plan, uint16_t kind, uint64_t n, double fpp)
{
	const struct form_type *type = form_type(kind);
	char low[NUM_REAL_SIZE];
	struct form form;

	*plan = (struct plan){.structure = kind_find(kind)->name, .question = "seen before?"};
	if (fpp < type->fpp_min) {
		snprintf(plan->bound, sizeof plan->bound, "its least fpp is %s",
		    num_real(low, type->fpp_min));
		return;
	}
	snprintf(plan->bound, sizeof plan->bound, "more than the largest filter, %s", type->limit);
	if (!form_for(&form, kind, n, fpp))
		return;
	fact_count(&plan->before, "capacity", n);
	fact_real(&plan->before, "wanted_fpp", fpp);
	if (kind == KIND_BLOOM_SCALABLE)
		plan_stages(plan, &form);
	else if (kind == KIND_CUCKOO)
		plan_table(plan, &form);
	else
		plan_bits(plan, &form);
	plan->bits = 8 * (double)plan->size / (double)n;
	fact_real(&plan->before, "bits_per_item", plan->bits);
}

void
plan_cms(struct plan *plan, uint64_t width, unsigned depth, double epsilon, double delta)
{
	*plan = (struct plan){
		.structure = "cms", .question = "how often?",
		.size = sizeof(uint64_t) * width * depth,
	};
	snprintf(plan->parameters, sizeof plan->parameters, "%llu x %u counters",
	    (unsigned long long)width, depth);
	snprintf(plan->bound, sizeof plan->bound,
	    "never too low; in %.6g %% at most %.3g %% of the total too high",
	    100 * (1 - delta), 100 * epsilon);
	fact_count(&plan->before, "width", width);
	fact_count(&plan->before, "depth", depth);
	fact_real(&plan->after, "epsilon", epsilon);
	fact_real(&plan->after, "delta", delta);
}

void
plan_heavy(struct plan *plan, uint64_t n)
{
	uint64_t kept = n < HEAVY_MAX ? n : HEAVY_MAX;

	*plan = (struct plan){
		.structure = heavy_kind.name, .question = "which most?",
		.size = CANDIDATE_FIXED * kept,
	};
	snprintf(plan->parameters, sizeof plan->parameters, "%llu items and their bytes",
	    (unsigned long long)kept);
	snprintf(plan->bound, sizeof plan->bound, "exact up to %d items, then certain bounds",
	    HEAVY_MAX);
	fact_count(&plan->before, "candidates", kept);
	fact_flag(&plan->after, "exact", n <= HEAVY_MAX);
}

/* Bytes of a number in a payload. */
static uint64_t
number_bytes(uint64_t n)
{
	unsigned char bytes[NUMBER_BYTES];

	return number_put(bytes, n);
}

void
plan_hdr(struct plan *plan, unsigned digits, uint64_t range, uint64_t n)
{
	uint64_t slots = hdr_slots(digits, 1, (double)range), used = n < slots ? n : slots;
	double error = 1.0 / (1 << hdr_bits(digits));

	*plan = (struct plan){.structure = hdr_kind.name, .question = "percentiles?"};
	/* A gap and a count each, and two numbers that are round. */
	plan->size = 2 * number_bytes(1 << 14) +
	    used * (number_bytes(slots / used - 1) + number_bytes(n / used));
	snprintf(plan->parameters, sizeof plan->parameters, "%llu slots",
	    (unsigned long long)slots);
	snprintf(plan->bound, sizeof plan->bound,
	    "a value at most %.2g %% wrong, certain bounds", 100 * error);
	fact_count(&plan->before, "digits", digits);
	fact_count(&plan->before, "range", range);
	fact_count(&plan->before, "slots", slots);
	fact_count(&plan->after, "memory_at_most", hdr_memory_for(digits, 1, (double)range));
	fact_real(&plan->after, "relative_error", error);
}

void
plan_tdigest(struct plan *plan, unsigned compression, uint64_t n)
{
	size_t centroids = tdigest_expect(compression, n), kept = tdigest_room(compression);

	*plan = (struct plan){.structure = tdigest_kind.name, .question = "percentiles?"};
	/* A mean and a weight each, and whether it is mixed if any is. */
	plan->size = (8 + number_bytes(n / centroids)) * centroids + (n > kept) * ((centroids + 7) / 8);
	snprintf(plan->parameters, sizeof plan->parameters, "%s%zu centroids", n > kept ? "about " : "",
	    centroids);
	snprintf(plan->bound, sizeof plan->bound,
	    "exact up to %zu samples, then a rank is mostly within %.2g %%", kept, 10.0 / compression);
	fact_count(&plan->before, "compression", compression);
	fact_count(&plan->before, "centroids", centroids);
	fact_count(&plan->after, "exact_up_to", kept);
	fact_flag(&plan->after, "exact", n <= kept);
}

void
plan_minhash(struct plan *plan, uint64_t size, uint64_t n)
{
	*plan = (struct plan){.structure = minhash_kind.name, .question = "how alike?"};
	if (size == 0) {
		snprintf(plan->bound, sizeof plan->bound,
		    "the largest size, %d, has a standard error of %.3g %%", MINHASH_SIZE_MAX,
		    100 * minhash_error(MINHASH_SIZE_MAX));
		return;
	}
	uint64_t hashes = n < size ? n : size;
	plan->size = sizeof(uint64_t) * hashes;
	snprintf(plan->parameters, sizeof plan->parameters, "%llu hashes",
	    (unsigned long long)hashes);
	snprintf(plan->bound, sizeof plan->bound,
	    "exact up to %llu elements, then within %.3g (standard error)",
	    (unsigned long long)size, minhash_error(size));
	fact_count(&plan->before, "size", size);
	fact_count(&plan->before, "hashes", hashes);
	fact_real(&plan->after, "standard_error", n > size ? minhash_error(size) : 0);
	fact_count(&plan->after, "exact_up_to", size);
	fact_flag(&plan->after, "exact", n <= size);
}

void
plan_hll(struct plan *plan, unsigned p, uint64_t n)
{
	*plan = (struct plan){.structure = "hll", .question = "how many?"};
	if (p == 0) {
		snprintf(plan->bound, sizeof plan->bound,
		    "the finest, precision %d, has a standard error of %.3g %%",
		    HLL_PRECISION_MAX, 100 * hll_error(HLL_PRECISION_MAX));
		return;
	}
	/* Few items are held one by one, as a token each. */
	bool few = n > 0 && n <= hll_token_limit(p);
	plan->size = few ? sizeof(uint32_t) * n : hll_bytes(p);
	snprintf(plan->parameters, sizeof plan->parameters, "%llu registers", 1ULL << p);
	snprintf(plan->bound, sizeof plan->bound, "standard error %.3g %%; exact up to %zu items",
	    100 * hll_error(p), hll_token_limit(p));
	fact_count(&plan->before, "precision", p);
	fact_count(&plan->before, "registers", (uint64_t)1 << p);
	fact_text(&plan->before, "encoding", few ? "tokens" : "registers");
	fact_count(&plan->before, "token_limit", hll_token_limit(p));
	fact_real(&plan->after, "standard_error", hll_error(p));
}
