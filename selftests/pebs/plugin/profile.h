/* SPDX-License-Identifier: GPL-2.0 */
/* Profile: how often each instruction of the guest's kernel was executed. */
#ifndef PEBS_PROFILE_H
#define PEBS_PROFILE_H

#include <stdbool.h>
#include <linux/types.h>

struct qemu_plugin_insn;

/**
 * profile_open() - make a profile
 * @path: the file, of which a line is "SECTION,ADDRESS,COUNT"
 *
 * Return: false if the file cannot be written or there is no memory.
 */
bool profile_open(const char *path);

/**
 * profile_translate() - count an instruction of the kernel whenever it is executed
 * @insn: an instruction of the block that is being translated
 * @ip: its address
 *
 * Does nothing if there is no profile.
 */
void profile_translate(struct qemu_plugin_insn *insn, __u64 ip);

/**
 * profile_section() - another section begins here, if it does
 * @section: its number; 0: none
 *
 * Context: the vCPU thread; the machine has one vCPU.
 */
void profile_section(__u64 section);

#endif /* PEBS_PROFILE_H */
