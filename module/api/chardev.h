/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/htmm. */
#ifndef HTMM_CHARDEV_H
#define HTMM_CHARDEV_H

int htmm_chardev_init(void);
void htmm_chardev_exit(void);

#endif /* HTMM_CHARDEV_H */
