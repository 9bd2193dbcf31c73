#compdef htmmctl
# SPDX-License-Identifier: GPL-2.0
#
# Completion of htmmctl's command lines for zsh. htmmctl itself says which commands and
# options there are; nothing of it is repeated here.

# What the argument of an option may be that help calls $1, or one of the words $2.
_htmmctl_argument() {
	local -a found

	case $1 in
	NAME=VALUE)
		found=(${(f)"$(htmmctl help tuning 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1=/p')"})
		compadd -S '' - $found ;;
	PID*) _sequence _pids ;;
	EVENT*)
		found=(${(f)"$(htmmctl list --json 2>/dev/null | tr , '\n' |
			sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')"})
		_sequence compadd - $found ;;
	*)
		found=(${=${2//,/ }:#or})
		if (( $#found )); then
			compadd - $found
		else
			_files
		fi ;;
	esac
}

_htmmctl() {
	local line command=$words[2] kind='' choice=''
	local -a found fields
	integer at first=3

	if (( CURRENT == 2 )) || [[ $command == help && CURRENT -eq 3 ]]; then
		for line in ${(f)"$(htmmctl --list-commands 2>/dev/null)"}; do
			found+=("${line%%$'\t'*}:${line#*$'\t'}")
		done
		_describe command found
		return
	fi
	found=(${(s:|:)"$(htmmctl $command --help 2>/dev/null |
		sed -n '1s/^usage: htmmctl [^ ]* \([a-z|]*|[a-z|]*\) .*/\1/p')"})
	if (( $#found )); then
		if (( CURRENT == 3 )); then
			compadd - $found
			return
		fi
		first=4
	fi
	found=(${(f)"$(htmmctl $command --list-options 2>/dev/null)"})
	for (( at = first; at < CURRENT; at++ )); do
		if [[ -n $kind ]]; then
			kind=
			continue
		fi
		if [[ $words[at] == -- || $words[at] != -* ]]; then
			# A command of the user's own.
			[[ $words[at] != -- ]] || (( at++ ))
			shift $(( at - 1 )) words
			(( CURRENT -= at - 1 ))
			_normal
			return
		fi
		for line in $found; do
			fields=("${(@s:\t:)${line//$'\t'/\\t}}")
			[[ $words[at] == -$fields[1] || $words[at] == --$fields[2] ]] || continue
			[[ $fields[3] != - ]] && kind=$fields[3] choice=$fields[5]
		done
	done
	if [[ -n $kind ]]; then
		_htmmctl_argument "$kind" "$choice"
		return
	fi
	fields=()
	for line in $found; do
		line=${line#*$'\t'}
		fields+=("--${line%%$'\t'*}:${${line#*$'\t'*$'\t'}%%$'\t'*}")
	done
	_describe -o option fields
}

_htmmctl "$@"
