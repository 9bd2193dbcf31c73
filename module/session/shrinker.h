/* SPDX-License-Identifier: GPL-2.0 */
/* Gives memory back to the kernel when memory is short. */
#ifndef HTMM_SHRINKER_H
#define HTMM_SHRINKER_H

int htmm_shrinker_init(void);
void htmm_shrinker_exit(void);

#endif /* HTMM_SHRINKER_H */
