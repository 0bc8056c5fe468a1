/* sketchutils: BSD-2-Clause, see LICENSE */
#include "sketch/quantiles/hdr.h"
#include "sketch/quantiles/quantiles.h"
#include "sketch/quantiles/tdigest.h"

static const struct quantiles *const rows[] = {
	&hdr_quantiles,
	&tdigest_quantiles,
};

const struct quantiles *
quantiles_find(uint16_t kind)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i]->kind == kind)
			return rows[i];
	return NULL;
}
