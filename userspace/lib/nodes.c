// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <htmm/nodes.h>

/* Pages of one move_pages(2) call. */
#define BATCH	1024

/**
 * struct asked - a page, sorted by process
 * @pid: its process; 0: the page cannot be looked up
 * @at: its index in the list
 */
struct asked {
	__u32 pid;
	size_t at;
};

static int by_pid(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static struct asked *sort(const struct htmm_page_list *list)
{
	struct asked *asked = calloc(list->nr, sizeof(*asked));
	size_t i;

	if (!asked)
		return NULL;
	for (i = 0; i < list->nr; i++) {
		const struct htmm_page *page = &list->pages[i];

		asked[i].pid = page->flags & HTMM_PAGE_EXITED ? 0 : page->pid;
		asked[i].at = i;
	}
	qsort(asked, list->nr, sizeof(*asked), by_pid);
	return asked;
}

/* How many of the next pages, up to one batch, belong to the first one's process. */
static size_t same_process(const struct asked *asked, size_t nr)
{
	size_t i;

	for (i = 1; i < nr && i < BATCH && asked[i].pid == asked->pid; i++)
		;
	return i;
}

/* For move_pages(2), process 0 is the caller. */
static void ask(const struct htmm_page_list *list, const struct asked *asked, size_t nr, int *nodes)
{
	void *addr[BATCH];
	int status[BATCH], error = asked->pid ? 0 : -ESRCH;
	size_t i;

	for (i = 0; i < nr; i++)
		addr[i] = (void *)(uintptr_t)list->pages[asked[i].at].addr;
	if (!error && syscall(SYS_move_pages, (pid_t)asked->pid, nr, addr, NULL, status, 0) < 0)
		error = -errno;
	for (i = 0; i < nr; i++)
		nodes[asked[i].at] = error ?: status[i];
}

int htmm_page_nodes(const struct htmm_page_list *list, int *nodes)
{
	struct asked *asked;
	size_t i, nr;

	if (!list->nr)
		return 0;
	asked = sort(list);
	if (!asked)
		return -ENOMEM;
	for (i = 0; i < list->nr; i += nr) {
		nr = same_process(&asked[i], list->nr - i);
		ask(list, &asked[i], nr, nodes);
	}
	free(asked);
	return 0;
}
