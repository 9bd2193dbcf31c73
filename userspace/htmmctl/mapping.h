/* SPDX-License-Identifier: GPL-2.0 */
/* Hot pages summed up by the mapping they belong to. */
#ifndef HTMMCTL_MAPPING_H
#define HTMMCTL_MAPPING_H

#include <stdbool.h>
#include <stdio.h>
#include <htmm/htmm.h>

/**
 * mappings_print() - print the mappings with the most samples
 * @file: where to
 * @names: what the pages belong to
 * @list: the pages
 * @max: the most mappings to print; 0: all
 * @json: as a JSON object
 * @err: says if there is no memory
 *
 * Return: 0 or -ENOMEM.
 */
int mappings_print(FILE *file, struct htmm_names *names, const struct htmm_page_list *list,
		   size_t max, bool json, struct htmm_error *err);

#endif /* HTMMCTL_MAPPING_H */
