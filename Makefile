# SPDX-License-Identifier: GPL-2.0
#
# make			build htmm.ko for the running kernel, and htmmctl
# make KDIR=DIR		build them for the kernel whose headers are in DIR
# make demo		find the hot pages of a real program, in a virtual machine
# make check		run all tests; make check SUITES="core userspace" some;
#			SUITES=kselftest-debug: on a kernel that checks itself
# make bench-core	time the hot-page table beside other stores (JSON=FILE, QUICK=1)
# make bench-readers	what a reader in a loop costs the drain (JSON=FILE, ROUNDS=N)
# make lint		check everything that needs no run
# make packages		install what the last three need, on Debian
# make clean		remove what was built

KDIR ?= /lib/modules/$(shell uname -r)/build
SUITES ?=

all: module userspace

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace:
	$(MAKE) -C userspace

packages:
	selftests/rig/packages

demo: packages userspace
	selftests/demo/run

check: packages userspace
	selftests/check $(SUITES)

lint: packages
	selftests/lint/run

bench-core:
	$(MAKE) -C selftests/bench core

bench-readers:
	$(MAKE) -C selftests/bench/threads readers

clean:
	$(if $(wildcard $(KDIR)),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	rm -rf build

.PHONY: all module userspace packages demo check lint bench-core bench-readers clean
