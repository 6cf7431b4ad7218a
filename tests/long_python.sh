#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stacks of every CPython that is installed: tests/long_python.sh BUILD-DIRECTORY [PYTHON...]
# Without PYTHON: /usr/bin/python3 and the versions of pyenv. Each sampled stack must be one that
# the program can have; at most five of a thousand may disagree with the native stack.
set -u
build=$(cd "${1:?usage: tests/long_python.sh BUILD-DIRECTORY [PYTHON...]}" && pwd)
truth=$(cd "$(dirname "$0")" && pwd)/targets/python_truth.py
shift
[ $# -gt 0 ] || set -- /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
figure() { "$build/tools/sprofreport" summary --format tsv p.pb.gz |
    awk -F'\t' -v k="$1" '$1 == k { print $2 }'; }

for python; do
    version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') || continue
    case $version in
        3.[0-7].*) continue ;;
    esac
    "$python" "$truth" write known.json || { failed=1; continue; }
    for show in yes only; do
        "$build/tools/sprofrun" -q -F 1000 --python $show -o p.pb.gz -- \
            "$python" -W ignore "$truth" run "${LONG_PYTHON_SECONDS:-10}"
        result=$("$python" "$truth" check known.json p.pb.gz ${show#yes}) || failed=1
        stacks=$(figure python_stacks) unmatched=$(figure python_unmatched)
        echo "$version $show: $result; $stacks stacks, $unmatched unmatched"
        [ "$unmatched" -le $((stacks / 200 + 1)) ] || failed=1
    done
done
exit $failed
