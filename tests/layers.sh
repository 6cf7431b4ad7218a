#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks the rules of docs/ARCHITECTURE.md: which folder may include which, and which functions only
# one file may call.
#   layers.sh SOURCE-DIR BUILD-DIR
set -u
cd "$1" || exit 1
build=$2
failed=0
[ -n "$(git ls-files meson.build 2>/dev/null)" ] || { echo "skipped: no git checkout"; exit 77; }

complain() {
    echo "layers: $*" >&2
    failed=1
}

# may_include FOLDER "FOLDERS": besides its own headers, FOLDER may include those of FOLDERS
may_include() {
    local folder=$1 allowed=" $1 $2 " file name
    shift 2
    while IFS=: read -r file name; do
        [[ $allowed == *" ${name%%/*} "* ]] || complain "$file includes $name"
    done < <(git ls-files "$folder/*.[ch]" | xargs -r grep -HoP '^#include "\K[^"]+(?=")' |
        grep -E ':(base|proto|client|opener|supervisor|symbolizer|profile|analyst|view|tools|tests)/')
}
may_include base ""
may_include proto ""
may_include client "proto"
may_include supervisor "base proto"
may_include opener "base proto"
may_include symbolizer "base proto opener"
may_include profile "base"
may_include view "base profile"
may_include analyst "base proto opener symbolizer profile"

# No folder has more than 60 sources and headers.
hits=$(git ls-files '*.[ch]' | sed 's,/[^/]*$,,' | sort | uniq -c | awk '$1 > 60')
[ -z "$hits" ] || complain "more than 60 files in a folder:" $hits

# room_may_include FOLDER ROOM "ROOMS": besides its own headers, the subfolder ROOM may include
# those of the subfolders ROOMS. "." is FOLDER itself.
room_may_include() {
    local folder=$1 room=$2 allowed=" $2 $3 " file name of inside=$1/$2
    [ "$room" != . ] || inside=$folder
    while IFS=: read -r file name; do
        of=${name#"$folder"/} of=${of%/*}
        [[ $name == "$folder"/*/* ]] || of=.
        [[ $allowed == *" $of "* ]] || complain "$file includes $name"
    done < <(git ls-files ":(glob)$inside/*.[ch]" |
        xargs -r grep -HoP "^#include \"\K$folder/[^\"]+(?=\")")
}
room_may_include supervisor os ""
room_may_include supervisor target "os"
room_may_include supervisor sample "os"
room_may_include supervisor calls "target os"
room_may_include supervisor output "calls target os"
room_may_include supervisor engine "output sample calls target os"
room_may_include symbolizer base ""
room_may_include symbolizer dwarf "base"
room_may_include symbolizer . "dwarf base"
room_may_include symbolizer unwind ". base"
room_may_include analyst base ""
room_may_include analyst jit ""
room_may_include analyst python "base"
room_may_include analyst hotspot "base"
room_may_include analyst . "base jit python hotspot"
room_may_include view . ""
room_may_include view report "."
room_may_include view export ". report"
room_may_include view live "."
room_may_include tools help ""
room_may_include tools sandbox ""
room_may_include tools inspector ""
room_may_include tools serve ""
room_may_include tools live "front inspector"
room_may_include tools front "help serve"
room_may_include tools analyst "front live sandbox serve"
room_may_include tools report "help inspector"
room_may_include tools stackcheck "front"

# Each folder is a library that others link: no build file reaches into another folder.
hits=$(git ls-files '*meson.build' | xargs grep -n "'\.\./" | grep -v libdir_up)
[ -z "$hits" ] || complain "build files that compile another folder's sources: $hits"

# Each file's name says its purpose: no two files of the product have the same name. Public headers
# are exempt, because the manuals fix their names.
twins=$(git ls-files 'base/*.[ch]' 'proto/*.[ch]' 'client/*.[ch]' 'supervisor/*.[ch]' \
    'opener/*.[ch]' \
    'symbolizer/*.[ch]' 'profile/*.[ch]' 'analyst/*.[ch]' 'view/*.[ch]' 'tools/*.[ch]' \
    ':!client/include' | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twins" ] || complain "two files of one name:" $twins

# No two files call each other, directly or over others; a file and its header count as one. A lower
# file reports to a higher one through a callback.
circle=$(python3 - <<'END' | tsort 2>&1 >/dev/null
import pathlib, re


def code(path):
    return re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"', "", path.read_text(), flags=re.S)


folders = ["supervisor/*", "base", "proto", "client", "opener", "profile", "view", "view/*",
           "analyst", "analyst/*", "symbolizer", "symbolizer/*", "tools/*"]
files = {path.with_suffix(""): code(path)
         for folder in folders for path in pathlib.Path().glob(folder + "/*.c")}
owner = {}
for path, text in files.items():
    for name in re.findall(r"^(?!static)(?:_Noreturn )?[a-z][\w *]*\b(\w+)\(", text, flags=re.M):
        owner[name] = path
for path, text in files.items():
    for other in {owner[name] for name in re.findall(r"\w+", text) if name in owner} - {path}:
        print(path, other)
END
)
[ -z "$circle" ] || complain "files in a circle:" $circle

# Only the state machine's step changes a thread's state.
hits=$(git ls-files 'supervisor/*.c' | grep -v 'target/target\.c$' |
    xargs grep -nE '(\bt|tracee|caller|other)->state = ')
[ -z "$hits" ] || complain "a thread's state is changed past target_step(): $hits"

# must_not PATTERN WHY FOLDERS...: no source in FOLDERS may contain PATTERN
must_not() {
    local hits
    hits=$(git ls-files -- "${@:3}" | grep '\.[ch]$' | xargs -r grep -nE "$1")
    [ -z "$hits" ] || complain "$2: $hits"
}
must_not 'sys/ptrace\.h' 'only the supervisor knows ptrace' symbolizer profile view analyst client \
    proto tools
must_not '(sys/wait|spawn|signal|poll|sys/signalfd|pthread)\.h>|\b(fork|kill|pipe2?|open|read|write)[[:space:]]*\(' \
    'views know no pids, pipes or files' view/live*.[ch] view/screen.[ch]
must_not 'include <(libelf|gelf|elfutils/.*|dwarf|libdwarf.*|libunwind.*)\.h>' \
    'ELF and DWARF belong into the symbolizer' supervisor client proto profile view analyst
must_not '\b(malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf)[[:space:]]*\(' \
    'proto does not allocate' proto
must_not '\b(printf|fprintf|puts|perror|exit|abort)[[:space:]]*\(' \
    'library code neither prints nor exits' proto client opener symbolizer profile \
    analyst/analyst.c \
    analyst/take.c analyst/spaces.c analyst/input.c supervisor/engine/engine.c \
    supervisor/engine/engine_loop.c \
    supervisor/engine/lifecycle.c \
    supervisor/sample/sampler.c supervisor/sample/observe.c supervisor/sample/plan.c \
    supervisor/sample/ticks.c
must_not '\b(pthread_create|thrd_create|sigaction|signal)[[:space:]]*\(' \
    'the client starts no threads and installs no handlers' client
must_not '\(void\)(chdir|f?chown|dup|ftruncate|getrandom|pipe2?|read|readlink|symlink|write)\(' \
    'with _FORTIFY_SOURCE, which Ubuntu sets, gcc wants (void)! to ignore the result' .

# at_most PATTERN NUMBER WHY: at most NUMBER files of the product may contain PATTERN
at_most() {
    local files
    files=$(git ls-files -- '*.c' ':!tests' ':!bench' ':!client/examples' ':!examples' |
        xargs -r grep -lE "$1")
    [ "$(grep -c . <<<"$files")" -le "$2" ] || complain "$3:" $files
}
at_most '\bptrace[[:space:]]*\(PTRACE_' 1 'one file calls ptrace(2)'
at_most '\b(waitid|wait4|wait3|wait)[[:space:]]*\(' 1 'one file waits for tracees'
at_most '#include <libdwarf\.h>' 1 'one file includes libdwarf'
at_most '#include <microhttpd\.h>' 1 'one file knows HTTP'
at_most '#include <curl/curl\.h>' 1 'one file knows libcurl'
at_most '#include <curses\.h>' 1 'one file knows ncurses'
at_most '#include <libunwind[^>]*>' 1 'one file includes libunwind'

# Finds lines of more than 100 columns; a tab reaches the next multiple of 8, a character counts
# once. Reads file names. $1: a sed command that deletes the lines that may be longer: tables,
# literal blocks, and in scripts of tests those with a string of more than 60 characters, which may
# be a message, a pattern or another program.
too_long() {
    local program hits pad='        '
    program="$1; :again;"
    for i in 0 1 2 3 4 5 6 7; do
        program+="s/^(([^\t]{8})*[^\t]{$i})\t/\1${pad:i}/; t again;"
    done
    hits=$(xargs -r env LC_ALL=C.UTF-8 sed -snE "$program /^.{101}/{F;=;p}" | paste -d: - - -)
    [ -z "$hits" ] || complain "lines of more than 100 columns: $hits"
}
too_long '' < <(git ls-files '*.[ch]' '*meson.build' meson_options.txt '*.sh' '*.py' ':!tests/*.sh')
too_long "/^[[:space:]]*#/!{/'[^']{60}|\"[^\"]{60}/d}" < <(git ls-files 'tests/*.sh')
too_long '/^```/,/^```/d; /^([|#]|    )/d' < <(git ls-files '*.md')
too_long '/^[.]/d' < <(git ls-files 'man/*')

# Every file of the project that a page names, by its path or by the path's end, exists. README and
# CONFORMANCE.md name files of other projects, too: there, only paths that begin with one of our
# folders are checked.
hits=$(git ls-files | sed 's,^,/,' | python3 -c 'import re, sys
files = sys.stdin.read().split("\n")
ends = {name[at:] for name in files for at in range(len(name)) if name[at] == "/"}
ours = {name.split("/")[1] for name in files if name.count("/") > 1}
foreign = {"crtstuff.c", "arch/arm64/kernel/signal.c", "a.js", "perf-check.sh"}
for page in sys.argv[1:]:
    text = open(page, encoding="utf-8").read()
    for name in re.findall(r"(?<![\w./~$<>{}*-])[\w-][\w./-]*\.(?:[ch]|sh|py|js|css|md|tsv|proto|build)\b(?![\w/*.-]*[*/])", text):
        mixed = page in ("README.md", "docs/CONFORMANCE.md")
        if "/" + name in ends or name in foreign or mixed and name.split("/")[0] not in ours:
            continue
        print(page, name)' CONTRIBUTING.md README.md docs/*.md | sort -u)
[ -z "$hits" ] || complain "pages name files that are not there: $hits"

# Every source has a line that names its licence.
hits=$(git ls-files '*.[ch]' '*.sh' '*meson.build' | xargs grep -L 'SPDX-License-Identifier: MIT')
[ -z "$hits" ] || complain "no SPDX line:" $hits

# Allocation in the supervisor goes through mem.c, which the stop window can forbid.
hits=$(git ls-files supervisor | grep '\.c$' | grep -v '/mem\.c$' |
    xargs grep -nE '\b(malloc|calloc|realloc|reallocarray)[[:space:]]*\(')
[ -z "$hits" ] || complain "the supervisor allocates through mem.h: $hits"

# Each test is in one of the three suites.
hits=$(meson introspect --tests "$build" 2>/dev/null | python3 -c 'import json, sys
for test in json.load(sys.stdin):
    suites = [suite.split(":")[-1] for suite in test["suite"]]
    if len({"hermetic", "live", "truth"} & set(suites)) != 1:
        print(test["name"], suites)')
[ -z "$hits" ] || complain "not in one of hermetic, live and truth: $hits"

# Tests must not contain the patterns of forbidden.txt. Each pattern is also tried on its examples,
# which it must find.
tests=$(git ls-files 'tests/*/*.sh' 'tests/*/*.c' 'tests/*/*.py' ':!tests/aarch64' ':!tests/yama')
while IFS=$'\t' read -r pattern why examples; do
    [[ $pattern && $pattern != \#* ]] || continue
    hits=$(grep -nE -- "$pattern" $tests /dev/null)
    [ -z "$hits" ] || complain "$why: $hits"
    [ -n "$examples" ] || complain "forbidden.txt: no example of '$why'"
    while IFS= read -r line; do
        grep -qE -- "$pattern" <<<"$line" || complain "'$line' is not found: $why"
    done < <(tr '\t' '\n' <<<"$examples")
done <tests/forbidden.txt

# The supervisor's programs, and the opener, link libc only.
for program in sprofrun sproftop sprofserve sprofil-supervisor sprofil-opener; do
    [ -e "$build/tools/$program" ] || continue
    needed=$(readelf -d "$build/tools/$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libc\.so|ld-linux|libasan|libubsan|libtsan|libm\.so|libgcc_s|libpthread)')
    [ -z "$needed" ] || complain "$program links $needed"
done

# ELF and DWARF from elsewhere are parsed in sandboxed processes, not in the one that a user
# started.
hits=$(readelf -d "$build/tools/sprofreport" 2>/dev/null |
    grep -E 'NEEDED.*lib(elf|dwarf|lzma|unwind)')
[ -z "$hits" ] || complain "sprofreport links $hits"

# Headers of the project are included in the order of their names, after the file's own.
hits=$(git ls-files '*.[ch]' ':!tests/fuzz/corpus' | xargs awk 'FNR == 1 { last = "" }
    !/^#include "/ { last = ""; next }
    { name = $2; sub(/\.h"/, "", name); gsub(/_/, "\001", name)
      if (name < last && $2 < line) print FILENAME ": " $2
      last = name; line = $2 }')
[ -z "$hits" ] || complain "includes out of order: $hits"

# Every header can be included alone.
for header in $(git ls-files 'proto/*.h' 'supervisor/*.h' 'opener/*.h' 'symbolizer/*.h' \
    'profile/*.h' \
    'base/*.h' 'analyst/*.h' 'view/*.h' 'tools/*/*.h'); do
    cc -std=gnu11 -D_GNU_SOURCE -I. -Wall -Werror -fsyntax-only -x c "$header" 2>/dev/null ||
        complain "$header cannot be included alone"
done

exit $failed
