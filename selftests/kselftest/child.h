/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that run beside the test, synchronized with it. */
#ifndef KSFT_CHILD_H
#define KSFT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a process that dies with its parent
 * @pid: the process
 * @sock: connects the two for child_post() and child_await()
 */
struct child {
	pid_t pid;
	int sock;
};

/* Runs @body in a new process; its return value is the exit status. */
int child_start(struct child *child, int (*body)(int sock, void *arg), void *arg);
/* Called by either side: lets the other side's child_await() return. */
int child_post(int sock);
int child_await(int sock);
/* The same without waiting: true if there was something to wait for. */
bool child_told(int sock);
/*
 * Starts a process that runs @work with @arg each time that child_do() is called. Between
 * calls it is in the kernel, and has no page fault that could be counted.
 */
int child_worker(struct child *child, void (*work)(void *arg), void *arg);
int child_do(struct child *child);
/* Tells if the child has exited, without waiting; it is still to be joined. */
bool child_ended(const struct child *child);
/* As /proc tells: 'S': it sleeps, 'D': it waits for a lock, 'Z': it has exited. */
char child_state(const struct child *child);
/* Waits until the child exits; returns the exit status, or 128 + signal. */
int child_join(struct child *child);
int child_kill(struct child *child);
/* Zeroed memory that the test and its processes share; NULL: there is none. */
void *child_share(size_t bytes);
/* In the child: make it the first process to be killed when memory is short. */
void child_offer_itself(void);

#endif /* KSFT_CHILD_H */
