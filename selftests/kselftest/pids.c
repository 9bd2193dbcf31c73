// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "files.h"
#include "pids.h"

#define PID_MAX	"/proc/sys/kernel/pid_max"

int pids_limit(void)
{
	return file_number(PID_MAX);
}

int pids_set_limit(int limit)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", limit);
	return file_write(PID_MAX, text);
}

static void *tell_tid(void *arg)
{
	return (void *)(intptr_t)syscall(SYS_gettid);
}

/* Threads use pids as well, and are the cheapest way to use them up. */
int pids_skip_to(int pid)
{
	pthread_t thread;
	void *tid;
	int ret;

	do {
		ret = pthread_create(&thread, NULL, tell_tid, NULL);
		if (ret)
			return -ret;
		pthread_join(thread, &tid);
	} while ((intptr_t)tid < pid - 1);
	return 0;
}
