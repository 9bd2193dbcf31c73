/* SPDX-License-Identifier: GPL-2.0 */
/* The phases of a recording, for all formats. */
#ifndef PHASES_PRINT_H
#define PHASES_PRINT_H

#include "hot.h"
#include "report/load.h"

/**
 * struct result - what is printed
 * @loaded: the report of the recording
 * @config: what is a phase
 * @phases: the phases
 * @hot: what is hot in them
 */
struct result {
	struct loaded loaded;
	struct phases_config config;
	struct phases phases;
	struct hot_list hot;
};

void phases_print(FILE *file, const struct result *result);
void phases_print_json(FILE *file, const struct result *result);

#endif /* PHASES_PRINT_H */
