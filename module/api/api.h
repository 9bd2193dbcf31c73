/* SPDX-License-Identifier: GPL-2.0 */
/* The interfaces of the module: /dev/htmm and debugfs. */
#ifndef HTMM_API_H
#define HTMM_API_H

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <uapi/linux/htmm.h>
#include "base/error.h"
#include "session/session.h"

/* The reader of the record stream that a file is, or NULL. */
static inline struct htmm_reader *htmm_file_reader(struct file *file)
{
	/* Pairs with the cmpxchg() in htmm_ioctl_stream(). */
	return smp_load_acquire(&file->private_data);
}

/* chardev.c */
int htmm_chardev_init(void);
void htmm_chardev_exit(void);

/* debugfs.c */
void htmm_debugfs_init(void);
void htmm_debugfs_exit(void);

/* ioctl.c */
long htmm_ioctl(struct file *file, unsigned int cmd, unsigned long uarg);

/**
 * struct htmm_rows - elements of an array that a call fills
 * @at: the elements, to be freed with kvfree(), also after a failure; NULL: none
 * @nr: how many there are
 *
 * All zero before the call.
 */
struct htmm_rows {
	void *at;
	u32 nr;
};

/* snapshot.c: a session's data as the structs of the interface. */
void htmm_snapshot_info(struct htmm_session *session, struct htmm_info *info);
int htmm_snapshot_stats(struct htmm_session *session, struct htmm_stats *stats,
			struct htmm_rows *channels);
int htmm_snapshot_histogram(struct htmm_session *session, struct htmm_histogram *out);
int htmm_snapshot_hit_ratio(struct htmm_session *session, struct htmm_hit_ratio *out);
int htmm_snapshot_targets(struct htmm_session *session, struct htmm_rows *targets);
int htmm_snapshot_served(struct htmm_session *session, u32 target, struct htmm_rows *rows);

/* Most pages that one call of htmm_snapshot_pages() lists. */
#define HTMM_SNAPSHOT_PAGES	262144

/* listing.c, placement.c */
int htmm_snapshot_pages(struct htmm_session *session, struct htmm_list_pages *list,
			struct htmm_page *pages, u32 n);
int htmm_snapshot_placement(struct htmm_session *session, struct htmm_placement *out,
			    struct htmm_rows *nodes);

/*
 * May the caller learn which pages of processes are in memory, and where? Samples show only
 * accesses. Page tables show all pages, as /proc/PID/pagemap does to callers that may trace the
 * process.
 */
static inline bool htmm_places_permitted(void)
{
	return capable(CAP_SYS_PTRACE);
}

/* uaccess.c: arrays whose elements may be of an older or newer version. */

/* Largest size of a caller's struct and of an element of a caller's array. */
#define HTMM_MAX_SIZE		4096

int htmm_uaccess_check_stride(u32 stride, size_t first);
int htmm_uaccess_array_in(void *to, size_t elem, size_t first, u64 from, u32 stride, u32 n);
int htmm_uaccess_array_out(u64 to, u32 stride, const void *from, size_t elem, u32 n);
int htmm_uaccess_cpus(struct cpumask *mask, u64 from, u32 bytes,
		      const char *what, struct htmm_error *err);

#endif /* HTMM_API_H */
