/* SPDX-License-Identifier: GPL-2.0 */
/* The children of a process. */
#ifndef HTMMCTL_CHILDREN_H
#define HTMMCTL_CHILDREN_H

#include <sys/types.h>

/*
 * Calls a function for each present child of a process. @call: called with the pid of each;
 * never for a kernel that does not tell.
 */
void children_each(pid_t pid, void (*call)(void *value, pid_t child), void *value);

#endif /* HTMMCTL_CHILDREN_H */
