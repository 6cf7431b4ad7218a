#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles real programs by sprofrun and perf in the same run. Prints the hottest functions side by
# side, with sprofrun's confidence interval, and whether they agree within the statistics of both.
# Needs perf (package linux-perf) and permission to use it.
#   vs_perf.sh [COMMAND [ARG...]]    default: xz, python3, sqlite3, gcc, sort
. "$(dirname "$0")/lib.sh"
command -v perf >/dev/null || { echo "perf is not installed (package linux-perf)" >&2; exit 1; }
cd "$WORK" || exit 1

# Removes from names the parts in which only aliases of a function differ, and C++ parameters.
plain='function plain(f) { sub(/^__GI_/, "", f); sub(/^_+/, "", f); sub(/^libc_/, "", f)
    sub(/64$/, "", f); sub(/[(].*/, "", f); sub(/^memcpy_/, "memmove_", f); return f }'

# compare NAME COMMAND...: profiles COMMAND by sprofrun and perf at once, and prints the hottest
# functions of both, under the heading NAME
compare() {
    local name=$1
    shift
    echo "== $name"
    perf record -q -e cpu-clock -g -F 1000 -o perf.data -- \
        "$SPROFRUN" -q -g no -F 1000 -o p.pb.gz -- "$@" >out 2>err || { tail -n 3 err; return; }
    # perf: the first user frame of each sample, so that the kernel's time is billed to the place in
    # the program that asked for it, as sprofrun does. sprofrun's own processes are left out.
    perf script -i perf.data -F comm,ip,sym,dso 2>/dev/null | awk '
        /^[^ \t]/ { ours = $1 ~ /^sprof/; open = !ours; next }
        open && !/kernel|\[k\]|\(\[unknown\]\)|vmlinux/ && NF >= 3 {
            open = 0; object = $NF; gsub(/[()]/, "", object); sub(/.*\//, "", object)
            $1 = $NF = ""; sub(/^ +/, ""); sub(/ +$/, "")
            if ($0 == "[unknown]") $0 = "[" object "]"
            count[$0 "\t" object]++; sum++ }
        END { for (k in count) print k "\t" count[k] / sum "\t" sum }' >perf.tsv
    "$SPROFREPORT" flat --no-inline --format tsv p.pb.gz |
        awk -F'\t' -v OFS='\t' 'NR > 1 && $5 != "[unsampled]" {
            sub(/\+0x[0-9a-f]*\]$/, "]", $5); print $5, $6, $2, $1 }' >ours.tsv
    awk -F'\t' "$plain"' NR == FNR { perf[plain($1)] += $3; n = $4; next }
        { self[plain($1)] += $3; total += $3; samples += $4 }
        END {
            printf "-9\t%-44s %9s %9s  %s\n", "function", "sprofrun", "perf", ""
            for (f in self) if (self[f] / total > 0.02 || perf[f] > 0.02) {
                p = self[f] / total; q = perf[f]; m = (p + q) / 2
                # e: 3.5 standard errors of p - q; perf has n samples, sprofrun has "samples".
                e = 3.5 * sqrt(m * (1 - m) * (1 / n + 1 / samples))
                d = p > q ? p - q : q - p
                printf "%8.4f\t%-44s %8.1f%% %8.1f%%  %s\n", -p, substr(f, 1, 44), 100 * p, 100 * q,
                    d <= e + 0.005 ? "agree" : "DIFFER"
                bad += d > e + 0.005
            }
            print "9\t" (bad ? bad " functions differ" : "all agree")
        }' perf.tsv ours.tsv | sort -n | cut -f2-
}

if [ $# -gt 0 ]; then
    compare "$*" "$@"
    exit
fi
head -c 6000000 /dev/urandom | base64 >random.txt
{
    echo "create table t(a integer, b text);"
    echo "with recursive c(i) as (select 1 union all select i + 1 from c where i < 300000)"
    echo "insert into t select i, hex(i * 2654435761) from c;"
    echo "create index i on t(b); select count(*), sum(length(b)) from t where b like '%9%';"
    echo "select substr(b, 1, 3) k, count(*) from t group by k order by 2 desc limit 5;"
} >load.sql
{
    for i in $(seq 1200); do
        echo "static int f$i(int x, int *p) {"
        echo "for (int i = 0; i < x; i++) p[i % 7] += (x * $i) ^ p[(i + $i) % 7];"
        echo "return p[x % 7]; }"
    done
    echo "int main(void) { int p[7] = {0}, s = 0;"
    for i in $(seq 1200); do echo "s += f$i(s & 15, p);"; done
    echo "return s; }"
} >large.c
compare "xz -9" xz -9 -k -f random.txt
compare "python3" "$(command -v /usr/bin/python3 || command -v python3)" -c 'd = {}
for i in range(1500000): d[i % 1000] = d.get(i % 1000, 0) + i * i
print(sum(d.values()))'
command -v sqlite3 >/dev/null && compare "sqlite3" sqlite3 new.db ".read load.sql"
compare "gcc -O2 -c" gcc -O2 -c large.c
compare "sort with threads" sort --parallel=2 -S 200M random.txt -o sorted.txt
