// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "zones.h"

#define LINE	4096

/**
 * struct zone - one zone
 * @free: its free pages
 * @kept: so many of them are not to be allocated. At the low watermark the kernel wakes kswapd, and
 *	gives memory of other nodes; the high one is only where that ends
 * @own: free pages that the CPU keeps for itself
 * @others: and other CPUs
 */
struct zone {
	unsigned long long free;
	unsigned long long kept;
	unsigned long long own;
	unsigned long long others;
};

/* "protection: (0, 981, 0)": pages of a zone that only allocations for lower zones get. */
static unsigned long long most_protected(const char *list)
{
	unsigned long long most = 0, pages;
	int used;

	while (sscanf(list, "%*[ (,]%llu%n", &pages, &used) == 1) {
		most = pages > most ? pages : most;
		list += used;
	}
	return most;
}

/* Adds a zone that was read, and begins the next one. */
static void add(struct zones *zones, struct zone *zone)
{
	const unsigned long long own = zone->free + zone->own;

	zones->usable += own > zone->kept ? own - zone->kept : 0;
	zones->all += own + zone->others;
	*zone = (struct zone) {};
}

struct zones zones_read(FILE *file, int node, int cpu)
{
	struct zones zones = {};
	struct zone zone = {};
	unsigned long long number;
	char line[LINE];
	int at = -1, list = -1;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &at) == 1)
			add(&zones, &zone);
		else if (at != node || sscanf(line, " cpu: %d", &list) == 1)
			continue;
		else if (sscanf(line, " pages free %llu", &number) == 1)
			zone.free = number;
		else if (sscanf(line, " low %llu", &number) == 1)
			zone.kept += number;
		else if (strstr(line, " protection: "))
			zone.kept += most_protected(strstr(line, ": ") + 2);
		else if (sscanf(line, " count: %llu", &number) == 1)
			*(list == cpu ? &zone.own : &zone.others) += number;
	}
	add(&zones, &zone);
	return zones;
}
