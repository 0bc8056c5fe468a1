/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef SKETCH_HDR_H
#define SKETCH_HDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/unit.h"
#include "sketch/kind.h"
#include "sketch/quantiles/quantiles.h"

/*
 * A histogram with a high dynamic range: which percentile, to so many significant
 * digits, of any numbers. A number's slot is its sign, its exponent and the
 * first bits of its mantissa as a double, so all numbers have one, slots of equal
 * digits are the same in every histogram, and histograms simply add up. Positive
 * integers have the slots of HdrHistogram (https://hdrhistogram.org) with the
 * same digits and a lowest value of 1.
 *
 *	digits            1    2    3    4    5
 *	mantissa bits     4    7   10   14   17     relative width of a slot 2^-bits
 *
 * Samples may come in any order, and by parts: the outcome is the same.
 */
struct hdr;

#define HDR_DIGITS_MIN 1
#define HDR_DIGITS_MAX 5
#define HDR_DIGITS 3             /* unless told otherwise */

/* Mantissa bits in a slot's number, for digits in range. */
unsigned hdr_bits(unsigned digits);

/* Parameters of a record (QUANTILES_UNIT is 7). */
enum {
	HDR_PARAM_DIGITS,
	HDR_PARAM_INTERVAL,          /* bits of the double that --correct was given; 0: none */
	HDR_PARAM_FRACTIONS,         /* 1: some samples are not whole numbers */
	HDR_PARAM_LOOSE,             /* 1: see hdr_range() */
	HDR_PARAM_HIGHEST,           /* see hdr_highest() */
	HDR_PARAM_LOWEST,            /* bits of the double; see hdr_lowest() */
};

/* An empty one. STATUS_PARAMETER or STATUS_MEMORY. */
enum status hdr_new(struct hdr **, unsigned digits);
void hdr_free(struct hdr *);

unsigned hdr_digits(const struct hdr *);

/* The interval of hdr_add_corrected() or hdr_correct(); 0: samples are as they came. */
double hdr_interval(const struct hdr *);

/* Add n samples, finite ones; weight NULL: 1 each. OK or STATUS_MEMORY. */
enum status hdr_add(struct hdr *, const double *value, const uint64_t *weight, size_t n);

/* The least and the greatest sample are not known better than that they lie
 * between these: for slots that come from another system's histogram. To be
 * called after adding. */
void hdr_range(struct hdr *, double least, double most);

/* What HdrHistogram calls the highest trackable value, if this one was such a
 * histogram; 0: it was not. Without effect on anything but how it is written as
 * one again. Merging keeps the larger. */
uint64_t hdr_highest(const struct hdr *);
void hdr_set_highest(struct hdr *, uint64_t);

/*
 * What HdrHistogram calls the lowest discernible value, in the numbers that are
 * here, if this one was such a histogram and that is more than whole numbers are
 * apart; 0: it was not. The largest power of two in it is the grain: samples were
 * added as multiples of that, and may have been larger by less than one grain. So
 * the bounds of a slot reach that far. Merging keeps the larger. fractions: they
 * may have been other than whole numbers. To be called after adding.
 */
double hdr_lowest(const struct hdr *);
void hdr_set_lowest(struct hdr *, double lowest, bool fractions);

/* The unit of the numbers (base/unit.h). */
enum unit hdr_unit(const struct hdr *);
void hdr_set_unit(struct hdr *, enum unit);

/*
 * Correction for coordinated omission (Gil Tene): a sample v that took longer
 * than the interval kept the next ones from being taken. It is followed by v -
 * interval, v - 2 interval, ... while these are at least the interval. into must
 * be empty and have the digits of from; each slot counts as its highest number
 * (of integers), as HdrHistogram does. OK, STATUS_MEMORY; STATUS_FULL: more than
 * 2^32 samples would come of one slot.
 */
enum status hdr_correct(struct hdr *into, const struct hdr *from, double interval);

/* Add n samples, each of them followed by those that its length hid. As
 * hdr_correct; of STATUS_MEMORY and STATUS_FULL, some of them are in. */
enum status hdr_add_corrected(struct hdr *, const double *value, const uint64_t *weight,
    size_t n, double interval);

/* Are all samples whole numbers? Then slots have whole numbers as bounds, and
 * what is printed is the highest one of a slot. */
bool hdr_whole(const struct hdr *);

/* How many slots there are from one number above 0 to another, both included,
 * and what their counters take in memory, at most. */
uint64_t hdr_slots(unsigned digits, double low, double high);
uint64_t hdr_memory_for(unsigned digits, double low, double high);

uint64_t hdr_total(const struct hdr *);
bool hdr_saturated(const struct hdr *);

/* The next slot that holds samples, from below, or false; *at is 0 at first.
 * Of whole numbers the bounds are whole ones. They ascend, but with a grain some
 * may reach into the next. */
bool hdr_each(const struct hdr *, uint64_t *at, struct bin *);

/* What is told of samples between two numbers: of whole ones the greatest, else the
 * decimal of the fewest digits. */
double hdr_told(const struct hdr *, double low, double high);

/* What a record's header says of it, but for items and the size of the payload. */
void hdr_describe(const struct hdr *, struct record *head);

extern const struct kind hdr_kind;
extern const struct quantiles hdr_quantiles;

#endif
