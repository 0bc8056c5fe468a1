/* sketchutils: BSD-2-Clause, see LICENSE */
#include <string.h>

#include "interop/datasketches_hll.h"
#include "interop/dcso_bloom.h"
#include "interop/gunzip.h"
#include "interop/hdr_systems.h"
#include "interop/parquet_bloom.h"
#include "interop/postgres_hll.h"
#include "interop/redis_hll.h"
#include "interop/systems.h"

static const struct system *const systems[] = {
	&dcso_system,
	&parquet_system,
	&redis_system,
	&postgres_system,
	&datasketches_system,
	&hlog_system,
	&hdr_base64_system,
	&hgrm_system,
	&hgrm_csv_system,
};

const struct system *
system_row(size_t i)
{
	return i < sizeof systems / sizeof *systems ? systems[i] : NULL;
}

const struct system *
system_find(const char *name)
{
	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
		if (strcmp(systems[i]->name, name) == 0)
			return systems[i];
	return NULL;
}

const struct system *
system_of(uint16_t kind)
{
	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
		if (systems[i]->kind == kind && systems[i]->builder)
			return systems[i];
	return NULL;
}

static bool
begins(struct slice s, const char *bytes, size_t n)
{
	return s.len >= n && memcmp(s.at, bytes, n) == 0;
}

/* A value of hll in hex, alone or behind a key. */
static bool
looks_like_row(struct slice start)
{
	for (size_t i = 0; i + 3 < start.len && i < 61; i++) {
		struct slice rest = {start.at + i, start.len - i};
		bool first = i == 0 || start.at[i - 1] == '\t' || start.at[i - 1] == '\\';
		if (first && begins(rest, "\\x1", 3) && start.at[i + 3] >= '1' && start.at[i + 3] <= '4')
			return true;
	}
	return false;
}

const char *
system_guess(struct slice start)
{
	/* Version 2, one of four options, six zeros: poppy's own, not DCSO's. */
	if (start.len >= 8 && start.at[0] == 2 && start.at[1] < 4 && begins((struct slice){
	    start.at + 2, 6}, "\0\0\0\0\0\0", 6))
		return "but it looks like a filter of poppy, version 2, which is not read";
	if (dcso_system.looks(start))
		return "but it looks like a DCSO bloom filter (use --from dcso)";
	if (parquet_system.looks(start))
		return "but it looks like a Parquet bloom filter (use --from parquet)";
	if (redis_system.looks(start))
		return "but it looks like a HyperLogLog of Redis (use --from redis)";
	if (looks_like_row(start))
		return "but it looks like hll of PostgreSQL, as text (use --from postgres)";
	if (datasketches_system.looks(start))
		return "but it looks like an HLL of DataSketches (use --from datasketches)";
	if (hlog_system.looks(start))
		return "but it looks like a log of HdrHistogram (use --from hlog)";
	if (hdr_base64_system.looks(start))
		return "but it looks like a histogram of HdrHistogram (use --from hdr-base64)";
	if (begins(start, "PAR1", 4))
		return "it is a Parquet file (cut a bloom filter out of it, see sketch-convert(1))";
	if (begins(start, "PWQ0", 4))
		return "it is a filter of passwdqc's pwqfilter, which is not read";
	if (gunzip_looks(start))
		return "it is gzip data (a sketch: use zcat FILE | ...; a DCSO bloom filter: use --from dcso)";
	return NULL;
}
