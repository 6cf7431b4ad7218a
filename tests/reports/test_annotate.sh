#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# annotate of a program that is compiled here, with samples at addresses that the test chooses. The
# costs of lines, inlined functions and instructions add up to those of other reports. What is
# missing is reported; hostile names do no harm.
. "$(dirname "$0")/../lib.sh"

command -v objdump >/dev/null || skip "no objdump (binutils)"
ldd "$BUILD/tools/sprofil-inspector" | grep -q capstone || skip "built without capstone"
cc=$(command -v gcc || command -v cc) || skip "no C compiler"
export LC_ALL=C.UTF-8
mkdir src
cat >src/hot.c <<'C'
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 400; i++)
		x = x * 2654435761u ^ x >> 13; /* INNER */
	return x;
}

__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += mix(i); /* CALL */
	return sum;
}

int main(void)
{
	volatile unsigned n = 400;
	unsigned sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += hot(n); /* OUTER */
	return sum == 7;
}
C
compile() { # OUTPUT FLAG...
    local out=$1
    shift
    "$cc" -g -O1 -Wl,--build-id "$@" -o "$out" "$PWD/src/hot.c" || exit 1
}
compile hot
# Makes some samples at every third instruction, and many where the inlined function multiplies.
at_all() { code hot hot | awk '$2 ~ /mul|madd/ { print $1, 1000 } NR % 3 == 1 { print $1, 10 }'; }
at_all | replayed p hot || exit 1
annotate() { "$SPROFREPORT" annotate "$@"; }
cell() {
	t=$2 awk -F'\t' -v k="$1" 'NR > 1 && $5 == k && $9 ~ ENVIRON["t"] { s += $4 } END {
		print s + 0 }' tsv
}
sum() { awk -F'\t' -v k="$1" -v c="$2" 'NR > 1 && $5 == k { s += $c } END { print s + 0 }' tsv; }

annotate hot --format tsv p >tsv; is "status" $? 0
is "columns" "$(head -n1 tsv)" "$(printf '%s\t' self_samples self_ns total_samples total_ns kind \
    file line address)text"
read -r self total < <("$SPROFREPORT" --format tsv p | awk -F'\t' '$5 == "hot" { print $1, $3 }')
is "lines have the function's self" "$(sum line 1)" "$self"
check "the line of the call has most of it" [ \
	"$(cell line CALL)" -gt "$(($(cell line "for") * 5))" ]
is "its inlined function" "$(awk -F'\t' '$5 == "inlined" { print $7, $9 }' tsv)" "13 mix"
inlined=$(sum inlined 1)
is "self and inlined are the total" $((self + inlined)) "$total"
if grep -q instruction tsv && grep -qE $'\tmul|imul|madd|mul' tsv; then
    is "instructions have both" "$(sum instruction 1)" "$total"
    check "all instructions are there" [ "$(grep -c instruction tsv)" -ge 8 ]
fi

# A caller whose callees are hidden is at the last byte of its call: the whole instruction is shown.
before=
while read -r at _; do
    [ -z "$before" ] || [ $((0x$at - 0x$before)) -lt 2 ] || [ $((0x$at - 0x$before)) -gt 14 ] ||
        printf '%x 10\n' $((0x$at - 1))
    before=$at
done < <(code hot hot) >inside
check "there are instructions of several bytes" [ -s inside ]
replayed p.inside hot <inside || exit 1
annotate hot --format tsv p.inside >tsv
check "samples inside of instructions" [ "$(sum instruction 1)" -gt 0 ]
is "each is at its instruction" \
    "$(awk -F'\t' '$5 == "instruction" && $9 == "" { n++ } END { print n + 0 }' tsv)" 0

# An inlined function is annotated with its own source, inside of the function that contains its
# code.
annotate mix --format tsv p >tsv
check "the inner line is hot" [ "$(cell line INNER)" -gt 0 ]
is "mix has what hot inlines" "$(sum line 1)" "$inlined"

# --instructions and --min-pct choose the rows of this table, too.
annotate hot --format tsv p >hot.tsv
annotate hot --format tsv --instructions all p >all.tsv
instructions() { awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kind") kind = i }
    $kind == "instruction"' "$1"; }
check "hot instructions" [ "$(instructions hot.tsv | wc -l)" -gt 0 ]
check "all of them are more" [ "$(instructions all.tsv | wc -l)" \
    -gt "$(instructions hot.tsv | wc -l)" ]
annotate hot --format tsv --instructions none p >none.tsv
is "none" "$(instructions none.tsv)" ""
is "all have the whole" "$(annotate hot --format tsv --min-pct 100 p | wc -l)" 1

# The text for people has the source, inlined code and colours, and keeps to the width.
annotate hot --width 80 p >narrow
check "no line is wider" [ "$(sed -n '/hot\.c/,/^$/p' narrow | wc -L)" -le 80 ]
check "the source" grep -qE '13 +sum \+= mix\(i\); /\* CALL \*/$' narrow
check "what is inlined" grep -q '└ inlined mix$' narrow
check "where it begins" grep -q '8  __attribute__((noinline)) unsigned hot' narrow
check "nothing of the function behind" sh -c '! grep -q main narrow'
annotate hot --instructions none p | grep -q '[0-9a-f]: '; is "without instructions" $? 1
check "all instructions are more" [ "$(annotate hot --instructions all p | wc -l)" \
	-gt "$(wc -l <narrow)" ]
annotate hot --color always p | grep -q $'\033\[1;31m.*\033'; is "heat" $? 0
LC_ALL=C annotate hot p | LC_ALL=C grep -q $'[\200-\377]'; is "ASCII" $? 1

# Sources that were moved to another folder are missed, and found again by --source-path.
mv src away
annotate hot p >out
check "the source is missed" grep -q 'src/hot.c is not here: say where its folder is, --source-path' out
check "lines are still told" grep -qE '^ +[0-9.]+ .*% +13$' out
annotate hot --source-path "$WORK/src=$WORK/away" p | grep -q CALL; is "OLD=NEW" $? 0
annotate hot --source-path "$WORK/sr=$WORK/away" p | grep -q CALL; is "half a name is none" $? 1
annotate hot --source-path "$WORK/away" p | grep -q CALL; is "a folder" $? 0
annotate hot --source-path = p >out 2>err; is "no path" $? 2
check "it is said" grep -q "source-path '=' is neither OLD=NEW nor a folder" err
mkdir src && mkfifo src/hot.c
timeout 20 "$SPROFREPORT" annotate hot p >out; is "a FIFO is not read" $? 0
rm -r src && mv away src

# A source that was changed after the profile: its lines may not fit the costs.
newer='src/hot.c is newer than the profile: lines may not fit'
annotate hot p | grep -q "$newer"; is "a source of before" $? 1
cp -p src/hot.c kept.c
sed -i '1i /* another line */' src/hot.c
annotate hot --width 0 p >out; is "a source that was changed" $? 0
check "it is newer" grep -q "^$WORK/$newer\$" out
# The HTML page has no sources from folders that other users may not read.
chmod 755 "$WORK"
"$SPROFREPORT" export --format html p | grep -q "$WORK/$newer"; is "so says the page" $? 0
chmod 700 "$WORK"
mkdir earlier && cp -p kept.c earlier/hot.c
annotate hot --source-path "$WORK/src=$WORK/earlier" p |
	grep -q "$newer"; is "the one that is read counts" $? 1
mv kept.c src/hot.c

# A file that is not the profiled program is refused.
compile other -DOTHER -fno-inline
mv hot kept && cp other hot
annotate hot p >out
check "another build is refused" grep -q 'hot: the file has another build-id than the one that was profiled' out
check "its source is shown all the same" grep -q CALL out
rm hot
annotate hot p | grep -q 'hot: the file is not on this machine'; is "a file that is gone" $? 0
mkfifo hot
timeout 20 "$SPROFREPORT" annotate hot p >out; is "a FIFO is no program" $? 0
rm hot && head -c 4096 kept >hot
timeout 20 "$SPROFREPORT" annotate hot p >out; is "half a program" $? 0
mv kept hot

annotate nowhere p 2>err; is "no such function" $? 1
check "the function is named" grep -q "no function is named or matches 'nowhere'" err
check "others are listed, a line each" grep -qx '    hot' err
annotate 2>err; is "no function" $? 2
check "it is asked for" grep -q '^sprofreport: annotate which function' err
mkdir alone && cp "$SPROFREPORT" alone
alone/sprofreport annotate hot p >out; is "without the inspector" $? 0
check "that is said" grep -q 'sprofil-inspector is missing' out
check "and the source is there" grep -q CALL out

# An inspector that is killed while it answers is started again. If it is always killed, annotate
# goes on without it.
inspector=$(dirname "$(realpath "$SPROFREPORT")")/sprofil-inspector
cat >alone/sprofil-inspector <<KILLED
#!/bin/bash
cd "$PWD"
echo >>rounds
[ -e always ] || { [ "\$(wc -l <rounds)" = 1 ] || exec "$inspector"; }
"$inspector" | head -c 100
kill -9 \$\$
KILLED
chmod +x alone/sprofil-inspector
annotate hot p >whole
alone/sprofreport annotate hot p >out; is "an inspector that was killed" $? 0
check "nothing is lost by that" cmp out whole
is "it was started again" "$(wc -l <rounds)" 2
: >always
timeout 20 alone/sprofreport annotate hot p >out; is "one that is always killed" $? 0
check "that is said, too" grep -q 'hot: the file was too much for what reads it' out
check "the source is still there" grep -q CALL out

# /proc/PID/maps writes a newline in a name as \012.
mkdir lines
cp hot $'lines/of\ntwo'
at_all | replayed p2 $'lines/of\ntwo' || exit 1
annotate hot p2 >out; is "a name of two lines: status" $? 0
check "its source is found" grep -q CALL out
check "and its instructions" grep -qE '[0-9a-f]+:  [a-z]+' out
finish
