#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --user-only: ticks in system calls are left out, and their time is reported.
. "$(dirname "$0")/../lib.sh"
case $(uname -m) in
    x86_64 | aarch64) ;;
    *) skip "which call a thread is in is known at a stop on x86-64 and aarch64 alone" ;;
esac

# rows PROFILE PATTERN: prints the samples of matching functions, and of all. (Versions of awk
# differ in how they treat a backslash in a value of -v.)
rows() { "$SPROFREPORT" --format tsv "$1" | p=$2 awk -F'\t' \
    'NR > 1 && $5 ~ ENVIRON["p"] { n += $1 } NR > 1 { all += $1 } END { print n + 0, all + 0 }'; }
sums() { # WHAT PROFILE
    is "$1: profiled and unattributed are the kernel's" \
        $(($(figure profiled_cpu_ns "$2") + $(figure unattributed_cpu_ns "$2"))) \
        "$(figure kernel_cpu_ns "$2")"
}

# Two commands: one that is in the kernel nearly all the time, and one that computes.
cat >both <<SH
dd if=/dev/zero of=/dev/null bs=4M count=2000 status=none
exec "$TARGETS/busy" 1 0.5 5
SH
"$SPROFRUN" -F 500 -o with.pb.gz -- sh both 2>err
is "with them: status" $? 5
read -r calls all <<<"$(rows with.pb.gz '^\[syscall\]')"
check "with them: some are in calls" [ "$calls" -gt 0 ]
about "with them: samples in calls" "$calls" 20 1000000
is "with them: no such figure" "$(figure syscall_cpu_ns with.pb.gz)" ""
"$SPROFRUN" -F 500 --user-only -o without.pb.gz -- sh both 2>err
is "without them: status" $? 5
is "samples in calls" "$(rows without.pb.gz '^\[syscall\]' | cut -d' ' -f1)" 0
sums "without them" without.pb.gz
left=$(figure syscall_cpu_ns without.pb.gz)
check "their time is told of" [ "$left" -gt 0 ]
about "their time" "$left" 40000000 10000000000
check "it is a part of what has no row" [ "$left" \
    -le "$(figure unattributed_cpu_ns without.pb.gz)" ]
check "samples are those of the rows" [ "$(figure samples without.pb.gz)" = \
    "$(rows without.pb.gz . | cut -d' ' -f2)" ]
about "the time of what computes" \
    "$("$SPROFREPORT" --format tsv --focus '^spin$' without.pb.gz |
        awk -F'\t' 'NR > 1 { n += $2 } END { print n }')" 430000000 560000000
check "the report tells" grep -q '^audit: .* in system calls left out' err

# With --per-process, and without stacks, profiled and unattributed time add up to the kernel's in
# each process's file. The merged file has about as much time in system calls as above.
"$SPROFRUN" -q -G -F 500 --user-only --per-process -o each.pb.gz -- sh both
for file in each.*.pb.gz; do
    sums "${file%.pb.gz}" $file
done
"$SPROFREPORT" merge -o each.pb.gz each.*.pb.gz
about "the same time left out" "$(figure syscall_cpu_ns each.pb.gz)" $((left / 3)) $((left * 3))

refused() { # TEXT OPTIONS...
    local text=$1
    shift
    "$SPROFRUN" "$@" 2>err
    is "$*: status" $? 2
    check "$*: said" grep -qF -- "$text" err
}
refused '--user-only and --clock wall do not go together' --user-only -w wall true
refused '--user-only and --clock both do not go together' --user-only -w both true
refused '--user-only and --dump do not go together' --user-only --dump $$
finish
