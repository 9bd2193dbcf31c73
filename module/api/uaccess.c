// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include "api.h"

/* Largest size of a CPU bitmap in bytes: 32,768 CPUs. */
#define HTMM_MAX_CPUS_SIZE	4096

/*
 * The element size of a caller's array, in bytes: a caller may be older than this module, but
 * not older than the first version, or newer. Returns 0, -EINVAL if it is smaller than @first,
 * -E2BIG if above HTMM_MAX_SIZE.
 */
int htmm_uaccess_check_stride(u32 stride, size_t first)
{
	if (stride < first)
		return -EINVAL;
	return stride > HTMM_MAX_SIZE ? -E2BIG : 0;
}

/*
 * Copy @n elements of @stride bytes from user space. Members that the caller does not know
 * become zero. @elem and @first are the sizes of an element here and in the first version.
 * Returns 0, -EFAULT, or an errno of htmm_uaccess_check_stride() and copy_struct_from_user().
 */
int htmm_uaccess_array_in(void *to, size_t elem, size_t first, u64 from, u32 stride, u32 n)
{
	int ret = n ? htmm_uaccess_check_stride(stride, first) : 0;
	u32 i;

	if (!ret && stride == elem)
		return copy_from_user(to, u64_to_user_ptr(from), (size_t)n * elem) ? -EFAULT : 0;
	for (i = 0; !ret && i < n; i++)
		ret = copy_struct_from_user(to + i * elem, elem,
					    u64_to_user_ptr(from) + (u64)i * stride, stride);
	return ret;
}

/*
 * Copy @n elements to user space, where each has @stride bytes, checked. Members beyond ours
 * become zero. Returns 0 or -EFAULT.
 */
int htmm_uaccess_array_out(u64 to, u32 stride, const void *from, size_t elem, u32 n)
{
	size_t known = min_t(size_t, stride, elem);
	void __user *at;
	u32 i;

	if (stride == elem)
		return copy_to_user(u64_to_user_ptr(to), from, (size_t)n * elem) ? -EFAULT : 0;
	for (i = 0; i < n; i++) {
		at = u64_to_user_ptr(to) + (u64)i * stride;
		if (copy_to_user(at, from + i * elem, known) ||
		    clear_user(at + known, stride - known))
			return -EFAULT;
	}
	return 0;
}

/*
 * Add a set of CPUs to @mask: a bitmap of @bytes bytes in words of 64 bits. @what is its name,
 * for @err. Returns 0, -EINVAL, -ERANGE, -EFAULT or -ENODEV.
 */
int htmm_uaccess_cpus(struct cpumask *mask, u64 from, u32 bytes,
		      const char *what, struct htmm_error *err)
{
	const u64 __user *words = u64_to_user_ptr(from);
	unsigned long bits;
	unsigned int cpu, i, bit;
	u64 word;

	if (bytes % sizeof(u64))
		return htmm_fail(err, -EINVAL, "%s_size is %u, not a multiple of 8", what, bytes);
	if (bytes > HTMM_MAX_CPUS_SIZE)
		return htmm_fail(err, -ERANGE, "%s_size is %u, above %u", what,
				 bytes, HTMM_MAX_CPUS_SIZE);

	for (i = 0; i < bytes / sizeof(u64); i++) {
		if (get_user(word, words + i))
			return htmm_fail(err, -EFAULT, "the bitmap %s cannot be read", what);
		bits = word;
		for_each_set_bit(bit, &bits, BITS_PER_LONG) {
			cpu = i * 64 + bit;
			if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
				return htmm_fail(err, -ERANGE, "this machine has no CPU %u", cpu);
			cpumask_set_cpu(cpu, mask);
		}
	}
	if (bytes && cpumask_empty(mask))
		return htmm_fail(err, -ENODEV, "%s names no CPU", what);
	return 0;
}
