#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The supervisor does what the analyst requests: another rate, a freeze, the end.
. "$(dirname "$0")/../lib.sh"

cp "$SPROFRUN" . && cp "$TARGETS/fake_analyst" sprofil-analyst
export FAKE_OUTPUT=$WORK/result
value() {
    awk -v k="$1" '$1 == k { print $2 }' result
}
# late: prints how much later than 50 ms after the 100th sample the fake analyst made its request,
# in ms. The analyst sleeps for up to 50 ms; on a loaded machine it also waits for a CPU. One sample
# more comes in each ms. (--max-overhead: otherwise the rate is reduced where stops take long.)
late() {
    awk '$1 == "late_ns" { print ($2 > 5e7 ? int($2 / 1e6) - 50 : 0) }' result
}
run() {
    local options=()
    [ "$1" != -D ] || { options=("$1" "$2") && shift 2; }
    ./sprofrun -q -F 1000 --max-overhead 100 "${options[@]}" "$TARGETS/busy" "$@"
}

# From 1000 Hz to 100 Hz after 100 samples, that is for the last 0.9 s of 1 s: about 90 more come.
FAKE_REQUESTS="1:10000000" run 1 1 3
is "status" $? 3
about "samples with a rate that changes" "$(value samples)" 150 $((260 + $(late)))

# A freeze after 100 samples: no more samples, and no more CPU time is counted. (The analyst is
# woken for samples every 50 ms, so 50 more may have come when it sends the request. 40 are slack.)
FAKE_REQUESTS="2:1" run 1 1 3
is "status" $? 3
check "samples before the freeze" [ "$(value samples)" -ge 100 ]
about "samples before the freeze, and no more" "$(value samples)" 100 $((190 + $(late)))
about "the kernel's figure stops too" "$(value kernel_cpu_ns)" 70000000 \
    $((300000000 + $(late) * 1000000))

FAKE_REQUESTS="" run 1 1.2
about "maps are read when they are needed, not at every tick" "$(value maps)" 1 8

# During a delay no thread is sampled; after it threads are, unless a freeze was requested
# meanwhile.
FAKE_FIRST="2:1 2:0" run -D 100s 1 1
is "the delay stays: CPU time counted" "$(value kernel_cpu_ns)" 0
FAKE_FIRST="2:1" run -D 1s 1 2
is "frozen during the delay: samples" "$(value samples)" 0

# A request to end the profile: the command goes on and its status is passed on.
FAKE_REQUESTS="4:0" run 1 1 3
is "status after a stop" $? 3
check "samples before the stop" [ "$(value samples)" -ge 100 ]
about "samples before the stop, and no more" "$(value samples)" 100 $((190 + $(late)))
# Invalid requests are ignored. (With a freeze there would be about 350 samples. Under load not
# every instant finds its thread.)
FAKE_REQUESTS="77:2 3:0 1:0 2:9" run 1 1.2 3
is "status after nonsense" $? 3
about "samples after nonsense" "$(value samples)" 700 1300
finish
