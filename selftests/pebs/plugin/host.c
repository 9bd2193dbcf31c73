// SPDX-License-Identifier: GPL-2.0
/* The unit's access to QEMU: functions and layouts that are not part of the plugin interface. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "symbols.h"

#define CPU_INTERRUPT_NMI	0x200

/* Where struct TimersState of QEMU 7.2 has qemu_icount_bias. */
#define CLOCK_BIAS_OFFSET	40

/* RAM is searched in chunks of this size, up to this address. */
#define RAM_CHUNK		(2ULL << 20)
#define RAM_LIMIT		(256ULL << 30)
#define MAX_EXTENTS		16

/* QEMU's struct qemu_plugin_hwaddr, for RAM. */
struct ram_hwaddr {
	bool is_io;
	bool is_store;
	void *hostaddr;
};

/* A range of guest RAM that is contiguous in the guest and in QEMU. */
struct extent {
	__u64 host;
	__u64 size;
	__u64 gpa;
};

static struct {
	void *(*qemu_get_cpu)(int index);
	void (*cpu_interrupt)(void *cpu, int mask);
	void (*async_run_on_cpu)(void *cpu, void (*work)(void *cpu, void *data),
				 void *data);
	int *use_icount;
	char *timers_state;
	__s64 (*icount_get)(void);
	bool (*qemu_mutex_iothread_locked)(void);
	void (*qemu_mutex_lock_iothread_impl)(const char *file, int line);
	void (*qemu_mutex_unlock_iothread)(void);
	bool (*cpu_physical_memory_is_io)(__u64 addr);
	void *(*cpu_physical_memory_map)(__u64 addr, __u64 *len,
					 bool is_write);
	void (*cpu_physical_memory_unmap)(void *buffer, __u64 len,
					  bool is_write, __u64 access_len);
} qemu;

static struct extent extents[MAX_EXTENTS];
static unsigned int nr_extents;

noreturn void host_fail(const char *fmt, ...)
{
	va_list args;

	fputs("pebs plugin: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	/* Not exit(): its handlers would wait for the vCPU that calls this. */
	_exit(EXIT_FAILURE);
}

#define BIND(name) symbols_bind(&qemu.name, #name)

bool host_bind(void)
{
	return symbols_version() && BIND(qemu_get_cpu) && BIND(cpu_interrupt) &&
	       BIND(async_run_on_cpu) && BIND(use_icount) &&
	       BIND(timers_state) && BIND(icount_get) &&
	       BIND(qemu_mutex_iothread_locked) &&
	       BIND(qemu_mutex_lock_iothread_impl) &&
	       BIND(qemu_mutex_unlock_iothread) &&
	       BIND(cpu_physical_memory_is_io) &&
	       BIND(cpu_physical_memory_map) &&
	       BIND(cpu_physical_memory_unmap);
}

static void add_chunk(__u64 host, __u64 gpa)
{
	struct extent *last = nr_extents ? &extents[nr_extents - 1] : NULL;

	if (last && last->gpa + last->size == gpa &&
	    last->host + last->size == host) {
		last->size += RAM_CHUNK;
		return;
	}
	if (nr_extents == MAX_EXTENTS)
		host_fail("guest RAM is in more than %d pieces", MAX_EXTENTS);
	extents[nr_extents++] = (struct extent){ host, RAM_CHUNK, gpa };
}

/*
 * Probes the middle of each chunk: in the first one this is the end of the
 * legacy hole, where RAM begins again at the place it would have without it.
 */
static void find_ram(void)
{
	for (__u64 gpa = 0; gpa < RAM_LIMIT; gpa += RAM_CHUNK) {
		__u64 probe = gpa + RAM_CHUNK / 2;
		__u64 len = 1;
		void *host;

		if (qemu.cpu_physical_memory_is_io(probe))
			continue;
		host = qemu.cpu_physical_memory_map(probe, &len, true);
		if (!host)
			continue;
		add_chunk((uintptr_t)host - RAM_CHUNK / 2, gpa);
		qemu.cpu_physical_memory_unmap(host, len, true, 0);
	}
}

struct pebs_mbox *host_map_mailbox(void)
{
	__u64 len = PEBS_MBOX_SIZE;
	void *mbox = NULL;

	if (!qemu.cpu_physical_memory_is_io(PEBS_MBOX_ADDR))
		mbox = qemu.cpu_physical_memory_map(PEBS_MBOX_ADDR, &len, true);
	if (!mbox || len < PEBS_MBOX_SIZE)
		host_fail("no guest RAM for the mailbox at %#lx; use -m 1G or more",
			  PEBS_MBOX_ADDR);
	find_ram();
	return mbox;
}

__u64 host_phys(__u32 info, __u64 vaddr)
{
	const struct ram_hwaddr *ram;
	__u64 host;

	ram = (struct ram_hwaddr *)qemu_plugin_get_hwaddr(info, vaddr);
	if (!ram || ram->is_io)
		return HOST_NO_PHYS;
	host = (uintptr_t)ram->hostaddr;
	for (unsigned int i = 0; i < nr_extents; i++)
		if (host - extents[i].host < extents[i].size)
			return host - extents[i].host + extents[i].gpa;
	return HOST_NO_PHYS;
}

static void interrupt(void *cpu, void *unused)
{
	(void)unused;
	qemu.cpu_interrupt(cpu, CPU_INTERRUPT_NMI);
}

void host_raise_nmi(unsigned int index)
{
	void *cpu = qemu.qemu_get_cpu(index);
	bool locked;

	/* With -icount, QEMU does not let an instruction be interrupted. */
	if (*qemu.use_icount) {
		qemu.async_run_on_cpu(cpu, interrupt, NULL);
		return;
	}
	locked = qemu.qemu_mutex_iothread_locked();
	if (!locked)
		qemu.qemu_mutex_lock_iothread_impl(__FILE__, __LINE__);
	interrupt(cpu, NULL);
	if (!locked)
		qemu.qemu_mutex_unlock_iothread();
}

void host_run_later(unsigned int index, void (*work)(void *cpu, void *data))
{
	qemu.async_run_on_cpu(qemu.qemu_get_cpu(index), work, NULL);
}

static void nothing(void *cpu, void *unused)
{
	(void)cpu;
	(void)unused;
}

void host_recheck_timers(unsigned int index)
{
	/* Any work for a vCPU makes it leave the guest's code. */
	host_run_later(index, nothing);
}

__s64 *host_clock_bias(void)
{
	if (!*qemu.use_icount)
		host_fail("memory can take time only with -icount");
	return (__s64 *)(qemu.timers_state + CLOCK_BIAS_OFFSET);
}

__s64 host_clock(void)
{
	return qemu.icount_get();
}
