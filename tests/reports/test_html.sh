#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page of export --format html, as an HTML parser reads it, and with the argument "browser" as a
# browser does. It loads nothing, names stay text, and sources that not everybody may read are left
# out unless asked for.
. "$(dirname "$0")/../lib.sh"

MAKE_STACKS=$BUILD/tests/reports/make_stacks
command -v objdump >/dev/null || skip "no objdump (binutils)"
cc=$(command -v gcc || command -v cc) || skip "no C compiler"
command -v python3 >/dev/null || skip "no python3"
export LC_ALL=C.UTF-8
mkdir src
cat >src/hot.c <<'C'
__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += i * sum ^ i >> 3; /* <b>SECRET</b> &amp; */
	return sum;
}

int main(void)
{
	volatile unsigned n = 100000;
	unsigned sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += hot(n);
	return sum == 7;
}
C
"$cc" -g -O1 -o hot "$PWD/src/hot.c" || exit 1
{
    code hot hot | awk '{ print $1, 1000 }'
    for function in main _start; do code hot $function | awk '{ print $1, 5 }'; done
} | replayed p.pb.gz hot || exit 1
chmod 644 src/hot.c
chmod 755 "$WORK" src # on the way to it, too
"$SPROFREPORT" export -o page.html p.pb.gz; is "status" $? 0

# see.py prints what a parser sees: elements in order, and the text of each part.
cat >see.py <<'P'
import html.parser, re, sys
void = {"meta", "input"}
class See(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.bad, self.text, self.ids = [], set(), [], [], []
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "src" or (name == "href" and value[0] != "#"):
                self.bad.append("%s=%s" % (name, value))
            if name == "id":
                self.ids.append(value)
        if tag not in void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in void:
            self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append("</%s>" % tag)
    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)
page = open(sys.argv[1], encoding="utf-8").read()
see = See()
see.feed(page)
if see.open:
    see.bad.append("open: %s" % see.open)
if len(set(see.ids)) != len(see.ids):
    see.bad.append("ids twice")
addresses = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
if set(re.findall(r"[a-z]+://[^\"' )]*", page)) - addresses:
    see.bad.append("addresses")
if "default-src 'none'" not in page:
    see.bad.append("no policy")
print("bad", *see.bad)
print("tags", *sorted(see.tags))
print("scripts", page.count("<script"))
print("".join(see.text))
P
python3 see.py page.html >seen || cat seen
is "well formed, and nothing foreign" "$(sed -n 's/^bad *//p' seen)" ""
is "scripts are ours" "$(sed -n 's/^scripts //p' seen)" 2
check "the source, as text" grep -qF 'sum += i * sum ^ i >> 3; /* <b>SECRET</b> &amp; */' seen
check "the function" grep -q '^\(.*%\)\? *hot' seen
check "the audit" grep -q '^audit: ' seen
check "a source for the function" grep -q '<a href="#source-1">hot</a>' page.html
check "and where it leads to" grep -q '<details id="source-1" open>' page.html
check "the time line" grep -q '<section id="time">' page.html
check "its strip" grep -qE '^hot [0-9]+ +[0-9.]+ % .*[▄▅▆▇█]' seen
check "the function on top" grep -qE '^ *0\.[0-9]+ s +[0-9.]+ s +[0-9.]+ +[0-9]+ % +hot +hot$' seen
check "heat" grep -qE '<tr class="h[67]"><td>[0-9.]+ [±-][0-9.]+ %' page.html

chmod 700 src
"$SPROFREPORT" export --format html p.pb.gz >private.html
is "a source in a private folder: it is in the page" "$(grep -c SECRET private.html)" 0
check "that is said" grep -q 'in a folder that is not: name its folder, --source-path DIR' \
    private.html
chmod 755 src
chmod 600 src/hot.c
"$SPROFREPORT" export --format html p.pb.gz >private.html
grep -q SECRET private.html; is "a private file is left out" $? 1
check "that is said" grep -q 'is not for everybody to read, or in a folder that is not: name its folder' private.html
"$SPROFREPORT" export --format html --source-path "$WORK/src" p.pb.gz | grep -q SECRET
is "unless its folder is named" $? 0
rm -r src
"$SPROFREPORT" export --format html p.pb.gz | grep -q 'hot.c is not here'; is "no source" $? 0
"$MAKE_STACKS" stacks without.pb.gz
"$SPROFREPORT" export --format html without.pb.gz | grep -qE '(id="|href="#)time"'
is "no time line" $? 1

for kind in hostile deep empty large; do
    "$MAKE_STACKS" $kind $kind && "$SPROFREPORT" export -o $kind.html $kind
    is "$kind" $? 0
    python3 see.py $kind.html >seen
    is "$kind is well formed" "$(sed -n 's/^bad *//p' seen)" ""
    is "scripts of $kind" "$(sed -n 's/^scripts //p' seen)" 2
done
"$SPROFRUN" -q -o x.html -- true 2>err; is "not recorded to" $? 2
check "and how to" grep -q "sprofreport export --format html -o x.html" err

[ "${1-}" = browser ] || finish
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    for kind in page hostile; do
        {
            sed 's|^<nav>|<script>window.bad = []; window.alert = function (x) { window.bad.push(x); }; window.onerror = window.alert;</script>&|' $kind.html | sed 's|</body></html>||'
            cat <<'H'
<script>
const seen = {};
document.querySelector('#flat th:nth-child(7)').click();
seen.first = document.querySelector('#flat tbody tr').cells[6].textContent;
const filter = document.querySelector('#filter');
filter.value = '_START';
filter.dispatchEvent(new Event('input'));
seen.shown = document.querySelectorAll('#flat tbody tr:not([hidden])').length;
const details = document.querySelector('details');
if (details) {
    details.open = false;
    document.querySelector('a[href="#source-1"]').click();
    seen.opened = details.open;
}
seen.frames = document.querySelectorAll('svg .f').length;
seen.tools = document.querySelectorAll('svg #search').length;
seen.hash = location.hash;
seen.bad = window.bad.join() || 'nothing';
document.body.setAttribute('data-seen', Object.keys(seen).map(k => k + '=' + seen[k]).join(' '));
</script></body></html>
H
        } >$kind.probe.html
        echo "dom file://$WORK/$kind.probe.html $WORK/$kind.dom"
    done | python3 "$SOURCE/tests/reports/browser.py" "$browser" "$WORK/browser" >answers
    is "the browser's answers" "$(sort -u answers)" "done"
    for kind in page hostile; do
        grep -oE 'data-seen="[^"]*"' $kind.dom >seen.$kind
    done
    check "in a browser" grep -qE 'first=(\[syscall\]|__|_?[a-z]).* shown=1 opened=true frames=[1-9][0-9]* tools=1 hash= bad=nothing' seen.page
    check "hostile names in a browser" grep -q 'tools=1 hash= bad=nothing' seen.hostile
    [ $failures = 0 ] || cat seen.*
else
    skip "no browser (package chromium)"
fi
finish
