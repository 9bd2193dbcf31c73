# SPDX-License-Identifier: GPL-2.0
#
# make			build htmm.ko for the running kernel, and htmmctl
# make KDIR=DIR		build them for the kernel whose headers are in DIR
# make help		everything else

KDIR ?= /lib/modules/$(shell uname -r)/build

all: module userspace

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace:
	$(MAKE) -C userspace

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C userspace clean

.PHONY: all module userspace clean
