// SPDX-License-Identifier: GPL-2.0
#include "index.h"
#include "model.h"

/* Places regions next to each other, at random, and at both ends of the range. */
static void model_place(struct model *model)
{
	u32 i, j;

	model->space[0] = 0;
	model->space[1] = 1 + tap_below(1000);
	model->space[2] = HTMM_SPACE_MAX;

	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &model->region[i];

		do {
			r->space = model->space[tap_below(MODEL_SPACES)];
			r->vpn = tap_below(2) ? tap_below(40) : tap_random();
			if (!tap_below(8))
				r->vpn = HTMM_VPN_MAX >> HTMM_REGION_ORDER;
			r->vpn = r->vpn << HTMM_REGION_ORDER & HTMM_VPN_MAX;
			for (j = 0; j < i; j++) {
				if (model->region[j].vpn == r->vpn &&
				    model->region[j].space == r->space)
					break;
			}
		} while (j < i);
	}
}

static struct model_region *model_find(struct model *model, u32 space, u64 vpn)
{
	u32 i;

	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &model->region[i];

		if (r->space == space && r->vpn == (vpn & ~511ULL))
			return r;
	}
	return NULL;
}

static void model_bin_add(struct model *model, enum htmm_unit unit, u32 count,
			  int n)
{
	model->hist[unit].bin[htmm_hist_bin(count)] += n;
}

static void model_forget_page(struct model *model, struct model_region *r,
			      struct model_page *page)
{
	if (!page->tracked)
		return;
	model_bin_add(model, HTMM_UNIT_PAGE, page->count, -1);
	model->reclaimed += !page->count;
	*page = (struct model_page) { 0 };
	model->pages--;
	r->pages--;
}

static void model_forget_region(struct model *model, struct model_region *r)
{
	u32 i;

	for (i = 0; i < HTMM_REGION_PAGES; i++)
		model_forget_page(model, r, &r->page[i]);
	model_bin_add(model, HTMM_UNIT_REGION, r->count, -1);
	r->tracked = false;
	r->saturated = false;
	r->count = 0;
	model->regions--;
}

static u32 model_sum(u32 count, u32 weight)
{
	u64 sum = (u64)count + weight;

	return sum > U32_MAX ? U32_MAX : sum;
}

static bool model_takes(const struct htmm_table_sample *s)
{
	return !s->weight || s->page != HTMM_NO_PAGE;
}

/* A look ends, and another begins with this level. */
static void model_look(struct model *model, u32 level)
{
	model->level = level;
	model->weight = 0;
	model->below = 0;
}

static void model_add(struct model *model, const struct htmm_table_sample *s)
{
	struct model_region *r = model_find(model, sample_space(s), sample_vpn(s));
	struct model_page *page;

	if (!s->weight)
		return;
	page = &r->page[s->page % HTMM_REGION_PAGES];
	model->weight += s->weight;
	if (page->count < model->level)
		model->below += min(s->weight, model->level - page->count);
	if (page->tracked)
		model_bin_add(model, HTMM_UNIT_PAGE, page->count, -1);
	if (r->tracked)
		model_bin_add(model, HTMM_UNIT_REGION, r->count, -1);
	model->pages += !page->tracked;
	r->pages += !page->tracked;
	model->regions += !r->tracked;
	page->tracked = true;
	r->tracked = true;
	page->count = model_sum(page->count, s->weight);
	r->saturated |= (u64)r->count + s->weight > U32_MAX;
	r->count = model_sum(r->count, s->weight);
	model_bin_add(model, HTMM_UNIT_PAGE, page->count, 1);
	model_bin_add(model, HTMM_UNIT_REGION, r->count, 1);
}

static void model_hist(const struct model *model, enum htmm_unit unit,
		       struct htmm_hist *hist)
{
	u32 i, j;

	memset(hist, 0, sizeof(*hist));
	for (i = 0; i < MODEL_REGIONS; i++) {
		const struct model_region *r = &model->region[i];

		if (!r->tracked)
			continue;
		if (unit == HTMM_UNIT_REGION) {
			hist->bin[htmm_hist_bin(r->count)]++;
			continue;
		}
		for (j = 0; j < HTMM_REGION_PAGES; j++) {
			if (r->page[j].tracked)
				hist->bin[htmm_hist_bin(r->page[j].count)]++;
		}
	}
}

static int by_order(const void *a, const void *b)
{
	const struct htmm_topn_entry *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->vpn < y->vpn ? -1 : x->vpn > y->vpn;
}

struct htmm_topn_entry *model_list(const struct model *model,
				   enum htmm_unit unit, u32 *n)
{
	struct htmm_topn_entry *list =
		calloc(MODEL_REGIONS * HTMM_REGION_PAGES, sizeof(*list));
	u32 i, j;

	*n = 0;
	for (i = 0; i < MODEL_REGIONS; i++) {
		const struct model_region *r = &model->region[i];
		u32 entries = unit == HTMM_UNIT_PAGE ? HTMM_REGION_PAGES : 1;

		for (j = 0; j < entries; j++) {
			u64 value = unit == HTMM_UNIT_PAGE ? r->page[j].count : r->count;

			if (value)
				list[(*n)++] = (struct htmm_topn_entry) {
					.value = value,
					.vpn = r->vpn + j,
					.space = r->space,
				};
		}
	}
	qsort(list, *n, sizeof(*list), by_order);
	return list;
}

/* Frees what a failed test has left. */
static void world_abandon(struct world *w)
{
	while (w->pages_given)
		free(w->given[--w->pages_given]);
	free(w->dir);
	w->dir = NULL;
}

void world_open(struct world *w, const struct htmm_table_config *config,
		bool limited)
{
	world_abandon(w);
	memset(w, 0, sizeof(*w));
	w->limited = limited;
	w->config = *config;
	CHECK(htmm_table_dir_bytes(config));
	w->dir = aligned_alloc(64, (htmm_table_dir_bytes(config) + 63) & ~63UL);
	memset(w->dir, 0, htmm_table_dir_bytes(config));
	CHECK(htmm_table_init(&w->table, config, w->dir, &w->pool) == 0);
	model_place(&w->model);
}

static u32 pool_blocks(const struct htmm_pool *pool)
{
	return pool->held * HTMM_POOL_BLOCKS_PER_PAGE -
	       htmm_pool_free_blocks(pool);
}

u32 world_blocks(const struct world *w)
{
	return pool_blocks(&w->pool);
}

const struct htmm_region *next_region(const struct htmm_table *table,
				      const struct htmm_region *region, u32 *at)
{
	if (region && region->chain)
		return region->chain;
	*at += !!region;
	while (*at <= table->head_mask && !table->head[*at])
		++*at;
	return *at <= table->head_mask ? table->head[*at] : NULL;
}

/* Remove every address space; what blocks are in use then is the directory. */
static void remove_all(struct world *w)
{
	u32 space, at = 0;
	bool first;

	while (w->table.stats.regions) {
		space = htmm_region_space(next_region(&w->table, NULL, &at));
		first = true;
		while (htmm_table_remove_space(&w->table, space, first, 64))
			first = false;
	}
	CHECK(world_blocks(w) == w->table.nr_free / HTMM_BLOCK_ENTRIES);
}

void world_close(struct world *w)
{
	remove_all(w);
	CHECK(w->pool.held == w->pages_given);
	world_abandon(w);
}

void world_refill(struct world *w, u32 n)
{
	u32 need = htmm_table_need(&w->table, n);

	for (; need; need--) {
		void *page = aligned_alloc(HTMM_POOL_PAGE_SIZE,
					   HTMM_POOL_PAGE_SIZE);

		assert(w->pages_given < WORLD_PAGES);
		w->given[w->pages_given++] = page;
		memset(page, 0xa5, HTMM_POOL_PAGE_SIZE);
		htmm_pool_put(&w->pool, page);
	}
}

void world_shrink(struct world *w, u32 nr)
{
	void *page[HTMM_SHRINK_PAGES];
	u32 n = htmm_table_shrink(&w->table, page, nr), i;
	u64 at;

	CHECK(n <= nr && n <= HTMM_SHRINK_PAGES);
	for (i = 0; i < n; i++) {
		for (at = 0; at < w->pages_given && w->given[at] != page[i]; at++)
			;
		CHECK(at < w->pages_given);
		w->given[at] = w->given[--w->pages_given];
		free(page[i]);
	}
}

/* Finds the table's entries of the model's regions, to see which ones a bounded step reached. */
static void world_entries(const struct world *w,
			  const struct htmm_region *entry[MODEL_REGIONS])
{
	const struct model_region *r = w->model.region;
	u32 i;

	for (i = 0; i < MODEL_REGIONS; i++, r++)
		entry[i] = htmm_index_find(&w->table, htmm_region_key(htmm_page(r->space, r->vpn)));
}

static void world_add_batch(struct world *w,
			    const struct htmm_table_sample *samples, u32 n)
{
	u32 dropped[WORLD_BATCH];
	u32 lost, i, next = 0;

	assert(n <= WORLD_BATCH);
	lost = htmm_table_add(&w->table, samples, n, dropped);
	for (i = 0; i < n; i++) {
		if (model_takes(&samples[i])) {
			model_add(&w->model, &samples[i]);
			w->model.counted++;
			continue;
		}
		CHECK(next < lost && dropped[next++] == i);
		w->model.full++;
	}
	CHECK(next == lost);
}

/* A region other than @own, tracked and at least as hot as @r. */
static u32 world_not_colder(const struct world *w, const bool *tracked,
			    const struct model_region *r,
			    const struct model_region *own)
{
	u32 i, n = 0;

	for (i = 0; i < MODEL_REGIONS; i++) {
		const struct model_region *other = &w->model.region[i];

		n += tracked[i] && other != r && other != own &&
		     other->count >= r->count;
	}
	return n;
}

/* Removes from the model what the table evicted for a sample of @own; it must be cold. */
static void world_evicted(struct world *w, const struct model_region *own)
{
	const struct htmm_region *entry[MODEL_REGIONS];
	bool tracked[MODEL_REGIONS], gone[MODEL_REGIONS];
	struct model *model = &w->model;
	u32 i, j, others = 0, left = 0, window;

	world_entries(w, entry);
	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &model->region[i];

		tracked[i] = r->tracked;
		gone[i] = r->tracked && !entry[i];
		others += tracked[i] && r != own;
		left += tracked[i] && r != own && !gone[i];
		CHECK(r != own || !gone[i]);
	}
	window = min_t(u32, left, HTMM_EVICT_WINDOW - 1);
	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &model->region[i];

		if (!gone[i])
			continue;
		CHECK(world_not_colder(w, tracked, r, own) >= window);
		for (j = 0; j < HTMM_REGION_PAGES; j++)
			model->evicted += r->page[j].count > 0;
		model_forget_region(model, r);
	}
	CHECK(others - left <= HTMM_EVICT_MAX);
}

static void world_add_limited(struct world *w,
			      const struct htmm_table_sample *s)
{
	u64 evicted = w->table.stats.evicted;
	u32 regions = w->table.stats.regions;
	u32 free_blocks = htmm_pool_free_blocks(&w->pool), dropped, lost;
	struct model_region *r;

	if (!model_takes(s)) {
		world_add_batch(w, s, 1);
		return;
	}
	r = model_find(&w->model, sample_space(s), sample_vpn(s));
	lost = htmm_table_add(&w->table, s, 1, &dropped);
	if (lost || w->table.stats.evicted != evicted)
		CHECK(free_blocks < HTMM_SAMPLE_BLOCKS);
	/* Else none can be gone: the sample adds at most one, if its own region is new. */
	if (w->table.stats.evicted != evicted ||
	    w->table.stats.regions != regions + (!lost && s->weight && !r->tracked))
		world_evicted(w, r);
	w->model.full += lost;
	w->model.counted += !lost;
	if (!lost)
		model_add(&w->model, s);
}

/* Looks for changes now and then, so that levels vary. */
static void world_look(struct world *w)
{
	const u64 looked = w->table.change.looked;

	CHECK(w->table.change.weight == w->model.weight && w->table.change.below == w->model.below);
	if (tap_below(4))
		return;
	htmm_table_changed(&w->table);
	if (w->table.change.looked == looked)
		return;
	model_look(&w->model, w->table.change.level);
}

void world_add(struct world *w, const struct htmm_table_sample *samples, u32 n)
{
	if (!w->limited) {
		world_add_batch(w, samples, n);
		CHECK(!w->table.stats.evicted);
	}
	while (w->limited && n--)
		world_add_limited(w, samples++);
	world_look(w);
}

struct htmm_table_sample world_sample(const struct world *w)
{
	u32 spread = tap_below(3) ? 6 : MODEL_REGIONS;
	const struct model_region *r = &w->model.region[tap_below(spread)];
	u32 page = tap_below(tap_below(2) ? 8 : HTMM_REGION_PAGES);

	return (struct htmm_table_sample) {
		.page = htmm_page(r->space, r->vpn + page), .weight = 1,
	};
}

void world_cool(struct world *w)
{
	u32 i, j;

	htmm_table_cool(&w->table);
	w->model.coolings++;
	if (w->model.level <= 1)
		model_look(&w->model, w->model.level);
	else
		w->model.level /= 2;
	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &w->model.region[i];

		if (!r->tracked)
			continue;
		r->count /= 2;
		for (j = 0; j < HTMM_REGION_PAGES; j++) {
			r->page[j].count /= 2;
			if (!r->page[j].count)
				model_forget_page(&w->model, r, &r->page[j]);
		}
	}
	model_hist(&w->model, HTMM_UNIT_PAGE, &w->model.hist[HTMM_UNIT_PAGE]);
	model_hist(&w->model, HTMM_UNIT_REGION, &w->model.hist[HTMM_UNIT_REGION]);
}

void world_jump(struct world *w, u64 jump)
{
	u64 steps = jump > 1 << 20 ? HTMM_FRONT_EPOCHS : jump, i;

	for (i = 0; i < 32; i++)
		world_cool(w);
	for (i = 0; i < steps; i++)
		htmm_table_cool(&w->table);
	/* No front is left, and only the epoch changes. */
	w->table.epoch += jump - steps;
	w->table.front_epoch = w->table.epoch % HTMM_FRONT_EPOCHS;
	w->model.coolings += jump;
}

/* Regions that have missed coolings. */
static u64 world_behind(const struct world *w)
{
	const struct htmm_region *entry[MODEL_REGIONS];
	u32 i, n = 0;

	world_entries(w, entry);
	for (i = 0; i < MODEL_REGIONS; i++)
		n += entry[i] && entry[i]->epoch != w->table.epoch;
	return n;
}

u32 world_longest_chain(const struct world *w)
{
	const struct htmm_region *region;
	u32 longest = 0, len, i;

	for (i = 0; i <= w->table.head_mask; i++) {
		len = 0;
		for (region = w->table.head[i]; region; region = region->chain)
			len++;
		longest = max(longest, len);
	}
	return longest;
}

void world_reclaim(struct world *w, u32 budget, bool *more)
{
	u64 most = budget ? budget - 1 + world_longest_chain(w) : 0, behind = world_behind(w);
	const struct htmm_region *entry[MODEL_REGIONS];
	u32 i;

	*more = htmm_table_reclaim(&w->table, budget);
	CHECK(behind - world_behind(w) <= most);
	world_entries(w, entry);
	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &w->model.region[i];

		CHECK(r->tracked || !entry[i]);
		if (!r->tracked)
			continue;
		if (!entry[i]) {
			CHECK(r->count == 0);
			model_forget_region(&w->model, r);
		}
	}
	if (*more)
		return;
	for (i = 0; i < MODEL_REGIONS; i++)
		CHECK(!w->model.region[i].tracked || w->model.region[i].count);
}

void world_remove_space(struct world *w, u32 space, bool first, u32 budget,
			bool *more)
{
	const struct htmm_region *entry[MODEL_REGIONS];
	u32 i, removed = 0;

	*more = htmm_table_remove_space(&w->table, space, first, budget);
	world_entries(w, entry);
	for (i = 0; i < MODEL_REGIONS; i++) {
		struct model_region *r = &w->model.region[i];

		if (r->space != space || !r->tracked)
			continue;
		CHECK(*more || !entry[i]);
		if (!entry[i]) {
			model_forget_region(&w->model, r);
			removed++;
		}
	}
	CHECK(removed <= budget);
}

/* The bits of a bitmap. */
static bool in_bitmap(const u64 *pages, u32 page)
{
	return pages[page / 64] >> page % 64 & 1;
}

/* Forgets the pages of one region of the model. Returns how many had a count. */
static u32 model_forget(struct model *model, struct model_region *r, const u64 *pages)
{
	u64 gone = 0, left = 0;
	u32 i, n = 0;

	for (i = 0; i < HTMM_REGION_PAGES; i++) {
		if (!in_bitmap(pages, i)) {
			left += r->page[i].count;
			continue;
		}
		n += r->page[i].tracked;
		gone += r->page[i].count;
		model_forget_page(model, r, &r->page[i]);
	}
	if (!r->tracked)
		return n;
	model_bin_add(model, HTMM_UNIT_REGION, r->count, -1);
	gone = gone < r->count ? r->count - gone : 0;
	if (left && left < gone)
		left = gone;
	r->count = left < U32_MAX ? left : U32_MAX;
	model_bin_add(model, HTMM_UNIT_REGION, r->count, 1);
	if (!r->count)
		model_forget_region(model, r);
	return n;
}

void world_forget(struct world *w, u32 region, const u64 *pages)
{
	struct model_region *r = &w->model.region[region];
	u64 any = r->vpn + tap_below(HTMM_REGION_PAGES), counted[HTMM_REGION_PAGES / 64], sum = 0;
	u32 i;

	for (i = 0; i < HTMM_REGION_PAGES; i++)
		sum += in_bitmap(pages, i) ? r->page[i].count : 0;
	memcpy(counted, pages, sizeof(counted));
	CHECK(htmm_table_sum(&w->table, htmm_page(r->space, any), counted) == sum);
	for (i = 0; i < HTMM_REGION_PAGES; i++)
		CHECK(in_bitmap(counted, i) == (in_bitmap(pages, i) && r->page[i].count));
	CHECK(htmm_table_forget(&w->table, htmm_page(r->space, any), pages) ==
	      model_forget(&w->model, r, pages));
	CHECK(!htmm_index_find(&w->table, htmm_region_key(htmm_page(r->space, any))) ==
	      !r->tracked);
}

void world_empty(struct world *w)
{
	bool first, more;
	u32 i;

	for (i = 0; i < MODEL_SPACES; i++) {
		more = true;
		for (first = true; more; first = false)
			world_remove_space(w, w->model.space[i], first, 5, &more);
	}
	CHECK(w->table.stats.regions == 0 && w->table.stats.pages == 0);
}

/* No page is in two slots, and each can be found. */
static void audit_slots(const struct htmm_region *region)
{
	u32 i, page;

	CHECK(region->digits <= 1 + HTMM_PLANES);
	CHECK(!htmm_region_leaf(region) == !region->digits);
	for (i = 0; region->digits < 2 && i < HTMM_SLOTS; i++) {
		page = region->page[i] & HTMM_SLOT_PAGE;
		CHECK(page <= HTMM_REGION_PAGES);
		if (page)
			CHECK(htmm_slot_find(region, page - 1) == i);
		else
			CHECK(!region->page[i] && !region->digit[i]);
		CHECK(region->more || !(region->digit[i] & HTMM_DIGIT_MORE));
	}
}

/*
 * A region's state is in its entry, or in a front with its name. Returns the number of
 * fronts that it has.
 */
static u32 audit_state(const struct htmm_table *table,
		       const struct htmm_region *region)
{
	const char *fronts = (const char *)table->front;
	unsigned long at = (const char *)region->state - fronts;
	const struct htmm_front *front;

	if (region->state == &region->home)
		return 0;
	CHECK(at < table->front_mask + sizeof(*front));
	front = &table->front[at / sizeof(*front)];
	CHECK(region->state == &front->state);
	CHECK(front->name == htmm_front_name(region->key,
					     region->epoch % HTMM_FRONT_EPOCHS));
	CHECK(region->digits);
	return 1;
}

static u32 audit_list(const struct hlist_head *head)
{
	struct hlist_node *const *link = &head->first;
	u32 listed = 0;

	for (; *link; link = &(*link)->next, listed++)
		CHECK((*link)->pprev == link);
	return listed;
}

/* Pages of @parts lead back, are neither whole nor in use, and have all blocks counted. */
static void audit_pool(const struct htmm_pool *pool)
{
	const u32 *part;	/* place and bitmap */
	u32 i, at, blocks = 0;

	for (i = 0; i < pool->nr_parts; i++) {
		part = (const void *)pool->parts[i];
		CHECK(part[0] == i && part[1] && part[1] < 0xff);
		at = (unsigned long)part % HTMM_POOL_PAGE_SIZE / HTMM_POOL_BLOCK_SIZE;
		CHECK(part[1] >> at & 1);
		blocks += hweight64(part[1]);
	}
	CHECK(blocks == pool->nr_blocks);
}

void table_audit(const struct htmm_table *table)
{
	u32 entries = table->stats.regions + table->nr_free, blocks = entries / HTMM_BLOCK_ENTRIES;
	u32 i = 0, used = 0, fronts = 0, listed = audit_list(&table->free);
	const struct htmm_region *region = NULL;

	CHECK(entries % HTMM_BLOCK_ENTRIES == 0 && listed == table->nr_free);
	while ((region = next_region(table, region, &i))) {
		CHECK(region->state);
		used++;
		blocks += region->digits;
		CHECK(htmm_index_find(table, region->key) == region);
		audit_slots(region);
		fronts += audit_state(table, region);
	}
	CHECK(used == table->stats.regions);
	CHECK(pool_blocks(table->pool) == blocks);
	audit_pool(table->pool);
	for (i = 0; i <= table->front_mask / sizeof(*table->front); i++)
		fronts -= table->front[i].name != HTMM_FRONT_UNUSED;
	CHECK(!fronts);
	for (i = 0; i <= table->head_mask; i++)
		CHECK(!table->head[i] == !(table->occupied[i / 64] >> i % 64 & 1));
	for (i = 0; i <= table->space_mask; i++)
		listed += audit_list(&table->spaces[i]);
	CHECK(listed == entries);
}

void thresholds_match(const struct htmm_hist *hist, u64 capacity)
{
	u32 hot = HTMM_NR_BINS, b, above;
	u64 pages;

	for (b = HTMM_NR_BINS - 1; b; b--) {
		for (pages = 0, above = b; above < HTMM_NR_BINS; above++)
			pages += hist->bin[above];
		if (pages <= capacity)
			hot = b;
	}
	CHECK(htmm_hist_hot_threshold(hist, capacity) == hot);
	for (pages = 0, above = hot; above < HTMM_NR_BINS; above++)
		pages += hist->bin[above];
	CHECK(htmm_hist_warm_threshold(hist, capacity, hot) ==
	      hot - (hot > 1 && pages < capacity - capacity / 4));
}

void world_totals_match(struct world *w)
{
	struct htmm_table_stats stats;
	struct htmm_hist hist;
	u32 unit;

	for (unit = 0; unit < HTMM_UNITS; unit++) {
		hist = w->table.hist[unit];
		CHECK(!memcmp(&hist, &w->model.hist[unit], sizeof(hist)));
		thresholds_match(&hist, tap_below(2 * w->model.pages + 2));
	}
	CHECK(htmm_hist_pages_from(&w->model.hist[HTMM_UNIT_PAGE], 0) ==
	      w->model.pages);
	CHECK(htmm_hist_pages_from(&w->model.hist[HTMM_UNIT_REGION], 0) ==
	      w->model.regions);

	stats = w->table.stats;
	CHECK(stats.pages == w->model.pages);
	CHECK(stats.regions == w->model.regions);
	CHECK(stats.counted == w->model.counted);
	CHECK(stats.full == w->model.full);
	CHECK(stats.reclaimed == w->model.reclaimed);
	CHECK(stats.evicted == w->model.evicted);
	CHECK(w->table.epoch == w->model.coolings);
	CHECK(w->table.pool->held <= w->table.max_held);
	CHECK(w->table.dir_bytes + (u64)w->table.max_held * HTMM_POOL_PAGE_SIZE <=
	      w->config.max_bytes);
	CHECK(htmm_table_bytes(&w->table) == htmm_table_dir_bytes(&w->config) +
					     w->pages_given * HTMM_POOL_PAGE_SIZE);
	table_audit(&w->table);
}

u32 table_count(const struct htmm_table *table, u32 space, u64 vpn)
{
	u32 count[HTMM_REGION_PAGES];

	htmm_table_counts(table, space, vpn, count, NULL);
	return count[vpn % HTMM_REGION_PAGES];
}

u32 region_count(const struct htmm_table *table, u32 space, u64 vpn)
{
	const struct htmm_region *region =
		htmm_index_find(table, htmm_region_key(htmm_page(space, vpn)));

	return region ? htmm_table_cooled(table, region, htmm_region_count(region)) : 0;
}

static void world_region_matches(struct world *w, const struct model_region *r)
{
	u64 any = r->vpn + tap_below(HTMM_REGION_PAGES), sum = 0;
	u64 tracked[HTMM_REGION_PAGES / 64];
	u32 count[HTMM_REGION_PAGES], i;

	htmm_table_counts(&w->table, r->space, any, count, tracked);
	for (i = 0; i < HTMM_REGION_PAGES; i++) {
		CHECK(count[i] == r->page[i].count);
		CHECK((tracked[i / 64] >> i % 64 & 1) == r->page[i].tracked);
		CHECK(r->page[i].count <= r->count);
		sum += r->page[i].count;
	}
	CHECK(region_count(&w->table, r->space, any) == r->count);
	CHECK(r->count >= sum || r->saturated);
}

void world_matches(struct world *w)
{
	struct htmm_hist hist;
	u32 i;

	for (i = 0; i < HTMM_UNITS; i++) {
		model_hist(&w->model, i, &hist);
		CHECK(!memcmp(&hist, &w->model.hist[i], sizeof(hist)));
	}
	world_totals_match(w);
	for (i = 0; i < MODEL_REGIONS; i++)
		world_region_matches(w, &w->model.region[i]);
}

static bool same_entry(const struct htmm_topn_entry *a,
		       const struct htmm_topn_entry *b)
{
	return a->value == b->value && a->vpn == b->vpn && a->space == b->space;
}

/* Makes a listing in random slices; returns its length. A region costs HTMM_SCAN_REGION. */
static u32 world_list(struct world *w, struct htmm_topn *list)
{
	htmm_topn_begin(list, &w->table);
	while (htmm_topn_scan(list, &w->table, 1 + tap_below(40)))
		;
	return htmm_topn_finish(list);
}

void world_lists_match(struct world *w, enum htmm_unit unit, u32 chunk)
{
	static struct htmm_topn_entry entries[MODEL_REGIONS * HTMM_REGION_PAGES];
	struct htmm_topn_entry *expected;
	u32 total, seen = 0, n, i;

	expected = model_list(&w->model, unit, &total);
	do {
		struct htmm_topn list = {
			.unit = unit,
			.filter = HTMM_TOPN_COUNTED,
			.entries = entries,
			.size = chunk,
			.after = seen ? &expected[seen - 1] : NULL,
		};

		n = world_list(w, &list);
		CHECK(n == min(chunk, total - seen));
		for (i = 0; i < n; i++)
			CHECK(same_entry(&entries[i], &expected[seen + i]));
		seen += n;
	} while (n == chunk);
	CHECK(seen == total);
	free(expected);
}
