// SPDX-License-Identifier: GPL-2.0
/* Apart from the bound's other code, which is compiled without vectors, as the module is. */
#include "bench.h"

void bench_halve(u32 *count, u32 times)
{
	u32 i;

	for (i = 0; i < HTMM_REGION_PAGES; i++)
		count[i] >>= times;
}
