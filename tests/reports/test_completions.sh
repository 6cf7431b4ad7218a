#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Words that the Tab key offers in bash, and in zsh and fish if named; and that no name of a
# process, file or command is run by the shell.
# Usage: test_completions.sh [zsh] [fish]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

[ -f "$BUILD/packaging/completions/sprofrun" ] ||
    skip "completions are made by builds for this machine"
: >"a file.pb.gz"

# offers WHAT WORD...: asserts that the shell $shell offers the words WHAT (sorted) for the last
# WORD
offers() {
    local wanted=$1
    shift
    is "$shell: $*" "$(offered "$@" | sort -u | tr '\n' ' ' | sed 's/ $//')" "$wanted"
}

shell=bash
offered() {
    bash --norc -c '. "$BUILD/packaging/completions/$1"
        [ -z "$WITH" ] || . "$WITH"
        compopt() { :; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        "_$1" "$1" "${!#}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
export WITH= PATH="$BUILD/tools:$PATH"

check_shell() {
    offers '--cgroup' sprofrun --cg
    offers 'both cpu wall' sprofrun --clock ''
    offers 'wall' sprofrun -q -w w
    offers 'a file.pb.gz' sprofrun -o a
    offers "$(cd /proc && printf '%s\n' $$* | sort | xargs)" sprofrun -p $$
    offers 'lines' sprofreport li
    offers 'csv json text tsv' sprofreport flat --format ''
    offers 'firefox folded' sprofreport export --format f
    offers 'threads tree' sproftop --view t
    offers 'gzip' sprofrun -q -F 99 gzi
}

# Names of processes, files and commands that contain shell code (complete.py).
check_foreign() {
    if ! command -v python3 >/dev/null; then
        echo "skipped: what $shell makes of foreign text needs python3"
    elif ! command -v "$shell" >/dev/null; then
        echo "skipped: $shell is not installed"
    else
        mkdir "of $shell"
        (cd "of $shell" && python3 "$here/complete.py" "$shell" "$BUILD/packaging/completions") \
            >foreign
        is "$shell: what foreign text does: status" "$? $(grep '^NOT' foreign)" '0 '
        check "$shell: much was completed" [ "$(wc -l <foreign)" -gt 200 ]
    fi
}
for shell in bash zsh fish; do check_foreign; done
shell=bash
check_shell
# bash splits "--clock=w" into three words.
offers 'wall' sprofrun --clock = w
offers 'both cpu wall' sprofrun --clock =
offers 'a file.pb.gz' sprofrun -o p gzip a
WITH=/usr/share/bash-completion/bash_completion
if [ -f $WITH ]; then
    offers '--best' sprofrun -q gzip --be
else
    echo "skipped: package bash-completion is not installed"
fi

# The lines of --help fit a terminal of 80 columns.
for program in sprofrun sproftop sprofserve sprofreport; do
    is "$program: no line of --help is over 80 columns" \
        "$("$program" --help | awk 'length > 80')" ""
done

# Every option in the programs' tables is offered.
names='s/^\t*{"\([a-z-]*\)", .*OPTION_.*/--\1/p'
for program in sprofrun sproftop sprofserve sprofreport; do
    table=$SOURCE/tools/$program.c
    [ $program = sprofreport ] && table=$SOURCE/tools/report/report_command.c
    [ $program = sprofrun ] && table=$SOURCE/tools/front/sprofrun_settings.c
    {
        sed -n "$names" "$table"
        [ $program = sprofreport ] || sed -n "$names" "$SOURCE/tools/front/target_options.c"
        case $program in sprofrun | sprofserve)
            sed -n "$names" "$SOURCE/tools/front/serve_front.c" ;;
        esac
        [ $program != sprofrun ] || sed -n "$names" "$SOURCE/tools/front/command_as.c"
    } | sort >table
    check "$program: its table is found" [ "$(wc -l <table)" -gt 15 ]
    WITH='' offered $program -- | grep '^--' | sort >offered
    is "$program: options that are not offered, or not there" "$(diff table offered)" ''
done

# The programs accept every value that is offered.
for option in --call-graph --clock --report --color; do
    for value in $(WITH='' offered sprofrun $option ''); do
        "$SPROFRUN" $option "$value" --version >/dev/null 2>err
        is "sprofrun $option $value" "$? $(cat err)" '0 '
    done
done
for option in --sort --split --by --color --format; do
    for value in $(WITH='' offered sprofreport $option ''); do
        "$SPROFREPORT" $option "$value" --version >/dev/null 2>err
        is "sprofreport $option $value" "$? $(cat err)" '0 '
    done
done

shell=fish
offered() {
    local line=
    for word in "$@"; do line+="$word "; done
    HOME=$WORK fish -c 'set -p fish_complete_path $argv[1]; complete -C $argv[2]' \
        "$BUILD/packaging/completions" "${line% }" |
        cut -f1 | sed 's/\\ / /g; s/^--[a-z-]*=//'
}
if [[ " $* " == *" fish "* ]]; then
    check_shell
    offers '--best' sprofrun -q gzip --be
    offers 'wall' sprofrun --clock=w
fi

shell=zsh
offered() {
    zsh -f "$here/offered.zsh" "$BUILD/packaging/completions" "$*" | sed 's/\\ / /g'
}
if [[ " $* " == *" zsh "* ]]; then
    check_shell
    offers '--best' sprofrun -q gzip --be
    offers 'wall' sprofrun --clock=w
fi
finish
