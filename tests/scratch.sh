# SPDX-License-Identifier: MIT
# Sourced by the scripts that break a copy of the source: makes the folder of the copy, $work.
work=$(mktemp -d) || exit 1
chmod 755 "$work" # some tests become another user

# Ends the processes that a broken test leaves behind: children that spin, supervisors that do not
# end.
end_ours()
{
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$work"/*) pid=${exe#/proc/}; kill -KILL "${pid%/exe}" 2>/dev/null || : ;;
		esac
	done
}
