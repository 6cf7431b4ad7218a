#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The choice of processes to attach to: the descendants of a server's parent, a cgroup, a container.
. "$(dirname "$0")/../lib.sh"
group=
children=()
end() {
    [ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null
    wait 2>/dev/null
    [ -z "$group" ] || rmdir "$group/docker/$ID" "$group/docker/$OTHER" "$group/docker" \
        "$group/sprofil-$$.service" "$group" 2>/dev/null
    rm -rf "$WORK"
}
trap end EXIT
pids_of() {
    "$SPROFREPORT" flat --format tsv --split process "$1" | awk -F'\t' 'NR > 1 { print $1 }' |
        sort -u | tr '\n' ' '
}
processes_of() {
    "$SPROFREPORT" summary --format tsv "$1" | awk -F'\t' '$1 == "processes" { print $2 }'
}

# A parent that waits, two children that work, and a third child with a working child of its own.
bash -c 'for i in 1 2; do (while :; do :; done) & echo $! >>pids; done
    bash -c "(while :; do :; done) & echo \$! >>pids; wait" & wait' &
parent=$!
children+=($parent)
three() { [ "$(wc -l <pids)" = 3 ]; } 2>/dev/null
wait_until "the children run" 20 three
mapfile -t workers <pids
children+=("${workers[@]}")

"$SPROFRUN" --report none -d 0.1s -o p.pb.gz -p $parent 2>err
is "the parent alone" "$? $(processes_of p.pb.gz)" "0 1"
check "which children are not taken is said" grep -q \
    "^sprofrun: $parent (bash) has 4 live descendants that are not taken: --tree takes them, too$" err
is "the profile has their number" "$(figure descendants_left p.pb.gz)" 4
"$SPROFREPORT" flat p.pb.gz >flat
check "the report of the idle parent advises --tree first" grep -q \
    '^4 descendants were not profiled, and may do the work: sprofrun --tree' flat
check "who attaches learns to what, and how it ends" grep -q \
    "^sprofrun: profiling process $parent (bash) for 100.00 ms; ^C ends that earlier, and" err
"$SPROFRUN" -q -d 0.1s -o p.pb.gz -p $parent 2>err
is "but not with -q" "$(cat err)" ""
"$SPROFRUN" -q -d 60s -o other.pb.gz -p $parent & other=$!
is_traced() { ! grep -q "^TracerPid:.0$" /proc/$parent/status; }
wait_until "another one traces it" 20 is_traced
"$SPROFRUN" --report none -d 0.1s -o p.pb.gz -p $parent 2>err
is "nor where it cannot be attached to: the cause alone" \
    "$? $(grep -c . err) $(grep -c 'cannot attach' err)" "125 1 1"
kill -INT $other
wait $other
"$SPROFRUN" --report none -F 1000 --max-overhead 100 -d 0.6s -o p.pb.gz -p $parent --tree 2>err
is "--tree: all five" "$? $(processes_of p.pb.gz)" "0 5"
check "nothing is missing" eval '! grep -q "not taken" err'
is "who has CPU time" "$(pids_of p.pb.gz)" "$(sort pids | tr '\n' ' ')"
traced() {
    local pid
    for pid in "${workers[@]}"; do grep -L '^TracerPid:.0$' "/proc/$pid/status"; done
}
is "none is traced any more" "$(traced)" ""
"$SPROFRUN" -q -d 0.1s -o p.pb.gz --tree -p $$ 2>err
is "our own process is no target" "$? $(cat err)" "0 "
"$SPROFRUN" --tree true 2>err
is "--tree belongs to -p" "$? $(grep -c 'profiled anyway' err)" "2 1"
"$BUILD/tools/sproftop" -b -n 1 --tree -p $parent >screen 2>err
is "sproftop takes it, too" $? 0
check "and shows the parent" grep -q "bash ($parent), " screen

for what in cgroup container; do
    "$SPROFRUN" --$what nothing-like-it -d 0.1s 2>err
    is "--$what of nothing" "$? $(grep -c "^sprofrun: no process .* '\?nothing-like-it'" err)" \
        "125 1"
done

# Cgroups as docker and systemd make them, in any hierarchy in which we may make them. The names
# contain our pid, because another run of the test sees these groups, too.
ID=$(printf '%07d%057d' $$ 0 | tr 0 a) OTHER=${ID%?}b
for root in /sys/fs/cgroup /sys/fs/cgroup/pids /sys/fs/cgroup/freezer; do
    group=$root/sprofil-test-$$
    mkdir -p "$group/docker/$ID" "$group/docker/$OTHER" "$group/sprofil-$$.service" 2>/dev/null &&
        [ -e "$group/docker/$ID/cgroup.procs" ] &&
        echo "${workers[0]}" 2>/dev/null >"$group/docker/$ID/cgroup.procs" && break
    end_group=$group
    rmdir "$group"/docker/* "$group"/* "$group" 2>/dev/null
    group=
done
if [ -z "$group" ]; then
    echo "not tested: cgroups and containers (no cgroup can be made in ${end_group%/*} here)"
    finish
fi
echo "${workers[1]}" >"$group/docker/$OTHER/cgroup.procs"
echo "${workers[2]}" >"$group/sprofil-$$.service/cgroup.procs"
taken() { # WHAT PIDS OPTION...
    local what=$1 pids=$2
    shift 2
    "$SPROFRUN" --report none -F 1000 --max-overhead 100 -d 0.4s -o p.pb.gz "$@" 2>err
    is "$what" "$? $(pids_of p.pb.gz)" "0 $pids "
}
taken "a cgroup by its name" "${workers[2]}" --cgroup "sprofil-$$.service"
taken "by its path" "${workers[2]}" --cgroup "/sprofil-test-$$/sprofil-$$.service"
taken "and all below" "$(printf '%s\n' "${workers[@]:0:2}" | sort | xargs)" \
    --cgroup "/sprofil-test-$$/docker"
taken "a container by its id" "${workers[0]}" --container "$ID"
"$SPROFRUN" --container "${ID:0:12}" -d 0.1s 2>err
is "an id that is too short" "$? $(grep -c 'several containers begin' err)" "125 1"
echo "${workers[2]}" >"$group/docker/$ID/cgroup.procs"
echo "${workers[1]}" >"$group/sprofil-$$.service/cgroup.procs"
taken "enough of an id" "$(printf '%s\n' "${workers[0]}" "${workers[2]}" | sort | xargs)" \
    --container "${ID:0:12}"
# The arguments of podman's monitor contain the container's name. The monitor must be recognized by
# its program, not by its first argument.
cp "$(command -v sleep)" conmon
bash -c "exec -a conmon ./conmon 600" & children+=($!)
is "what is called conmon and is none" "$("$SPROFRUN" --container web$$ -d 0.1s 2>&1 |
    grep -c "no process of a container 'web$$'")" 1
cat >monitor.c <<'C'
#include <unistd.h>
int main(void) { return pause(); }
C
if cc -o conmon monitor.c 2>/dev/null; then
    ./conmon -b /run -c "$ID" -n web$$ & children+=($!)
    named() { [ "$(cat /proc/$!/comm)" = conmon ]; }
    wait_until "the monitor runs" 20 named
    taken "by podman's name" "$(printf '%s\n' "${workers[0]}" "${workers[2]}" | sort | xargs)" \
        --container web$$
fi
# docker's files contain the names of its containers; only root may read them.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    unshare -m sh -c "mount -t tmpfs none /var/lib && mkdir -p /var/lib/docker/containers/$OTHER &&
        echo '{\"ID\":\"$OTHER\",\"Name\":\"/shop\"}' \
            >/var/lib/docker/containers/$OTHER/config.v2.json &&
        echo ${workers[1]} >$group/docker/$OTHER/cgroup.procs &&
        '$SPROFRUN' -q -F 1000 --max-overhead 100 -d 0.4s -o p.pb.gz --container shop" 2>err
    is "by docker's name" "$? $(pids_of p.pb.gz)" "0 ${workers[1]} "
fi
# A process that ends between the search and the attachment is left out.
bash -c 'while :; do sleep 0.001; done' & forker=$!; children+=($forker)
for round in first second third; do
    "$SPROFRUN" -q -d 50ms -o p.pb.gz --tree -p $forker 2>err
    is "children that end meanwhile, $round round" "$? $(cat err)" "0 "
done
finish
