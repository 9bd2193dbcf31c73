/* SPDX-License-Identifier: GPL-2.0 */
/* What the loop has seen and done, as metrics for Prometheus. */
#ifndef TIER_PROMETHEUS_H
#define TIER_PROMETHEUS_H

#include <stdio.h>

/**
 * prometheus_write() - write the metrics
 * @file: where to
 * @tier: the loop, a struct tier
 */
void prometheus_write(FILE *file, const void *tier);

#endif /* TIER_PROMETHEUS_H */
