// SPDX-License-Identifier: GPL-2.0
/* Ground truth tables and their CSV. */
#include <stdlib.h>

#include "host.h"
#include "truth.h"

#define PAGE_SHIFT	12
#define TGID_SHIFT	35		/* page numbers of 47-bit addresses */
#define KEY_USED	0x8000000000000000ULL
#define VPN_MASK	0x7ffffffffULL
#define FIRST_SIZE	4096UL

static __u64 make_key(__u64 tgid, __u64 vaddr)
{
	return KEY_USED | tgid << TGID_SHIFT | vaddr >> PAGE_SHIFT;
}

/* Finds the page of @key, or the free slot for it. */
static struct truth_page *find(const struct truth *truth, __u64 key)
{
	__u64 hash = key * 0x9e3779b97f4a7c15ULL;
	size_t mask = truth->size - 1;
	size_t i;

	for (i = (hash >> 32) & mask; truth->pages[i].key; i = (i + 1) & mask)
		if (truth->pages[i].key == key)
			break;
	return &truth->pages[i];
}

static void grow(struct truth *truth)
{
	struct truth old = *truth;

	truth->size = old.size ? old.size * 2 : FIRST_SIZE;
	truth->pages = calloc(truth->size, sizeof(*truth->pages));
	if (!truth->pages)
		host_fail("no memory for a ground truth of %zu pages",
			  truth->size);
	for (size_t i = 0; i < old.size; i++)
		if (old.pages[i].key)
			*find(truth, old.pages[i].key) = old.pages[i];
	free(old.pages);
}

static struct truth_page *get(struct truth *truth, __u64 key)
{
	struct truth_page *page;

	if (truth->used >= truth->size / 2)
		grow(truth);
	page = find(truth, key);
	if (!page->key) {
		page->key = key;
		truth->used++;
	}
	return page;
}

struct truth_page *truth_page(struct truth *truth, __u64 tgid,
			      __u64 vaddr)
{
	return get(truth, make_key(tgid, vaddr));
}

static void merge(struct truth *into, const struct truth *from)
{
	for (size_t i = 0; i < from->size; i++) {
		const struct truth_page *add = &from->pages[i];
		struct truth_page *page;

		if (!add->key)
			continue;
		page = get(into, add->key);
		page->loads += add->loads;
		page->stores += add->stores;
		page->load_misses += add->load_misses;
		page->store_misses += add->store_misses;
		page->remote_load_misses += add->remote_load_misses;
		page->remote_store_misses += add->remote_store_misses;
	}
}

/* Unused slots have key 0, so they come first. */
static int by_key(const void *a, const void *b)
{
	__u64 x = ((const struct truth_page *)a)->key;
	__u64 y = ((const struct truth_page *)b)->key;

	return (x > y) - (x < y);
}

static void write_page(FILE *file, const struct truth_page *page)
{
	__u64 key = page->key & ~KEY_USED;

	__u64 vpn = key & VPN_MASK;

	fprintf(file, "%llu,0x%llx,%llu,%llu,%llu,%llu,%llu,%llu\n",
		key >> TGID_SHIFT, vpn << PAGE_SHIFT, page->loads,
		page->stores, page->load_misses, page->store_misses,
		page->remote_load_misses, page->remote_store_misses);
}

bool truth_write(FILE *file, struct truth *truths, size_t count)
{
	struct truth *all = &truths[0];

	for (size_t i = 1; i < count; i++)
		merge(all, &truths[i]);
	if (all->used)
		qsort(all->pages, all->size, sizeof(*all->pages), by_key);

	fputs("tgid,page,loads,stores,load_misses,store_misses,", file);
	fputs("remote_load_misses,remote_store_misses\n", file);
	for (size_t i = all->size - all->used; i < all->size; i++)
		write_page(file, &all->pages[i]);
	return !fflush(file) && !ferror(file);
}
