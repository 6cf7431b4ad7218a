# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts here. The build tells them where things are:
#   BUILD   folder of the build
#   SOURCE  folder of the sources
set -u
SPROFRUN=$BUILD/tools/sprofrun
SPROFREPORT=$BUILD/tools/sprofreport
TARGETS=$BUILD/tests/targets
WORK=$(mktemp -d)
export TMPDIR=$WORK # a profile that finds no place is kept there, and goes with it
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
failures=0

# tracing PID: the process that traces for sprofrun or sproftop: PID, or where that has a session of
# its own (see test_session.sh) its child. The command and the analyst are its children.
tracing() { pgrep -P "$1" -x sprofil-tracer || echo "$1"; }

# check WHAT CONDITION...: the condition is a command.
check() {
    local what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "NOT OK: $what ($*)"
        failures=$((failures + 1))
    fi
}

# is WHAT GOT WANTED
is() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "NOT OK: $1: got '$2', wanted '$3'"
        failures=$((failures + 1))
    fi
}

# within WHAT VALUE LOW HIGH, as numbers
within() {
    if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }'; then
        echo "ok: $1: $2 is in [$3, $4]"
    else
        echo "NOT OK: $1: $2 is not in [$3, $4]"
        failures=$((failures + 1))
    fi
}

# about WHAT VALUE LOW HIGH: the same of a value that chance and the machine's load have a part in.
# It is judged in the truth suite, which sets TRUTH, and nowhere else.
about() { [ -z "${TRUTH:-}" ] || within "$@"; }

# noise BYTES: which look random, and are the same in each run
noise() {
    LC_ALL=C awk -v n="$1" 'BEGIN {
        for (x = 1; n > 0; n--) { x = (x * 16807) % 2147483647; printf "%c", int(x / 64) % 256 }
    }'
}

# wait_until WHAT SECONDS COMMAND...: until the command succeeds, or the deadline.
wait_until() {
    local what=$1 deadline=$((SECONDS + $2))
    shift 2
    until "$@"; do
        if [ $SECONDS -ge $deadline ]; then
            echo "NOT OK: waited in vain until $what" >&2 # the output may be the command's
            failures=$((failures + 1))
            return 1
        fi
        sleep 0.02
    done
}

skip() {
    echo "skipped: $*"
    exit 77
}

# code PROGRAM FUNCTION: addresses of its instructions, and what they are; not what pads it
code() {
    objdump -d --no-show-raw-insn "$1" | awk -v head="<$2>:" '
        $2 == head { on = 1; next } !NF { on = 0 } on && !/nop/ { sub(/:/, "", $1); print $1, $2 }'
}

# replayed PROFILE PROGRAM [cut] <LINES: of a capture that make_capture makes of a program that does
# not run. A line is an address and a number of samples.
replayed() {
    "$BUILD/tests/reports/make_capture" "$1.cap" "$(realpath "$2")" "${@:3}" &&
        "$BUILD/tools/sprofil-analyst" --replay "$1.cap" --output "$1" --report none --quiet
}

# The first two CPUs that this shell may use are in $ours and $theirs.
# shellcheck disable=SC2034 # by others
two_cpus() {
    local cpus
    cpus=($(taskset -pc $$ | sed 's/.*: //; s/,/ /g' | awk '{
        for (i = 1; i <= NF; i++) { n = split($i, r, "-"); for (c = r[1]; c <= r[n]; c++) print c }
        }'))
    [ ${#cpus[@]} -ge 2 ] || skip "there is one CPU only"
    ours=${cpus[0]} theirs=${cpus[1]}
}

# figure KEY PROFILE: one value of the summary
figure() {
    "$SPROFREPORT" summary --format tsv "$2" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}

finish() {
    [ $failures -eq 0 ] || echo "$failures checks failed"
    exit $((failures > 0))
}
