// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "htmmctl/command.h"
#include "top.h"

/* Filters and sorts the mappings again. */
static void choose(struct top *top)
{
	memcpy(top->shown, top->maps, top->nr_maps * sizeof(*top->maps));
	top->nr_shown = mappings_choose(top->shown, top->nr_maps, top->order, top->filter);
	if (top->scroll >= top->nr_shown)
		top->scroll = top->nr_shown ? top->nr_shown - 1 : 0;
}

static int sum_mappings(struct top *top, struct htmm_error *err)
{
	size_t i;

	free(top->maps);
	free(top->shown);
	top->nr_maps = 0;
	top->nr_shown = 0;
	top->samples = 0;
	top->maps = mappings_sum(top->now.names, &top->now.pages, &top->nr_maps, err);
	top->shown = top->maps ? calloc(top->nr_maps + 1, sizeof(*top->shown)) : NULL;
	if (!top->shown) {
		top->nr_maps = 0;
		return htmm_error_set(err, ENOMEM, NULL, "out of memory");
	}
	for (i = 0; i < top->nr_maps; i++)
		top->samples += top->maps[i].samples;
	choose(top);
	return 0;
}

int top_look(struct top *top, struct htmm_error *err)
{
	/*
	 * Start with an empty cache of names: over a long time, names of exited processes
	 * would fill it.
	 */
	struct results res = { .places = true };
	int fd = htmm_device_open(NULL, err), ret;

	if (fd < 0)
		return fd;
	ret = results_read(&res, fd, top->max_pages, err);
	close(fd);
	if (ret) {
		results_free(&res);
		return ret;
	}
	results_free(&top->was);
	top->was = top->now;
	top->now = res;
	/* Later looks compare only numbers, so the pages can go. */
	htmm_pages_free(&top->was.pages);
	htmm_names_free(top->was.names);
	top->was.names = NULL;
	activity_between(&top->activity, &top->was, &top->now);
	return sum_mappings(top, err);
}

void top_free(struct top *top)
{
	results_free(&top->was);
	results_free(&top->now);
	free(top->maps);
	free(top->shown);
}

static void edit_filter(struct top *top, int key)
{
	size_t len = strlen(top->filter);

	if (key == '\n' || key == '\r') {
		top->editing = false;
	} else if (key == '\033') {
		top->editing = false;
		*top->filter = '\0';
	} else if (key == TOP_BACKSPACE || key == 0x7f || key == '\b') {
		if (len)
			top->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < 0x7f && len + 1 < sizeof(top->filter)) {
		top->filter[len] = key;
		top->filter[len + 1] = '\0';
	}
	choose(top);
}

static void scroll(struct top *top, int key, size_t page)
{
	size_t last = top->nr_shown ? top->nr_shown - 1 : 0;

	if (key == TOP_HOME)
		top->scroll = 0;
	else if (key == TOP_UP && top->scroll)
		top->scroll--;
	else if (key == TOP_PAGE_UP)
		top->scroll -= top->scroll < page ? top->scroll : page;
	else if (key == TOP_DOWN)
		top->scroll++;
	else if (key == TOP_PAGE_DOWN)
		top->scroll += page;
	if (top->scroll > last)
		top->scroll = last;
}

static void set_interval(struct top *top, unsigned int ms)
{
	top->interval_ms = ms < TOP_INTERVAL_MIN ? TOP_INTERVAL_MIN :
			   ms > TOP_INTERVAL_MAX ? TOP_INTERVAL_MAX : ms;
}

void top_key(struct top *top, int key, size_t page)
{
	if (top->editing) {
		edit_filter(top, key);
		return;
	}
	if (top->help) {
		top->help = false;
		return;
	}
	switch (key) {
	case 'q':
		top->quit = true;
		break;
	case ' ':
	case 'p':
		top->paused = !top->paused;
		break;
	case 's':
		top->order = (top->order + 1) % NR_ORDERS;
		top->scroll = 0;
		choose(top);
		break;
	case '/':
		top->editing = true;
		break;
	case '+':
		set_interval(top, 2 * top->interval_ms);
		break;
	case '-':
		set_interval(top, top->interval_ms / 2);
		break;
	case 'h':
	case '?':
		top->help = true;
		break;
	default:
		scroll(top, key, page);
	}
}
