# SPDX-License-Identifier: GPL-2.0
#
# make			build htmm.ko for the running kernel, and htmmctl
# make KDIR=DIR		build them for the kernel whose headers are in DIR
# make demo		find the hot pages of a real program, in a virtual machine
# make shell		a prompt in a virtual machine with fast and slow memory
# make quick		the fast checks: 2 minutes
# make check		run all tests, 20 minutes; SUITES="core userspace": only these. The first
#			time it builds a debug kernel
# make check-kcsan	the tests with the most concurrency, on a kernel that detects data races
# make stress		start, stop, read and reload everything at the same time:
#			SECONDS=N KERNEL=6.12|debug SEED=N
# make fuzz-ioctl	call /dev/htmm with arguments that are almost correct: CALLS=N
#			KERNEL=6.12|debug SEED=N
# make mutants		plant mistakes outside module/core, one at a time, and check that a test
#			finds each: AREA="api lib" NAME=TEXT, or SEED=N for COUNT=50 random ones
# make bench-core	time the hot-page table beside other stores (JSON=FILE, QUICK=1)
# make bench-readers	how much a reader in a loop slows the drain (JSON=FILE, ROUNDS=N)
# make bench-drain	what one drain thread keeps up with (JSON=FILE, CPUS=N, RATE=N)
# make bench-export	list all pages of tables of up to 40 M pages, call by call
# make bench-budget	what sampling costs under a budget while the load changes in steps
# make bench-cooling	how well hot pages are recognized, by the period of cooling
# make bench-looks	what a look of htmmctl tier costs with 1, 10 and 100 GiB of memory
# make bench-sample	what a sample costs, in instructions, beside perf (JSON=FILE)
# make bench-accuracy	how well samples show the hot pages, by period and budget
#			(PROGRAMS="graph redis" JSON=FILE)
# make bench-report	time htmmctl report beside perf script, on a file of 1 GB
# make hwtest		measure the sampling on this machine, in ten minutes; as root. QUICK=1: in one
# make experiment	how much moving pages helps: run programs on slow and fast memory under
#			htmmctl tier and other methods, and write docs/experiments.md.
#			CELLS="gups/tier/1:8 gups/oracle/*" JSON=FILE: only these; FULL=1: all
# make fuzz		libFuzzer on the core, SECONDS=N for each target
# make lint		static checks
# make packages		install the Debian packages that these need; they also do it themselves
# make install		install htmmctl, libhtmm, manual pages and the rest (DESTDIR, prefix)
# make module_install	install htmm.ko for the kernel of KDIR; or
# make dkms_install	install its source where DKMS finds it
# make uninstall	remove what these three have installed
# make deb		make Debian packages, in build/deb/
# make check-packaging	test make install, and the packages in a clean Debian
# make clean		remove what was built

KDIR ?= /lib/modules/$(shell uname -r)/build
SUITES ?=

all: module userspace

module:
	@[ -d "$(KDIR)" ] || { echo "no kernel headers in $(KDIR):" \
		"install linux-headers-$$(uname -r), or give KDIR=DIR;" \
		"'make userspace' needs none" >&2; false; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace:
	$(MAKE) -C userspace

packages:
	@selftests/rig/packages

# Build first; print results later.
.PHONY: built
built: packages
	@$(MAKE) -s userspace

demo: built
	@selftests/demo/run

shell: built
	@selftests/demo/shell

quick: built
	@selftests/check --quick

check: built
	@selftests/check $(SUITES)

fuzz: packages
	$(MAKE) -C selftests/core fuzz

lint: packages
	selftests/lint/run

stress: packages
	STRESS_SECONDS=$(or $(SECONDS),60) STRESS_SEED=$(SEED) selftests/kselftest/soak \
		$(or $(KERNEL),6.12) $$(($(or $(SECONDS),60) + 600)) stress

.PHONY: fuzz-ioctl stress
fuzz-ioctl: packages
	FUZZ_CALLS=$(CALLS) FUZZ_SEED=$(SEED) selftests/kselftest/soak \
		$(or $(KERNEL),6.12) 7200 fuzz_ioctl

.PHONY: mutants
mutants: packages
	selftests/mutants/run $(AREA) --name '$(NAME)' \
		$(if $(SEED),--random $(SEED) --count $(or $(COUNT),50))

bench-core:
	selftests/rig/packages build bench
	$(MAKE) -C selftests/bench core

bench-report:
	selftests/rig/packages build check demo
	$(MAKE) -C selftests/bench/report run

bench-readers:
	$(MAKE) -C selftests/bench/threads readers

bench-drain:
	$(MAKE) -C selftests/bench/threads drain

bench-export:
	$(MAKE) -C selftests/bench/threads export

bench-budget:
	selftests/rig/packages
	$(MAKE) -C selftests/bench/budget run

.PHONY: hwtest
hwtest: all
	build/userspace/htmm-hwtest --module htmm.ko $(if $(QUICK),--quick)

experiment: packages userspace
	selftests/experiment/run --runs $(or $(RUNS),1) $(if $(JSON),--json "$(JSON)") $(or $(CELLS),--docs docs)

bench-cooling:
	$(MAKE) -C selftests/bench/cooling run

bench-looks: packages
	selftests/bench/looks/run

bench-sample:
	selftests/rig/packages build check demo
	$(MAKE) -C selftests/bench/sample run

bench-accuracy: packages
	$(MAKE) -C selftests/bench/accuracy run PROGRAMS="$(PROGRAMS)" JSON="$(JSON)"

install: userspace
	packaging/install user

# For modules built by hand; those of packages and DKMS go to other directories.
UTSRELEASE := $(KDIR)/include/generated/utsrelease.h
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(UTSRELEASE))
INSTALLED = $(DESTDIR)/lib/modules/$(RELEASE)/extra/htmm.ko
DEPMOD = $(if $(DESTDIR),:,depmod $(RELEASE))

module_install: module
	install -D -m 644 htmm.ko $(INSTALLED)
	$(DEPMOD)

dkms_install:
	packaging/install dkms
	@echo "now: dkms install htmm/$$(sed -n 's/^VERSION := //p' packaging/version.mk)"

uninstall: $(if $(wildcard $(UTSRELEASE)),module_uninstall)
	packaging/install --uninstall user dkms

module_uninstall:
	rm -f $(INSTALLED)
	$(DEPMOD)

deb:
	packaging/deb

check-kcsan: packages userspace
	selftests/check kselftest-kcsan

check-packaging: packages userspace
	selftests/check install packages

.PHONY: install module_install dkms_install uninstall module_uninstall deb check-kcsan \
	check-packaging

clean:
	$(if $(wildcard $(KDIR)),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	rm -rf build

.PHONY: all module userspace packages demo shell quick check fuzz lint bench-core bench-readers \
	bench-drain bench-report bench-export bench-budget bench-cooling bench-looks bench-sample \
	bench-accuracy experiment clean
