/* SPDX-License-Identifier: GPL-2.0 */
/* Limits the number of pids, so that they are soon reused. */
#ifndef KSFT_PIDS_H
#define KSFT_PIDS_H

/* After a wrap, the kernel does not give pids below this, which daemons have. */
#define FIRST_PID	300
/* So about a hundred pids remain. */
#define FEW_PIDS	400

/* The limit of this pid namespace, or a negative errno. */
int pids_limit(void);
/* Limits new pids to below @limit. Returns 0 or a negative errno. */
int pids_set_limit(int limit);
/* The next process gets @pid or, if that is in use, one slightly above. */
int pids_skip_to(int pid);

#endif /* KSFT_PIDS_H */
