// SPDX-License-Identifier: GPL-2.0
/*
 * anywhere COMMAND...: run it without the memory policy of who starts it. NUMA balancing
 * leaves memory alone that has any policy but the default, which numactl cannot set.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: anywhere COMMAND...\n", stderr);
		return 2;
	}
	if (!syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0))
		execvp(argv[1], argv + 1);
	fprintf(stderr, "anywhere: %s: %s\n", argv[1], strerror(errno));
	return 1;
}
