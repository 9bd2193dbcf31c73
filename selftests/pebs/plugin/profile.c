// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "profile.h"

#define KERNEL_START	0xffffffff80000000ULL
#define SPOTS		1048576U

/* An instruction. */
struct spot {
	__u64 ip;
	__u64 count;
};

static FILE *file;
static struct spot *spots;	/* hash table with open addressing */
static unsigned int nr_spots;
static __u64 now_in;

bool profile_open(const char *path)
{
	spots = calloc(SPOTS, sizeof(*spots));
	file = fopen(path, "we");
	return spots && file;
}

static struct spot *find(__u64 ip)
{
	unsigned int i = ip * 0x9e3779b97f4a7c15ULL >> 44;

	while (spots[i].ip && spots[i].ip != ip)
		i = (i + 1) % SPOTS;
	if (!spots[i].ip && ++nr_spots > SPOTS / 2)
		host_fail("the kernel has more than %u instructions", SPOTS / 2);
	spots[i].ip = ip;
	return &spots[i];
}

void profile_translate(struct qemu_plugin_insn *insn, __u64 ip)
{
	if (file && ip >= KERNEL_START)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &find(ip)->count, 1);
}

void profile_section(__u64 section)
{
	if (!file || section == now_in)
		return;
	for (unsigned int i = 0; i < SPOTS; i++) {
		if (now_in && spots[i].count)
			fprintf(file, "%llu,%#llx,%llu\n", now_in, spots[i].ip, spots[i].count);
		spots[i].count = 0;
	}
	if (fflush(file))
		host_fail("cannot write the profile: %s", strerror(errno));
	now_in = section;
}
