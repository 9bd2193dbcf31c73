/* SPDX-License-Identifier: GPL-2.0 */
/* What the linker's --wrap makes of open(), ioctl() and the search for tiers. */
#ifndef HTMM_FAKE_DEVICE_H
#define HTMM_FAKE_DEVICE_H

#include "tier/tiers.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __real_tiers_find(struct tiers *tiers, struct htmm_error *err);
int __wrap_tiers_find(struct tiers *tiers, struct htmm_error *err);

#endif /* HTMM_FAKE_DEVICE_H */
