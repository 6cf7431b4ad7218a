#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the shares of CPU time of Python functions that three observers measure in one run: the
# program itself, at each tick of a timer (bench/python_shares.py); austin, from outside; and
# sprofil with --python only.
# AUSTIN: austin and its options, if any (default: that of PATH). PYTHON (default: python3).
. "$(dirname "$0")/lib.sh"
read -ra AUSTIN <<<"${AUSTIN:-austin}"
PYTHON=${PYTHON:-python3}
SECONDS_EACH=${SECONDS_EACH:-40}
here=$(cd "$(dirname "$0")" && pwd)
cd "$WORK" || exit 1

"$PYTHON" "$here/python_shares.py" $((SECONDS_EACH + 4)) >own.tsv & program=$!
"${AUSTIN[@]}" -i 5000 -x "$SECONDS_EACH" -o austin.txt -p $program >/dev/null 2>&1 & austin=$!
"$SPROFRUN" -q -F 500 --python only -d "${SECONDS_EACH}s" -o p.pb.gz -p $program
wait $austin $program
"$SPROFREPORT" --format tsv p.pb.gz >sprofil.tsv
# A line of austin: P1;T0:1;FILE:FUNCTION:LINE;… TIME; the last function is the innermost one.
grep '^P[0-9]*;T' austin.txt | awk '{
    time = $NF; sub(/ [0-9]+$/, ""); n = split($0, frame, ";"); all += time; split("", seen)
    for (i = 3; i <= n; i++) {
        k = split(frame[i], part, ":"); name = part[k - 1]; sub(/.*\./, "", name)
        if (!(name in seen)) total[name] += time
        seen[name] = 1
    }
    self[name] += time
} END {
    for (name in total)
        printf "%s\t%.1f\t%.1f\n", name, 100 * self[name] / all, 100 * total[name] / all
}' >austin.tsv
printf '%-16s%10s%10s%10s%10s%10s%10s\n' function 'own self' total 'austin' total sprofil total
for function in sorting key encoding iterencode regex sub fib; do
    printf '%-16s' $function
    for from in own austin; do
        awk -F'\t' -v f=$function '$1 == f { s = $2; t = $3 }
            END { printf "%10.1f%10.1f", s, t }' $from.tsv
    done
    awk -F'\t' -v f=$function 'NR > 1 { all += $2; name = $5; sub(/.*\./, "", name) }
        name == f { s += $2; t += $4 }
        END { printf "%10.1f%10.1f\n", 100 * s / all, 100 * t / all }' sprofil.tsv
done
