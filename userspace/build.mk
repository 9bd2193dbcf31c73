# SPDX-License-Identifier: GPL-2.0
# What the makefiles of user space share. They set TOP, the top of the tree, and MODULES, the
# libraries that pkg-config finds, before they include this.
include $(TOP)/packaging/version.mk

OUT ?= $(TOP)/build/userspace
CC ?= cc
CFLAGS ?= -O2 -g

PKG_CONFIG ?= pkg-config
MISSING := $(strip $(foreach m,$(MODULES),$(shell $(PKG_CONFIG) --exists $(m) || echo $(m))))
ifneq ($(MISSING),)
$(error missing: $(MISSING); on Debian, selftests/rig/packages build installs what is needed)
endif
# A program is linked to what it calls, and no more.
LIBS := -Wl,--as-needed $(shell $(PKG_CONFIG) --libs $(MODULES)) -lpfm -lm -pthread

FLAGS := -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Wshadow \
	 -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -D_GNU_SOURCE -DHTMM_VERSION='"$(VERSION)"'
ifeq ($(SANITIZE),1)
FLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
# The objects of libhtmm go into the shared library, too.
FLAGS += -fPIC
INCLUDES := $(addprefix -I$(TOP)/,userspace/include userspace userspace/tools . module uapi) \
	    $(shell $(PKG_CONFIG) --cflags $(MODULES))

OBJ := $(OUT)/obj
# The objects of a folder are in a folder of its name.
objects = $(patsubst $(1)/%.c,$(OBJ)/$(notdir $(1))/%.o,$(wildcard $(1)/*.c))

SONAME := libhtmm.so.$(SOVERSION)
LIBRARY := $(OUT)/$(if $(filter 1,$(SHARED)),$(SONAME),libhtmm.a)

# All programs call functions of htmmctl, and it those of libhtmm.
LAST := $(OUT)/libhtmmctl.a $(OUT)/libestimate.a $(LIBRARY)
link = $(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out $(LAST),$^) $(LAST) $(LIBS)
compile = $(CC) $(FLAGS) $(CFLAGS) $(CPPFLAGS) $(INCLUDES) -MMD -MP -c -o $@ $<

all:

$(OUT)/%.a:
	rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

-include $(wildcard $(OBJ)/*/*.d)
