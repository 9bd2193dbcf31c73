# SPDX-License-Identifier: GPL-2.0
# The version of everything here, and of the interface that libhtmm.so has:
# SOVERSION grows when a program linked to the library would break.
VERSION := 0.1.0
SOVERSION := 0
