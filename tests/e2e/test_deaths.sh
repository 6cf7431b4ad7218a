#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The analyst or the supervisor is killed: the command and its result are unharmed.
. "$(dirname "$0")/../lib.sh"

child_of() {
    pgrep -P "$(tracing "$1")" -x "$2" | head -n 1
}
has_samples() {
    [ "$(pgrep -P "$(tracing "$1")" -x sprofil-analyst)" != "" ] &&
        [ "$(cut -d' ' -f1 </proc/"$2"/schedstat)" \
        -gt "$3" ]
}

# analyst_killed: the rest of the run is profiled, and lost samples are counted. The overhead is not
# bounded: on a busy machine a single stop may use up the bound of the whole run.
"$SPROFRUN" -F 1000 --max-overhead 100 --report none -o a.pb.gz "$TARGETS/busy" 1 2.0 5 2>err &
run=$!
runs() { busy=$(child_of $run busy); [ -n "$busy" ]; }
wait_until "the command runs" 20 runs
wait_until "it has been sampled for 0.4 s" 20 has_samples $run "$busy" 400000000
kill -KILL "$(child_of $run sprofil-analyst)"
wait $run; is "status after the analyst's death" $? 5
check "a message names the loss" grep -q "^sprofrun: the analyst .* killed by signal 9.* lost" err
lost=$(figure lost_samples a.pb.gz)
check "lost samples are counted" [ "$lost" -gt 0 ]
about "lost samples" "$lost" 50 1900
check "the rest is profiled" [ "$(figure samples a.pb.gz)" -gt 0 ]
about "samples of the rest" "$(figure samples a.pb.gz)" 100 1900
grep -h '^sprofrun: ' err
within "profiled and unattributed make up the kernel's figure" \
    "$(awk -v p="$(figure profiled_cpu_ns a.pb.gz)" -v u="$(figure unattributed_cpu_ns a.pb.gz)" \
        -v k="$(figure kernel_cpu_ns a.pb.gz)" 'BEGIN { print (p + u) / k }')" 0.995 1.005

# analysts_killed: each new analyst is killed, until none is started any more; the command goes on.
"$SPROFRUN" -F 1000 -o n.pb.gz sh -c 'while [ ! -e enough ]; do :; done; exit 7' 2>err &
run=$!
no_more() {
    kill -KILL $(pgrep -P "$(tracing $run)" -x sprofil-analyst) 2>/dev/null
    grep -q 'the analyst died 6 times; the command goes on without a profile' err
}
wait_until "no analyst is left" 30 no_more
work=$(child_of $run sh)
goes_on() { [ "$(cut -d' ' -f1 <"/proc/$work/schedstat")" -gt $((before + 100000000)) ]; }
before=$(cut -d' ' -f1 <"/proc/$work/schedstat")
wait_until "the command has gone on for a while" 20 goes_on
: >enough
wait $run; is "status without an analyst" $? 7

# supervisor_killed: the command goes on, the profile up to then is written.
"$SPROFRUN" -F 1000 --report none -o s.pb.gz sh -c "$TARGETS/busy 1 1.5 5; echo \$? >result" 2>err &
run=$!
wait_until "the command runs" 20 pgrep -x busy -g 0 >/dev/null
sleep 0.5 # this half second is what is profiled, or less of it on a slow machine
kill -KILL $run
wait $run 2>/dev/null
wait_until "the profile is there" 20 [ -s s.pb.gz ]
wait_until "the command has ended" 30 [ -s result ]
is "result of the command without its supervisor" "$(cat result)" 5
check "the profile can be read" "$SPROFREPORT" flat s.pb.gz -o flat.txt
check "and says how it ended" grep -q "the supervisor ended early" flat.txt
finish
