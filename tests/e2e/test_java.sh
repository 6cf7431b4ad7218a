#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Java's methods in native stacks, without any option for Java: each sampled stack of a program
# whose stacks are known is one of these, line by line. So are the stacks of a program that runs
# already, of a capture, and of threads that wait.
#
# It needs a JDK (test.sh installs Debian's: 115 MB to be downloaded). A committed capture could not
# replace it: offsets and names are read in the libjvm.so of the capture, a file of 20 MB. Without a
# JDK, unit/test_hotspot.c tests the same code on made-up memory.
. "$(dirname "$0")/../lib.sh"
command -v javac >/dev/null || skip "needs javac (Debian: default-jdk-headless)"
command -v python3 >/dev/null || skip "needs python3"
[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
version=$(java -XshowSettings:properties -version 2>&1 |
    awk '/java.specification.version =/ { print $3 }')
case ${version%%.*} in
1[1-9] | 2[0-2] | 2[5-7]) ;;
*) skip "needs Java 11 to 22, or 25 to 27" ;;
esac
javac -d . "$SOURCE/tests/targets/Truth.java" || skip "javac fails"
java Truth write known || skip "java fails"

folded() { "$SPROFREPORT" export --format folded -o - "$1" | sort; }
replayed() { # WHAT CAPTURE PROFILE
    "$BUILD/tools/sprofil-analyst" --quiet --replay "$2" --output replay.pb.gz
    is "$1, a replay: status" $? 0
    is "$1: a replay has the same stacks" "$(folded replay.pb.gz)" "$(folded "$3")"
}
# Makes reflective calls go through native code in each round, not only in the first ones: an option
# up to JDK 17, and one for later versions.
native="-Dsun.reflect.inflationThreshold=1000000000 -Djdk.reflect.useNativeAccessorOnly=true"
judge() { # WHAT PROFILE PERCENT: at most so many stacks have a frame without a name, if not loaded
    result=$(python3 "$SOURCE/tests/targets/java_truth.py" known "$2")
    is "$1: each stack was there ($(tail -n 1 <<<"$result"))" $? 0
    [ -z "$(grep '^wrong' <<<"$result")" ] || echo "$result"
    check "$1: there are stacks of Java" [ "$(figure java_stacks "$2")" -gt 0 ]
    about "$1: stacks with a frame without a name, percent" "$(sed -n \
        's/^checked \([0-9]*\) outside \([0-9]*\) .* without a name \([0-9]*\) .*/\1 \2 \3/p' \
        <<<"$result" | awk '{ print 100 * $3 / ($1 + $2) }')" 0 "$3"
}

"$SPROFRUN" -q -F 500 --capture capture -o run.pb.gz -- java $native Truth run 2 100
is "status" $? 0
judge "a run" run.pb.gz 5
replayed "a run" capture run.pb.gz
part() { # KEY PROFILE: percent of its samples
    awk -v n="$(figure "$1" "$2")" -v all="$(figure samples "$2")" 'BEGIN { print n * 100 / all }'
}
about "incomplete, percent" "$(part incomplete_stacks run.pb.gz)" 0 2
about "without names, percent" "$(part unresolved_samples run.pb.gz)" 0 2

# A virtual thread that was suspended has most of its frames in the heap. The analyst finds out at
# the first sample where they lie there, so samples until then lack these callers.
if [ "${version%%.*}" -ge 21 ]; then
    "$SPROFRUN" -q -F 500 --capture capture.virtual -o virtual.pb.gz -- \
        java $native Truth run 2 20 virtual
    is "virtual threads: status" $? 0
    judge "virtual threads" virtual.pb.gz 5
    replayed "virtual threads" capture.virtual virtual.pb.gz
    about "callers in the heap that are not shown, percent" "$(part java_in_heap virtual.pb.gz)" 0 \
        15
fi

java Truth run 1000 2 & pid=$!
wait_until "Java computes" 60 sh -c "awk '{ exit !(\$14 > 60) }' /proc/$pid/stat"
"$SPROFRUN" -q -F 500 -d 1s -p $pid -o attached.pb.gz
is "attached: status" $? 0
judge "attached" attached.pb.gz 1
check "Java goes on" kill -0 $pid
"$SPROFRUN" --dump $pid >dump
is "dump: status" $? 0
check "dump: threads of Java have names" grep -q '  \[java\]$' dump
# The main thread's stack is whole: dump does not mark it as incomplete or truncated. (Only in the
# truth suite, as by chance the thread may not be asleep yet.)
[ -z "${TRUTH:-}" ] || is "dump: the main thread waits, and its stack is whole" "$(awk -v RS= '
    /java\.lang\.Thread\.join .*  Truth\.main  Truth\.java:[0-9]+  \[java\]/ &&
        !/incomplete|truncated/ { n++ } END { print n + 0 }' dump)" 1
kill $pid
wait $pid 2>/dev/null

finish
