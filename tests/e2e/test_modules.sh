#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Callbacks from a library through libc; code that is moved; modules that are deleted or replaced
# while they run.
# shellcheck source=tests/lib.sh
. "$SOURCE/tests/lib.sh"

cp "$TARGETS/callbacks" "$TARGETS"/libcallbacks*.so .
chmod 755 . ./*

# share PROFILE PATTERN: prints the share of samples whose stack matches, in percent. [unsampled]
# time does not count, nor do calls that ended the program, as their stack is gone.
share() {
    "$SPROFREPORT" export --format folded "$1" | pattern=$2 awk '
        /\[unsampled\]/ || /^\[syscall\] (execve|exit_group) [0-9]+$/ { next }
        { n = $NF; all += n; if ($0 ~ ENVIRON["pattern"]) good += n } END {
            printf "%.2f", all ? 100 * good / all : 0 }'
}

# whole WHAT PROFILE PATTERN LEAST: asserts that at least LEAST percent match; otherwise shows the
# other stacks.
whole() {
    local failed=$failures
    within "$1: the stacks are whole" "$(share "$2" "$3")" "$4" 100
    [ $failures = $failed ] || "$SPROFREPORT" export --format folded "$2" | grep -vE "$3"
}

notes() {
    "$SPROFREPORT" summary "$1" | grep -c "$2"
}

# begin USER: starts a target that runs a copy of the library, as root, or with any other USER as
# nobody; sets $pid.
begin() {
    rm -f lib.so ready
    cp libcallbacks.so lib.so
    case $1 in
    root) ./callbacks ./lib.so 120 >ready & ;;
    *) (exec setpriv --reuid=65534 --regid=65534 --clear-groups ./callbacks ./lib.so 120) \
        >ready & ;;
    esac
    pid=$!
    wait_until 'the library is open' 20 sh -c 'grep -qs ready ready'
}

end() {
    kill -0 "$pid" 2>/dev/null
    is "$1: the target lives" $? 0
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
}

# attach USER FILE: profiles the target as USER, into FILE
attach() {
    case $1 in
    root) "$SPROFRUN" -q -F 1000 -d 1s --max-overhead 100 -o "$2" -p "$pid" ;;
    *) (cd user && setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$SPROFRUN" -q -F 1000 -d 1s --max-overhead 100 -o "$2" -p "$pid") && mv "user/$2" . ;;
    esac
    is "$2: sprofrun" $? 0
}

calls=';main;callbacks_run;'
sorting="$calls"'sort_all;([^;]*;)*(qsort|__qsort_r|qsort_r|__GI___qsort_r)[^;]*;([^;]*;)*by_weight'
finding="$calls"'find_all;([^;]*;)*(__)?(GI_+)?bsearch;by_weight'

"$SPROFRUN" -q -F 1000 -o plain.pb.gz -- ./callbacks "$PWD/libcallbacks.so" 1 >/dev/null
about 'callbacks through qsort' "$(share plain.pb.gz "$sorting")" 20 80
about 'callbacks through bsearch' "$(share plain.pb.gz "$finding")" 20 80
within 'callbacks: all are of one kind or the other, or reach main' \
    "$(share plain.pb.gz "$sorting|$finding|${calls}|_dl_|^_start(;|\$)")" 99.5 100
is 'callbacks: none incomplete' "$(incomplete_but_start plain.pb.gz)" ''

# Code that was moved to memory without a file, and a copy of it elsewhere.
"$SPROFRUN" -q -F 1000 -o copied.pb.gz -- "$TARGETS/copied" 2 2>err
status=$?
cat err
if [ $status != 77 ]; then
    is 'moved and copied code: status' $status 0
    within 'moved and copied code: it has its name' \
        "$(share copied.pb.gz ';main;spin [0-9]+$')" 80 100
    is 'moved and copied code: none is without a name' \
        "$(share copied.pb.gz '\[(jit|anon|copied)')" 0.00
fi

# Modules that are deleted or replaced while they are profiled: the analyst has them open.
for what in deleted replaced; do
    rm -f lib.so ready
    cp libcallbacks.so lib.so
    "$SPROFRUN" -q -F 1000 -o $what.pb.gz -- ./callbacks "$PWD/lib.so" 1.5 >ready &
    run=$!
    wait_until 'the library is open' 20 sh -c 'grep -qs ready ready'
    wait_until 'the analyst has it open' 20 sh \
        -c "grep -q lib.so /proc/\$(pgrep -P $(tracing $run) -x sprofil-analyst)/maps"
    case $what in
    deleted) rm lib.so ;;
    *) cp libcallbacks_other.so new.so && mv new.so lib.so ;;
    esac
    wait $run
    is "$what meanwhile: status" $? 0
    whole "$what meanwhile" $what.pb.gz "$sorting|$finding|$calls|_dl_|^_start(;|\$)" 99.5
    is "$what meanwhile: no names of another file" "$(share $what.pb.gz other_)" 0.00
    is "$what meanwhile: none incomplete" "$(incomplete_but_start $what.pb.gz)" ""
done

# Modules that were deleted or replaced before the profile began. A user who may not open the
# original file gets its unwind tables from memory, and no names.
users=root
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && users='root user' && mkdir user &&
    chown 65534 user
for user in $users; do
    for what in deleted replaced; do
        name=$user-$what
        begin $user
        case $what in
        deleted) rm lib.so ;;
        *) cp libcallbacks_other.so new.so && mv new.so lib.so ;;
        esac
        attach $user $name.pb.gz
        end "$name"
        is "$name: no names of another file" "$(share $name.pb.gz other_)" 0.00
        is "$name: none incomplete" "$(figure incomplete_stacks $name.pb.gz)" 0
        if [ "$(share $name.pb.gz "$calls")" != 0.00 ]; then
            whole "$name" $name.pb.gz "$sorting|$finding|$calls" 99.5
        else
            whole "$name, but for names" $name.pb.gz \
                ';main;\[lib.so[^;]*;(.*(qsort|bsearch).*\[lib.so|[^;]*(;|$))' 98
            check "$name: the loss is counted" [ "$(figure unresolved_samples $name.pb.gz)" -gt \
                $(($(figure samples $name.pb.gz) / 2)) ]
            is "$name: and explained" \
                "$(notes $name.pb.gz 'lib.so: the file was deleted or replaced')" 1
        fi
    done
done

# The program's own file is deleted.
begin root
cp callbacks kept && rm callbacks
attach root program.pb.gz
end 'program deleted'
whole 'program deleted' program.pb.gz 'main|\[callbacks\]' 99.5
mv kept callbacks

# A module that is emptied in place: the target's code is gone, so it dies. sprofrun must not die,
# whenever it reads the file. stopped_more_than N: was the target stopped more than N times? It only
# computes, so its voluntary switches are stops.
stopped_more_than() {
    [ "$(awk '/^voluntary/ { print $2 }' "/proc/$(pgrep -P \
        "$(tracing $run)" -x callbacks)/status")" -gt "$1" ]
} 2>/dev/null
for stops in 50 400; do
    rm -f lib.so ready
    cp libcallbacks.so lib.so
    "$SPROFRUN" -F 1000 --max-overhead 100 --report none -o emptied.pb.gz -- ./callbacks \
        "$PWD/lib.so" 120 >ready \
        2>err &
    run=$!
    wait_until 'the library is open' 20 sh -c 'grep -qs ready ready'
    wait_until "it was stopped $stops times" 30 stopped_more_than $stops
    : >lib.so
    wait $run 2>/dev/null
    is "emptied after $stops stops: the status is the target's (SIGBUS)" $? 135
    check "emptied after $stops stops: a profile is written" test -s emptied.pb.gz
    "$SPROFREPORT" flat emptied.pb.gz >report
    is "emptied after $stops stops: it is read" $? 0
    check "emptied after $stops stops: there are samples" [ \
        "$(figure samples emptied.pb.gz)" -gt 0 ]
    is "emptied after $stops stops: none is lost" "$(figure lost_samples emptied.pb.gz)" 0
    is "emptied after $stops stops: it is explained" \
        "$(grep -c 'lib.so: the file was written to' report)" 1
    is "emptied after $stops stops: no analyst has died" \
        "$(grep -c died err)$(grep -c 'made the analyst' err)" 00
    rm -f emptied.pb.gz
done
finish
