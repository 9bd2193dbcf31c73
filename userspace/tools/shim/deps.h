/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space versions of what module/core/deps.h takes from the kernel.
 *
 * Include it before any file of the core (-include shim/deps.h): it has the include guard
 * of the kernel's version and so replaces it.
 */
#ifndef HTMM_CORE_DEPS_H
#define HTMM_CORE_DEPS_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef int s32;
typedef long long s64;
typedef __u64 u64;

#define U16_MAX		((u16)~0)
#define U32_MAX		(~(u32)0)
#define U64_MAX		(~(u64)0)

#define __aligned(x)	__attribute((aligned(x)))

#define BIT_ULL(n)	(1ULL << (n))

#define noinline	__attribute((noinline))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* Volatile, as in the kernel: the compiler must not drop a function that only prefetches. */
#define prefetch(p)	({ __builtin_prefetch(p, 0, 0); asm volatile(""); })
#define htmm_fetch(p)	({ __builtin_prefetch(p, 0, 3); asm volatile(""); })
#define prefetchw(p)	({ __builtin_prefetch(p, 1, 3); asm volatile(""); })

#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
/* The acquire side of the ring's barrier pairs; each use names its pair. */
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
/* The release side; each use names its pair. */
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* As in the kernel, both sides of min() and max() have the same type. */
#define __htmm_same_type(a, b)						\
	static_assert(__builtin_types_compatible_p(__typeof__(a),	\
						   __typeof__(b)), "types differ")
#define __htmm_pick(a, op, b) ({					\
	__typeof__(a) __a = (a);					\
	__typeof__(b) __b = (b);					\
	__htmm_same_type(__a, __b);					\
	__a op __b ? __a : __b;						\
})

#define min(a, b)	__htmm_pick(a, <, b)
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define min_t(type, a, b) __htmm_pick((type)(a), <, (type)(b))
#define max_t(type, a, b) __htmm_pick((type)(a), >, (type)(b))
#define max(a, b)	__htmm_pick(a, >, b)
#define clamp_t(type, v, lo, hi) ({					\
	type __v = (v);							\
	type __lo = (lo);						\
	type __hi = (hi);						\
	__v < __lo ? __lo : __v > __hi ? __hi : __v;			\
})

#define DIV_ROUND_UP(n, d) ({						\
	__typeof__(d) __d = (d);					\
	((n) + __d - 1) / __d;						\
})

#define check_add_overflow(a, b, sum) __builtin_add_overflow(a, b, sum)
#define check_sub_overflow(a, b, difference) __builtin_sub_overflow(a, b, difference)
#define check_mul_overflow(a, b, product) __builtin_mul_overflow(a, b, product)
#define DIV64_U64_ROUND_UP(n, d) DIV_ROUND_UP(n, d)

/* Lists with one pointer in the head; each entry points to the pointer to it. */
struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_entry_safe(ptr, type, member) ({				\
	__typeof__(ptr) __ptr = (ptr);					\
	__ptr ? hlist_entry(__ptr, type, member) : NULL;		\
})

static inline bool hlist_empty(const struct hlist_head *head)
{
	return !head->first;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	*node = (struct hlist_node) { .next = head->first, .pprev = &head->first };
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
}

static inline void hlist_add_before(struct hlist_node *node, struct hlist_node *next)
{
	*node = (struct hlist_node) { .next = next, .pprev = next->pprev };
	*node->pprev = node;
	next->pprev = &node->next;
}

static inline void hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline unsigned int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

static inline unsigned int hweight64(u64 x)
{
	return __builtin_popcountll(x);
}

static inline int ilog2(u64 x)
{
	return 63 - __builtin_clzll(x);
}

static inline unsigned long rounddown_pow_of_two(unsigned long x)
{
	return 1UL << ilog2(x);
}

static inline unsigned long roundup_pow_of_two(unsigned long x)
{
	return x < 2 ? 1 : 1UL << (ilog2(x - 1) + 1);
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (__uint128_t)a * b / divisor;
}

#endif /* HTMM_CORE_DEPS_H */
