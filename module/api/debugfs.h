/* SPDX-License-Identifier: GPL-2.0 */
/* The session as text, in debugfs. */
#ifndef HTMM_DEBUGFS_H
#define HTMM_DEBUGFS_H

void htmm_debugfs_init(void);
void htmm_debugfs_exit(void);

#endif /* HTMM_DEBUGFS_H */
