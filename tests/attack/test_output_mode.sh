#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An ordinary user puts a file of mode 6777 where root's profile will be written. If the profile
# kept owner and mode, he would have a set-user-ID-root program whose code he can change through a
# mapping. So a new file takes only restrictions from the old one's mode. A file of another user, or
# one with special bits, is refused.
. "$(dirname "$0")/lib.sh"
need_root
umask 022
mkdir folder && chown $NOBODY folder
sh -c "cp /bin/true folder/sprof.pb.gz && chown $NOBODY folder/sprof.pb.gz &&
    chmod 6777 folder/sprof.pb.gz"
before=$(state folder/sprof.pb.gz)

export TMPDIR=$WORK
"$SPROFRUN" --report none -o folder/sprof.pb.gz sh -c 'echo ran' >out 2>err
is "special bits: refused before the run" "$? $(cat out)" "125 "
check "special bits: it is said" grep -q 'special mode bits' err
# The other user's file appears only while the command runs.
mv folder/sprof.pb.gz folder/later
"$SPROFRUN" --report none -o folder/sprof.pb.gz sh -c 'mv folder/later folder/sprof.pb.gz; exit 3' \
    2>err
is "the command's status" $? 3
is "special bits: the file is as it was" "$(state folder/sprof.pb.gz)" "$before"
check "special bits: it is said" grep -q 'special mode bits.*it is kept in' err
chmod 666 folder/sprof.pb.gz && before=$(state folder/sprof.pb.gz)
"$SPROFRUN" --report none -o folder/sprof.pb.gz true 2>err
is "another user's: refused before the run" $? 125
mv folder/sprof.pb.gz folder/later
"$SPROFRUN" --report none -o folder/sprof.pb.gz mv folder/later folder/sprof.pb.gz 2>err
is "another user's: the file is as it was" "$(state folder/sprof.pb.gz)" "$before"
check "another user's: it is said" grep -q 'belongs to another user.*it is kept in' err
kept=$(sed -n 's/.*it is kept in //p' err)
check "the profile is kept" "$SPROFREPORT" summary "$kept" -o kept.txt
is "for its owner alone" "$(stat -c %u:%a "$kept")" 0:600

for what in capture histogram; do
    more=
    [ $what = histogram ] && more="--region abs:0-1000:2"
    # shellcheck disable=SC2086 # words
    "$SPROFRUN" -q $more --$what folder/sprof.pb.gz -o p.pb.gz sh -c 'echo ran' >out 2>err
    is "$what: refused" "$? $(cat out)" "125 "
    check "$what: it is said" grep -q "cannot write the $what .*another user" err
done
"$BUILD"/tools/sproftop -b -n 1 --log folder/sprof.pb.gz sh -c 'echo ran' >out 2>err
is "log of the live view: refused" "$? $(cat out)" "125 "
check "log of the live view: it is said" grep -q 'another user' err
"$SPROFREPORT" export -o folder/sprof.pb.gz "$kept" 2>err
is "export: refused" $? 1
check "export: it is said" grep -q 'another user' err
is "nothing changed it" "$(state folder/sprof.pb.gz)" "$before"

# Our own file is replaced by a new one: which mode does the new one get?
for mode in 666:644 600:600 640:640; do
    touch own.pb.gz && chmod ${mode%:*} own.pb.gz
    "$SPROFRUN" -q -o own.pb.gz true
    is "mode ${mode%:*}" "$(stat -c %u:%a own.pb.gz)" "0:${mode#*:}"
done
chmod 4755 own.pb.gz && before=$(state own.pb.gz)
"$SPROFRUN" --report none -o own.pb.gz true 2>err
is "special bits of our own" "$(state own.pb.gz)" "$before"
rm own.pb.gz; (umask 077; "$SPROFRUN" -q -o own.pb.gz true)
is "a new file heeds the umask" "$(stat -c %a own.pb.gz)" 600

# An output that is a device is refused, as opening some devices has effects. Pipes and /dev/null
# are written in place.
mknod loop b 7 250 2>/dev/null && mknod watchdog c 10 130 || skip "mknod is not permitted"
for device in loop watchdog; do
    "$SPROFRUN" --report none -o $device true 2>err
    check "a device: $device" grep -q 'it is a device' err
done
mkfifo fifo; (cat fifo >got) & "$SPROFRUN" -q -o fifo true; wait
check "a pipe is written in place" "$SPROFREPORT" summary got -o summary.txt
"$SPROFRUN" -q -o /dev/null true 2>err; is "so is /dev/null" "$? $(cat err)" "0 "
mkdir sticky && chmod 1777 sticky && as_nobody mkfifo sticky/trap
"$SPROFRUN" --report none -o sticky/trap true 2>err
check "a stranger's pipe in a sticky folder" grep -q 'pipe there is of another user' err
is "no file is left behind" "$(find . -name '.sprofil-*')" ""
finish
