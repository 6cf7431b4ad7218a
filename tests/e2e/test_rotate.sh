#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Long runs: --rotate begins a new file at intervals, --keep deletes the oldest, and SIGUSR2 writes
# a snapshot.
. "$(dirname "$0")/../lib.sh"

# sum KEY FILES...: prints the sum over FILES of the summary's figure KEY
sum() {
    local key=$1 total=0 file
    shift
    for file in "$@"; do
        total=$((total + $(figure "$key" "$file")))
    done
    echo $total
}

# Rotation by size runs in the background of the other tests, because two files of that size take
# seconds.
cat >sized.sh <<'END'
while [ $SECONDS -lt 180 ]; do
    i=$((i + 1))
    [ $((i % 5000)) = 0 ] || continue
    set -- z.20*.pb.gz
    [ $# -lt 2 ] || break
done
END
"$SPROFRUN" -q -F 5000 --max-overhead 50 --rotate 64K -o z.pb.gz bash sized.sh & sized=$!

# At the change of files nothing is counted twice, and little is left out: only what runs during the
# change.
"$SPROFRUN" -F 500 --rotate 1s -o r.pb.gz "$TARGETS/busy" 1 2.5 4 2>err
is "the command's status" $? 4
set -- r.*.pb.gz
check "several files" [ $# -ge 3 ]
check "named by their time" [ -z "$(printf '%s\n' "$@" |
    grep -vE '^r\.20[0-9]{6}-[0-9]{6}\.pb\.gz$')" ]
is "each is said" "$(grep -c '^sprofrun: the profile is in r\.20.*pb\.gz' err)" $#
check "no report of each" [ "$(wc -l <err)" = $# ]
for file in "$@"; do
    within "$file: CPU time of its rows, and the kernel's" \
        "$(($(figure profiled_cpu_ns "$file") + $(figure unattributed_cpu_ns "$file") -
            $(figure kernel_cpu_ns "$file")))" -1000 1000
    is "$file: whole" "$(figure processes "$file") $(figure analyst_restarts "$file")" '1 0'
done
about "all CPU time of the command" "$(sum kernel_cpu_ns "$@")" 2200000000 2650000000
"$SPROFREPORT" summary --format tsv "$@" >all
is "its process is one, in all files together" \
    "$(awk '/^(processes|threads)\t/ { print $2 }' all | xargs)" '1 1'
"$SPROFREPORT" --format tsv "$@" >all
check "the function is named in what is added up" grep -qP '\tspin\t' all

# The newest files of the series stay; files whose names only look similar are not touched.
mkdir kept
touch -d yesterday kept/k.20200101-000000.pb.gz kept/k.new.pb.gz kept/k.20200101-0000000.pb.gz
"$SPROFRUN" --rotate 1s --keep 2 -o kept/k.pb.gz "$TARGETS/busy" 1 2.2 0 2>err
is "of what stays, it is said once" "$(sed -E 's/k\.20[-0-9]+/k.TIME/' err)" \
    "sprofrun: the profile is in kept/k.TIME.pb.gz; sprofreport reads it
sprofrun: with it the newest files of the series stay, 2 at most (--keep)"
is "two stay" "$(ls kept | grep -cE '^k\.202[1-9][0-9]{4}-[0-9]{6}\.pb\.gz$')" 2
is "and what is none of them" "$(ls kept | grep -vE '^k\.202[1-9]' | tr '\n' ' ')" \
    'k.20200101-0000000.pb.gz k.new.pb.gz '

# A file that already has the name of a new one, because both are of the same second, is not
# overwritten.
mkdir second
now=$(date +%s)
for s in $(seq -1 30); do
    echo taken >"second/n.$(date -d @$((now + s)) +%Y%m%d-%H%M%S).pb.gz"
done
"$SPROFRUN" --rotate 1s -o second/n.pb.gz "$TARGETS/busy" 1 1.2 0 2>err
is "no file is replaced" "$(grep -lx taken second/* | wc -l) $(ls second/*.old 2>/dev/null)" '32 '
said=$(sed -nE 's/^sprofrun: the profile is in (second.*_2\.pb\.gz);.*/\1/p' err | sort)
is "the names that are said" "$said" "$(ls second/*_2.pb.gz)"
for file in $said; do
    check "$file: a profile" [ -n "$(figure samples "$file")" ]
done

# A snapshot is the profile so far; the command does not get the signal.
"$SPROFRUN" -q --rotate 1h --keep 1 -o s.pb.gz "$TARGETS/busy" 1 2 7 & pid=$!
the_command() { pgrep -P "$(tracing $pid)" -x busy; }
wait_until "the command runs" 20 the_command >/dev/null
used_a_second() { awk '{ exit !($14 > 110) }' "/proc/$(the_command)/stat"; }
wait_until "it has used more than a second of CPU time" 90 used_a_second
kill -USR2 $pid
wait_until "the snapshot is written" 20 sh -c 'ls s.20*.pb.gz >/dev/null 2>&1'
snapshot=snapshot.pb.gz
cp -p s.20*.pb.gz $snapshot
wait $pid; is "the command's status" $? 7
# With --keep 1, the file written at the end stays, though the snapshot's name has a later time.
last=$(echo s.20*.pb.gz)
begun=$(date -d "$(sed -E 's/s\.(.*)-(..)(..)(..)\..*/\1 \2:\3:\4/' <<<"$last")" +%s)
is "the files' dates" "$(stat -c %Y "$last" $snapshot | xargs)" "$begun $((begun - 1))"
mv "$last" s.pb.gz
check "the profile of the end" test -s s.pb.gz
check "the snapshot has samples" [ "$(figure samples "$snapshot")" -gt 10 ]
check "and less than the end has" \
    [ "$(figure kernel_cpu_ns "$snapshot")" -lt "$(figure kernel_cpu_ns s.pb.gz)" ]
within "all CPU time up to the moment of asking" "$(($(figure profiled_cpu_ns "$snapshot") +
    $(figure unattributed_cpu_ns "$snapshot") - $(figure kernel_cpu_ns "$snapshot")))" -1000 1000
check "it did not end early" [ -z "$("$SPROFREPORT" "$snapshot" | grep 'ended early')" ]

"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" -q --rotate 1h -p $target -o a.pb.gz & pid=$!
wait_until "it is attached" 20 grep -q "^TracerPid:.[1-9]" /proc/$target/status
kill -USR2 $pid
wait_until "a snapshot of what is attached to" 20 sh -c 'ls a.20*.pb.gz >/dev/null 2>&1'
check "the profiling goes on" grep -q "^TracerPid:.[1-9]" /proc/$target/status
kill -INT $pid; wait $pid; is "until it is ended" $? 0
check "with its own profile" test -s "$(ls a.20*.pb.gz | tail -1)"
kill $target

# No analyst can be started for the next file, as there is no free descriptor. The run goes on
# without one, and writes further files once an analyst can be started.
"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" --rotate 1s -p $target -o l.pb.gz 2>limited & run=$!
wait_until "it is attached" 20 is_profiled $target
files_at_most() { prlimit --pid "$(tracing $run)" --nofile="$1:"; }
check "few descriptors" files_at_most 8
wait_until "an analyst cannot be started" 60 grep -q 'cannot start the analyst' limited
check "many descriptors" files_at_most "$(ulimit -Hn)"
files_before=$(ls l.20*.pb.gz 2>/dev/null | wc -l)
has_more() { [ "$(ls l.20*.pb.gz 2>/dev/null | wc -l)" -ge $((files_before + 3)) ]; }
wait_until "further files are written" 60 has_more
kill -INT $run; wait $run; is "its status" $? 0
is "it is said once" "$(grep -c 'cannot start the analyst.*until a later try' limited)" 1
is "and that it is for good, never" "$(grep -c 'no profile$' limited)" 0
for file in l.20*.pb.gz; do
    within "$file: CPU time of its rows, and the kernel's" \
        "$(($(figure profiled_cpu_ns "$file") + $(figure unattributed_cpu_ns "$file") -
            $(figure kernel_cpu_ns "$file")))" -1000 1000
done
kill $target

refused() { # WHAT MESSAGE ARGUMENT...
    local what=$1 message=$2
    shift 2
    "$SPROFRUN" "$@" true 2>err
    is "$what: status" $? 2
    check "$what: said" grep -q "$message" err
}
# The writer of an earlier file hangs: after a second signal to end, sprofrun does not wait for it.
"$TARGETS/busy" 1 60 0 & target=$!
"$SPROFRUN" -q --rotate 1s -o h.pb.gz -p $target & run=$!
writers() { pgrep -P "$(tracing $run)" -x sprofil-analyst; }
at_least() { [ "$(writers | wc -l)" -ge "$1" ]; }
wait_until "it has a writer" 20 at_least 1
writer=$(writers | head -1)
kill -STOP "$writer"
wait_until "the next file is begun" 20 at_least 2
ended() { ! kill -0 $run 2>/dev/null; }
for _ in $(seq 40); do ended && break; kill -INT $run 2>/dev/null; sleep 0.5; done
check "it ends all the same" ended
wait $run; is "its status" $? 0
kill -KILL "$writer" 2>/dev/null
kill $target
check "the last file is there" "$SPROFREPORT" summary "$(ls h.*.pb.gz | tail -1)" -o report

# By size: all files except the last have about the requested size.
wait $sized; is "the program that writes them: status" $? 0
sizes=$(stat -c %s z.*.pb.gz | sed '$d')
check "two files of a size, and the last one" [ "$(ls z.*.pb.gz | wc -l)" -ge 3 ]
for size in $sizes; do
    within "about 64K" "$size" 20000 110000
done
check "the last one has no more" [ "$(stat -c %s z.*.pb.gz | sort -n | tail -1)" -lt 110000 ]

refused "a time below names" "bad time '10ms': give a second or more" --rotate 10ms
refused "a size below a profile" "bad size '10K': give 64K or more" --rotate 10K
refused "no size" "bad time '10MM'" --rotate 10MM
refused "no number" "bad number '0'" --rotate 1m --keep 0
refused "keep alone" "belongs to --rotate" --keep 3
refused "standard output" "give a file name" --rotate 1m -o -
refused "several processes' files" "do not go together" --rotate 1m --per-process
finish
