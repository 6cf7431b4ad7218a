# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts here. The build tells them where things are:
#   BUILD   folder of the build
#   SOURCE  folder of the sources
set -u
SPROFRUN=$BUILD/tools/sprofrun
SPROFREPORT=$BUILD/tools/sprofreport
TARGETS=$BUILD/tests/targets
umask 022 # other users read what is made here
WORK=$(mktemp -d) || exit 1
export TMPDIR=$WORK # a profile that finds no place is kept there, and goes with it
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
failures=0

# tracing PID: the process that traces for the sprofrun or sproftop PID: its child, if the tracing
# process has a session of its own (test_session.sh), otherwise PID. The command and the analyst are
# children of the tracing process.
tracing() { pgrep -P "$1" -x sprofil-tracer || echo "$1"; }

# check WHAT COMMAND...: the command must succeed.
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

# is WHAT GOT WANTED: the strings must be equal
is() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "NOT OK: $1: got '$2', wanted '$3'"
        failures=$((failures + 1))
    fi
}

# within WHAT VALUE LOW HIGH: the number must lie from LOW to HIGH
within() {
    if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }'; then
        echo "ok: $1: $2 is in [$3, $4]"
    else
        echo "NOT OK: $1: $2 is not in [$3, $4]"
        failures=$((failures + 1))
    fi
}

# about WHAT VALUE LOW HIGH: as within, for a value that depends on chance or the machine's load.
# Such a value is judged only in the truth suite, which sets TRUTH.
about() { [ -z "${TRUTH:-}" ] || within "$@"; }

# incomplete_but_start PROFILE [VALUE]: prints the incomplete stacks, but for those in the start-up
# code of crti.o and crtbegin.o, which has no unwind information (docs/STACKS.md)
incomplete_but_start() {
    "$SPROFREPORT" export --format folded --value "${2:-samples}" -o every.folded "$1" ||
        echo "no export"
    grep -F '[incomplete]' every.folded | grep -vE \
        '^\[incomplete\];(_init|register_tm_clones|frame_dummy|__do_global_dtors_aux)[; ]'
}

# noise BYTES: prints BYTES bytes that look random, and are the same in each run
noise() {
    LC_ALL=C awk -v n="$1" 'BEGIN {
        for (x = 1; n > 0; n--) { x = (x * 16807) % 2147483647; printf "%c", int(x / 64) % 256 }
    }'
}

# wait_until WHAT SECONDS COMMAND...: repeats the command until it succeeds; fails after SECONDS.
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

# is_profiled PID: does a sprofrun -p trace the process? Without -q, sprofrun first attaches for a
# moment to see whether it may; a signal to it in that moment ends it.
is_profiled() {
    local tracer
    tracer=$(awk '/^TracerPid:/ { print $2 }' "/proc/$1/status")
    grep -qx sprofil-tracer "/proc/$tracer/comm" 2>/dev/null
}

skip() {
    echo "skipped: $*"
    exit 77
}

# code PROGRAM FUNCTION: prints the address and the mnemonic of each instruction, without padding
code() {
    objdump -d --no-show-raw-insn "$1" | awk -v head="<$2>:" '
        $2 == head { on = 1; next } !NF { on = 0 } on && !/nop/ { sub(/:/, "", $1); print $1, $2 }'
}

# replayed PROFILE PROGRAM [cut] <LINES: makes a profile of a program that does not run, from a
# capture that make_capture writes. A line is an address and a number of samples. With "cut" the
# samples have stacks whose callers cannot be found.
replayed() {
    "$BUILD/tests/reports/make_capture" "$1.cap" "$(realpath "$2")" "${@:3}" &&
        "$BUILD/tools/sprofil-analyst" --replay "$1.cap" --output "$1" --report none --quiet
}

# impossible_stacks FILE: prints the folded stacks of "stacks log" that the program cannot have.
# In that program, main calls the C library and f3, but never f1, f2 or burn directly.
impossible_stacks() {
    awk '{
        sub(/ [0-9]+$/, "")
        line = $0
        if (!sub(/^.*;main;/, "")) next
        count = split($0, f, ";")
        depth = 15; bad = 0
        if (f[1] != "f3") {
            for (i = 1; i <= count; i++) if (f[i] ~ /^(f[123]|burn)$/) bad = 1
        } else for (i = 1; i <= count; i++) {
            if (f[i] == "burn") { bad = i != count; break }
            if (i % 2) want = "f3"
            else { want = depth % 2 ? "f2" : "f1"; depth-- }
            if (f[i] != want) bad = 1
        }
        if (bad) print line
    }' "$1"
}

# two_cpus: sets $ours and $theirs to the first two CPUs that this shell may use.
# shellcheck disable=SC2034 # by others
two_cpus() {
    local cpus
    cpus=($(taskset -pc $$ | sed 's/.*: //; s/,/ /g' | awk '{
        for (i = 1; i <= NF; i++) { n = split($i, r, "-"); for (c = r[1]; c <= r[n]; c++) print c }
        }'))
    [ ${#cpus[@]} -ge 2 ] || skip "there is one CPU only"
    ours=${cpus[0]} theirs=${cpus[1]}
}

# figure KEY PROFILE: prints one figure of the summary
figure() {
    "$SPROFREPORT" summary --format tsv "$2" | awk -F'\t' -v k="$1" '$1 == k { print $2 }'
}

finish() {
    [ $failures -eq 0 ] || echo "$failures checks failed"
    exit $((failures > 0))
}
