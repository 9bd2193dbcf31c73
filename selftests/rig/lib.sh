# SPDX-License-Identifier: GPL-2.0
# What every part of the rig shares: how it fails, and where things live.
# shellcheck shell=bash

set -euo pipefail

# Debian keeps depmod and modprobe out of an ordinary user's PATH.
PATH=$PATH:/usr/sbin:/sbin

rig=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
tree=$(cd "$rig/../.." && pwd -P)
# Callers of this file use these two.
# shellcheck disable=SC2034
build=$tree/build
# shellcheck disable=SC2034
cache=${HTMM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/htmm}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# A failure of the rig itself, never of what it runs: 125, as "git bisect run"
# and the container runners have it.
die() { say "$*"; exit 125; }

# need PROGRAM PACKAGE: fail early, and name what to install.
need() {
	command -v "$1" >/dev/null ||
		die "$1 is not installed; run selftests/rig/packages, or apt-get install $2"
}

# digest FILE...: one checksum over names and contents.
digest() { sha256sum -- "$@" | sha256sum | cut -c1-16; }
