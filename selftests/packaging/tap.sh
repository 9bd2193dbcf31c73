# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests of this directory share: one line of TAP for each result.

NR=0
FAILED=0

# result NAME [WHY]: a reason means that the test failed.
result() {
	NR=$((NR + 1))
	if [ -z "${2-}" ]; then
		echo "ok $NR - $1"
		return
	fi
	FAILED=$((FAILED + 1))
	echo "not ok $NR - $1"
	printf '%s\n' "$2" | head -n 40 | sed 's/^/# /'
}

# same NAME EXPECTED FOUND: two texts are the same; the difference is the reason.
same() {
	result "$1" "$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"
}

# succeeds NAME COMMAND...: what it says is the reason if it fails.
succeeds() {
	local name=$1 said status

	shift
	said=$("$@" 2>&1) && status=0 || status=$?
	[ "$status" = 0 ] || said="exit status $status of $*"$'\n'"$said"
	result "$name" "$([ "$status" = 0 ] || printf '%s' "$said")"
	return "$status"
}

# dead_links DIR: relative links of the pages there, and what they name that is not.
dead_links() {
	local page link

	grep -oE '\]\([^)]+\)' "$1"/*.md | sed -E 's/^([^:]*):\]\((.*)\)$/\1 \2/' |
		while read -r page link; do
			case $link in *://*|'#'*) continue ;; esac
			[ -e "$1/${link%%#*}" ] || echo "${page##*/}: $link"
		done
}

# finish PLAN: the exit status; tests that did not run are a failure, too.
finish() {
	echo "# passed $((NR - FAILED)) failed $FAILED"
	[ "$NR" = "$1" ] || echo "# $NR tests ran, but $1 were planned"
	[ "$NR" = "$1" ] && [ "$FAILED" = 0 ]
}
