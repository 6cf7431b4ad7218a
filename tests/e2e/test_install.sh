#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The files that `meson install` writes work from any folder to which their tree is moved.
. "$(dirname "$0")/../lib.sh"

command -v meson >/dev/null || skip "meson is not in PATH"
DESTDIR=$WORK/dest meson install -C "$BUILD" --no-rebuild --quiet >log 2>&1 || { cat log; exit 1; }
bin=$(find dest -path '*/bin/sprofrun')
check "sprofrun is installed" [ -n "$bin" ]
mv "$(dirname "$(dirname "$bin")")" "moved here"
check "the analyst is in libexec" [ -x "moved here/libexec/sprofil/sprofil-analyst" ]
"moved here/bin/sprofrun" -o p.pb.gz "$TARGETS/busy" 1 0.2 4 2>report; is "status" $? 4
check "the report names the function" grep -qw spin report
check "sprofreport reads the profile" "moved here/bin/sprofreport" lines p.pb.gz -o lines.txt
check "by line" grep -q "busy.c:" lines.txt
find "moved here" -name '*.1' | grep -q sprofrun; is "the man page is there" $? 0
finish
