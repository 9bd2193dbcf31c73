/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that goes back to the kernel when it is short of it. */
#ifndef HTMM_SHRINKER_H
#define HTMM_SHRINKER_H

int htmm_shrinker_init(void);
void htmm_shrinker_exit(void);

#endif /* HTMM_SHRINKER_H */
