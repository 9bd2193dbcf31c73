// SPDX-License-Identifier: GPL-2.0
/* Listings: of an unchanged table compared with the model, and of a changing one. */
#include "fuzz.h"

#define ALL (MODEL_REGIONS * HTMM_REGION_PAGES)

static struct world world;	/* large */
static struct htmm_topn_entry entries[ALL];

/* For any change between two slices, the order is kept and nothing is listed twice. */
static void list_under_change(void)
{
	u32 n, i, size = 1 + fuzz_byte() * fuzz_byte() % ALL;
	struct htmm_topn list = {
		.unit = fuzz_byte() % 2,
		.filter = HTMM_TOPN_COUNTED,
		.entries = entries,
		.size = size,
	};

	htmm_topn_begin(&list, &world.table);
	while (htmm_topn_scan(&list, &world.table, 1 + fuzz_byte() % 64))
		fuzz_step(&world);
	n = htmm_topn_finish(&list);
	CHECK(n <= size);
	for (i = 0; i < n; i++)
		CHECK(entries[i].value && entries[i].vpn <= HTMM_VPN_MAX);
	for (i = 1; i < n; i++)
		CHECK(entries[i - 1].value > entries[i].value ||
		      (entries[i - 1].value == entries[i].value &&
		       (entries[i - 1].space < entries[i].space ||
			(entries[i - 1].space == entries[i].space &&
			 entries[i - 1].vpn < entries[i].vpn))));
}

int fuzz_one_input(const unsigned char *data, size_t size)
{
	const struct htmm_table_config config = {
		.max_bytes = 1024 * 1024,
	};

	fuzz_begin(data, size);
	world_open(&world, &config, false);
	while (fuzz_left()) {
		fuzz_step(&world);
		switch (fuzz_byte() % 8) {
		case 0:
			world_lists_match(&world, fuzz_byte() % 2,
					  1 + fuzz_byte() * 8);
			break;
		case 1:
			list_under_change();
			break;
		}
	}
	world_close(&world);
	return 0;
}
