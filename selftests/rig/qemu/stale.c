// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that mends an erratum of the emulated CPU: it may go on running
 * a breakpoint that is gone.
 *
 * A kernel patches its code (static keys, static calls, probes) while other CPUs
 * run it: it puts a breakpoint over an instruction's first byte, lets all CPUs
 * synchronise, writes the other bytes, lets them synchronise again, and writes
 * the new first byte over the breakpoint. QEMU 7.2 reads the code that it
 * translates first, and watches the page for writes later. A block that is
 * translated while that last byte is written ends in the breakpoint, for good,
 * and for all CPUs. The kernel is done with the place by then: 6.12 dies of
 * "Oops: int3", 6.1 returns to the breakpoint for ever.
 *
 * So a block with a breakpoint is looked at each time before it runs. If the
 * memory says otherwise, it is thrown away, and the CPU comes back to its
 * beginning. If the breakpoint is there now, the kernel waits for this CPU to
 * have dealt with it.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "qemu.h"
#include "symbols.h"

#define INT3	0xcc

static struct {
	void *(*qemu_get_cpu)(int index);
	void *(*tcg_tb_lookup)(uintptr_t host_pc);
	void (*tb_phys_invalidate)(void *tb, __u64 page);
	void (*cpu_loop_exit_restore)(void *cpu, uintptr_t host_pc);
} qemu;

#define BIND(name) symbols_bind(&qemu.name, #name)

static atomic_ulong mended;

/*
 * Called by a block with a breakpoint, before its first instruction: all
 * registers are in their place, and QEMU finds the block by the address that
 * this returns to.
 */
static void on_block(unsigned int vcpu, void *byte)
{
	uintptr_t host_pc = (uintptr_t)__builtin_return_address(0);

	if (__atomic_load_n((const __u8 *)byte, __ATOMIC_RELAXED) == INT3)
		return;
	atomic_fetch_add(&mended, 1);
	qemu.tb_phys_invalidate(qemu.tcg_tb_lookup(host_pc), ~0ULL);
	qemu.cpu_loop_exit_restore(qemu.qemu_get_cpu(vcpu), host_pc);
}

/* A breakpoint ends its block. */
static void on_translate(__u64 id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	const __u8 *code = qemu_plugin_insn_data(last);
	void *byte = qemu_plugin_insn_haddr(last);

	(void)id;
	/* Code in a device's memory has no address here; nobody patches it. */
	if (code[0] == INT3 && byte)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block,
						     QEMU_PLUGIN_CB_NO_REGS,
						     byte);
}

static void on_exit(__u64 id, void *unused)
{
	(void)id;
	(void)unused;
	if (mended)
		fprintf(stderr, "stale plugin: breakpoints that were gone and did not run: %lu\n",
			mended);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(__u64 id,
					   const struct qemu_info_t *info,
					   int argc, char **argv)
{
	(void)info;
	(void)argc;
	(void)argv;
	if (!symbols_version() || !BIND(qemu_get_cpu) || !BIND(tcg_tb_lookup) ||
	    !BIND(tb_phys_invalidate) || !BIND(cpu_loop_exit_restore))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
	return 0;
}
