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

# mirror_of SUITE: where apt fetches Debian itself from, for a suite that it need not know.
mirror_of() {
	local mirror

	# shellcheck disable=SC2016 # apt-get expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" |
		grep -v security | head -n 1)
	[ -n "$mirror" ] || die "apt knows no mirror of Debian that may have $1; see sources.list(5)"
	echo "$mirror"
}

# The release of Debian whose backports have the newest kernel, and that these are built in.
newest_release=trixie

# backports cached|fresh: let ${apt[@]} be options with which apt-get and apt-cache see the
# backports of that release. The host may be of another one: they have lists of their own.
backports() {
	local dir=$cache/apt mirror

	apt=(-o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=-
	     -o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir/cache"
	     -o APT::Sandbox::User=root)
	[ "$1" = fresh ] || [ ! -e "$dir/lists/partial" ] || return 0
	say "fetching the list of backports"
	mirror=$(mirror_of backports)
	rm -rf "$dir/lists"
	mkdir -p "$dir/lists" "$dir/cache"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"$mirror $newest_release-backports main" >"$dir/sources.list"
	apt-get "${apt[@]}" -qq update >&2 ||
		{ rm -rf "$dir/lists"; die "cannot fetch the list of backports; check the network"; }
}
