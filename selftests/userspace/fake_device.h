/* SPDX-License-Identifier: GPL-2.0 */
/* What the linker's --wrap makes of open() and ioctl(). */
#ifndef HTMM_FAKE_DEVICE_H
#define HTMM_FAKE_DEVICE_H

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

#endif /* HTMM_FAKE_DEVICE_H */
