/* SPDX-License-Identifier: GPL-2.0 */
/* How many pids there are: few of them are soon used again. */
#ifndef KSFT_PIDS_H
#define KSFT_PIDS_H

/* Of all pids, no kernel gives those below a second time: daemons have them. */
#define FIRST_PID	300
/* So this leaves a hundred to go round. */
#define FEW_PIDS	400

/* The limit of this pid namespace, or a negative errno. */
int pids_limit(void);
/* Has no new pid be @limit or more. 0 or a negative errno. */
int pids_set_limit(int limit);
/* Has the next process get @pid or, if that is taken or used, one not far above. */
int pids_skip_to(int pid);

#endif /* KSFT_PIDS_H */
