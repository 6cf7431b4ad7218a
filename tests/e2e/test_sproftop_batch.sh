#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sproftop without a terminal (-b), and in a terminal whose output is not read.
. "$(dirname "$0")/../lib.sh"
SPROFTOP=$BUILD/tools/sproftop
SHOW=$TARGETS/show
# On a loaded machine stops last long, and the default bound of 2 % would leave few samples.
much="--max-overhead 99"
export LC_ALL=C.UTF-8
unset NO_COLOR
# Copies with names of their own, by which they are found below: other tests also run show and
# sleep.
cp "$SHOW" "show$$" && SHOW=$PWD/show$$
cp "$(command -v sleep)" "doze$$"
"$SHOW" 600 >/dev/null 2>&1 &
target=$!
trap 'kill "$target" 2>/dev/null; rm -rf "$WORK"' EXIT

"$SPROFTOP" -b -n 2 -s 0.3 --size 70x14 -p $target >batch 2>err
is "batch: status" $? 0
is "batch: two screens" "$(grep -c Functions batch)" 2
"$SPROFTOP" -b -n 40 $much -s 0.3 -p $target | grep -q show_inner # names take a while
is "batch: the function" $? 0
check "batch: plain text" eval '! grep -q "$(printf "\033")" batch'
check "batch: as wide as asked" [ "$(wc -L <batch)" -le 70 ]
# A target that executes another program after sproftop has attached: the head then names the new
# one.
mkfifo go
sh -c 'read -r go <go; exec "$0" 600' "$SHOW" >/dev/null 2>&1 &
changing=$!
"$SPROFTOP" -b -s 0.3 -p $changing >renamed 2>err & renaming=$!
wait_until "a screen of the shell" 40 grep -q " sh ($changing) " renamed && echo >go
wait_until "the head names the new program" 40 grep -q " show$$ ($changing) " renamed
is "batch: the head names the new program" $? 0
kill $changing; wait $renaming 2>/dev/null
"$SPROFTOP" -b -n 2 -p $target | grep -q '(max 1)'
is "batch: the usual bound on the cost is 1 %" $? 0
./doze$$ 1000 &
timeout 30 "$SPROFTOP" -b --size 100x20 -p $! | grep -q 'idle'
is "batch: a process that sleeps" $? 0
one_of_its=$(ls /proc/$target/task | grep -vx $target | tail -n 1)
"$SPROFTOP" -b -n 1 -s 0.3 -p $target -p $!,$one_of_its --name show$$ --name doze$$ >twice 2>err
is "batch: -p given twice, each process once" \
    "$(head -n 1 twice | grep -oE "\(($target|$!)\)" | tr '\n' ' ')" "($target) ($!) "
kill $!
"$SPROFTOP" -b -n 1 -s 0.3 --view threads -p $target | grep -q gamma
is "batch: threads" $? 0
"$SPROFTOP" -b --keys g "$SHOW" 1 6 >batch 2>err
is "batch: the command's status" $? 6
check "batch: keys" grep -q 'Call tree' batch
check "batch: the usual bound on the cost" grep -qE 'cost [0-9.]+ % \(max 1\)' batch
check "batch: what the command wrote" grep -q '^show begins' err
"$SPROFTOP" -b seq 100000 >batch 2>err
is "batch: what is kept of the log is shown" "$(sed 1d err | cksum)" "$(seq 100000 | cksum)"
"$SPROFTOP" -b seq 400000 >batch 2>err
read -r all dropped < <(sed -n '1s/^sproftop: the command wrote \([0-9]*\) bytes, of which the first \([0-9]*\) are not kept:$/\1 \2/p' err)
is "batch: of a long log, what was written" "$all" "$(seq 400000 | wc -c)"
is "batch: what is not shown of it, and no more, is told" "$(sed 1d err | cksum)" \
    "$(seq 400000 | tail -c +$((dropped + 1)) | cksum)"
within "batch: bytes that are shown of it" $((all - dropped)) 1000000 1048576

# By name: zombies are passed over. (A shell might reap its child before it executes the other
# program; this parent never reaps.)
cat >keeper.py <<'P'
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "0"])
with open("ended", "w") as file:
    print(pid, file=file)
os.execvp(sys.argv[2], sys.argv[2:])
P
cp "$(command -v sleep)" nap$$
python3 keeper.py ./nap$$ ./nap$$ 600 &
napping=$!
wait_until "one of the two has ended" 20 eval \
    '[ -s ended ] && grep -q "^State:.Z" /proc/$(cat ended)/status'
wait_until "the other one is there" 20 eval 'grep -q "^Name:.nap$$" /proc/$napping/status'
"$SPROFTOP" -b -n 1 -s 0.3 --name nap$$ >batch 2>err
is "batch: by name, one has ended" $? 0
check "batch: the other one is shown" grep -q " nap$$ ($napping)  " batch
"$SPROFRUN" -q -d 0.1 -o nap.pb.gz --name nap$$
is "sprofrun: by name, one has ended" $? 0
kill $napping
rm ended
python3 keeper.py ./nap$$ sleep 600 &
napping=$!
wait_until "it has ended" 20 eval '[ -s ended ] && grep -q "^State:.Z" /proc/$(cat ended)/status'
"$SPROFTOP" -b -n 1 --name nap$$ >batch 2>err
is "batch: all of the name have ended: status" $? 125
check "batch: it says so" grep -q "^sproftop: no process called 'nap$$' runs: [0-9]* ha.* ended" err
kill $napping
check "--live without a terminal names the program that has -b" \
    eval '"$SPROFRUN" --live true >out 2>err; [ $? = 2 ] && grep -q "sproftop -b prints" err'

# Output that cannot be written is an error with a message; a reader that closes its pipe is no
# error.
for out in '>/dev/full' '>&-'; do
    eval '"$SPROFTOP" -b -n 1 -s 0.3 -p $target'" $out 2>err"
    is "batch $out: status" $? 125
    check "batch $out: message" grep -q '^sproftop: cannot write to standard output' err
done
"$SPROFTOP" -b -n 3 -s 0.1 -p $target 2>err | head -n 1 >/dev/null
is "batch: the reader left" "${PIPESTATUS[0]}" 0
check "batch: the reader left, no message" eval '! [ -s err ]'

# --- a terminal whose output is not read must not block the target ---
cat >blocked.py <<'P'
import fcntl, os, pty, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execv(sys.argv[1], [sys.argv[1], "-s", "0.1", "-p", sys.argv[2]])
# The terminal's output is never read, so its buffer fills up. Keys make sproftop draw. The buffer
# is full when it has not grown for a second, which is many updates.
end, size, since = time.time() + 60, 0, time.time()
while time.time() < end and (not size or time.time() < since + 1):
    os.write(fd, b"gE")
    time.sleep(0.05)
    os.write(fd, b"l")
    now = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"0000"))[0]
    if now != size:
        size, since = now, time.time()
print("full", int(time.time() < end), size)
def ticks():
    stat = open(f"/proc/{sys.argv[2]}/stat").read().split()
    return int(stat[13]) + int(stat[14])
before, end = ticks(), time.time() + 20
while time.time() < end and ticks() - before <= 5:
    time.sleep(0.05)
print("ticks", ticks() - before)
os.kill(pid, signal.SIGTERM)
end = time.time() + 20
while time.time() < end:
    if os.waitpid(pid, os.WNOHANG)[0]:
        print("ended")
        break
    time.sleep(0.05)
P
python3 blocked.py "$SPROFTOP" $target >blocked.out
check "the terminal is full" grep -q '^full 1' blocked.out
check "a blocked terminal does not hold up the target" \
    eval '[ "$(awk "/^ticks/ { print \$2 }" blocked.out)" -gt 5 ]'
check "nor the end of sproftop" grep -q '^ended' blocked.out
check "the target lives, untraced" grep -qE '^TracerPid:.0$' /proc/$target/status
finish
