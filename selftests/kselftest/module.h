/* SPDX-License-Identifier: GPL-2.0 */
/* Loading and unloading htmm.ko, and the kernel that has it. */
#ifndef KSFT_MODULE_H
#define KSFT_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the file that HTMM_KO names, or the module installed for this kernel. */
bool module_find(char *path, size_t room);
/* These return 0 or a negative errno. */
int module_load(const char *path);
int module_unload(void);

/* Tells a kernel that looks for leaks and wrong accesses, which is several times as slow. */
bool kernel_checks_itself(void);

/*
 * Tells where a few rounds have to do: on that kernel, and where KSELFTEST_FEW_ROUNDS is set, as
 * another machine has them all.
 */
bool few_rounds(void);

/* References to the module: files of the device that are open, whoever waits in them. */
int module_users(void);

/* vmalloc areas that the module has allocated and not freed. */
int module_areas(void);

#endif /* KSFT_MODULE_H */
