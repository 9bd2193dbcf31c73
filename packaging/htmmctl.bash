# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of htmmctl's command lines for bash. htmmctl itself says which commands
# and options there are; nothing of it is repeated here.

# _htmmctl_argument PROGRAM WORD: what the argument may be that help calls $kind. The
# last of a list is completed; those before it stay.
_htmmctl_argument() {
	local words

	case $kind in
	NAME=VALUE) words=$("$1" help tuning 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1=/p') ;;
	PID*) words=$(cd /proc && echo [0-9]*) ;;
	# A colon would part the word at the cursor, so events with one are left out.
	EVENT*) words=$("$1" list --json 2>/dev/null | tr , '\n' |
			sed -n 's/.*"name": *"\([^":]*\)".*/\1/p') ;;
	*) words=$(awk -F '\t' -v kind="$kind" '$3 == kind { print $5 }' <<<"$options" |
			sed 's/,/ /g; s/ or / /') ;;
	esac
	compgen -P "${2%"${2##*,}"}" -W "$words" -- "${2##*,}"
}

# _htmmctl_verbs PROGRAM COMMAND: the words that a command begins with, if its usage has
# some as in "a|b".
_htmmctl_verbs() {
	"$1" "$2" --help 2>/dev/null | sed -n '1s/^usage: htmmctl [^ ]* \([a-z|]*|[a-z|]*\) .*/\1/p' |
		tr '|' '\n'
}

# _htmmctl_walk: look at the words between the command and the cursor. Sets $kind if
# the last of them is an option that needs an argument, and $own to the place where
# a command of the user's own begins.
_htmmctl_walk() {
	local at word

	for ((at = first; at < COMP_CWORD; at++)); do
		word=${COMP_WORDS[at]}
		if [ "$word" = = ]; then
			continue
		elif [ -n "$kind" ]; then
			kind=
		elif [ "$word" = -- ]; then
			own=$((at + 1))
			return
		elif [[ $word == -* ]]; then
			kind=$(awk -F '\t' -v word="$word" '
				(word == "-" $1 || word == "--" $2) && $3 != "-" { print $3 }
				' <<<"$options")
		else
			own=$at
			return
		fi
	done
}

# Bash calls this with the program and the word at the cursor.
_htmmctl() {
	local word=${2#=} options kind='' own='' verbs first=2

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		options=$("$1" --list-commands 2>/dev/null | cut -f 1)
		mapfile -t COMPREPLY < <(compgen -W "$options --help --version" -- "$word")
		return
	fi
	if [ "${COMP_WORDS[1]}" = help ]; then
		[ "$COMP_CWORD" != 2 ] || mapfile -t COMPREPLY < <(
			compgen -W "$("$1" --list-commands 2>/dev/null | cut -f 1)" -- "$word")
		return
	fi
	options=$("$1" "${COMP_WORDS[1]}" --list-options 2>/dev/null)
	verbs=$(_htmmctl_verbs "$1" "${COMP_WORDS[1]}")
	if [ -n "$verbs" ] && [ "$COMP_CWORD" = 2 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
		return
	fi
	[ -z "$verbs" ] || first=3
	_htmmctl_walk
	if [ -n "$own" ] && declare -F _command_offset >/dev/null; then
		_command_offset "$own"
	elif [ -n "$own" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	elif [ -n "$kind" ]; then
		mapfile -t COMPREPLY < <(_htmmctl_argument "$1" "$word")
	else
		options=$(cut -f 2 <<<"$options" | sed 's/^/--/')
		mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word")
	fi
}

# Where this finds nothing, the shell offers files.
complete -o bashdefault -o default -F _htmmctl htmmctl
