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

/*
 * Adds a zone that was read, and begins the next one. A CPU gets what it keeps for itself only
 * where enough is free beside it.
 */
static void add(struct zones *zones, struct zone *zone)
{
	if (zone->free > zone->kept)
		zones->usable += zone->free - zone->kept + zone->own;
	zones->all += zone->free + zone->own + zone->others;
	*zone = (struct zone) {};
}

struct zones zones_read(FILE *file, int node, int cpu)
{
	struct zones zones = {};
	struct zone zone = {};
	unsigned long long number;
	char line[LINE], word[16];
	int at = -1, list = -1;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d,", &at) == 1)
			add(&zones, &zone);
		if (at != node || sscanf(line, " %15s", word) != 1)
			continue;
		if (!strcmp(word, "protection:"))
			zone.kept += most_protected(strstr(line, ": ") + 2);
		if (sscanf(line, " pages free %llu", &zone.free) == 1 ||
		    sscanf(line, " %*s %llu", &number) != 1)
			continue;
		if (!strcmp(word, "low"))
			zone.kept += number;
		else if (!strcmp(word, "cpu:"))
			list = number;
		else if (!strcmp(word, "count:"))
			*(list == cpu ? &zone.own : &zone.others) += number;
	}
	add(&zones, &zone);
	return zones;
}
