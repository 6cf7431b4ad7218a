# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Shared by the measurements that compare with perf, which looks at the same process at the same
# time. perf takes the user-space address of each sample, also while the thread is in the kernel.

# perf's rate, in Hz. It is no multiple or fraction of a rate that is compared: otherwise the
# instants of both would coincide, and the results would agree too well.
# shellcheck disable=SC2034 # by others
ORACLE_HZ=4787

oracle_permitted() {
    command -v perf >/dev/null &&
        perf record -q -e cpu-clock -F 99 --user-regs=ip -o "$WORK/permitted" true >/dev/null 2>&1
}

# oracle_start NAME HZ PID...: starts perf on the PIDs, their threads and children, until they end.
# Writes NAME.data, and perf's process id to oracle_pid.
oracle_start() {
    local name=$WORK/$1 answer
    rm -f "$name".{ctl,ack,data}
    mkfifo "$name.ctl" "$name.ack"
    exec {oracle_ctl}<>"$name.ctl" {oracle_ack}<>"$name.ack"
    perf record -q -e cpu-clock -F "$2" ${ORACLE_OPTIONS:---user-regs=ip} -D -1 -m 512 \
        --control="fifo:$name.ctl,$name.ack" -p "$(IFS=,; echo "${*:3}")" -o "$name.data" \
        >"$name.log" 2>&1 &
    oracle_pid=$!
    echo enable >&$oracle_ctl
    read -r -t 20 answer <&$oracle_ack || answer=none
    exec {oracle_ctl}>&- {oracle_ack}>&-
    [[ $answer == ack* ]] || {
        echo "perf does not start: $(cat "$name.log")" >&2
        kill $oracle_pid
        return 1
    }
}

# oracle_functions PROGRAM PID: prints "name first last" of the program's functions f0 to f7, in
# hexadecimal. The process must be alive.
oracle_functions() {
    local base=0 address size name
    readelf -h "$1" | grep -q 'DYN' &&
        base=0x$(grep -m1 -F "$(realpath "$1")" "/proc/$2/maps" | cut -d- -f1)
    nm -S "$1" | awk '$4 ~ /^f[0-9]$/ { print $1, $2, $4 }' | while read -r address size name; do
        printf '%s 0x%x 0x%x\n' "$name" $((base + 0x$address)) $((base + 0x$address + 0x$size - 1))
    done
}

# oracle_count NAME FUNCTIONS: prints "f0 SAMPLES" …, "other SAMPLES" of oracle_start's NAME.data.
# FUNCTIONS: a file with the output of oracle_functions. Addresses have the same number of digits,
# so they compare as strings.
oracle_count() {
    perf script -i "$WORK/$1.data" -F uregs 2>"$WORK/$1.script" | awk '
        NR == FNR { first[$1] = $2 ""; last[$1] = $3 ""; n[$1] = 0; next }
        /IP:/ {
            ip = $0; sub(/.*IP:/, "", ip); sub(/ .*/, "", ip)
            for (f in first)
                if (ip >= first[f] && ip <= last[f] && length(ip) == length(first[f])) {
                    n[f]++; next }
            n["other"]++; next }
        NF { n["other"]++ }
        END { for (f in n) print f, n[f] }' "$2" -
}

oracle_stop() { # ends perf while the processes live
    kill -INT "$oracle_pid" 2>/dev/null
    wait "$oracle_pid" 2>/dev/null
}

# oracle_count_calls NAME: prints "CATEGORY<TAB>SAMPLES": "[syscall] futex" where the kernel works
# for a call, else f0 to f9, else "user". Needs ORACLE_OPTIONS=-g. In the kernel's code of entry and
# exit, the stack does not tell which call it is: such a sample counts for the call made most often
# from the same user-space address.
oracle_count_calls() {
    perf script -i "$WORK/$1.data" -F ip,sym 2>"$WORK/$1.script" | awk '
        function finish(  key) {
            if (!depth) return
            if (call != "") { n[call]++; if (place != "") seen[place "\t" call]++ }
            else if (entered) unknown[place]++
            else if (place ~ /^[0-9a-f]+ f[0-9]$/) { sub(/.* /, "", place); n[place]++ }
            else n["user"]++
            depth = entered = 0; call = place = ""
        }
        NF == 0 { finish(); next }
        {
            depth++
            if ($1 ~ /^ffffffff/) {
                if ($2 ~ /^(entry_SYSCALL|do_syscall_64|x64_sys_call|syscall_|el0_svc)/)
                    entered = 1
                if (call == "" && $2 ~ /^(__(x64|arm64|se|do)_sys|ksys)_/) {
                    call = $2; sub(/^(__[a-z0-9]+_sys|ksys)_/, "", call)
                    sub(/^newfstat$/, "fstat", call); sub(/^newuname$/, "uname", call)
                    call = "[syscall] " call
                }
            } else if (place == "") place = $1 " " $2
        }
        END {
            finish()
            for (key in seen) {
                split(key, k, "\t")
                if (seen[key] > most[k[1]]) { most[k[1]] = seen[key]; name[k[1]] = k[2] }
            }
            for (p in unknown) n[p in name ? name[p] : "[syscall] ?"] += unknown[p]
            OFS = "\t"
            for (c in n) print c, n[c]
        }'
}
