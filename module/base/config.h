/* SPDX-License-Identifier: GPL-2.0 */
/* Configuration of a session: checked, with every default filled in. */
#ifndef HTMM_CONFIG_H
#define HTMM_CONFIG_H

#include <linux/cpumask.h>
#include "error.h"

/**
 * struct htmm_config - configuration of a session
 * @start: as given by the caller; htmm_config_check() replaces zeroes by defaults. Its
 *	pointers and array sizes are not used here
 * @events: array of @start.nr_events events
 * @targets: array of @start.nr_targets targets
 * @cpus: CPUs to sample
 * @drain_cpus: CPUs that ksampled may use
 */
struct htmm_config {
	struct htmm_start start;
	struct htmm_event events[HTMM_MAX_EVENTS];
	struct htmm_target targets[HTMM_MAX_TARGETS];
	cpumask_var_t cpus;
	cpumask_var_t drain_cpus;
};

struct htmm_config *htmm_config_alloc(void);
int htmm_config_check(struct htmm_config *config, struct htmm_error *err);
int htmm_config_check_event(const struct htmm_event *event, unsigned int i, struct htmm_error *err);
int htmm_config_check_target(const struct htmm_target *target, struct htmm_error *err);
u64 htmm_config_capacity(u64 pages);
u64 htmm_config_max_bytes(void);
void htmm_config_free(struct htmm_config *config);

#endif /* HTMM_CONFIG_H */
