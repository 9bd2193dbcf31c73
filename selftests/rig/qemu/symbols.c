// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

#include "symbols.h"

#define QEMU_MAJOR	7
#define QEMU_MINOR	2
#define ADVICE		"use 7.2, as Debian 12's qemu-system-x86 package has it"

/* QEMU's VersionInfo. */
struct version_info {
	struct {
		__s64 major;
		__s64 minor;
		__s64 micro;
	} *qemu;
	char *package;
};

bool symbols_bind(void *pointer, const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);

	if (!address) {
		fprintf(stderr, "plugin: this QEMU does not export %s; " ADVICE "\n",
			name);
		return false;
	}
	memcpy(pointer, &address, sizeof(address));
	return true;
}

bool symbols_version(void)
{
	struct version_info *(*qmp_query_version)(void **errp);
	struct version_info *version;

	if (!symbols_bind(&qmp_query_version, "qmp_query_version"))
		return false;
	version = qmp_query_version(NULL);
	if (version->qemu->major == QEMU_MAJOR &&
	    version->qemu->minor == QEMU_MINOR)
		return true;
	fprintf(stderr, "plugin: this is QEMU %lld.%lld; " ADVICE "\n",
		version->qemu->major, version->qemu->minor);
	return false;
}
