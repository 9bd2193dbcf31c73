// SPDX-License-Identifier: GPL-2.0
/*
 * Emulated PEBS unit: a QEMU TCG plugin.
 *
 * Sees every load and store of user-mode code, decides what kind of access it
 * was, counts it in the counters that the guest has programmed and in the
 * ground truth, and at a counter's overflow writes a record into the guest's
 * buffer and raises an NMI. See ../README.md and ../mailbox.h.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "host.h"
#include "ibs.h"
#include "misses.h"
#include "options.h"
#include "profile.h"
#include "series.h"
#include "stlb.h"
#include "truth.h"

#define USER_END	0x800000000000ULL

/* The access that is being counted. */
struct access {
	unsigned int vcpu;
	__u64 ip;
	__u64 addr;
	__u64 phys;
	enum pebs_kind kind;
};

static struct options options;
static struct pebs_mbox *mbox;
static pthread_once_t mbox_once = PTHREAD_ONCE_INIT;
static unsigned int nr_vcpus;
static struct truth truths[PEBS_MAX_CPUS];
static FILE *truth_file;
/* Each access matters: always, or while the guest wants the truth. */
static bool sees_all, sees_truth;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool in_range(const struct pebs_range *range, __u64 phys)
{
	return phys >= range->start && phys < range->end;
}

static bool is_pmem(__u64 phys)
{
	return in_range(&mbox->header.pmem, phys);
}

/* By the node of the CPU, if the guest has told it. */
static bool is_remote(const struct pebs_slot *slot, __u64 phys)
{
	if (in_range(&mbox->header.remote, phys))
		return true;
	return slot->near.end && phys != HOST_NO_PHYS && !in_range(&slot->near, phys) &&
	       !is_pmem(phys);
}

/* Takes longer than memory of the CPU's own node. */
static bool is_far(const struct pebs_slot *slot, __u64 phys)
{
	return is_remote(slot, phys) || is_pmem(phys);
}

static enum pebs_kind load_kind(const struct pebs_slot *slot, __u64 phys, bool hit)
{
	bool remote;

	if (hit)
		return PEBS_LOAD_HIT;
	remote = is_remote(slot, phys);
	if (is_pmem(phys))
		return remote ? PEBS_LOAD_REMOTE_PMM : PEBS_LOAD_LOCAL_PMM;
	return remote ? PEBS_LOAD_REMOTE : PEBS_LOAD_LOCAL;
}

static void count_truth(const struct pebs_slot *slot,
			const struct access *access, bool store, bool hit)
{
	struct truth_page *page = truth_page(&truths[access->vcpu], slot->tgid,
					     access->addr);
	bool remote = !hit && is_far(slot, access->phys);

	if (store) {
		page->stores++;
		page->store_misses += !hit;
		page->remote_store_misses += remote;
	} else {
		page->loads++;
		page->load_misses += !hit;
		page->remote_load_misses += remote;
	}
}

static void write_record(struct pebs_slot *slot, const struct access *access,
			 __u32 status)
{
	struct pebs_record *record = &slot->record[slot->head % PEBS_RECORDS];
	unsigned int overflows = __builtin_popcount(status);

	slot->overflows += overflows;
	if (slot->head - slot->tail >= PEBS_RECORDS) {
		slot->overruns += overflows;
	} else {
		*record = (struct pebs_record){
			.ip = access->ip,
			.addr = access->addr,
			.phys = access->phys == HOST_NO_PHYS ? 0 : access->phys,
			.seq = slot->overflows,
			.status = status,
			.kind = access->kind,
		};
		slot->head++;
	}
	slot->nmis++;
	stall(access->vcpu, options.latency.assist);
	host_raise_nmi(access->vcpu);
}

static void count_events(struct pebs_slot *slot, const struct access *access)
{
	__u32 enabled = slot->enabled, status = 0;

	for (; enabled; enabled &= enabled - 1) {
		unsigned int i = __builtin_ctz(enabled);
		struct pebs_counter *counter = &slot->counter[i];

		if (!(counter->match >> access->kind & 1))
			continue;
		counter->count++;
		if (!counter->reload || --counter->left)
			continue;
		counter->left = counter->reload;
		counter->overflows++;
		status |= 1U << i;
	}
	if (status)
		write_record(slot, access, status);
}

static enum pebs_kind store_kind(bool hit, bool stlb_hit)
{
	if (stlb_hit)
		return hit ? PEBS_STORE_HIT : PEBS_STORE_MISS;
	return hit ? PEBS_STORE_HIT_STLB_MISS : PEBS_STORE_MISS_STLB_MISS;
}

/* For device memory, QEMU's device determines the time. */
static void wait_for_memory(const struct pebs_slot *slot, const struct access *access, bool hit)
{
	const struct latency *latency = &options.latency;

	if (access->phys == HOST_NO_PHYS)
		return;
	stall(access->vcpu, hit ? latency->hit :
	      is_far(slot, access->phys) ? latency->remote : latency->local);
}

static void count_access(struct pebs_slot *slot, struct access *access,
			 bool store)
{
	const bool stlb_hit = stlb_access(access->vcpu, slot->tgid, access->addr);
	bool hit = false;

	if (access->phys == HOST_NO_PHYS)
		slot->unmapped++;
	else
		hit = cache_access(access->phys);

	if (store)
		access->kind = store_kind(hit, stlb_hit);
	else
		access->kind = load_kind(slot, access->phys, hit);

	wait_for_memory(slot, access, hit);
	if (truth_file && mbox->header.truth)
		count_truth(slot, access, store, hit);
	if (!hit && options.series && mbox->header.truth)
		series_count(access->vcpu, slot->tgid, is_far(slot, access->phys));
	if (options.misses && misses_want(access->kind) && mbox->header.truth)
		misses_add(access->vcpu, slot->tgid, access->addr, access->kind);
	if (slot->enabled)
		count_events(slot, access);
	if (options.ibs)
		ibs_access(&(struct ibs_access) {
			.vcpu = access->vcpu,
			.ip = access->ip,
			.addr = access->addr,
			.phys = access->phys,
			.store = store,
			.miss = !hit,
			.remote = is_remote(slot, access->phys),
			.slow = is_pmem(access->phys),
		});
}

/* Called after each load or store of user code. */
static void on_access(unsigned int vcpu, __u32 info, __u64 vaddr, void *ip)
{
	struct pebs_slot *slot = &mbox->cpu[vcpu].slot;
	struct access access = { .vcpu = vcpu, .ip = (uintptr_t)ip, .addr = vaddr };

	if (!slot->active || vaddr >= USER_END)
		return;
	/* Most code runs while nothing counts; to find the physical address takes longest. */
	if (!slot->enabled && !sees_all && !(sees_truth && mbox->header.truth))
		return;
	profile_section(mbox->header.profile);
	access.phys = host_phys(info, vaddr);
	if (host_rw(info) & QEMU_PLUGIN_MEM_R)
		count_access(slot, &access, false);
	if (host_rw(info) & QEMU_PLUGIN_MEM_W)
		count_access(slot, &access, true);
}

static void open_mailbox(void)
{
	struct pebs_mbox *map = host_map_mailbox();

	memset(map, 0, sizeof(*map));
	map->header.ncpus = nr_vcpus;
	map->header.remote = options.remote;
	map->header.pmem = options.pmem;
	map->header.magic = PEBS_MBOX_MAGIC;
	mbox = map;
	if (stall_wanted(&options.latency))
		stall_init();
	if (options.series)
		series_start();
	if (options.misses)
		misses_start();
	ibs_init(map, options.latency.assist);
}

/*
 * Called for each new block of guest code. Firmware and early boot run at low
 * addresses too; nothing is counted of them, as no slot is active then.
 */
static void on_translate(__u64 id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	/* The machine has no memory yet when the plugin is installed. */
	pthread_once(&mbox_once, open_mailbox);

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		__u64 ip = qemu_plugin_insn_vaddr(insn);

		profile_translate(insn, ip);
		if (options.ibs)
			ibs_translate(insn, ip, ip >= USER_END);
		if (ip < USER_END)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access,
							 QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW,
							 (void *)(uintptr_t)ip);
	}
}

static void write_truth(void)
{
	if (!truth_write(truth_file, truths, nr_vcpus) || fclose(truth_file))
		host_fail("cannot write the ground truth to %s: %s",
			  options.truth, strerror(errno));
}

/* QEMU calls one function of a plugin at the end, the last that it was given. */
static void at_exit(__u64 id, void *unused)
{
	(void)id;
	(void)unused;
	if (truth_file)
		write_truth();
	if (options.series && !series_close())
		host_fail("cannot write the series to %s: %s", options.series, strerror(errno));
	if (options.misses && !misses_close())
		host_fail("cannot write the misses to %s: %s", options.misses, strerror(errno));
}

static bool refuse(const char *problem, const char *detail)
{
	fprintf(stderr, "pebs plugin: %s%s\n", problem, detail);
	return false;
}

static bool check_machine(const struct qemu_info_t *info)
{
	if (info->version.min > QEMU_PLUGIN_VERSION ||
	    info->version.cur < QEMU_PLUGIN_VERSION)
		return refuse("needs QEMU with version 1 of the plugin interface", "");
	if (!info->system_emulation || strcmp(info->target_name, "x86_64"))
		return refuse("needs qemu-system-x86_64, but this QEMU emulates ",
			      info->target_name);
	nr_vcpus = info->system.max_vcpus;
	if (nr_vcpus > PEBS_MAX_CPUS)
		return refuse("the mailbox has room for 32 vCPUs; use -smp 32 or less", "");
	return true;
}

static bool open_truth(void)
{
	if (!options.truth)
		return true;
	truth_file = fopen(options.truth, "we");
	if (truth_file)
		return true;
	fprintf(stderr, "pebs plugin: cannot write the ground truth to %s: %s\n",
		options.truth, strerror(errno));
	return false;
}

static bool make_profile(void)
{
	if (!options.profile)
		return true;
	if (nr_vcpus > 1)
		return refuse("a profile needs a machine with one vCPU", "");
	return profile_open(options.profile) ||
	       refuse("cannot write the profile to ", options.profile);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(__u64 id,
					   const struct qemu_info_t *info,
					   int argc, char **argv)
{
	if (!options_parse(&options, argc, argv) || !check_machine(info) ||
	    !host_bind() || !open_truth() || !make_profile())
		return -1;
	sees_all = options.ibs || options.profile || stall_wanted(&options.latency);
	sees_truth = truth_file || options.series || options.misses;
	if (!stlb_init(options.stlb, nr_vcpus)) {
		refuse("impossible STLB: ", "stlb must be 12 times a power of two");
		return -1;
	}
	if (!cache_init(options.llc, options.ways, nr_vcpus > 1)) {
		refuse("impossible cache: ",
		       "llc must be ways x 64 bytes x a power of two");
		return -1;
	}
	if (options.series && !series_open(options.series))
		return -1;
	if (options.misses && !misses_open(options.misses))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	if (truth_file || options.series || options.misses)
		qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
